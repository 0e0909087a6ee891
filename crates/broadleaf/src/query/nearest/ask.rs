//! The question for nearest objects, without type parameters.

use super::near::{BoxDistances, Neighbor, nearest};
use crate::data::{QueryStats, View};
use crate::geometry::Aabb;
use crate::query::cast::ask::{Refined, WithTests};
use crate::query::distance::{AnswerAt, DistanceQuestion};
use crate::query::record::{RecordedThen, Recorder};
use crate::query::{DistanceOutput, Filter, NarrowPhase};
use alloc::vec::Vec;

/// A question about one place.
pub(crate) struct NearestAsk<'a> {
    pub(crate) view: View<'a>,
    pub(crate) filter: Filter<'a>,
    pub(crate) stats: Option<&'a mut QueryStats>,
    /// Nothing farther is wanted; may be negative.
    pub(crate) limit: f32,
    pub(crate) refine: Option<NarrowPhase<'a, Neighbor>>,
    pub(crate) recorder: Option<&'a Recorder>,
    pub(crate) wanted: NearestOutput<'a>,
}

/// Which neighbours are wanted, and where they go.
pub(crate) enum NearestOutput<'a> {
    /// Adds so many of the nearest, in order.
    Count(usize, &'a mut Vec<Neighbor>),
    By(DistanceOutput<'a, Neighbor>),
}

impl NearestAsk<'_> {
    pub(crate) fn run(self, from: &Aabb) {
        match self.recorder {
            None => {
                let view = self.view;
                self.ask(from, BoxDistances::new(from), |reached| view.neighbor(from, reached.distance, reached.at));
            }
            Some(recorder) => self.run_recorded(from, recorder),
        }
    }

    #[cold]
    fn run_recorded(self, from: &Aabb, recorder: &Recorder) {
        let Self { view, mut filter, stats, limit, refine, wanted, .. } = self;
        let hit = |reached: AnswerAt| view.neighbor(from, reached.distance, reached.at);
        let NearestOutput::Count(count, found) = wanted else {
            let ask = NearestAsk { view, filter, stats, limit, refine, recorder: None, wanted };
            return RecordedThen { then: AskFrom { ask, from }, recorder }.with(view, BoxDistances::new(from), hit);
        };
        // The answers are made of drafts, not of what is reached.
        let start = found.len();
        // For a shorter time than the caller's.
        #[expect(clippy::needless_match, reason = "shortens the lifetime within the option")]
        let refine: Option<NarrowPhase<'_, Neighbor>> = match refine {
            Some(refine) => Some(refine),
            None => None,
        };
        let (filter, wanted) = (filter.reborrow(), NearestOutput::Count(count, &mut *found));
        let ask = NearestAsk { view, filter, stats, limit, refine, recorder: None, wanted };
        RecordedThen { then: AskFrom { ask, from }, recorder }.with(view, BoxDistances::new(from), hit);
        found[start..].iter().for_each(|near| recorder.note_handle(view, near.handle));
    }

    #[inline]
    fn ask<D: DistanceQuestion>(self, from: &Aabb, base: D, neighbor: impl Fn(AnswerAt) -> Neighbor) {
        let Self { view, mut filter, stats, limit, refine, wanted, .. } = self;
        let filter = &mut filter;
        let question = Refined { base, hit: &neighbor, refine };
        let work = match wanted {
            NearestOutput::Count(count, found) => nearest(view, filter, question, from, limit, count, found),
            NearestOutput::By(output) => output.ask(view, filter, question, limit, &neighbor),
        };
        work.add_to(stats);
    }
}

/// A question and the place that it is about.
struct AskFrom<'a, 'f> {
    ask: NearestAsk<'a>,
    from: &'f Aabb,
}

impl WithTests<Neighbor> for AskFrom<'_, '_> {
    fn has_narrow_phase(&self) -> bool {
        self.ask.refine.is_some()
    }

    fn with<D: DistanceQuestion>(self, _: View<'_>, tests: D, hit: impl Fn(AnswerAt) -> Neighbor) {
        self.ask.ask(self.from, tests, hit);
    }
}
