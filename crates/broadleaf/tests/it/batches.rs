//! A batch answers each question as a single call does, in the order in which
//! they were asked, for any number of threads.

use crate::support::work;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Batch, Error, Handle, Octree, QueryStats, RayHit, Sphere, Sweep, Threads, View};
use rayon::ThreadPoolBuilder;
use workloads::{Player, Scene};

const OBJECTS: u32 = 3_000;

/// Runs a batch in every way, and compares it with single calls.
fn compare<T: Clone + PartialEq + std::fmt::Debug + Send + Sync>(
    count: usize,
    single: impl Fn(usize, &mut QueryStats) -> Vec<T>,
    batch: impl Fn(Threads, &mut QueryStats, &mut Batch<T>) + Sync,
) {
    let mut expected_stats = QueryStats::default();
    let expected: Vec<Vec<T>> = (0..count).map(|question| single(question, &mut expected_stats)).collect();
    let mut answers = Batch::new();
    for threads in [0, 1, 2, 4] {
        let stats = match threads {
            0 => work(|stats| batch(Threads::One, stats, &mut answers)),
            _ => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| work(|stats| batch(Threads::Pool, stats, &mut answers)))
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

fn filled<T>(fill: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut found = Vec::new();
    fill(&mut found);
    found
}

/// Compares a batch of questions about regions with the single questions.
macro_rules! compare_regions {
    ($view:expr, $regions:expr, $($option:ident)?) => {{
        let (view, regions) = ($view, $regions);
        let single = |i: usize, stats: &mut QueryStats| {
            filled(|found| view.overlap(&regions[i]).unwrap()$(.$option())?.stats(stats).collect_into(found))
        };
        compare(regions.len(), single, |threads, stats, batch| {
            view.overlap_many(&regions).unwrap()$(.$option())?.threads(threads).stats(stats).collect_into(batch);
        });
    }};
}

/// Compares a batch of questions about casts with the single questions.
macro_rules! compare_casts {
    ($view:expr, $casts:expr) => {{
        let (view, casts) = ($view, $casts);
        let single =
            |i: usize, stats: &mut QueryStats| filled(|found| view.cast(&casts[i]).stats(stats).collect_into(found));
        compare(casts.len(), single, |threads, stats, batch| {
            view.cast_many(&casts).threads(threads).stats(stats).collect_into(batch);
        });
        let single = |i: usize, stats: &mut QueryStats| vec![view.cast(&casts[i]).stats(stats).closest()];
        compare(casts.len(), single, |threads, stats, batch| {
            view.cast_many(&casts).threads(threads).stats(stats).closest_into(batch);
        });
        let single = |i: usize, stats: &mut QueryStats| vec![view.cast(&casts[i]).stats(stats).any()];
        compare(casts.len(), single, |threads, stats, batch| {
            view.cast_many(&casts).threads(threads).stats(stats).any_into(batch);
        });
    }};
}

/// Compares a batch of questions for what is near with the single questions.
macro_rules! compare_places {
    ($view:expr, $places:expr) => {{
        let (view, places) = ($view, $places);
        let single = |i: usize, stats: &mut QueryStats| {
            filled(|found| view.nearest(places[i]).unwrap().within(9.0).stats(stats).k_into(3, found))
        };
        compare(places.len(), single, |threads, stats, batch| {
            view.nearest_many(&places).unwrap().within(9.0).threads(threads).stats(stats).k_into(3, batch);
        });
        let single = |i: usize, stats: &mut QueryStats| vec![view.nearest(places[i]).unwrap().stats(stats).closest()];
        compare(places.len(), single, |threads, stats, batch| {
            view.nearest_many(&places).unwrap().threads(threads).stats(stats).closest_into(batch);
        });
    }};
}

fn ask(view: View<'_>, scene: &Scene, count: usize) {
    let (boxes, balls) = (scene.query_boxes(count, 1), scene.query_spheres(count, 2));
    compare_regions!(view, boxes.clone(),);
    compare_regions!(view, boxes.clone(), with_containment);
    compare_regions!(view, balls.clone(),);
    compare_regions!(view, scene.query_points(count, 3),);
    compare_regions!(view, scene.query_frusta(count.min(70), 3), with_containment);
    compare_casts!(view, scene.query_rays(count, 4));
    compare_places!(view, scene.query_points(count, 5));
    compare_places!(view, boxes.clone());
    let sweep = |(ball, aabb): (&Sphere, &Aabb)| {
        let motion = aabb.center() - ball.center;
        if ball.center.x > 0.0 { Sweep::sphere(*ball, motion) } else { Sweep::aabb(*aabb, motion) }.unwrap()
    };
    let sweeps: Vec<Sweep> = balls.iter().zip(&boxes).map(sweep).collect();
    compare_casts!(view, sweeps);
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
    let within = |aabb: &Aabb| filled(|found| view.overlap(aabb).unwrap().collect_into(found));
    let (lists, hits): (Vec<Vec<Handle>>, Vec<Option<RayHit>>) =
        (boxes.iter().map(within).collect(), rays.iter().map(|ray| view.cast(ray).closest()).collect());
    for lengths in [0..1, 1..2, 2..3, 3..usize::MAX] {
        assert!(lists.iter().any(|list| lengths.contains(&list.len())), "no list of {lengths:?}");
    }
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    let (mut within, mut closest) = (Batch::new(), Batch::new());
    for count in [700, 64, 0, 257, 255, 8_193, 256, 1, 65, 4_097] {
        for threads in [Threads::Pool, Threads::One] {
            let (boxes, rays) = (&boxes[..count], &rays[..count]);
            pool.install(|| {
                view.overlap_many(boxes).unwrap().threads(threads).collect_into(&mut within);
                view.cast_many(rays).threads(threads).closest_into(&mut closest);
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
    view.overlap_many(&[unit]).unwrap().collect_into(&mut batch);
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    let error = view.overlap_many(&[unit, unit, inverted]).unwrap_err();
    assert!(error.index == 2 && matches!(error.error, Error::InvertedBounds { axis: 'x', .. }), "{error}");
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::ZERO, -1.0)];
    let error = view.overlap_many(&balls).unwrap_err();
    assert_eq!((error.index, error.error), (1, Error::NegativeRadius { radius: -1.0 }));
    let error = view.nearest_many(&[Vec3::ZERO, Vec3::NAN]).unwrap_err();
    assert_eq!((error.index, error.error), (1, Error::NotANumber { field: "point.x" }));
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
    view.overlap_many(&questions).unwrap().threads(Threads::Pool).collect_into(&mut batch);
    for (index, found) in batch.iter().enumerate() {
        assert_eq!(found, [handle].get(..usize::from(index % 3 != 1)).unwrap());
    }
    let hits: &[Option<RayHit>] = &[];
    assert_eq!(Batch::<Option<RayHit>>::default().answers(), hits);
}
