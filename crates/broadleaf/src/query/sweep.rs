//! What a moving box or sphere meets: the first, any, or all.

use super::distant::{Answer, Distant, all, any, closest};
use super::order::{QueryScratch, in_order};
use super::ray::axes_against;
use crate::Handle;
use crate::data::ids::{Location, ObjectWord};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Sweep;
use crate::geometry::lanes::{Boxes, LaneMask, SweepQuery, WIDTH};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// Where a moving shape meets an object.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepHit {
    /// The object.
    pub handle: Handle,
    /// When they first touch, from 0 to 1; zero if they overlap at the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub time: f32,
    /// How far the shape has moved by then, in world units.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
    /// A point of the object that the shape touches then: of several, the
    /// nearest to the middle of the moving shape.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
    /// The outward normal of the object there; zero if they overlap at the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
}

struct Swept<'a, F> {
    view: View<'a>,
    sweep: Sweep,
    query: SweepQuery,
    refine: F,
}

impl<'a, F> Swept<'a, F> {
    fn new(view: View<'a>, sweep: &Sweep, refine: F) -> Self {
        Self { view, sweep: *sweep, query: SweepQuery::new(&sweep.start(), sweep.motion()), refine }
    }
}

impl<'a> Swept<'a, fn(Answer) -> Option<f32>> {
    /// Without a narrow phase of the caller's.
    fn any(view: View<'a>, sweep: &Sweep) -> Self {
        Self::new(view, sweep, |answer| Some(answer.distance))
    }
}

impl<F: FnMut(Answer) -> Option<f32>> Distant for Swept<'_, F> {
    type Lanes = [f32; WIDTH];

    fn axes_against(&self) -> Option<usize> {
        Some(axes_against(self.sweep.motion()))
    }

    #[inline]
    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, limit)
    }

    #[inline]
    fn bounds(times: &[f32; WIDTH]) -> &[f32; WIDTH] {
        times
    }

    fn settle(&mut self, word: ObjectWord, at: Location, _: f32) -> Option<f32> {
        let entry = self.view.data.blocks.read(at);
        let time = if word.has(ObjectWord::SPHERE) {
            self.sweep.time_to_sphere(&entry.sphere)
        } else {
            self.sweep.time_to_aabb(&entry.aabb)
        };
        (self.refine)(Answer { word, at, distance: time?, carry: 0 })
    }
}

impl View<'_> {
    /// The object that a moving shape meets first, from the start to the end
    /// of its way, both included; of several at one time, that of the lowest
    /// slot. Touching counts.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Sphere, Sweep, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let wall = tree.insert(Aabb::new(Vec3::new(6.0, -5.0, -5.0), Vec3::new(7.0, 5.0, 5.0)))?;
    /// let ball = Sweep::sphere(Sphere::new(Vec3::ZERO, 1.0), Vec3::X * 10.0)?;
    /// let hit = tree.view().first_swept(&ball, Layers::ALL).0.expect("the wall is in the way");
    /// assert_eq!((hit.handle, hit.time, hit.distance), (wall, 0.5, 5.0));
    /// assert_eq!((hit.position, hit.normal), (Vec3::X * 6.0, Vec3::NEG_X));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes in the order of the motion and none beyond the hit;
    /// each object whose grown box is met is settled in 64 bits.
    #[must_use]
    pub fn first_swept(self, sweep: &Sweep, layers: Layers) -> (Option<SweepHit>, QueryStats) {
        let (answer, stats) = closest(self, layers, Swept::any(self, sweep), 1.0);
        (answer.map(|answer| self.sweep_hit(sweep, answer)), stats)
    }

    /// [`View::first_swept`] with a narrow phase of the caller's: `refine`
    /// gets each candidate and returns its exact time, or `None` to veto it.
    /// A time beyond 1 is no hit. The hit's position and normal remain those of
    /// the candidate: where the shape meets its box or sphere.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Sphere, Sweep, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let mover = tree.insert(unit)?;
    /// let wall = tree.insert(unit.translated(Vec3::X * 5.0))?;
    /// let step = Sweep::aabb(unit, Vec3::X * 8.0)?;
    /// let not_itself = |hit: &broadleaf::SweepHit| (hit.handle != mover).then_some(hit.time);
    /// let hit = tree.view().first_swept_where(&step, Layers::ALL, not_itself).0.expect("a wall");
    /// assert_eq!((hit.handle, hit.time), (wall, 0.5));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order* of the candidates is that of the walk; those that are later
    /// than the best so far are not offered. So a time less than the
    /// candidate's counts only if the candidate is offered.
    ///
    /// *Cost:* that of [`View::first_swept`], and of the candidates.
    #[must_use]
    pub fn first_swept_where(
        self,
        sweep: &Sweep,
        layers: Layers,
        mut refine: impl FnMut(&SweepHit) -> Option<f32>,
    ) -> (Option<SweepHit>, QueryStats) {
        let question = Swept::new(self, sweep, |answer| refine(&self.sweep_hit(sweep, answer)));
        let (answer, stats) = closest(self, layers, question, 1.0);
        (answer.map(|answer| self.sweep_hit(sweep, answer)), stats)
    }

    /// Some object that a moving shape meets: enough to know that the way is not free.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Sphere, Sweep, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// tree.insert(Aabb::new(Vec3::new(4.0, -1.0, -1.0), Vec3::new(5.0, 1.0, 1.0)))?;
    /// let way = |to: Vec3| Sweep::sphere(Sphere::new(Vec3::ZERO, 0.5), to);
    /// let view = tree.view();
    /// assert!(view.any_swept(&way(Vec3::X * 9.0)?, Layers::ALL).0.is_some());
    /// assert!(view.any_swept(&way(Vec3::Y * 9.0)?, Layers::ALL).0.is_none());
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::swept`] until the first object.
    #[must_use]
    pub fn any_swept(self, sweep: &Sweep, layers: Layers) -> (Option<SweepHit>, QueryStats) {
        let (answer, stats) = any(self, layers, Swept::any(self, sweep), 1.0);
        (answer.map(|answer| self.sweep_hit(sweep, answer)), stats)
    }

    /// [`View::any_swept`] with a narrow phase, as [`View::first_swept_where`].
    #[must_use]
    pub fn any_swept_where(
        self,
        sweep: &Sweep,
        layers: Layers,
        mut refine: impl FnMut(&SweepHit) -> Option<f32>,
    ) -> (Option<SweepHit>, QueryStats) {
        let question = Swept::new(self, sweep, |answer| refine(&self.sweep_hit(sweep, answer)));
        let (answer, stats) = any(self, layers, question, 1.0);
        (answer.map(|answer| self.sweep_hit(sweep, answer)), stats)
    }

    /// Visits every object that a moving shape meets; touching counts.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Sweep, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let coin = tree.insert(unit.translated(Vec3::X * 3.0))?;
    /// let mut taken = Vec::new();
    /// tree.view().swept(&Sweep::aabb(unit, Vec3::X * 9.0)?, Layers::ALL, |hit| {
    ///     taken.push(hit.handle);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(taken, [coin]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of time; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose grown bounds are met; each
    /// object whose grown box is met is settled in 64 bits.
    pub fn swept(
        self,
        sweep: &Sweep,
        layers: Layers,
        mut visit: impl FnMut(SweepHit) -> ControlFlow<()>,
    ) -> QueryStats {
        all(self, layers, Swept::any(self, sweep), 1.0, |answer| visit(self.sweep_hit(sweep, answer)))
    }

    /// Fills `found` with every object that a moving shape meets, as [`View::swept`].
    pub fn swept_into(self, sweep: &Sweep, layers: Layers, found: &mut Vec<SweepHit>) -> QueryStats {
        found.clear();
        self.swept(sweep, layers, |hit| {
            found.push(hit);
            ControlFlow::Continue(())
        })
    }

    /// Visits the objects that a moving shape meets in order of time, then of
    /// slot, for as long as the visitor wants more.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, QueryScratch, Sweep, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// for x in [9.0, 3.0, 5.0] {
    ///     tree.insert(unit.translated(Vec3::X * x))?;
    /// }
    /// let mut times = Vec::new();
    /// let sweep = Sweep::aabb(unit, Vec3::X * 8.0)?;
    /// tree.view().swept_in_order(&sweep, Layers::ALL, &mut QueryScratch::new(), |hit| {
    ///     times.push(hit.time);
    ///     if times.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!(times, [0.25, 0.5]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes soonest first and none beyond the last hit taken;
    /// each node and object on the way goes through a heap.
    pub fn swept_in_order(
        self,
        sweep: &Sweep,
        layers: Layers,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(SweepHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let visit = |answer| visit(self.sweep_hit(sweep, answer));
        in_order(self, layers, Swept::any(self, sweep), 1.0, scratch, visit)
    }

    /// [`View::swept_in_order`] with a narrow phase, as
    /// [`View::first_swept_where`]: the order is that of the times that
    /// `refine` returns, if none is less than its candidate's.
    pub fn swept_in_order_where(
        self,
        sweep: &Sweep,
        layers: Layers,
        mut refine: impl FnMut(&SweepHit) -> Option<f32>,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(SweepHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let question = Swept::new(self, sweep, |answer| refine(&self.sweep_hit(sweep, answer)));
        in_order(self, layers, question, 1.0, scratch, |answer| visit(self.sweep_hit(sweep, answer)))
    }

    /// Fills `found` with every object that a moving shape meets, in order of time, then of slot.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Sweep, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let (far, near) = (tree.insert(unit.translated(Vec3::X * 5.0))?, tree.insert(unit.translated(Vec3::X * 3.0))?);
    /// let mut found = Vec::new();
    /// tree.view().swept_in_order_into(&Sweep::aabb(unit, Vec3::X * 8.0)?, Layers::ALL, &mut found);
    /// assert_eq!(found.iter().map(|hit| hit.handle).collect::<Vec<_>>(), [near, far]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::swept`] and a sort.
    pub fn swept_in_order_into(self, sweep: &Sweep, layers: Layers, found: &mut Vec<SweepHit>) -> QueryStats {
        let stats = self.swept_into(sweep, layers, found);
        found.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.handle.cmp(&b.handle)));
        stats
    }

    fn sweep_hit(self, sweep: &Sweep, answer: Answer) -> SweepHit {
        let (time, entry) = (answer.distance, self.data.blocks.read(answer.at));
        let (position, normal) = if answer.word.has(ObjectWord::SPHERE) {
            sweep.contact_with_sphere(&entry.sphere)
        } else {
            sweep.contact_with_aabb(&entry.aabb.clamped_to_finite())
        };
        let handle = self.data.blocks[answer.at.block()].handle(answer.at.lane());
        SweepHit { handle, time, distance: sweep.distance_at(time), position, normal }
    }
}
