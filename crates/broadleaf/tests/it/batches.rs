//! A batch answers each question as a single call does, in the order in which
//! they were asked, for any number of threads.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Batch, Error, Handle, Layers, Octree, QueryStats, RayHit, Sphere, Sweep, Threads, View};
use rayon::ThreadPoolBuilder;
use workloads::{Player, Scene};

const OBJECTS: u32 = 3_000;
const LAYERS: Layers = Layers::ALL;

/// Runs a batch in every way, and compares it with single calls.
fn compare<T: Clone + PartialEq + std::fmt::Debug + Send + Sync>(
    count: usize,
    single: impl Fn(usize) -> (Vec<T>, QueryStats),
    batch: impl Fn(Threads, &mut Batch<T>) -> QueryStats + Sync,
) {
    let mut expected_stats = QueryStats::default();
    let expected: Vec<Vec<T>> = (0..count)
        .map(|question| {
            let (answers, stats) = single(question);
            expected_stats += stats;
            answers
        })
        .collect();
    let mut answers = Batch::new();
    for threads in [0, 1, 2, 4] {
        let stats = match threads {
            0 => batch(Threads::One, &mut answers),
            _ => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| batch(Threads::Pool, &mut answers))
            }
        };
        assert_eq!(stats, expected_stats, "{threads} threads");
        assert_eq!((answers.len(), answers.is_empty()), (count, count == 0));
        assert!(answers.iter().eq(expected.iter().map(Vec::as_slice)), "{threads} threads differ");
        assert_eq!(answers.answers(), expected.concat(), "{threads} threads order their answers otherwise");
        let starts = answers.ranges().iter().map(|range| range.start);
        assert!(starts.eq([0].into_iter().chain(answers.ranges().iter().map(|range| range.end)).take(count)));
        assert_eq!(answers.of(count), &[] as &[T]);
    }
}

fn one<T>((answer, stats): (T, QueryStats)) -> (Vec<T>, QueryStats) {
    (vec![answer], stats)
}

fn filled<T>(fill: impl Fn(&mut Vec<T>) -> QueryStats) -> (Vec<T>, QueryStats) {
    let mut found = Vec::new();
    let stats = fill(&mut found);
    (found, stats)
}

fn visited(view: View<'_>, sweep: &Sweep) -> (Vec<broadleaf::SweepHit>, QueryStats) {
    filled(|found| {
        view.swept(sweep, LAYERS, |hit| {
            found.push(hit);
            std::ops::ControlFlow::Continue(())
        })
    })
}

fn ask(view: View<'_>, scene: &Scene, count: usize) {
    let boxes = scene.query_boxes(count, 1);
    let single = |i: usize| filled(|found| view.in_aabb_into(&boxes[i], LAYERS, found).unwrap());
    compare(count, single, |threads, batch| view.in_aabb_batch_into(&boxes, LAYERS, threads, batch).unwrap());
    let balls = scene.query_spheres(count, 2);
    let single = |i: usize| filled(|found| view.in_sphere_into(&balls[i], LAYERS, found).unwrap());
    compare(count, single, |threads, batch| view.in_sphere_batch_into(&balls, LAYERS, threads, batch).unwrap());
    let frusta = scene.query_frusta(count.min(70), 3);
    let single = |i: usize| filled(|found| view.in_frustum_into(&frusta[i], LAYERS, found));
    compare(frusta.len(), single, |threads, batch| view.in_frustum_batch_into(&frusta, LAYERS, threads, batch));
    let rays = scene.query_rays(count, 4);
    let single = |i: usize| filled(|found| view.hits_into(&rays[i], LAYERS, found));
    compare(count, single, |threads, batch| view.hits_batch_into(&rays, LAYERS, threads, batch));
    let single = |i: usize| one(view.closest_hit(&rays[i], LAYERS));
    compare(count, single, |threads, batch| view.closest_hit_batch_into(&rays, LAYERS, threads, batch));
    let single = |i: usize| one(view.any_hit(&rays[i], LAYERS));
    compare(count, single, |threads, batch| view.any_hit_batch_into(&rays, LAYERS, threads, batch));
    let sweep = |(ball, aabb): (&Sphere, &Aabb)| {
        let motion = aabb.center() - ball.center;
        if ball.center.x > 0.0 { Sweep::sphere(*ball, motion) } else { Sweep::aabb(*aabb, motion) }.unwrap()
    };
    let sweeps: Vec<Sweep> = balls.iter().zip(&boxes).map(sweep).collect();
    let single = |i: usize| visited(view, &sweeps[i]);
    compare(count, single, |threads, batch| view.swept_batch_into(&sweeps, LAYERS, threads, batch));
    let single = |i: usize| one(view.first_swept(&sweeps[i], LAYERS));
    compare(count, single, |threads, batch| view.first_swept_batch_into(&sweeps, LAYERS, threads, batch));
}

#[test]
fn batches_are_single_calls_for_any_number_of_threads() {
    for name in ["uniform", "city", "shapes"] {
        let scene = Scene::by_name(name, OBJECTS, 5).expect("a scene");
        let (mut tree, mut player) = (Octree::default(), Player::new());
        player.load(&mut tree, scene.objects()).expect("legal objects");
        let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
        tree.insert(everywhere).expect("a legal object");
        for count in [0, 1, 64, 700] {
            ask(tree.view(), &scene, count);
        }
    }
}

#[test]
fn a_batch_is_asked_again_with_any_number_of_questions() {
    let scene = Scene::by_name("uniform", OBJECTS, 5).expect("a scene");
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).expect("legal objects");
    let view = tree.view();
    let (mut boxes, rays) = (scene.query_boxes(8_193, 6), scene.query_rays(8_193, 7));
    // Every fifth box is small, so that many have no answer, and some have many.
    boxes.iter_mut().step_by(5).for_each(|aabb| *aabb = Aabb::new(aabb.center(), aabb.center()));
    let within = |aabb: &Aabb| filled(|found| view.in_aabb_into(aabb, LAYERS, found).unwrap()).0;
    let (lists, hits): (Vec<Vec<Handle>>, Vec<Option<RayHit>>) =
        (boxes.iter().map(within).collect(), rays.iter().map(|ray| view.closest_hit(ray, LAYERS).0).collect());
    for lengths in [0..1, 1..2, 2..3, 3..usize::MAX] {
        assert!(lists.iter().any(|list| lengths.contains(&list.len())), "no list of {lengths:?}");
    }
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    let (mut within, mut closest) = (Batch::new(), Batch::new());
    for count in [700, 64, 0, 257, 255, 8_193, 256, 1, 65, 4_097] {
        for threads in [Threads::Pool, Threads::One] {
            let (boxes, rays) = (&boxes[..count], &rays[..count]);
            pool.install(|| {
                view.in_aabb_batch_into(boxes, LAYERS, threads, &mut within).unwrap();
                view.closest_hit_batch_into(rays, LAYERS, threads, &mut closest);
            });
            assert!(within.iter().eq(lists[..count].iter().map(Vec::as_slice)), "{count} boxes, {threads:?}");
            assert_eq!(within.answers(), lists[..count].concat());
            assert_eq!(closest.answers(), &hits[..count], "{count} rays, {threads:?}");
            assert!(closest.ranges().iter().cloned().eq((0..count).map(|question| question..question + 1)));
        }
    }
}

#[test]
fn batches_of_an_empty_tree_have_no_answers() {
    let scene = Scene::by_name("uniform", 100, 5).expect("a scene");
    ask(Octree::default().view(), &scene, 200);
}

#[test]
fn a_faulty_question_is_named_and_changes_nothing() {
    let mut tree = Octree::default();
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    tree.insert(unit).unwrap();
    let view = tree.view();
    let mut batch = Batch::<Handle>::new();
    view.in_aabb_batch_into(&[unit], LAYERS, Threads::One, &mut batch).unwrap();
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    let error = view.in_aabb_batch_into(&[unit, unit, inverted], LAYERS, Threads::One, &mut batch).unwrap_err();
    assert!(error.index == 2 && matches!(error.error, Error::InvertedBounds { axis: 'x', .. }), "{error}");
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::ZERO, -1.0)];
    let error = view.in_sphere_batch_into(&balls, LAYERS, Threads::Pool, &mut batch).unwrap_err();
    assert_eq!((error.index, error.error), (1, Error::NegativeRadius { radius: -1.0 }));
    assert_eq!((batch.len(), batch.of(0).len()), (1, 1));
}

#[test]
fn unbounded_and_far_questions_have_their_place() {
    let mut tree = Octree::default();
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let handle = tree.insert(unit).unwrap();
    let view = tree.view();
    let far = unit.translated(Vec3::splat(1e30));
    let endless = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let questions: Vec<Aabb> = (0..600).map(|i| [unit, far, endless][i % 3]).collect();
    let mut batch = Batch::new();
    view.in_aabb_batch_into(&questions, LAYERS, Threads::Pool, &mut batch).unwrap();
    for (index, found) in batch.iter().enumerate() {
        assert_eq!(found, [handle].get(..usize::from(index % 3 != 1)).unwrap());
    }
    let hits: &[Option<RayHit>] = &[];
    assert_eq!(Batch::<Option<RayHit>>::default().answers(), hits);
}
