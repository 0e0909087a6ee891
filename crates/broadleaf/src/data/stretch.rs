//! Stretches of columns: consecutive nodes or blocks, written by one thread of a bulk build.

use super::arena::reserve_tight;
use super::blocks::Blocks;
use super::nodes::Nodes;
use crate::data::{Block, BlockHeader, BlockId, Node, NodeId};
use crate::geometry::lanes::{LooseCell, Spheres, WIDTH};
use alloc::vec::Vec;

/// Nodes from the first on.
pub(crate) struct NodeStretch<'a> {
    pub(crate) first: NodeId,
    pub(crate) nodes: &'a mut [Node],
    pub(crate) loose_bounds: &'a mut [LooseCell],
}

/// Blocks from the first on, and what is kept beside them.
pub(crate) struct BlockStretch<'a> {
    pub(crate) first: BlockId,
    pub(crate) blocks: &'a mut [Block],
    pub(crate) headers: &'a mut [BlockHeader],
    /// Empty where no object is a sphere.
    pub(crate) spheres: &'a mut [Spheres],
    /// Empty where every object is a member of all layers.
    pub(crate) memberships: &'a mut [[u32; WIDTH]],
}

/// Adds equal values to a list that has room for them.
pub(crate) trait Lengthen {
    fn lengthen<T: Copy + Send + Sync>(items: &mut Vec<T>, value: T, additional: usize);
}

/// Gives a list a length. What it held so far stays: its user writes it anew.
pub(crate) fn set_len<L: Lengthen, T: Copy + Send + Sync>(items: &mut Vec<T>, len: usize, value: T) {
    items.truncate(len);
    let additional = len - items.len();
    if additional > 0 {
        reserve_tight(items, additional);
        L::lengthen(items, value, additional);
    }
}

/// What of a column lies before an index and from it on, if the column is kept; else it is empty.
pub(crate) fn split_kept<T>(column: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    column.split_at_mut(at.min(column.len()))
}

impl NodeStretch<'_> {
    /// The stretches before a node and from it on.
    pub(crate) fn split_at(self, id: NodeId) -> (Self, Self) {
        let at = (id.0 - self.first.0) as usize;
        let (nodes, loose_bounds) = (self.nodes.split_at_mut(at), self.loose_bounds.split_at_mut(at));
        let stretch = |first, nodes, loose_bounds| Self { first, nodes, loose_bounds };
        (stretch(self.first, nodes.0, loose_bounds.0), stretch(id, nodes.1, loose_bounds.1))
    }
}

impl BlockStretch<'_> {
    /// The stretches before a block and from it on.
    pub(crate) fn split_at(self, id: BlockId) -> (Self, Self) {
        let at = (id.0 - self.first.0) as usize;
        let (blocks, headers) = (self.blocks.split_at_mut(at), self.headers.split_at_mut(at));
        let (spheres, memberships) = (split_kept(self.spheres, at), split_kept(self.memberships, at));
        let stretch =
            |first, blocks, headers, spheres, memberships| Self { first, blocks, headers, spheres, memberships };
        (
            stretch(self.first, blocks.0, headers.0, spheres.0, memberships.0),
            stretch(id, blocks.1, headers.1, spheres.1, memberships.1),
        )
    }
}

impl Nodes {
    /// Has so many nodes, none free, for the caller to write.
    pub(crate) fn renew<L: Lengthen>(&mut self, len: usize) {
        self.forget_levels();
        self.arena.renew(|nodes| set_len::<L, _>(nodes, len, Node::blank()));
        set_len::<L, _>(&mut self.loose_bounds, len, LooseCell::NOWHERE);
    }

    /// All nodes.
    pub(crate) fn stretch(&mut self) -> NodeStretch<'_> {
        NodeStretch { first: NodeId(0), nodes: self.arena.slots_mut(), loose_bounds: &mut self.loose_bounds }
    }
}

impl Blocks {
    /// Has so many blocks, none free, for the caller to write; and spheres and
    /// memberships of all of them if there are any, for [`Blocks::trim_columns`] to look at.
    pub(crate) fn renew<L: Lengthen>(&mut self, len: usize, spheres: bool, memberships: bool) {
        self.arena.renew(|blocks| set_len::<L, _>(blocks, len, Block::EMPTY));
        set_len::<L, _>(&mut self.headers, len, BlockHeader::FREE);
        self.dirty.renew(len);
        set_len::<L, _>(&mut self.spheres, if spheres { len } else { 0 }, Spheres::ZERO);
        set_len::<L, _>(&mut self.memberships, if memberships { len } else { 0 }, [0; WIDTH]);
    }

    /// All blocks.
    pub(crate) fn stretch(&mut self) -> BlockStretch<'_> {
        BlockStretch {
            first: BlockId(0),
            blocks: self.arena.slots_mut(),
            headers: &mut self.headers,
            spheres: &mut self.spheres,
            memberships: &mut self.memberships,
        }
    }

    /// Keeps spheres up to the last block that has any, and memberships if
    /// some are not of all layers: as if they had come one by one.
    pub(crate) fn trim_columns(&mut self, spheres_len: usize, any_memberships: bool) {
        self.spheres.truncate(spheres_len);
        if !any_memberships {
            self.memberships.clear();
        }
    }
}
