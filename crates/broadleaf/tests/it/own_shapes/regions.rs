//! Regions of a caller's own.

use super::{AnyRegion, Cylinder, is_a_box};
use crate::support::{asked, asked_among, random_world, selections, sorted, work};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Batch, Containment, Error, Handle, Scratch, Shape, Sphere, Threads, View,
    query::{Region, SlotSet, Viewpoint, VisibleObject},
    shape::{Capsule, Obb},
};
use std::cell::Cell;
use workloads::oracle::Selection;
use workloads::{Oracle, Random, with_options};

/// What overlaps a region, and whether it lies inside, by asking every object; sorted.
fn overlapping(oracle: &Oracle, region: &dyn Region, among: Selection) -> Vec<(Handle, Containment)> {
    let objects = oracle.objects().iter().filter(|(handle, object)| among.includes(*handle, object));
    let how = |shape: &Shape| {
        let aabb = shape.aabb().clamped_to_finite();
        let overlaps = match shape {
            Shape::Aabb(_) => region.overlaps_aabb(&aabb),
            Shape::Sphere(sphere) => region.overlaps_sphere(sphere),
            _ => unreachable!("a shape that is not known here"),
        };
        let containment = if region.contains_aabb(&aabb) { Containment::Inside } else { Containment::Intersecting };
        (overlaps && region.bounds().overlaps(&aabb)).then_some(containment)
    };
    objects.filter_map(|(handle, object)| Some((*handle, how(&object.shape)?))).collect()
}

/// Containment has no order of its own.
fn by_handle(mut found: Vec<(Handle, Containment)>) -> Vec<(Handle, Containment)> {
    found.sort_unstable_by_key(|(handle, _)| *handle);
    found
}

/// Asks a region behind a wrapper in every form, and compares it with brute force on the region itself; the number of
/// answers.
pub(super) fn compare_region(
    view: View<'_>,
    oracle: &Oracle,
    region: &dyn Region,
    eye: Vec3,
    among: Selection,
) -> usize {
    let expected = overlapping(oracle, region, among);
    let region = &AnyRegion(region);
    let handles: Vec<Handle> = expected.iter().map(|(handle, _)| *handle).collect();
    assert_eq!(sorted(asked_among!(view.overlap(region).unwrap(), among)), handles);
    assert_eq!(by_handle(asked_among!(view.overlap(region).unwrap().with_containment(), among)), expected);
    let (from, mut scratch) = (Viewpoint::new(eye, 0.0).unwrap(), Scratch::new());
    let parts = |seen: &VisibleObject| (seen.handle, seen.containment);
    let seen: Vec<VisibleObject> = asked_among!(view.overlap(region).unwrap().seen_from(&from), among);
    assert_eq!(by_handle(seen.iter().map(parts).collect()), expected);
    let mut ordered: Vec<VisibleObject> =
        asked_among!(view.overlap(region).unwrap().seen_from(&from).front_to_back(&mut scratch), among);
    let near = oracle.nearest(&Aabb::new(eye, eye), f32::INFINITY, among).into_iter();
    let near: Vec<(Handle, f32)> = near.filter(|(handle, _)| handles.binary_search(handle).is_ok()).collect();
    assert!(ordered.iter().map(|seen| (seen.handle, seen.distance)).eq(near));
    ordered.sort_unstable_by_key(|seen| seen.handle);
    assert_eq!(ordered.iter().map(parts).collect::<Vec<_>>(), expected);
    let mut slots = SlotSet::new();
    let query = with_options!(view.overlap(region).unwrap(), among);
    query.filter(|handle| among.accepts(handle)).slots_into(&mut slots);
    assert!(slots.iter().eq(handles.iter().map(|handle| handle.slot())));
    handles.len()
}

#[test]
fn a_region_of_the_callers_answers_as_brute_force_does() {
    let mut answers = 0;
    for seed in 0..12 {
        let ((mut tree, oracle), mut random) = (random_world(seed, 300), Random::new(seed + 100));
        for among in selections(&oracle, &mut random) {
            for _ in 0..3 {
                let (region, eye) = (Cylinder::random(&mut random), random.signed() * 25.0);
                answers += compare_region(tree.view(), &oracle, &region, eye, among);
            }
        }
    }
    assert!(answers > 500, "{answers}");
}

#[test]
fn a_region_behind_a_wrapper_answers_as_the_region_itself() {
    let mut answers = 0;
    for seed in 0..6 {
        let ((mut tree, oracle), mut random) = (random_world(seed + 20, 300), Random::new(seed));
        let view = tree.view();
        let (at, size) = ((random.signed() * 15.0).round(), random.signed().abs() * 12.0);
        let aabb = Aabb::new(at, at + size.round());
        let turned = Quat::from_xyzw(0.3, -0.2, 0.1, 0.9);
        macro_rules! same {
            ($region:expr) => {{
                let (region, mut direct) = ($region, Vec::new());
                view.overlap(&region).unwrap().collect_into(&mut direct);
                let expected = overlapping(&oracle, &region, Selection::ALL).into_iter();
                assert_eq!(sorted(direct), expected.map(|(handle, _)| handle).collect::<Vec<_>>());
                answers += compare_region(view, &oracle, &region, at, Selection::ALL);
            }};
        }
        same!(Cylinder::random(&mut random));
        same!(at);
        same!(aabb);
        same!(Sphere::new(at, size.x));
        same!(Obb::new(at, size, turned).unwrap());
        same!(Capsule::new(at, at + size, 2.0).unwrap());
        let mixed: [&(dyn Region + Sync); 2] = [&aabb, &Cylinder::random(&mut random)];
        let mixed = mixed.map(AnyRegion);
        let mut batch = Batch::new();
        view.overlap_many(&mixed).unwrap().threads(Threads::Pool).collect_into(&mut batch);
        for (region, found) in mixed.iter().zip(batch.iter()) {
            assert_eq!(found, asked!(view.overlap(region).unwrap()));
        }
    }
    assert!(answers > 150, "{answers}");
}

/// A region that is asked about boxes and spheres with legal bounds only, and
/// counts how often.
pub(super) struct Watched<'a> {
    pub(super) region: Cylinder,
    pub(super) contains: bool,
    pub(super) bounds: Aabb,
    pub(super) tests: &'a Cell<u32>,
}

impl Region for Watched<'_> {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        assert!(is_a_box(aabb), "{aabb:?}");
        self.tests.set(self.tests.get() + 1);
        self.region.overlaps_aabb(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        assert_eq!(sphere.check(), Ok(()));
        self.tests.set(self.tests.get() + 1);
        self.region.overlaps_sphere(sphere)
    }

    fn reaches(&self, bounds: &Aabb) -> bool {
        assert!(is_a_box(bounds), "{bounds:?}");
        self.region.overlaps_aabb(bounds)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        assert!(is_a_box(aabb), "{aabb:?}");
        self.contains && self.region.contains_aabb(aabb)
    }
}

#[test]
fn what_lies_inside_is_not_tested_and_bounds_spare_tests() {
    let (mut tree, _) = random_world(3, 2_000);
    let (view, tests) = (tree.view(), Cell::new(0));
    let region = Cylinder { foot: Vec3::new(0.0, -18.0, 0.0), height: 36.0, radius: 18.0 };
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let ask = |contains: bool, bounds: Aabb| {
        tests.set(0);
        let found = sorted(asked!(view.overlap(&Watched { region, contains, bounds, tests: &tests }).unwrap()));
        tests.set(0);
        assert!(view.overlap(&Watched { region, contains, bounds, tests: &tests }).unwrap().count() > 500);
        (found, tests.get())
    };
    let (inside, plain, unbounded) = (ask(true, region.bounds()), ask(false, region.bounds()), ask(false, everywhere));
    assert!(inside.0 == plain.0 && plain.0 == unbounded.0, "the answers are the same");
    assert!(inside.1 * 2 < plain.1, "{} tests of {}", inside.1, plain.1);
    assert!(plain.1 <= unbounded.1, "{} tests of {}", plain.1, unbounded.1);
}

#[test]
fn an_illegal_region_is_refused_by_what_it_says_itself() {
    let (mut tree, _) = random_world(5, 50);
    let view = tree.view();
    let (good, bad) = (
        Cylinder { foot: Vec3::ZERO, height: 1.0, radius: 1.0 },
        Cylinder { foot: Vec3::ZERO, height: 1.0, radius: -1.0 },
    );
    assert_eq!(view.overlap(&bad).err(), Some(Error::NegativeRadius { radius: -1.0 }));
    let refusal = view.overlap_many(&[good, good, bad, bad]).expect_err("a refusal");
    assert_eq!((refusal.index, refusal.error), (2, Error::NegativeRadius { radius: -1.0 }));
}

#[test]
fn batches_of_the_callers_regions_are_single_questions() {
    let pool = crate::support::pool(3);
    for seed in 0..3 {
        let ((mut tree, oracle), mut random) = (random_world(seed + 60, 400), Random::new(seed));
        let regions: Vec<Cylinder> = (0..300).map(|_| Cylinder::random(&mut random)).collect();
        let view = tree.view();
        let (mut found, mut lying) = (Batch::new(), Batch::new());
        for among in selections(&oracle, &mut random) {
            let among = Selection { exclude: None, ..among };
            for threads in [Threads::One, Threads::Pool] {
                macro_rules! many {
                    () => {{
                        let mut query = view.overlap_many(&regions).unwrap().threads(threads);
                        if let Some(layers) = among.layers {
                            query = query.layers(layers);
                        }
                        if let Some(only) = among.only {
                            query = query.only(only);
                        }
                        query.filter(|handle| among.accepts(handle))
                    }};
                }
                let stats = pool.install(|| work(|stats| many!().stats(stats).collect_into(&mut found)));
                pool.install(|| many!().with_containment().collect_into(&mut lying));
                assert_eq!(stats.hits, found.answers().len() as u64);
                for ((region, found), lying) in regions.iter().zip(found.iter()).zip(lying.iter()) {
                    let expected = overlapping(&oracle, region, among);
                    assert_eq!(by_handle(lying.to_vec()), expected);
                    assert!(found.iter().eq(lying.iter().map(|(handle, _)| handle)));
                }
            }
        }
    }
}
