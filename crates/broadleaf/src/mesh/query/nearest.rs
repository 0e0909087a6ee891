//! The point of a mesh that is closest to another, and whether a point lies inside.

use super::walk::{Question, walk};
use crate::Error;
use crate::data::QueryStats;
use crate::geometry::float::sqrt_f64;
use crate::geometry::lanes::{Boxes, LaneMask, PaddedRay, WIDTH, set_bits};
use crate::geometry::triangle::point::{closest_point_f64, corners};
use crate::geometry::triangle::ray::winding;
use crate::geometry::{Ray, check_point};
use crate::mesh::columns::Leaf;
use crate::mesh::{Mesh, MeshPoint};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

/// What is left of a squared distance in 32 bits when its roundings are taken off.
const SURE: f32 = 1.0 - 1.0 / (1 << 20) as f32;

/// A point among nodes, and as it is.
pub(crate) struct NearPoint {
    point: Vec3,
    exact: DVec3,
    /// How far the two are apart, at most.
    lost: f64,
}

impl NearPoint {
    /// A point of 32 bits.
    pub(crate) fn of(point: Vec3) -> Self {
        Self { point, exact: point.as_dvec3(), lost: 0.0 }
    }

    /// A point of 64 bits.
    pub(crate) fn rounded(exact: DVec3) -> Self {
        let point = exact.as_vec3();
        Self { point, exact, lost: point.as_dvec3().distance(exact) }
    }

    /// The closest point of a mesh within a distance: its triangle, where it
    /// is, and the square of how far. Of equally near triangles, the first of the input.
    pub(crate) fn closest(&self, mesh: &Mesh, distance_max: f64) -> (Option<(u32, DVec3, f64)>, QueryStats) {
        let mut question =
            ClosestTrianglePoint { near: self, reach: 0.0, limit: distance_max * distance_max, best: None };
        question.reach = question.reach_of(question.limit);
        let mut stats = walk(mesh, &mut question);
        stats.hits = u64::from(question.best.is_some());
        (question.best.map(|(triangle, position)| (triangle, position, question.limit)), stats)
    }
}

struct ClosestTrianglePoint<'n> {
    near: &'n NearPoint,
    /// Squared, of nodes; rounded up.
    reach: f32,
    /// Squared, of the closest point so far.
    limit: f64,
    best: Option<(u32, DVec3)>,
}

impl ClosestTrianglePoint<'_> {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounded up")]
    fn reach_of(&self, limit: f64) -> f32 {
        if self.near.lost == 0.0 {
            return (limit as f32).next_up();
        }
        let distance = sqrt_f64(limit) + self.near.lost;
        ((distance * distance) as f32).next_up()
    }
}

impl<'a> Question<'a> for ClosestTrianglePoint<'_> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        let distances = boxes.distances_sq(self.near.point).map(|distance| distance * SURE);
        let reach = self.reach;
        let mask = (0..WIDTH).fold(0, |mask, lane| mask | LaneMask::from(distances[lane] <= reach) << lane);
        (mask, distances)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.reach
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let (mask, _) = self.test(&leaf.triangles.boxes());
        for lane in set_bits(u64::from(mask & leaf.occupied())) {
            let (position, distance_sq) = closest_point_f64(&corners(&leaf.triangles.get(lane)), self.near.exact);
            let id = leaf.ids[lane % WIDTH];
            let wins = match self.best {
                Some((other, _)) if distance_sq == self.limit => id < other,
                _ => distance_sq <= self.limit,
            };
            if wins {
                self.limit = distance_sq;
                self.reach = self.reach_of(distance_sq);
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
    /// Asks for the point of the mesh that is closest to another, or whether
    /// that lies inside.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    #[inline]
    pub fn nearest(&self, point: Vec3) -> Result<MeshNearestQuery<'_>, Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        Ok(MeshNearestQuery { mesh: self, point, within: f32::INFINITY, stats: None })
    }
}

/// The question which point of a mesh is closest to another, made by [`Mesh::nearest`].
///
/// *Cost:* visits nodes nearest first and none beyond the point found.
///
/// ```
/// use broadleaf::{Mesh, glam::Vec3};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
/// let below = Vec3::new(0.2, 0.3, -2.0);
/// assert_eq!(mesh.nearest(below)?.closest().map(|closest| closest.distance), Some(2.0));
/// assert!(mesh.nearest(below)?.within(1.0).closest().is_none());
/// assert!(mesh.nearest(Vec3::splat(0.2))?.is_inside() && !mesh.nearest(below)?.is_inside());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a question does nothing until it ends, as in `.closest()`"]
pub struct MeshNearestQuery<'a> {
    mesh: &'a Mesh,
    point: Vec3,
    within: f32,
    stats: Option<&'a mut QueryStats>,
}

impl<'a> MeshNearestQuery<'a> {
    /// Leaves out what is farther, in world units. The bound belongs to it;
    /// nothing is within a bound that is negative or NaN.
    #[inline]
    pub fn within(self, bound: f32) -> Self {
        Self { within: bound, ..self }
    }

    /// Adds the work done to `stats`.
    #[inline]
    pub fn stats(self, stats: &'a mut QueryStats) -> Self {
        Self { stats: Some(stats), ..self }
    }

    /// The closest point; of equally near triangles, the first of the input.
    #[must_use]
    pub fn closest(self) -> Option<MeshPoint> {
        // No point is within a bound that is no number.
        if self.within.is_nan() || self.within < 0.0 {
            return None;
        }
        let (closest, work) = NearPoint::of(self.point).closest(self.mesh, f64::from(self.within));
        work.add_to(self.stats);
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
        closest.map(|(triangle, position, distance_sq)| MeshPoint {
            triangle,
            position: position.as_vec3(),
            distance: sqrt_f64(distance_sq) as f32,
        })
    }

    /// Whether the point lies inside a closed mesh: the surface winds around
    /// it. The bound of [`MeshNearestQuery::within`] does not count.
    ///
    /// The triangles must be turned alike, all outward or all inward. Parts
    /// that overlap count as one. A point on the surface is inside, as far as
    /// rounding lets it lie there.
    ///
    /// *Cost:* in proportion to the nodes along a ray.
    ///
    /// *Source:* J. O'Rourke, Computational Geometry in C, 1998, 7.4 (crossings);
    /// H. Edelsbrunner and E. Mücke, Simulation of Simplicity, 1990 (edges and corners).
    #[must_use]
    pub fn is_inside(self) -> bool {
        let Self { mesh, point, stats, .. } = self;
        if !mesh.bounds.contains_point(point) {
            return false;
        }
        let Ok(ray) = Ray::new(point, Vec3::X) else { return false };
        let mut question = Winding { ray: PaddedRay::new(&ray, &mesh.bounds, 0.0), point, sum: 0 };
        let mut work = walk(mesh, &mut question);
        let mut is_inside = question.sum != 0;
        if !is_inside {
            let (touched, more) = NearPoint::of(point).closest(mesh, 0.0);
            is_inside = touched.is_some();
            work += more;
        }
        work.hits = u64::from(is_inside);
        work.add_to(stats);
        is_inside
    }
}
