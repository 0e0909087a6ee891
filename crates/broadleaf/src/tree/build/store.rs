//! The destination of a bulk build: where nodes and blocks are put.

use super::sort::Item;
use crate::data::{Block, BlockHeader, BlockId, Cell, Data, Node, NodeId, Row, Summary};
use crate::geometry::lanes::{LooseCell, Spheres, WIDTH};
use alloc::vec::Vec;

/// Facts about the keys of sorted items.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyInfo {
    /// The level below which their keys have no bits.
    pub(super) floor: u32,
    /// The longest edge that an item needs of a cell.
    pub(super) edge_max: u32,
    /// Levels of their keys' tails; zero if they have none, or no more.
    pub(super) tail_levels: u32,
}

/// The columns beside a block, for one block.
pub(super) struct BlockColumns<'a> {
    pub(super) spheres: &'a Spheres,
    /// Whether any object is a sphere.
    pub(super) any_spheres: bool,
    pub(super) memberships: &'a [u32; WIDTH],
    /// Whether every object is a member of all layers.
    pub(super) on_all: bool,
}

/// Takes nodes and blocks in the order of a depth-first descent, and gives ids in that order.
pub(super) trait Store {
    /// Whether nodes and blocks are only counted.
    const COUNTS: bool = false;
    /// Whether the items are read again later, so that their keys must not change.
    const KEEPS_KEYS: bool = false;

    /// The root and the summary of a subtree that another task builds; `None` if this task builds it.
    #[inline]
    fn defer(&mut self, _cell: Cell, _known: KeyInfo, _len: usize) -> Option<(NodeId, Summary)> {
        None
    }

    /// Moves the position of the descent forward by so many items.
    #[inline]
    fn advance(&mut self, _items: usize) {}

    /// Moves the position of the descent back by so many items.
    #[inline]
    fn retreat(&mut self, _items: usize) {}

    /// The node and block that come next.
    fn next_ids(&self) -> (NodeId, BlockId);

    fn node_mut(&mut self, id: NodeId) -> &mut Node;

    fn add_node(&mut self, node: Node, loose_bounds: LooseCell) -> NodeId;

    /// Makes `child` the contents of a lane of a branch.
    fn link(&mut self, parent: NodeId, lane: usize, child: NodeId);

    /// Adds a block of a bucket.
    fn add_block(&mut self, block: Block, header: BlockHeader, columns: &BlockColumns<'_>);

    /// Makes a pile that of a branch's residents.
    fn link_pile(&mut self, owner: NodeId, pile: NodeId);

    /// Writes the locations of the first objects of a block, and their generations into it.
    fn locate(&mut self, id: BlockId, len: usize, block: &mut Block);

    /// Prefetches the slot of a row.
    #[inline]
    fn prefetch(&self, _row: Row) {}

    /// Counts a bucket of so many objects.
    #[inline]
    fn count_bucket(&mut self, _len: usize) {}

    /// Scratch for a copy of items.
    #[inline]
    fn spare(&mut self) -> Vec<Item> {
        Vec::new()
    }

    /// Takes such scratch back.
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

    #[inline(always)]
    fn add_node(&mut self, node: Node, loose_bounds: LooseCell) -> NodeId {
        self.nodes.allocate(node, loose_bounds)
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
    fn locate(&mut self, id: BlockId, len: usize, block: &mut Block) {
        block.locate(id, len, &self.objects);
    }
}
