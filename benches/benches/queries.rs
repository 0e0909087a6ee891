//! `question/scene/count/variant`: a thousand questions to a tree that is
//! ready; `one-shot` counts the build as well.

use benches::cases::Case;
use benches::naive::Slabs;
use benches::ready::{prepare, short, variant};
use benches::subjects::{Broadleaf, Brute, Operation, Subject, Tally, all};
use broadleaf::query::Region;
use broadleaf::shape::{Capsule, ConvexRegion, Obb};
use broadleaf::{Aabb, Threads};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use std::time::Duration;

const CASES: [(&str, usize); 4] = [("uniform", 1000), ("uniform", 100_000), ("clustered", 100_000), ("city", 100_000)];

fn group<'a>(criterion: &'a mut Criterion, question: &str, case: &Case, asked: usize) -> BenchmarkGroup<'a, WallTime> {
    let name = format!("{question}/{}/{}", case.scene, short(case.count));
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    group.throughput(Throughput::Elements(asked as u64));
    group
}

fn ask(subject: &mut dyn Subject, case: &Case, operation: Operation, tally: Option<&mut Tally>) -> usize {
    match operation {
        Operation::Box => subject.in_boxes(&case.boxes, tally),
        Operation::Sphere => subject.in_spheres(&case.spheres, tally),
        _ => subject.in_frustums(&case.frustums, tally),
    }
}

/// Every subject that can answer; brute force at small sizes alone.
fn subjects(case: &Case, operation: Operation) -> impl Iterator<Item = Box<dyn Subject>> {
    let small = case.count <= 1000;
    let count = case.count;
    all().into_iter().filter(move |subject| subject.can(operation, count) && (small || subject.name() != "brute force"))
}

fn counted(criterion: &mut Criterion) {
    for (scene, count) in CASES {
        let case = Case::new(scene, count, 0).expect("a scene of that name");
        let mut naive = Brute::default();
        naive.build(&case.world);
        let questions = [
            ("in_aabb", Operation::Box, case.boxes.len()),
            ("in_sphere", Operation::Sphere, case.spheres.len()),
            ("in_frustum", Operation::Frustum, case.frustums.len()),
        ];
        for (name, operation, asked) in questions {
            let mut expected = Tally::default();
            ask(&mut naive, &case, operation, Some(&mut expected));
            let mut group = group(criterion, name, &case, asked);
            for mut subject in subjects(&case, operation) {
                prepare(subject.as_mut(), &case.world);
                let mut tally = Tally::default();
                ask(subject.as_mut(), &case, operation, Some(&mut tally));
                assert_eq!(tally, expected, "{scene}: {name} by {}", subject.name());
                group.bench_function(variant(subject.as_ref()), |bench| {
                    bench.iter(|| ask(subject.as_mut(), &case, operation, None));
                });
            }
            if operation == Operation::Box {
                group.bench_function("broadleaf-one-shot", |bench| {
                    bench.iter(|| {
                        let mut tree = Broadleaf::default();
                        tree.build(&case.world);
                        tree.in_boxes(&case.boxes, None)
                    });
                });
            }
        }
    }
}

fn rays(criterion: &mut Criterion) {
    distances(criterion, "closest_hit", Operation::Ray, |subject, case, found| subject.rays(&case.rays, found));
}

fn nearest(criterion: &mut Criterion) {
    distances(criterion, "nearest", Operation::Nearest, |subject, case, found| subject.nearest(&case.points, found));
}

fn sweeps(criterion: &mut Criterion) {
    distances(criterion, "first_swept", Operation::Sweep, |subject, case, found| subject.sweeps(&case.sweeps, found));
}

fn distances(
    criterion: &mut Criterion,
    name: &str,
    operation: Operation,
    ask: impl Fn(&mut dyn Subject, &Case, &mut Vec<f32>),
) {
    for (scene, count) in CASES {
        let case = Case::new(scene, count, 0).expect("a scene of that name");
        let mut group = group(criterion, name, &case, case.rays.len());
        let mut naive = Brute::default();
        naive.build(&case.world);
        let (mut expected, mut distances) = (Vec::new(), Vec::new());
        ask(&mut naive, &case, &mut expected);
        for mut subject in subjects(&case, operation) {
            prepare(subject.as_mut(), &case.world);
            ask(subject.as_mut(), &case, &mut distances);
            assert_eq!(distances.len(), expected.len());
            for (&a, &b) in expected.iter().zip(&distances) {
                assert!(
                    a == b || (a - b).abs() <= 1e-4 * a.abs().max(1.0),
                    "{scene}: {} at {b}, not {a}",
                    subject.name()
                );
            }
            group.bench_function(variant(subject.as_ref()), |bench| {
                bench.iter(|| ask(subject.as_mut(), &case, &mut distances));
            });
        }
    }
}

/// A row of regions that no peer has, compared with brute force first.
fn regions<R: Region>(
    criterion: &mut Criterion,
    tree: &mut Broadleaf,
    case: &Case,
    name: &str,
    regions: &[R],
    meets: impl Fn(&R, &Aabb) -> bool,
) {
    let boxes = case.world.bodies.boxes();
    let expected: usize = regions.iter().map(|region| boxes.iter().filter(|aabb| meets(region, aabb)).count()).sum();
    assert_eq!(tree.in_regions(regions, None), expected, "{name}");
    group(criterion, name, case, regions.len())
        .bench_function("broadleaf", |bench| bench.iter(|| tree.in_regions(regions, None)));
}

fn others(criterion: &mut Criterion) {
    let case = Case::new("uniform", 100_000, 0).expect("a scene of that name");
    let boxes = case.world.bodies.boxes();
    let mut tree = Broadleaf::default();
    prepare(&mut tree, &case.world);

    let around = |&point| boxes.iter().filter(|aabb| aabb.contains_point(point)).count();
    assert_eq!(tree.in_regions(&case.points, None), case.points.iter().map(around).sum::<usize>());
    group(criterion, "at_point", &case, case.points.len())
        .bench_function("broadleaf", |bench| bench.iter(|| tree.in_regions(&case.points, None)));

    regions(criterion, &mut tree, &case, "in_capsule", &case.capsules(), Capsule::overlaps_aabb);
    regions(criterion, &mut tree, &case, "in_obb", &case.oriented_boxes(), Obb::overlaps_aabb);
    let in_convex = |region: &ConvexRegion, aabb: &Aabb| region.classify_aabb(aabb).is_some();
    regions(criterion, &mut tree, &case, "in_convex", &case.convex_regions(), in_convex);

    let (expected, threads) =
        (tree.in_boxes(&case.boxes, None), [("one-thread", Threads::One), ("pool", Threads::Pool)]);
    let mut batches = group(criterion, "in_aabbs", &case, case.boxes.len());
    for (variant, threads) in threads {
        assert_eq!(tree.in_boxes_batch(&case.boxes, threads), expected);
        batches.bench_function(variant, |bench| bench.iter(|| tree.in_boxes_batch(&case.boxes, threads)));
    }
    drop(batches);

    let slabs: Vec<Slabs> = case.rays.iter().map(Slabs::new).collect();
    let along = |ray: &Slabs| boxes.iter().filter(|aabb| ray.enter(aabb.min, aabb.max).is_finite()).count();
    let hits: Vec<usize> = slabs.iter().map(along).collect();
    assert_eq!(tree.any_hits(&case.rays), hits.iter().filter(|&&hits| hits > 0).count());
    group(criterion, "any_hit", &case, case.rays.len())
        .bench_function("broadleaf", |bench| bench.iter(|| tree.any_hits(&case.rays)));
    assert_eq!(tree.all_hits(&case.rays), hits.iter().sum::<usize>());
    group(criterion, "hits", &case, case.rays.len())
        .bench_function("broadleaf", |bench| bench.iter(|| tree.all_hits(&case.rays)));
}

criterion_group!(benches, counted, rays, nearest, sweeps, others);
criterion_main!(benches);
