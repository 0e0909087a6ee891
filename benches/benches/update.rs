//! `update/scene/count/variant`: every mover moves, and the tree is brought up
//! to date, in place or by a rebuild; `frame/scene/count/variant`: the same
//! and all pairs.

use benches::cases::Case;
use benches::ready::{expected_pairs, prepare, short, variant};
use benches::subjects::{Broadleaf, Operation, Subject, all};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use std::time::Duration;

const CASES: [(&str, usize); 5] =
    [("uniform", 10_000), ("uniform", 100_000), ("moving", 100_000), ("mixed", 100_000), ("city", 100_000)];

fn group<'a>(criterion: &'a mut Criterion, operation: &str, case: &Case) -> BenchmarkGroup<'a, WallTime> {
    let name = format!("{operation}/{}/{}", case.scene, short(case.count));
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
    group.throughput(Throughput::Elements(case.count as u64));
    group
}

fn update(criterion: &mut Criterion) {
    for (scene, count) in CASES {
        let case = Case::new(scene, count, 8).expect("a scene of that name");
        let mut group = group(criterion, "update", &case);
        let mut tree = Broadleaf::default();
        prepare(&mut tree, &case.world);
        verify(&mut tree, &case);
        let mut time = 0;
        group.bench_function("in-place", |bench| {
            bench.iter(|| {
                time += 1;
                tree.update(case.frame(time));
            });
        });
        group.bench_function("rebuild", |bench| {
            bench.iter(|| {
                time += 1;
                tree.move_only(case.frame(time));
                tree.rebuild()
            });
        });
        verify(&mut tree, &case);
        for mut peer in all().into_iter().skip(1).filter(|peer| peer.can(Operation::Update, count)) {
            prepare(peer.as_mut(), &case.world);
            verify(peer.as_mut(), &case);
            group.bench_function(variant(peer.as_ref()), |bench| {
                bench.iter(|| {
                    time += 1;
                    peer.update(case.frame(time));
                });
            });
        }
    }
}

fn frame(criterion: &mut Criterion) {
    for (scene, count) in std::iter::once(("uniform", 1000)).chain(CASES) {
        let case = Case::new(scene, count, 8).expect("a scene of that name");
        let mut group = group(criterion, "frame", &case);
        for mut subject in all()
            .into_iter()
            .filter(|subject| subject.can(Operation::Frame, count) && subject.suits(Operation::Frame, &case))
        {
            // Brute force has its row at small sizes.
            if count > 1000 && subject.name() == "brute force" {
                continue;
            }
            prepare(subject.as_mut(), &case.world);
            verify(subject.as_mut(), &case);
            let mut time = 0;
            group.bench_function(variant(subject.as_ref()), |bench| {
                bench.iter(|| {
                    time += 1;
                    subject.update(case.frame(time));
                    subject.pairs()
                });
            });
        }
    }
}

fn verify(subject: &mut dyn Subject, case: &Case) {
    subject.update(case.frame(0));
    subject.update(case.frame(1));
    subject.pairs();
    assert_eq!(subject.pairs_tally(), expected_pairs(&case.world, Some(case.frame(1))), "{}", case.scene);
}

criterion_group!(benches, update, frame);
criterion_main!(benches);
