//! Oriented boxes, capsules and convex regions overlap what points of theirs
//! lie in, found by projecting to and fro between two shapes.

use broadleaf::glam::{DVec3, Quat, Vec3};
use broadleaf::{
    Aabb, Containment, Error, Shape, Sphere,
    shape::{Capsule, ConvexRegion, Obb, Plane},
};
use workloads::Random;

type Point = [f64; 3];

fn wide(v: Vec3) -> Point {
    v.to_array().map(f64::from)
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn plus(a: Point, b: Point, times: f64) -> Point {
    [a[0] + b[0] * times, a[1] + b[1] * times, a[2] + b[2] * times]
}

/// The nearest point of a shape.
fn onto_shape(shape: &Shape, p: Point) -> Point {
    match shape {
        Shape::Aabb(aabb) => [0, 1, 2].map(|i| p[i].clamp(aabb.min[i].into(), aabb.max[i].into())),
        Shape::Sphere(ball) => within(wide(ball.center), ball.radius.into(), p),
        _ => unreachable!("a shape that is not known here"),
    }
}

/// The nearest point of the ball around `center`.
fn within(center: Point, radius: f64, p: Point) -> Point {
    let offset = minus(p, center);
    let length = dot(offset, offset).sqrt();
    if length <= radius { p } else { plus(center, offset, radius / length) }
}

fn onto_obb(obb: &Obb, p: Point) -> Point {
    let offset = minus(p, wide(obb.center()));
    (0..3).fold(wide(obb.center()), |at, i| {
        let (axis, half) = (wide(obb.axes()[i]), f64::from(obb.half_extents()[i]));
        plus(at, axis, dot(offset, axis).clamp(-half, half))
    })
}

fn onto_capsule(capsule: &Capsule, p: Point) -> Point {
    let (a, along) = (wide(capsule.a()), minus(wide(capsule.b()), wide(capsule.a())));
    let length_sq = dot(along, along);
    let time = if length_sq > 0.0 { (dot(minus(p, a), along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    within(plus(a, along, time), capsule.radius().into(), p)
}

/// The distance between two convex shapes, nearly.
///
/// *Source:* W. Cheney and A. Goldstein, Proximity Maps for Convex Sets, 1959.
fn distance(onto_a: impl Fn(Point) -> Point, onto_b: impl Fn(Point) -> Point) -> f64 {
    let mut p = onto_a([0.0; 3]);
    let mut apart = f64::INFINITY;
    for _ in 0..50_000 {
        let q = onto_b(p);
        p = onto_a(q);
        let offset = minus(p, q);
        let now = dot(offset, offset).sqrt();
        if apart - now < 1e-12 {
            return now;
        }
        apart = now;
    }
    apart
}

/// On a lattice, so that shapes touch, or anywhere.
fn point(random: &mut Random) -> Vec3 {
    let lattice = random.one_in(2);
    let p = random.signed() * 3.0;
    if lattice { p.round() } else { p }
}

fn shape(random: &mut Random) -> Shape {
    let center = point(random);
    if random.one_in(3) {
        return Sphere::new(center, [0.0, 0.5, 1.0, 2.0][random.below(4) as usize]).into();
    }
    let half = random.signed().abs() * if random.one_in(4) { Vec3::new(2.0, 0.0, 1.0) } else { Vec3::splat(1.5) };
    Aabb::from_center_half_extents(center, half).into()
}

fn obb(random: &mut Random) -> Obb {
    let turn = random.signed();
    let rotation = match random.below(4) {
        0 => Quat::IDENTITY,
        1 => Quat::from_rotation_z(std::f32::consts::FRAC_PI_4),
        _ => Quat::from_xyzw(turn.x, turn.y, turn.z, 0.7),
    };
    let half = random.signed().abs() * if random.one_in(4) { Vec3::new(3.0, 0.0, 0.5) } else { Vec3::splat(2.0) };
    Obb::new(point(random), half, rotation).expect("legal")
}

/// Compares a test with the distance; counts how often it said yes and no.
fn compare(counts: &mut [u32; 2], says: bool, distance: f64, case: &str) {
    counts[usize::from(says)] += 1;
    assert!(says || distance > 1e-6, "{case}: overlap was missed");
    assert!(!says || distance < 2e-3, "{case}: {distance} apart");
}

#[test]
fn oriented_boxes_overlap_what_they_reach() {
    let (mut random, mut counts) = (Random::new(1), [0; 2]);
    for _ in 0..6_000 {
        let (obb, shape) = (obb(&mut random), shape(&mut random));
        let says = match &shape {
            Shape::Aabb(aabb) => obb.overlaps_aabb(aabb),
            Shape::Sphere(ball) => obb.overlaps_sphere(ball),
            _ => unreachable!("a shape that is not known here"),
        };
        let apart = distance(|p| onto_obb(&obb, p), |p| onto_shape(&shape, p));
        compare(&mut counts, says, apart, &format!("{obb:?} {shape:?}"));
        let corner = onto_obb(&obb, wide(point(&mut random) * 9.0));
        let around = obb.aabb().expanded(1e-6);
        assert!((0..3).all(|i| f64::from(around.min[i]) <= corner[i] && corner[i] <= f64::from(around.max[i])));
    }
    assert!(counts.into_iter().all(|count| count > 500), "{counts:?}");
}

/// How far a box of the world's axes and one turned by a quaternion are apart
/// on the axis that separates them best; negative if they overlap.
fn gap(obb: (Vec3, Vec3, Quat), aabb: &Aabb) -> f64 {
    let (center, half, turn) = (obb.0.as_dvec3(), obb.1.as_dvec3(), obb.2.as_dquat().normalize());
    let axes = DVec3::AXES.map(|axis| turn * axis);
    let crosses = axes.into_iter().flat_map(|axis| DVec3::AXES.map(|unit| unit.cross(axis)));
    let normals = DVec3::AXES.into_iter().chain(axes).chain(crosses).filter(|n| n.length() > 1e-9);
    let (middle, extents) =
        ((aabb.min.as_dvec3() + aabb.max.as_dvec3()) * 0.5, aabb.max.as_dvec3() - aabb.min.as_dvec3());
    let apart = normals.map(|n| {
        let n = n.normalize();
        let turned: f64 = (0..3).map(|i| half[i] * axes[i].dot(n).abs()).sum();
        (middle - center).dot(n).abs() - turned - (extents * 0.5).dot(n.abs())
    });
    apart.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn regression_long_boxes_that_are_hardly_turned() {
    let (mut random, mut counts) = (Random::new(4), [0; 2]);
    for round in 0..20_000 {
        let long = [50.0, 1000.0][round % 2];
        let half = Vec3::new(long, 0.05, 0.05) * random.between(0.5, 1.0);
        let turn = random.direction() * [1e-5, 1e-4, 1e-3, 1e-2][random.below(4) as usize] * random.unit();
        let (center, turn) = (random.signed() * 0.3, Quat::from_xyzw(turn.x, turn.y, turn.z, 1.0));
        let aabb = Aabb::from_center_half_extents(random.signed() * 0.3, half);
        let obb = Obb::new(center, half, turn).unwrap();
        let (gap, says) = (gap((center, half, turn), &aabb), obb.overlaps_aabb(&aabb));
        counts[usize::from(says)] += 1;
        let slack = f64::from(long * 2e-6);
        assert!(!says || gap < slack, "{gap} apart: {obb:?} {aabb:?}");
        assert!(says || gap > -slack, "{gap} deep: {obb:?} {aabb:?}");
    }
    assert!(counts.into_iter().all(|count| count > 1_000), "{counts:?}");
}

#[test]
fn capsules_overlap_what_they_reach() {
    let (mut random, mut counts) = (Random::new(2), [0; 2]);
    for _ in 0..6_000 {
        let (a, b, shape) = (point(&mut random), point(&mut random), shape(&mut random));
        let radius = [0.0, 0.25, 1.0][random.below(3) as usize];
        let capsule = Capsule::new(a, if random.one_in(8) { a } else { b }, radius).unwrap();
        let says = match &shape {
            Shape::Aabb(aabb) => capsule.overlaps_aabb(aabb),
            Shape::Sphere(ball) => capsule.overlaps_sphere(ball),
            _ => unreachable!("a shape that is not known here"),
        };
        let apart = distance(|p| onto_capsule(&capsule, p), |p| onto_shape(&shape, p));
        compare(&mut counts, says, apart, &format!("{capsule:?} {shape:?}"));
    }
    assert!(counts.into_iter().all(|count| count > 500), "{counts:?}");
}

#[test]
fn regions_hold_what_is_in_front_of_all_planes() {
    let (mut random, mut counts) = (Random::new(3), [0; 3]);
    for _ in 0..4_000 {
        let plane = |random: &mut Random| Plane { normal: random.direction() * 3.0, offset: random.between(-1.0, 8.0) };
        let planes: Vec<Plane> = (0..random.below(9)).map(|_| plane(&mut random)).collect();
        let (region, aabb) = (ConvexRegion::new(&planes).unwrap(), shape(&mut random).aabb());
        let how = region.classify_aabb(&aabb);
        counts[how.map_or(0, |how| 1 + usize::from(how == Containment::Inside))] += 1;
        for _ in 0..20 {
            let t = random.signed() * 0.5 + 0.5;
            let p = aabb.min + aabb.extents() * t.round();
            let height = |plane: &Plane| dot(wide(plane.normal), wide(p)) + f64::from(plane.offset);
            let lowest = region.planes().iter().map(height).fold(f64::INFINITY, f64::min);
            match how {
                None => assert!(lowest < 1e-5, "{aabb:?} has {p}, inside {region:?}"),
                Some(Containment::Inside) => assert!(lowest > -1e-5, "{aabb:?} has {p}, outside {region:?}"),
                Some(Containment::Intersecting) => {}
            }
        }
    }
    assert!(counts.into_iter().all(|count| count > 200), "{counts:?}");
}

#[test]
fn faulty_volumes_name_the_field() {
    let (zero, one, turn) = (Vec3::ZERO, Vec3::ONE, Quat::IDENTITY);
    let nan = Vec3::new(0.0, 0.0, f32::NAN);
    assert!(matches!(Obb::new(nan, one, turn), Err(Error::NotANumber { field: "center.z" })));
    assert!(matches!(Obb::new(zero, Vec3::INFINITY, turn), Err(Error::NotFinite { field: "half_extents.x", .. })));
    assert_eq!(Obb::new(zero, Vec3::NEG_Y, turn), Err(Error::NegativeExtent { axis: 'y', extent: -1.0 }));
    let no_turn = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert_eq!(Obb::new(zero, one, no_turn), Err(Error::DegenerateRotation));
    let bad_turn = Quat::from_xyzw(0.0, 0.0, 0.0, f32::NAN);
    assert!(matches!(Obb::new(zero, one, bad_turn), Err(Error::NotANumber { field: "rotation.w" })));
    assert!(matches!(Capsule::new(zero, nan, 1.0), Err(Error::NotANumber { field: "b.z" })));
    assert_eq!(Capsule::new(zero, one, -1.0), Err(Error::NegativeRadius { radius: -1.0 }));
    let flat = Plane { normal: Vec3::ZERO, offset: 1.0 };
    let good = Plane { normal: Vec3::X, offset: 1.0 };
    assert_eq!(ConvexRegion::new(&[good, flat]), Err(Error::DegeneratePlane { index: 1 }));
}
