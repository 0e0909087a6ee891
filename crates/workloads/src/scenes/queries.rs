//! Seeded questions to ask of a scene. Half are asked where objects are, half anywhere.

use super::Scene;
use crate::camera::Camera;
use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Frustum, Ray, Sphere};

/// Edge of a box that meets 30 of the uniform scene's objects: (edge + 1)^3 / 4 = 30.
const BOX_EDGE: f32 = 3.93;
/// Radius of a sphere that meets as many.
const SPHERE_RADIUS: f32 = 2.33;

impl Scene {
    /// Points to ask about.
    #[must_use]
    pub fn query_points(&self, count: usize, seed: u64) -> Vec<Vec3> {
        let mut random = Random::new(seed);
        (0..count).map(|_| self.place(&mut random)).collect()
    }

    /// Boxes that meet about 30 objects each in the uniform scene.
    #[must_use]
    pub fn query_boxes(&self, count: usize, seed: u64) -> Vec<Aabb> {
        let half = Vec3::splat(BOX_EDGE / 2.0);
        let centers = self.query_points(count, seed);
        centers.into_iter().map(|c| Aabb::from_center_half_extents(c, half)).collect()
    }

    /// Spheres that meet about 30 objects each in the uniform scene.
    #[must_use]
    pub fn query_spheres(&self, count: usize, seed: u64) -> Vec<Sphere> {
        let centers = self.query_points(count, seed);
        centers.into_iter().map(|center| Sphere::new(center, SPHERE_RADIUS)).collect()
    }

    /// Rays that start within the scene and go anywhere, without end.
    #[must_use]
    pub fn query_rays(&self, count: usize, seed: u64) -> Vec<Ray> {
        let mut random = Random::new(seed);
        let ray = |_| Ray::new(random.point(&self.bounds), random.direction());
        (0..count).map(ray).map(|ray| ray.expect("finite and directed")).collect()
    }

    /// The rays through the pixels of a picture, row by row, seen from outside the scene.
    #[must_use]
    pub fn camera_rays(&self, width: u32, height: u32, seed: u64) -> Vec<Ray> {
        Camera::outside(&self.bounds, &mut Random::new(seed)).rays(width, height, 1.0)
    }

    /// What cameras within the scene see: a right angle wide and high, a third of the scene deep.
    #[must_use]
    pub fn query_frusta(&self, count: usize, seed: u64) -> Vec<Frustum> {
        let mut random = Random::new(seed);
        let depth = self.bounds.extents().max_element().max(1.0) / 3.0;
        let view = |_| {
            let eye = self.place(&mut random);
            Camera::new(eye, random.direction()).frustum(0.1, depth)
        };
        (0..count).map(view).collect()
    }

    fn place(&self, random: &mut Random) -> Vec3 {
        let count = u32::try_from(self.bodies.len()).unwrap_or(u32::MAX);
        if count == 0 || random.one_in(2) {
            random.point(&self.bounds)
        } else {
            self.bodies[random.below(count) as usize].center + random.signed()
        }
    }
}
