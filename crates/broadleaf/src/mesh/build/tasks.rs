//! Work split over threads: the only place of the room that names `rayon`.
//!
//! Nothing runs on other threads unless [`Threads::Pool`] asks for it. How work
//! is split depends on the triangles alone, and results come in the order of the
//! work, so they are the same for any number of threads.

use crate::data::Threads;
use alloc::vec::Vec;

/// What `run` makes of each piece of work, in order.
pub(super) fn map<T: Send, R: Send>(threads: Threads, work: Vec<T>, run: impl Fn(T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if threads == Threads::Pool && work.len() > 1 {
        use rayon::prelude::*;
        return work.into_par_iter().with_max_len(1).map(&run).collect();
    }
    let _ = threads;
    work.into_iter().map(&run).collect()
}

/// The two things that `run` makes of each number below `len`, in order; for short work on many.
pub(super) fn map_range_to_two<A: Send, B: Send>(
    threads: Threads,
    len: usize,
    run: impl Fn(usize) -> (A, B) + Sync,
) -> (Vec<A>, Vec<B>) {
    let (mut first, mut second) = (Vec::with_capacity(len), Vec::with_capacity(len));
    #[cfg(not(feature = "parallel"))]
    let _ = threads;
    #[cfg(feature = "parallel")]
    if len >= CHUNK_MIN && run_at_once(threads) {
        use rayon::prelude::*;
        (0..len).into_par_iter().with_min_len(CHUNK_MIN / 4).map(&run).unzip_into_vecs(&mut first, &mut second);
        return (first, second);
    }
    first.extend((0..len).map(|index| {
        let (one, other) = run(index);
        second.push(other);
        one
    }));
    (first, second)
}

/// Whether there is more than one thread to run tasks on. What a task makes
/// need not be joined otherwise.
pub(super) fn run_at_once(threads: Threads) -> bool {
    #[cfg(feature = "parallel")]
    return threads == Threads::Pool && rayon::current_num_threads() > 1;
    #[cfg(not(feature = "parallel"))]
    {
        let _ = threads;
        false
    }
}

/// Cuts so many elements into a part for each of two threads, if there are two.
pub(super) fn parts(threads: Threads, len: usize) -> Vec<core::ops::Range<usize>> {
    let middle = if run_at_once(threads) && len > CHUNK_MIN { len / 2 } else { len };
    [0..middle, middle..len].into_iter().filter(|part| !part.is_empty()).collect()
}

/// Numbers below which a chunk is not worth a task.
const CHUNK_MIN: usize = 4096;
