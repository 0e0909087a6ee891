//! The choice of threads for work that can be divided.

/// Who does the work of a call. What comes of it is the same.
///
/// More ways may follow, such as a pool of the caller's: a `match` outside this crate
/// needs an arm `_`.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// The calling thread.
    #[default]
    One,
    /// The threads of the current rayon pool; without the feature `parallel`,
    /// the calling thread.
    Pool,
}
