//! Many questions of a kind in one call, answered into one buffer of the
//! caller's, in the order in which they were asked.
//!
//! The questions are asked along a Morton curve through their places, so that
//! neighbours find the tree in the cache; chunks of the curve may run on
//! several threads. Neither shows in the answers.

use super::tasks::for_each;
use crate::data::threads::Threads;
use crate::data::view::{QueryStats, View};
use crate::geometry::Aabb;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// Questions below which a chunk is not worth a task.
const CHUNK_MIN: usize = 64;
/// Chunks that a batch is split into at most: enough for an even load.
const CHUNKS: usize = 64;
/// Questions from which on their order is worth a sort.
const SORT_MIN: usize = 256;
/// Cells of the curve along an axis, and in all.
const CELLS_AXIS: f32 = 16.0;
const CELLS: usize = 1 << 12;

/// The answers to many questions in the order in which they were asked, and
/// the working memory to find them. Keep one and hand it in again: once grown,
/// it allocates nothing, on one thread or on several (rayon's queues aside).
///
/// A batch takes no narrow phase and no choice of [`Inside`](crate::Inside):
/// what a closure would be asked on several threads is asked of the answers
/// afterwards, which are all there.
///
/// ```
/// use broadleaf::{Aabb, Batch, Layers, Octree, Threads, glam::Vec3};
///
/// let mut tree = Octree::default();
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// let handles = [tree.insert(unit)?, tree.insert(unit.translated(Vec3::X * 5.0))?];
/// let questions = [unit.translated(Vec3::X * 4.5), unit.translated(Vec3::Y * 9.0), unit];
///
/// let mut batch = Batch::new();
/// tree.view().in_aabb_batch_into(&questions, Layers::ALL, Threads::Pool, &mut batch)?;
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
    /// The chunk that found the answers to each question, and where they are in it.
    sources: Vec<(usize, Range<usize>)>,
    curve: Curve,
    chunks: Vec<Chunk<T>>,
}

/// The order in which questions are asked.
#[derive(Debug, Clone, Default)]
struct Curve {
    /// The questions in order; empty if they are asked as they come.
    order: Vec<usize>,
    /// The cell of each question.
    cells: Vec<u16>,
    /// Where the questions of each cell go.
    starts: Vec<usize>,
}

/// Consecutive questions of the curve, and what one task found.
#[derive(Debug, Clone)]
struct Chunk<T> {
    found: Vec<T>,
    /// Number of answers to each question.
    lengths: Vec<usize>,
    stats: QueryStats,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self {
            answers: Vec::new(),
            ranges: Vec::new(),
            sources: Vec::new(),
            curve: Curve::default(),
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
}

impl<T: Clone + Send + Sync> Batch<T> {
    /// Asks all questions for any number of answers; `ask` appends those to one.
    pub(super) fn run(
        &mut self,
        count: usize,
        threads: Threads,
        ask: impl Fn(usize, &mut Vec<T>) -> QueryStats + Sync,
    ) -> QueryStats {
        self.answers.clear();
        self.ranges.clear();
        let mut stats = QueryStats::default();
        if threads == Threads::One && self.curve.order.is_empty() {
            for question in 0..count {
                let start = self.answers.len();
                stats += ask(question, &mut self.answers);
                self.ranges.push(start..self.answers.len());
            }
            return stats;
        }
        let size = if threads == Threads::One { count.max(1) } else { chunk_size(count) };
        let chunks = run_chunks(&mut self.chunks, &self.curve, count, size, &ask);
        self.sources.clear();
        self.sources.resize(count, (0, 0..0));
        for (index, chunk) in chunks.iter().enumerate() {
            let mut start = 0;
            for (place, length) in (index * size..).zip(&chunk.lengths) {
                self.sources[self.curve.question(place)] = (index, start..start + length);
                start += length;
            }
            stats += chunk.stats;
        }
        for (index, range) in &self.sources {
            let start = self.answers.len();
            self.answers.extend_from_slice(&chunks[*index].found[range.clone()]);
            self.ranges.push(start..self.answers.len());
        }
        stats
    }

    /// Asks all questions for one answer each.
    pub(super) fn run_each(
        &mut self,
        count: usize,
        threads: Threads,
        unknown: T,
        ask: impl Fn(usize) -> (T, QueryStats) + Sync,
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
        let size = chunk_size(count);
        for (index, chunk) in run_chunks(&mut self.chunks, &self.curve, count, size, &append).iter().enumerate() {
            for (place, answer) in (index * size..).zip(&chunk.found) {
                self.answers[self.curve.question(place)].clone_from(answer);
            }
            stats += chunk.stats;
        }
        stats
    }

    /// Has the questions asked along a Morton curve through the tree, or, if
    /// there are few, as they come.
    pub(super) fn arrange(&mut self, view: View<'_>, places: impl ExactSizeIterator<Item = Vec3>) {
        self.curve.order.clear();
        if let Some(bounds) = view.bounds().filter(|_| places.len() >= SORT_MIN) {
            self.curve.sort(&bounds, places);
        }
    }

    /// Has the questions asked as they come.
    pub(super) fn arrange_as_given(&mut self) {
        self.curve.order.clear();
    }
}

/// Asks chunks of the curve, of `size` questions; if there are several, on the threads of the pool.
fn run_chunks<'c, T: Send>(
    chunks: &'c mut Vec<Chunk<T>>,
    curve: &Curve,
    count: usize,
    size: usize,
    ask: &(impl Fn(usize, &mut Vec<T>) -> QueryStats + Sync),
) -> &'c [Chunk<T>] {
    let used = count.div_ceil(size);
    if chunks.len() < used {
        chunks.resize_with(used, Chunk::new);
    }
    let run = |index: usize, chunk: &mut Chunk<T>| {
        let places = index * size..(index * size + size).min(count);
        chunk.run(places.map(|place| curve.question(place)), ask);
    };
    if let [only] = &mut chunks[..used] {
        run(0, only)
    } else {
        for_each(&mut chunks[..used], run)
    }
    &chunks[..used]
}

impl Curve {
    /// The question at a place of the curve.
    #[inline]
    fn question(&self, place: usize) -> usize {
        self.order.get(place).copied().unwrap_or(place)
    }

    /// Sorts by cell, and within a cell by index: by counting.
    fn sort(&mut self, bounds: &Aabb, places: impl ExactSizeIterator<Item = Vec3>) {
        let scale = Vec3::splat(CELLS_AXIS) / bounds.extents();
        self.cells.clear();
        self.cells.extend(places.map(|place| cell((place - bounds.min) * scale)));
        self.starts.clear();
        self.starts.resize(CELLS + 1, 0);
        for &cell in &self.cells {
            self.starts[usize::from(cell) + 1] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.order.resize(self.cells.len(), 0);
        for (question, &cell) in self.cells.iter().enumerate() {
            let start = &mut self.starts[usize::from(cell)];
            self.order[*start] = question;
            *start += 1;
        }
    }
}

impl<T> Chunk<T> {
    fn new() -> Self {
        Self { found: Vec::new(), lengths: Vec::new(), stats: QueryStats::default() }
    }

    fn run(&mut self, questions: impl Iterator<Item = usize>, ask: impl Fn(usize, &mut Vec<T>) -> QueryStats) {
        self.found.clear();
        self.lengths.clear();
        self.stats = QueryStats::default();
        for question in questions {
            let before = self.found.len();
            self.stats += ask(question, &mut self.found);
            self.lengths.push(self.found.len() - before);
        }
    }
}

fn chunk_size(count: usize) -> usize {
    count.div_ceil(CHUNKS).max(CHUNK_MIN)
}

/// Four bits of each coordinate, interleaved; what lies outside counts as on
/// the bounds, and what has no place there as at the lower end.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 15")]
fn cell(place: Vec3) -> u16 {
    place.to_array().into_iter().enumerate().fold(0, |cell, (axis, at)| {
        let part = at.clamp(0.0, CELLS_AXIS - 1.0) as u16;
        let spread = (part | part << 4) & 0x0c3;
        let spread = (spread | spread << 2) & 0x249;
        cell | spread << axis
    })
}
