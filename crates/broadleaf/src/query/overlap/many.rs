//! Batches of regions.

use super::answer::FromContainment;
use super::ask::{BatchAnswers, OverlapBatchAsk, fill_list};
use crate::data::{QueryStats, Threads, View};
use crate::query::batch::{BatchOptions, batch_options, check_all};
use crate::query::region::{RegionLanes, WithLanes};
use crate::query::{AcceptShared, Batch, Filter, NoFilter, Objects, Region};
use crate::{Containment, Handle, SliceError};
use alloc::vec::Vec;
use core::marker::PhantomData;

impl<'a> View<'a> {
    /// Asks [`View::overlap`] of many regions at once, also on threads. The
    /// answers come in the order of the regions; [`Batch`] has an example.
    ///
    /// *Cost:* that of the single questions, of neighbours after each other, and a copy of the answers.
    ///
    /// # Errors
    /// The first region that is not legal.
    #[inline]
    pub fn overlap_many<R: Region + Sync>(self, regions: &'a [R]) -> Result<OverlapQueries<'a, R>, SliceError> {
        check_all(regions, Region::check)?;
        let (objects, threads) = (Objects::ALL, Threads::One);
        Ok(OverlapQueries { view: self, regions, objects, threads, stats: None, answer: PhantomData })
    }
}

/// Which objects overlap each of many regions `R`; made by [`View::overlap_many`].
///
/// Its answers are of type `T`: a [`Handle`], or a `(Handle, Containment)`.
#[must_use = "a question is asked by its terminal, `collect_into`"]
#[derive(Debug)]
pub struct OverlapQueries<'a, R, T = Handle, F = NoFilter> {
    view: View<'a>,
    regions: &'a [R],
    objects: Objects<F>,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
    answer: PhantomData<T>,
}

impl<'a, R: Region + Sync, T: BatchAnswer, F: AcceptShared> OverlapQueries<'a, R, T, F> {
    batch_options!();

    /// Only objects that the closure accepts. It is asked about candidates,
    /// some of which may turn out not to overlap.
    #[inline]
    pub fn filter<G: Fn(Handle) -> bool + Sync>(self, accept: G) -> OverlapQueries<'a, R, T, G> {
        let Self { view, regions, objects, threads, stats, answer } = self;
        OverlapQueries { view, regions, objects: objects.with_accept(accept), threads, stats, answer }
    }

    /// Tells of each object whether it lies wholly inside the region.
    #[inline]
    pub fn with_containment(self) -> OverlapQueries<'a, R, (Handle, Containment), F> {
        let Self { view, regions, objects, threads, stats, .. } = self;
        OverlapQueries { view, regions, objects, threads, stats, answer: PhantomData }
    }

    /// Fills `batch` with the answers, in the order of the regions.
    #[inline]
    pub fn collect_into(self, batch: &mut Batch<T>) {
        let options = BatchOptions::new(&self.objects, self.threads, self.stats);
        R::run_many(self.regions, OverlapBatchAsk { view: self.view, options, answers: T::batch_answers(batch) });
    }
}

/// What [`OverlapQueries`] answer: a [`Handle`], or a `(Handle, Containment)`. Nothing
/// else can be.
pub trait BatchAnswer: Sized {
    /// Where the answers go, without type parameters.
    #[doc(hidden)]
    fn batch_answers(batch: &mut Batch<Self>) -> BatchAnswers<'_>;
}

impl BatchAnswer for Handle {
    #[inline]
    fn batch_answers(batch: &mut Batch<Self>) -> BatchAnswers<'_> {
        BatchAnswers::Handles(batch)
    }
}

impl BatchAnswer for (Handle, Containment) {
    #[inline]
    fn batch_answers(batch: &mut Batch<Self>) -> BatchAnswers<'_> {
        BatchAnswers::Contained(batch)
    }
}

impl OverlapBatchAsk<'_> {
    pub(in crate::query) fn run<R: Region + Sync>(self, regions: &[R]) {
        let Self { view, options, answers } = self;
        match answers {
            BatchAnswers::Handles(batch) => run(view, regions, options, batch),
            BatchAnswers::Contained(batch) => run(view, regions, options, batch),
        }
    }
}

fn run<R: Region + Sync, T: FromContainment + Copy + Send + Sync>(
    view: View<'_>,
    regions: &[R],
    options: BatchOptions<'_>,
    batch: &mut Batch<T>,
) {
    batch.forget_answers();
    if regions.first().is_some_and(|region| region.with_lanes(IsExpensive)) {
        batch.arrange_expensive();
    } else {
        batch.arrange_bounds(view, regions.iter().map(Region::bounds));
    }
    let (shared, threads, stats) = options.split();
    let work = batch.run(regions.len(), threads, |question, found| {
        let mut one = shared.one();
        let (filter, stats) = one.split();
        regions[question].with_lanes(Append { view, filter, stats, found });
        one.work
    });
    work.add_to(stats);
}

/// Whether a question about a region is worth a task of its own.
struct IsExpensive;

impl WithLanes for IsExpensive {
    type Output = bool;

    fn with<L: RegionLanes>(self, _: L) -> bool {
        L::IS_DEAR
    }
}

/// Adds the answers about one region to a list.
struct Append<'a, T> {
    view: View<'a>,
    filter: Filter<'a>,
    stats: Option<&'a mut QueryStats>,
    found: &'a mut Vec<T>,
}

impl<T: FromContainment> WithLanes for Append<'_, T> {
    type Output = ();

    #[inline]
    fn with<L: RegionLanes>(self, lanes: L) {
        let Self { view, mut filter, stats, found } = self;
        let is_plain = stats.is_none() && filter.is_plain();
        let work = fill_list(view, &mut filter, lanes, found, is_plain);
        work.add_to(stats);
    }
}
