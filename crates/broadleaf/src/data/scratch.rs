//! Per-call working memory: the only place that names `bumpalo`.

pub(crate) use bumpalo::Bump;
use sync_wrapper::SyncWrapper;

/// A growing array in bump memory.
pub(crate) type BumpVec<'a, T> = bumpalo::collections::Vec<'a, T>;

/// Bytes allocated by the first call, so that a call that for once needs a
/// little does not allocate.
const FIRST: usize = 16 << 10;

/// Spare bytes, for alignment.
const BESIDE: usize = 1 << 10;

/// Bump memory that converges to one chunk: after a few calls of one size, a
/// call allocates nothing from the heap.
#[derive(Debug, Default)]
pub(crate) struct BumpScratch {
    /// Bump memory may not be shared; what holds it may, for it is reached by `&mut` only.
    bump: SyncWrapper<Bump>,
    /// Bytes allocated, as last recorded.
    bytes: usize,
}

impl BumpScratch {
    /// Empties the memory for a new call, and hands it out.
    pub(crate) fn start(&mut self) -> &Bump {
        self.start_with(0)
    }

    /// Empties the memory for a call that needs so many bytes, as far as it is
    /// known, and hands it out: what is known is not grown into.
    #[inline]
    pub(crate) fn start_with(&mut self, bytes: usize) -> &Bump {
        // Resetting keeps only the newest chunk. If the last call needed
        // more, replace it by one that holds all of it.
        let bump = self.bump.get_mut();
        let wanted = bump.allocated_bytes().max(bytes + BESIDE).max(FIRST);
        bump.reset();
        if bump.allocated_bytes() < wanted {
            replace(bump, wanted);
        }
        bump
    }

    /// Records for [`BumpScratch::memory`] what a call has allocated.
    pub(crate) fn record_size(&mut self) {
        self.bytes = self.bump.get_mut().allocated_bytes();
    }

    /// Bytes allocated, as last noted.
    pub(crate) fn memory(&self) -> usize {
        self.bytes
    }
}

/// Replaces bump memory by one chunk of so many bytes.
// Not inlined: most calls find enough memory.
#[cold]
#[inline(never)]
fn replace(bump: &mut Bump, bytes: usize) {
    // The old chunk goes first: the two are not needed side by side.
    *bump = Bump::new();
    *bump = Bump::with_capacity(bytes);
}

impl Clone for BumpScratch {
    /// Scratch memory holds nothing between calls: the clone starts empty.
    fn clone(&self) -> Self {
        Self::default()
    }
}
