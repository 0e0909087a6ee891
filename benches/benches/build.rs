//! `build/scene/count/variant`: a fresh tree (`one-shot`), a tree that has its
//! memory (`prepared`), the same tree again from sorted keys (`rebuild`).

use benches::cases::Case;
use benches::ready::{expected_pairs, prepare, short, variant};
use benches::subjects::{Broadleaf, Operation, Subject, all};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn build(criterion: &mut Criterion) {
    for (scene, count) in [("uniform", 10_000), ("uniform", 100_000), ("clustered", 100_000), ("mixed", 100_000)] {
        let case = Case::new(scene, count, 0).expect("a scene of that name");
        let expected = expected_pairs(&case.world, None);
        let mut group = criterion.benchmark_group(format!("build/{scene}/{}", short(count)));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
        group.throughput(Throughput::Elements(count as u64));

        let mut tree = Broadleaf::default();
        prepare(&mut tree, &case.world);
        tree.pairs();
        assert_eq!(tree.pairs_tally(), expected);
        group.bench_function("one-shot", |bench| {
            bench.iter(|| {
                let mut fresh = Broadleaf::default();
                fresh.build(&case.world);
                fresh
            });
        });
        group.bench_function("prepared", |bench| bench.iter(|| tree.build(&case.world)));
        group.bench_function("rebuild", |bench| bench.iter(|| tree.rebuild()));
        tree.finish_build();
        tree.pairs();
        assert_eq!(tree.pairs_tally(), expected);

        for mut peer in all().into_iter().skip(1).filter(|peer| peer.can(Operation::Build, count)) {
            group.bench_function(variant(peer.as_ref()), |bench| bench.iter(|| peer.build(&case.world)));
        }
        group.finish();
    }
}

criterion_group!(benches, build);
criterion_main!(benches);
