//! Interleaved rounds: every contestant runs once in each round, in
//! alternating order, so that a slow phase of the machine hits all alike.

use std::time::{Duration, Instant};

/// A contestant this many times slower than the quickest runs two rounds only.
pub const PATIENCE: f64 = 12.0;
/// One whose first run is this many times slower runs no rounds.
const HOPELESS: f64 = 50.0;
/// Nanoseconds of a block.
const BLOCK: f64 = 2e7;

/// Nanoseconds of one contestant in each round.
pub type Samples = Vec<f64>;

/// Times a call on the wall clock, in nanoseconds: for calls that use several threads.
pub fn time_wall<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = std::hint::black_box(run());
    (start.elapsed().as_secs_f64() * 1e9, result)
}

/// A pool of so many threads, each on one of the cores that the process may use, where the system lets threads be
/// placed.
///
/// Else it may leave two on one core for as long as they are given the same work again and again: two halves of a
/// sum then take as long on two threads as on one.
///
/// # Panics
/// If the threads cannot be made.
#[must_use]
pub fn placed_pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    #[cfg(target_os = "linux")]
    let pool = pool.start_handler(|index| {
        let Ok(allowed) = rustix::thread::sched_getaffinity(None) else { return };
        let mut one = rustix::thread::CpuSet::new();
        if let Some(core) = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).nth(index) {
            one.set(core);
            // Refused, the thread stays where it is: the figures say so.
            let _ = rustix::thread::sched_setaffinity(None, &one);
        }
    });
    pool.build().expect("threads to be had")
}

/// Times some work on a pool's threads once they have been at it for a while.
pub fn time_in_pool<R: Send>(pool: &rayon::ThreadPool, mut work: impl FnMut() -> R + Send) -> (f64, R) {
    const SETTLING: Duration = Duration::from_millis(30);
    pool.install(|| {
        let start = Instant::now();
        while start.elapsed() < SETTLING {
            work();
        }
        time_wall(work)
    })
}

/// Times a call by the processor time of this thread, in nanoseconds.
///
/// Time in which the system gave the core to others does not count. Where
/// there is no such clock, this is the wall clock.
pub fn time<R>(run: impl FnOnce() -> R) -> (f64, R) {
    #[cfg(target_os = "linux")]
    {
        let start = thread_time();
        let result = std::hint::black_box(run());
        (thread_time() - start, result)
    }
    #[cfg(not(target_os = "linux"))]
    time_wall(run)
}

#[cfg(target_os = "linux")]
fn thread_time() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// The middle sample; the mean of the two middle ones if their number is even.
#[must_use]
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// Runs rounds over a number of contestants.
///
/// `run(contestant, round)` returns the nanoseconds of one run. A contestant
/// that twice takes more than `patience` times the quickest contestant's best
/// is left out of the later rounds; its samples stand. The first contestant,
/// broadleaf, is never left out.
pub fn rounds(
    contestants: usize,
    rounds: usize,
    patience: f64,
    mut run: impl FnMut(usize, usize) -> f64,
) -> Vec<Samples> {
    let mut samples = vec![Samples::new(); contestants];
    for round in 0..rounds.max(1) {
        let best: Vec<f64> = samples.iter().map(|samples| least(samples)).collect();
        let quickest = least(&best);
        for place in 0..contestants {
            // Forth and back, each time from another start.
            let turn = (place + round / 2) % contestants;
            let contestant = if round % 2 == 0 { turn } else { contestants - 1 - turn };
            let hopeless = round > 1 && contestant > 0 && best[contestant] > patience * quickest;
            if !hopeless {
                samples[contestant].push(run(contestant, round));
            }
        }
    }
    samples
}

/// Runs rounds of blocks that repeat what a first run did once.
///
/// A block lasts about `BLOCK` nanoseconds, and repeats at most `most` times;
/// `run(contestant, round, repeats)` returns the nanoseconds of one, samples are
/// those of one repeat. A contestant whose first run took more than
/// `HOPELESS` times the quickest one's has that as its only sample; the first
/// contestant, broadleaf, never.
pub fn rounds_after(
    firsts: &[f64],
    all_rounds: usize,
    most: usize,
    mut run: impl FnMut(usize, usize, usize) -> f64,
) -> Vec<Samples> {
    let quickest = least(firsts);
    let runs = |contestant: usize| contestant == 0 || firsts[contestant] <= HOPELESS * quickest;
    let running: Vec<usize> = (0..firsts.len()).filter(|&contestant| runs(contestant)).collect();
    let mut samples: Vec<Samples> = firsts.iter().map(|&first| vec![first]).collect();
    let measured = rounds(running.len(), all_rounds, PATIENCE, |place, round| {
        let contestant = running[place];
        let repeats = repeats_of(firsts[contestant], most);
        run(contestant, round, repeats) / repeats as f64
    });
    for (&contestant, measured) in running.iter().zip(measured) {
        samples[contestant] = measured;
    }
    samples
}

/// How often a run of so many nanoseconds is repeated in a block.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to a small number")]
fn repeats_of(nanoseconds: f64, most: usize) -> usize {
    (BLOCK / nanoseconds).clamp(1.0, most.max(1) as f64) as usize
}

/// The least sample, infinite if there is none.
#[must_use]
pub fn least(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}
