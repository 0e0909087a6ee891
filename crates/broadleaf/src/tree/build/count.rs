//! Counting the nodes and blocks of subtrees before any is written, so that
//! threads may write them all at once, each where it belongs.

use super::sort::Item;
use super::store::{BlockColumns, KeyInfo, Store};
use crate::data::{Block, BlockHeader, BlockId, Cell, Node, NodeId, Summary};
use crate::geometry::lanes::{LooseCell, WIDTH};
use alloc::vec::Vec;
use core::ops::Range;

/// A subtree that one task builds.
#[derive(Debug)]
pub(super) struct Subtree {
    pub(super) cell: Cell,
    pub(super) keys: KeyInfo,
    /// Where its items lie among all.
    pub(super) items: Range<usize>,
    /// Its first node and block, and how many it has.
    pub(super) first: (NodeId, BlockId),
    pub(super) len: BuildSize,
    /// The summary of its root, for the parent.
    pub(super) summary: Summary,
    pub(super) totals: BuildTotals,
    pub(super) scratch: CountScratch,
}

/// A number of nodes and of blocks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BuildSize {
    pub(super) nodes: u32,
    pub(super) blocks: u32,
}

/// Totals over the nodes and blocks that a task writes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BuildTotals {
    pub(super) at_level: [u32; 32],
    /// Blocks up to the last one that holds a sphere.
    pub(super) spheres_len: usize,
    /// Whether any object is not a member of all layers.
    pub(super) any_memberships: bool,
}

/// Memory of a count.
#[derive(Debug, Default)]
pub(super) struct CountScratch {
    pub(super) spare: Vec<Item>,
    /// Working memory of sorts.
    pub(super) sorting: Vec<Item>,
}

impl CountScratch {
    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        (self.spare.capacity() + self.sorting.capacity()) * size_of::<Item>()
    }
}

/// Which subtrees are deferred to tasks: those with few items, or whose items need new
/// keys. It follows from the items alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grain(pub(super) usize);

impl Grain {
    pub(super) fn defers(self, cell: Cell, keys: KeyInfo, len: usize) -> bool {
        len <= self.0 || cell.level <= keys.floor
    }
}

/// The list of subtrees that a count defers.
struct SubtreeList<'m> {
    subtrees: &'m mut Vec<Subtree>,
    len: usize,
    grain: Grain,
    /// Items before the ones of the cell at hand.
    first: usize,
}

/// Counts nodes and blocks in place of making them.
pub(super) struct Count<'m> {
    counted: BuildSize,
    scratch: &'m mut CountScratch,
    list: Option<SubtreeList<'m>>,
    /// A dummy node, for writes.
    node: Node,
}

impl Subtree {
    fn new() -> Self {
        Self {
            cell: Cell::SMALLEST,
            keys: KeyInfo::default(),
            items: 0..0,
            first: (NodeId::NONE, BlockId::NONE),
            len: BuildSize::default(),
            summary: Summary::EMPTY,
            totals: BuildTotals::default(),
            scratch: CountScratch::default(),
        }
    }
}

impl<'m> Count<'m> {
    /// Counts a whole subtree.
    pub(super) fn all(scratch: &'m mut CountScratch) -> Self {
        Self { counted: BuildSize::default(), scratch, list: None, node: Node::blank() }
    }

    /// Counts the top of the tree, and lists the subtrees below it.
    pub(super) fn top(scratch: &'m mut CountScratch, subtrees: &'m mut Vec<Subtree>, grain: Grain) -> Self {
        let list = SubtreeList { subtrees, len: 0, grain, first: 0 };
        Self { list: Some(list), ..Self::all(scratch) }
    }

    /// What was counted, and how many subtrees were listed.
    pub(super) fn end(self) -> (BuildSize, usize) {
        (self.counted, self.list.map_or(0, |list| list.len))
    }
}

impl Store for Count<'_> {
    const COUNTS: bool = true;
    const KEEPS_KEYS: bool = true;

    fn defer(&mut self, cell: Cell, keys: KeyInfo, len: usize) -> Option<(NodeId, Summary)> {
        let list = self.list.as_mut()?;
        if !list.grain.defers(cell, keys, len) {
            return None;
        }
        if list.len == list.subtrees.len() {
            list.subtrees.push(Subtree::new());
        }
        let subtree = &mut list.subtrees[list.len];
        (subtree.cell, subtree.keys, subtree.items) = (cell, keys, list.first..list.first + len);
        // As counted so far; the subtrees before it come on top.
        subtree.first = (NodeId(self.counted.nodes), BlockId(self.counted.blocks));
        list.len += 1;
        Some((NodeId::NONE, Summary::EMPTY))
    }

    fn advance(&mut self, items: usize) {
        if let Some(list) = &mut self.list {
            list.first += items;
        }
    }

    fn retreat(&mut self, items: usize) {
        if let Some(list) = &mut self.list {
            list.first -= items;
        }
    }

    fn next_ids(&self) -> (NodeId, BlockId) {
        (NodeId::NONE, BlockId::NONE)
    }

    fn node_mut(&mut self, _id: NodeId) -> &mut Node {
        &mut self.node
    }

    fn add_node(&mut self, _node: Node, _loose_bounds: LooseCell) -> NodeId {
        self.counted.nodes += 1;
        NodeId::NONE
    }

    fn link(&mut self, _parent: NodeId, _lane: usize, _child: NodeId) {}

    fn add_block(&mut self, _block: Block, _link: BlockHeader, _beside: &BlockColumns<'_>) {}

    fn link_pile(&mut self, _owner: NodeId, _pile: NodeId) {}

    fn locate(&mut self, _id: BlockId, _len: usize, _block: &mut Block) {}

    #[expect(clippy::cast_possible_truncation, reason = "a bucket has few blocks")]
    fn count_bucket(&mut self, len: usize) {
        self.counted.nodes += 1;
        self.counted.blocks += len.div_ceil(WIDTH) as u32;
    }

    fn spare(&mut self) -> Vec<Item> {
        core::mem::take(&mut self.scratch.spare)
    }

    fn give_back(&mut self, mut spare: Vec<Item>) {
        spare.clear();
        self.scratch.spare = spare;
    }
}
