//! Counting the nodes and blocks of subtrees before any is written, so that
//! threads may write them all at once, each where it belongs.

use super::sort::Item;
use super::store::{Beside, Known, Store};
use crate::data::blocks::block::{Block, Link};
use crate::data::grid::cell::{Cell, key_floor};
use crate::data::ids::{BlockId, Location, NodeId, Row};
use crate::data::nodes::node::{Node, Summary};
use crate::geometry::lanes::WIDTH;
use crate::tree::flush::pile::Placed;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::Range;

/// A part of the tree that one task builds.
#[derive(Debug)]
pub(in crate::tree) struct Subtree {
    pub(in crate::tree) cell: Cell,
    pub(in crate::tree) known: Known,
    /// Where its items lie among all.
    pub(in crate::tree) items: Range<usize>,
    /// Its first node and block, and how many it has.
    pub(in crate::tree) first: (NodeId, BlockId),
    pub(in crate::tree) len: Counted,
    /// What its root tells its parent.
    pub(in crate::tree) summary: Summary,
    pub(in crate::tree) noted: Noted,
    pub(in crate::tree) memory: CountMemory,
}

/// How many nodes and blocks there are.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::tree) struct Counted {
    pub(in crate::tree) nodes: u32,
    pub(in crate::tree) blocks: u32,
}

/// What is noted of nodes and blocks that are written, beside them.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::tree) struct Noted {
    pub(in crate::tree) at_level: [u32; 32],
    /// Blocks up to the last one that holds a sphere.
    pub(in crate::tree) spheres_len: usize,
    /// Whether any object is not a member of all layers.
    pub(in crate::tree) any_memberships: bool,
}

/// Memory of a count.
#[derive(Debug, Default)]
pub(in crate::tree) struct CountMemory {
    pub(in crate::tree) spare: Vec<Item>,
    pub(in crate::tree) placed: Vec<Placed>,
}

impl CountMemory {
    /// Bytes allocated.
    pub(in crate::tree) fn bytes(&self) -> usize {
        self.spare.capacity() * size_of::<Item>() + self.placed.capacity() * size_of::<Placed>()
    }
}

/// What part of a tree is put off: whatever has few items, or needs new keys.
/// It follows from the items alone.
#[derive(Debug, Clone, Copy)]
pub(in crate::tree) struct Grain(pub(in crate::tree) usize);

impl Grain {
    pub(in crate::tree) fn puts_off(self, cell: Cell, known: Known, len: usize) -> bool {
        len <= self.0 || cell.level <= key_floor(known.key_level)
    }
}

/// The subtrees that a count puts off.
struct Cuts<'m> {
    subtrees: &'m mut Vec<Subtree>,
    len: usize,
    grain: Grain,
    /// Items before the ones of the cell at hand.
    first: usize,
}

/// Counts nodes and blocks in place of making them.
pub(in crate::tree) struct Count<'m> {
    counted: Counted,
    memory: &'m mut CountMemory,
    cuts: Option<Cuts<'m>>,
    /// What is written to nodes goes here.
    node: Node,
}

impl Subtree {
    fn new() -> Self {
        Self {
            cell: Cell::SMALLEST,
            known: Known::default(),
            items: 0..0,
            first: (NodeId::NONE, BlockId::NONE),
            len: Counted::default(),
            summary: Summary::EMPTY,
            noted: Noted::default(),
            memory: CountMemory::default(),
        }
    }
}

impl<'m> Count<'m> {
    /// Counts a whole subtree.
    pub(in crate::tree) fn all(memory: &'m mut CountMemory) -> Self {
        Self { counted: Counted::default(), memory, cuts: None, node: Node::blank() }
    }

    /// Counts the top of the tree, and lists the subtrees below it.
    pub(in crate::tree) fn top(memory: &'m mut CountMemory, subtrees: &'m mut Vec<Subtree>, grain: Grain) -> Self {
        let cuts = Cuts { subtrees, len: 0, grain, first: 0 };
        Self { cuts: Some(cuts), ..Self::all(memory) }
    }

    /// What was counted, and how many subtrees were listed.
    pub(in crate::tree) fn end(self) -> (Counted, usize) {
        (self.counted, self.cuts.map_or(0, |cuts| cuts.len))
    }
}

impl Store for Count<'_> {
    const COUNTS: bool = true;
    const KEEPS_KEYS: bool = true;

    fn put_off(&mut self, cell: Cell, known: Known, len: usize) -> Option<(NodeId, Summary)> {
        let cuts = self.cuts.as_mut()?;
        if !cuts.grain.puts_off(cell, known, len) {
            return None;
        }
        if cuts.len == cuts.subtrees.len() {
            cuts.subtrees.push(Subtree::new());
        }
        let subtree = &mut cuts.subtrees[cuts.len];
        (subtree.cell, subtree.known, subtree.items) = (cell, known, cuts.first..cuts.first + len);
        // As counted so far; the subtrees before it come on top.
        subtree.first = (NodeId(self.counted.nodes), BlockId(self.counted.blocks));
        cuts.len += 1;
        Some((NodeId::NONE, Summary::EMPTY))
    }

    fn advance(&mut self, items: usize) {
        if let Some(cuts) = &mut self.cuts {
            cuts.first += items;
        }
    }

    fn retreat(&mut self, items: usize) {
        if let Some(cuts) = &mut self.cuts {
            cuts.first -= items;
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

    fn add_block(&mut self, _block: Block, _link: Link, _beside: &Beside<'_>) {}

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
        core::mem::take(&mut self.memory.spare)
    }

    fn give_back(&mut self, mut spare: Vec<Item>) {
        spare.clear();
        self.memory.spare = spare;
    }
}
