//! Work on several threads: the only place of the room that names `rayon`.

/// Does some work on each item, which gets its index, on the threads of the pool. The work is
/// `dyn`, so that rayon's code is compiled for each type of answer, not for each kind of question.
pub(super) fn for_each<T: Send>(items: &mut [T], work: &(dyn Fn(usize, &mut T) + Sync)) {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.par_iter_mut().enumerate().for_each(|(index, item)| work(index, item));
    }
    #[cfg(not(feature = "parallel"))]
    items.iter_mut().enumerate().for_each(|(index, item)| work(index, item));
}
