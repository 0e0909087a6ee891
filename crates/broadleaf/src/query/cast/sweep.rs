//! Moving boxes and spheres as casts.

use super::ask::{CastBatchAsk, WithTests};
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{Boxes, LaneMask, SweepQuery, WIDTH};
use crate::geometry::{Aabb, Sphere, Sweep};
use crate::query::distance::{AnswerAt, DistanceQuestion};
use crate::query::{Cast, CastAsk, CastHit, StartInside};
use crate::{Handle, Shape};
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

/// The tests of a moving shape.
struct SweepLanes<'a> {
    view: View<'a>,
    sweep: &'a Sweep,
    query: SweepQuery,
}

impl DistanceQuestion for SweepLanes<'_> {
    type Lanes = [f32; WIDTH];

    #[inline]
    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, limit)
    }

    #[inline]
    fn bounds(times: &[f32; WIDTH]) -> &[f32; WIDTH] {
        times
    }

    fn exact(&mut self, word: ObjectWord, at: Location, _: f32, _: u8) -> Option<f32> {
        let entry = self.view.data.blocks.read(at);
        if word.has(ObjectWord::SPHERE) {
            self.sweep.time_to_sphere(&entry.sphere)
        } else {
            self.sweep.time_to_aabb(&entry.aabb)
        }
    }
}

impl Cast for Sweep {
    type Hit = SweepHit;

    /// The whole motion.
    #[inline]
    fn reach(&self) -> f32 {
        1.0
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        self.time_to_aabb(aabb).filter(|&time| time <= limit)
    }

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        self.time_to_sphere(sphere).filter(|&time| time <= limit)
    }

    fn hit(&self, met: &CastHit) -> SweepHit {
        let (position, normal) = match &met.shape {
            Shape::Aabb(aabb) => self.contact_with_aabb(aabb),
            Shape::Sphere(sphere) => self.contact_with_sphere(sphere),
        };
        let (time, distance) = (met.distance, self.distance_at(met.distance));
        SweepHit { handle: met.handle, time, distance, position, normal }
    }

    fn start(&self) -> Option<Vec3> {
        Some(Self::start(self).center())
    }

    fn with_tests<K: WithTests<SweepHit>>(&self, view: View<'_>, _: f32, _: StartInside, then: K) {
        let query = SweepQuery::new(&Self::start(self), self.motion());
        then.with(view, SweepLanes { view, sweep: self, query }, |reached| view.sweep_hit(self, reached));
    }

    fn run(&self, ask: CastAsk<'_, SweepHit>) {
        self.with_tests(ask.view, ask.limit, ask.inside, ask);
    }

    fn run_many(casts: &[Self], ask: CastBatchAsk<'_, SweepHit>) {
        ask.run(casts);
    }
}

impl View<'_> {
    fn sweep_hit(self, sweep: &Sweep, reached: AnswerAt) -> SweepHit {
        let (time, entry) = (reached.distance, self.data.blocks.read(reached.at));
        let (position, normal) = if reached.word.has(ObjectWord::SPHERE) {
            sweep.contact_with_sphere(&entry.sphere)
        } else {
            sweep.contact_with_aabb(&entry.aabb.clamped_to_finite())
        };
        let handle = self.handle_at(reached.at);
        SweepHit { handle, time, distance: sweep.distance_at(time), position, normal }
    }
}
