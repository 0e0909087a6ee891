//! All nodes: an arena, the links between parents and children, and piles.

pub(crate) mod node;

use super::arena::{Arena, copy_list, indexed_by, push_tight, reserve_tight};
use super::state::hash::WordHash;
use crate::data::arena::cloned;
use crate::data::{Cell, NodeId};
use crate::geometry::lanes::{LooseCell, prefetch_list, set_bits};
use alloc::vec::Vec;
use node::{Node, PILE_LANE, Summary};

/// All nodes, and where the objects of each belong.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Nodes {
    pub(crate) arena: Arena<Node>,
    /// The loose bounds of each node, in world units.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) loose_bounds: Vec<LooseCell>,
    /// Nodes in use at each level, those of piles apart.
    #[cfg_attr(feature = "serde", serde(skip))]
    at_level: [u32; 32],
}

impl Clone for Nodes {
    fn clone(&self) -> Self {
        cloned(self, Self::new())
    }

    fn clone_from(&mut self, source: &Self) {
        self.arena.clone_from(&source.arena);
        copy_list(&mut self.loose_bounds, &source.loose_bounds);
        self.at_level = source.at_level;
    }
}

impl Nodes {
    pub(crate) const fn new() -> Self {
        Self { arena: Arena::new(), loose_bounds: Vec::new(), at_level: [0; 32] }
    }

    #[inline(always)]
    pub(crate) fn allocate(&mut self, node: Node, loose_bounds: LooseCell) -> NodeId {
        self.at_level[node.cell.level as usize] += u32::from(!node.in_pile);
        let id = NodeId(self.arena.allocate(node));
        if let Some(slot) = self.loose_bounds.get_mut(id.0 as usize) {
            *slot = loose_bounds;
        } else {
            push_tight(&mut self.loose_bounds, loose_bounds);
        }
        id
    }

    /// The loose bounds of a node: where its objects belong.
    #[inline(always)]
    pub(crate) fn loose_bounds(&self, id: NodeId) -> &LooseCell {
        &self.loose_bounds[id.0 as usize]
    }

    /// The node that is allocated next.
    pub(crate) fn next_id(&self) -> NodeId {
        NodeId(self.arena.next_index())
    }

    pub(crate) fn release(&mut self, id: NodeId) {
        let node = &self[id];
        let (level, counted) = (node.cell.level, u32::from(!node.in_pile));
        self.at_level[level as usize] -= counted;
        self.arena.release(id.0, Node::blank());
    }

    /// How many objects are moving, not static.
    ///
    /// *Cost:* two cache lines of each node are read.
    pub(crate) fn moving_len(&self) -> usize {
        let buckets = self.arena.slots().iter().filter(|node| node.is_bucket);
        buckets.map(|node| node.moving_bits().count_ones() as usize).sum()
    }

    /// Forgets everything, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.arena.clear();
        self.loose_bounds.clear();
        self.at_level = [0; 32];
    }

    /// Whether the column of loose bounds is as long as the arena.
    pub(super) fn has_all_loose_bounds(&self) -> bool {
        self.loose_bounds.len() == self.arena.slots().len()
    }

    pub(super) fn derive_loose_bounds(&mut self, loose_bounds: impl Fn(&Node) -> LooseCell) {
        self.loose_bounds.clear();
        self.loose_bounds.extend(self.arena.slots().iter().map(loose_bounds));
    }

    #[inline]
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.arena.reserve(additional);
        reserve_tight(&mut self.loose_bounds, additional);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.arena.shrink_to_fit();
        self.loose_bounds.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.arena.memory() + self.loose_bounds.capacity() * size_of::<LooseCell>()
    }

    /// Prefetches the memory of so many nodes that are added next, as far as there is room.
    #[inline(always)]
    pub(crate) fn prefetch_room(&mut self, nodes: usize) {
        self.arena.prefetch_room(nodes);
        let room = self.loose_bounds.spare_capacity_mut();
        prefetch_list(&room[..room.len().min(nodes)]);
    }

    /// Prefetches so many nodes, as far as there are.
    #[inline(always)]
    pub(crate) fn prefetch(&self, nodes: usize) {
        self.arena.prefetch_slots(nodes);
        prefetch_list(&self.loose_bounds[..self.loose_bounds.len().min(nodes)]);
    }

    /// Resets the counts of nodes at each level.
    pub(super) fn forget_levels(&mut self) {
        self.at_level = [0; 32];
    }

    /// Adds counts of nodes that were written without [`Nodes::allocate`].
    pub(crate) fn add_levels(&mut self, at_level: &[u32; 32]) {
        self.at_level.iter_mut().zip(at_level).for_each(|(sum, nodes)| *sum += nodes);
    }

    /// Nodes in use at each level.
    pub(crate) fn at_level(&self) -> &[u32; 32] {
        &self.at_level
    }

    /// Counts the nodes at each level anew.
    #[cfg(feature = "serde")]
    pub(crate) fn count_levels(&mut self) {
        self.at_level = [0; 32];
        for node in self.arena.slots() {
            self.at_level[node.cell.level as usize % 32] += u32::from(!node.in_pile);
        }
        // Freed nodes are blank, of level zero.
        #[expect(clippy::cast_possible_truncation, reason = "nodes are indexed by u32")]
        {
            self.at_level[0] -= self.arena.free_len() as u32;
        }
    }

    /// Adds every node.
    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_wide(self.arena.slots().len() as u64);
        self.arena.slots().iter().for_each(|node| node.hash(hash));
        self.arena.hash_free(hash);
    }

    /// Whether any node is of a finer level than `level_min`.
    pub(crate) fn any_below(&self, level_min: u32) -> bool {
        self.at_level[..level_min as usize].iter().any(|&nodes| nodes > 0)
    }

    /// Makes `child` the contents of a lane of a branch.
    pub(crate) fn link(&mut self, parent: NodeId, lane: usize, child: NodeId) {
        let span = self[child].span;
        self[parent].set_child(lane, child, span);
        self[child].set_parent(parent, lane);
    }

    /// Makes a pile that of a branch's residents.
    pub(crate) fn link_pile(&mut self, owner: NodeId, pile: NodeId) {
        self[owner].residents = pile;
        self[pile].set_parent(owner, PILE_LANE);
    }

    /// Summary of a node from its columns and those of its pile; the count is that of the last refit.
    #[inline(always)]
    pub(crate) fn summary(&self, id: NodeId) -> Summary {
        let node = &self[id];
        let mut summary = node.own_summary();
        if node.residents.is_node() {
            // The node's own count has the residents in it; a pile has no residents.
            summary.add(&Summary { count: 0, ..self[node.residents].own_summary() });
        }
        summary
    }

    /// The branch whose residents the node is a pile of, or [`NodeId::OUTSIZED`]; the node itself if it is of no pile.
    pub(crate) fn pile_owner(&self, mut id: NodeId) -> NodeId {
        while id.is_node() && self[id].in_pile {
            id = self[id].parent;
        }
        id
    }

    /// Resets the cells of the nodes of a pile.
    pub(crate) fn reset_cells(&mut self, id: NodeId) {
        if id.is_node() {
            let node = &mut self[id];
            node.cell = Cell::SMALLEST;
            if !node.is_bucket {
                for lane in set_bits(u64::from(self[id].child_mask)) {
                    self.reset_cells(self[id].child_node(lane));
                }
            }
        }
    }

    /// Visits the buckets of a pile, in order.
    pub(crate) fn visit_pile(&self, id: NodeId, visit: &mut impl FnMut(&Node)) {
        if id.is_node() {
            let node = &self[id];
            if node.is_bucket {
                visit(node);
            } else {
                set_bits(u64::from(node.child_mask)).for_each(|lane| self.visit_pile(node.child_node(lane), visit));
            }
        }
    }

    /// Marks parts of a node for refit, and the path to the root up to the first mark already set.
    #[inline]
    pub(crate) fn mark_for_refit(&mut self, id: NodeId, parts: u16) {
        let node = &mut self[id];
        let before = node.needs_refit;
        node.needs_refit |= parts;
        if before == 0 {
            let (mut parent, mut lane) = (node.parent, node.lane);
            while parent.is_node() {
                let node = &mut self[parent];
                let before = node.needs_refit;
                node.needs_refit |= 1 << lane;
                if before != 0 {
                    break;
                }
                (parent, lane) = (node.parent, node.lane);
            }
        }
    }
}

indexed_by!(Nodes, NodeId, Node);
