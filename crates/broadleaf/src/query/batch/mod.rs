//! Batches: many questions of one kind in one call; their options.

mod buffer;
mod curve;
mod tasks;

pub use buffer::Batch;

use crate::data::{QueryStats, Threads};
use crate::query::{Accept, Filter, NoFilter, Objects};
use crate::{Error, Handle, SliceError};

/// A closure that accepts objects, called from several threads, or [`NoFilter`].
pub trait AcceptShared {
    /// The closure; `None` accepts everything.
    #[doc(hidden)]
    fn as_shared(&self) -> Option<&(dyn Fn(Handle) -> bool + Sync)>;
}

impl AcceptShared for NoFilter {
    #[inline]
    fn as_shared(&self) -> Option<&(dyn Fn(Handle) -> bool + Sync)> {
        None
    }
}

impl<F: Fn(Handle) -> bool + Sync> AcceptShared for F {
    #[inline]
    fn as_shared(&self) -> Option<&(dyn Fn(Handle) -> bool + Sync)> {
        Some(self)
    }
}

/// The options of a batch, without type parameters.
pub(super) struct BatchOptions<'a> {
    objects: Objects<AcceptOf<'a>>,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
}

impl<'a> BatchOptions<'a> {
    #[inline]
    pub(super) fn new<F: AcceptShared>(
        objects: &'a Objects<F>,
        threads: Threads,
        stats: Option<&'a mut QueryStats>,
    ) -> Self {
        let &Objects { layers, only, exclude, ref accept } = objects;
        let objects = Objects { layers, only, exclude, accept: AcceptOf(accept.as_shared()) };
        Self { objects, threads, stats }
    }

    /// What every question shares, the threads, and where the work is added.
    pub(super) fn split(self) -> (SharedOptions<'a>, Threads, Option<&'a mut QueryStats>) {
        let Self { objects, threads, stats } = self;
        (SharedOptions { objects, counts: stats.is_some() }, threads, stats)
    }
}

/// The closure of a batch, or none.
#[derive(Clone, Copy)]
struct AcceptOf<'a>(Option<&'a (dyn Fn(Handle) -> bool + Sync)>);

impl Accept for AcceptOf<'_> {
    #[inline]
    fn as_dyn(&mut self) -> Option<&mut dyn FnMut(Handle) -> bool> {
        self.0.as_mut().map(|accept| accept as &mut dyn FnMut(Handle) -> bool)
    }
}

/// The options that every question of a batch shares.
#[derive(Clone, Copy)]
pub(super) struct SharedOptions<'a> {
    objects: Objects<AcceptOf<'a>>,
    counts: bool,
}

impl<'a> SharedOptions<'a> {
    /// The options of one question.
    #[inline]
    pub(super) fn one(&self) -> OneQuestion<'a> {
        OneQuestion { shared: *self, work: QueryStats::default() }
    }
}

/// The options of one question of a batch, and its work.
pub(super) struct OneQuestion<'a> {
    shared: SharedOptions<'a>,
    pub(super) work: QueryStats,
}

impl OneQuestion<'_> {
    /// The filter, and where work is added if it is counted.
    #[inline]
    pub(super) fn split(&mut self) -> (Filter<'_>, Option<&mut QueryStats>) {
        (self.shared.objects.filter(), self.shared.counts.then_some(&mut self.work))
    }
}

/// Checks all elements of a slice, and names the first that is not legal.
pub(super) fn check_all<T>(items: &[T], check: impl Fn(&T) -> Result<(), Error>) -> Result<(), SliceError> {
    let checked = |(index, item)| check(item).map_err(|error| SliceError { index, error });
    items.iter().enumerate().try_for_each(checked)
}

/// The options of every batch. The query has the fields `objects: Objects<F>`, `stats` and `threads`.
macro_rules! batch_options {
    () => {
        $crate::query::object_options!();

        /// Shares the questions out to threads; [`Threads::One`](crate::Threads::One) unless
        /// set. The answers are the same.
        #[inline]
        pub fn threads(mut self, threads: $crate::Threads) -> Self {
            self.threads = threads;
            self
        }
    };
}
pub(super) use batch_options;
