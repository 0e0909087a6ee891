//! A camera that is the same on every platform: made without trigonometry.

use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Frustum, Ray, shape::Plane};

/// An eye with three perpendicular directions of length one.
pub(crate) struct Camera {
    eye: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
}

impl Camera {
    /// Looking along a direction of length one.
    pub(crate) fn new(eye: Vec3, forward: Vec3) -> Self {
        // The axis that the direction is least along is never parallel to it.
        let level = if forward.y.abs() < 0.9 { Vec3::Y } else { Vec3::X };
        let right = forward.cross(level).normalize();
        Self { eye, forward, right, up: right.cross(forward) }
    }

    /// Far enough from the box to see most of it.
    pub(crate) fn outside(bounds: &Aabb, random: &mut Random) -> Self {
        let forward = random.direction();
        Self::new(bounds.center() - forward * bounds.extents().length(), forward)
    }

    /// The way to a place in the picture, each coordinate from -1 to 1.
    pub(crate) fn direction(&self, across: f32, up: f32) -> Vec3 {
        self.forward + self.right * across + self.up * up
    }

    /// The rays through the pixels of a picture, row by row; its edges are `spread` from the middle at distance 1.
    #[expect(clippy::cast_precision_loss, reason = "pixels of a picture are few")]
    pub(crate) fn rays(&self, width: u32, height: u32, spread: f32) -> Vec<Ray> {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let ray = |(x, y)| {
            let across = (x as f32 + 0.5) / width as f32 * 2.0 - 1.0;
            let down = (y as f32 + 0.5) / height as f32 * 2.0 - 1.0;
            Ray::new(self.eye, self.direction(across * spread, -down * spread)).expect("finite and directed")
        };
        pixels.map(ray).collect()
    }

    /// A right angle wide and high.
    pub(crate) fn frustum(&self, near: f32, far: f32) -> Frustum {
        let through_eye = |normal: Vec3| Plane { normal, offset: -normal.dot(self.eye) };
        let depth = self.forward.dot(self.eye);
        Frustum::from_planes([
            through_eye(self.forward + self.right),
            through_eye(self.forward - self.right),
            through_eye(self.forward + self.up),
            through_eye(self.forward - self.up),
            Plane { normal: self.forward, offset: -depth - near },
            Plane { normal: -self.forward, offset: depth + far },
        ])
        .expect("finite and directed")
    }
}
