//! The state hash: one number over the state of a tree, so that two machines can
//! compare their trees.

use super::Octree;
use crate::data::state::hash::WordHash;

impl Octree {
    /// A hash of the tree's state: everything that can be asked of it, and
    /// everything that decides what it answers from now on, and in which order.
    ///
    /// Equal sequences of calls give equal hashes, on any machine, for any
    /// number of threads, with any instruction set; so do clones and restored
    /// snapshots. Trees that differ in an object's shape (by its bits, but for the
    /// sign of a zero, which a tree does not keep),
    /// layers, mobility, user data or handle, in their settings, or in how
    /// their objects are arranged have different hashes, but for a chance of
    /// one in 2^64. Counters, capacities and working memory do not count.
    ///
    /// A view brings the tree up to date, and [`PairTracker::update`](crate::PairTracker::update)
    /// records what changed: both may change the hash, so compare hashes taken at
    /// the same point of a frame. A tracker and a budget have hashes of their own.
    ///
    /// *Units and shape:* the 64-bit XXH3 hash, without seed, of 32-bit words,
    /// lowest byte first: settings, rows, blocks, nodes, lists, and the journal of
    /// pair events, each list after its length. The hash of one state may
    /// differ between versions of this crate.
    ///
    /// *Cost:* one pass over all memory in use; no allocation.
    ///
    /// *Source:* Y. Collet, xxHash specification, 2023.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = WordHash::new();
        let config = self.config;
        hash.add_all([config.looseness.to_bits(), config.smallest_cell.to_bits()]);
        let grid = &self.data.grid;
        hash.add_all([config.leaf_capacity, config.depth_limit]);
        hash.add_all([u32::from(grid.widening) | u32::from(grid.scale.cast_unsigned()) << 8]);
        self.data.grid.levels.hash(&mut hash);
        self.data.objects.hash(&mut hash);
        self.data.blocks.hash(&mut hash);
        self.data.nodes.hash(&mut hash);
        self.data.interactions.hash(&mut hash);
        self.data.journal.hash(&mut hash);
        self.data.fat.hash(&mut hash);
        let data = &self.data;
        hash.add_all([data.root.0, data.pending.0, data.pending_len, data.outsized.0]);
        hash.finish()
    }
}
