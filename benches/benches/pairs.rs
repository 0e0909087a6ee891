//! `pairs/scene/count/variant`: all pairs of a tree that is up to date, on the
//! caller's thread and on a pool's.

use benches::cases::Case;
use benches::ready::{expected_pairs, prepare, short, variant};
use benches::subjects::{Broadleaf, Operation, Subject, all};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

const CASES: [(&str, usize); 8] = [
    ("uniform", 1000),
    ("uniform", 10_000),
    ("uniform", 100_000),
    ("clustered", 100_000),
    ("pile", 50_000),
    ("mixed", 100_000),
    ("city", 100_000),
    ("spheres", 100_000),
];

fn pairs(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    for (scene, count) in CASES {
        let case = Case::new(scene, count, 1).expect("a scene of that name");
        let expected = expected_pairs(&case.world, Some(case.frame(0)));
        let mut group = criterion.benchmark_group(format!("pairs/{scene}/{}", short(count)));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
        group.throughput(Throughput::Elements(count as u64));

        for mut subject in all()
            .into_iter()
            .filter(|subject| subject.can(Operation::Pairs, count) && subject.suits(Operation::Pairs, &case))
        {
            // Brute force has its row at small sizes.
            if count > 1000 && subject.name() == "brute force" {
                continue;
            }
            prepare(subject.as_mut(), &case.world);
            subject.update(case.frame(0));
            subject.pairs();
            assert_eq!(subject.pairs_tally(), expected, "{scene}: {}", subject.name());
            group.bench_function(variant(subject.as_ref()), |bench| bench.iter(|| subject.pairs()));
        }
        if count >= 100_000 {
            let mut tree = Broadleaf::default();
            prepare(&mut tree, &case.world);
            tree.update(case.frame(0));
            pool.install(|| tree.pairs_parallel());
            assert_eq!(tree.pairs_tally(), expected);
            group.bench_function("broadleaf-2-threads", |bench| {
                bench.iter(|| pool.install(|| tree.pairs_parallel()));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, pairs);
criterion_main!(benches);
