//! What questions with distances say at the edges: far out, without end, and
//! after a narrow phase.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Inside, Layers, Octree, Ray, RayHit, Shape, Sphere, Sweep};

const ALL: Layers = Layers::ALL;

#[test]
fn regression_no_ray_leaves_where_a_box_has_no_bound() {
    let mut tree = Octree::default();
    let ground = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f32::INFINITY, 0.0, f32::INFINITY));
    let ground = tree.insert(ground).unwrap();
    let view = tree.view();
    let exit = |direction: Vec3| {
        let ray = Ray::new(Vec3::new(0.0, -5.0, 0.0), direction).unwrap();
        let mut hits = Vec::new();
        view.hits_in_order_into(&ray, ALL, Inside::Exit, &mut hits);
        let closest = view.closest_hit_where(&ray, ALL, Inside::Exit, |hit| Some(hit.distance)).0;
        let any = view.any_hit_where(&ray, ALL, Inside::Exit, |hit| Some(hit.distance.min(1.0))).0;
        assert_eq!((hits.first().copied(), hits.len()), (closest, usize::from(closest.is_some())));
        assert_eq!(any.is_some(), closest.is_some());
        closest
    };
    for direction in [Vec3::NEG_Y, Vec3::X, Vec3::NEG_ONE, Vec3::new(1.0, -1e-6, 2.0)] {
        assert_eq!(exit(direction), None, "{direction}");
    }
    let up = exit(Vec3::Y).expect("the ground ends above");
    assert_eq!((up.handle, up.distance, up.normal), (ground, 5.0, Vec3::Y));
}

#[test]
fn regression_a_narrow_phase_keeps_position_and_normal() {
    let mut tree = Octree::default();
    let ball = tree.insert(Sphere::new(Vec3::ZERO, 1.0)).unwrap();
    let view = tree.view();
    let ray = Ray::new(Vec3::new(-9.0, 0.5, 0.0), Vec3::X).unwrap();
    let (candidate, far) = (view.closest_hit(&ray, ALL).0.expect("in the way"), |_: &RayHit| Some(10.0));
    let hit = view.closest_hit_where(&ray, ALL, Inside::Hit, far).0.expect("in the way");
    assert_eq!(hit, RayHit { distance: 10.0, ..candidate });
    assert!(hit.normal.x < -0.8 && hit.normal.y > 0.4);

    let sweep = Sweep::sphere(Sphere::new(Vec3::new(-9.0, 0.5, 0.0), 0.5), Vec3::X * 20.0).unwrap();
    let candidate = view.first_swept(&sweep, ALL).0.expect("in the way");
    let hit = view.first_swept_where(&sweep, ALL, |hit| Some(hit.time + 0.25)).0.expect("in the way");
    assert_eq!((hit.position, hit.normal), (candidate.position, candidate.normal));
    assert_eq!((hit.handle, hit.time), (ball, candidate.time + 0.25));

    let point = Vec3::new(3.0, 4.0, 0.0);
    let near = view.closest_object_where(point, 9.0, ALL, |near| Some(near.distance + 2.0)).unwrap().0.unwrap();
    assert_eq!((near.distance, near.normal), (6.0, Vec3::new(0.6, 0.8, 0.0)));
    // From within, there is no direction, whatever the narrow phase makes of the distance.
    let within = view.closest_object_where(Vec3::X * 0.5, 9.0, ALL, |_| Some(2.0)).unwrap().0.unwrap();
    assert_eq!((within.position, within.normal), (Vec3::X * 0.5, Vec3::ZERO));
}

#[test]
fn regression_neighbours_whose_squared_distance_overflows() {
    let mut tree = Octree::default();
    let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
    let nearer = tree.insert(Aabb::new(Vec3::X * 1e20, Vec3::X * 1e20)).unwrap();
    let ball = tree.insert(Sphere::new(Vec3::Y * -1e25, 1e18)).unwrap();
    let (view, point) = (tree.view(), Vec3::new(3e19, 4e19, 0.0));
    let (closest, _) = view.closest_object(point, 1e20, ALL).unwrap();
    let near = closest.expect("within reach");
    assert_eq!((near.handle, near.distance), (unit, 5e19));
    assert!((near.normal - Vec3::new(0.6, 0.8, 0.0)).length() < 1e-6, "{near:?}");
    let mut found = Vec::new();
    view.nearest_into(point, 9, f32::INFINITY, ALL, &mut found).unwrap();
    assert_eq!(found.iter().map(|near| near.handle).collect::<Vec<_>>(), [unit, nearer, ball]);
    assert!(found.iter().all(|near| near.distance.is_finite() && (near.normal.length() - 1.0).abs() < 1e-5));
    assert_eq!(view.closest_object(point, 4.9e19, ALL).unwrap().0, None);
}

#[test]
fn regression_a_ray_without_a_length_hits_at_zero_not_at_minus_zero() {
    let mut tree = Octree::default();
    for shape in [Shape::from(Aabb::new(Vec3::splat(-1.0), Vec3::ONE)), Sphere::new(Vec3::ZERO, 1.0).into()] {
        tree.insert(shape).unwrap();
    }
    for reach in [0.0, -0.0] {
        let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap().with_distance_max(reach).unwrap();
        assert_eq!(ray.distance_max().to_bits(), 0);
        let mut hits = Vec::new();
        let view = tree.view();
        view.hits_into(&ray, ALL, &mut hits);
        hits.extend(view.closest_hit(&ray, ALL).0);
        assert_eq!(hits.iter().map(|hit| hit.distance.to_bits()).collect::<Vec<_>>(), [0; 3]);
    }
}
