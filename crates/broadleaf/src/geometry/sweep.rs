//! A box or a sphere that moves along a segment.

use super::float::sqrt_f64;
use super::segment::{first_touch, first_within};
use super::{Aabb, Sphere, check_point};
use crate::Error;
use glam::Vec3;

/// A box or a sphere and the way it goes, without turning. Time runs from 0,
/// where it starts, to 1, where it has moved by `motion`.
///
/// ```
/// use broadleaf::{Aabb, Sphere, Sweep, glam::Vec3};
///
/// let ball = Sweep::sphere(Sphere::new(Vec3::ZERO, 1.0), Vec3::X * 10.0)?;
/// let wall = Aabb::new(Vec3::new(6.0, -5.0, -5.0), Vec3::new(7.0, 5.0, 5.0));
/// assert_eq!(ball.time_to_aabb(&wall), Some(0.5));
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    aabb: Aabb,
    sphere: Option<Sphere>,
    motion: Vec3,
}

impl Sweep {
    /// A box that moves. A motion of zero is legal: the box then meets what it overlaps.
    ///
    /// # Errors
    /// A box that is not legal, as [`Aabb::check`], or infinite, or a motion
    /// that is not finite.
    pub fn aabb(aabb: Aabb, motion: Vec3) -> Result<Self, Error> {
        aabb.check()?;
        check_point(aabb.min, ["min.x", "min.y", "min.z"])?;
        check_point(aabb.max, ["max.x", "max.y", "max.z"])?;
        check_point(motion, ["motion.x", "motion.y", "motion.z"])?;
        Ok(Self { aabb, sphere: None, motion })
    }

    /// A sphere that moves. A motion of zero is legal.
    ///
    /// # Errors
    /// A sphere that is not legal, as [`Sphere::check`], or a motion that is not finite.
    pub fn sphere(sphere: Sphere, motion: Vec3) -> Result<Self, Error> {
        sphere.check()?;
        check_point(motion, ["motion.x", "motion.y", "motion.z"])?;
        Ok(Self { aabb: sphere.aabb(), sphere: Some(sphere), motion })
    }

    /// The box around the shape at the start.
    #[inline]
    #[must_use]
    pub fn start(&self) -> Aabb {
        self.aabb
    }

    /// From the start to the end.
    #[inline]
    #[must_use]
    pub fn motion(&self) -> Vec3 {
        self.motion
    }

    /// How far the shape has moved at a time, in world units.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub fn distance_at(&self, time: f32) -> f32 {
        let [x, y, z] = self.motion.to_array().map(f64::from);
        (f64::from(time) * sqrt_f64(x * x + y * y + z * z)) as f32
    }

    /// The first time, from 0 to 1, at which the shape touches a box; zero if
    /// they overlap at the start. Exact but for one rounding.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub fn time_to_aabb(&self, aabb: &Aabb) -> Option<f32> {
        let aabb = aabb.clamped_to_finite();
        let time = match self.sphere {
            Some(ball) => {
                // Of what is huge beside the gap, only the boxes tell that there is one.
                let boxes = first_touch(&self.aabb, self.motion, &aabb)?;
                let motion = self.motion.to_array().map(f64::from);
                first_within(ball.center, motion, &aabb, f64::from(ball.radius)).map(|time| time.max(boxes))
            }
            None => first_touch(&self.aabb, self.motion, &aabb),
        };
        // Never a negative zero.
        time.map(|time| time as f32 + 0.0)
    }

    /// The first time, from 0 to 1, at which the shape touches a sphere; zero
    /// if they overlap at the start. Exact but for rounding.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub fn time_to_sphere(&self, sphere: &Sphere) -> Option<f32> {
        let boxes = first_touch(&self.aabb, self.motion, &sphere.aabb())?;
        let motion = self.motion.to_array().map(f64::from);
        let radius = f64::from(sphere.radius);
        let time = match self.sphere {
            Some(ball) => {
                let center = Aabb::new(sphere.center, sphere.center);
                first_within(ball.center, motion, &center, radius + f64::from(ball.radius))
            }
            // Seen from the box, the sphere's centre moves the other way.
            None => first_within(sphere.center, motion.map(|c| -c), &self.aabb, radius),
        };
        // Never a negative zero.
        time.map(|time| time.max(boxes) as f32 + 0.0)
    }

    /// Where the shape touches a finite box at a time, and the box's normal there.
    pub(crate) fn contact_with_aabb(&self, aabb: &Aabb, time: f32) -> (Vec3, Vec3) {
        let offset = self.motion * time;
        match self.sphere {
            Some(ball) => {
                let center = ball.center + offset;
                let position = center.clamp(aabb.min, aabb.max);
                (position, self.normal(center - position, ball.radius, aabb))
            }
            None => {
                let center = self.aabb.min * 0.5 + self.aabb.max * 0.5 + offset;
                (center.clamp(aabb.min, aabb.max), self.face_of(aabb))
            }
        }
    }

    /// Where the shape touches a sphere at a time, and the sphere's normal there.
    pub(crate) fn contact_with_sphere(&self, sphere: &Sphere, time: f32) -> (Vec3, Vec3) {
        let offset = self.motion * time;
        match self.sphere {
            Some(ball) => {
                let center = ball.center + offset;
                let normal = self.normal(center - sphere.center, ball.radius + sphere.radius, &sphere.aabb());
                let surface = sphere.center + normal * sphere.radius;
                (if sphere.contains_point(center) { center } else { surface }, normal)
            }
            None => {
                let position = (sphere.center - offset).clamp(self.aabb.min, self.aabb.max) + offset;
                (position, self.normal(position - sphere.center, sphere.radius, &sphere.aabb()))
            }
        }
    }

    /// The direction of a lever; where that is lost in rounding, the normal of the face of a box.
    fn normal(&self, lever: Vec3, length: f32, aabb: &Aabb) -> Vec3 {
        let scale = self.aabb.max.abs().max(self.aabb.min.abs()).max(self.motion.abs()).max_element();
        if length <= 1e-4 * scale { self.face_of(aabb) } else { lever.normalize_or_zero() }
    }

    /// The normal of the face of a box that a moving box touches: of the axis
    /// on which they meet last, of equals the first.
    fn face_of(&self, aabb: &Aabb) -> Vec3 {
        let (mut last, mut normal) = (f64::NEG_INFINITY, Vec3::ZERO);
        for axis in 0..3 {
            let speed = f64::from(self.motion[axis]);
            if speed != 0.0 {
                let gap = if speed > 0.0 {
                    f64::from(aabb.min[axis]) - f64::from(self.aabb.max[axis])
                } else {
                    f64::from(aabb.max[axis]) - f64::from(self.aabb.min[axis])
                };
                if gap / speed > last {
                    (last, normal) = (gap / speed, Vec3::ZERO);
                    normal[axis] = -self.motion[axis].signum();
                }
            }
        }
        normal
    }
}
