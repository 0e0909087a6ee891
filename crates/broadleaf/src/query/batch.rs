//! Many questions of a kind in one call, answered into one buffer of the
//! caller's, in the order in which they were asked.
//!
//! The questions are asked along a Morton curve through their places, so that
//! neighbours find the tree in the cache; chunks of the curve may run on
//! several threads. Neither shows in the answers.

use super::tasks::{Threads, for_each, sort};
use crate::data::view::{QueryStats, View};
use crate::geometry::Aabb;
use alloc::vec::Vec;
use glam::Vec3;

/// Questions below which a chunk is not worth a task.
const CHUNK_MIN: usize = 64;
/// Chunks that a batch is split into at most: enough for an even load.
const CHUNKS: usize = 64;
/// Questions from which on their order is worth a sort.
const SORT_MIN: usize = 64;

/// The answers to many questions, and the working memory to find them. Keep
/// one and hand it in again: once grown, a batch on one thread allocates nothing.
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
/// tree.view().in_aabbs_into(&questions, Layers::ALL, Threads::Pool, &mut batch)?;
/// assert_eq!(batch.iter().map(<[_]>::len).collect::<Vec<_>>(), [1, 0, 1]);
/// assert_eq!((batch.of(0), batch.of(2)), (&handles[1..], &handles[..1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Batch<T> {
    answers: Vec<T>,
    /// Where the answers to each question start, and where the last ones end.
    offsets: Vec<usize>,
    /// Each question's key on the curve, and its index, sorted; empty if the
    /// questions are asked as they come.
    places: Vec<(u32, usize)>,
    chunks: Vec<Chunk<T>>,
}

/// Consecutive questions of an order, and what one task found.
#[derive(Debug, Clone)]
struct Chunk<T> {
    found: Vec<T>,
    /// Number of answers to each question.
    lengths: Vec<usize>,
    stats: QueryStats,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Batch<T> {
    /// A buffer without answers.
    #[must_use]
    pub fn new() -> Self {
        Self { answers: Vec::new(), offsets: Vec::new(), places: Vec::new(), chunks: Vec::new() }
    }

    /// The number of questions that were asked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether no question was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answers to the question of that index, in the order of a single
    /// call; none if there was no such question.
    #[must_use]
    pub fn of(&self, question: usize) -> &[T] {
        match (self.offsets.get(question), self.offsets.get(question + 1)) {
            (Some(&start), Some(&end)) => &self.answers[start..end],
            _ => &[],
        }
    }

    /// The answers to each question in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|question| self.of(question))
    }

    /// All answers, those to the first question first.
    #[must_use]
    pub fn answers(&self) -> &[T] {
        &self.answers
    }

    /// Where the answers to each question start in [`Batch::answers`], and
    /// where the last ones end; empty before the first batch.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
}

impl<T: Copy + Send + Sync> Batch<T> {
    /// Asks all questions; `ask` appends the answers to one.
    pub(super) fn run(
        &mut self,
        count: usize,
        threads: Threads,
        ask: impl Fn(usize, &mut Vec<T>) -> QueryStats + Sync,
    ) -> QueryStats {
        self.answers.clear();
        self.offsets.clear();
        self.offsets.push(0);
        let places = &self.places;
        if places.is_empty() && threads == Threads::One {
            return (0..count).fold(QueryStats::default(), |mut stats, question| {
                stats += ask(question, &mut self.answers);
                self.offsets.push(self.answers.len());
                stats
            });
        }
        let size = chunk_size(count, threads);
        let used = count.div_ceil(size);
        if self.chunks.len() < used {
            self.chunks.resize_with(used, Chunk::new);
        }
        for_each(&mut self.chunks[..used], threads, |index, chunk| {
            let questions = index * size..(index * size + size).min(count);
            chunk.run(questions.map(|place| places.get(place).map_or(place, |place| place.1)), &ask);
        });
        self.gather(count, size, used)
    }

    /// Has the questions asked as they come.
    pub(super) fn arrange_as_given(&mut self) {
        self.places.clear();
    }

    /// Puts the questions in order along a Morton curve through the tree.
    pub(super) fn arrange(&mut self, view: View<'_>, threads: Threads, places: impl ExactSizeIterator<Item = Vec3>) {
        self.places.clear();
        if let Some(bounds) = view.bounds().filter(|_| places.len() >= SORT_MIN) {
            self.places.extend(places.zip(0..).map(|(place, index)| (curve_key(&bounds, place), index)));
            sort(&mut self.places, threads);
        }
    }

    /// Puts the answers in the order of the questions.
    fn gather(&mut self, count: usize, size: usize, used: usize) -> QueryStats {
        let question = |place: usize| self.places.get(place).map_or(place, |place| place.1);
        // First the lengths, where each question's answers will end.
        self.offsets.resize(count + 1, 0);
        for (index, chunk) in self.chunks[..used].iter().enumerate() {
            for (place, &length) in (index * size..).zip(&chunk.lengths) {
                self.offsets[question(place) + 1] = length;
            }
        }
        let total = self.offsets.iter_mut().fold(0, |end, offset| {
            *offset += end;
            *offset
        });
        // Every place is written below; any answer will do until then.
        if let Some(&any) = self.chunks[..used].iter().find_map(|chunk| chunk.found.first()) {
            self.answers.resize(total, any);
        }
        let mut stats = QueryStats::default();
        for (index, chunk) in self.chunks[..used].iter().enumerate() {
            let mut found = chunk.found.as_slice();
            for (place, &length) in (index * size..).zip(&chunk.lengths) {
                let (own, rest) = found.split_at(length);
                let start = self.offsets[question(place)];
                self.answers[start..start + length].copy_from_slice(own);
                found = rest;
            }
            stats += chunk.stats;
        }
        stats
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

fn chunk_size(count: usize, threads: Threads) -> usize {
    match threads {
        Threads::One => count.max(1),
        Threads::Pool => count.div_ceil(CHUNKS).max(CHUNK_MIN),
    }
}

/// Ten bits of each coordinate, interleaved; what lies outside counts as on the bounds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1023")]
fn curve_key(bounds: &Aabb, place: Vec3) -> u32 {
    let (place, extents) = (place.clamp(bounds.min, bounds.max) - bounds.min, bounds.extents());
    (0..3).fold(0, |key, axis| {
        let part = (place[axis] / extents[axis] * 1023.0).clamp(0.0, 1023.0) as u32;
        let spread = (part | part << 16) & 0x0300_00ff;
        let spread = (spread | spread << 8) & 0x0300_f00f;
        let spread = (spread | spread << 4) & 0x030c_30c3;
        let spread = (spread | spread << 2) & 0x0924_9249;
        key | spread << axis
    })
}
