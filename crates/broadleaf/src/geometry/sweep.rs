//! A box or a sphere that moves along a segment.

use super::float::sqrt_f64;
use super::segment::{first_touch, first_within};
use super::{Aabb, Sphere, check_point};
use crate::Error;
use glam::{DVec3, Vec3};

/// The shortest lever that tells a direction, relative to the motion: more than the roundings in 64 bits.
const LEVER_MIN: f64 = 1e-12;

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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::saved::SavedSweep", into = "super::saved::SavedSweep")
)]
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
    pub fn aabb(aabb: Aabb, motion: impl Into<Vec3>) -> Result<Self, Error> {
        let motion = motion.into();
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
    pub fn sphere(sphere: Sphere, motion: impl Into<Vec3>) -> Result<Self, Error> {
        let motion = motion.into();
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

    /// The sphere at the start, if it is one that moves.
    #[inline]
    pub(crate) fn ball(&self) -> Option<Sphere> {
        self.sphere
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
    pub fn time_to_aabb(&self, aabb: &Aabb) -> Option<f32> {
        self.meets_aabb(&aabb.clamped_to_finite()).map(rounded)
    }

    /// The first time, from 0 to 1, at which the shape touches a sphere; zero
    /// if they overlap at the start. Exact but for rounding.
    #[must_use]
    pub fn time_to_sphere(&self, sphere: &Sphere) -> Option<f32> {
        self.meets_sphere(sphere).map(rounded)
    }

    /// The time to a finite box, before it is rounded.
    fn meets_aabb(&self, aabb: &Aabb) -> Option<f64> {
        // If the shapes are huge beside the gap, only the test of boxes finds it.
        let boxes = first_touch(&self.aabb, self.motion, aabb)?;
        let Some(ball) = self.sphere else { return Some(boxes) };
        let motion = self.motion.to_array().map(f64::from);
        first_within(ball.center, motion, aabb, f64::from(ball.radius)).map(|time| time.max(boxes))
    }

    /// The time to a sphere, before it is rounded.
    fn meets_sphere(&self, sphere: &Sphere) -> Option<f64> {
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
        time.map(|time| time.max(boxes))
    }

    /// Where the shape first touches a finite box that it meets, and the box's
    /// normal there; zero if they overlap at the start.
    pub(crate) fn contact_with_aabb(&self, aabb: &Aabb) -> (Vec3, Vec3) {
        let time = self.meets_aabb(aabb).unwrap_or(0.0);
        let offset = self.motion.as_dvec3() * time;
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        match self.sphere {
            Some(ball) => {
                let center = ball.center.as_dvec3();
                let position = (center + offset).clamp(min, max).as_vec3();
                (position, self.normal(time, outside(offset, min - center, max - center), aabb))
            }
            None => {
                let center = (self.aabb.min.as_dvec3() + self.aabb.max.as_dvec3()) * 0.5;
                ((center + offset).clamp(min, max).as_vec3(), self.normal(time, DVec3::ZERO, aabb))
            }
        }
    }

    /// Where the shape first touches a sphere that it meets, and the sphere's
    /// normal there; zero if they overlap at the start.
    pub(crate) fn contact_with_sphere(&self, sphere: &Sphere) -> (Vec3, Vec3) {
        let time = self.meets_sphere(sphere).unwrap_or(0.0);
        let (offset, center) = (self.motion.as_dvec3() * time, sphere.center.as_dvec3());
        // From the sphere's centre to the nearest point of the box, or to the other centre.
        let lever = match self.sphere {
            Some(ball) => ball.center.as_dvec3() - center + offset,
            None => -outside(-offset, self.aabb.min.as_dvec3() - center, self.aabb.max.as_dvec3() - center),
        };
        let (length, radius) = (length(lever), f64::from(sphere.radius));
        let on_surface = if length > radius { lever * (radius / length) } else { lever };
        ((center + on_surface).as_vec3(), self.normal(time, lever, &sphere.aabb()))
    }

    /// The direction of a lever; where that is lost in rounding, the normal of the face of a box.
    fn normal(&self, time: f64, lever: DVec3, aabb: &Aabb) -> Vec3 {
        let length = length(lever);
        if rounded(time) == 0.0 {
            Vec3::ZERO
        } else if length <= LEVER_MIN * f64::from(self.motion.abs().max_element()) {
            self.face_of(aabb)
        } else {
            (lever / length).as_vec3()
        }
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

/// A time as a 32-bit float, never a negative zero.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn rounded(time: f64) -> f32 {
    time as f32 + 0.0
}

/// How far a point is outside a box, on each axis, with the sign of the side.
fn outside(point: DVec3, min: DVec3, max: DVec3) -> DVec3 {
    point - point.clamp(min, max)
}

fn length(v: DVec3) -> f64 {
    sqrt_f64(v.length_squared())
}
