//! A caller's code that panics in the middle of a call leaves everything sound,
//! and changed only as documented.

use crate::support::{contents, cube, oracle_of, pairs, pool, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Batch, Config, Frustum, Handle, Layers, Margin, Mobility, Object, Octree, Pair, PairTracker, Scratch, Sphere,
    Threads, pairs::PairBudget, query::Region, query::Viewpoint, shape::Plane,
};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use workloads::oracle::Selection;
use workloads::{Random, Scene};

/// Checks invariants, and pairs where shapes are kept exactly.
#[track_caller]
fn is_sound(tree: &mut Octree) {
    let (oracle, found) = (oracle_of(tree), sorted(pairs(tree)));
    if tree.config().margin == Margin::NONE {
        assert_eq!(found, oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect::<Vec<_>>());
    }
    assert_eq!(tree.validate(), Ok(()));
}

/// An object whose conversion fails when the fuse has burnt down.
#[derive(Clone, Copy)]
struct Bomb<'a> {
    object: Object,
    fuse: &'a AtomicU32,
}

/// A fuse that never burns down.
const SAFE: u32 = u32::MAX;

impl From<Bomb<'_>> for Object {
    fn from(bomb: Bomb<'_>) -> Self {
        let left = bomb.fuse.load(Ordering::Relaxed);
        if left == 0 {
            // Without a message, unlike a panic.
            resume_unwind(Box::new("the conversion failed"));
        }
        if left != SAFE {
            bomb.fuse.store(left - 1, Ordering::Relaxed);
        }
        bomb.object
    }
}

/// Boxes and spheres with layers and user data, some of them outsized.
fn objects(count: u32) -> Vec<Object> {
    let mut objects = Scene::by_name("shapes", count, 4).unwrap().objects().to_vec();
    for (index, object) in (0..).zip(&mut objects).step_by(7) {
        *object = object.with_layers(Layers::new(3, 5)).with_user_data(index).with_mobility(Mobility::Static);
    }
    objects.push(Sphere::new(Vec3::splat(1e20), 1.0).into());
    objects
}

/// Inserts with a conversion that fails after `calls`; whether it did.
fn fails(tree: &mut Octree, bombs: &[Bomb<'_>], handles: &mut Vec<Handle>, calls: u32) -> bool {
    bombs[0].fuse.store(calls, Ordering::Relaxed);
    let result = catch_unwind(AssertUnwindSafe(|| tree.insert_many(bombs, handles)));
    bombs[0].fuse.store(SAFE, Ordering::Relaxed);
    match result {
        Ok(inserted) => {
            inserted.unwrap();
            false
        }
        Err(_) => true,
    }
}

/// Trees that are filled at once: empty from the start, cleared, and emptied object by object.
fn empty_trees(config: Config) -> [Octree; 3] {
    let mut trees = [(); 3].map(|()| Octree::new(config).unwrap());
    for tree in &mut trees[1..] {
        tree.insert_many(&objects(20), &mut Vec::new()).unwrap();
        tree.view();
    }
    trees[1].clear();
    for (handle, _) in contents(&trees[2]) {
        trees[2].remove(handle).unwrap();
    }
    trees
}

#[test]
fn regression_a_conversion_that_panics_leaves_an_empty_tree_sound() {
    let (fuse, margin) = (AtomicU32::new(SAFE), Margin { absolute: 0.5, relative: 0.0 });
    for config in [Config::default(), Config { margin, ..Config::default() }] {
        for original in empty_trees(config) {
            let bombs: Vec<Bomb<'_>> = objects(60).into_iter().map(|object| Bomb { object, fuse: &fuse }).collect();
            let mut calls = 0;
            loop {
                let (mut tree, mut handles) = (original.clone(), vec![]);
                if !fails(&mut tree, &bombs, &mut handles, calls) {
                    break;
                }
                assert_eq!(tree.validate(), Ok(()), "after {calls} calls");
                assert_eq!((tree.iter().count(), tree.len(), handles.len()), (0, 0, 0), "after {calls} calls");
                // It takes objects like any other.
                tree.insert_many(&bombs, &mut handles).unwrap();
                is_sound(&mut tree);
                assert_eq!(tree.len(), bombs.len());
                calls += 1;
            }
            assert_eq!(calls as usize, bombs.len(), "each is converted once");
        }
    }
}

#[test]
fn regression_a_conversion_that_panics_adds_nothing_to_a_filled_tree() {
    let (fuse, margin) = (AtomicU32::new(SAFE), Margin { absolute: 0.5, relative: 0.0 });
    for config in [Config::default(), Config { margin, ..Config::default() }] {
        let mut original = Octree::new(config).unwrap();
        original.insert_many(&objects(100), &mut Vec::new()).unwrap();
        let mut tracker = PairTracker::new();
        tracker.update(original.changes());
        let (before, known) = (contents(&original), tracker.begun().len());
        let bombs: Vec<Bomb<'_>> = objects(30).into_iter().map(|object| Bomb { object, fuse: &fuse }).collect();
        let mut calls = 0;
        loop {
            let (mut tree, mut handles, mut tracker) = (original.clone(), vec![], tracker.clone());
            if !fails(&mut tree, &bombs, &mut handles, calls) {
                break;
            }
            assert_eq!(tree.validate(), Ok(()), "after {calls} calls");
            assert!(contents(&tree) == before && handles.is_empty(), "after {calls} calls");
            tracker.update(tree.changes());
            assert_eq!((tracker.begun().len(), tracker.ended().len(), pairs(&mut tree).len()), (0, 0, known));
            is_sound(&mut tree);
            calls += 1;
        }
        assert_eq!(calls as usize, bombs.len(), "each is converted once");
    }
}

#[test]
fn regression_a_conversion_that_panics_before_a_build_on_threads() {
    let fuse = AtomicU32::new(SAFE);
    let bombs: Vec<Bomb<'_>> = objects(17_000).into_iter().map(|object| Bomb { object, fuse: &fuse }).collect();
    let mut random = Random::new(7);
    pool(2).install(|| {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.set_threads(Threads::Pool);
        let (mut failed, mut done) = (0, 0);
        for _ in 0..40 {
            handles.clear();
            if fails(&mut tree, &bombs, &mut handles, random.below(30_000)) {
                failed += 1;
                assert_eq!(tree.validate(), Ok(()));
                assert_eq!((tree.iter().count(), handles.len()), (0, 0));
            } else {
                done += 1;
                assert_eq!(tree.len(), bombs.len());
                tree.clear();
            }
        }
        assert!(failed > 10, "{failed} failed, {done} did not");
        tree.insert_many(&bombs, &mut handles).unwrap();
        let mut serial = Octree::default();
        serial.insert_many(&bombs, &mut Vec::new()).unwrap();
        assert_eq!(pairs(&mut tree).len(), pairs(&mut serial).len());
        assert_eq!(tree.validate(), Ok(()));
    });
}

/// Another object with each conversion: the one that is meant, one elsewhere of
/// other kind and layers, then one that is not legal.
#[derive(Clone, Copy)]
struct Shifty<'a> {
    meant: Object,
    calls: &'a AtomicU32,
}

impl From<Shifty<'_>> for Object {
    fn from(shifty: Shifty<'_>) -> Self {
        match shifty.calls.fetch_add(1, Ordering::Relaxed) {
            0 => shifty.meant,
            1 => Object::new(Sphere::new(Vec3::splat(-700.0), 3.0)).with_layers(Layers::new(1, 2)).with_user_data(7),
            _ => Sphere::new(Vec3::splat(f32::NAN), -1.0).into(),
        }
    }
}

#[test]
fn regression_objects_that_convert_differently_each_time_are_converted_once() {
    let margin = Margin { absolute: 0.5, relative: 0.0 };
    for config in [Config::default(), Config { margin, ..Config::default() }] {
        for threads in [Threads::One, Threads::Pool] {
            for held in [0, 40] {
                let mut tree = Octree::new(config).unwrap();
                tree.set_threads(threads);
                let mut handles = Vec::new();
                tree.insert_many(&objects(40)[..held], &mut handles).unwrap();
                let meant = objects(2_500);
                let calls: Vec<AtomicU32> = meant.iter().map(|_| AtomicU32::new(0)).collect();
                let given: Vec<_> = meant.iter().zip(&calls).map(|(&meant, calls)| Shifty { meant, calls }).collect();
                pool(2).install(|| tree.insert_many(&given, &mut handles).unwrap());
                assert!(calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1));
                assert_eq!(tree.validate(), Ok(()), "{threads:?}, {held} held");
                assert!(handles.iter().zip(&meant).all(|(&handle, meant)| tree.get(handle) == Some(*meant)));
                assert_eq!(tree.iter().count(), held + meant.len());
                is_sound(&mut tree);
            }
        }
    }
}

#[test]
fn a_retain_that_panics_has_removed_what_it_refused() {
    let mut original = Octree::default();
    original.insert_many(&objects(40), &mut Vec::new()).unwrap();
    original.view();
    let all = contents(&original);
    for last in 0..all.len() {
        let (mut tree, mut asked) = (original.clone(), 0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            tree.retain(|_, _| {
                asked += 1;
                if asked > last {
                    resume_unwind(Box::new(()));
                }
                asked % 3 == 0
            });
        }));
        assert!(result.is_err());
        let kept = |index: usize| index >= last || (index + 1).is_multiple_of(3);
        let expected = all.iter().enumerate().filter(|(index, _)| kept(*index)).map(|(_, object)| *object);
        assert_eq!(contents(&tree), expected.collect::<Vec<_>>());
        is_sound(&mut tree);
    }
}

#[test]
fn regression_a_class_that_panics_leaves_the_budget_as_it_was() {
    let mut tree = Octree::default();
    let row = |index: u8| cube(f32::from(index), 0.0, 0.0, 1.0);
    let handles: Vec<Handle> = (0..20).map(|index| tree.insert(row(index)).unwrap()).collect();
    let (mut budget, mut served) = (PairBudget::new(1).with_patience(2), Vec::new());
    let offered = pairs(&mut tree);
    let class_of = |handle: Handle| u8::try_from(handle.slot() % 5).unwrap() + 1;
    for turn in 0..6_u8 {
        let other = &mut budget.clone();
        // What waits is a pair no longer.
        tree.update(handles[3 * usize::from(turn)], row(100 + 2 * turn)).unwrap();
        let view = tree.view();
        for calls in 0..8 {
            let mut left = calls;
            let (before, mut kept) = (other.state_hash(), vec![offered[0]]);
            let result = catch_unwind(AssertUnwindSafe(|| {
                let class_of = |handle| {
                    left -= 1;
                    if left < 0 { resume_unwind(Box::new(())) } else { class_of(handle) }
                };
                other.serve(view, &offered[..4], 3, class_of, &mut kept)
            }));
            assert!(result.is_err());
            assert_eq!((other.state_hash(), other.dropped()), (before, budget.dropped()));
            assert_eq!(kept, [offered[0]], "the list is as it was");
        }
        let mut again = Vec::new();
        let report = budget.serve(view, &offered, 3, class_of, &mut served);
        assert_eq!(other.serve(view, &offered, 3, class_of, &mut again), report);
        assert_eq!((&again, other.state_hash()), (&served, budget.state_hash()));
    }
    assert!(budget.deferred().len() > 0);
}

#[test]
fn visitors_that_panic_spoil_no_working_memory() {
    let mut tree = Octree::default();
    tree.insert_many(&objects(300), &mut Vec::new()).unwrap();
    let view = tree.view();
    let mut scratch = Scratch::new();
    let plane = |normal, offset| Plane { normal, offset };
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let frustum = Frustum::from_planes(sides.map(|normal| plane(normal, 1e4))).unwrap();
    let eye = Viewpoint::new(Vec3::ZERO, 0.0).unwrap();
    let mut expected = Vec::new();
    view.pairs(&mut Scratch::new()).collect_into(&mut expected);
    let mut seen = Vec::new();
    let query = || view.overlap(&frustum).unwrap().seen_from(&eye);
    query().front_to_back(&mut Scratch::new()).collect_into(&mut seen);
    assert!(expected.len() > 40 && seen.len() > 40);
    for calls in 0..40 {
        let mut left = calls;
        let mut visit = || -> ControlFlow<()> {
            left -= 1;
            if left < 0 { resume_unwind(Box::new(())) } else { ControlFlow::Continue(()) }
        };
        let failed = |work: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(work)).is_err();
        if calls % 2 == 0 {
            assert!(failed(&mut || _ = view.pairs(&mut scratch).try_for_each(|_| visit())));
        } else {
            assert!(failed(&mut || _ = query().front_to_back(&mut scratch).try_for_each(|_| visit())));
        }
        let mut found = Vec::new();
        view.pairs(&mut scratch).collect_into(&mut found);
        assert_eq!(found, expected);
        let mut found = Vec::new();
        query().front_to_back(&mut scratch).collect_into(&mut found);
        assert_eq!(found, seen);
    }
}

/// A batch that a filter cuts short holds no answers: neither those of the batch before nor some of this one.
#[test]
fn regression_a_batch_whose_filter_panics_is_empty() {
    let mut tree = Octree::default();
    tree.insert_many(&objects(300), &mut Vec::new()).unwrap();
    let oracle = oracle_of(&tree);
    let view = tree.view();
    let (places, pool) = ([(); 200].map(|()| Vec3::ZERO), pool(2));
    let is_empty = |len: usize, answers: usize, ranges: usize| (len, answers, ranges) == (0, 0, 0);
    for threads in [Threads::One, Threads::Pool] {
        let (mut all, mut closest) = (Batch::new(), Batch::new());
        for calls in [0, 1, 250, 5_000] {
            let left = AtomicU32::new(calls);
            let accept = |_: Handle| {
                if left.fetch_sub(1, Ordering::Relaxed) == 0 { resume_unwind(Box::new(())) } else { true }
            };
            view.nearest_many(&places).unwrap().k_into(usize::MAX, &mut all);
            view.nearest_many(&places).unwrap().closest_into(&mut closest);
            assert_eq!(all.answers().len(), places.len() * oracle.objects().len());
            let failed =
                |work: &mut (dyn FnMut() + Send)| pool.install(|| catch_unwind(AssertUnwindSafe(work)).is_err());
            let query = || view.nearest_many(&places).unwrap().threads(threads).filter(accept);
            assert!(failed(&mut || query().k_into(usize::MAX, &mut all)), "{calls}");
            assert!(is_empty(all.len(), all.answers().len(), all.ranges().len()), "{calls}");
            left.store(calls.min(150), Ordering::Relaxed);
            assert!(failed(&mut || query().closest_into(&mut closest)), "{calls}");
            assert!(is_empty(closest.len(), closest.answers().len(), closest.ranges().len()), "{calls}");
        }
        // Its working memory is good for the next.
        view.nearest_many(&places).unwrap().threads(threads).k_into(2, &mut all);
        let nearest = oracle.nearest(&Aabb::new(Vec3::ZERO, Vec3::ZERO), f32::INFINITY, Selection::ALL);
        for near in all.iter() {
            assert_eq!(near.iter().map(|near| (near.handle, near.distance)).collect::<Vec<_>>(), nearest[..2]);
        }
        assert_eq!(all.len(), places.len());
    }
    tree.validate().unwrap();
}

/// A box whose bounds can be asked for so many times.
struct Fragile<'a>(Aabb, &'a AtomicU32);

impl Region for Fragile<'_> {
    fn bounds(&self) -> Aabb {
        if self.1.fetch_sub(1, Ordering::Relaxed) == 0 { resume_unwind(Box::new(())) } else { self.0 }
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.0.overlaps(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.0.overlaps_sphere(sphere)
    }
}

/// Bounds are asked for before the first question, to bring many of them into an order.
#[test]
fn regression_a_batch_whose_regions_panic_before_the_first_question_is_empty() {
    let mut tree = Octree::default();
    tree.insert_many(&objects(300), &mut Vec::new()).unwrap();
    let (view, mut batch, left) = (tree.view(), Batch::new(), AtomicU32::new(SAFE));
    let everything = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let regions = [(); 300].map(|()| Fragile(everything, &left));
    for calls in [0, 1, 299] {
        left.store(SAFE, Ordering::Relaxed);
        view.overlap_many(&regions).unwrap().collect_into(&mut batch);
        assert_eq!(batch.answers().len(), regions.len() * 301);
        let query = view.overlap_many(&regions).unwrap();
        left.store(calls, Ordering::Relaxed);
        assert!(catch_unwind(AssertUnwindSafe(|| query.collect_into(&mut batch))).is_err(), "{calls}");
        assert!(batch.is_empty() && batch.answers().is_empty() && batch.ranges().is_empty(), "{calls}");
    }
    tree.validate().unwrap();
}
