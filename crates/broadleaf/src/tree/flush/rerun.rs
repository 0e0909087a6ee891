//! Arranging a bucket's objects as runs along the Morton curve.

use super::pile::{arrange, entry_center, entry_rank};
use super::split::Contents;
use crate::data::blocks::block::Entry;
use crate::data::grid::levels::Span;
use crate::data::ids::{Location, NodeId, ObjectWord};
use crate::geometry::lanes::WIDTH;
use crate::tree::Octree;

/// How far a bucket's blocks may spread before their runs are arranged anew.
pub(in crate::tree) const SPREAD: f32 = 1.4;

impl Octree {
    /// Arranges the runs of a bucket anew if objects have moved or come so
    /// that its blocks have spread too far, or gone so that two blocks more
    /// than needed are in use. The columns must be fitted.
    pub(in crate::tree) fn rerun_if_spread(&mut self, id: NodeId) {
        let node = &self.data.nodes[id];
        let (blocks, objects) = (node.blocks_len(), node.occupied_bits().count_ones() as usize);
        let spread = blocks > 1 && node.bounds.extent_sum() > node.run_extent * SPREAD;
        if spread || blocks > objects.div_ceil(WIDTH) + 1 {
            self.counters.reruns += 1;
            let mut contents = Contents::new();
            self.empty_bucket(id, &mut contents);
            self.fill_bucket(id, &mut contents);
        }
    }

    /// Fills an empty bucket with runs of eight, and fits its columns.
    pub(in crate::tree) fn fill_bucket(&mut self, id: NodeId, contents: &mut Contents) {
        let node = &self.data.nodes[id];
        // Keys are made in a cell: for several octants, in the parent's.
        let keyed = if node.span == Span::ONE { node } else { &self.data.nodes[node.parent] };
        let (grid, cell) = (&self.data.grid, keyed.cell);
        let order = grid.key_order(cell);
        if node.in_pile {
            arrange(contents, 0, entry_center, entry_rank);
        } else {
            let key = |entry: &Entry| (grid.morton_key(cell, &order, entry.aabb.center()), entry.word.row());
            contents.sort_unstable_by_key(key);
        }
        self.fill_lanes(id, contents);
    }

    /// Fills an empty bucket with objects in such an order, and fits its columns.
    pub(in crate::tree) fn fill_lanes(&mut self, id: NodeId, contents: &[Entry]) {
        for run in contents.chunks(WIDTH) {
            self.add_block(id);
            let lane = self.data.nodes[id].blocks_len() - 1;
            let block = self.data.nodes[id].child_block(lane);
            for (slot, entry) in run.iter().enumerate() {
                self.data.put(Location::new(block, slot), entry);
                let node = &mut self.data.nodes[id];
                node.occupied[lane] |= 1 << slot;
                node.moving[lane] |= u8::from(!entry.word.has(ObjectWord::STATIC)) << slot;
            }
            self.fit_lane(id, lane);
        }
        let node = &mut self.data.nodes[id];
        node.run_extent = node.bounds.extent_sum().min(f32::MAX);
    }

    /// Recomputes the columns of a bucket's lane.
    #[inline(always)]
    pub(in crate::tree) fn fit_lane(&mut self, id: NodeId, lane: usize) {
        let block_id = self.data.nodes[id].child_block(lane);
        let unreported = self.data.blocks.header_ref(block_id).unreported;
        let blocks = &self.data.blocks;
        let (bounds, memberships) = (blocks[block_id].boxes.union(), blocks.memberships_union(block_id));
        let node = &mut self.data.nodes[id];
        node.bounds.set(lane, &bounds);
        node.memberships[lane] = memberships;
        node.set_unreported(lane, unreported != 0);
    }
}
