//! The bucket kernel: pairs within a bucket, and between two buckets.
//!
//! ```text
//! within(bucket):
//!     for each block that holds a moving object:
//!         for each moving object: mask |= (eight boxes of the block that overlap the object's box) << 8 * lane
//!         matches[len] = (block, block, mask & partners that may pair)
//!         for each other block whose bounds overlap:        after this one, or without moving objects
//!             touched = objects of the one that overlap the bounds of the other
//!             for each object of touched: mask as above, with the boxes of the other
//!             matches[len] = (one, other, mask & partners that may pair)
//!
//! within(bucket of which less than half moves):
//!     for each moving object:
//!         mask = objects of the blocks that overlap its box that overlap it
//!         matches[len] = (object, mask & partners that may pair)
//!
//! between(bucket a, bucket b):
//!     side    = blocks of b whose bounds overlap a's bounds         at most 8
//!     touched = objects of a that overlap b's bounds                64 bits
//!     for each object of touched:
//!         mask = 0
//!         for each block of side:                                   unrolled, no branch
//!             mask |= (eight boxes of the block overlap the object's box) << 8 * block
//!         matches[len] = (object, mask & partners that may pair)
//!
//! both:
//!     len += (mask is not empty)                                    no branch
//!     with layers: mask &= objects on layers that may interact      eight at a time
//!     with spheres, if the first match is large: mask &= objects whose shapes overlap    eight at a time
//!     without layers, if the first match is large: make the handles of all objects of the side
//!     for each match, for each bit of its mask:                     one loop over all pairs; if the first match
//!                                                                   is large, a loop for each match
//!         exact tests that are left, of layers and spheres, then the list or the visitor    matches.rs
//! ```
//!
//! Within a bucket most blocks overlap few others, and most of their objects none: a test with the other block's
//! bounds leaves little to do. Objects that touch another bucket often overlap several of its blocks: there an
//! object meets all of them without a branch. Pairs are rare and unpredictable, so each avoided branch
//! saves a misprediction.
//!
//! Static objects pair with moving ones only: of a moving object all others are partners, of a static one the moving
//! ones. So both meet what they are tested with at once.
//!
//! *Cost:* within a bucket one test of eight boxes for each object, and for each two blocks that overlap one and
//! one for each object of the first that overlaps the bounds of the second; where less than half moves, one for each
//! moving object and one for each block that overlaps its box. Between two buckets one for each object of `touched` and
//! each block of `side`.

use super::blocks::overlapping;
use super::sink::Sink;
use crate::data::{Data, Node, Take};
use crate::geometry::lanes::{BoxQuery, LaneMask, prefetch_code, set_bits};
use crate::pairs::pair::Pair;
use core::ops::ControlFlow;

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

/// Which objects of a bucket are tested with another bucket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tested {
    /// All: the moving ones with all of the other, the static ones with its moving ones.
    All,
    /// The moving ones, with all of the other.
    Moving,
    /// The moving ones, with the static ones of the other.
    MovingWithStatic,
}

/// A bucket and its fitted bounds.
pub(super) struct Bucket<'a> {
    pub(super) node: &'a Node,
    pub(super) bounds: BoxQuery,
}

impl<'a, T: Take<Pair>> Sink<'a, T> {
    /// Prefetches the code that finds pairs within and between buckets.
    #[inline(always)]
    pub(super) fn prefetch_code_of_buckets() {
        prefetch_code(Self::within_side as *const (), 0..32);
        prefetch_code(Self::take_matches_of_pass::<true, true> as *const (), 0..10);
        prefetch_code(Self::take_matches_of_pass::<false, false> as *const (), 0..10);
        prefetch_code(Self::take_large_matches::<true, true> as *const (), 0..16);
        prefetch_code(Self::between_buckets as *const (), 0..8);
        prefetch_code(Self::match_objects as *const (), 0..122);
    }

    /// Pairs within a bucket, all of whose blocks are the side.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn within_side(&mut self, node: &Node) -> ControlFlow<()> {
        self.stats.objects_tested += u64::from(self.side.occupied.count_ones());
        if self.side.moving == 0 {
            return ControlFlow::Continue(());
        }
        if 2 * self.side.moving.count_ones() < self.side.occupied.count_ones() {
            return self.few_within_side(node);
        }
        let Self { side, matches, .. } = self;
        let with_moving = node.moving_lanes();
        for i in set_bits(u64::from(with_moving)) {
            matches.push(9 * i, side.within_block(i));
            let overlapping = node.bounds.overlaps(&BoxQuery::of_lane(&node.bounds, i)) & node.child_mask;
            // The later blocks, and each of static objects alone.
            let partners = (LaneMask::MAX << i) << 1 | !with_moving;
            for j in set_bits(u64::from(overlapping & partners)) {
                let mask = side.between_blocks(i, side, j, &BoxQuery::of_lane(&node.bounds, j));
                matches.push(8 * i + j, mask);
            }
        }
        self.take_matches_of_pass::<true, true>()
    }

    /// The same where less than half of the objects move: each of these meets the blocks that overlap its box.
    fn few_within_side(&mut self, node: &Node) -> ControlFlow<()> {
        let Self { side, matches, .. } = self;
        for bit in set_bits(side.moving) {
            let query = BoxQuery::of_lane(&side.blocks[bit / 8 % 8].boxes, bit);
            let mut mask = 0;
            for j in set_bits(u64::from(node.bounds.overlaps(&query) & node.child_mask)) {
                mask |= u64::from(side.blocks[j % 8].boxes.overlaps(&query)) << (8 * j);
            }
            // Two moving objects are a pair once, and none with itself.
            let up_to_this = u64::MAX >> (63 - bit);
            matches.push(bit, mask & side.occupied & !(side.moving & up_to_this));
        }
        self.take_matches_of_pass::<false, true>()
    }

    /// Pairs between the objects of two buckets whose fitted bounds overlap.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn between_buckets(&mut self, data: &'a Data, a: &Bucket<'_>, b: &Bucket<'_>) -> ControlFlow<()> {
        // The blocks of each that overlap the other. Often there are none.
        let (lanes, others) = (a.node.bounds.overlaps(&b.bounds), b.node.bounds.overlaps(&a.bounds));
        if (lanes == 0) | (others == 0) {
            return ControlFlow::Continue(());
        }
        let (moving_a, moving_b) = (a.node.moving_bits(), b.node.moving_bits());
        let moving = moving_a.count_ones() + moving_b.count_ones();
        let (first, second) = ((a, lanes), (b, others));
        if moving_a == 0 {
            self.match_objects(data, second, first, Tested::Moving)
        } else if moving_b == 0 {
            self.match_objects(data, first, second, Tested::Moving)
        } else if 2 * moving >= a.node.occupied_bits().count_ones() {
            self.match_objects(data, first, second, Tested::All)
        } else {
            // Most are static: moving objects are tested with static ones on both sides, so that fewer are tested.
            self.match_objects(data, first, second, Tested::Moving)?;
            self.match_objects(data, second, first, Tested::MovingWithStatic)
        }
    }

    /// Pairs of some objects of a bucket with those of another that they may pair with. Of each bucket, the blocks
    /// in some lanes are all that can hold such objects.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn match_objects(
        &mut self,
        data: &'a Data,
        (bucket, lanes): (&Bucket<'_>, LaneMask),
        (other, others): (&Bucket<'_>, LaneMask),
        tested: Tested,
    ) -> ControlFlow<()> {
        self.own.load(data, bucket.node, lanes);
        let mut touching = 0;
        for (block, shift) in self.own.blocks.iter().zip((0..64).step_by(8)).take(self.own.len) {
            touching |= u64::from(block.boxes.overlaps(&other.bounds)) << shift;
        }
        touching &= if tested == Tested::All { self.own.occupied } else { self.own.moving };
        self.stats.objects_tested += u64::from(touching.count_ones());
        if touching == 0 {
            return ControlFlow::Continue(());
        }
        self.side.load(data, other.node, others);
        let of_moving = if tested == Tested::MovingWithStatic { !self.side.moving } else { u64::MAX };
        for_blocks!(self.side.len, self.match_touching(touching, self.side.occupied & of_moving));
        self.take_matches_of_pass::<false, false>()
    }

    /// Matches some of the own objects with those of the side's `N` blocks: moving ones with `of_moving`, static
    /// ones with the moving ones.
    fn match_touching<const N: usize>(&mut self, touching: u64, of_moving: u64) {
        let Self { own, side, matches, .. } = self;
        let blocks = side.run::<N>();
        for (mut touching, partners) in [(touching & own.moving, of_moving), (touching & !own.moving, side.moving)] {
            while touching != 0 {
                let bit = touching.trailing_zeros() as usize;
                touching &= touching - 1;
                let query = BoxQuery::of_lane(&own.blocks[bit / 8 % 8].boxes, bit);
                matches.push(bit, overlapping(&blocks, &query) & partners);
            }
        }
    }
}
