//! Threads: pools of as many as a call asks for, and questions shared out to them.

use crate::refusal::{Refusal, bad};
use broadleaf::{QueryStats, Threads};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Questions below which a chunk is not worth a task.
const CHUNK_MIN: usize = 64;
/// Chunks that questions are split into at most.
const CHUNKS: usize = 128;

/// Pools by process and number of threads. A forked process has none of its
/// parent's threads, so it makes its own.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

/// The pools made so far.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// How many threads a call may take: 1 is the calling one, 0 is one for each processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadCount(usize);

impl ThreadCount {
    pub(crate) fn new(threads: usize) -> Self {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        Self(if threads == 0 { all() } else { threads })
    }

    /// Runs work that may share itself out.
    pub(crate) fn run<T: Send>(self, work: impl FnOnce(Threads) -> T + Send) -> Result<T, Refusal> {
        if self.0 == 1 {
            return Ok(work(Threads::One));
        }
        let pool = self.pool()?;
        Ok(pool.install(|| work(Threads::Pool)))
    }

    fn pool(self) -> Result<Arc<ThreadPool>, Refusal> {
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let pools = pools.get_or_insert_default();
        let key = (std::process::id(), self.0);
        if let Some(pool) = pools.get(&key) {
            return Ok(pool.clone());
        }
        let pool = ThreadPoolBuilder::new().num_threads(self.0).build();
        let pool = Arc::new(pool.map_err(|error| bad("threads", error.to_string()))?);
        pools.insert(key, pool.clone());
        Ok(pool)
    }
}

/// Answers to many questions: those of question `q` are at `offsets[q]..offsets[q + 1]`.
pub(crate) struct Lists<T> {
    pub(crate) offsets: Vec<i64>,
    pub(crate) answers: Vec<T>,
    pub(crate) work: QueryStats,
}

/// What one task found: answers, where those to each question end, and the work.
struct Chunk<T> {
    found: Vec<T>,
    ends: Vec<usize>,
    work: QueryStats,
}

/// Asks `count` questions, in the given order if there is one, on the pool's
/// threads if `threads` says so; `ask` appends the answers to one. The answers
/// come in the order of the questions.
pub(crate) fn ask_each<T: Copy + Send + Sync>(
    count: usize,
    order: Option<&[u32]>,
    threads: Threads,
    ask: impl Fn(usize, &mut Vec<T>, &mut QueryStats) + Sync,
) -> Lists<T> {
    let question = |place: usize| order.map_or(place, |order| order[place] as usize);
    let size = if threads == Threads::One { count.max(1) } else { count.div_ceil(CHUNKS).max(CHUNK_MIN) };
    let run = |chunk: usize| {
        let places = chunk * size..((chunk + 1) * size).min(count);
        let mut chunk = Chunk { found: Vec::new(), ends: Vec::with_capacity(size), work: QueryStats::default() };
        for place in places {
            ask(question(place), &mut chunk.found, &mut chunk.work);
            chunk.ends.push(chunk.found.len());
        }
        chunk
    };
    let chunks: Vec<Chunk<T>> = match threads {
        Threads::Pool => (0..count.div_ceil(size)).into_par_iter().map(run).collect(),
        _ => (0..count.div_ceil(size)).map(run).collect(),
    };
    gather(count, order, size, chunks)
}

/// Puts the answers of all chunks in the order of the questions.
fn gather<T: Copy>(count: usize, order: Option<&[u32]>, size: usize, mut chunks: Vec<Chunk<T>>) -> Lists<T> {
    let mut work = QueryStats::default();
    chunks.iter().for_each(|chunk| work += chunk.work);
    let of = |place: usize| {
        let (chunk, within) = (place / size, place % size);
        (chunk, if within == 0 { 0 } else { chunks[chunk].ends[within - 1] }..chunks[chunk].ends[within])
    };
    let mut offsets = vec![0; count + 1];
    for place in 0..count {
        let question = order.map_or(place, |order| order[place] as usize);
        offsets[question + 1] = of(place).1.len() as i64;
    }
    (1..=count).for_each(|question| offsets[question] += offsets[question - 1]);
    if order.is_none() && chunks.len() <= 1 {
        let answers = chunks.pop().map_or_else(Vec::new, |chunk| chunk.found);
        return Lists { offsets, answers, work };
    }
    let mut answers = Vec::with_capacity(chunks.iter().map(|chunk| chunk.found.len()).sum());
    if let Some(order) = order {
        let mut places = vec![0_u32; count];
        (0..).zip(order).for_each(|(place, &question)| places[question as usize] = place);
        for place in places {
            let (chunk, range) = of(place as usize);
            answers.extend_from_slice(&chunks[chunk].found[range]);
        }
    } else {
        chunks.iter().for_each(|chunk| answers.extend_from_slice(&chunk.found));
    }
    Lists { offsets, answers, work }
}

/// Asks for one answer each; otherwise as [`ask_each`].
pub(crate) fn ask_one<T: Copy + Send + Sync>(
    count: usize,
    order: Option<&[u32]>,
    threads: Threads,
    unknown: T,
    ask: impl Fn(usize, &mut QueryStats) -> T + Sync,
) -> (Vec<T>, QueryStats) {
    if threads == Threads::One {
        let (mut answers, mut work) = (vec![unknown; count], QueryStats::default());
        for place in 0..count {
            let question = order.map_or(place, |order| order[place] as usize);
            answers[question] = ask(question, &mut work);
        }
        return (answers, work);
    }
    let append = |question: usize, found: &mut Vec<T>, work: &mut QueryStats| found.push(ask(question, work));
    let Lists { answers, work, .. } = ask_each(count, order, threads, append);
    (answers, work)
}

/// Questions fewer than which are asked as they come.
const ORDERED_MIN: usize = 256;
/// Steps an axis of the grid whose cells the curve visits.
const STEPS: usize = 32;

/// The order of questions along a Morton curve through their places, so that
/// neighbours find the tree in the cache; none if they are few.
pub(crate) fn curve_order(places: impl ExactSizeIterator<Item = [f32; 3]> + Clone) -> Option<Vec<u32>> {
    let count = places.len();
    if count < ORDERED_MIN || u32::try_from(count).is_err() {
        return None;
    }
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for place in places.clone() {
        for axis in 0..3 {
            if place[axis].is_finite() {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
    }
    let steps = [0, 1, 2].map(|axis| (STEPS - 1) as f32 / (high[axis] - low[axis]).max(f32::MIN_POSITIVE));
    let cell = |place: [f32; 3]| {
        // A cast saturates, and takes what is not a number to zero.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let step = |axis: usize| (((place[axis] - low[axis]) * steps[axis]) as usize).min(STEPS - 1);
        spread(step(0)) | spread(step(1)) << 1 | spread(step(2)) << 2
    };
    // A counting sort: where each cell's questions begin, and then the questions.
    let mut starts = vec![0_u32; STEPS * STEPS * STEPS + 1];
    places.clone().for_each(|place| starts[cell(place) + 1] += 1);
    (1..starts.len()).for_each(|cell| starts[cell] += starts[cell - 1]);
    let mut order = vec![0; count];
    for (question, place) in (0..).zip(places) {
        let start = &mut starts[cell(place)];
        order[*start as usize] = question;
        *start += 1;
    }
    Some(order)
}

/// Five bits, three apart.
fn spread(bits: usize) -> usize {
    let bits = (bits | bits << 8) & 0x100f;
    let bits = (bits | bits << 4) & 0x10c3;
    (bits | bits << 2) & 0x1249
}
