//! `state/scene/count/variant`: copying a tree into one that is there
//! (`clone-from`), beside copying as many bytes (`copy-bytes`); saving
//! (`encode`), loading with all checks (`decode`), the state hash (`hash`),
//! and shifting the origin without rounding (`shift`) and by others and the
//! next view (`shift-and-view`).

use benches::cases::Case;
use benches::ready::{prepare, short};
use benches::subjects::{Broadleaf, Subject};
use broadleaf::Octree;
use broadleaf::glam::Vec3;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn state(criterion: &mut Criterion) {
    for (scene, count) in [("uniform", 10_000), ("uniform", 100_000), ("spheres", 100_000)] {
        let case = Case::new(scene, count, 2).expect("a scene of that name");
        let mut subject = Broadleaf::default();
        prepare(&mut subject, &case.world);
        subject.update(case.frame(0));
        let mut tree = subject.tree().clone();
        let mut spare = Octree::default();
        let mut bytes = Vec::new();
        spare.clone_from(&tree);
        tree.snapshot_into(&mut bytes);
        assert_eq!(spare.state_hash(), tree.state_hash());
        assert_eq!(Octree::from_snapshot(&bytes).map(|tree| tree.state_hash()), Ok(tree.state_hash()));

        let mut group = criterion.benchmark_group(format!("state/{scene}/{}", short(count)));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
        group.throughput(Throughput::Elements(count as u64));
        let mut source = vec![1_u8; tree.memory().total()];
        let mut target = source.clone();
        group.bench_function("copy-bytes", |bench| {
            bench.iter(|| {
                target.copy_from_slice(std::hint::black_box(&source));
                std::hint::black_box(&mut target);
            });
        });
        source.clear();
        group.bench_function("clone-from", |bench| bench.iter(|| spare.clone_from(&tree)));
        group.bench_function("encode", |bench| bench.iter(|| tree.snapshot_into(&mut bytes)));
        group.bench_function("decode", |bench| bench.iter(|| Octree::from_snapshot(&bytes).expect("a snapshot")));
        group.bench_function("hash", |bench| bench.iter(|| tree.state_hash()));
        let mut shift = Vec3::new(1.0, -0.5, 2.0);
        group.bench_function("shift", |bench| {
            bench.iter(|| {
                shift = -shift;
                tree.shift_origin(shift).expect("a near shift");
            });
        });
        let mut shift = Vec3::new(1.003, -0.5, 2.1);
        group.bench_function("shift-and-view", |bench| {
            bench.iter(|| {
                shift = -shift;
                tree.shift_origin(shift).expect("a near shift");
                tree.view().len()
            });
        });
        tree.validate().expect("a sound tree");
    }
}

criterion_group!(benches, state);
criterion_main!(benches);
