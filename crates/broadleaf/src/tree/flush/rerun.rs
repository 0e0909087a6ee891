//! Re-running a bucket: its objects are arranged anew as runs of eight along the
//! Morton curve, so that each block is small.

use super::pile_order;
use super::split::Contents;
use crate::data::{BUCKET_CAPACITY, Entry, NodeId, Span};
use crate::geometry::lanes::WIDTH;
use crate::tree::Octree;
use crate::tree::build::sort::Item;
use arrayvec::ArrayVec;

/// How far a bucket's blocks may spread before their runs are arranged anew.
pub(super) const SPREAD: f32 = 1.4;

impl Octree {
    /// Arranges the runs of a bucket anew if objects have moved or come so
    /// that its blocks have spread too far, or gone so that two blocks more
    /// than needed are in use. The columns must be fitted.
    #[inline]
    pub(super) fn rerun_if_spread(&mut self, id: NodeId) {
        let node = &self.data.nodes[id];
        let (blocks, objects) = (node.blocks_len(), node.occupied_bits().count_ones() as usize);
        let spread = blocks > 1 && node.bounds.extent_sum() > node.run_extent * SPREAD;
        if spread || blocks > objects.div_ceil(WIDTH) + 1 {
            self.rerun(id);
        }
    }

    /// Arranges the runs of a bucket anew.
    // Not inlined: few buckets have spread, and less code is fetched then.
    #[inline(never)]
    fn rerun(&mut self, id: NodeId) {
        self.counters.reruns += 1;
        let mut contents = Contents::new();
        self.empty_bucket(id, &mut contents);
        self.fill_bucket(id, &mut contents);
    }

    /// Fills an empty bucket with runs of eight, and fits its columns.
    pub(super) fn fill_bucket(&mut self, id: NodeId, contents: &mut Contents) {
        let node = &self.data.nodes[id];
        if node.in_pile {
            let mut items: ArrayVec<_, BUCKET_CAPACITY> = (0..contents.len()).map(|i| Item::new(0, 0, i)).collect();
            pile_order::order(&mut items, &mut self.packing.spare, |index| contents[index].aabb);
            self.data.fill_bucket(id, &items, |item| &contents[item.index()]);
        } else {
            // Keys are made in a cell: for several octants, in the parent's.
            let keyed = if node.span == Span::ONE { node } else { &self.data.nodes[node.parent] };
            let (grid, cell) = (&self.data.grid, keyed.cell);
            let order = grid.key_order(cell);
            let key = |entry: &Entry| (grid.morton_key(cell, &order, entry.aabb.center()), entry.word.row());
            contents.sort_unstable_by_key(key);
            self.data.fill_bucket(id, contents, |entry| entry);
        }
    }
}
