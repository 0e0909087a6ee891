//! The objects of ancestors, on their way down: the parent list of the
//! classic octree, cut down at each child to what overlaps it.

use super::sink::Member;
use crate::data::Data;
use crate::data::ids::BlockId;
use crate::data::nodes::Node;
use crate::data::scratch::BumpVec;
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, LaneMask, set_bits};
use core::ops::Range;

/// An object held above or beside the subtree that is being visited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outside {
    pub(super) aabb: Aabb,
    pub(super) object: Member,
    /// Whether the object moves: it may pair with any other, or with moving ones only.
    pub(super) moves: bool,
    /// The children of the node being visited that the object may pair in.
    lanes: LaneMask,
}

/// Lists of outside objects, stacked: a callee's lie above its caller's.
pub(super) struct OutsideStack<'b> {
    entries: BumpVec<'b, Outside>,
}

/// A list on the stack.
pub(super) type List = Range<usize>;

impl<'b> OutsideStack<'b> {
    pub(super) fn new(entries: BumpVec<'b, Outside>) -> Self {
        Self { entries }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Outside {
        self.entries[index]
    }

    #[cfg(feature = "parallel")]
    pub(super) fn slice(&self, list: List) -> &[Outside] {
        &self.entries[list]
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Drops all lists from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    /// Adds a copied list.
    #[cfg(feature = "parallel")]
    pub(super) fn push_list(&mut self, list: &[Outside]) -> List {
        let start = self.entries.len();
        self.entries.extend_from_slice(list);
        start..self.entries.len()
    }

    /// Adds the objects of a chain that overlap `bounds`.
    pub(super) fn push_chain(&mut self, data: &Data, first: BlockId, bounds: &BoxQuery) -> List {
        let start = self.entries.len();
        for id in data.blocks.chain(first) {
            let block = &data.blocks[id];
            let mask = block.boxes.overlaps(bounds) & block.occupied();
            let moving = block.moving();
            for lane in set_bits(u64::from(mask)) {
                let (aabb, moves) = (block.boxes.get(lane), moving >> lane & 1 == 1);
                self.entries.push(Outside { aabb, object: Member::of(block, lane), moves, lanes: 0 });
            }
        }
        start..self.entries.len()
    }

    /// Adds those of a list that may pair in some child of a branch, each with the children in question.
    pub(super) fn route(&mut self, list: List, node: &Node) -> List {
        let start = self.entries.len();
        let moving = node.moving_lanes();
        for index in list {
            let mut entry = self.entries[index];
            let partners = if entry.moves { node.child_mask } else { moving };
            entry.lanes = node.bounds.overlaps(&BoxQuery::new(&entry.aabb)) & partners;
            if entry.lanes != 0 {
                self.entries.push(entry);
            }
        }
        start..self.entries.len()
    }

    /// Adds those of a branch's residents that may pair in some child of it.
    pub(super) fn route_residents(&mut self, data: &Data, node: &Node) {
        let lanes_moving = node.moving_lanes();
        for id in data.blocks.chain(node.residents) {
            let block = &data.blocks[id];
            let moving = block.moving();
            for lane in set_bits(u64::from(block.occupied())) {
                let (aabb, object) = (block.boxes.get(lane), Member::of(block, lane));
                let moves = moving >> lane & 1 == 1;
                let partners = if moves { node.child_mask } else { lanes_moving };
                let lanes = node.bounds.overlaps(&BoxQuery::new(&aabb)) & partners;
                if lanes != 0 {
                    self.entries.push(Outside { aabb, object, moves, lanes });
                }
            }
        }
    }

    /// Adds those of a routed list that go into one child.
    #[inline]
    pub(super) fn push_lane(&mut self, routed: List, lane: usize) -> List {
        let start = self.entries.len();
        for index in routed {
            let entry = self.entries[index];
            if entry.lanes >> lane & 1 == 1 {
                self.entries.push(entry);
            }
        }
        start..self.entries.len()
    }
}
