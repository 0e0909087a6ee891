//! Processing dirty lanes: what the setters wrote since the last view is turned into
//! marks for the refit and into the list of misplaced objects.
//!
//! The loose bounds of nodes lie beside them, so a block whose objects stay in their
//! cell is processed without a look at its node's columns.

use crate::data::{BlockHeader, BlockId, NodeId};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, placeable, set_bits};
use crate::tree::Octree;

impl Octree {
    /// Marks the owners of dirty lanes for refit, and lists the objects that do not
    /// belong to their owner any more.
    #[inline]
    pub(super) fn process_dirty_lanes(&mut self) {
        if self.data.blocks.dirty.take_any() {
            self.process_dirty_blocks();
        }
    }

    /// The same where any block is dirty.
    // Not inlined: after an update of most objects mostly none is, and less code is fetched then.
    #[inline(never)]
    fn process_dirty_blocks(&mut self) {
        for word in 0..self.data.blocks.dirty.words() {
            for block in self.data.blocks.dirty.take_word(word) {
                self.process_dirty_block(block);
            }
        }
    }

    fn process_dirty_block(&mut self, id: BlockId) {
        let lanes = self.data.blocks.dirty.take(id);
        if lanes == 0 {
            return;
        }
        self.data.mark_lanes(id, lanes, |header| 1 << header.lane());
        let header = self.data.blocks.header_ref(id);
        let misplaced_lanes = if lanes.is_power_of_two() {
            // Often one object moves among eight: a scalar test is cheaper.
            let aabb = self.data.blocks[id].boxes.get(lanes.trailing_zeros() as usize);
            if self.belongs(header, &aabb) { 0 } else { lanes }
        } else {
            lanes & self.misplaced_lanes(id, header)
        };
        for lane in set_bits(u64::from(misplaced_lanes)) {
            self.misplaced.push(self.data.blocks[id].objects[lane].row());
        }
    }

    /// The lanes of a block whose object does not belong to its owner.
    // Inlined: it runs once for each dirty block, and a call would double its cost.
    #[inline(always)]
    pub(in crate::tree) fn misplaced_lanes(&self, id: BlockId, header: &BlockHeader) -> LaneMask {
        let boxes = &self.data.blocks[id].boxes;
        if header.is_chained() {
            0
        } else if header.is_piled() {
            self.misplaced_in_pile(boxes, header)
        } else {
            !self.data.nodes.loose_bounds(header.owner()).keeps_lanes(boxes)
        }
    }

    #[inline(never)]
    fn misplaced_in_pile(&self, boxes: &Boxes, header: &BlockHeader) -> LaneMask {
        let owner = self.data.nodes.pile_owner(header.owner());
        if !owner.is_node() {
            return placeable(boxes, self.data.grid.reach());
        }
        let misplaced_lanes = !self.data.nodes.loose_bounds(owner).keeps_lanes(boxes);
        // Mostly all are too long for a child, which takes no look at each.
        let cell = self.data.nodes[owner].cell;
        let too_long = boxes.longer_than(self.data.grid.child_edges_max(cell, self.data.level_min()));
        let is_misplaced = |&lane: &usize| !self.is_resident(owner, &boxes.get(lane));
        set_bits(u64::from(!(misplaced_lanes | too_long)))
            .filter(is_misplaced)
            .fold(misplaced_lanes, |misplaced_lanes, lane| misplaced_lanes | 1 << lane)
    }

    /// Whether a box may stay with the owner of its block.
    pub(super) fn belongs(&self, header: &BlockHeader, aabb: &Aabb) -> bool {
        if header.is_chained() {
            return true;
        }
        if !header.is_piled() {
            return self.data.nodes.loose_bounds(header.owner()).keeps(aabb);
        }
        let owner = self.data.nodes.pile_owner(header.owner());
        if owner.is_node() {
            self.data.nodes.loose_bounds(owner).keeps(aabb) && self.is_resident(owner, aabb)
        } else {
            !self.data.grid.is_placeable(aabb)
        }
    }

    /// Whether a box that a branch holds is held by no child of it.
    fn is_resident(&self, branch: NodeId, aabb: &Aabb) -> bool {
        let cell = self.data.nodes[branch].cell;
        self.data.grid.octant_holding(cell, self.data.level_min(), aabb).is_none()
    }
}
