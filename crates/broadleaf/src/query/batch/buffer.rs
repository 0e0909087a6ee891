//! The buffer of a batch: the answers to many questions of one kind, in the order in
//! which they were asked.
//!
//! The questions are asked along a Morton curve through their places, so that
//! neighbours find the tree in the cache; chunks of the curve may run on
//! several threads. Neither shows in the answers.

use super::curve::Curve;
use super::tasks::for_each;
use crate::data::unwind::cleared_on_panic;
use crate::data::{QueryStats, Threads, View};
use crate::geometry::Aabb;
use crate::spans::{record, span};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// Questions below which a chunk is not worth a task, but of dear ones.
const CHUNK_MIN: usize = 64;
/// Chunks that a long batch is split into at most, and half of which at least:
/// enough for an even load.
const CHUNKS: usize = 128;
/// Answers that are copied at a time.
const PIECE: usize = 2;

/// The answers to many questions, and the working memory to find them.
///
/// Answers come in the order in which they were asked. Keep one and hand it in again: once grown,
/// it allocates nothing, on one thread or on several (rayon's queues aside).
///
/// ```
/// use broadleaf::{Aabb, Batch, Octree, Threads, glam::Vec3};
///
/// let mut tree = Octree::default();
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// let handles = [tree.insert(unit)?, tree.insert(unit.translated(Vec3::X * 5.0))?];
/// let rooms = [unit.translated(Vec3::X * 4.5), unit.translated(Vec3::Y * 9.0), unit];
///
/// let mut batch = Batch::new();
/// tree.view().overlap_many(&rooms)?.threads(Threads::Pool).collect_into(&mut batch);
/// assert_eq!(batch.iter().map(<[_]>::len).collect::<Vec<_>>(), [1, 0, 1]);
/// assert_eq!((batch.of(0), batch.of(2)), (&handles[1..], &handles[..1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Batch<T> {
    /// In the order of the questions.
    answers: Vec<T>,
    /// Where the answers to each question are.
    ranges: Vec<Range<usize>>,
    curve: Curve,
    /// Questions below which a chunk is not worth a task.
    chunk_min: usize,
    chunks: Vec<Chunk<T>>,
}

/// Consecutive questions of the curve, and what one task found.
#[derive(Debug, Clone)]
struct Chunk<T> {
    found: Vec<T>,
    /// Where the answers to each question begin, and where the last ones end.
    starts: Vec<usize>,
    stats: QueryStats,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self {
            answers: Vec::new(),
            ranges: Vec::new(),
            curve: Curve::default(),
            chunk_min: CHUNK_MIN,
            chunks: Vec::new(),
        }
    }
}

impl<T> Batch<T> {
    /// A buffer without answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of questions that were asked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether no question was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The answers to the question of that index, in the order of a single
    /// call; none if there was no such question.
    #[inline]
    #[must_use]
    pub fn of(&self, question: usize) -> &[T] {
        self.ranges.get(question).map_or(&[], |range| &self.answers[range.clone()])
    }

    /// The answers to each question in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.ranges.iter().map(|range| &self.answers[range.clone()])
    }

    /// All answers in one piece, in the order of the questions: those to one
    /// side by side, at [`Batch::ranges`], in the order of a single call.
    #[must_use]
    pub fn answers(&self) -> &[T] {
        &self.answers
    }

    /// Where the answers to each question are in [`Batch::answers`]: one range
    /// begins where the one before ends.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Clears answers and ranges. Code of the caller's may panic before the first question: what the batch held of
    /// the one before would stay.
    pub(in crate::query) fn forget_answers(&mut self) {
        self.answers.clear();
        self.ranges.clear();
    }
}

impl<T: Copy + Send + Sync> Batch<T> {
    /// Asks all questions for any number of answers; `ask` appends those to one.
    pub(in crate::query) fn run(
        &mut self,
        count: usize,
        threads: Threads,
        ask: impl Fn(usize, &mut Vec<T>) -> QueryStats + Sync,
    ) -> QueryStats {
        let span = span!("batch", questions = count, answers);
        let stats = cleared_on_panic(self, Self::forget_answers, |batch| batch.run_list(count, threads, &ask));
        record!(span, answers = self.answers.len());
        stats
    }

    fn run_list(
        &mut self,
        count: usize,
        threads: Threads,
        ask: &(impl Fn(usize, &mut Vec<T>) -> QueryStats + Sync),
    ) -> QueryStats {
        self.ranges.clear();
        let mut stats = QueryStats::default();
        if threads == Threads::One && self.curve.is_input_order() {
            self.answers.clear();
            for question in 0..count {
                let start = self.answers.len();
                stats += ask(question, &mut self.answers);
                self.ranges.push(start..self.answers.len());
            }
            return stats;
        }
        let bits = self.chunk_bits(count, threads);
        run_chunks(&mut self.chunks, &self.curve, count, bits, ask).iter().for_each(|chunk| stats += chunk.stats);
        self.gather(count, bits);
        stats
    }

    /// Copies the answers out of the chunks, in the order of the questions.
    fn gather(&mut self, count: usize, bits: u32) {
        let chunks = &mut self.chunks[..count.div_ceil(1 << bits)];
        let total: usize = chunks.iter().map(|chunk| chunk.found.len()).sum();
        let Some(filler) = chunks.iter().find_map(|chunk| chunk.found.first().copied()) else {
            self.answers.clear();
            self.ranges.resize(count, 0..0);
            return;
        };
        // How many answers a question has is hard to predict: some are copied
        // whether they are there or not, and what follows overwrites the rest.
        chunks.iter_mut().for_each(|chunk| chunk.found.extend([filler; PIECE]));
        self.answers.resize(total + PIECE, filler);
        let mut end = 0;
        self.ranges.extend((0..count).map(|question| {
            let (start, place) = (end, self.curve.place(question));
            let (chunk, place) = (&chunks[place >> bits], place & ((1 << bits) - 1));
            let (from, to) = (chunk.starts[place], chunk.starts[place + 1]);
            end += to - from;
            self.answers[start..start + PIECE].copy_from_slice(&chunk.found[from..from + PIECE]);
            if to - from > PIECE {
                self.answers[start + PIECE..end].copy_from_slice(&chunk.found[from + PIECE..to]);
            }
            start..end
        }));
        self.answers.truncate(total);
    }

    /// Asks all questions for one answer each.
    pub(in crate::query) fn run_each(
        &mut self,
        count: usize,
        threads: Threads,
        unknown: T,
        ask: impl Fn(usize) -> (T, QueryStats) + Sync,
    ) -> QueryStats {
        let _span = span!("batch", questions = count, answers = count);
        cleared_on_panic(self, Self::forget_answers, |batch| batch.run_each_list(count, threads, unknown, &ask))
    }

    fn run_each_list(
        &mut self,
        count: usize,
        threads: Threads,
        unknown: T,
        ask: &(impl Fn(usize) -> (T, QueryStats) + Sync),
    ) -> QueryStats {
        self.answers.clear();
        self.answers.resize(count, unknown);
        self.ranges.clear();
        self.ranges.extend((0..count).map(|question| question..question + 1));
        let mut stats = QueryStats::default();
        if threads == Threads::One {
            for place in 0..count {
                let question = self.curve.question(place);
                let (answer, work) = ask(question);
                self.answers[question] = answer;
                stats += work;
            }
            return stats;
        }
        let append = |question: usize, found: &mut Vec<T>| {
            let (answer, stats) = ask(question);
            found.push(answer);
            stats
        };
        let bits = self.chunk_bits(count, threads);
        for (index, chunk) in run_chunks(&mut self.chunks, &self.curve, count, bits, &append).iter().enumerate() {
            for (place, answer) in (index << bits..).zip(&chunk.found) {
                self.answers[self.curve.question(place)] = *answer;
            }
            stats += chunk.stats;
        }
        stats
    }

    /// Questions a chunk, as a power of two: all of them on one thread.
    fn chunk_bits(&self, count: usize, threads: Threads) -> u32 {
        let size = if threads == Threads::One { count } else { count.div_ceil(CHUNKS).max(self.chunk_min) };
        size.next_power_of_two().trailing_zeros()
    }

    /// Has the questions asked along a Morton curve through the tree; as they
    /// come if they are few, or the tree is empty.
    pub(in crate::query) fn arrange(&mut self, view: View<'_>, places: impl ExactSizeIterator<Item = Vec3>) {
        self.chunk_min = CHUNK_MIN;
        match view.bounds() {
            Some(bounds) => {
                let _span = span!("batch_order", questions = places.len());
                self.curve.sort(&bounds, places);
            }
            None => self.curve.clear(),
        }
    }

    /// Has the questions asked by where their bounds lie in the tree.
    pub(in crate::query) fn arrange_bounds(&mut self, view: View<'_>, bounds: impl ExactSizeIterator<Item = Aabb>) {
        let tree = view.bounds().unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ZERO));
        let inside = |at: Vec3| at.max(tree.min).min(tree.max);
        self.arrange(view, bounds.map(|aabb| (inside(aabb.min) + inside(aabb.max)) * 0.5));
    }

    /// Has the questions asked as they come, each worth a task.
    pub(in crate::query) fn arrange_expensive(&mut self) {
        self.chunk_min = 1;
        self.curve.clear();
    }
}

/// Asks chunks of the curve, of two to the power of `bits` questions; if there
/// are several, on the threads of the pool.
fn run_chunks<'c, T: Send>(
    chunks: &'c mut Vec<Chunk<T>>,
    curve: &Curve,
    count: usize,
    bits: u32,
    ask: &(impl Fn(usize, &mut Vec<T>) -> QueryStats + Sync),
) -> &'c [Chunk<T>] {
    let used = count.div_ceil(1 << bits);
    if chunks.len() < used {
        chunks.resize_with(used, Chunk::new);
    }
    let run = |index: usize, chunk: &mut Chunk<T>| {
        let places = index << bits..((index + 1) << bits).min(count);
        chunk.run(places.map(|place| curve.question(place)), ask);
    };
    if let [only] = &mut chunks[..used] {
        run(0, only)
    } else {
        for_each(&mut chunks[..used], &run)
    }
    &chunks[..used]
}

impl<T> Chunk<T> {
    fn new() -> Self {
        Self { found: Vec::new(), starts: Vec::new(), stats: QueryStats::default() }
    }

    fn run(&mut self, questions: impl Iterator<Item = usize>, ask: impl Fn(usize, &mut Vec<T>) -> QueryStats) {
        self.found.clear();
        self.starts.clear();
        self.stats = QueryStats::default();
        for question in questions {
            self.starts.push(self.found.len());
            self.stats += ask(question, &mut self.found);
        }
        self.starts.push(self.found.len());
    }
}
