//! Work on several threads: the only place of the room that names `rayon`.

use crate::data::stretch::Lengthen;
use alloc::vec::Vec;

/// Threads that share work.
pub(super) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Does work on a thread of the pool, so that splitting it needs no hand-over.
pub(super) fn in_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    return rayon::scope(|_| work());
    #[cfg(not(feature = "parallel"))]
    work()
}

/// Does two things, at once if there are two threads.
pub(super) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}

/// Does some work on each part and its stretch of columns. `split` cuts columns into
/// those before a part and those from it on.
pub(super) fn divide<T: Send, C: Send>(
    parts: &mut [T],
    columns: C,
    split: &(impl Fn(C, &T) -> (C, C) + Sync),
    work: &(impl Fn(&mut T, C) + Sync),
) {
    match parts {
        [] => {}
        [part] => work(part, columns),
        _ => {
            let (left, right) = parts.split_at_mut(parts.len() / 2);
            let (before, after) = split(columns, &right[0]);
            join(|| divide(left, before, split, work), || divide(right, after, split, work));
        }
    }
}

/// A slice, and the index of its first element in the whole list.
pub(super) type OffsetSlice<'a, T> = (usize, &'a mut [T]);

/// Splits a slice at an index of the whole list.
pub(super) fn cut<T>((first, items): OffsetSlice<'_, T>, at: usize) -> (OffsetSlice<'_, T>, OffsetSlice<'_, T>) {
    let (before, after) = items.split_at_mut(at - first);
    ((first, before), (at, after))
}

/// The threads of the pool.
pub(super) struct Pool;

impl Lengthen for Pool {
    fn lengthen<T: Copy + Send + Sync>(items: &mut Vec<T>, value: T, additional: usize) {
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            items.par_extend(rayon::iter::repeat_n(value, additional).with_min_len(CHUNK_MIN));
        }
        #[cfg(not(feature = "parallel"))]
        items.resize(items.len() + additional, value);
    }
}

/// Values below which adding them is not worth a task.
#[cfg(feature = "parallel")]
const CHUNK_MIN: usize = 512;
