//! Rays with more to say: what a start inside an object counts as, a narrow
//! phase of the caller's, and hits in order of distance.

use super::distant::{Answer, Distant, all, any, closest};
use super::order::{QueryScratch, in_order};
use super::ray::{RayHit, axes_against};
use crate::data::ids::{Location, ObjectWord};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Ray;
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH};
use crate::geometry::overlap::{has_left_aabb, has_left_sphere, leaves_by_end, max, ray_exits_aabb, ray_exits_sphere};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// What a ray makes of an object that contains its origin, surface included.
/// Objects are solid: seen from outside only the side where a ray enters is
/// hit, never the one where it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Inside {
    /// A hit at distance zero, with normal zero: what the plain questions report.
    #[default]
    Hit,
    /// No hit, such as of the object that shoots.
    Skip,
    /// A hit where the ray leaves the object, with the outward normal there,
    /// if that is within reach. An unbounded box has no surface where it has no
    /// bound: a ray that never leaves it has no hit.
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

impl<'a> Cast<'a, fn(Answer) -> Option<f32>> {
    /// Without a narrow phase of the caller's.
    fn any(view: View<'a>, ray: &Ray, inside: Inside) -> Self {
        Self::new(view, ray, inside, |answer| Some(answer.distance))
    }
}

impl<F: FnMut(Answer) -> Option<f32>> Distant for Cast<'_, F> {
    type Lanes = [f32; WIDTH];

    fn axes_against(&self) -> Option<usize> {
        Some(axes_against(self.ray.direction()))
    }

    #[inline]
    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, limit)
    }

    #[inline]
    fn bounds(distances: &[f32; WIDTH]) -> &[f32; WIDTH] {
        distances
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH], limit: f32) -> LaneMask {
        self.query.refine(spheres, which, distances, limit)
    }

    fn settle(&mut self, word: ObjectWord, at: Location, bound: f32) -> Option<f32> {
        let distance = match self.inside {
            Inside::Hit => bound,
            Inside::Skip => self.view.exit(&self.ray, word, at).is_none().then_some(bound)?,
            Inside::Exit => self.view.exit(&self.ray, word, at).unwrap_or(bound),
        };
        // A hit is within reach, and none is infinitely far.
        if distance > self.ray.distance_max() { None } else { (self.refine)(Answer { word, at, distance, carry: 0 }) }
    }
}

impl View<'_> {
    /// [`View::closest_hit`] with a choice for objects that contain the
    /// ray's origin, and with a narrow phase of the caller's: `refine` gets
    /// each candidate and returns its exact distance, or `None` to veto it, as
    /// an object to ignore. A distance beyond the ray's reach, or NaN, is no
    /// hit. The hit's position and normal remain those of the candidate: where
    /// the ray meets its box or sphere.
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
    /// than the best so far are not offered. So a distance less than the
    /// candidate's counts only if the candidate is offered.
    ///
    /// *Cost:* that of [`View::closest_hit`]; the farther the narrow phase puts
    /// the hit behind the candidate, the more are offered.
    #[must_use]
    pub fn closest_hit_where(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        mut refine: impl FnMut(&RayHit) -> Option<f32>,
    ) -> (Option<RayHit>, QueryStats) {
        let question = Cast::new(self, ray, inside, |answer| refine(&self.cast_hit(ray, inside, answer)));
        let (best, stats) = closest(self, layers, question, ray.distance_max());
        (best.map(|answer| self.cast_hit(ray, inside, answer)), stats)
    }

    /// [`View::any_hit`] with the choices of [`View::closest_hit_where`].
    ///
    /// ```
    /// use broadleaf::{Aabb, Inside, Layers, Octree, Ray, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let glass = tree.insert(Aabb::new(Vec3::new(2.0, -1.0, -1.0), Vec3::new(2.1, 1.0, 1.0)))?;
    /// let (view, lamp) = (tree.view(), Ray::segment(Vec3::ZERO, Vec3::X * 9.0)?);
    /// let opaque = |hit: &broadleaf::RayHit| (hit.handle != glass).then_some(hit.distance);
    /// assert!(view.any_hit(&lamp, Layers::ALL).0.is_some());
    /// assert!(view.any_hit_where(&lamp, Layers::ALL, Inside::Hit, opaque).0.is_none());
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::any_hit`], until the first that is not vetoed.
    #[must_use]
    pub fn any_hit_where(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        mut refine: impl FnMut(&RayHit) -> Option<f32>,
    ) -> (Option<RayHit>, QueryStats) {
        let question = Cast::new(self, ray, inside, |answer| refine(&self.cast_hit(ray, inside, answer)));
        let (found, stats) = any(self, layers, question, ray.distance_max());
        (found.map(|answer| self.cast_hit(ray, inside, answer)), stats)
    }

    /// [`View::hits`] with a choice for objects that contain the ray's origin.
    /// A narrow phase is the visitor itself: in no order, it may pass over what it likes.
    ///
    /// ```
    /// use broadleaf::{Inside, Layers, Octree, Ray, Sphere, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let shooter = tree.insert(Sphere::new(Vec3::ZERO, 1.0))?;
    /// let target = tree.insert(Sphere::new(Vec3::X * 8.0, 1.0))?;
    /// let (mut found, ray) = (Vec::new(), Ray::new(Vec3::ZERO, Vec3::X)?);
    /// tree.view().hits_with_inside(&ray, Layers::ALL, Inside::Skip, |hit| {
    ///     found.push(hit.handle);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(found, [target]);
    /// assert!(!found.contains(&shooter));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* that of [`View::hits`]. *Cost:* that of [`View::hits`], and one
    /// object at a time where it leaves.
    pub fn hits_with_inside(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) -> QueryStats {
        all(self, layers, Cast::any(self, ray, inside), ray.distance_max(), |answer| {
            visit(self.cast_hit(ray, inside, answer))
        })
    }

    /// Visits the objects that a ray hits within its reach, both ends
    /// included, in order of distance, then of slot, for as long as the visitor
    /// wants more.
    ///
    /// ```
    /// use broadleaf::{Aabb, Inside, Layers, Octree, QueryScratch, Ray, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// for x in [7.0, 3.0, 5.0] {
    ///     tree.insert(Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 1.0, 1.0, 1.0)))?;
    /// }
    /// // A bullet goes through two walls, not three.
    /// let (mut walls, ray) = (Vec::new(), Ray::new(Vec3::ZERO, Vec3::X)?);
    /// tree.view().hits_in_order(&ray, Layers::ALL, Inside::Hit, &mut QueryScratch::new(), |hit| {
    ///     walls.push(hit.distance);
    ///     if walls.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!(walls, [3.0, 5.0]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes nearest first and none beyond the last hit taken;
    /// each node and object on the way goes through a heap.
    pub fn hits_in_order(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let visit = |answer| visit(self.cast_hit(ray, inside, answer));
        in_order(self, layers, Cast::any(self, ray, inside), ray.distance_max(), scratch, visit)
    }

    /// [`View::hits_in_order`] with a narrow phase of the caller's, as
    /// [`View::closest_hit_where`]: the order is that of the distances that
    /// `refine` returns, if none is less than its candidate's.
    ///
    /// ```
    /// use broadleaf::{Aabb, Inside, Layers, Octree, QueryScratch, Ray, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let slab = |x: f32| Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 4.0, 1.0, 1.0));
    /// let (ramp, post) = (tree.insert(slab(1.0))?, tree.insert(slab(3.0))?);
    /// // What is in the ramp's box begins farther back.
    /// let exact = |hit: &broadleaf::RayHit| Some(if hit.handle == ramp { 4.5 } else { hit.distance });
    /// let (mut met, ray) = (Vec::new(), Ray::new(Vec3::ZERO, Vec3::X)?);
    /// tree.view().hits_in_order_where(&ray, Layers::ALL, Inside::Hit, exact, &mut QueryScratch::new(), |hit| {
    ///     met.push((hit.handle, hit.distance));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(met, [(post, 3.0), (ramp, 4.5)]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    pub fn hits_in_order_where(
        self,
        ray: &Ray,
        layers: Layers,
        inside: Inside,
        mut refine: impl FnMut(&RayHit) -> Option<f32>,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(RayHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let question = Cast::new(self, ray, inside, |answer| refine(&self.cast_hit(ray, inside, answer)));
        let visit = |answer| visit(self.cast_hit(ray, inside, answer));
        in_order(self, layers, question, ray.distance_max(), scratch, visit)
    }

    /// Fills `found` with every object that a ray hits within its reach, in
    /// order of distance, then of slot.
    ///
    /// ```
    /// use broadleaf::{Inside, Layers, Octree, Ray, Sphere, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// for x in [6.0, 2.0, 4.0] {
    ///     tree.insert(Sphere::new(Vec3::X * x, 0.5))?;
    /// }
    /// let mut found = Vec::new();
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// tree.view().hits_in_order_into(&ray, Layers::ALL, Inside::Hit, &mut found);
    /// assert_eq!(found.iter().map(|hit| hit.distance).collect::<Vec<_>>(), [1.5, 3.5, 5.5]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::hits`] and a sort.
    pub fn hits_in_order_into(self, ray: &Ray, layers: Layers, inside: Inside, found: &mut Vec<RayHit>) -> QueryStats {
        found.clear();
        let stats = self.hits_with_inside(ray, layers, inside, |hit| {
            found.push(hit);
            ControlFlow::Continue(())
        });
        found.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.handle.cmp(&b.handle)));
        stats
    }

    /// Where a ray that hits an object enters it; zero from inside.
    fn enter(self, ray: &Ray, word: ObjectWord, at: Location) -> f32 {
        let entry = self.data.blocks.read(at);
        let at_box = ray.enter_aabb(&entry.aabb.clamped_to_finite()).unwrap_or(0.0);
        let at_ball = if word.has(ObjectWord::SPHERE) { ray.enter_sphere(&entry.sphere) } else { None };
        max(at_ball.unwrap_or(0.0), at_box)
    }

    /// Where a ray leaves an object that contains its origin; infinite if it never does.
    fn exit(self, ray: &Ray, word: ObjectWord, at: Location) -> Option<f32> {
        let entry = self.data.blocks.read(at);
        if !entry.aabb.contains_point(ray.origin()) {
            None
        } else if word.has(ObjectWord::SPHERE) {
            let exit =
                || leaves_by_end(ray, ray_exits_sphere(ray, &entry.sphere), |end| has_left_sphere(&entry.sphere, end));
            entry.sphere.contains_point(ray.origin()).then(exit)
        } else {
            Some(leaves_by_end(ray, ray_exits_aabb(ray, &entry.aabb).0, |end| has_left_aabb(ray, &entry.aabb, end)))
        }
    }

    /// What a narrow phase changes is the distance alone.
    fn cast_hit(self, ray: &Ray, inside: Inside, answer: Answer) -> RayHit {
        let Answer { word, at, distance, .. } = answer;
        let exit = if inside == Inside::Exit { self.exit(ray, word, at) } else { None };
        let Some(exit) = exit else {
            return RayHit { distance, ..self.ray_hit(ray, word, at, self.enter(ray, word, at)) };
        };
        let (entry, hit) = (self.data.blocks.read(at), self.ray_hit(ray, word, at, exit));
        let normal = if word.has(ObjectWord::SPHERE) {
            entry.sphere.normal_at(hit.position)
        } else {
            let axis = ray_exits_aabb(ray, &entry.aabb).1;
            let mut normal = Vec3::ZERO;
            normal[axis] = ray.direction()[axis].signum();
            normal
        };
        RayHit { distance, normal, ..hit }
    }
}
