//! The destination of a task of a threaded build: the task's stretches of the final
//! columns, while other threads fill others.

use super::count::{BuildTotals, Grain, Subtree};
use super::sort::Item;
use super::store::{BlockColumns, KeyInfo, Store};
use crate::data::stretch::{BlockStretch, NodeStretch};
use crate::data::{Block, BlockHeader, BlockId, Cell, Node, NodeId, Objects, PILE_LANE, Row, Summary};
use crate::geometry::lanes::LooseCell;
use alloc::vec::Vec;

/// Stretches of nodes and blocks that are filled from the front.
pub(super) struct StretchStore<'a> {
    nodes: NodeStretch<'a>,
    blocks: BlockStretch<'a>,
    nodes_len: usize,
    blocks_len: usize,
    /// Their locations are written, each by one thread.
    objects: &'a Objects,
    pub(super) totals: BuildTotals,
    /// The subtrees that are built already, and the rule by which they were deferred.
    done: Option<(&'a [Subtree], Grain)>,
    /// For items whose keys are renewed.
    pub(super) spare: Vec<Item>,
}

impl<'a> StretchStore<'a> {
    pub(super) fn new(nodes: NodeStretch<'a>, blocks: BlockStretch<'a>, objects: &'a Objects) -> Self {
        Self {
            nodes,
            blocks,
            nodes_len: 0,
            blocks_len: 0,
            objects,
            totals: BuildTotals::default(),
            done: None,
            spare: Vec::new(),
        }
    }

    /// The top of a tree, whose subtrees are built already.
    pub(super) fn above(self, done: &'a [Subtree], grain: Grain) -> Self {
        Self { done: Some((done, grain)), ..self }
    }

    /// Whether every node and block has been written.
    pub(super) fn is_full(&self) -> bool {
        self.nodes_len == self.nodes.nodes.len() && self.blocks_len == self.blocks.blocks.len()
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "nodes are indexed by u32")]
    fn next_node(&self) -> NodeId {
        NodeId(self.nodes.first.0 + self.nodes_len as u32)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
    fn next_block(&self) -> BlockId {
        BlockId(self.blocks.first.0 + self.blocks_len as u32)
    }
}

impl Store for StretchStore<'_> {
    const KEEPS_KEYS: bool = true;

    fn defer(&mut self, cell: Cell, keys: KeyInfo, len: usize) -> Option<(NodeId, Summary)> {
        let (done, grain) = self.done.as_mut()?;
        if !grain.defers(cell, keys, len) {
            return None;
        }
        let (subtree, rest) = done.split_first()?;
        debug_assert_eq!((subtree.cell, subtree.items.len()), (cell, len));
        *done = rest;
        debug_assert_eq!(subtree.first, self.next_ids());
        self.nodes_len += subtree.len.nodes as usize;
        self.blocks_len += subtree.len.blocks as usize;
        Some((subtree.first.0, subtree.summary))
    }

    #[inline]
    fn next_ids(&self) -> (NodeId, BlockId) {
        (self.next_node(), self.next_block())
    }

    #[inline]
    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes.nodes[(id.0 - self.nodes.first.0) as usize]
    }

    #[inline]
    fn add_node(&mut self, node: Node, loose_bounds: LooseCell) -> NodeId {
        let id = self.next_node();
        self.totals.at_level[node.cell.level as usize] += u32::from(!node.in_pile);
        self.nodes.nodes[self.nodes_len] = node;
        self.nodes.loose_bounds[self.nodes_len] = loose_bounds;
        self.nodes_len += 1;
        id
    }

    #[inline]
    fn link(&mut self, parent: NodeId, lane: usize, child: NodeId) {
        let span = self.node_mut(child).span;
        self.node_mut(parent).set_child(lane, child, span);
        self.node_mut(child).set_parent(parent, lane);
    }

    #[inline]
    fn add_block(&mut self, block: Block, header: BlockHeader, columns: &BlockColumns<'_>) {
        let index = self.blocks_len;
        self.blocks.blocks[index] = block;
        self.blocks.headers[index] = header;
        if let Some(slot) = self.blocks.spheres.get_mut(index) {
            *slot = *columns.spheres;
        }
        if let Some(slot) = self.blocks.memberships.get_mut(index) {
            *slot = *columns.memberships;
        }
        if columns.any_spheres {
            self.totals.spheres_len = self.totals.spheres_len.max(self.blocks.first.0 as usize + index + 1);
        }
        self.totals.any_memberships |= !columns.on_all;
        self.blocks_len += 1;
    }

    fn link_pile(&mut self, owner: NodeId, pile: NodeId) {
        self.node_mut(owner).residents = pile;
        self.node_mut(pile).set_parent(owner, PILE_LANE);
    }

    fn spare(&mut self) -> Vec<Item> {
        core::mem::take(&mut self.spare)
    }

    fn give_back(&mut self, mut spare: Vec<Item>) {
        spare.clear();
        self.spare = spare;
    }

    #[inline(always)]
    fn prefetch(&self, row: Row) {
        self.objects.prefetch(row);
    }

    #[inline(always)]
    fn locate(&mut self, id: BlockId, len: usize, block: &mut Block) {
        block.locate(id, len, self.objects);
    }
}
