//! An overlap question without the type of its region, and of many regions.
//!
//! Built-in regions run these in functions that are not generic. Lists are
//! filled by two traversals of their own, one of which counts its work; all
//! other terminals share one.

use super::answer::{FromContainment, each};
use super::slots::SlotSet;
use super::visible::{Viewpoint, VisibleObject, visible, visible_in_order};
use crate::data::{QueryStats, Sink, TakeFirst, View};
use crate::query::batch::BatchOptions;
use crate::query::region::{RegionLanes, WithLanes};
use crate::query::{Batch, Filter};
use crate::scratch::Scratch;
use crate::{Containment, Handle};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A question about one region.
pub struct OverlapAsk<'a> {
    pub(crate) view: View<'a>,
    pub(crate) filter: Filter<'a>,
    pub(crate) stats: Option<&'a mut QueryStats>,
    pub(crate) answers: Answers<'a>,
}

/// What is asked for, and where it goes.
pub enum Answers<'a> {
    Handles(Sink<'a, Handle>),
    Contained(Sink<'a, (Handle, Containment)>),
    /// In order if there is working memory.
    Visible(Sink<'a, VisibleObject>, Viewpoint, Option<&'a mut Scratch>),
    Slots(&'a mut SlotSet),
}

impl WithLanes for OverlapAsk<'_> {
    type Output = ();

    #[inline]
    fn with<L: RegionLanes>(self, lanes: L) {
        let Self { view, mut filter, stats, answers } = self;
        let is_plain = stats.is_none() && filter.is_plain();
        let work = match answers {
            Answers::Handles(sink) => fill(view, &mut filter, lanes, sink, is_plain),
            Answers::Contained(sink) => fill(view, &mut filter, lanes, sink, is_plain),
            Answers::Slots(slots) => {
                slots.clear(view.data.objects.slots_len() as usize);
                let mut insert = |handle: Handle| {
                    slots.insert(handle.slot());
                    ControlFlow::Continue(())
                };
                each::<false, Handle, _, _>(view, &mut filter, lanes, Sink::Visit(&mut insert))
            }
            Answers::Visible(mut sink, viewpoint, scratch) => {
                sink.start();
                match scratch {
                    Some(scratch) => visible_in_order(view, &mut filter, lanes, &viewpoint, scratch, sink),
                    None => match sink {
                        Sink::Any(any) => visible(view, &mut filter, lanes, &viewpoint, TakeFirst(any)),
                        sink => visible(view, &mut filter, lanes, &viewpoint, sink),
                    },
                }
            }
        };
        work.add_to(stats);
    }
}

fn fill<T: FromContainment, L: RegionLanes>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    lanes: L,
    mut sink: Sink<'_, T>,
    is_plain: bool,
) -> QueryStats {
    sink.start();
    match sink {
        Sink::List(found) | Sink::Append(found) => fill_list(view, filter, lanes, found, is_plain),
        Sink::Any(any) => each::<false, T, _, _>(view, filter, lanes, TakeFirst(any)),
        sink => each::<false, T, _, _>(view, filter, lanes, sink),
    }
}

/// Adds the answers to a list: pushed as they are, with no choice of a sink for each.
#[inline]
pub(super) fn fill_list<T: FromContainment, L: RegionLanes>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    lanes: L,
    found: &mut Vec<T>,
    is_plain: bool,
) -> QueryStats {
    if is_plain {
        each::<true, T, _, _>(view, filter, lanes, found)
    } else {
        each::<false, T, _, _>(view, filter, lanes, found)
    }
}

/// A question about many regions.
pub struct OverlapBatchAsk<'a> {
    pub(super) view: View<'a>,
    pub(super) options: BatchOptions<'a>,
    pub(super) answers: BatchAnswers<'a>,
}

/// Where the answers of a batch go.
pub enum BatchAnswers<'a> {
    Handles(&'a mut Batch<Handle>),
    Contained(&'a mut Batch<(Handle, Containment)>),
}
