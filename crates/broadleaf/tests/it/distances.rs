//! What questions with distances say at the edges.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Layers, Octree, Sphere};

const ALL: Layers = Layers::ALL;

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
