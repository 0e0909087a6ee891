//! Where a bulk build puts its nodes and blocks.

use super::sort::Item;
use crate::data::Data;
use crate::data::blocks::block::{Block, BlockHeader};
use crate::data::grid::cell::Cell;
use crate::data::ids::{BlockId, Location, NodeId, Row};
use crate::data::nodes::node::{Node, Summary};
use crate::geometry::lanes::{Spheres, WIDTH};
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// What is known of sorted items.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::tree) struct KeyInfo {
    /// The level of the cell that their keys were made in.
    pub(in crate::tree) key_level: u32,
    /// No item needs a higher level to be surely held.
    pub(in crate::tree) level_max: u32,
}

/// What lies beside a block.
pub(in crate::tree) struct BlockColumns<'a> {
    pub(in crate::tree) spheres: &'a Spheres,
    /// Whether any object is a sphere.
    pub(in crate::tree) any_spheres: bool,
    pub(in crate::tree) memberships: &'a [u32; WIDTH],
    /// Whether every object is a member of all layers.
    pub(in crate::tree) on_all: bool,
}

/// Where a bulk build puts its nodes and blocks, in the order of a descent:
/// ids are given in that order too.
pub(in crate::tree) trait Store {
    /// Whether nodes and blocks are only counted; then items stay in reach.
    const COUNTS: bool = false;
    /// Whether others look at the items again, by the keys that they have.
    const KEEPS_KEYS: bool = false;

    /// What a part of the tree that others build is to its parent.
    #[inline]
    fn defer(&mut self, _cell: Cell, _known: KeyInfo, _len: usize) -> Option<(NodeId, Summary)> {
        None
    }

    /// Notes that the descent goes on so many items further on.
    #[inline]
    fn advance(&mut self, _items: usize) {}

    /// Notes that the descent is so many items further back again.
    #[inline]
    fn retreat(&mut self, _items: usize) {}

    /// The node and block that come next.
    fn next_ids(&self) -> (NodeId, BlockId);

    fn node_mut(&mut self, id: NodeId) -> &mut Node;

    fn add_node(&mut self, node: Node) -> NodeId;

    /// Makes `child` the contents of a lane of a branch.
    fn link(&mut self, parent: NodeId, lane: usize, child: NodeId);

    /// Adds a block of a bucket.
    fn add_block(&mut self, block: Block, header: BlockHeader, columns: &BlockColumns<'_>);

    /// Makes a pile that of a branch's residents.
    fn link_pile(&mut self, owner: NodeId, pile: NodeId);

    /// Tells an object where it will lie; its generation.
    fn locate(&mut self, row: Row, location: Location) -> NonZeroU32;

    /// Has where an object lies brought near.
    #[inline]
    fn prefetch(&self, _row: Row) {}

    /// Counts a bucket of so many objects.
    #[inline]
    fn count_bucket(&mut self, _len: usize) {}

    /// Memory for a copy of items.
    #[inline]
    fn spare(&mut self) -> Vec<Item> {
        Vec::new()
    }

    /// Takes such memory back.
    #[inline]
    fn give_back(&mut self, _spare: Vec<Item>) {}
}

/// A serial build, into columns that grow.
impl Store for Data {
    #[inline(always)]
    fn next_ids(&self) -> (NodeId, BlockId) {
        (self.nodes.next_id(), self.blocks.next_id())
    }

    #[inline(always)]
    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }

    #[inline]
    fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.allocate(node)
    }

    #[inline]
    fn link(&mut self, parent: NodeId, lane: usize, child: NodeId) {
        self.nodes.link(parent, lane, child);
    }

    #[inline(always)]
    fn add_block(&mut self, block: Block, header: BlockHeader, columns: &BlockColumns<'_>) {
        let id = self.blocks.allocate_filled(block, header);
        if columns.any_spheres {
            self.blocks.set_spheres(id, columns.spheres);
        }
        if !columns.on_all || self.blocks.any_memberships() {
            self.blocks.set_memberships(id, columns.memberships);
        }
    }

    fn link_pile(&mut self, owner: NodeId, pile: NodeId) {
        self.nodes.link_pile(owner, pile);
    }

    #[inline(always)]
    fn prefetch(&self, row: Row) {
        self.objects.prefetch(row);
    }

    #[inline(always)]
    fn locate(&mut self, row: Row, location: Location) -> NonZeroU32 {
        self.objects.set_location(row, location)
    }
}
