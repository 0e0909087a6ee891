//! A node: eight child lanes in columns.
//!
//! A node is a *branch*, whose lanes are the octants of its cell, or a
//! *bucket*, whose lanes are blocks of eight objects. In both the columns say
//! of each lane where its contents lie (fitted bounds), what layers they are
//! on, and whether any of them moves; so a question tests eight children at
//! once, and the mask that results drives the traversal.
//!
//! The cell of a branch may lie below its octant, where the octant's other cells hold nothing: a bulk build
//! makes no chain of branches with one child. What comes between has a branch put there (`tree/flush/place.rs`).
//!
//! A bucket may *span* several octants of its parent that hold little: two
//! neighbours, or four. It sits in the lane of the lowest, and its cell is that
//! octant's.
//!
//! Objects that no child's cell holds are the *residents* of a branch. They stand
//! in a *pile*: a tree of nodes of its own, whose branches are cut by rank, not
//! into octants (`tree/flush/pile.rs`). All nodes of a pile have its owner's cell.
//!
//! Invariants: lanes outside `child_mask` are empty in every column; a
//! bucket's lanes are filled from lane 0 without gaps; if any lane of a node
//! needs a refit, so does the node's own lane in its parent.

use crate::data::grid::levels::Split;
use crate::data::state::hash::WordHash;
use crate::data::{BlockId, Cell, NodeId, Span};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, WIDTH, prefetch};

/// A bit beside those of the eight lanes: the pile of a branch's residents needs a
/// refit, or a bucket whose lanes have been fitted already.
pub(crate) const SELF_NEEDS_REFIT: u16 = 1 << PILE_LANE;

/// The lane of the root of a pile in its owner.
pub(crate) const PILE_LANE: usize = 8;

/// Nodes of a pile above one another: as many as 2^28 objects take, in buckets two thirds full.
pub(crate) const PILE_HEIGHT_MAX: u32 = 9;

/// A node of the tree; 320 bytes, five cache lines: three of bounds, one with
/// all else that a descent reads, and one that only layers and changes read.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Fitted bounds of each lane's contents.
    pub(crate) bounds: Boxes,
    /// Each lane's child: a node of a branch, a block of a bucket.
    child: [u32; WIDTH],
    /// Of a bucket: the lanes of each block that hold an object.
    pub(in crate::data) occupied: [LaneMask; WIDTH],
    /// Root of the pile of objects that no child's cell holds; only a branch has one.
    pub(crate) residents: NodeId,
    /// Lanes that have a child.
    pub(crate) child_mask: LaneMask,
    pub(crate) is_bucket: bool,
    /// How the node's cell divides into its children's.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) split: Split,
    /// The octants that a bucket covers beside its own.
    pub(crate) span: Span,
    /// Lanes whose columns await a refit, and [`SELF_NEEDS_REFIT`].
    pub(crate) needs_refit: u16,
    /// The spans of a branch's children, two bits a lane.
    spans: u16,
    pub(crate) parent: NodeId,
    /// Objects in the subtree, as of the last refit.
    pub(crate) count: u32,
    /// The memberships of each lane's contents, OR-ed.
    pub(crate) memberships: [u32; WIDTH],
    /// Of a bucket: the lanes of each block that hold a moving object. Of a
    /// branch: non-zero where a child holds any.
    pub(in crate::data) moving: [LaneMask; WIDTH],
    /// The box that decides placement.
    pub(crate) cell: Cell,
    /// Extent of a bucket's lanes when its runs were last arranged.
    pub(crate) run_extent: f32,
    /// Whether the node is part of a pile.
    pub(crate) in_pile: bool,
    /// Lanes that hold an unreported object; computed by the refit.
    pub(crate) unreported: LaneMask,
    /// Whether any resident is unreported; computed by the refit.
    pub(crate) residents_unreported: bool,
    /// The node's lane in its parent, or [`PILE_LANE`].
    pub(crate) lane: u8,
}

/// What a parent's columns store of a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    pub(crate) bounds: Aabb,
    pub(crate) memberships: u32,
    pub(crate) moves: bool,
    pub(crate) unreported: bool,
    pub(crate) count: u32,
}

impl Summary {
    /// Of a node that holds nothing.
    pub(crate) const EMPTY: Self =
        Self { bounds: Aabb::EMPTY, memberships: 0, moves: false, unreported: false, count: 0 };

    /// Adds what another part holds.
    #[inline]
    pub(crate) fn add(&mut self, other: &Self) {
        self.bounds = self.bounds.union(&other.bounds);
        self.memberships |= other.memberships;
        self.moves |= other.moves;
        self.unreported |= other.unreported;
        self.count += other.count;
    }
}

impl Node {
    /// A node of a cell that divides in such a way; only a bucket spans octants.
    pub(crate) fn new(cell: Cell, split: Split, span: Span, is_bucket: bool) -> Self {
        Self {
            bounds: Boxes::EMPTY,
            child: [u32::MAX; WIDTH],
            memberships: [0; WIDTH],
            occupied: [0; WIDTH],
            moving: [0; WIDTH],
            cell,
            parent: NodeId::NONE,
            residents: NodeId::NONE,
            count: 0,
            run_extent: 0.0,
            needs_refit: 0,
            child_mask: 0,
            lane: 0,
            is_bucket,
            span,
            split,
            spans: 0,
            in_pile: false,
            unreported: 0,
            residents_unreported: false,
        }
    }

    /// An empty node of a pile whose owner has such a cell.
    pub(crate) fn of_pile(cell: Cell, split: Split, is_bucket: bool) -> Self {
        Self { in_pile: true, ..Self::new(cell, split, Span::ONE, is_bucket) }
    }

    /// The contents of a freed slot.
    pub(crate) fn blank() -> Self {
        Self::new(Cell::SMALLEST, Split::CUBE, Span::ONE, false)
    }

    /// The child node in a lane of a branch.
    #[inline]
    pub(crate) fn child_node(&self, lane: usize) -> NodeId {
        debug_assert!(!self.is_bucket);
        NodeId(self.child[lane % WIDTH])
    }

    /// The block in a lane of a bucket.
    #[inline]
    pub(crate) fn child_block(&self, lane: usize) -> BlockId {
        debug_assert!(self.is_bucket);
        BlockId(self.child[lane % WIDTH])
    }

    /// Prefetches the cache lines that a traversal reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.bounds.prefetch();
        prefetch(&self.child);
    }

    /// Puts a child into a lane. Its columns follow with the next refit.
    pub(crate) fn attach(&mut self, lane: usize, child: u32) {
        self.child[lane] = child;
        self.child_mask |= 1 << lane;
        if !self.is_bucket {
            self.occupied[lane] = LaneMask::MAX;
        }
    }

    /// Puts a child node, and its span, into a lane.
    #[inline]
    pub(crate) fn set_child(&mut self, lane: usize, child: NodeId, span: Span) {
        self.attach(lane, child.0);
        self.spans |= u16::from(span.0) << (2 * lane);
    }

    /// Sets the parent, and the lane there.
    #[inline]
    pub(crate) fn set_parent(&mut self, parent: NodeId, lane: usize) {
        self.parent = parent;
        #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
        {
            self.lane = lane as u8;
        }
    }

    /// The span of the child in a lane of a branch.
    #[inline]
    pub(crate) fn child_span(&self, lane: usize) -> Span {
        #[expect(clippy::cast_possible_truncation, reason = "two bits")]
        Span((self.spans >> (2 * lane)) as u8 & 0b11)
    }

    /// The lane of the child that covers an octant.
    #[inline]
    pub(crate) fn lane_covering(&self, octant: usize) -> Option<usize> {
        let bases = [Span::ONE, Span::TWO, Span::FOUR].map(|span| span.base(octant));
        let covers = |&lane: &usize| self.child_mask >> lane & 1 == 1 && self.child_span(lane).base(octant) == lane;
        bases.into_iter().find(covers)
    }

    /// Empties a lane.
    pub(crate) fn detach(&mut self, lane: usize) {
        self.child[lane] = u32::MAX;
        self.child_mask &= !(1 << lane);
        self.bounds.clear(lane);
        self.memberships[lane] = 0;
        self.occupied[lane] = 0;
        self.moving[lane] = 0;
        self.unreported &= !(1 << lane);
        self.needs_refit &= !(1 << lane);
        self.spans &= !(0b11 << (2 * lane));
    }

    /// Moves the contents of the last lane of a bucket to another lane; the block moved.
    pub(crate) fn move_last_lane(&mut self, to: usize) -> Option<BlockId> {
        let last = self.blocks_len() - 1;
        if last == to {
            self.detach(to);
            return None;
        }
        self.child[to] = self.child[last];
        self.bounds.set(to, &self.bounds.get(last));
        self.memberships[to] = self.memberships[last];
        self.occupied[to] = self.occupied[last];
        self.moving[to] = self.moving[last];
        self.set_unreported(to, self.unreported >> last & 1 == 1);
        self.needs_refit = self.needs_refit & !(1 << to) | (self.needs_refit >> last & 1) << to;
        self.detach(last);
        Some(BlockId(self.child[to]))
    }

    /// Whether a lane is empty in every column.
    #[cfg(feature = "serde")]
    pub(crate) fn is_vacant(&self, lane: usize) -> bool {
        self.child[lane] == u32::MAX
            && self.spans >> (2 * lane) & 0b11 == 0
            && self.bounds.get(lane) == Aabb::EMPTY
            && self.occupied[lane] == 0
    }

    /// Whether any child has a span.
    #[cfg(feature = "serde")]
    pub(crate) fn has_spans(&self) -> bool {
        self.spans != 0
    }

    pub(super) fn hash(&self, hash: &mut WordHash) {
        hash.add_all(self.bounds.to_bits());
        hash.add_all(self.child);
        hash.add_all(self.memberships);
        hash.add_wide(self.occupied_bits());
        hash.add_wide(self.moving_bits());
        let min = self.cell.min.to_array().map(i32::cast_unsigned);
        hash.add_all(min);
        hash.add_all([self.cell.level, self.parent.0, self.residents.0]);
        let marks = u32::from(self.needs_refit) << 16 | u32::from(self.spans);
        let flags = [self.is_bucket, self.in_pile, self.residents_unreported];
        let flags = flags.iter().fold(0, |bits, &flag| bits << 1 | u8::from(flag));
        let places = u32::from_le_bytes([self.child_mask, self.lane, self.span.0, flags]);
        hash.add_all([self.count, self.run_extent.to_bits(), marks, places, self.unreported.into()]);
    }

    /// The lanes of a block of a bucket that hold an object.
    #[inline(always)]
    pub(crate) fn occupied(&self, lane: usize) -> LaneMask {
        self.occupied[lane]
    }

    /// The lanes of a block of a bucket that hold a moving object.
    #[inline(always)]
    pub(crate) fn moving(&self, lane: usize) -> LaneMask {
        self.moving[lane]
    }

    /// Blocks in a bucket.
    #[inline]
    pub(crate) fn blocks_len(&self) -> usize {
        self.child_mask.count_ones() as usize
    }

    /// The objects of a bucket, one bit each: eight lanes a byte.
    #[inline]
    pub(crate) fn occupied_bits(&self) -> u64 {
        u64::from_le_bytes(self.occupied)
    }

    /// Summary of what the columns hold, without the residents; the count is that of the last refit.
    #[inline(always)]
    pub(crate) fn own_summary(&self) -> Summary {
        Summary {
            bounds: self.bounds.union(),
            memberships: self.memberships.iter().fold(0, |all, m| all | m),
            moves: self.moving_bits() != 0,
            unreported: self.unreported != 0,
            count: self.count,
        }
    }

    /// The moving objects of a bucket, one bit each.
    #[inline]
    pub(crate) fn moving_bits(&self) -> u64 {
        u64::from_le_bytes(self.moving)
    }

    /// The lanes of a branch whose subtree holds a moving object, or of a bucket whose block does.
    #[inline]
    pub(crate) fn moving_lanes(&self) -> LaneMask {
        nonzero_lanes(self.moving)
    }

    /// Whether any object in or below the node is unreported.
    #[inline]
    pub(crate) fn has_unreported(&self) -> bool {
        self.unreported != 0 || self.residents_unreported
    }

    /// Whether most lanes hold an unreported object.
    #[inline(always)]
    pub(crate) fn has_unreported_in_most(&self) -> bool {
        // Mostly none does, and to count bits takes a dozen instructions.
        self.unreported != 0 && 2 * self.unreported.count_ones() > self.child_mask.count_ones()
    }

    #[inline]
    pub(crate) fn set_unreported(&mut self, lane: usize, unreported: bool) {
        self.unreported = self.unreported & !(1 << lane) | LaneMask::from(unreported) << lane;
    }

    /// Writes the columns of a lane.
    #[inline]
    pub(crate) fn set_summary(&mut self, lane: usize, summary: &Summary) {
        self.bounds.set(lane, &summary.bounds);
        self.memberships[lane] = summary.memberships;
        self.set_unreported(lane, summary.unreported);
        if !self.is_bucket {
            self.moving[lane] = if summary.moves { LaneMask::MAX } else { 0 };
        }
    }
}

/// The lanes whose bits are not all zero.
#[inline]
fn nonzero_lanes(bits: [u8; WIDTH]) -> LaneMask {
    bits.iter().enumerate().fold(0, |mask, (lane, &bits)| mask | LaneMask::from(bits != 0) << lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_fills_whole_cache_lines() {
        assert_eq!((size_of::<Node>(), align_of::<Node>()), (320, 64));
    }
}
