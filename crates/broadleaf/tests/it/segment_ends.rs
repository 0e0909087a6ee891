//! Both ends of a segment belong to it: what contains its end is hit, however
//! direction and reach are rounded. What lies beyond is not.

use crate::support::{oracle_of, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Batch, Handle, Object, Octree, Ray, RayHit, Scratch, Sphere, Sweep, View, query::StartInside};
use workloads::Random;
use workloads::oracle::Selection;

/// What all ways to ask have found; they agree.
fn asked(view: View<'_>, ray: &Ray) -> Vec<(Handle, f32)> {
    let named = |hits: &[RayHit]| hits.iter().map(|hit| (hit.handle, hit.distance)).collect::<Vec<_>>();
    let (mut found, mut scratch) = (Vec::new(), Scratch::new());
    view.cast(ray).collect_into(&mut found);
    let all = sorted(named(&found).into_iter().map(|(handle, distance)| (handle, distance.to_bits())).collect());
    view.cast(ray).in_order(&mut scratch).collect_into(&mut found);
    let in_order = named(&found);
    let bits: Vec<_> = in_order.iter().map(|&(handle, distance)| (handle, distance.to_bits())).collect();
    assert_eq!(sorted(bits), all);
    let mut stepwise = Vec::new();
    view.cast(ray).in_order(&mut scratch).for_each(|hit| stepwise.push((hit.handle, hit.distance)));
    assert_eq!(stepwise, in_order);
    let first = in_order.first().copied();
    let name = |hit: Option<RayHit>| hit.map(|hit| (hit.handle, hit.distance));
    assert_eq!(name(view.cast(ray).closest()), first);
    assert_eq!(name(view.cast(ray).refine(|hit| Some(hit.distance)).closest()), first);
    assert_eq!(view.cast(ray).any().is_some(), first.is_some());
    let mut batch = Batch::new();
    view.cast_many(&[*ray]).closest_into(&mut batch);
    assert_eq!(name(batch.of(0)[0]), first);
    in_order
}

/// A point of the surface of a box, on a face, an edge or a corner.
fn on_box(aabb: &Aabb, random: &mut Random) -> Vec3 {
    let mut point = random.point(aabb);
    let (first, count) = (random.below(3) as usize, 1 + random.below(3) as usize);
    for axis in (first..first + count).map(|axis| axis % 3) {
        point[axis] = if random.below(2) == 0 { aabb.min[axis] } else { aabb.max[axis] };
    }
    point
}

/// A sphere and a point that lies on its surface without rounding: the sides of a box
/// of whole numbers whose diagonal is one, too.
fn ball_and_point(random: &mut Random) -> (Sphere, Vec3) {
    const SIDES: [[f32; 4]; 6] = [
        [1.0, 2.0, 2.0, 3.0],
        [2.0, 3.0, 6.0, 7.0],
        [1.0, 4.0, 8.0, 9.0],
        [4.0, 4.0, 7.0, 9.0],
        [2.0, 6.0, 9.0, 11.0],
        [6.0, 6.0, 7.0, 11.0],
    ];
    let [x, y, z, radius] = SIDES[random.below(6) as usize];
    let scale = [0.25, 1.0, 8.0][random.below(3) as usize];
    let sign = |random: &mut Random| [scale, -scale][random.below(2) as usize];
    let lever = Vec3::new(x * sign(random), y * sign(random), z * sign(random));
    let center = (random.signed() * 40.0).round();
    (Sphere::new(center, radius * scale), center + lever)
}

fn object_and_point(random: &mut Random) -> (Object, Vec3) {
    if random.below(2) == 0 {
        let (ball, point) = ball_and_point(random);
        return (Object::new(ball), point);
    }
    let low = random.signed() * 30.0;
    let aabb = Aabb::new(low, low + Vec3::new(random.unit(), random.unit(), random.unit()) * 10.0);
    (Object::new(aabb), on_box(&aabb, random))
}

#[test]
fn regression_a_segment_that_ends_on_a_surface_hits_it() {
    let random = &mut Random::new(1);
    for case in 0..20_000 {
        let (object, end) = object_and_point(random);
        let Ok(ray) = Ray::segment(end + random.direction() * random.between(0.1, 60.0), end) else { continue };
        let mut tree = Octree::default();
        let handle = tree.insert(object).unwrap();
        let found = asked(tree.view(), &ray);
        assert!(
            matches!(found[..], [(hit, distance)] if hit == handle && distance <= ray.distance_max()),
            "case {case}: {object:?}, {ray:?}"
        );
        assert_eq!(oracle_of(&tree).cast(&ray, StartInside::Hit, Selection::ALL), found, "case {case}");
    }
}

#[test]
fn regression_segments_that_end_on_surfaces_among_many_are_as_the_oracle_says() {
    let random = &mut Random::new(2);
    for world in 0..12 {
        let (mut tree, mut targets) = (Octree::default(), Vec::new());
        for _ in 0..150 {
            let (object, point) = object_and_point(random);
            targets.push((tree.insert(object).unwrap(), point));
        }
        let oracle = oracle_of(&tree);
        for &(handle, end) in &targets {
            let Ok(ray) = Ray::segment(end + random.direction() * random.between(0.1, 90.0), end) else { continue };
            let found = asked(tree.view(), &ray);
            assert!(found.iter().any(|&(hit, _)| hit == handle), "world {world}");
            for inside in [StartInside::Hit, StartInside::Skip, StartInside::Exit] {
                let mut hits = Vec::new();
                tree.view().cast(&ray).inside(inside).in_order(&mut Scratch::new()).collect_into(&mut hits);
                let hits: Vec<_> = hits.into_iter().map(|hit| (hit.handle, hit.distance)).collect();
                assert_eq!(hits, oracle.cast(&ray, inside, Selection::ALL), "world {world}, {inside:?}");
            }
        }
    }
}

#[test]
fn regression_a_segment_that_ends_where_it_leaves_an_object_hits_its_far_side() {
    let random = &mut Random::new(3);
    let mut left = 0;
    for case in 0..20_000 {
        let (object, end) = object_and_point(random);
        // From the middle, not quite.
        let middle = object.shape.aabb().center();
        let Ok(ray) = Ray::segment(middle + (end - middle) * (random.unit() * 0.5), end) else { continue };
        let mut tree = Octree::default();
        tree.insert(object).unwrap();
        let hit = tree.view().cast(&ray).inside(StartInside::Exit).closest();
        let hit = hit.unwrap_or_else(|| panic!("case {case}: {object:?}, {ray:?}"));
        assert!((hit.distance / ray.distance_max() - 1.0).abs() < 1e-4 || ray.distance_max() < 1e-3, "case {case}");
        assert_eq!(oracle_of(&tree).cast(&ray, StartInside::Exit, Selection::ALL), [(hit.handle, hit.distance)]);
        left += 1;
    }
    assert!(left > 19_000);
}

/// Along the third axis the segment is so slow that its direction has no reciprocal.
#[test]
fn regression_a_segment_that_drifts_into_a_plate_has_a_normal() {
    let plate = Aabb::new(Vec3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, -0.04), Vec3::new(1.0, f32::INFINITY, 0.04));
    for side in [1.0, -1.0] {
        let mut tree = Octree::default();
        tree.insert(plate).unwrap();
        let ray = Ray::segment(Vec3::new(-8.0, -6.0, -0.14 * side), Vec3::new(-1.7e38, -1.7e38, 0.0)).unwrap();
        let hit = tree.view().cast(&ray).closest().expect("it ends in the plate");
        assert_eq!((hit.distance, hit.normal), (ray.distance_max(), Vec3::NEG_Z * side));
    }
}

#[test]
fn segments_that_end_before_a_surface_or_whose_reach_is_set_miss_it() {
    let random = &mut Random::new(4);
    for case in 0..5_000 {
        let low = random.signed() * 30.0;
        let aabb = Aabb::new(low, low + 1.0 + random.unit() * 10.0);
        let mut tree = Octree::default();
        tree.insert(aabb).unwrap();
        // In front of the lower side of x, a few last places off.
        let mut end = random.point(&aabb);
        end.x = aabb.min.x - 1e-4;
        let from = end - Vec3::new(random.between(1.0, 50.0), random.unit() * 20.0, random.unit() * 20.0);
        let ray = Ray::segment(from, end).unwrap();
        assert_eq!(asked(tree.view(), &ray), [], "case {case}");
        end.x = aabb.min.x;
        let ray = Ray::segment(from, end).unwrap();
        assert_eq!(asked(tree.view(), &ray).len(), 1, "case {case}");
        assert_eq!((ray.end(), ray.with_distance_max(1.0).unwrap().end()), (Some(end), None));
        let shorter = ray.with_distance_max(ray.distance_max() - 1e-3).unwrap();
        assert_eq!(asked(tree.view(), &shorter), [], "case {case}");
    }
}

/// The promise of rays holds of points that move, as it always has: the ends are taken as they are.
#[test]
fn sweeps_that_end_on_a_surface_touch_it() {
    let random = &mut Random::new(5);
    for case in 0..10_000 {
        // On a grid, so that start, motion and end are exact.
        let at = |random: &mut Random| (random.signed() * 64.0).round() * 0.125;
        let (ball, point) = ball_and_point(random);
        let aabb = Aabb::new(ball.center - ball.radius, ball.center + ball.radius);
        let mut on_face = (random.point(&aabb) * 8.0).round() / 8.0;
        on_face = on_face.clamp(aabb.min, aabb.max);
        on_face.y = aabb.max.y;
        for (object, end) in [(Object::new(ball), point), (Object::new(aabb), on_face)] {
            let from = at(random);
            let mut tree = Octree::default();
            tree.insert(object).unwrap();
            for sweep in [
                Sweep::sphere(Sphere::new(from, 0.0), end - from).unwrap(),
                Sweep::aabb(Aabb::new(from, from), end - from).unwrap(),
            ] {
                assert!(tree.view().cast(&sweep).any().is_some(), "case {case}: {object:?} {sweep:?}");
            }
        }
    }
}
