//! Casts of a caller's own: eight boxes at a time against the cast's bounds,
//! and those that pass one by one.

use super::ask::WithTests;
use crate::Shape;
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, Spheres, WIDTH, set_bits};
use crate::query::distance::{AnswerAt, DistanceQuestion};
use crate::query::{Cast, CastHit};

/// The tests of a cast of a caller's own.
pub(super) struct CallerCast<'c, C> {
    cast: &'c C,
    bounds: BoxQuery,
}

impl<'c, C: Cast> CallerCast<'c, C> {
    pub(super) fn with_tests(cast: &'c C, view: View<'_>, then: impl WithTests<C::Hit>) {
        let hit = |reached: AnswerAt| {
            let shape = shape(view, reached.word, reached.at);
            let entry = meets(cast, &shape, cast.reach()).unwrap_or(reached.distance);
            cast.hit(&CastHit { handle: view.handle_at(reached.at), shape, entry, distance: reached.distance })
        };
        then.with(view, Self { cast, bounds: BoxQuery::new(&cast.bounds()) }, hit);
    }
}

impl<C: Cast> DistanceQuestion for CallerCast<'_, C> {
    type Lanes = [f32; WIDTH];

    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        let (mut mask, mut distances) = (boxes.overlaps(&self.bounds), [0.0; WIDTH]);
        for lane in set_bits(u64::from(mask)) {
            let aabb = boxes.get(lane);
            // Empty lanes overlap unbounded bounds; a cast is not asked about them.
            let met = if aabb.min.x > aabb.max.x { None } else { self.cast.meets_aabb(&aabb, limit) };
            match met {
                Some(distance) if distance <= limit => distances[lane] = distance.max(0.0),
                _ => mask &= !(1 << lane),
            }
        }
        (mask, distances)
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH], limit: f32) -> LaneMask {
        let mut mask = which;
        for lane in set_bits(u64::from(which)) {
            match self.cast.meets_sphere(&spheres.get(lane), limit) {
                Some(distance) if distance <= limit => distances[lane] = distance.max(distances[lane]),
                _ => mask &= !(1 << lane),
            }
        }
        mask
    }

    fn bounds(distances: &[f32; WIDTH]) -> &[f32; WIDTH] {
        distances
    }

    fn exact(&mut self, _: ObjectWord, _: Location, bound: f32, _: u8) -> Option<f32> {
        Some(bound)
    }
}

fn meets<C: Cast>(cast: &C, shape: &Shape, limit: f32) -> Option<f32> {
    match shape {
        Shape::Aabb(aabb) => cast.meets_aabb(aabb, limit),
        Shape::Sphere(sphere) => cast.meets_sphere(sphere, limit),
    }
}

/// The shape of an object, with finite coordinates.
fn shape(view: View<'_>, word: ObjectWord, at: Location) -> Shape {
    let entry = view.data.blocks.read(at);
    if word.has(ObjectWord::SPHERE) { Shape::Sphere(entry.sphere) } else { Shape::Aabb(entry.aabb.clamped_to_finite()) }
}
