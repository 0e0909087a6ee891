//! Options say which objects a question is about, in every family of questions
//! and with every terminal; what they leave is what brute force leaves.

mod batches;

use crate::support::{asked, asked_among, random_world, selections, sorted, work};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Containment, Frustum, Handle, Layers, Mobility, Neighbor, Object, Octree, Pair, QueryStats, Ray, RayHit,
    Scratch, Sphere, Sweep, Threads, View,
    query::{SlotSet, StartInside, SweepHit, Viewpoint, VisibleObject},
    shape::{Capsule, ConvexRegion, Obb, Plane},
};
use std::ops::ControlFlow;
use workloads::oracle::Selection;
use workloads::{Oracle, Random, with_options};

/// A handle, and a distance or a time.
type Far = (Handle, f32);

fn point(random: &mut Random) -> Vec3 {
    let p = random.signed() * 20.0;
    if random.one_in(2) { p.round() } else { p }
}

fn aabb(random: &mut Random) -> Aabb {
    let (at, size) = (point(random), random.between(0.0, 15.0));
    Aabb::new(at, at + random.signed().abs() * size)
}

fn frustum(random: &mut Random) -> Frustum {
    let eye = point(random);
    let plane = |normal: Vec3| Plane { normal, offset: random.between(2.0, 15.0) - normal.dot(eye) };
    let normals = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::new(0.3, 0.1, 1.0), Vec3::NEG_Z];
    Frustum::from_planes(normals.map(plane)).expect("directed planes")
}

fn of_seen(seen: &VisibleObject) -> Far {
    (seen.handle, seen.distance)
}

/// First to last, then the lowest handle.
fn by_distance(mut found: Vec<Far>) -> Vec<Far> {
    found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    found
}

/// Runs a check for many random worlds and selections of their objects.
fn in_worlds(worlds: u64, mut check: impl FnMut(View<'_>, &Oracle, Selection, &mut Random)) {
    for seed in 0..worlds {
        let ((mut tree, oracle), mut random) = (random_world(seed, 300), Random::new(seed ^ 0xabcd));
        for among in selections(&oracle, &mut random) {
            for _ in 0..2 {
                check(tree.view(), &oracle, among, &mut random);
            }
        }
    }
}

#[test]
fn overlaps_with_options() {
    let mut answers = 0;
    in_worlds(8, |view, oracle, among, random| {
        let mut is = |found: Vec<Handle>, expected: Vec<Handle>| {
            answers += expected.len();
            assert_eq!(sorted(found), expected, "{among:?}");
        };
        let (at, room) = (point(random), aabb(random));
        is(asked_among!(view.overlap(&at).unwrap(), among), oracle.at_point(at, among));
        is(asked_among!(view.overlap(&room).unwrap(), among), oracle.in_aabb(&room, among));
        let ball = Sphere::new(at, random.between(0.0, 9.0));
        is(asked_among!(view.overlap(&ball).unwrap(), among), oracle.in_sphere(&ball, among));
        let obb = Obb::new(at, room.half_extents(), Quat::from_xyzw(0.1, 0.4, -0.2, 0.8)).unwrap();
        is(asked_among!(view.overlap(&obb).unwrap(), among), oracle.in_obb(&obb, among));
        let capsule = Capsule::new(at, room.center(), 1.5).unwrap();
        is(asked_among!(view.overlap(&capsule).unwrap(), among), oracle.in_capsule(&capsule, among));
        let planes = frustum(random);
        let region = ConvexRegion::new(&planes.planes()[..4]).unwrap();
        let handles = |found: Vec<(Handle, Containment)>| found.into_iter().map(|(handle, _)| handle).collect();
        is(asked_among!(view.overlap(&region).unwrap(), among), handles(oracle.in_planes(region.planes(), among)));
        is(asked_among!(view.overlap(&planes).unwrap(), among), handles(oracle.in_frustum(&planes, among)));
        let mut slots = SlotSet::new();
        let query = with_options!(view.overlap(&room).unwrap(), among).filter(|handle| among.accepts(handle));
        query.slots_into(&mut slots);
        assert!(slots.iter().eq(oracle.in_aabb(&room, among).iter().map(|handle| handle.slot())));
    });
    assert!(answers > 3_000, "{answers}");
}

#[test]
fn containment_and_what_is_seen_with_options() {
    let mut answers = 0;
    in_worlds(8, |view, oracle, among, random| {
        let (planes, room, eye, mut scratch) = (frustum(random), aabb(random), point(random), Scratch::new());
        let mut found = asked_among!(view.overlap(&planes).unwrap().with_containment(), among);
        found.sort_unstable_by_key(|(handle, _)| *handle);
        assert_eq!(found, oracle.in_frustum(&planes, among));
        answers += found.len();
        for size_min in [0.0, 0.2] {
            let from = Viewpoint::new(eye, size_min).unwrap();
            let expected = oracle.seen(&planes, eye, size_min, among);
            let query = || view.overlap(&planes).unwrap().seen_from(&from);
            assert_eq!(asked_among!(query().front_to_back(&mut scratch), among), expected);
            let mut found: Vec<VisibleObject> = asked_among!(query(), among);
            found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.handle.cmp(&b.handle)));
            assert_eq!(found, expected);
        }
        // Of a box the objects are those that overlap it, and as far as those that are nearest.
        let inside = oracle.in_aabb(&room, among);
        let mut expected = oracle.nearest(&Aabb::new(eye, eye), f32::INFINITY, among);
        expected.retain(|(handle, _)| inside.binary_search(handle).is_ok());
        let from = Viewpoint::new(eye, 0.0).unwrap();
        let found: Vec<VisibleObject> =
            asked_among!(view.overlap(&room).unwrap().seen_from(&from).front_to_back(&mut scratch), among);
        assert_eq!(found.iter().map(of_seen).collect::<Vec<_>>(), expected);
    });
    assert!(answers > 1_000, "{answers}");
}

/// Compares every form of a question about a cast with the hits that are expected, first to last.
macro_rules! compare_hits {
    ($view:expr, $query:expr, $among:expr, $of:expr, $expected:expr) => {{
        let (among, of, expected): (Selection, _, Vec<Far>) = ($among, $of, $expected);
        let all = |found: &[_]| found.iter().map(of).collect::<Vec<Far>>();
        let mut scratch = Scratch::new();
        assert_eq!(by_distance(all(&asked_among!($query, among))), expected, "{among:?}");
        assert_eq!(all(&asked_among!($query.in_order(&mut scratch), among)), expected, "{among:?}");
        let accepts: &dyn Fn(Handle) -> bool = &|handle| among.accepts(handle);
        let query = || with_options!($query, among).filter(accepts);
        assert_eq!(query().closest().as_ref().map(of), expected.first().copied(), "{among:?}");
        let middle = expected.get(expected.len() / 2).map_or(0.5, |far| far.1);
        for bound in [middle, middle.next_down(), 0.0, -1.0, f32::NAN, f32::INFINITY] {
            let near: Vec<Far> = expected.iter().filter(|far| far.1 <= bound).copied().collect();
            let mut found = Vec::new();
            query().within(bound).collect_into(&mut found);
            assert_eq!(by_distance(all(&found)), near, "within {bound}");
            query().within(bound).in_order(&mut scratch).collect_into(&mut found);
            assert_eq!(all(&found), near, "in order within {bound}");
            found.clear();
            let mut visit = |answer| found.push(answer);
            query().within(bound).in_order(&mut scratch).for_each(&mut visit as &mut dyn FnMut(_));
            assert_eq!(all(&found), near, "visited in order within {bound}");
            assert_eq!(query().within(bound).closest().as_ref().map(of), near.first().copied(), "{bound}");
        }
        expected
    }};
}

#[test]
fn casts_with_options() {
    let (mut hits, mut swept) = (0, 0);
    in_worlds(6, |view, oracle, among, random| {
        let (from, to) = (point(random), point(random));
        let Ok(ray) = Ray::segment(from, to) else { return };
        let ray = if random.one_in(2) { ray } else { Ray::new(from, to - from).unwrap() };
        let of_ray = |hit: &RayHit| (hit.handle, hit.distance);
        let expected = oracle.cast(&ray, StartInside::Hit, among);
        hits += compare_hits!(view, view.cast(&ray), among, of_ray, expected).len();
        for inside in [StartInside::Skip, StartInside::Exit] {
            let expected = oracle.cast(&ray, inside, among);
            hits += compare_hits!(view, view.cast(&ray).inside(inside), among, of_ray, expected).len();
        }
        let sweep = match random.below(2) {
            0 => Sweep::sphere(Sphere::new(from, 1.0), to - from),
            _ => Sweep::aabb(Aabb::new(from, from + 1.0), to - from),
        };
        let (sweep, of_sweep) = (sweep.unwrap(), |hit: &SweepHit| (hit.handle, hit.time));
        swept += compare_hits!(view, view.cast(&sweep), among, of_sweep, oracle.swept(&sweep, among)).len();
    });
    assert!(hits > 200 && swept > 100, "{hits} {swept}");
}

#[test]
fn narrow_phases_with_options() {
    let mut kept = 0;
    in_worlds(6, |view, oracle, among, random| {
        let (from, to, mut scratch) = (point(random), point(random), Scratch::new());
        let Ok(ray) = Ray::segment(from, to) else { return };
        // Leaves out every third slot, and meets the rest a little later.
        let later = |handle: Handle, distance: f32| (!handle.slot().is_multiple_of(3)).then_some(distance + 0.25);
        let moved = |found: Vec<Far>, reach: f32| {
            let moved = found.into_iter().filter_map(|(handle, at)| Some((handle, later(handle, at)?)));
            by_distance(moved.filter(|far| far.1 <= reach).collect())
        };
        let expected = moved(oracle.cast(&ray, StartInside::Hit, among), ray.distance_max());
        let exact = |hit: &RayHit| later(hit.handle, hit.distance);
        let all = |found: Vec<RayHit>| found.iter().map(|hit| (hit.handle, hit.distance)).collect::<Vec<Far>>();
        let query = || with_options!(view.cast(&ray), among).filter(|handle| among.accepts(handle)).refine(exact);
        assert_eq!(by_distance(all(asked!(query()))), expected);
        assert_eq!(all(asked!(query().in_order(&mut scratch))), expected);
        assert_eq!(query().closest().map(|hit| (hit.handle, hit.distance)), expected.first().copied());
        kept += expected.len();

        let expected = moved(oracle.nearest(&Aabb::new(from, from), f32::INFINITY, among), 9.0);
        let exact = |near: &Neighbor| later(near.handle, near.distance);
        let all = |found: Vec<Neighbor>| found.iter().map(|near| (near.handle, near.distance)).collect::<Vec<Far>>();
        let query = || {
            let query = with_options!(view.nearest(from).unwrap(), among).refine(exact);
            query.within(9.0).filter(|handle| among.accepts(handle))
        };
        assert_eq!(by_distance(all(asked!(query()))), expected);
        assert_eq!(all(asked!(query().in_order(&mut scratch))), expected);
        let mut found = Vec::new();
        query().k_into(5, &mut found);
        assert_eq!(all(found), expected[..expected.len().min(5)]);
        assert_eq!(query().closest().map(|near| (near.handle, near.distance)), expected.first().copied());
        kept += expected.len();
    });
    assert!(kept > 300, "{kept}");
}

#[test]
fn what_is_near_with_options() {
    let mut answers = 0;
    in_worlds(6, |view, oracle, among, random| {
        let (at, room) = (point(random), aabb(random));
        let of = |near: &Neighbor| (near.handle, near.distance);
        for from in [Aabb::new(at, at), room] {
            let expected = oracle.nearest(&from, f32::INFINITY, among);
            answers += compare_hits!(view, view.nearest(from).unwrap(), among, of, expected.clone()).len();
            let query = || with_options!(view.nearest(from).unwrap(), among).filter(|handle| among.accepts(handle));
            let mut found = vec![];
            for (k, bound) in [(0, 9.0), (1, 9.0), (7, 5.0), (400, f32::INFINITY), (3, f32::NAN), (3, -1.0)] {
                query().within(bound).k_into(k, &mut found);
                let near = expected.iter().filter(|far| far.1 <= bound).take(k).copied();
                assert!(found.iter().map(of).eq(near), "{k} within {bound}");
            }
        }
        let expected = oracle.nearest(&Aabb::new(at, at), f32::INFINITY, among);
        _ = compare_hits!(view, view.nearest(at).unwrap(), among, of, expected);
    });
    assert!(answers > 5_000, "{answers}");
}

#[test]
fn pairs_with_options() {
    let pool = crate::support::pool(3);
    for seed in 0..8 {
        let ((mut tree, oracle), mut random) = (random_world(seed, 300), Random::new(seed));
        let (view, mut scratch, mut other) = (tree.view(), Scratch::new(), Scratch::new());
        let all: Vec<Pair> = oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect();
        assert_eq!(sorted(asked!(view.pairs(&mut scratch))), all);
        let accepts = |pair: Pair| (pair.a().slot() + pair.b().slot()).is_multiple_of(3);
        let some: Vec<Pair> = all.iter().filter(|pair| accepts(**pair)).copied().collect();
        assert!(some.len() > 10 && some.len() < all.len());
        let filtered = asked!(view.pairs(&mut scratch).filter(accepts));
        assert_eq!(sorted(filtered.clone()), some);
        pool.install(|| {
            assert_eq!(asked!(view.pairs(&mut other).threads(Threads::Pool).filter(accepts)), filtered);
            let plain = asked!(view.pairs(&mut scratch));
            assert_eq!(asked!(view.pairs(&mut other).threads(Threads::Pool)), plain);
        });
        for (handle, _) in oracle.objects().iter().step_by(7) {
            for among in selections(&oracle, &mut random) {
                let partners = oracle.pairs_of(*handle).unwrap().into_iter();
                let expected: Vec<Handle> =
                    partners.filter(|other| among.includes(*other, &oracle.get(*other).unwrap())).collect();
                assert_eq!(sorted(asked_among!(view.pairs_of(*handle).unwrap(), among)), expected, "{among:?}");
            }
        }
    }
}

fn unit() -> Aabb {
    Aabb::new(Vec3::ZERO, Vec3::ONE)
}

#[test]
fn a_stale_handle_excludes_nobody() {
    let mut tree = Octree::default();
    let stale = tree.insert(unit()).unwrap();
    tree.remove(stale).unwrap();
    let handle = tree.insert(unit()).unwrap();
    assert_eq!(handle.slot(), stale.slot());
    let view = tree.view();
    assert_eq!(view.overlap(&unit()).unwrap().exclude(stale).any(), Some(handle));
    assert_eq!(view.overlap(&unit()).unwrap().exclude(handle).any(), None);
    assert_eq!(view.nearest(Vec3::ZERO).unwrap().exclude(stale).count(), 1);
}

#[test]
fn whom_an_object_collides_with_is_no_matter_of_questions() {
    let mut tree = Octree::default();
    for filters in [0, 1, u32::MAX] {
        let layers = Layers { memberships: 0b100, filters };
        tree.insert(Object::new(unit()).with_layers(layers)).unwrap();
    }
    let nowhere = tree.insert(Object::new(unit()).with_layers(Layers::NONE)).unwrap();
    let view = tree.view();
    let (ray, mut found) = (Ray::new(Vec3::NEG_ONE, Vec3::ONE).unwrap(), Vec::new());
    for (layers, count) in [(0b100, 3), (u32::MAX, 3), (0b011, 0), (0, 0)] {
        assert_eq!(view.overlap(&unit()).unwrap().layers(layers).count(), count);
        assert_eq!(view.cast(&ray).layers(layers).count(), count);
        assert_eq!(view.nearest(Vec3::ONE).unwrap().layers(layers).count(), count);
    }
    // On no layer at all, and yet an object.
    view.overlap(&unit()).unwrap().collect_into(&mut found);
    assert!(found.len() == 4 && found.contains(&nowhere));
}

#[test]
fn options_come_in_any_order() {
    let ((mut tree, oracle), mut random) = (random_world(5, 300), Random::new(5));
    let (view, room, ray) = (tree.view(), aabb(&mut random), Ray::new(Vec3::splat(-20.0), Vec3::ONE).unwrap());
    let exclude = oracle.objects()[3].0;
    let accept = |handle: Handle| handle.slot() % 2 == 1;
    let (mut one, mut other, mut stats, mut scratch) =
        (Vec::new(), Vec::new(), [QueryStats::default(); 2], Scratch::new());
    let query = view.overlap(&room).unwrap().filter(accept).layers(5).stats(&mut stats[0]);
    query.only(Mobility::Moving).exclude(exclude).with_containment().collect_into(&mut one);
    let query = view.overlap(&room).unwrap().with_containment().exclude(exclude).only(Mobility::Moving);
    query.stats(&mut stats[1]).layers(5).filter(accept).collect_into(&mut other);
    assert_eq!((&one, stats[0]), (&other, stats[1]));
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let exact = |hit: &RayHit| Some(hit.distance + 1.0);
    let query = view.cast(&ray).in_order(&mut scratch).refine(exact).within(30.0).filter(accept);
    query.inside(StartInside::Skip).layers(5).collect_into(&mut one);
    let query = view.cast(&ray).layers(5).inside(StartInside::Skip).filter(accept).within(30.0).refine(exact);
    query.in_order(&mut scratch).collect_into(&mut other);
    assert_eq!(one, other);
}

#[test]
fn statistics_are_added_and_visitors_may_keep_what_they_count() {
    let (mut tree, _) = random_world(6, 300);
    let (view, everywhere) = (tree.view(), Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY));
    let once = work(|stats| _ = view.overlap(&everywhere).unwrap().stats(stats).count());
    let before = QueryStats { nodes_visited: 7, objects_tested: 8, hits: 9 };
    let mut stats = before;
    view.overlap(&everywhere).unwrap().stats(&mut stats).for_each(drop);
    let mut sum = before;
    sum += once;
    assert_eq!((stats, once.hits), (sum, view.len() as u64));
    // A closure of `filter` may change what it captures.
    let mut asked = 0;
    let count = view.overlap(&everywhere).unwrap().filter(|_| {
        asked += 1;
        asked % 2 == 0
    });
    assert_eq!(count.count(), view.len() / 2);
    assert_eq!(asked, view.len());
}

#[test]
fn visitors_stop_with_a_value_or_an_error_of_their_own() {
    #[derive(Debug, PartialEq)]
    struct Full(usize);
    let (mut tree, _) = random_world(8, 200);
    let (view, mut scratch, everywhere) = (tree.view(), Scratch::new(), Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY));
    let mut bag: Vec<Handle> = Vec::new();
    let fill = |bag: &mut Vec<Handle>, handle: Handle, room: usize| -> Result<(), Full> {
        if bag.len() == room {
            return Err(Full(room));
        }
        bag.push(handle);
        Ok(())
    };
    assert_eq!(view.overlap(&everywhere).unwrap().try_for_each(|handle| fill(&mut bag, handle, 10)), Err(Full(10)));
    assert_eq!(bag.len(), 10);
    let near = view.nearest(Vec3::ZERO).unwrap().in_order(&mut scratch);
    assert_eq!(near.try_for_each(|near| fill(&mut bag, near.handle, 15)), Err(Full(15)));
    let pairs = view.pairs(&mut scratch);
    assert_eq!(pairs.try_for_each(|pair| fill(&mut bag, pair.a(), 20)), Err(Full(20)));
    assert_eq!(view.overlap(&everywhere).unwrap().try_for_each(|handle| fill(&mut bag, handle, 1_000)), Ok(()));
    assert_eq!(bag.len(), 20 + view.len());
    let flow = view.overlap(&everywhere).unwrap().try_for_each(|handle| match handle.slot() {
        13 => ControlFlow::Break("thirteen"),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(flow, ControlFlow::Break("thirteen"));
}
