//! The pool of threads that `BL_THREADS_POOL` names.

use crate::border::border;
use crate::failure::{Failure, bl_status};

/// Starts the pool with so many threads; zero for as many as the machine runs at
/// once. Without this call the first question that asks for the pool starts it so.
///
/// Errors: `BL_STATUS_OUT_OF_RANGE` if the pool runs already, or the machine refuses.
#[unsafe(no_mangle)]
pub extern "C" fn bl_pool_start(threads: usize) -> bl_status {
    border!(|_caller| {
        let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        built.map_err(|error| Failure::Pool(error.to_string()))
    })
}

/// Returns the number of threads that share the work of `BL_THREADS_POOL`. Starts the pool.
#[unsafe(no_mangle)]
pub extern "C" fn bl_pool_threads() -> usize {
    rayon::current_num_threads()
}
