//! The queue of a depth-first traversal: blocks of buckets whose bounds passed, and whose objects
//! have not been tested yet.
//!
//! If the objects were tested when the traversal reaches their bucket, it would wait for their memory,
//! and then for that of the next bucket. So their blocks are prefetched and queued, and the traversal
//! goes on to other nodes. Queued blocks are tested in the order in which they came. Spheres and memberships, which
//! stand in columns of their own, are not prefetched.

use super::Question;
use crate::data::blocks::Blocks;
use crate::data::{Block, BlockId, Node};
use crate::geometry::lanes::{LaneMask, WIDTH, set_bits};
use arrayvec::ArrayVec;

/// The most blocks in the queue.
const CAPACITY: usize = 64;

/// A block in the queue.
#[derive(Clone, Copy)]
pub(super) struct QueuedBlock<'a, C> {
    pub(super) block: &'a Block,
    pub(super) id: BlockId,
    /// The lanes that hold an object.
    pub(super) occupied: LaneMask,
    /// What the objects inherit from the test of the block's bounds.
    pub(super) carry: C,
}

/// The queued blocks, the first to be tested first.
pub(super) struct BlockQueue<'a, Q: Question>(ArrayVec<QueuedBlock<'a, Q::Carry>, CAPACITY>);

impl<'a, Q: Question> BlockQueue<'a, Q> {
    #[inline]
    pub(super) fn new() -> Self {
        Self(ArrayVec::new())
    }

    /// Adds and prefetches the blocks in some lanes of a bucket. The queue must not be full.
    #[inline(always)]
    pub(super) fn add(&mut self, question: &Q, blocks: &'a Blocks, bucket: &Node, mask: LaneMask, lanes: &Q::Lanes) {
        debug_assert!(!self.is_full());
        for lane in set_bits(u64::from(mask)) {
            let id = bucket.child_block(lane);
            let block = &blocks[id];
            block.prefetch();
            let (occupied, carry) = (bucket.occupied(lane), question.carry(lanes, lane));
            self.0.push(QueuedBlock { block, id, occupied, carry });
        }
    }

    /// Whether there is no room for another bucket.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.0.remaining_capacity() < WIDTH
    }

    /// The blocks, by up to eight.
    #[inline(always)]
    pub(super) fn groups(&self) -> impl Iterator<Item = &[QueuedBlock<'a, Q::Carry>]> {
        self.0.chunks(WIDTH)
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
