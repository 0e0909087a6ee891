//! Rays as casts.
//!
//! A ray without a narrow phase and without a choice of [`StartInside`] has two
//! traversals of its own: one for the closest hit and one for all hits.

use super::ask::{CastBatchAsk, WithTests};
use super::inside::RayCast;
use crate::data::{Location, ObjectWord, QueryStats, Sink, Take, TakeFirst, View};
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH, set_bits};
use crate::geometry::{Aabb, Ray, Sphere};
use crate::query::distance::{distance_of, key};
use crate::query::walk::nearest_first::{NearestFirst, walk_below_root, walk_nearest_first};
use crate::query::walk::{FoundObject, Question, walk};
use crate::query::{Accept, Cast, CastAsk, CastHit, CastQuery, DistanceOutput, Filter, Refine, StartInside};
use crate::{Handle, Shape};
use core::hint::select_unpredictable;
use core::ops::ControlFlow;
use glam::Vec3;

/// Where a ray meets an object.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The object.
    pub handle: Handle,
    /// Distance from the ray's origin, in world units; zero if the ray starts inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
    /// The point at that distance; after a narrow phase of the caller's, where
    /// the ray meets the object's box or sphere.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
    /// The outward normal of the surface there; zero if the ray starts inside,
    /// or if rounding leaves nothing of a sphere.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
}

/// A ray in lanes, and the tests that both ray questions share.
#[derive(Clone, Copy)]
struct Lanes {
    query: RayQuery,
    distance_max: f32,
}

impl Lanes {
    #[inline]
    fn new(ray: &Ray, distance_max: f32) -> Self {
        Self { query: RayQuery::new(ray), distance_max }
    }

    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, self.distance_max)
    }

    /// Raises the distance of spheres to where the ray meets the sphere itself.
    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH]) -> LaneMask {
        self.query.refine(spheres, which, distances, self.distance_max)
    }
}

struct RayHits<'a, const PLAIN: bool, S> {
    lanes: Lanes,
    view: View<'a>,
    ray: Ray,
    take: S,
}

impl<const PLAIN: bool, S: Take<RayHit>> Question for RayHits<'_, PLAIN, S> {
    type Carry = ();
    type Lanes = [f32; WIDTH];
    const PLAIN: bool = PLAIN;
    const ENDS_AT_FIRST: bool = S::ENDS_AT_FIRST;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, [f32; WIDTH]) {
        self.lanes.test(boxes)
    }

    #[inline]
    fn carry(&self, _: &[f32; WIDTH], _: usize) {}

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH]) -> LaneMask {
        self.lanes.refine(spheres, which, distances)
    }

    #[inline]
    fn hit(&mut self, object: FoundObject<'_, [f32; WIDTH]>) -> ControlFlow<()> {
        let distance = object.lanes[object.at.lane()];
        self.take.take(self.view.ray_hit(&self.ray, object.word, object.at, distance))
    }
}

/// The closest object so far.
#[derive(Clone, Copy)]
struct ClosestObject {
    /// Orders hits by distance, then by slot; [`ClosestObject::NONE`] is above all.
    key: u64,
    at: Location,
}

impl ClosestObject {
    const NONE: Self = Self { key: u64::MAX, at: Location(0) };

    /// The hit. Inlined into the caller's code, so that what is not used of it is not worked out.
    #[inline]
    fn hit(self, view: View<'_>, ray: &Ray) -> Option<RayHit> {
        if self.key == Self::NONE.key {
            return None;
        }
        let word = view.data.blocks[self.at.block()].objects[self.at.lane()];
        Some(view.ray_hit(ray, word, self.at, distance_of(self.key)))
    }
}

struct ClosestRayHit<const PLAIN: bool> {
    lanes: Lanes,
    best: ClosestObject,
}

impl<const PLAIN: bool> Question for ClosestRayHit<PLAIN> {
    type Carry = ();
    type Lanes = [f32; WIDTH];
    const PLAIN: bool = PLAIN;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, [f32; WIDTH]) {
        self.lanes.test(boxes)
    }

    #[inline]
    fn carry(&self, _: &[f32; WIDTH], _: usize) {}

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH]) -> LaneMask {
        self.lanes.refine(spheres, which, distances)
    }

    #[inline]
    fn hit(&mut self, object: FoundObject<'_, [f32; WIDTH]>) -> ControlFlow<()> {
        let distance = object.lanes[object.at.lane()];
        let key = key(distance, object.word);
        if key < self.best.key {
            (self.best, self.lanes.distance_max) = (ClosestObject { key, at: object.at }, distance);
        }
        ControlFlow::Continue(())
    }

    /// The closest of all, found without a branch for each.
    #[inline(always)]
    fn hit_all<'b>(&mut self, bits: u64, object: impl Fn(usize) -> FoundObject<'b, [f32; WIDTH]>) -> ControlFlow<()> {
        let mut best = self.best;
        for bit in set_bits(bits) {
            let object = object(bit);
            let key = key(object.lanes[object.at.lane()], object.word);
            let is_closer = key < best.key;
            best.at = Location(select_unpredictable(is_closer, object.at.0, best.at.0));
            best.key = best.key.min(key);
        }
        if best.key < self.best.key {
            (self.best, self.lanes.distance_max) = (best, distance_of(best.key));
        }
        ControlFlow::Continue(())
    }
}

impl<const PLAIN: bool> NearestFirst for ClosestRayHit<PLAIN> {
    const GATHERED: bool = true;

    #[inline]
    fn limit(&self) -> f32 {
        self.lanes.distance_max
    }

    #[inline]
    fn bounds(distances: &[f32; WIDTH]) -> &[f32; WIDTH] {
        distances
    }
}

impl<const PLAIN: bool> ClosestRayHit<PLAIN> {
    #[inline]
    fn new(ray: &Ray, limit: f32) -> Self {
        Self { lanes: Lanes::new(ray, limit), best: ClosestObject::NONE }
    }
}

fn closest<const PLAIN: bool>(view: View<'_>, filter: &mut Filter<'_>, ray: &Ray) -> (Option<RayHit>, QueryStats) {
    let mut question = ClosestRayHit::<PLAIN>::new(ray, ray.distance_max());
    let mut stats = walk_nearest_first(view, filter, &mut question);
    let hit = question.best.hit(view, ray);
    stats.hits = u64::from(hit.is_some());
    (hit, stats)
}

/// The closest object within a limit that is not beyond the ray's reach, of those of some layers.
///
/// Questions with options are handed over in memory. Most rays have none, and handing them over would
/// take a third of the time of a ray that meets nothing.
fn closest_of_layers(view: View<'_>, layers: Option<u32>, ray: &Ray, limit: f32) -> ClosestObject {
    let (data, mut filter) = (view.data, Filter::of_layers(layers));
    if data.outsized.is_node() || !data.root.is_node() || filter.is_empty() {
        return closest_with_outsized(view, &mut filter, ray, limit);
    }
    closest_below_root(view, &mut filter, ray, limit)
}

/// The closest object that is not outsized, in a tree that has a root.
#[inline(always)]
fn closest_below_root(view: View<'_>, filter: &mut Filter<'_>, ray: &Ray, limit: f32) -> ClosestObject {
    let root = &view.data.nodes[view.data.root];
    let (passed, lanes) = RayQuery::boxes_once(ray, &root.bounds, limit);
    let mask = passed & root.child_mask & filter.node_lanes(&root.memberships);
    if mask == 0 && !root.residents.is_node() {
        return ClosestObject::NONE;
    }
    closest_below(view, filter, ray, limit, mask, &lanes)
}

/// The closest object in some lanes of the root, or among its residents.
// Not inlined: a ray that meets nothing would pay for its registers and its memory.
#[inline(never)]
fn closest_below(
    view: View<'_>,
    filter: &mut Filter<'_>,
    ray: &Ray,
    limit: f32,
    mask: LaneMask,
    lanes: &[f32; WIDTH],
) -> ClosestObject {
    let mut question = ClosestRayHit::<true>::new(ray, limit);
    walk_below_root(view, filter, &mut question, mask, *lanes);
    question.best
}

/// The closest object where there are outsized objects or no root, or where no layer is asked for.
// Not inlined: rays in other worlds would pay for its registers.
#[inline(never)]
fn closest_with_outsized(view: View<'_>, filter: &mut Filter<'_>, ray: &Ray, limit: f32) -> ClosestObject {
    let data = view.data;
    if data.outsized.is_node() {
        let pile = &data.nodes[data.outsized];
        let (passed, _) = RayQuery::boxes_once(ray, &pile.bounds.clamped_to_finite(), limit);
        if passed & pile.child_mask & filter.node_lanes(&pile.memberships) != 0 {
            let mut question = ClosestRayHit::<true>::new(ray, limit);
            walk_nearest_first(view, filter, &mut question);
            return question.best;
        }
    }
    if !data.root.is_node() || filter.is_empty() {
        return ClosestObject::NONE;
    }
    closest_below_root(view, filter, ray, limit)
}

#[inline]
fn hits(is_plain: bool, view: View<'_>, filter: &mut Filter<'_>, ray: &Ray, take: impl Take<RayHit>) -> QueryStats {
    let lanes = Lanes::new(ray, ray.distance_max());
    if is_plain {
        walk(view, filter, &mut RayHits::<true, _> { lanes, view, ray: *ray, take })
    } else {
        walk(view, filter, &mut RayHits::<false, _> { lanes, view, ray: *ray, take })
    }
}

/// Runs a question.
fn run(ray: &Ray, mut ask: CastAsk<'_, RayHit>) {
    if ask.refine.is_some() || ask.inside != StartInside::Hit || matches!(ask.wanted, DistanceOutput::InOrder(..)) {
        return RayCast::with_tests(ask.view, ray, ask.inside, ask);
    }
    let is_plain = ask.is_plain();
    // Not a copy of the filter: it would wait for the fields that have just been stored one by one.
    let (view, filter) = (ask.view, &mut ask.filter);
    let work = match ask.wanted {
        DistanceOutput::Closest(best) => {
            let (hit, work) =
                if is_plain { closest::<true>(view, filter, ray) } else { closest::<false>(view, filter, ray) };
            *best = hit;
            work
        }
        DistanceOutput::All(mut sink) | DistanceOutput::InOrder(mut sink, _) => {
            sink.start();
            match sink {
                Sink::List(found) | Sink::Append(found) => hits(is_plain, view, filter, ray, found),
                Sink::Visit(visit) => hits(is_plain, view, filter, ray, visit),
                Sink::Any(any) => hits(is_plain, view, filter, ray, TakeFirst(any)),
                sink @ Sink::Count(_) => hits(false, view, filter, ray, sink),
            }
        }
    };
    work.add_to(ask.stats);
}

impl Cast for Ray {
    type Hit = RayHit;

    #[inline]
    fn reach(&self) -> f32 {
        self.distance_max()
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        self.enter_aabb(aabb).filter(|&distance| distance <= limit)
    }

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        self.enter_sphere(sphere).filter(|&distance| distance <= limit)
    }

    fn hit(&self, met: &CastHit) -> RayHit {
        let position = self.at(met.entry);
        let normal = match &met.shape {
            _ if met.entry == 0.0 => Vec3::ZERO,
            Shape::Aabb(aabb) => self.entry_normal(aabb),
            Shape::Sphere(sphere) => sphere.normal_at(position),
        };
        RayHit { handle: met.handle, distance: met.distance, position, normal }
    }

    fn start(&self) -> Option<Vec3> {
        Some(self.origin())
    }

    fn with_tests<K: WithTests<RayHit>>(&self, view: View<'_>, limit: f32, inside: StartInside, then: K) {
        let ray = if limit >= 0.0 { self.cut_to(limit) } else { *self };
        RayCast::with_tests(view, &ray, inside, then);
    }

    // In the caller's code, which then works out no more of a hit than it uses.
    #[inline(always)]
    fn closest<N: Refine<RayHit>, F: Accept>(mut query: CastQuery<'_, Self, N, F>) -> Option<RayHit> {
        if query.is_plain() && query.limit >= 0.0 {
            let CastQuery { view, cast, limit, .. } = query;
            return closest_of_layers(view, query.objects.layers, cast, limit).hit(view, cast);
        }
        query.closest_of_any()
    }

    fn run(&self, ask: CastAsk<'_, RayHit>) {
        if ask.limit == self.distance_max() {
            run(self, ask);
        } else if ask.limit < 0.0 {
            ask.wanted.finish_without_answers();
        } else {
            run(&self.cut_to(ask.limit), ask);
        }
    }

    fn run_many(casts: &[Self], ask: CastBatchAsk<'_, RayHit>) {
        ask.run(casts);
    }
}

impl View<'_> {
    #[inline]
    pub(super) fn ray_hit(self, ray: &Ray, word: ObjectWord, at: Location, distance: f32) -> RayHit {
        let (blocks, block) = (&self.data.blocks, &self.data.blocks[at.block()]);
        let position = ray.at(distance);
        let normal = if distance == 0.0 {
            Vec3::ZERO
        } else if word.has(ObjectWord::SPHERE) {
            blocks.sphere(at).normal_at(position)
        } else {
            ray.entry_normal(&block.boxes.get(at.lane()).clamped_to_finite())
        };
        RayHit { handle: block.handle(at.lane()), distance, position, normal }
    }
}
