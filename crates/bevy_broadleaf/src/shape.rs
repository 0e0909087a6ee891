//! Bounds in the world, from bounds of an entity and its transform.

use crate::components::SpatialBounds;
use bevy_camera::primitives::Aabb;
use bevy_math::{Affine3A, Vec3A};
use bevy_transform::components::GlobalTransform;
use broadleaf::{Shape, Sphere};

/// The bounds of an entity in the world; `None` if it has none.
pub(crate) fn world_shape(
    transform: &GlobalTransform,
    bounds: Option<&SpatialBounds>,
    aabb: Option<&Aabb>,
) -> Option<Shape> {
    match (bounds, aabb) {
        (Some(SpatialBounds::World(shape)), _) => Some(*shape),
        (Some(SpatialBounds::Local(shape)), _) => Some(placed(&transform.affine(), shape)),
        (None, Some(aabb)) => Some(placed_box(&transform.affine(), aabb.center, aabb.half_extents).into()),
        (None, None) => None,
    }
}

fn placed(affine: &Affine3A, shape: &Shape) -> Shape {
    if let Shape::Sphere(ball) = shape {
        let center = affine.transform_point3a(Vec3A::from_array(ball.center.to_array()));
        return Sphere::new(center.to_array(), ball.radius * largest_scale(affine)).into();
    }
    let aabb = shape.aabb();
    let (center, half) = (aabb.center().to_array(), aabb.half_extents().to_array());
    placed_box(affine, Vec3A::from_array(center), Vec3A::from_array(half)).into()
}

/// The box around a box that is turned and scaled: its half extents are the absolute matrix times those given.
pub(crate) fn placed_box(affine: &Affine3A, center: Vec3A, half: Vec3A) -> broadleaf::Aabb {
    let center = affine.transform_point3a(center);
    let half = affine.matrix3.abs() * half;
    broadleaf::Aabb::from_center_half_extents(center.to_array(), half.to_array())
}

/// No less than what the matrix makes of a length: exact unless it shears.
///
/// The largest factor is the root of the largest eigenvalue of the matrix of the dot products of
/// the columns, which is at most the largest sum of the absolute values of a row.
fn largest_scale(affine: &Affine3A) -> f32 {
    let columns = [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis];
    let rows = columns.map(|a| columns.iter().map(|&b| a.dot(b).abs()).sum::<f32>());
    rows[0].max(rows[1]).max(rows[2]).sqrt()
}
