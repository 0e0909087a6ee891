//! The question for all pairs.

use super::movers;
use super::pair::Pair;
use super::pass::carried::CarriedStack;
use super::pass::sink::Sink as PairSink;
use super::pass::{Pass, Serial, small};
use crate::data::terminals::terminals;
use crate::data::{Bump, BumpScratch, BumpVec, QueryStats, Sink, Take, Threads, View};
use crate::geometry::lanes::{PREFETCH_CODE_MIN, prefetch_code};
use crate::query::{Accept, NoFilter};
use crate::scratch::Scratch;
use crate::spans::{record, span};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Working memory of the pair pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassScratch {
    pub(super) bump_scratch: BumpScratch,
    /// Pairs that threads have found, on their way to a visitor.
    found: Vec<Pair>,
    #[cfg(feature = "parallel")]
    pub(super) parallel: super::pass::tasks::TaskScratch,
}

impl<'a> View<'a> {
    /// Asks for all overlapping pairs, each once: boxes and spheres exact,
    /// touching counts, layers respected, never two static objects.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, Scratch, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let (a, b) = (tree.insert(unit)?, tree.insert(unit.translated(Vec3::X))?);
    /// let (view, mut scratch, mut found) = (tree.view(), Scratch::new(), Vec::new());
    ///
    /// view.pairs(&mut scratch).threads(Threads::Pool).collect_into(&mut found);
    /// assert_eq!((found[0].a(), found[0].b()), (a, b));
    /// assert_eq!(view.pairs(&mut scratch).filter(|pair| pair.a() != a).count(), 0);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* that of the traversal; in a world of few blocks of eight, by block; else where
    /// few objects move, that of a walk of these. The same for the same sequence of calls, for any number of threads.
    ///
    /// *Cost:* in proportion to objects and pairs. Subtrees without a moving object
    /// are skipped among themselves, and so are those whose layers do not interact.
    /// Where few objects move, in proportion to these and their pairs. How many are few depends on how many
    /// neighbours each part of the tree has: with the default settings about one object in 7 if objects fill a volume,
    /// one in 30 along a road.
    ///
    /// [`QueryStats::objects_tested`] counts each object once for each bucket that it meets (in
    /// a small world, for each eight blocks), not each test. Where few objects move, it counts the objects of each block
    /// of eight that one of these is tested with, and [`QueryStats::nodes_visited`] a node once for up to 64 of them.
    #[inline]
    pub fn pairs(self, scratch: &'a mut Scratch) -> PairQuery<'a> {
        PairQuery { view: self, scratch, threads: Threads::One, stats: None, accept: NoFilter }
    }
}

/// All overlapping pairs; made by [`View::pairs`].
///
/// `F` is the closure of `filter`.
#[must_use = "a question is asked by its terminal, such as `collect_into`"]
#[derive(Debug)]
pub struct PairQuery<'a, F = NoFilter> {
    view: View<'a>,
    scratch: &'a mut Scratch,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
    accept: F,
}

impl<'a, F: Accept<Pair>> PairQuery<'a, F> {
    /// Shares the work out to threads, in about 64 chunks of 256 objects or
    /// more (of 64 moving objects, where few move); [`Threads::One`] unless said.
    /// The pairs and their order are the same. Visitors run on the calling thread.
    ///
    /// *Cost:* with [`Threads::Pool`] all pairs are found before the first is handed out, so that `any`, and a visitor
    /// that stops early, save nothing.
    #[inline]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Adds the work that the question takes to `stats`.
    #[inline]
    pub fn stats(mut self, stats: &'a mut QueryStats) -> Self {
        self.stats = Some(stats);
        self
    }

    /// Only pairs that the closure accepts: to leave out the parts of one body,
    /// or what joints connect.
    #[inline]
    pub fn filter<G: FnMut(Pair) -> bool>(self, accept: G) -> PairQuery<'a, G> {
        let Self { view, scratch, threads, stats, .. } = self;
        PairQuery { view, scratch, threads, stats, accept }
    }

    #[inline]
    fn run(&mut self, sink: Sink<'_, Pair>) {
        let work = run(self.view, &mut self.scratch.pass, self.threads, self.accept.as_dyn(), sink);
        work.add_to(self.stats.as_deref_mut());
    }

    terminals!(Pair);
}

fn run(
    view: View<'_>,
    scratch: &mut PassScratch,
    threads: Threads,
    accept: Option<&mut dyn FnMut(Pair) -> bool>,
    sink: Sink<'_, Pair>,
) -> QueryStats {
    let span = span!("pairs", objects = view.len(), objects_tested, pairs);
    let work = find(view, scratch, threads, accept, sink);
    record!(span, objects_tested = work.objects_tested, pairs = work.hits);
    work
}

fn find(
    view: View<'_>,
    scratch: &mut PassScratch,
    threads: Threads,
    accept: Option<&mut dyn FnMut(Pair) -> bool>,
    mut sink: Sink<'_, Pair>,
) -> QueryStats {
    sink.start();
    match (sink, accept) {
        (Sink::List(found), None) => view.pairs_into(scratch, threads, found),
        (mut sink, None) => view.pairs_each(scratch, threads, &mut |pair| sink.take(pair)),
        (mut sink, Some(accept)) => {
            let mut accepted = 0;
            let mut work = view.pairs_each(scratch, threads, &mut |pair| {
                if !accept(pair) {
                    return ControlFlow::Continue(());
                }
                accepted += 1;
                sink.take(pair)
            });
            work.hits = accepted;
            work
        }
    }
}

impl View<'_> {
    /// Fills `found` with all overlapping pairs.
    #[inline]
    pub(super) fn pairs_into(self, scratch: &mut PassScratch, threads: Threads, found: &mut Vec<Pair>) -> QueryStats {
        found.clear();
        #[cfg(feature = "parallel")]
        if threads == Threads::Pool && !small::is_small(self.data) {
            return self.pairs_parallel_into(scratch, found);
        }
        let _ = threads;
        self.pairs_serial(scratch, found)
    }

    /// Visits all overlapping pairs, in the order of the list.
    #[inline(never)]
    fn pairs_each(
        self,
        scratch: &mut PassScratch,
        threads: Threads,
        visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
    ) -> QueryStats {
        if threads == Threads::One {
            return self.pairs_serial(scratch, visit);
        }
        let mut found = core::mem::take(&mut scratch.found);
        let mut work = self.pairs_into(scratch, threads, &mut found);
        work.hits = 0;
        for &pair in &found {
            work.hits += 1;
            if visit(pair).is_break() {
                break;
            }
        }
        scratch.found = found;
        work
    }

    #[inline]
    fn pairs_serial<T: Take<Pair>>(self, scratch: &mut PassScratch, take: T) -> QueryStats {
        let prefetches = self.len() >= PREFETCH_CODE_MIN;
        if prefetches {
            self.data.prefetch_columns();
        }
        if small::is_small(self.data) {
            if prefetches {
                prefetch_code(Self::pairs_of_blocks::<T> as *const (), 0..74);
            }
            self.pairs_of_blocks(scratch, take)
        } else {
            if prefetches {
                prefetch_code(Self::pairs_of_tree::<T> as *const (), 0..28);
                movers::prefetch_code_of_search();
            }
            self.pairs_of_tree(scratch, take)
        }
    }

    /// The pairs of a world that is not small.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn pairs_of_tree<T: Take<Pair>>(self, scratch: &mut PassScratch, mut take: T) -> QueryStats {
        let bump = scratch.bump_scratch.start();
        if let Some(movers) = self.few_movers(bump) {
            return self.pairs_of_movers(&movers, |pair| take.take(pair));
        }
        // A tree of many blocks may hold few objects: it keeps the blocks of those that were removed.
        if self.len() >= PREFETCH_CODE_MIN {
            Pass::<'_, '_, T, Serial>::prefetch_code_of_pass();
        }
        self.pass(bump, take).1
    }

    /// The pass over the tree.
    fn pass(self, bump: &Bump, take: impl Take<Pair>) -> (ControlFlow<()>, QueryStats) {
        let mut pass = Pass {
            data: self.data,
            sink: PairSink::new(self, take),
            carried: CarriedStack::new(BumpVec::new_in(bump)),
            plan: Serial,
        };
        (pass.run(), pass.sink.stats)
    }

    /// The pairs of a small world. The library's own assertions compare them with those of the tree.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn pairs_of_blocks<T: Take<Pair>>(self, scratch: &mut PassScratch, take: T) -> QueryStats {
        let mut sink = PairSink::new(self, Summed { take, sum: 0 });
        let (flow, stats) = (sink.all_blocks(), sink.stats);
        if cfg!(debug_assertions) && flow.is_continue() {
            let found = sink.take.sum;
            let mut expected = Summed { take: |_| ControlFlow::Continue(()), sum: 0 };
            let _ = self.pass(scratch.bump_scratch.start(), |pair| expected.take(pair));
            assert_eq!(found, expected.sum, "the pairs of the blocks are those of the tree");
        }
        stats
    }
}

/// Sums the pairs that it hands on, where the library's own assertions are compiled.
struct Summed<T> {
    take: T,
    sum: u64,
}

impl<T> Summed<T> {
    #[inline(always)]
    fn add(sum: &mut u64, pair: Pair) -> Pair {
        if cfg!(debug_assertions) {
            *sum = sum.wrapping_add(pair.name());
        }
        pair
    }
}

impl<T: Take<Pair>> Take<Pair> for Summed<T> {
    #[inline]
    fn take(&mut self, pair: Pair) -> ControlFlow<()> {
        self.take.take(Self::add(&mut self.sum, pair))
    }

    #[inline]
    fn take_all(&mut self, pairs: impl Iterator<Item = Pair>, taken: &mut u64) -> ControlFlow<()> {
        let Self { take, sum } = self;
        take.take_all(pairs.map(|pair| Self::add(sum, pair)), taken)
    }
}
