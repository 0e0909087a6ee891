//! Recording what a question visits, tests and hits.
//!
//! A recorded shape hands out the tests of the shape that it stands for, each with a note
//! in the recorder. So the traversal is that of the shape, and questions that are not
//! recorded run no instruction for this file.

use super::cast::ask::WithTests;
use super::cast::{Cast, CastHit, StartInside};
use super::distance::{AnswerAt, DistanceQuestion};
use super::draw::{DrawKind, Drawing};
use super::nearest::Place;
use super::region::{Region, RegionLanes, WithLanes, aabb_at};
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH};
use crate::geometry::{Aabb, Sphere};
use crate::{Containment, Error, Handle};
use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::DerefMut;
use glam::Vec3;

#[cfg(not(feature = "std"))]
type Lock<T> = core::cell::RefCell<T>;
/// Questions may be sent to other threads, and batches are asked on several.
#[cfg(feature = "std")]
type Lock<T> = std::sync::Mutex<T>;

/// Records what questions visit, test and hit, to be drawn afterwards.
///
/// Put [`Recorder::record`] around the region, the cast or the place that is asked about.
/// The question stays the same, with every option and terminal:
///
/// ```
/// use broadleaf::{Aabb, Octree, Ray, glam::Vec3, inspect::{DrawKind, Recorder}};
///
/// let mut tree = Octree::default();
/// for step in 0..100 {
///     tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE).translated(Vec3::X * (2 * step) as f32))?;
/// }
/// let (recorder, view) = (Recorder::new(), tree.view());
/// let ray = Ray::new(Vec3::new(9.5, 0.5, 5.0), Vec3::NEG_Z)?;
/// assert!(view.cast(&recorder.record(&ray)).closest().is_none());
/// let hit = view.nearest(recorder.record(&(Vec3::X * 9.5)))?.closest();
///
/// let (mut tested, mut hits) = (0, 0);
/// recorder.draw(|drawing| match drawing.kind {
///     DrawKind::Tested => tested += 1,
///     DrawKind::Hit => hits += 1,
///     _ => {} // colours of your engine's gizmos
/// });
/// assert!(tested < 100 && hits == usize::from(hit.is_some()));
/// # Ok::<(), broadleaf::Error>(())
/// ```
///
/// [`DrawKind::Visited`] is drawn once for each [`QueryStats::nodes_visited`](crate::QueryStats)
/// and [`DrawKind::Tested`] for each `objects_tested`, but for boxes without an end. A hit is an
/// object that passed all tests: with `front_to_back`, also one that the terminal did not wait for.
///
/// *Cost:* a note for each node and object. What is not recorded costs as much as without a recorder.
/// Batches of places are not recorded.
#[derive(Debug, Default)]
pub struct Recorder {
    drawings: Lock<Vec<Drawing>>,
}

/// A region, cast or place whose questions are recorded; made by [`Recorder::record`].
#[derive(Debug)]
pub struct Recorded<'r, Q> {
    asked: &'r Q,
    recorder: &'r Recorder,
}

impl Recorder {
    /// A recorder without records.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is asked about, recorded here.
    pub fn record<'r, Q>(&'r self, asked: &'r Q) -> Recorded<'r, Q> {
        Recorded { asked, recorder: self }
    }

    /// Draws all records, in the order of the work.
    pub fn draw(&self, draw: impl FnMut(Drawing)) {
        // What is asked while drawing is recorded behind what is drawn.
        let mut drawn = core::mem::take(&mut *self.drawings());
        drawn.iter().copied().for_each(draw);
        let mut drawings = self.drawings();
        drawn.append(&mut drawings);
        *drawings = drawn;
    }

    /// Forgets all records, keeping the memory.
    pub fn clear(&mut self) {
        self.drawings().clear();
    }

    #[cfg(feature = "std")]
    fn drawings(&self) -> impl DerefMut<Target = Vec<Drawing>> {
        // A visitor that panics leaves whole records behind.
        self.drawings.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    #[cfg(not(feature = "std"))]
    fn drawings(&self) -> impl DerefMut<Target = Vec<Drawing>> {
        self.drawings.borrow_mut()
    }

    fn note(&self, kind: DrawKind, aabb: Aabb) {
        self.drawings().extend(Drawing::of(kind, aabb));
    }

    fn note_node(&self, boxes: &Boxes) {
        self.note(DrawKind::Visited, boxes.union());
    }

    fn note_objects(&self, boxes: &Boxes) {
        (0..WIDTH).for_each(|lane| self.note(DrawKind::Tested, boxes.get(lane)));
    }

    fn note_hit(&self, view: View<'_>, at: Location) {
        self.note(DrawKind::Hit, aabb_at(view, at));
    }

    /// Notes an object as a hit.
    pub(super) fn note_handle(&self, view: View<'_>, handle: Handle) {
        if let Some(row) = view.data.objects.row(handle) {
            self.note_hit(view, view.data.objects.location(row));
        }
    }
}

impl<R: Region> Region for Recorded<'_, R> {
    fn bounds(&self) -> Aabb {
        self.asked.bounds()
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.asked.overlaps_aabb(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.asked.overlaps_sphere(sphere)
    }

    fn reaches(&self, bounds: &Aabb) -> bool {
        self.asked.reaches(bounds)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        self.asked.contains_aabb(aabb)
    }

    fn check(&self) -> Result<(), Error> {
        self.asked.check()
    }

    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        self.asked.with_lanes(RecordedThen { then, recorder: self.recorder })
    }
}

/// What is done with the tests of a question, recorded.
pub(super) struct RecordedThen<'r, K> {
    pub(super) then: K,
    pub(super) recorder: &'r Recorder,
}

impl<K: WithLanes> WithLanes for RecordedThen<'_, K> {
    type Output = K::Output;

    fn with<L: RegionLanes>(self, lanes: L) -> K::Output {
        self.then.with(RecordedLanes { lanes, recorder: self.recorder })
    }
}

/// The tests of a region, recorded.
#[derive(Clone)]
struct RecordedLanes<'r, L> {
    lanes: L,
    recorder: &'r Recorder,
}

impl<L: RegionLanes> RegionLanes for RecordedLanes<'_, L> {
    type Carry = L::Carry;
    type Lanes = L::Lanes;
    const IS_DEAR: bool = L::IS_DEAR;
    // `confirms` notes the hits.
    const CONFIRMS: bool = true;

    fn start(&self) -> L::Carry {
        self.lanes.start()
    }

    fn test(&self, boxes: &Boxes, carry: L::Carry) -> (LaneMask, L::Lanes) {
        self.recorder.note_node(boxes);
        self.lanes.test(boxes, carry)
    }

    fn test_objects(&self, boxes: &Boxes, carry: L::Carry) -> (LaneMask, L::Lanes) {
        self.recorder.note_objects(boxes);
        self.lanes.test_objects(boxes, carry)
    }

    fn carry(&self, lanes: &L::Lanes, lane: usize) -> L::Carry {
        self.lanes.carry(lanes, lane)
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut L::Lanes) -> LaneMask {
        self.lanes.refine(spheres, which, lanes)
    }

    fn confirms(&self, view: View<'_>, word: ObjectWord, at: Location, carry: L::Carry) -> bool {
        let passes = self.lanes.confirms(view, word, at, carry);
        if passes {
            self.recorder.note_hit(view, at);
        }
        passes
    }

    fn containment(&self, view: View<'_>, word: ObjectWord, at: Location, carry: L::Carry) -> Containment {
        self.lanes.containment(view, word, at, carry)
    }

    fn pack(carry: L::Carry) -> u8 {
        L::pack(carry)
    }

    fn unpack(&self, carry: u8) -> L::Carry {
        self.lanes.unpack(carry)
    }
}

impl<C: Cast> Cast for Recorded<'_, C> {
    type Hit = C::Hit;

    fn reach(&self) -> f32 {
        self.asked.reach()
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        self.asked.meets_aabb(aabb, limit)
    }

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        self.asked.meets_sphere(sphere, limit)
    }

    fn hit(&self, met: &CastHit) -> C::Hit {
        self.asked.hit(met)
    }

    fn bounds(&self) -> Aabb {
        self.asked.bounds()
    }

    fn start(&self) -> Option<Vec3> {
        self.asked.start()
    }

    fn with_tests<K: WithTests<C::Hit>>(&self, view: View<'_>, limit: f32, inside: StartInside, then: K) {
        self.asked.with_tests(view, limit, inside, RecordedThen { then, recorder: self.recorder });
    }
}

impl<H, K: WithTests<H>> WithTests<H> for RecordedThen<'_, K> {
    fn has_narrow_phase(&self) -> bool {
        self.then.has_narrow_phase()
    }

    fn with<D: DistanceQuestion>(self, view: View<'_>, tests: D, hit: impl Fn(AnswerAt) -> H) {
        let Self { then, recorder } = self;
        let is_candidate = Cell::new(false);
        let noted = then.has_narrow_phase().then_some(&is_candidate);
        then.with(view, RecordedTests { base: tests, recorder, is_candidate: noted }, |reached| {
            if !is_candidate.replace(false) {
                recorder.note_hit(view, reached.at);
            }
            hit(reached)
        });
    }
}

impl<P: Place> Place for Recorded<'_, P> {
    fn aabb(&self) -> Result<Aabb, Error> {
        self.asked.aabb()
    }

    fn recorder<'q>(&self) -> Option<&'q Recorder>
    where
        Self: 'q,
    {
        Some(self.recorder)
    }
}

/// The tests of a question with distances, recorded.
struct RecordedTests<'r, D> {
    base: D,
    recorder: &'r Recorder,
    /// Set where the next object that is made a hit of is a candidate of the
    /// caller's narrow phase, not an answer; `None` where there is no narrow phase.
    is_candidate: Option<&'r Cell<bool>>,
}

impl<D: DistanceQuestion> DistanceQuestion for RecordedTests<'_, D> {
    type Lanes = D::Lanes;

    fn start(&self) -> u8 {
        self.base.start()
    }

    fn test(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, D::Lanes) {
        self.recorder.note_node(boxes);
        self.base.test(boxes, carry, limit)
    }

    fn test_objects(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, D::Lanes) {
        self.recorder.note_objects(boxes);
        self.base.test_objects(boxes, carry, limit)
    }

    fn carry(&self, lanes: &D::Lanes, lane: usize) -> u8 {
        self.base.carry(lanes, lane)
    }

    fn bounds(lanes: &D::Lanes) -> &[f32; WIDTH] {
        D::bounds(lanes)
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut D::Lanes, limit: f32) -> LaneMask {
        self.base.refine(spheres, which, lanes, limit)
    }

    fn exact(&mut self, word: ObjectWord, at: Location, bound: f32, carry: u8) -> Option<f32> {
        let distance = self.base.exact(word, at, bound, carry);
        if let Some(is_candidate) = self.is_candidate {
            is_candidate.set(distance.is_some());
        }
        distance
    }
}
