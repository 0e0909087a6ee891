//! The closest point, and what lies inside.

use super::columns::Leaf;
use super::walk::{Question, walk};
use super::{Mesh, MeshPoint};
use crate::Error;
use crate::data::view::QueryStats;
use crate::geometry::float::sqrt_f64;
use crate::geometry::lanes::{Boxes, LaneMask, PaddedRay, WIDTH, set_bits};
use crate::geometry::triangle::point::{closest_point, corners};
use crate::geometry::triangle::ray::winding;
use crate::geometry::{Ray, check_distance, check_point};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// What is left of a squared distance in 32 bits when its roundings are taken off.
const SURE: f32 = 1.0 - 1.0 / (1 << 20) as f32;

struct Closest {
    point: Vec3,
    /// Squared, of the closest point so far.
    limit: f64,
    best: Option<(u32, DVec3)>,
}

impl<'a> Question<'a> for Closest {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        let distances = boxes.distances_sq(self.point).map(|distance| distance * SURE);
        let reach = self.reach();
        let mask = (0..WIDTH).fold(0, |mask, lane| mask | LaneMask::from(distances[lane] <= reach) << lane);
        (mask, distances)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounded up")]
    fn reach(&self) -> f32 {
        (self.limit as f32).next_up()
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let (mask, _) = self.test(&leaf.triangles.boxes());
        for lane in set_bits(u64::from(mask & leaf.occupied())) {
            let (position, distance_sq) = closest_point(&leaf.triangles.get(lane), self.point);
            let id = leaf.ids[lane % WIDTH];
            let wins = match self.best {
                Some((other, _)) if distance_sq == self.limit => id < other,
                _ => distance_sq <= self.limit,
            };
            if wins {
                self.limit = distance_sq;
                self.best = Some((id, position));
            }
        }
        ControlFlow::Continue(())
    }
}

/// How often the surface winds around a point, seen along the first axis.
struct Winding {
    ray: PaddedRay,
    point: Vec3,
    sum: i64,
}

impl<'a> Question<'a> for Winding {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        (self.ray.boxes(boxes, f32::MAX).0, [0.0; WIDTH])
    }

    #[inline]
    fn reach(&self) -> f32 {
        f32::MAX
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let (mask, _) = self.ray.boxes(&leaf.triangles.boxes(), f32::MAX);
        for lane in set_bits(u64::from(mask & leaf.occupied())) {
            self.sum += i64::from(winding(&corners(&leaf.triangles.get(lane)), self.point.as_dvec3()));
        }
        ControlFlow::Continue(())
    }
}

impl Mesh {
    /// The point of the mesh that is closest to `point`, if one is within
    /// `distance_max`, which belongs to it; of equally near triangles, the
    /// first of the input.
    ///
    /// *Cost:* visits nodes nearest first and none beyond the point found.
    ///
    /// # Errors
    /// A coordinate that is not finite; a distance that is NaN or negative.
    ///
    /// ```
    /// use broadleaf::{Mesh, glam::Vec3};
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
    /// let (closest, _) = mesh.closest_point(Vec3::new(0.2, 0.3, 2.0), f32::INFINITY)?;
    /// assert_eq!(closest.unwrap().distance, 2.0);
    /// assert!(mesh.closest_point(Vec3::new(0.2, 0.3, 2.0), 1.0)?.0.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closest_point(&self, point: Vec3, distance_max: f32) -> Result<(Option<MeshPoint>, QueryStats), Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        check_distance(distance_max)?;
        let limit = f64::from(distance_max) * f64::from(distance_max);
        let mut question = Closest { point, limit, best: None };
        let mut stats = walk(self, &mut question);
        stats.hits = u64::from(question.best.is_some());
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
        let distance = sqrt_f64(question.limit) as f32;
        let closest =
            |(triangle, position): (u32, DVec3)| MeshPoint { triangle, position: position.as_vec3(), distance };
        Ok((question.best.map(closest), stats))
    }

    /// Whether a point lies inside a closed mesh: the surface winds around it.
    ///
    /// The triangles must be turned alike, all outward or all inward. Parts
    /// that overlap count as one. A point on the surface is inside, as far as
    /// rounding lets it lie there.
    ///
    /// *Cost:* in proportion to the nodes along a ray.
    ///
    /// *Source:* J. O'Rourke, Computational Geometry in C, 1998, 7.4 (crossings);
    /// H. Edelsbrunner and E. Mücke, Simulation of Simplicity, 1990 (edges and corners).
    ///
    /// # Errors
    /// A coordinate that is not finite.
    ///
    /// ```
    /// use broadleaf::{Mesh, glam::Vec3};
    ///
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
    /// assert!(mesh.contains(Vec3::splat(0.2))?.0);
    /// assert!(!mesh.contains(Vec3::splat(0.4))?.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(&self, point: Vec3) -> Result<(bool, QueryStats), Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        if !self.bounds.contains_point(point) {
            return Ok((false, QueryStats::default()));
        }
        let ray = PaddedRay::new(&Ray::new(point, Vec3::X)?, &self.bounds, 0.0);
        let mut question = Winding { ray, point, sum: 0 };
        let mut stats = walk(self, &mut question);
        let mut inside = question.sum != 0;
        if !inside {
            let (touched, more) = self.closest_point(point, 0.0)?;
            inside = touched.is_some();
            stats += more;
        }
        stats.hits = u64::from(inside);
        Ok((inside, stats))
    }
}
