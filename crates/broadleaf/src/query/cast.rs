//! Rays with more to say: what a start inside an object counts as, a narrow
//! phase of the caller's, and hits in order of distance.

use super::distant::{Answer, Distant, all, any, closest};
use super::order::{QueryScratch, in_order};
use super::ray::{RayHit, octant_against};
use crate::data::ids::{Location, ObjectWord};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Ray;
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH, set_bits};
use crate::geometry::overlap::{ray_exits_aabb, ray_exits_sphere};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// What a ray makes of an object that contains its origin, surface included.
/// Objects are solid: seen from outside only the side where a ray enters is
/// hit, never the one where it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inside {
    /// A hit at distance zero, with normal zero: what the plain questions report.
    #[default]
    Hit,
    /// No hit, such as of the object that shoots.
    Skip,
    /// A hit where the ray leaves the object, with the outward normal there,
    /// if that is within reach.
    Exit,
}

struct Cast<'a, F> {
    view: View<'a>,
    ray: Ray,
    query: RayQuery,
    inside: Inside,
    refine: F,
}

impl<'a, F> Cast<'a, F> {
    fn new(view: View<'a>, ray: &Ray, inside: Inside, refine: F) -> Self {
        Self { view, ray: *ray, query: RayQuery::new(ray), inside, refine }
    }
}

impl<F: FnMut(&RayHit) -> Option<f32>> Distant for Cast<'_, F> {
    type Lanes = [f32; WIDTH];
    const DIRECTED: bool = true;

    fn octant_first(&self) -> usize {
        octant_against(self.ray.direction())
    }

    #[inline]
    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, limit)
    }

    #[inline]
    fn bound(&self, distances: &[f32; WIDTH], lane: usize) -> f32 {
        distances[lane % WIDTH]
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH], limit: f32) -> LaneMask {
        let (mask, inner) = self.query.spheres(spheres, limit);
        for lane in set_bits(u64::from(which & mask)) {
            if inner[lane] > distances[lane] {
                distances[lane] = inner[lane];
            }
        }
        mask
    }

    fn settle(&mut self, word: ObjectWord, at: Location, bound: f32) -> Option<f32> {
        let distance = match self.inside {
            Inside::Hit => bound,
            Inside::Skip => self.view.exit(&self.ray, word, at).is_none().then_some(bound)?,
            Inside::Exit => self.view.exit(&self.ray, word, at).unwrap_or(bound),
        };
        let hit = self.view.cast_hit(&self.ray, self.inside, Answer { word, at, distance, carry: 0 });
        (self.refine)(&hit)
    }
}

impl View<'_> {
    /// [`View::closest_hit`] with a choice for objects that contain the
    /// ray's origin, and with a narrow phase of the caller's: `refine` gets
    /// each candidate and returns its exact distance, or `None` to veto it, as
    /// an object to ignore. A distance beyond the ray's reach, or NaN, is no
    /// hit; the normal of the hit remains that of the candidate.
    ///
    /// ```
    /// use broadleaf::{Aabb, Inside, Layers, Octree, Ray, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let room = tree.insert(Aabb::new(Vec3::splat(-5.0), Vec3::splat(5.0)))?;
    /// let post = tree.insert(Aabb::new(Vec3::new(2.0, -1.0, -1.0), Vec3::new(3.0, 1.0, 1.0)))?;
    /// let (view, ray) = (tree.view(), Ray::new(Vec3::ZERO, Vec3::X)?);
    ///
    /// let seen = view.closest_hit_where(&ray, Layers::ALL, Inside::Skip, |hit| Some(hit.distance)).0;
    /// assert_eq!(seen.map(|hit| (hit.handle, hit.distance)), Some((post, 2.0)));
    /// let but_the_post = |hit: &broadleaf::RayHit| (hit.handle != post).then_some(hit.distance);
    /// let wall = view.closest_hit_where(&ray, Layers::ALL, Inside::Exit, but_the_post).0;
    /// assert_eq!(wall.map(|hit| (hit.handle, hit.distance, hit.normal)), Some((room, 5.0, Vec3::X)));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order* of the candidates is that of the walk; those that are farther
    /// than the best so far are not offered.
    #[must_use]
    pub fn closest_hit_where(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        refine: impl FnMut(&RayHit) -> Option<f32>,
    ) -> (Option<RayHit>, QueryStats) {
        let (best, stats) = closest(self, layers, Cast::new(self, ray, inside, refine), ray.distance_max());
        (best.map(|answer| self.cast_hit(ray, inside, answer)), stats)
    }

    /// [`View::any_hit`] with the choices of [`View::closest_hit_where`].
    #[must_use]
    pub fn any_hit_where(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        refine: impl FnMut(&RayHit) -> Option<f32>,
    ) -> (Option<RayHit>, QueryStats) {
        let (found, stats) = any(self, layers, Cast::new(self, ray, inside, refine), ray.distance_max());
        (found.map(|answer| self.cast_hit(ray, inside, answer)), stats)
    }

    /// [`View::hits`] with a choice for objects that contain the ray's origin.
    pub fn hits_where(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let question = Cast::new(self, ray, inside, |hit: &RayHit| Some(hit.distance));
        all(self, layers, question, ray.distance_max(), |answer| visit(self.cast_hit(ray, inside, answer)))
    }

    /// Visits the objects that a ray hits in order of distance, then of slot,
    /// no farther than the visitor wants.
    pub fn hits_in_order(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let question = Cast::new(self, ray, inside, |hit: &RayHit| Some(hit.distance));
        let visit = |answer| visit(self.cast_hit(ray, inside, answer));
        in_order(self, layers, question, ray.distance_max(), scratch, visit)
    }

    /// Fills `found` with every object that a ray hits within its reach, in order of distance, then of slot.
    pub fn hits_in_order_into(self, ray: &Ray, layers: Layers, inside: Inside, found: &mut Vec<RayHit>) -> QueryStats {
        found.clear();
        let stats = self.hits_where(ray, layers, inside, |hit| {
            found.push(hit);
            ControlFlow::Continue(())
        });
        found.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.handle.cmp(&b.handle)));
        stats
    }

    /// Where a ray leaves an object that contains its origin.
    fn exit(self, ray: &Ray, word: ObjectWord, at: Location) -> Option<f32> {
        let entry = self.data.blocks.read(at);
        let aabb = entry.aabb.clamped_to_finite();
        if !aabb.contains_point(ray.origin()) {
            None
        } else if word.has(ObjectWord::SPHERE) {
            entry.sphere.contains_point(ray.origin()).then(|| ray_exits_sphere(ray, &entry.sphere))
        } else {
            Some(ray_exits_aabb(ray, &aabb).0)
        }
    }

    fn cast_hit(self, ray: &Ray, inside: Inside, answer: Answer) -> RayHit {
        let Answer { word, at, distance, .. } = answer;
        let hit = self.ray_hit(ray, word, at, distance);
        if inside != Inside::Exit || self.exit(ray, word, at).is_none() {
            return hit;
        }
        let entry = self.data.blocks.read(at);
        let normal = if word.has(ObjectWord::SPHERE) {
            entry.sphere.normal_at(hit.position)
        } else {
            let axis = ray_exits_aabb(ray, &entry.aabb.clamped_to_finite()).1;
            let mut normal = Vec3::ZERO;
            normal[axis] = ray.direction()[axis].signum();
            normal
        };
        RayHit { normal, ..hit }
    }
}
