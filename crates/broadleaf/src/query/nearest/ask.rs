//! A question for what is near, without type parameters.

use super::near::{BoxDistances, Neighbor, nearest};
use crate::data::terminals::{Sink, Take};
use crate::data::view::{QueryStats, View};
use crate::geometry::Aabb;
use crate::query::cast::ask::Refined;
use crate::query::distance::{AnswerAt, all, closest};
use crate::query::filter::Filter;
use crate::query::refine::NarrowPhase;
use crate::query::walk::best_first::{OrderScratch, in_order, sorted};
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
    Closest(&'a mut Option<Neighbor>),
    /// Adds so many of the nearest, in order.
    Count(usize, &'a mut Vec<Neighbor>),
    All(Sink<'a, Neighbor>),
    InOrder(Sink<'a, Neighbor>, &'a mut OrderScratch),
}

impl NearestAsk<'_> {
    pub(crate) fn run(self, from: &Aabb) {
        let Self { view, mut filter, stats, limit, refine, wanted } = self;
        let filter = &mut filter;
        let neighbor = |reached: AnswerAt| view.neighbor(from, reached.distance, reached.at);
        let question = Refined { base: BoxDistances::new(from), hit: &neighbor, refine };
        let work = match wanted {
            NearestOutput::Closest(best) => {
                let (reached, work) = closest(view, filter, question, limit);
                *best = reached.map(neighbor);
                work
            }
            NearestOutput::Count(count, found) => nearest(view, filter, question, from, limit, count, found),
            NearestOutput::All(mut sink) => {
                sink.start();
                all(view, filter, question, limit, |reached| sink.take(neighbor(reached)))
            }
            NearestOutput::InOrder(mut sink, scratch) => {
                sink.start();
                if sink.wants_all() {
                    sorted(view, filter, question, limit, scratch, |reached| {
                        let _ = sink.take(neighbor(reached));
                    })
                } else {
                    in_order(view, filter, question, limit, scratch, |reached| sink.take(neighbor(reached)))
                }
            }
        };
        if let Some(stats) = stats {
            *stats += work;
        }
    }
}
