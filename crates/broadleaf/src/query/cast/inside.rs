//! Rays with options: the treatment of a start inside an object, a narrow phase of the
//! caller's, and hits in order of distance.

use super::ask::WithTests;
use crate::data::{Location, ObjectWord, View};
use crate::geometry::Ray;
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH};
use crate::geometry::overlap::{has_left_aabb, has_left_sphere, leaves_by_end, max, ray_exits_aabb, ray_exits_sphere};
use crate::query::RayHit;
use crate::query::distance::{AnswerAt, DistanceQuestion};
use glam::Vec3;

/// What a ray makes of an object that contains its origin, surface included.
///
/// Objects are solid: seen from outside only the side where a ray enters is
/// hit, never the one where it leaves.
///
/// More choices may follow: a `match` outside this crate needs an arm `_`.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StartInside {
    /// A hit at distance zero, with normal zero.
    #[default]
    Hit,
    /// No hit, such as of the object that shoots.
    Skip,
    /// A hit where the ray leaves the object, with the outward normal there,
    /// if that is within reach. An unbounded box has no surface where it has no
    /// bound: a ray that never leaves it has no hit.
    Exit,
}

/// The tests of a ray with a choice of [`StartInside`].
pub(super) struct RayCast<'v, 'r> {
    view: View<'v>,
    ray: &'r Ray,
    query: RayQuery,
    inside: StartInside,
}

impl<'v, 'r> RayCast<'v, 'r> {
    pub(super) fn with_tests(view: View<'v>, ray: &'r Ray, inside: StartInside, then: impl WithTests<RayHit>) {
        let hit = |reached| view.cast_hit(ray, inside, reached);
        then.with(view, Self { view, ray, query: RayQuery::new(ray), inside }, hit);
    }
}

impl DistanceQuestion for RayCast<'_, '_> {
    type Lanes = [f32; WIDTH];

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

    fn exact(&mut self, word: ObjectWord, at: Location, bound: f32, _: u8) -> Option<f32> {
        let distance = match self.inside {
            StartInside::Hit => bound,
            StartInside::Skip => self.view.exit(self.ray, word, at).is_none().then_some(bound)?,
            StartInside::Exit => self.view.exit(self.ray, word, at).unwrap_or(bound),
        };
        // A hit is within reach, and none is infinitely far.
        (distance <= self.ray.distance_max()).then_some(distance)
    }
}

impl View<'_> {
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
    fn cast_hit(self, ray: &Ray, inside: StartInside, reached: AnswerAt) -> RayHit {
        let AnswerAt { word, at, distance, .. } = reached;
        let exit = if inside == StartInside::Exit { self.exit(ray, word, at) } else { None };
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
