//! The question about a cast, or about many, without the type of the cast.

use crate::data::{Location, ObjectWord, QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH};
use crate::query::batch::BatchOptions;
use crate::query::distance::{AnswerAt, DistanceQuestion};
use crate::query::{Batch, DistanceOutput, Filter, NarrowPhase, StartInside};

/// A question about one cast whose hits are of type `H`.
pub struct CastAsk<'a, H> {
    pub(crate) view: View<'a>,
    pub(crate) filter: Filter<'a>,
    pub(crate) stats: Option<&'a mut QueryStats>,
    /// Nothing farther is wanted; may be negative.
    pub(crate) limit: f32,
    pub(crate) inside: StartInside,
    pub(crate) refine: Option<NarrowPhase<'a, H>>,
    pub(crate) wanted: DistanceOutput<'a, H>,
}

/// A question about many casts whose hits are of type `H`.
pub struct CastBatchAsk<'a, H> {
    pub(super) view: View<'a>,
    pub(super) options: BatchOptions<'a>,
    /// Nothing farther is wanted; may be negative.
    pub(super) limit: f32,
    pub(super) wanted: BatchCastOutput<'a, H>,
}

/// Which hits of each cast are wanted, and where they go.
pub(super) enum BatchCastOutput<'a, H> {
    Closest(&'a mut Batch<Option<H>>),
    Any(&'a mut Batch<Option<H>>),
    All(&'a mut Batch<H>),
}

/// What is done with the tests of a cast, and with what is said of its hits.
pub trait WithTests<H> {
    /// Whether hits are made of candidates, too, for a narrow phase of the caller's.
    fn has_narrow_phase(&self) -> bool;
    /// Does it.
    fn with<D: DistanceQuestion>(self, view: View<'_>, tests: D, hit: impl Fn(AnswerAt) -> H);
}

impl<H> WithTests<H> for CastAsk<'_, H> {
    fn has_narrow_phase(&self) -> bool {
        self.refine.is_some()
    }

    #[inline]
    fn with<D: DistanceQuestion>(self, _: View<'_>, tests: D, hit: impl Fn(AnswerAt) -> H) {
        self.run(tests, hit);
    }
}

impl<H> CastAsk<'_, H> {
    /// Whether nothing but the layers and the limit are asked for.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.stats.is_none() && self.filter.is_plain()
    }

    /// Runs with the tests of the cast; `hit` makes a hit of an answer.
    pub(super) fn run<D: DistanceQuestion>(self, base: D, hit: impl Fn(AnswerAt) -> H) {
        if self.limit < 0.0 {
            return self.wanted.finish_without_answers();
        }
        let Self { view, mut filter, stats, limit, refine, wanted, .. } = self;
        let question = Refined { base, hit: &hit, refine };
        let work = wanted.ask(view, &mut filter, question, limit, &hit);
        work.add_to(stats);
    }
}

/// A cast with the caller's narrow phase.
pub(crate) struct Refined<'h, 'r, D, T, H> {
    pub(crate) base: D,
    pub(crate) hit: &'h T,
    pub(crate) refine: Option<NarrowPhase<'r, H>>,
}

impl<H, D: DistanceQuestion, T: Fn(AnswerAt) -> H> DistanceQuestion for Refined<'_, '_, D, T, H> {
    type Lanes = D::Lanes;

    fn start(&self) -> u8 {
        self.base.start()
    }

    #[inline]
    fn test(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, D::Lanes) {
        self.base.test(boxes, carry, limit)
    }

    #[inline]
    fn test_objects(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, D::Lanes) {
        self.base.test_objects(boxes, carry, limit)
    }

    #[inline]
    fn carry(&self, lanes: &D::Lanes, lane: usize) -> u8 {
        self.base.carry(lanes, lane)
    }

    #[inline]
    fn bounds(lanes: &D::Lanes) -> &[f32; WIDTH] {
        D::bounds(lanes)
    }

    #[inline]
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut D::Lanes, limit: f32) -> LaneMask {
        self.base.refine(spheres, which, lanes, limit)
    }

    #[inline]
    fn exact(&mut self, word: ObjectWord, at: Location, bound: f32, carry: u8) -> Option<f32> {
        let distance = self.base.exact(word, at, bound, carry)?;
        match &mut self.refine {
            None => Some(distance),
            Some(refine) => refine(&(self.hit)(AnswerAt { word, at, distance, carry })),
        }
    }
}
