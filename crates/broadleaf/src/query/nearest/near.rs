//! Distances to a box, and the `k` nearest objects.
//!
//! The `k` nearest are kept in no order among others. When there are twice as
//! many as wanted, the farther half is cut off and the limit falls: less work
//! than to keep them in order.

use crate::Handle;
use crate::data::{Location, ObjectWord, QueryStats, View};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, NearQuery, Spheres, WIDTH, raise, set_bits};
use crate::geometry::overlap::{aabb_distance, aabb_nearest_point, aabb_sphere_distance, max, sphere_nearest_point};
use crate::query::Filter;
use crate::query::distance::{AnswerAt, ByDistance, Collector, DistanceQuestion};
use crate::query::walk::FoundObject;
use crate::query::walk::nearest_first::walk_nearest_first;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// An object near a point or a box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbor {
    /// The object.
    pub handle: Handle,
    /// Distance to the object's surface, in world units; zero if it overlaps.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
    /// The point of the object that is nearest; inside, the point asked about
    /// itself. Of several, the nearest to the middle of the box asked about.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
    /// The direction from the object to what was asked about; zero if they overlap.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
}

/// Distances to a box; a point is a box without extent.
pub(super) struct BoxDistances(NearQuery);

impl BoxDistances {
    pub(super) fn new(from: &Aabb) -> Self {
        Self(NearQuery::new(from))
    }
}

impl DistanceQuestion for BoxDistances {
    type Lanes = [f32; WIDTH];

    #[inline]
    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        self.0.boxes(boxes, limit)
    }

    #[inline]
    fn bounds(distances: &[f32; WIDTH]) -> &[f32; WIDTH] {
        distances
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH], limit: f32) -> LaneMask {
        raise(distances, which, &self.0.spheres(spheres));
        set_bits(u64::from(which)).fold(0, |mask, lane| mask | LaneMask::from(distances[lane] <= limit) << lane)
    }

    #[inline]
    fn exact(&mut self, _: ObjectWord, _: Location, bound: f32, _: u8) -> Option<f32> {
        Some(bound)
    }
}

/// Keeps the `count` nearest.
struct NearestK<'f> {
    /// Beyond this nothing is wanted: the caller's limit, and once there are
    /// enough, that of the farthest kept at the last cut.
    limit: f32,
    count: usize,
    /// As many are gathered before the next cut: at first just enough for a limit.
    room: usize,
    found: &'f mut Vec<Neighbor>,
    /// Where the answers begin in the list.
    start: usize,
}

impl Collector for NearestK<'_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline]
    fn collect<L>(&mut self, answer: AnswerAt, object: &FoundObject<'_, L>) -> ControlFlow<()> {
        self.found.push(draft(object.handle(), &answer));
        if self.found.len() - self.start >= self.room {
            self.cut();
        }
        ControlFlow::Continue(())
    }
}

impl NearestK<'_> {
    fn cut(&mut self) {
        let found = &mut self.found[self.start..];
        let (_, farthest, _) = found.select_nth_unstable_by_key(self.count - 1, rank);
        self.limit = farthest.distance;
        self.found.truncate(self.start + self.count);
        self.room = self.count.saturating_mul(2);
    }
}

/// Orders neighbours: by distance, then by slot.
#[inline]
fn rank(neighbor: &Neighbor) -> u64 {
    u64::from(neighbor.distance.to_bits()) << 32 | u64::from(neighbor.handle.slot())
}

/// Until the end, a neighbour's position holds where the object lies: in two
/// halves, which floats hold exactly.
#[inline]
fn draft(handle: Handle, answer: &AnswerAt) -> Neighbor {
    let [a, b, c, d] = answer.at.0.to_le_bytes();
    let half = |low, high| f32::from(u16::from_le_bytes([low, high]));
    Neighbor { handle, distance: answer.distance, position: Vec3::new(half(a, b), half(c, d), 0.0), normal: Vec3::ZERO }
}

/// Where the object of a draft lies.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "halves of 16 bits")]
fn location(draft: &Neighbor) -> Location {
    Location(draft.position.x as u32 | (draft.position.y as u32) << 16)
}

/// Adds the nearest answers to `found` in order.
pub(super) fn nearest<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    from: &Aabb,
    limit: f32,
    count: usize,
    found: &mut Vec<Neighbor>,
) -> QueryStats {
    if count == 0 {
        return QueryStats::default();
    }
    let start = found.len();
    let mut question = ByDistance::new(question, NearestK { limit, count, room: count, found, start });
    let stats = walk_nearest_first(view, filter, &mut question);
    if found.len() - start > count {
        found[start..].select_nth_unstable_by_key(count, rank);
        found.truncate(start + count);
    }
    let answers = &mut found[start..];
    answers.sort_unstable_by_key(rank);
    for neighbor in answers.iter_mut() {
        *neighbor = view.neighbor(from, neighbor.distance, location(neighbor));
    }
    QueryStats { hits: answers.len() as u64, ..stats }
}

impl View<'_> {
    pub(super) fn neighbor(self, from: &Aabb, distance: f32, at: Location) -> Neighbor {
        let entry = self.data.blocks.read(at);
        let aabb = entry.aabb.clamped_to_finite();
        // As it was before a narrow phase.
        let mut candidate = aabb_distance(&aabb, from);
        let (position, normal) = if entry.word.has(ObjectWord::SPHERE) {
            candidate = max(aabb_sphere_distance(from, &entry.sphere), candidate);
            sphere_nearest_point(&entry.sphere, from)
        } else {
            aabb_nearest_point(&aabb, from)
        };
        let normal = if candidate == 0.0 { Vec3::ZERO } else { normal };
        let handle = self.data.blocks[at.block()].handle(at.lane());
        Neighbor { handle, distance, position, normal }
    }
}
