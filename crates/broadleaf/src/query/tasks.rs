//! Work on several threads: the only place of the room that names `rayon`.

/// Who answers a batch. The answers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// The calling thread.
    #[default]
    One,
    /// The threads of the current rayon pool; without the feature `parallel`,
    /// the calling thread.
    Pool,
}

/// Does some work on each item, which gets its index.
pub(super) fn for_each<T: Send>(items: &mut [T], threads: Threads, work: impl Fn(usize, &mut T) + Sync) {
    #[cfg(feature = "parallel")]
    if threads == Threads::Pool && items.len() > 1 {
        use rayon::prelude::*;
        items.par_iter_mut().enumerate().with_max_len(1).for_each(|(index, item)| work(index, item));
        return;
    }
    let _ = threads;
    items.iter_mut().enumerate().for_each(|(index, item)| work(index, item));
}

/// Sorts; equal items cannot be told apart.
pub(super) fn sort<T: Ord + Send>(items: &mut [T], threads: Threads) {
    #[cfg(feature = "parallel")]
    if threads == Threads::Pool {
        use rayon::slice::ParallelSliceMut;
        items.par_sort_unstable();
        return;
    }
    let _ = threads;
    items.sort_unstable();
}
