//! Seeded rays to cast at a model: in the order of a picture, without order,
//! and at the places where a tracer slips.

use super::Model;
use crate::camera::Camera;
use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Ray};

/// The rays through the pixels of a picture of `bounds`, row by row: neighbours hit neighbours.
#[must_use]
pub fn coherent(bounds: &Aabb, width: u32, height: u32, seed: u64) -> Vec<Ray> {
    Camera::outside(&thickened(bounds), &mut Random::new(seed)).rays(width, height, 0.5)
}

/// Rays from anywhere in and around `bounds` to anywhere in it, in no order.
#[must_use]
pub fn incoherent(bounds: &Aabb, count: usize, seed: u64) -> Vec<Ray> {
    let mut random = Random::new(seed);
    let (around, within) = (widened(bounds), *bounds);
    (0..count)
        .map(|_| {
            let origin = random.point(&around);
            aimed(origin, random.point(&within), &mut random)
        })
        .collect()
}

/// Rays along an axis, in both directions; every other one passes exactly through a vertex of the model.
#[must_use]
pub fn axis_parallel(model: &Model, count: usize, seed: u64) -> Vec<Ray> {
    let mut random = Random::new(seed);
    let bounds = widened(&model.bounds());
    let ray = |_| {
        let axis = random.below(3) as usize;
        let mut origin = if random.one_in(2) { random.point(&bounds) } else { vertex(model, &mut random) };
        origin[axis] = if random.one_in(2) { bounds.min[axis] } else { random.point(&bounds)[axis] };
        let direction = Vec3::AXES[axis] * if random.one_in(2) { 1.0 } else { -1.0 };
        Ray::new(origin, direction).expect("finite and directed")
    };
    (0..count).map(ray).collect()
}

/// Rays aimed at vertices and at points of edges, from outside and from within.
#[must_use]
pub fn at_edges(model: &Model, count: usize, seed: u64) -> Vec<Ray> {
    let mut random = Random::new(seed);
    let bounds = widened(&model.bounds());
    let ray = |_| {
        let triangle = model.triangle(random.below(u32::try_from(model.len()).unwrap_or(u32::MAX)));
        let along = [0.0, 0.5, random.unit()][random.below(3) as usize];
        let target = triangle.a + (triangle.b - triangle.a) * along;
        aimed(random.point(&bounds), target, &mut random)
    };
    (0..count).map(ray).collect()
}

/// The ray from one point towards another; anywhere, if they are one.
fn aimed(origin: Vec3, target: Vec3, random: &mut Random) -> Ray {
    let ray = Ray::new(origin, target - origin).or_else(|_| Ray::new(origin, random.direction()));
    ray.expect("finite and directed")
}

fn vertex(model: &Model, random: &mut Random) -> Vec3 {
    model.positions()[random.below(u32::try_from(model.positions().len()).unwrap_or(u32::MAX)) as usize]
}

/// The box, no flatter than a tenth of its longest edge.
fn thickened(bounds: &Aabb) -> Aabb {
    let half = bounds.half_extents();
    let least = (half.max_element() * 0.1).max(f32::MIN_POSITIVE);
    Aabb::from_center_half_extents(bounds.center(), half.max(Vec3::splat(least)))
}

/// The same at twice its size.
fn widened(bounds: &Aabb) -> Aabb {
    let thick = thickened(bounds);
    Aabb::from_center_half_extents(thick.center(), thick.extents())
}
