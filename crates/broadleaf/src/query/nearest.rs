//! Which objects are nearest to a point, and what questions about a box share with that.

use super::distant::{Answer, Distant, closest, settled};
use super::order::{QueryScratch, in_order};
use super::walk::{Found, Question, walk};
use crate::data::ids::{Location, ObjectWord};
use crate::data::levels::Split;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, NearQuery, Spheres, WIDTH, nearest_lane, raise, set_bits, within};
use crate::geometry::overlap::{aabb_distance, aabb_nearest_point, aabb_sphere_distance, max, sphere_nearest_point};
use crate::geometry::{Aabb, check_distance, check_point};
use crate::{Error, Handle};
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
pub(super) struct Near<F> {
    query: NearQuery,
    refine: F,
}

impl<F> Near<F> {
    pub(super) fn new(from: &Aabb, refine: F) -> Self {
        Self { query: NearQuery::new(from), refine }
    }
}

impl Near<fn(Answer) -> Option<f32>> {
    /// Without a narrow phase of the caller's.
    pub(super) fn any(from: &Aabb) -> Self {
        Self::new(from, |answer| Some(answer.distance))
    }
}

impl<F: FnMut(Answer) -> Option<f32>> Distant for Near<F> {
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
        raise(distances, which, &self.query.spheres(spheres));
        set_bits(u64::from(which)).fold(0, |mask, lane| mask | LaneMask::from(distances[lane] <= limit) << lane)
    }

    #[inline]
    fn settle(&mut self, word: ObjectWord, at: Location, bound: f32) -> Option<f32> {
        (self.refine)(Answer { word, at, distance: bound, carry: 0 })
    }
}

/// Keeps the `count` nearest, among others that are cut off now and then:
/// cheaper than to keep them in order.
struct Nearest<'f, Q> {
    question: Q,
    /// Beyond this nothing is wanted: the caller's limit, and once there are
    /// enough, that of the farthest kept at the last cut.
    limit: f32,
    count: usize,
    /// As many are gathered before the next cut: at first just enough for a limit.
    room: usize,
    found: &'f mut Vec<Neighbor>,
}

impl<Q: Distant> Question for Nearest<'_, Q> {
    type Carry = u8;
    type Lanes = Q::Lanes;
    const ORDERED: bool = true;

    fn start(&self) -> u8 {
        self.question.start()
    }

    #[inline]
    fn test(&self, boxes: &Boxes, carry: u8) -> (LaneMask, Q::Lanes) {
        self.question.test(boxes, carry, self.limit)
    }

    #[inline]
    fn carry(&self, lanes: &Q::Lanes, lane: usize) -> u8 {
        self.question.carry(lanes, lane)
    }

    #[inline]
    fn still(&self, waiting: LaneMask, lanes: &Q::Lanes) -> LaneMask {
        waiting & within(Q::bounds(lanes), self.limit)
    }

    #[inline]
    fn next(&self, waiting: LaneMask, lanes: &Q::Lanes, _: Split) -> usize {
        nearest_lane(waiting, Q::bounds(lanes))
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Q::Lanes) -> LaneMask {
        self.question.refine(spheres, which, lanes, self.limit)
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, Q::Lanes>) -> ControlFlow<()> {
        if Q::bounds(object.lanes)[object.at.lane() % WIDTH] <= self.limit
            && let Some(answer) = settled(&mut self.question, &object, self.limit)
        {
            self.found.push(draft(object.handle(), &answer));
            if self.found.len() >= self.room {
                self.cut();
            }
        }
        ControlFlow::Continue(())
    }
}

impl<Q> Nearest<'_, Q> {
    fn cut(&mut self) {
        let (_, farthest, _) = self.found.select_nth_unstable_by_key(self.count - 1, rank);
        self.limit = farthest.distance;
        self.found.truncate(self.count);
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
fn draft(handle: Handle, answer: &Answer) -> Neighbor {
    let [a, b, c, d] = answer.at.0.to_le_bytes();
    let half = |low, high| f32::from(u16::from_le_bytes([low, high]));
    Neighbor { handle, distance: answer.distance, position: Vec3::new(half(a, b), half(c, d), 0.0), normal: Vec3::ZERO }
}

/// Where the object of a draft lies.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "halves of 16 bits")]
fn location(draft: &Neighbor) -> Location {
    Location(draft.position.x as u32 | (draft.position.y as u32) << 16)
}

/// Fills `found` with the nearest answers in order.
pub(super) fn nearest<Q: Distant>(
    view: View<'_>,
    layers: Layers,
    question: Q,
    from: &Aabb,
    limit: f32,
    count: usize,
    found: &mut Vec<Neighbor>,
) -> QueryStats {
    found.clear();
    if count == 0 {
        return QueryStats::default();
    }
    let mut question = Nearest { question, limit, count, room: count, found };
    let stats = walk(view, layers, &mut question);
    if found.len() > count {
        found.select_nth_unstable_by_key(count, rank);
        found.truncate(count);
    }
    found.sort_unstable_by_key(rank);
    for neighbor in found.iter_mut() {
        *neighbor = view.neighbor(from, neighbor.distance, location(neighbor));
    }
    QueryStats { hits: found.len() as u64, ..stats }
}

impl View<'_> {
    /// The object that is nearest to a point, no farther than `distance_max`,
    /// with the point of it that is closest; of equally near ones, that of the
    /// lowest slot. An infinite `distance_max` is no limit.
    ///
    /// *Units:* distances are to the surface of the box or sphere, zero
    /// inside. What is so near that the square vanishes in 32 bits counts as
    /// touching; what is farther than a float can hold, as infinitely far.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let floor = tree.insert(Aabb::new(Vec3::new(-9.0, -1.0, -9.0), Vec3::new(9.0, 0.0, 9.0)))?;
    /// let near = tree.view().closest_object(Vec3::new(1.0, 2.0, 1.0), 5.0, Layers::ALL)?.0.expect("in reach");
    /// assert_eq!((near.handle, near.distance, near.normal), (floor, 2.0, Vec3::Y));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes nearest first and none beyond the object.
    ///
    /// # Errors
    /// A coordinate that is not finite; a `distance_max` that is NaN or negative.
    pub fn closest_object(
        self,
        point: Vec3,
        distance_max: f32,
        layers: Layers,
    ) -> Result<(Option<Neighbor>, QueryStats), Error> {
        self.closest_object_where(point, distance_max, layers, |neighbor| Some(neighbor.distance))
    }

    /// [`View::closest_object`] with a narrow phase of the caller's: `refine`
    /// gets each candidate and returns its exact distance, or `None` to veto
    /// it. The distance of what lies in a box is no less than that of the box;
    /// candidates farther than the best so far are not offered. Position and
    /// normal remain those of the candidate.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let this = tree.insert(unit)?;
    /// let other = tree.insert(unit.translated(Vec3::X * 4.0))?;
    /// let not_this = |near: &broadleaf::Neighbor| (near.handle != this).then_some(near.distance);
    /// let near = tree.view().closest_object_where(Vec3::ZERO, f32::INFINITY, Layers::ALL, not_this)?.0;
    /// assert_eq!(near.map(|near| (near.handle, near.distance)), Some((other, 4.0)));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::closest_object`].
    pub fn closest_object_where(
        self,
        point: Vec3,
        distance_max: f32,
        layers: Layers,
        mut refine: impl FnMut(&Neighbor) -> Option<f32>,
    ) -> Result<(Option<Neighbor>, QueryStats), Error> {
        let from = around(point, distance_max)?;
        let refine = |answer: Answer| refine(&self.neighbor(&from, answer.distance, answer.at));
        let (best, stats) = closest(self, layers, Near::new(&from, refine), distance_max);
        Ok((best.map(|answer| self.neighbor(&from, answer.distance, answer.at)), stats))
    }

    /// Fills `found` with the `count` objects that are nearest to a point, no
    /// farther than `distance_max`, in order of distance, then of slot.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// for step in 0..5 {
    ///     tree.insert(unit.translated(Vec3::X * (3 * step) as f32))?;
    /// }
    /// let mut found = Vec::new();
    /// tree.view().nearest_into(Vec3::new(5.5, 0.5, 0.5), 2, f32::INFINITY, Layers::ALL, &mut found)?;
    /// assert_eq!(found.iter().map(|near| near.distance).collect::<Vec<_>>(), [0.5, 1.5]);
    /// assert_eq!(found[0].position, Vec3::new(6.0, 0.5, 0.5));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes nearest first and none beyond the farthest kept.
    /// Allocates nothing if `found` has room for twice `count`, or for all objects.
    ///
    /// # Errors
    /// As [`View::closest_object`]; `found` is then unchanged.
    pub fn nearest_into(
        self,
        point: Vec3,
        count: usize,
        distance_max: f32,
        layers: Layers,
        found: &mut Vec<Neighbor>,
    ) -> Result<QueryStats, Error> {
        let from = around(point, distance_max)?;
        Ok(nearest(self, layers, Near::any(&from), &from, distance_max, count, found))
    }

    /// [`View::nearest_into`] with a narrow phase, as [`View::closest_object_where`].
    ///
    /// ```
    /// use broadleaf::{Layers, Octree, Sphere, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// for x in [1.0, 2.0, 3.0] {
    ///     tree.insert(Sphere::new(Vec3::X * x, 0.25))?;
    /// }
    /// let mut found = Vec::new();
    /// let beyond = |near: &broadleaf::Neighbor| (near.distance > 1.0).then_some(near.distance);
    /// tree.view().nearest_where_into(Vec3::ZERO, 1, 9.0, Layers::ALL, beyond, &mut found)?;
    /// assert_eq!(found[0].distance, 1.75);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::closest_object`]; `found` is then unchanged.
    pub fn nearest_where_into(
        self,
        point: Vec3,
        count: usize,
        distance_max: f32,
        layers: Layers,
        mut refine: impl FnMut(&Neighbor) -> Option<f32>,
        found: &mut Vec<Neighbor>,
    ) -> Result<QueryStats, Error> {
        let from = around(point, distance_max)?;
        let refine = |answer: Answer| refine(&self.neighbor(&from, answer.distance, answer.at));
        Ok(nearest(self, layers, Near::new(&from, refine), &from, distance_max, count, found))
    }

    /// Visits the objects within `distance_max` of a point in order of
    /// distance, then of slot, for as long as the visitor wants more.
    ///
    /// ```
    /// use broadleaf::{Layers, Octree, QueryScratch, Sphere, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// for x in [5.0, 3.0, 8.0] {
    ///     tree.insert(Sphere::new(Vec3::X * x, 1.0))?;
    /// }
    /// let mut distances = Vec::new();
    /// tree.view().nearest(Vec3::ZERO, f32::INFINITY, Layers::ALL, &mut QueryScratch::new(), |near| {
    ///     distances.push(near.distance);
    ///     if near.distance > 3.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// })?;
    /// assert_eq!(distances, [2.0, 4.0]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes nearest first and none beyond the last object
    /// taken; each node and object on the way goes through a heap.
    ///
    /// # Errors
    /// As [`View::closest_object`].
    pub fn nearest(
        self,
        point: Vec3,
        distance_max: f32,
        layers: Layers,
        scratch: &mut QueryScratch,
        visit: impl FnMut(Neighbor) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        let from = around(point, distance_max)?;
        Ok(self.nearest_in_order(&from, Near::any(&from), distance_max, layers, scratch, visit))
    }

    /// [`View::nearest`] with a narrow phase, as [`View::closest_object_where`]:
    /// the order is that of the distances that `refine` returns, if none is less
    /// than its candidate's.
    ///
    /// # Errors
    /// As [`View::closest_object`].
    pub fn nearest_where(
        self,
        point: Vec3,
        distance_max: f32,
        layers: Layers,
        mut refine: impl FnMut(&Neighbor) -> Option<f32>,
        scratch: &mut QueryScratch,
        visit: impl FnMut(Neighbor) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        let from = around(point, distance_max)?;
        let refine = |answer: Answer| refine(&self.neighbor(&from, answer.distance, answer.at));
        Ok(self.nearest_in_order(&from, Near::new(&from, refine), distance_max, layers, scratch, visit))
    }

    pub(super) fn nearest_in_order<F: FnMut(Answer) -> Option<f32>>(
        self,
        from: &Aabb,
        question: Near<F>,
        distance_max: f32,
        layers: Layers,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(Neighbor) -> ControlFlow<()>,
    ) -> QueryStats {
        let visit = |answer: Answer| visit(self.neighbor(from, answer.distance, answer.at));
        in_order(self, layers, question, distance_max, scratch, visit)
    }

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

/// The box around a legal point, for a legal distance.
fn around(point: Vec3, distance_max: f32) -> Result<Aabb, Error> {
    check_point(point, ["point.x", "point.y", "point.z"])?;
    check_distance(distance_max)?;
    Ok(Aabb::new(point, point))
}
