//! The objects that a pass carries down from ancestors: lists of whole buckets, cut at
//! each child to those that overlap it.

use crate::data::{BumpVec, Data, Node, NodeId};
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, LaneMask, set_bits};
use core::ops::Range;

/// A bucket of an ancestor's pile, carried to the subtree that is visited.
#[derive(Debug, Clone, Copy)]
pub(in crate::pairs) struct CarriedBucket {
    pub(super) bucket: NodeId,
    /// The bucket's fitted bounds.
    pub(super) bounds: Aabb,
    /// Whether any object in it moves: they may pair with any other, or with moving ones only.
    moves: bool,
    /// The memberships of all objects in it, OR-ed.
    memberships: u32,
    /// The children of the node being visited that the bucket may have pairs in.
    lanes: LaneMask,
}

/// Lists of carried buckets on one stack: those of a callee lie above those of its caller.
pub(in crate::pairs) struct CarriedStack<'b> {
    entries: BumpVec<'b, CarriedBucket>,
}

/// A list on the stack.
pub(super) type CarriedList = Range<usize>;

impl<'b> CarriedStack<'b> {
    pub(in crate::pairs) fn new(entries: BumpVec<'b, CarriedBucket>) -> Self {
        Self { entries }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> CarriedBucket {
        self.entries[index]
    }

    #[cfg(feature = "parallel")]
    pub(super) fn slice(&self, list: CarriedList) -> &[CarriedBucket] {
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
    pub(super) fn push_list(&mut self, list: &[CarriedBucket]) -> CarriedList {
        let start = self.entries.len();
        self.entries.extend_from_slice(list);
        start..self.entries.len()
    }

    /// Adds the buckets of a pile that overlap `bounds`.
    pub(super) fn push_pile(&mut self, data: &Data, root: NodeId, bounds: &BoxQuery) -> CarriedList {
        let start = self.entries.len();
        if root.is_node() {
            self.push_part(data, root, data.nodes[root].bounds.union(), bounds);
        }
        start..self.entries.len()
    }

    fn push_part(&mut self, data: &Data, id: NodeId, own: Aabb, bounds: &BoxQuery) {
        let node = &data.nodes[id];
        let overlapping = node.bounds.overlaps(bounds) & node.child_mask;
        if node.is_bucket {
            if overlapping != 0 {
                let memberships = node.memberships.iter().fold(0, |all, m| all | m);
                let moves = node.moving_bits() != 0;
                self.entries.push(CarriedBucket { bucket: id, bounds: own, moves, memberships, lanes: 0 });
            }
        } else {
            for lane in set_bits(u64::from(overlapping)) {
                self.push_part(data, node.child_node(lane), node.bounds.get(lane), bounds);
            }
        }
    }

    /// Adds those of a list that may have pairs in some child of a branch, each with the children in question.
    pub(super) fn route(&mut self, data: &Data, list: CarriedList, node: &Node) -> CarriedList {
        let start = self.entries.len();
        let moving = node.moving_lanes();
        for index in list {
            let mut entry = self.entries[index];
            let partners = if entry.moves { node.child_mask } else { moving };
            let partners = partners & data.interacting(entry.memberships, node);
            entry.lanes = node.bounds.overlaps(&BoxQuery::new(&entry.bounds)) & partners;
            if entry.lanes != 0 {
                self.entries.push(entry);
            }
        }
        start..self.entries.len()
    }

    /// Adds those of a routed list that go into one child.
    #[inline]
    pub(super) fn push_lane(&mut self, routed: CarriedList, lane: usize) -> CarriedList {
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
