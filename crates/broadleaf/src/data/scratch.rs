//! Per-call working memory: the only place that names `bumpalo`.

pub(crate) use bumpalo::Bump;

/// A growing array in bump memory.
pub(crate) type BumpVec<'a, T> = bumpalo::collections::Vec<'a, T>;

/// Bump memory that converges to one chunk: after a few calls of one size, a
/// call allocates nothing from the heap.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    bump: Bump,
}

impl Workspace {
    /// Empties the memory for a new call, and hands it out.
    pub(crate) fn start(&mut self) -> &Bump {
        // Resetting keeps only the newest chunk. If the last call needed
        // more, replace it by one that holds all of it.
        let used = self.bump.allocated_bytes();
        self.bump.reset();
        if self.bump.allocated_bytes() < used {
            self.bump = Bump::with_capacity(used);
        }
        &self.bump
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.bump.allocated_bytes()
    }
}

impl Clone for Workspace {
    /// Scratch memory holds nothing between calls: the clone starts empty.
    fn clone(&self) -> Self {
        Self::default()
    }
}
