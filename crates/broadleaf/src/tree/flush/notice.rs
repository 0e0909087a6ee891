//! Noticing what setters have written: which nodes it changes, and which
//! objects it took out of their cell.

use crate::data::blocks::block::Link;
use crate::data::ids::{BlockId, NodeId};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, placeable, set_bits};
use crate::tree::Octree;

impl Octree {
    /// Marks the nodes whose objects have been written since the last view,
    /// and lists the objects that no longer belong where they are.
    pub(in crate::tree) fn notice_written(&mut self) {
        if self.data.blocks.written.take_any() {
            for word in 0..self.data.blocks.written.words() {
                for block in self.data.blocks.written.take_word(word) {
                    self.notice_block(block);
                }
            }
        }
    }

    fn notice_block(&mut self, id: BlockId) {
        let lanes = self.data.blocks.written.take(id);
        if lanes == 0 {
            return;
        }
        let link = self.stir(id, lanes, |link| 1 << link.lane());
        let strays = if lanes.is_power_of_two() {
            // Often one alone moves among eight at rest.
            let aabb = self.data.blocks[id].boxes.get(lanes.trailing_zeros() as usize);
            if self.belongs(link, &aabb) { 0 } else { lanes }
        } else {
            lanes & self.strays(id, &link)
        };
        for lane in set_bits(u64::from(strays)) {
            self.misplaced.push(self.data.blocks[id].objects[lane].row());
        }
    }

    /// Notes that objects in lanes of a block have changed; `part` is what is
    /// to be refitted of a node that the block belongs to.
    #[inline(always)]
    pub(in crate::tree) fn stir(&mut self, id: BlockId, lanes: LaneMask, part: impl Fn(&Link) -> u16) -> Link {
        let link = self.data.blocks.link_mut(id);
        link.stirred |= lanes;
        let link = *link;
        if link.owner.is_node() {
            self.data.nodes.mark_changed(link.owner, part(&link));
        }
        link
    }

    /// The lanes of a block whose object does not belong to its owner.
    // Asked once a block that was written: a call would cost as much again.
    #[inline(always)]
    pub(in crate::tree) fn strays(&self, id: BlockId, link: &Link) -> LaneMask {
        let boxes = &self.data.blocks[id].boxes;
        if link.is_chained() {
            0
        } else if link.is_piled() {
            self.strays_of_pile(boxes, link)
        } else {
            !link.home.keeps_lanes(boxes)
        }
    }

    #[inline(never)]
    fn strays_of_pile(&self, boxes: &Boxes, link: &Link) -> LaneMask {
        let owner = self.data.nodes.pile_owner(link.owner);
        if !owner.is_node() {
            return placeable(boxes, self.data.grid.reach());
        }
        let strays = !link.home.keeps_lanes(boxes);
        let is_stray = |&lane: &usize| !self.is_resident(owner, &boxes.get(lane));
        set_bits(u64::from(!strays)).filter(is_stray).fold(strays, |strays, lane| strays | 1 << lane)
    }

    /// Whether a box may stay with the owner of its block.
    pub(in crate::tree) fn belongs(&self, link: Link, aabb: &Aabb) -> bool {
        if link.is_chained() {
            return true;
        }
        if !link.is_piled() {
            return link.home.keeps(aabb);
        }
        let owner = self.data.nodes.pile_owner(link.owner);
        if owner.is_node() {
            link.home.keeps(aabb) && self.is_resident(owner, aabb)
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
