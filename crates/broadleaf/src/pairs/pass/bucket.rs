//! The bucket kernel: pairs within a bucket, and between two buckets.
//!
//! ```text
//! between(bucket a, bucket b):
//!     side    = blocks of b whose bounds overlap a's bounds         at most 8
//!     touched = objects of a that overlap b's bounds                64 bits
//!     for each object of touched:
//!         mask = 0
//!         for each block of side:                                   unrolled, no branch
//!             mask |= (eight boxes of the block overlap the object's box) << 8 * block
//!         matches[len] = (object, mask & partners that may pair)
//!         len += (mask is not empty)                                no branch
//!     for each match, for each bit of its mask:                     one loop over all pairs
//!         exact tests of layers and spheres, then the visitor
//! ```
//!
//! An object meets all 64 objects of a bucket with one branch, instead of one a block or
//! one an object. Candidates are rare and unpredictable, so each avoided branch saves a
//! misprediction.
//!
//! Static objects pair with moving ones only. Within a bucket whose objects all move, an object
//! meets the objects after it in the blocks that overlap its own block.
//!
//! *Cost:* one test of eight boxes for each object of `touched` and each block of `side`.

use super::sink::{Member, Sink};
use crate::data::{Block, BlockId, Data, Node};
use crate::geometry::lanes::{BoxQuery, LaneMask, set_bits};
use crate::pairs::pair::Pair;
use core::ops::ControlFlow;

/// The blocks of a bucket that tests are made against.
pub(super) struct TestBlocks<'a> {
    blocks: [&'a Block; 8],
    ids: [BlockId; 8],
    len: usize,
    /// One bit for each object in the blocks, in their order.
    occupied: u64,
    /// The moving objects among them: they pair with any object, static ones only with these.
    moving: u64,
}

impl<'a> TestBlocks<'a> {
    pub(super) const NONE: Self = {
        static BLANK: Block = Block::EMPTY;
        Self { blocks: [&BLANK; 8], ids: [BlockId(0); 8], len: 0, occupied: 0, moving: 0 }
    };

    /// Takes the blocks in some lanes of a bucket.
    #[inline]
    fn load(&mut self, data: &'a Data, bucket: &Node, lanes: LaneMask) {
        (self.len, self.occupied, self.moving) = (0, 0, 0);
        for lane in set_bits(u64::from(lanes & bucket.child_mask)) {
            self.occupied |= u64::from(bucket.occupied(lane)) << (8 * self.len);
            self.moving |= u64::from(bucket.moving(lane)) << (8 * self.len);
            let id = bucket.child_block(lane);
            (self.ids[self.len % 8], self.blocks[self.len % 8]) = (id, &data.blocks[id]);
            self.len += 1;
        }
    }

    /// The first `N` blocks.
    #[inline(always)]
    fn run<const N: usize>(&self) -> [&'a Block; N] {
        core::array::from_fn(|i| self.blocks[i % 8])
    }

    #[inline]
    fn member(&self, bit: usize) -> Member {
        let index = bit / 8 % 8;
        Member::of(self.ids[index], self.blocks[index], bit)
    }
}

/// The objects of some blocks that overlap a query, eight bits a block. The
/// number of blocks is known, so that there is no loop.
#[inline(always)]
fn overlapping<const N: usize>(blocks: &[&Block; N], query: &BoxQuery) -> u64 {
    let mut mask = 0;
    for (i, block) in blocks.iter().enumerate() {
        mask |= u64::from(block.boxes.overlaps(query)) << (8 * i);
    }
    mask
}

/// Calls a method that is generic over a number of blocks, from 1 to 8.
macro_rules! for_blocks {
    ($len:expr, $self:ident.$method:ident($($argument:expr),*)) => {
        match $len {
            1 => $self.$method::<1>($($argument),*),
            2 => $self.$method::<2>($($argument),*),
            3 => $self.$method::<3>($($argument),*),
            4 => $self.$method::<4>($($argument),*),
            5 => $self.$method::<5>($($argument),*),
            6 => $self.$method::<6>($($argument),*),
            7 => $self.$method::<7>($($argument),*),
            _ => $self.$method::<8>($($argument),*),
        }
    };
}

/// Objects of one side, by their bits, with the partners found for each:
/// filled without a branch on whether there are any.
pub(super) struct Matches {
    bits: [u8; 64],
    masks: [u64; 64],
    len: usize,
}

impl Matches {
    pub(super) const EMPTY: Self = Self { bits: [0; 64], masks: [0; 64], len: 0 };

    /// Adds an object, if `mask` is not empty. A bucket has no more than fit.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a bit is below 64")]
    fn push(&mut self, bit: usize, mask: u64) {
        self.bits[self.len % 64] = bit as u8;
        self.masks[self.len % 64] = mask;
        self.len += usize::from(mask != 0);
    }
}

/// A bucket and its fitted bounds.
pub(super) struct Bucket<'a> {
    pub(super) node: &'a Node,
    pub(super) bounds: BoxQuery,
}

impl<'a, F: FnMut(Pair) -> ControlFlow<()>> Sink<'a, F> {
    /// Takes the blocks in some lanes of a bucket as the side to test against.
    #[inline]
    pub(super) fn load_side(&mut self, data: &'a Data, bucket: &Node, lanes: LaneMask) {
        self.side.load(data, bucket, lanes);
    }

    /// Hands out the pairs of matched objects; `member` gives an object by its bit.
    #[inline(always)]
    fn take_matches(&mut self, member: impl Fn(&Self, usize) -> Member) -> ControlFlow<()> {
        let len = core::mem::take(&mut self.matches.len);
        if len == 0 {
            return ControlFlow::Continue(());
        }
        // One loop over all pairs: a nested loop for each object would end at an unpredictable place each time.
        let (mut index, mut mask) = (0, self.matches.masks[0]);
        loop {
            let bit = usize::from(self.matches.bits[index % 64]);
            let object = member(self, bit);
            let other = self.side.member(mask.trailing_zeros() as usize);
            self.candidate(object, other)?;
            mask &= mask - 1;
            index += usize::from(mask == 0);
            if index == len {
                return ControlFlow::Continue(());
            }
            let next = self.matches.masks[index % 64];
            mask = core::hint::select_unpredictable(mask == 0, next, mask);
        }
    }

    /// Pairs within a bucket, all of whose blocks are the side.
    pub(super) fn within_side(&mut self, node: &Node) -> ControlFlow<()> {
        self.stats.objects_tested += u64::from(self.side.occupied.count_ones());
        if self.side.moving == self.side.occupied {
            for k in 0..self.side.len {
                let overlapping = node.bounds.overlaps(&BoxQuery::of_lane(&node.bounds, k)) & node.child_mask;
                self.match_block(k, overlapping & LaneMask::MAX << k);
            }
        } else if self.side.moving != 0 {
            for_blocks!(self.side.len, self.match_moving());
        }
        self.take_matches(|sink, bit| sink.side.member(bit))
    }

    /// Matches the moving objects of the side's `N` blocks with all that are
    /// not and with later moving ones.
    fn match_moving<const N: usize>(&mut self) {
        let side = &self.side;
        let blocks = side.run::<N>();
        let mut moving = side.moving;
        while moving != 0 {
            let bit = moving.trailing_zeros() as usize;
            moving &= moving - 1;
            let block = side.blocks[bit / 8 % 8];
            let mask = overlapping(&blocks, &BoxQuery::of_lane(&block.boxes, bit));
            self.matches.push(bit, mask & side.occupied & !(side.moving & !moving));
        }
    }

    /// Matches the objects of block `k` of the side, all moving, with later ones in the blocks of some lanes.
    #[expect(clippy::cast_possible_truncation, reason = "a lane is below 8")]
    fn match_block(&mut self, k: usize, lanes: LaneMask) {
        let side = &self.side;
        let block = side.blocks[k % 8];
        let (mut blocks, mut shifts, mut len) = ([block; 8], [0_u8; 8], 0);
        for lane in set_bits(u64::from(lanes)) {
            (blocks[len % 8], shifts[len % 8]) = (side.blocks[lane % 8], 8 * lane as u8);
            len += 1;
        }
        for lane in set_bits(side.occupied >> (8 * k) & 0xff) {
            let query = BoxQuery::of_lane(&block.boxes, lane);
            let mut mask = 0;
            // A loop and no copy for each number of blocks: little code is read where the caches are cold.
            for (block, shift) in blocks.iter().zip(shifts).take(len) {
                mask |= u64::from(block.boxes.overlaps(&query)) << (shift & 63);
            }
            let later = (u64::MAX << (8 * k + lane)) << 1;
            self.matches.push(8 * k + lane, mask & later & side.occupied);
        }
    }

    /// Pairs between the objects of two buckets whose fitted bounds overlap.
    pub(super) fn between_buckets(&mut self, data: &'a Data, a: &Bucket<'_>, b: &Bucket<'_>) -> ControlFlow<()> {
        let (moving_a, moving_b) = (a.node.moving_bits(), b.node.moving_bits());
        self.match_chosen(data, (a, moving_a), b, u64::MAX)?;
        if moving_a != a.node.occupied_bits() && moving_b != 0 {
            // Its moving objects have met all of `b`; the others meet its moving ones.
            self.match_chosen(data, (b, moving_b), a, 0)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs of chosen objects of a bucket with those of another: all of them,
    /// or with `partners` zero those that are not moving.
    #[inline]
    fn match_chosen(
        &mut self,
        data: &'a Data,
        (bucket, chosen): (&Bucket<'_>, u64),
        other: &Bucket<'_>,
        partners: u64,
    ) -> ControlFlow<()> {
        // Often no block of one bucket overlaps the other bucket.
        let lanes = bucket.node.bounds.overlaps(&other.bounds);
        let others = other.node.bounds.overlaps(&bucket.bounds);
        if (lanes == 0) | (others == 0) {
            return ControlFlow::Continue(());
        }
        let mut touching = 0;
        for lane in set_bits(u64::from(lanes)) {
            let chosen = chosen.to_le_bytes()[lane];
            if chosen != 0 {
                let touched = data.blocks[bucket.node.child_block(lane)].boxes.overlaps(&other.bounds) & chosen;
                touching |= u64::from(touched) << (8 * lane);
            }
        }
        self.stats.objects_tested += u64::from(touching.count_ones());
        if touching == 0 {
            return ControlFlow::Continue(());
        }
        self.side.load(data, other.node, others);
        for_blocks!(self.side.len, self.match_touching(data, bucket.node, touching, partners));
        self.take_matches(|_, bit| {
            let id = bucket.node.child_block(bit / 8);
            Member::of(id, &data.blocks[id], bit)
        })
    }

    /// Matches some objects of a bucket with those of the side's `N` blocks:
    /// those that are not moving, and of the moving ones `partners`.
    fn match_touching<const N: usize>(&mut self, data: &Data, bucket: &Node, mut touching: u64, partners: u64) {
        let side = &self.side;
        let blocks = side.run::<N>();
        let partners = side.occupied & (!side.moving | partners);
        while touching != 0 {
            let bit = touching.trailing_zeros() as usize;
            touching &= touching - 1;
            let block = &data.blocks[bucket.child_block(bit / 8)];
            let mask = overlapping(&blocks, &BoxQuery::of_lane(&block.boxes, bit));
            self.matches.push(bit, mask & partners);
        }
    }
}
