//! `budget/scene/count/variant`: sharing out a frame's pairs, beside what they
//! are shared out for: computing the contact of every pair.
//!
//! `all` serves all pairs. `half` serves half of them, while the other half waits
//! from the frame before and is offered again. `waiting` serves that half with
//! nothing offered. Throughput is told of all pairs.

use benches::cases::Case;
use benches::ready::{prepare, short};
use benches::subjects::{Broadleaf, Subject};
use broadleaf::{Handle, Pair, PairBudget, Scratch};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

const CASES: [(&str, usize); 2] = [("pile", 50_000), ("spheres", 100_000)];

/// Of eight classes, the first is essential.
fn class_of(handle: Handle) -> u8 {
    handle.slot().to_le_bytes()[0] & 7
}

fn budget(criterion: &mut Criterion) {
    for (scene, count) in CASES {
        let case = Case::new(scene, count, 1).expect("a scene of that name");
        let mut subject = Broadleaf::default();
        prepare(&mut subject, &case.world);
        subject.update(case.frame(0));
        let mut tree = subject.tree().clone();
        let view = tree.view();
        let (mut scratch, mut pairs, mut served) = (Scratch::new(), Vec::new(), Vec::new());
        view.pairs_into(&mut scratch, &mut pairs);
        let depth = |pair: &Pair| view.contact(*pair).ok().flatten().map_or(f32::NAN, |contact| contact.depth);
        assert!(pairs.iter().all(|pair| depth(pair) >= 0.0), "{scene}: every pair has a contact");
        let half = pairs.len() / 2;

        let mut group = criterion.benchmark_group(format!("budget/{scene}/{}", short(count)));
        group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(pairs.len() as u64));
        group.bench_function("contacts", |bench| bench.iter(|| pairs.iter().map(depth).sum::<f32>()));
        for (name, limit, offered) in [("all", usize::MAX, &pairs[..]), ("half", half, &pairs), ("waiting", half, &[])]
        {
            let mut budget = PairBudget::new(1);
            // As with the second frame: what was not served waits.
            budget.serve(view, &pairs, limit, class_of, &mut served);
            let waiting = budget.deferred().len();
            group.bench_function(name, |bench| {
                bench.iter_batched_ref(
                    || budget.clone(),
                    |budget| {
                        let report = budget.serve(view, offered, limit, class_of, &mut served);
                        assert_eq!(report.served + report.deferred, offered.len().max(waiting), "{scene}: {name}");
                    },
                    BatchSize::LargeInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, budget);
criterion_main!(benches);
