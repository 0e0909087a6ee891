//! Questions whose answers lie at a distance, and three ways to ask them: for
//! the closest answer, for all, and in order (`walk/best_first.rs`).
//!
//! The test of eight boxes gives a lower bound of each distance. The exact
//! distance is computed one candidate at a time, and there the caller's narrow
//! phase may change it. Of equally distant objects the lowest slot comes first.

use super::walk::best_first::{in_order, sorted};
use super::walk::nearest_first::{NearestFirst, walk_nearest_first};
use super::walk::{FoundObject, Question, walk};
use crate::data::{Location, MapTake, ObjectWord, QueryStats, Sink, Take, TakeFirst, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH};
use crate::query::{Filter, OrderScratch};
use core::ops::ControlFlow;

/// A question whose answers lie at a distance: world units, or a time.
pub trait DistanceQuestion {
    /// The result of a test of eight boxes beside the mask.
    type Lanes: Copy;

    /// What the test of the root gets in place of a parent's result.
    fn start(&self) -> u8 {
        0
    }
    /// The lanes that may hold an answer within `limit`.
    fn test(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, Self::Lanes);
    /// The same of eight objects.
    #[inline]
    fn test_objects(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, Self::Lanes) {
        self.test(boxes, carry, limit)
    }
    /// What the tests of a lane's contents get from this test: one byte, such as the planes to test.
    fn carry(&self, _lanes: &Self::Lanes, _lane: usize) -> u8 {
        0
    }
    /// A lower bound of the distances in each lane.
    fn bounds(lanes: &Self::Lanes) -> &[f32; WIDTH];
    /// Of the `spheres` among the lanes that passed, those that pass their own
    /// test; may raise their bounds.
    fn refine(&self, _spheres: &Spheres, which: LaneMask, _lanes: &mut Self::Lanes, _limit: f32) -> LaneMask {
        which
    }
    /// The exact distance of an object that passed, from its bound and from
    /// what its lane inherits; `None` if it is no answer.
    fn exact(&mut self, word: ObjectWord, at: Location, bound: f32, carry: u8) -> Option<f32>;
}

/// An object at its exact distance.
#[derive(Debug, Clone, Copy)]
pub struct AnswerAt {
    pub(super) word: ObjectWord,
    pub(super) at: Location,
    pub(super) distance: f32,
    /// What the test of the object's lane passes on.
    pub(super) carry: u8,
}

impl AnswerAt {
    /// Orders answers: by distance, then by slot.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        key(self.distance, self.word)
    }
}

/// A number that orders answers: by distance, which is not negative, then by slot.
#[inline]
pub(super) fn key(distance: f32, word: ObjectWord) -> u64 {
    u64::from(distance.to_bits()) << 32 | u64::from(word.row().0)
}

/// The distance that a key holds.
#[inline]
pub(super) fn distance_of(key: u64) -> f32 {
    f32::from_bits((key >> 32) as u32)
}

/// An object that passed at its exact distance, if that is within the limit. A
/// distance that a narrow phase makes negative counts as zero.
#[inline]
fn reached<Q: DistanceQuestion>(question: &mut Q, object: &FoundObject<'_, Q::Lanes>, limit: f32) -> Option<AnswerAt> {
    let (word, at) = (object.word, object.at);
    let (bound, carry) = (Q::bounds(object.lanes)[at.lane() % WIDTH], question.carry(object.lanes, at.lane()));
    let distance = question.exact(word, at, bound, carry)?;
    let distance = if distance > 0.0 {
        distance
    } else if distance <= 0.0 {
        0.0
    } else {
        return None;
    };
    (distance <= limit).then_some(AnswerAt { word, at, distance, carry })
}

/// How answers are collected.
pub(super) trait Collector {
    /// Whether nearer contents come first, and those beyond the limit are dropped.
    const ORDERED: bool = false;
    /// Whether it breaks at the first answer.
    const ENDS_AT_FIRST: bool = false;
    /// No answer is wanted beyond this distance. It may fall.
    fn limit(&self) -> f32;
    /// Takes an answer within the limit.
    fn collect<L>(&mut self, answer: AnswerAt, object: &FoundObject<'_, L>) -> ControlFlow<()>;
}

/// A question about distances, and what becomes of its answers: what the traversals ask.
pub(super) struct ByDistance<Q, C> {
    question: Q,
    pub(super) collector: C,
}

impl<Q: DistanceQuestion, C> ByDistance<Q, C> {
    pub(super) fn new(question: Q, collector: C) -> Self {
        Self { question, collector }
    }
}

impl<Q: DistanceQuestion, C: Collector> NearestFirst for ByDistance<Q, C> {
    #[inline]
    fn limit(&self) -> f32 {
        self.collector.limit()
    }

    #[inline]
    fn bounds(lanes: &Q::Lanes) -> &[f32; WIDTH] {
        Q::bounds(lanes)
    }
}

impl<Q: DistanceQuestion, C: Collector> Question for ByDistance<Q, C> {
    type Carry = u8;
    type Lanes = Q::Lanes;
    const ENDS_AT_FIRST: bool = C::ENDS_AT_FIRST;

    fn start(&self) -> u8 {
        self.question.start()
    }

    #[inline]
    fn test(&self, boxes: &Boxes, carry: u8) -> (LaneMask, Q::Lanes) {
        self.question.test(boxes, carry, self.collector.limit())
    }

    #[inline]
    fn test_objects(&self, boxes: &Boxes, carry: u8) -> (LaneMask, Q::Lanes) {
        self.question.test_objects(boxes, carry, self.collector.limit())
    }

    #[inline]
    fn carry(&self, lanes: &Q::Lanes, lane: usize) -> u8 {
        self.question.carry(lanes, lane)
    }

    #[inline]
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Q::Lanes) -> LaneMask {
        self.question.refine(spheres, which, lanes, self.collector.limit())
    }

    #[inline]
    fn hit(&mut self, object: FoundObject<'_, Q::Lanes>) -> ControlFlow<()> {
        let limit = self.collector.limit();
        // A lane that passed before the limit was lowered may be too far now.
        if C::ORDERED && Q::bounds(object.lanes)[object.at.lane() % WIDTH] > limit {
            return ControlFlow::Continue(());
        }
        match reached(&mut self.question, &object, limit) {
            Some(answer) => self.collector.collect(answer, &object),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Keeps the closest answer.
struct Closest {
    limit: f32,
    best: Option<AnswerAt>,
}

impl Collector for Closest {
    const ORDERED: bool = true;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline]
    fn collect<L>(&mut self, answer: AnswerAt, _: &FoundObject<'_, L>) -> ControlFlow<()> {
        if self.best.is_none_or(|best| answer.key() < best.key()) {
            self.limit = answer.distance;
            self.best = Some(answer);
        }
        ControlFlow::Continue(())
    }
}

/// The closest answer within `limit`.
fn closest<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    limit: f32,
) -> (Option<AnswerAt>, QueryStats) {
    let mut question = ByDistance::new(question, Closest { limit, best: None });
    let mut stats = walk_nearest_first(view, filter, &mut question);
    let best = question.collector.best;
    stats.hits = u64::from(best.is_some());
    (best, stats)
}

/// Hands out every answer.
struct Each<S> {
    limit: f32,
    hits: u64,
    take: S,
}

impl<S: Take<AnswerAt>> Collector for Each<S> {
    const ENDS_AT_FIRST: bool = S::ENDS_AT_FIRST;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline]
    fn collect<L>(&mut self, answer: AnswerAt, _: &FoundObject<'_, L>) -> ControlFlow<()> {
        self.hits += 1;
        self.take.take(answer)
    }
}

/// Hands out all answers within `limit`, in the order of the traversal.
#[inline]
pub(super) fn all<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    limit: f32,
    take: impl Take<AnswerAt>,
) -> QueryStats {
    let mut question = ByDistance::new(question, Each { limit, hits: 0, take });
    let mut stats = walk(view, filter, &mut question);
    stats.hits = question.collector.hits;
    stats
}

/// Which answers of a question about distances are wanted, and where they go.
pub(crate) enum DistanceOutput<'a, H> {
    Closest(&'a mut Option<H>),
    All(Sink<'a, H>),
    InOrder(Sink<'a, H>, &'a mut OrderScratch),
}

impl<H> DistanceOutput<'_, H> {
    /// Asks a question, and makes each answer by `hit`.
    pub(super) fn ask<Q: DistanceQuestion>(
        self,
        view: View<'_>,
        filter: &mut Filter<'_>,
        question: Q,
        limit: f32,
        hit: impl Fn(AnswerAt) -> H,
    ) -> QueryStats {
        match self {
            Self::Closest(best) => {
                let (reached, work) = closest(view, filter, question, limit);
                *best = reached.map(hit);
                work
            }
            Self::All(mut sink) => {
                sink.start();
                match sink {
                    Sink::Any(any) => all(view, filter, question, limit, MapTake { take: TakeFirst(any), map: hit }),
                    sink => all(view, filter, question, limit, MapTake { take: sink, map: hit }),
                }
            }
            Self::InOrder(mut sink, scratch) => {
                sink.start();
                if sink.wants_all() {
                    sorted(view, filter, question, limit, scratch, |reached| _ = sink.take(hit(reached)))
                } else {
                    in_order(view, filter, question, limit, scratch, |reached| sink.take(hit(reached)))
                }
            }
        }
    }

    /// Answers a question that nothing can answer.
    pub(super) fn finish_without_answers(self) {
        match self {
            Self::Closest(_) => {}
            Self::All(mut sink) | Self::InOrder(mut sink, _) => sink.start(),
        }
    }
}
