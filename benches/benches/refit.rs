//! `refit/scene/count/variant`: bringing the tree up to date after the movers
//! were written (`moved`), and when nothing has changed (`still`).

use benches::cases::Case;
use benches::ready::{expected_pairs, prepare, short};
use benches::subjects::{Broadleaf, Subject};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::{Duration, Instant};

fn refit(criterion: &mut Criterion) {
    for (scene, count) in [("uniform", 10_000), ("uniform", 100_000), ("clustered", 100_000), ("city", 100_000)] {
        let case = Case::new(scene, count, 8).expect("a scene of that name");
        let mut tree = Broadleaf::default();
        prepare(&mut tree, &case.world);
        let mut group = criterion.benchmark_group(format!("refit/{scene}/{}", short(count)));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
        group.throughput(Throughput::Elements(count as u64));
        let mut time = 0;
        group.bench_function("moved", |bench| {
            bench.iter_custom(|iterations| {
                let mut spent = Duration::ZERO;
                for _ in 0..iterations {
                    time += 1;
                    tree.move_only(case.frame(time));
                    let start = Instant::now();
                    tree.refit();
                    spent += start.elapsed();
                }
                spent
            });
        });
        group.bench_function("still", |bench| bench.iter(|| tree.refit()));
        tree.pairs();
        let moved = (time > 0).then(|| case.frame(time));
        assert_eq!(tree.pairs_tally(), expected_pairs(&case.world, moved));
        group.finish();
    }
}

criterion_group!(benches, refit);
criterion_main!(benches);
