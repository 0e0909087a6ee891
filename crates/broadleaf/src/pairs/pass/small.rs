//! Small worlds: every two blocks whose bounds overlap are compared, without the tree.
//!
//! The pass over a tree is quick once its code is in the processor's caches; in a small world
//! loading it takes longer than running it. Here little code does all the work.
//!
//! ```text
//! for each eight blocks, own:
//!     for the same eight and each later, side:
//!         for each two blocks, one of own and one of side, whose bounds overlap:
//!             touched = objects of the one that overlap the bounds of the other
//!             for each object of touched: mask |= (objects of the other that overlap it) << 8 * lane
//!             matches[len] = (one, other, mask & partners that may pair)
//!         plain boxes, if the first match is large: make the handles of all objects of own and side
//!         for each match, for each bit of its mask: exact tests, then the list or the visitor      matches.rs
//! ```

use super::blocks::TestBlocks;
use super::sink::Sink;
use crate::data::{Data, Take};
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, WIDTH, set_bits};
use crate::pairs::pair::Pair;
use core::ops::ControlFlow;

/// How many blocks a small world has at most.
const BLOCKS_MAX: usize = 32;

/// Whether the objects of a tree lie in a few blocks.
pub(in crate::pairs) fn is_small(data: &Data) -> bool {
    data.blocks.arena.slots().len() <= BLOCKS_MAX
}

/// The bounds of some blocks, one a lane; any boxes in lanes without a block.
#[inline(always)]
fn bounds_of(blocks: &TestBlocks<'_>) -> Boxes {
    let mut bounds = blocks.blocks[0].boxes;
    for (lane, block) in blocks.blocks.iter().enumerate().take(blocks.len) {
        bounds.set(lane, &block.boxes.union());
    }
    bounds
}

impl<T: Take<Pair>> Sink<'_, T> {
    /// All pairs of a tree of a few blocks.
    // Always inlined, as `match_blocks`: the code of the caller is prefetched.
    #[inline(always)]
    pub(in crate::pairs) fn all_blocks(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        let blocks = data.blocks.arena.slots();
        for block in blocks {
            block.prefetch();
        }
        let len = blocks.len();
        for first in (0..len).step_by(WIDTH) {
            self.own.load_range(data, first..len.min(first + WIDTH));
            let bounds = bounds_of(&self.own);
            for second in (first..len).step_by(WIDTH) {
                self.side.load_range(data, second..len.min(second + WIDTH));
                let others = bounds_of(&self.side);
                self.match_blocks(&bounds, &others, first == second);
                // Not by `take_matches_of_pass`, a function apart: no small world prefetches its code.
                if self.matches.are_large() && data.are_plain_boxes() {
                    self.take_large_matches::<true, false>()?;
                } else {
                    self.take_matches::<true, false>()?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Matches the own objects with those of the side; with those after them, if the side is the same.
    #[inline(always)]
    fn match_blocks(&mut self, bounds: &Boxes, others: &Boxes, is_same: bool) {
        let Self { own, side, matches, stats, .. } = self;
        stats.objects_tested += u64::from(own.occupied.count_ones());
        let lanes_of_side = LaneMask::MAX >> (WIDTH - side.len);
        for i in 0..own.len {
            if is_same {
                matches.push(9 * i, own.within_block(i));
            }
            let later = if is_same { (LaneMask::MAX << i) << 1 } else { LaneMask::MAX } & lanes_of_side;
            let overlapping = others.overlaps(&BoxQuery::of_lane(bounds, i)) & later;
            for j in set_bits(u64::from(overlapping)) {
                matches.push(8 * i + j, own.between_blocks(i, side, j, &BoxQuery::of_lane(others, j)));
            }
        }
    }
}
