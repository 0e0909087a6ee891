//! Moving shapes meet others when, and only when, sampling says so.

use broadleaf::glam::{DVec3, Vec3};
use broadleaf::{Aabb, Error, Shape, Sphere, Sweep};
use workloads::Random;

const ROUNDS: u32 = 8_000;

fn coordinate(random: &mut Random) -> f32 {
    match random.below(3) {
        0 => f32::from(i8::try_from(random.below(5)).unwrap() - 2),
        _ => random.between(-3.0, 3.0),
    }
}

fn point(random: &mut Random) -> Vec3 {
    Vec3::new(coordinate(random), coordinate(random), coordinate(random))
}

/// Boxes with and without extent, spheres with and without radius.
fn shape(random: &mut Random) -> Shape {
    let center = point(random);
    if random.one_in(2) {
        return Sphere::new(center, [0.0, 0.5, 1.0, 2.5][random.below(4) as usize]).into();
    }
    let half = |random: &mut Random| if random.one_in(4) { 0.0 } else { random.between(0.0, 2.0) };
    let half = Vec3::new(half(random), half(random), half(random));
    Aabb::from_center_half_extents(center, half).into()
}

fn motion(random: &mut Random) -> Vec3 {
    match random.below(5) {
        0 => Vec3::AXES[random.below(3) as usize] * coordinate(random),
        1 => Vec3::ZERO,
        _ => point(random) * 3.0,
    }
}

/// The distance between two shapes, the first moved for a time; negative in overlap of spheres.
fn distance(moving: &Shape, motion: Vec3, time: f64, other: &Shape) -> f64 {
    let corners = |shape: &Shape| match shape {
        Shape::Aabb(aabb) => (aabb.min, aabb.max, 0.0),
        Shape::Sphere(ball) => (ball.center, ball.center, f64::from(ball.radius)),
        _ => unreachable!("a shape that is not known here"),
    };
    let ((min_a, max_a, radius_a), (min_b, max_b, radius_b)) = (corners(moving), corners(other));
    let gap = |i: usize| {
        let offset = f64::from(motion[i]) * time;
        let ahead = f64::from(min_b[i]) - (f64::from(max_a[i]) + offset);
        ahead.max(f64::from(min_a[i]) + offset - f64::from(max_b[i])).max(0.0)
    };
    (gap(0).powi(2) + gap(1).powi(2) + gap(2).powi(2)).sqrt() - radius_a - radius_b
}

fn time_of(sweep: &Sweep, other: &Shape) -> Option<f32> {
    match other {
        Shape::Aabb(aabb) => sweep.time_to_aabb(aabb),
        Shape::Sphere(ball) => sweep.time_to_sphere(ball),
        _ => unreachable!("a shape that is not known here"),
    }
}

fn sweep_of(moving: &Shape, motion: Vec3) -> Sweep {
    match moving {
        Shape::Aabb(aabb) => Sweep::aabb(*aabb, motion),
        Shape::Sphere(ball) => Sweep::sphere(*ball, motion),
        _ => unreachable!("a shape that is not known here"),
    }
    .expect("legal")
}

/// Checks one time against the distance at, before and after it.
fn check(moving: &Shape, motion: Vec3, other: &Shape) -> Option<f32> {
    const SLACK: f64 = 1e-5;
    let at = |time: f64| distance(moving, motion, time, other);
    let (time, case) = (time_of(&sweep_of(moving, motion), other), format!("{moving:?} by {motion} to {other:?}"));
    let end = time.map_or(1.0, f64::from);
    for step in 0..=200 {
        let earlier = end * f64::from(step) / 200.0 - 2.0 * SLACK;
        if earlier >= 0.0 {
            assert!(at(earlier) > -SLACK, "{case}: overlap at {earlier}, before {time:?}");
        }
    }
    if let Some(time) = time {
        assert!(at(time.into()) <= SLACK, "{case}: apart by {} at {time}", at(time.into()));
        assert!((0.0..=1.0).contains(&time), "{case}: {time}");
    }
    if at(0.0) <= -SLACK {
        assert_eq!(time, Some(0.0), "{case}");
    }
    time
}

#[test]
fn times_are_those_of_sampling() {
    let mut random = Random::new(1);
    let (mut none, mut start, mut later) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let (moving, other) = (shape(&mut random), shape(&mut random));
        match check(&moving, motion(&mut random), &other) {
            None => none += 1,
            Some(0.0) => start += 1,
            Some(_) => later += 1,
        }
    }
    assert!(none > 300 && start > 300 && later > 300, "{none} {start} {later}");
}

#[test]
fn touching_at_the_end_and_along_the_side_counts() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let time = |sweep: Result<Sweep, Error>| sweep.unwrap().time_to_aabb(&unit);
    let away = unit.translated(Vec3::new(-3.0, 0.0, 0.0));
    assert_eq!(time(Sweep::aabb(away, Vec3::X * 2.0)), Some(1.0));
    assert_eq!(time(Sweep::aabb(away, Vec3::X * 1.9999)), None);
    assert_eq!(time(Sweep::aabb(away.translated(Vec3::Y), Vec3::X * 4.0)), Some(0.5));
    let ball = Sphere::new(Vec3::new(-3.0, 0.5, 0.5), 1.0);
    assert_eq!(time(Sweep::sphere(ball, Vec3::X * 2.0)), Some(1.0));
    let over = Sphere::new(Vec3::new(-3.0, 2.0, 0.5), 1.0);
    assert_eq!(time(Sweep::sphere(over, Vec3::X * 12.0)), Some(0.25));
    // Past an edge at a distance of one, exactly and not quite.
    let edge = |y| Sweep::sphere(Sphere::new(Vec3::new(-3.0, y, 0.5), 1.0), Vec3::X * 6.0);
    assert_eq!((time(edge(2.0)), time(edge(2.0001))), (Some(0.5), None));
    let beside = Sphere::new(Vec3::new(4.0, 3.0, 0.0), 2.0);
    let passing = Sweep::sphere(Sphere::new(Vec3::ZERO, 1.0), Vec3::X * 8.0).unwrap();
    assert_eq!(passing.time_to_sphere(&beside), Some(0.5));
}

#[test]
fn positions_and_normals_are_on_the_surface() {
    use broadleaf::Octree;
    let mut random = Random::new(2);
    let mut seen = 0;
    for _ in 0..ROUNDS {
        let (moving, other, motion) = (shape(&mut random), shape(&mut random), motion(&mut random));
        let mut tree = Octree::default();
        tree.insert(other).unwrap();
        let Some(hit) = tree.view().cast(&sweep_of(&moving, motion)).closest() else { continue };
        let case = format!("{moving:?} by {motion} to {other:?}: {hit:?}");
        let spot = Shape::from(Sphere::new(hit.position, 0.0));
        assert!(distance(&moving, motion, hit.time.into(), &spot) < 1e-4, "{case}");
        assert!(distance(&other, Vec3::ZERO, 0.0, &spot) < 1e-4, "{case}");
        assert!((hit.distance - hit.time * motion.length()).abs() < 1e-4, "{case}");
        if hit.time == 0.0 {
            assert_eq!(hit.normal, Vec3::ZERO, "{case}");
        } else {
            seen += 1;
            // Two points touch without a direction between them.
            let length = hit.normal.length();
            assert!((length - 1.0).abs() < 1e-4 || length == 0.0, "{case}");
            assert!(hit.normal.dot(motion) <= 1e-3 * motion.length(), "{case}");
        }
    }
    assert!(seen > 300, "{seen}");
}

/// The first time at which two shapes touch, by halving; `None` if they never
/// do, overlap at the start, or only graze, where the time is ill defined.
fn first_touch(moving: &Shape, motion: Vec3, other: &Shape, depth_min: f64) -> Option<f64> {
    let at = |time: f64| distance(moving, motion, time, other);
    // The distance is convex in time.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if at(low + third) < at(high - third) { high -= third } else { low += third }
    }
    let (mut before, mut after) = (0.0, low);
    if at(0.0) <= 0.0 || at(after) > -depth_min {
        return None;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(before, after);
        if at(middle) > 0.0 { before = middle } else { after = middle }
    }
    Some(after)
}

/// The normal of an object that a shape touches at a time, at least one of
/// the two a sphere: along the line from the one to the other's nearest point.
fn normal_at(moving: &Shape, motion: Vec3, time: f64, other: &Shape) -> DVec3 {
    let offset = motion.as_dvec3() * time;
    let onto = |shape: &Shape, offset: DVec3, point: DVec3| match shape {
        Shape::Aabb(aabb) => point.clamp(aabb.min.as_dvec3() + offset, aabb.max.as_dvec3() + offset),
        Shape::Sphere(ball) => ball.center.as_dvec3() + offset,
        _ => unreachable!("a shape that is not known here"),
    };
    let lever = match (moving, other) {
        (Shape::Sphere(ball), _) => {
            let center = ball.center.as_dvec3() + offset;
            center - onto(other, DVec3::ZERO, center)
        }
        (_, Shape::Sphere(ball)) => onto(moving, offset, ball.center.as_dvec3()) - ball.center.as_dvec3(),
        (Shape::Aabb(_), Shape::Aabb(_)) => unreachable!("two boxes"),
        _ => unreachable!("a shape that is not known here"),
    };
    lever.normalize()
}

#[test]
fn regression_normals_of_small_shapes_far_out_or_fast() {
    use broadleaf::Octree;
    let mut random = Random::new(3);
    let mut seen = 0;
    for base in [0.0, 5e3, 2e4] {
        for _ in 0..3_000 {
            let sign = |v: f32| if v < 0.0 { -1.0 } else { 1.0 };
            let home = random.signed();
            let home = Vec3::new(sign(home.x), sign(home.y), sign(home.z)) * base + random.signed();
            let radius = [0.04, 0.05, 0.2, 0.5];
            let ball = |at: Vec3, random: &mut Random| Sphere::new(at, radius[random.below(4) as usize]).into();
            let around = |at: Vec3, half: Vec3| Aabb::from_center_half_extents(at, half).into();
            let motion = random.direction() * [5.0, 10.0, 200.0, 1e3][random.below(4) as usize];
            let start = home + random.signed() * 0.4 - motion * random.between(0.2, 1.0);
            let half = random.signed().abs() * 0.3;
            let (moving, other): (Shape, Shape) = match random.below(3) {
                0 => (ball(start, &mut random), ball(home, &mut random)),
                1 => (ball(start, &mut random), around(home, half)),
                _ => (around(start, half), ball(home, &mut random)),
            };
            let Some(time) = first_touch(&moving, motion, &other, 4e-3) else { continue };
            let mut tree = Octree::default();
            tree.insert(other).unwrap();
            let hit = tree.view().cast(&sweep_of(&moving, motion)).closest().expect("they touch");
            let normal = normal_at(&moving, motion, time, &other);
            let case = format!("{moving:?} by {motion} to {other:?} at {time}: {hit:?}, not {normal}");
            assert!((hit.normal.as_dvec3() - normal).length() < 1e-4, "{case}");
            let spot = Shape::from(Sphere::new(hit.position, 0.0));
            let slack = 1e-5 + 4.0 * f64::from(f32::EPSILON * base);
            assert!(distance(&moving, motion, time, &spot) < slack, "{case}");
            assert!(distance(&other, Vec3::ZERO, 0.0, &spot) < slack, "{case}");
            seen += 1;
        }
    }
    assert!(seen > 4_000, "{seen}");
}

#[test]
fn faulty_sweeps_name_the_field() {
    let (unit, ball) = (Aabb::new(Vec3::ZERO, Vec3::ONE), Sphere::new(Vec3::ZERO, 1.0));
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    assert!(matches!(Sweep::aabb(unit, nan), Err(Error::NotANumber { field: "motion.y" })));
    assert!(matches!(Sweep::sphere(ball, Vec3::INFINITY), Err(Error::NotFinite { field: "motion.x", .. })));
    let endless = Aabb::new(Vec3::ZERO, Vec3::new(1.0, f32::INFINITY, 1.0));
    assert!(matches!(Sweep::aabb(endless, Vec3::X), Err(Error::NotFinite { field: "max.y", .. })));
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    assert!(matches!(Sweep::aabb(inverted, Vec3::X), Err(Error::InvertedBounds { axis: 'x', .. })));
    let negative = Sphere::new(Vec3::ZERO, -1.0);
    assert_eq!(Sweep::sphere(negative, Vec3::X), Err(Error::NegativeRadius { radius: -1.0 }));
}

#[test]
fn regression_a_touch_at_the_start_has_no_sign() {
    let far = Vec3::splat(1e30);
    let sweep = Sweep::aabb(Aabb::new(far, far), -far).unwrap();
    let time = sweep.time_to_aabb(&Aabb::new(Vec3::new(-8.0, -8.0, 2.0), Vec3::new(-8.0, -8.0, 2.0)));
    assert!(time.is_none_or(|time| time.is_sign_positive()));
    let still = Sweep::aabb(Aabb::new(Vec3::ZERO, Vec3::ONE), Vec3::NEG_X).unwrap();
    for shape in [Aabb::new(Vec3::NEG_ONE, Vec3::ZERO), Aabb::new(Vec3::ONE, Vec3::splat(2.0))] {
        assert_eq!(still.time_to_aabb(&shape).map(f32::to_bits), Some(0));
    }
}
