//! Questions whose answers lie at a distance, and three ways to ask them: for
//! the closest answer, for all, and in order (`order.rs`).
//!
//! The test of eight boxes gives a lower bound of each distance. The exact
//! distance is computed one candidate at a time, and there the caller's narrow
//! phase may change it. Of equally distant objects the lowest slot comes first.

use super::filter::Filter;
use super::walk::{FoundObject, Question, walk};
use crate::data::grid::levels::Split;
use crate::data::ids::{Location, ObjectWord};
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH, first_from, nearest_lane, within};
use core::ops::ControlFlow;

/// A question whose answers lie at a distance: world units, or a time.
pub(super) trait DistanceQuestion {
    /// What the test of eight boxes says beside the mask.
    type Lanes: Copy;

    /// Of a question that goes one way, the axes along which it goes down.
    fn axes_against(&self) -> Option<usize> {
        None
    }
    /// What the root inherits.
    fn start(&self) -> u8 {
        0
    }
    /// The lanes that may hold an answer within `limit`.
    fn test(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, Self::Lanes);
    /// What the contents of a lane inherit.
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
pub(super) struct AnswerAt {
    pub(super) word: ObjectWord,
    pub(super) at: Location,
    pub(super) distance: f32,
    /// What the question says of the object's lane.
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

/// An object that passed at its exact distance, if that is within the limit. A
/// distance that a narrow phase makes negative counts as zero.
#[inline]
pub(super) fn reached<Q: DistanceQuestion>(
    question: &mut Q,
    object: &FoundObject<'_, Q::Lanes>,
    limit: f32,
) -> Option<AnswerAt> {
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

struct ClosestAnswer<Q> {
    question: Q,
    axes_against: Option<usize>,
    limit: f32,
    best: Option<AnswerAt>,
}

impl<Q: DistanceQuestion> Question for ClosestAnswer<Q> {
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
    fn still_wanted(&self, deferred: LaneMask, lanes: &Q::Lanes) -> LaneMask {
        deferred & within(Q::bounds(lanes), self.limit)
    }

    #[inline]
    fn next(&self, deferred: LaneMask, lanes: &Q::Lanes, split: Split) -> usize {
        match self.axes_against {
            Some(axes) => first_from(deferred, split.octant_towards(axes)),
            None => nearest_lane(deferred, Q::bounds(lanes)),
        }
    }

    fn nearest(&self, deferred: LaneMask, lanes: &Q::Lanes) -> usize {
        nearest_lane(deferred, Q::bounds(lanes))
    }

    #[inline]
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Q::Lanes) -> LaneMask {
        self.question.refine(spheres, which, lanes, self.limit)
    }

    #[inline]
    fn hit(&mut self, object: FoundObject<'_, Q::Lanes>) -> ControlFlow<()> {
        // A lane that passed before the limit fell may be too far by now.
        if Q::bounds(object.lanes)[object.at.lane() % WIDTH] <= self.limit
            && let Some(answer) = reached(&mut self.question, &object, self.limit)
            && self.best.is_none_or(|best| answer.key() < best.key())
        {
            self.limit = answer.distance;
            self.best = Some(answer);
        }
        ControlFlow::Continue(())
    }
}

/// The closest answer within `limit`.
pub(super) fn closest<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    limit: f32,
) -> (Option<AnswerAt>, QueryStats) {
    let axes_against = question.axes_against();
    let mut question = ClosestAnswer { question, axes_against, limit, best: None };
    let mut stats = walk(view, filter, &mut question);
    stats.hits = u64::from(question.best.is_some());
    (question.best, stats)
}

struct AllAnswers<Q, F> {
    question: Q,
    limit: f32,
    hits: u64,
    visit: F,
}

impl<Q: DistanceQuestion, F: FnMut(AnswerAt) -> ControlFlow<()>> Question for AllAnswers<Q, F> {
    type Carry = u8;
    type Lanes = Q::Lanes;

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

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Q::Lanes) -> LaneMask {
        self.question.refine(spheres, which, lanes, self.limit)
    }

    fn hit(&mut self, object: FoundObject<'_, Q::Lanes>) -> ControlFlow<()> {
        match reached(&mut self.question, &object, self.limit) {
            Some(answer) => {
                self.hits += 1;
                (self.visit)(answer)
            }
            None => ControlFlow::Continue(()),
        }
    }
}

/// Visits all answers within `limit`, in the order of the traversal.
#[inline]
pub(super) fn all<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    limit: f32,
    visit: impl FnMut(AnswerAt) -> ControlFlow<()>,
) -> QueryStats {
    let mut question = AllAnswers { question, limit, hits: 0, visit };
    let mut stats = walk(view, filter, &mut question);
    stats.hits = question.hits;
    stats
}
