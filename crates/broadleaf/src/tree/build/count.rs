//! Counting the nodes and blocks of subtrees before any is written, so that
//! threads may write them all at once, each where it belongs.

use super::sort::Item;
use super::store::{BlockColumns, KeyInfo, Store};
use crate::data::blocks::block::{Block, BlockHeader};
use crate::data::grid::cell::{Cell, key_floor};
use crate::data::ids::{BlockId, Location, NodeId, Row};
use crate::data::nodes::node::{Node, Summary};
use crate::geometry::lanes::WIDTH;
use crate::tree::flush::pile::CenteredItem;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;

/// A part of the tree that one task builds.
#[derive(Debug)]
pub(in crate::tree) struct Subtree {
    pub(in crate::tree) cell: Cell,
    pub(in crate::tree) keys: KeyInfo,
    /// Where its items lie among all.
    pub(in crate::tree) items: Range<usize>,
    /// Its first node and block, and how many it has.
    pub(in crate::tree) first: (NodeId, BlockId),
    pub(in crate::tree) len: BuildSize,
    /// What its root tells its parent.
    pub(in crate::tree) summary: Summary,
    pub(in crate::tree) totals: BuildTotals,
    pub(in crate::tree) scratch: CountScratch,
}

/// How many nodes and blocks there are.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::tree) struct BuildSize {
    pub(in crate::tree) nodes: u32,
    pub(in crate::tree) blocks: u32,
}

/// What is noted of nodes and blocks that are written, beside them.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::tree) struct BuildTotals {
    pub(in crate::tree) at_level: [u32; 32],
    /// Blocks up to the last one that holds a sphere.
    pub(in crate::tree) spheres_len: usize,
    /// Whether any object is not a member of all layers.
    pub(in crate::tree) any_memberships: bool,
}

/// Memory of a count.
#[derive(Debug, Default)]
pub(in crate::tree) struct CountScratch {
    pub(in crate::tree) spare: Vec<Item>,
    pub(in crate::tree) centered: Vec<CenteredItem>,
}

impl CountScratch {
    /// Bytes allocated.
    pub(in crate::tree) fn bytes(&self) -> usize {
        self.spare.capacity() * size_of::<Item>() + self.centered.capacity() * size_of::<CenteredItem>()
    }
}

/// What part of a tree is put off: whatever has few items, or needs new keys.
/// It follows from the items alone.
#[derive(Debug, Clone, Copy)]
pub(in crate::tree) struct Grain(pub(in crate::tree) usize);

impl Grain {
    pub(in crate::tree) fn defers(self, cell: Cell, keys: KeyInfo, len: usize) -> bool {
        len <= self.0 || cell.level <= key_floor(keys.key_level)
    }
}

/// The subtrees that a count puts off.
struct SubtreeList<'m> {
    subtrees: &'m mut Vec<Subtree>,
    len: usize,
    grain: Grain,
    /// Items before the ones of the cell at hand.
    first: usize,
}

/// Counts nodes and blocks in place of making them.
pub(in crate::tree) struct Count<'m> {
    counted: BuildSize,
    scratch: &'m mut CountScratch,
    list: Option<SubtreeList<'m>>,
    /// What is written to nodes goes here.
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
    pub(in crate::tree) fn all(scratch: &'m mut CountScratch) -> Self {
        Self { counted: BuildSize::default(), scratch, list: None, node: Node::blank() }
    }

    /// Counts the top of the tree, and lists the subtrees below it.
    pub(in crate::tree) fn top(scratch: &'m mut CountScratch, subtrees: &'m mut Vec<Subtree>, grain: Grain) -> Self {
        let list = SubtreeList { subtrees, len: 0, grain, first: 0 };
        Self { list: Some(list), ..Self::all(scratch) }
    }

    /// What was counted, and how many subtrees were listed.
    pub(in crate::tree) fn end(self) -> (BuildSize, usize) {
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

    fn add_node(&mut self, _node: Node) -> NodeId {
        self.counted.nodes += 1;
        NodeId::NONE
    }

    fn link(&mut self, _parent: NodeId, _lane: usize, _child: NodeId) {}

    fn add_block(&mut self, _block: Block, _link: BlockHeader, _beside: &BlockColumns<'_>) {}

    fn link_pile(&mut self, _owner: NodeId, _pile: NodeId) {}

    fn locate(&mut self, _row: Row, _location: Location) -> NonZeroU32 {
        NonZeroU32::MIN
    }

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
