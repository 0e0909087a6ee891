//! What questions with distances say at the edges: far out, without end, and
//! after a narrow phase.

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Neighbor, Octree, Ray, RayHit, Scratch, Shape, Sphere, Sweep,
    query::{StartInside, SweepHit},
};

#[test]
fn regression_no_ray_leaves_where_a_box_has_no_bound() {
    let mut tree = Octree::default();
    let ground = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f32::INFINITY, 0.0, f32::INFINITY));
    let ground = tree.insert(ground).unwrap();
    let view = tree.view();
    let exit = |direction: Vec3| {
        let ray = Ray::new(Vec3::new(0.0, -5.0, 0.0), direction).unwrap();
        let mut hits = Vec::new();
        view.cast(&ray).inside(StartInside::Exit).in_order(&mut Scratch::new()).collect_into(&mut hits);
        let closest = view.cast(&ray).inside(StartInside::Exit).refine(|hit: &RayHit| Some(hit.distance)).closest();
        let any = view.cast(&ray).inside(StartInside::Exit).refine(|hit: &RayHit| Some(hit.distance.min(1.0))).any();
        assert_eq!(view.cast(&ray).inside(StartInside::Exit).closest(), closest);
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
    let (candidate, far) = (view.cast(&ray).closest().expect("in the way"), |_: &RayHit| Some(10.0));
    let hit = view.cast(&ray).refine(far).closest().expect("in the way");
    assert_eq!(hit, RayHit { distance: 10.0, ..candidate });
    assert!(hit.normal.x < -0.8 && hit.normal.y > 0.4);

    let sweep = Sweep::sphere(Sphere::new(Vec3::new(-9.0, 0.5, 0.0), 0.5), Vec3::X * 20.0).unwrap();
    let candidate = view.cast(&sweep).closest().expect("in the way");
    let hit = view.cast(&sweep).refine(|hit: &SweepHit| Some(hit.time + 0.25)).closest().expect("in the way");
    assert_eq!((hit.position, hit.normal), (candidate.position, candidate.normal));
    assert_eq!((hit.handle, hit.time), (ball, candidate.time + 0.25));

    let point = Vec3::new(3.0, 4.0, 0.0);
    let near = view.nearest(point).unwrap().within(9.0);
    let near = near.refine(|near: &Neighbor| Some(near.distance + 2.0)).closest().unwrap();
    assert_eq!((near.distance, near.normal), (6.0, Vec3::new(0.6, 0.8, 0.0)));
    // From within, there is no direction, whatever the narrow phase makes of the distance.
    let within = view.nearest(Vec3::X * 0.5).unwrap().within(9.0).refine(|_: &Neighbor| Some(2.0)).closest().unwrap();
    assert_eq!((within.position, within.normal), (Vec3::X * 0.5, Vec3::ZERO));
}

#[test]
fn regression_neighbours_whose_squared_distance_overflows() {
    let mut tree = Octree::default();
    let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE)).unwrap();
    let nearer = tree.insert(Aabb::new(Vec3::X * 1e20, Vec3::X * 1e20)).unwrap();
    let ball = tree.insert(Sphere::new(Vec3::Y * -1e25, 1e18)).unwrap();
    let (view, point) = (tree.view(), Vec3::new(3e19, 4e19, 0.0));
    let near = view.nearest(point).unwrap().within(1e20).closest().expect("within reach");
    assert_eq!((near.handle, near.distance), (unit, 5e19));
    assert!((near.normal - Vec3::new(0.6, 0.8, 0.0)).length() < 1e-6, "{near:?}");
    let mut found = Vec::new();
    view.nearest(point).unwrap().k_into(9, &mut found);
    assert_eq!(found.iter().map(|near| near.handle).collect::<Vec<_>>(), [unit, nearer, ball]);
    assert!(found.iter().all(|near| near.distance.is_finite() && (near.normal.length() - 1.0).abs() < 1e-5));
    assert_eq!(view.nearest(point).unwrap().within(4.9e19).closest(), None);
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
        view.cast(&ray).collect_into(&mut hits);
        hits.extend(view.cast(&ray).closest());
        assert_eq!(hits.iter().map(|hit| hit.distance.to_bits()).collect::<Vec<_>>(), [0; 3]);
    }
}
