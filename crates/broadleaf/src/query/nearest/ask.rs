//! The question for nearest objects, without type parameters.

use super::near::{BoxDistances, Neighbor, nearest};
use crate::data::{QueryStats, View};
use crate::geometry::Aabb;
use crate::query::cast::ask::Refined;
use crate::query::distance::AnswerAt;
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
        let Self { view, mut filter, stats, limit, refine, wanted } = self;
        let filter = &mut filter;
        let neighbor = |reached: AnswerAt| view.neighbor(from, reached.distance, reached.at);
        let question = Refined { base: BoxDistances::new(from), hit: &neighbor, refine };
        let work = match wanted {
            NearestOutput::Count(count, found) => nearest(view, filter, question, from, limit, count, found),
            NearestOutput::By(output) => output.ask(view, filter, question, limit, neighbor),
        };
        if let Some(stats) = stats {
            *stats += work;
        }
    }
}
