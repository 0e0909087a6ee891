//! One object of a scene with the motion it is in.

use crate::random::Random;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Shape, Sphere};

/// An object's middle and size, and how it moves: to and fro within its home.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body {
    pub(crate) center: Vec3,
    /// Half the edges; for a sphere, its radius three times.
    pub(crate) half: Vec3,
    /// World units per step.
    pub(crate) velocity: Vec3,
    /// Where the centre may go.
    pub(crate) home: Aabb,
    pub(crate) sphere: bool,
}

impl Body {
    /// A box at rest.
    pub(crate) fn at_rest(center: Vec3, half: Vec3) -> Self {
        let home = Aabb::new(center, center);
        Self { center, half, velocity: Vec3::ZERO, home, sphere: false }
    }

    /// A box that drifts within `home` at up to `speed` per step and axis.
    pub(crate) fn drifting(center: Vec3, half: Vec3, home: Aabb, speed: f32, random: &mut Random) -> Self {
        Self { velocity: random.signed() * speed, home, ..Self::at_rest(center, half) }
    }

    /// The same as a sphere.
    pub(crate) fn into_sphere(self) -> Self {
        Self { sphere: true, half: Vec3::splat(self.half.x), ..self }
    }

    pub(crate) fn shape(&self) -> Shape {
        if self.sphere {
            Sphere::new(self.center, self.half.x).into()
        } else {
            Aabb::from_center_half_extents(self.center, self.half).into()
        }
    }

    /// Moves one step, turning round at the walls of the home.
    pub(crate) fn drift(&mut self) {
        for axis in 0..3 {
            let next = self.center[axis] + self.velocity[axis];
            let (low, high) = (self.home.min[axis], self.home.max[axis]);
            if next < low || next > high {
                self.velocity[axis] = -self.velocity[axis];
            } else {
                self.center[axis] = next;
            }
        }
    }
}
