//! Reports about a tree: memory use and counters.

use super::Data;

/// Bytes allocated by a tree, by what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryUse {
    /// Nodes and their free list.
    pub nodes: usize,
    /// Blocks of eight objects with their links, memberships, spheres and free list.
    pub blocks: usize,
    /// Handles, filters, user data, the exact shapes where they are stored with a
    /// [`Margin`](crate::Margin), the relocation list, and the log of changes for trackers.
    pub objects: usize,
    /// Working memory that is kept for the next time: of bulk builds after the first, of updates of most
    /// objects in another order than that of their slots, of [`Octree::remove_many`](crate::Octree::remove_many),
    /// of packing residents and outsized objects, and of objects that were converted from a type of the caller's.
    /// [`Octree::shrink_to_fit`](crate::Octree::shrink_to_fit) frees it.
    pub scratch: usize,
}

impl MemoryUse {
    /// The memory that holds the objects, in bytes: all but the scratch memory,
    /// which [`Octree::shrink_to_fit`](crate::Octree::shrink_to_fit) frees.
    #[must_use]
    pub fn total(&self) -> usize {
        self.nodes + self.blocks + self.objects
    }
}

/// What a tree has done since it was made, and how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counters {
    /// Nodes in use.
    pub nodes_live: usize,
    /// Nodes on the free list.
    pub nodes_free: usize,
    /// Times that a freed node was used again.
    pub nodes_reused: u64,
    /// The most nodes that were in use at once.
    pub nodes_peak: usize,
    /// Blocks in use.
    pub blocks_live: usize,
    /// Blocks on the free list.
    pub blocks_free: usize,
    /// Times that a freed block was used again.
    pub blocks_reused: u64,
    /// The most blocks that were in use at once.
    pub blocks_peak: usize,
    /// Objects that no cell holds, as of the last view: unbounded, or beyond the reach of the cells
    /// that the last bulk build chose ([`Config::smallest_cell`](crate::Config::smallest_cell)).
    /// They stand in nodes of their own, whose bounds every question tests, and the pair pass against
    /// the bounds of the tree: what does not overlap is skipped.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub outsized: usize,
    /// Bulk builds, asked for or chosen.
    pub rebuilds: u64,
    /// Objects placed one by one.
    pub placements: u64,
    /// Objects taken out and placed anew because they left their cell.
    pub relocations: u64,
    /// Buckets split into octants.
    pub splits: u64,
    /// Branches, or neighbouring buckets, joined into a bucket.
    pub merges: u64,
    /// Nodes fitted to what changed in or below them.
    pub refits: u64,
    /// Buckets whose runs were arranged anew, and packings of residents or outsized objects, or of a part of them.
    pub reruns: u64,
    /// Times that a root was put above the root.
    pub growths: u64,
}

#[cfg(feature = "serde")]
impl Counters {
    /// Whether the counters are such that they cannot overflow.
    pub(crate) fn is_countable(&self) -> bool {
        let Self { rebuilds, placements, relocations, splits, merges, refits, reruns, growths, .. } = *self;
        [rebuilds, placements, relocations, splits, merges, refits, reruns, growths].iter().all(|&n| n < 1 << 62)
    }
}

impl Data {
    /// What the counters say of how the columns stand.
    pub(crate) fn count_arenas(&self, counters: &mut Counters) {
        let (nodes, blocks) = (&self.nodes.arena, &self.blocks.arena);
        counters.nodes_live = nodes.live();
        counters.nodes_free = nodes.free_len();
        counters.nodes_reused = nodes.reused();
        counters.nodes_peak = nodes.peak();
        counters.blocks_live = blocks.live();
        counters.blocks_free = blocks.free_len();
        counters.blocks_reused = blocks.reused();
        counters.blocks_peak = blocks.peak();
        counters.outsized = self.pile_len(self.outsized);
    }
}
