//! 64-bit worlds: shapes far from zero become 32-bit shapes around an origin,
//! and no overlap is missed.

use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{Aabb, Error, Handle, Octree, Pair, Shape, Sphere, shape::WorldOrigin};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::HashSet;
use workloads::Random;

const FAR: DVec3 = DVec3::new(1e7, -1.000_000_1e7, 9.999_999e6);

fn unit(random: &mut Random) -> f64 {
    f64::from(random.bits()) / f64::from(u32::MAX)
}

fn place(random: &mut Random, reach: f64) -> DVec3 {
    let mut coordinate = || unit(random) * reach;
    FAR + DVec3::new(coordinate(), coordinate(), coordinate())
}

fn tree_of(shapes: &[Shape]) -> (Octree, Vec<Handle>, HashSet<Pair>) {
    let mut tree = Octree::default();
    let mut handles = Vec::new();
    tree.insert_many(shapes, &mut handles).unwrap();
    let pairs = crate::support::pairs(&mut tree).into_iter().collect();
    (tree, handles, pairs)
}

#[test]
fn boxes_ten_million_metres_out_miss_no_overlap() {
    let (mut random, origin) = (Random::new(4), WorldOrigin::new(FAR).unwrap());
    let mut boxes: Vec<(DVec3, DVec3)> = Vec::new();
    for index in 0..1500 {
        let (min, size) = (place(&mut random, 40.0), DVec3::splat(unit(&mut random) * 2.0));
        // Every third one touches the one before, exactly.
        let min = if index % 3 == 2 { boxes[index - 1].1 } else { min };
        boxes.push((min, min + size));
    }
    let shapes: Vec<Shape> = boxes.iter().map(|(min, max)| origin.aabb(*min, *max).unwrap().into()).collect();
    let (_, handles, pairs) = tree_of(&shapes);
    let mut overlaps = 0;
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.0.cmple(b.1).all() && b.0.cmple(a.1).all() {
                overlaps += 1;
                assert!(pairs.contains(&Pair::new(handles[i], handles[j])), "{a:?} and {b:?}");
            }
        }
    }
    assert!(overlaps > 500);
    // And next to nothing else: at this distance a millimetre is thousands of units in the last place.
    assert!(pairs.len() < overlaps + 3, "{} pairs of {overlaps} overlaps", pairs.len());
}

#[test]
fn spheres_ten_million_metres_out_miss_no_overlap() {
    let (mut random, origin) = (Random::new(5), WorldOrigin::new(FAR).unwrap());
    let mut spheres: Vec<(DVec3, f64)> = Vec::new();
    for index in 0..1500 {
        let (mut center, mut radius) = (place(&mut random, 60.0), unit(&mut random));
        if index % 3 == 2 {
            // Touches the one before, as exactly as 64 bits can say, in a skew direction.
            let (other, reach) = spheres[index - 1];
            center = other + DVec3::new(unit(&mut random), 1.0, -unit(&mut random)).normalize() * (reach + radius);
            radius = (center - other).length() - reach;
        }
        spheres.push((center, radius.max(0.0)));
    }
    let shapes: Vec<Shape> = spheres.iter().map(|(c, r)| origin.sphere(*c, *r).unwrap().into()).collect();
    let (_, handles, pairs) = tree_of(&shapes);
    let mut overlaps = 0;
    for (i, a) in spheres.iter().enumerate() {
        for (j, b) in spheres.iter().enumerate().skip(i + 1) {
            if (a.0 - b.0).length() <= a.1 + b.1 {
                overlaps += 1;
                assert!(pairs.contains(&Pair::new(handles[i], handles[j])), "{a:?} and {b:?}");
            }
        }
    }
    assert!(overlaps > 500);
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![-1e9_f64..1e9, -10.0_f64..10.0, -1e-30_f64..1e-30, -1e300_f64..1e300, Just(0.0)]
}

/// Compares a 32-bit side about an origin with a 64-bit one, exactly: the sum
/// and its rounding error.
fn compare(local: f32, origin: f64, side: f64) -> Ordering {
    let sum = f64::from(local) + origin;
    let part = sum - f64::from(local);
    let error = (f64::from(local) - (sum - part)) + (origin - part);
    let order = |a: f64, b: f64| a.partial_cmp(&b).expect("numbers");
    if sum == side { order(error, 0.0) } else { order(sum, side) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sides_are_the_next_floats_outward(origin in coordinate(), a in coordinate(), b in coordinate()) {
        let (min, max) = (DVec3::splat(a.min(b)), DVec3::splat(a.max(b)));
        let aabb = WorldOrigin::new(DVec3::splat(origin)).unwrap().aabb(min, max).unwrap();
        prop_assert!(aabb.check().is_ok());
        prop_assert!(compare(aabb.min.x, origin, min.x).is_le());
        prop_assert!(compare(aabb.max.x, origin, max.x).is_ge());
        if aabb.min.x.is_finite() {
            prop_assert!(compare(aabb.min.x.next_up(), origin, min.x).is_gt(), "grew by a unit or more");
        }
        if aabb.max.x.is_finite() {
            prop_assert!(compare(aabb.max.x.next_down(), origin, max.x).is_lt(), "grew by a unit or more");
        }
    }

    #[test]
    fn spheres_hold_what_they_stand_for(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let origin = WorldOrigin::new(FAR).unwrap();
        let (center, radius) = (place(&mut random, 1000.0), unit(&mut random) * 10.0);
        let sphere = origin.sphere(center, radius).unwrap();
        let strayed = (origin.to_world(sphere.center) - center).length();
        prop_assert!(f64::from(sphere.radius) >= radius + strayed);
        prop_assert!(f64::from(sphere.radius) <= (radius + strayed) * (1.0 + 1e-6) + 1e-17);
    }
}

#[test]
fn tiny_spheres_miss_no_overlap_though_squares_underflow() {
    let origin = WorldOrigin::new(DVec3::ZERO).unwrap();
    let step = 2.8e-23;
    let a = origin.sphere(DVec3::ZERO, step * 0.9).unwrap();
    let b = origin.sphere(DVec3::splat(step), step * 0.9).unwrap();
    assert!(a.overlaps(&b));
}

#[test]
fn faults_are_named() {
    let origin = WorldOrigin::new(DVec3::ZERO).unwrap();
    assert_eq!(WorldOrigin::new(DVec3::new(0.0, f64::NAN, 0.0)), Err(Error::NotANumber { field: "origin.y" }));
    let infinite = WorldOrigin::new(DVec3::new(0.0, 0.0, f64::INFINITY));
    assert_eq!(infinite, Err(Error::NotFinite { field: "origin.z", value: f32::INFINITY }));
    let found = origin.aabb(DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ONE);
    assert_eq!(found, Err(Error::NotANumber { field: "min.x" }));
    let found = origin.aabb(DVec3::ZERO, DVec3::new(0.0, 0.0, f64::NAN));
    assert_eq!(found, Err(Error::NotANumber { field: "max.z" }));
    // An inversion too small for 32 bits is still one.
    let found = origin.aabb(DVec3::new(1e7 + 1e-9, 0.0, 0.0), DVec3::new(1e7, 1.0, 1.0));
    assert_eq!(found, Err(Error::InvertedBounds { axis: 'x', min: 1e7, max: 1e7 }));
    let found = origin.aabb(DVec3::new(0.0, f64::INFINITY, 0.0), DVec3::INFINITY);
    let value = f32::INFINITY;
    assert_eq!(found, Err(Error::BoundsAtInfinity { axis: 'y', min: value, max: value }));
    assert_eq!(origin.sphere(DVec3::ONE, -1.0), Err(Error::NegativeRadius { radius: -1.0 }));
    assert!(matches!(origin.sphere(DVec3::ONE, f64::NEG_INFINITY), Err(Error::NegativeRadius { .. })));
    assert_eq!(origin.sphere(DVec3::ONE, f64::NAN), Err(Error::NotANumber { field: "radius" }));
    assert_eq!(origin.sphere(DVec3::NAN, 1.0), Err(Error::NotANumber { field: "center.x" }));
    let found = origin.sphere(DVec3::new(1e300, 0.0, 0.0), 1.0);
    assert_eq!(found, Err(Error::NotFinite { field: "center.x", value }));
    let found = origin.sphere(DVec3::ZERO, 1e30);
    assert!(matches!(found, Err(Error::RadiusTooLarge { .. })));
}

#[test]
fn boxes_beyond_32_bits_stay_found() {
    let origin = WorldOrigin::new(DVec3::ZERO).unwrap();
    let far = origin.aabb(DVec3::splat(1e300), DVec3::splat(2e300)).unwrap();
    assert_eq!(far, Aabb::new(Vec3::MAX, Vec3::INFINITY));
    let all = origin.aabb(DVec3::NEG_INFINITY, DVec3::INFINITY).unwrap();
    assert_eq!(all, Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY));
    let beyond = WorldOrigin::new(DVec3::splat(-1e308)).unwrap();
    assert_eq!(beyond.aabb(DVec3::splat(1e308), DVec3::splat(1e308)).unwrap(), Aabb::new(Vec3::MAX, Vec3::INFINITY));
    assert_eq!(origin.aabb(DVec3::ZERO, DVec3::ONE).unwrap(), Aabb::new(Vec3::ZERO, Vec3::ONE));
    assert!(origin.sphere(DVec3::ZERO, 1.0).unwrap().overlaps(&Sphere::new(Vec3::X * 2.0, 1.0)));
}

#[test]
fn a_world_that_was_shifted_and_updated_misses_no_touch() {
    let (mut random, first) = (Random::new(6), WorldOrigin::new(FAR).unwrap());
    let boxes: Vec<(DVec3, DVec3)> = (0..600)
        .map(|_| {
            let min = place(&mut random, 40.0);
            (min, min + DVec3::splat(0.1 + unit(&mut random)))
        })
        .collect();
    let around = |origin: WorldOrigin| boxes.iter().map(|(min, max)| origin.aabb(*min, *max).unwrap()).collect();
    let shapes: Vec<Aabb> = around(first);
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&shapes, &mut handles).unwrap();
    let mut origin = first;
    // There and back, and somewhere else.
    for shift in [Vec3::splat(-4096.0), Vec3::splat(4096.0), Vec3::new(300.7, -0.1, 1e5)] {
        tree.view();
        tree.shift_origin(shift).unwrap();
        origin = origin.shifted(shift).unwrap();
        assert_eq!(origin.to_local(origin.point()), Vec3::ZERO);
        let shapes: Vec<Aabb> = around(origin);
        tree.update_many(&handles, &shapes).unwrap();
        let mut found = Vec::new();
        for ((min, max), handle) in boxes.iter().zip(&handles) {
            // Boxes that touch, as exactly as 64 bits can say.
            for (low, high) in [(*max, *max + 1.0), (*min - 1.0, *min)] {
                let aabb = origin.aabb(low, high).unwrap();
                tree.view().overlap(&aabb).unwrap().collect_into(&mut found);
                assert!(found.contains(handle), "{shift}: {low} to {high} touches {min} to {max}");
            }
        }
        // And where they were, not somewhere else.
        let at = origin.to_world(tree.get(handles[0]).unwrap().shape.aabb().center());
        assert!((at - (boxes[0].0 + boxes[0].1) * 0.5).length() < 0.05, "{at}");
    }
    assert!(origin.shifted(Vec3::NAN).is_err() && origin.shifted(Vec3::INFINITY).is_err());
}

#[test]
fn regression_a_radius_a_little_below_zero_is_refused() {
    let origin = WorldOrigin::new(DVec3::ZERO).unwrap();
    for radius in [-1e-50, -f64::from_bits(1), -1e-30] {
        let found = origin.sphere(DVec3::ONE, radius);
        assert!(matches!(found, Err(Error::NegativeRadius { radius }) if radius < 0.0), "{radius}: {found:?}");
    }
    assert!(origin.sphere(DVec3::ONE, -0.0).is_ok(), "minus zero is zero");
}

#[test]
fn spheres_that_touch_exactly_still_do_at_every_scale() {
    let (mut random, origin) = (Random::new(7), WorldOrigin::new(DVec3::ZERO).unwrap());
    for exponent in [-30, -10, 0, 3, 20, 40] {
        let scale = 2.0_f64.powi(exponent);
        for _ in 0..5000 {
            // Centres, and one radius, that 32 bits hold: nothing grows on their account.
            let mut whole = || (unit(&mut random) * 200.0).floor() - 100.0;
            let (a, b) = (DVec3::new(whole(), whole(), whole()), DVec3::new(whole(), whole(), whole()));
            let distance = (a - b).length();
            let large = (distance * unit(&mut random) * 256.0).floor() / 256.0;
            let mut small = (distance - large).max(0.0);
            while large + small < distance {
                small = small.next_up();
            }
            let sphere = |center: DVec3, radius: f64| origin.sphere(center * scale, radius * scale).unwrap();
            let (a, b) = (sphere(a, large), sphere(b, small));
            assert!(a.overlaps(&b) && a.aabb().overlaps(&b.aabb()), "2^{exponent}: {a:?} and {b:?}");
        }
    }
}
