//! Up to eight blocks side by side, and the tests of their objects.

use crate::Handle;
use crate::data::{BLANK, Block, BlockId, Data, Location, Node, ObjectWord};
use crate::geometry::lanes::{BoxQuery, LaneMask, WIDTH, set_bits};
use core::ops::Range;

/// Objects of eight blocks, and combinations of two of the blocks.
pub(super) const OBJECTS: usize = 64;

/// Up to eight blocks that tests are made against, mostly those of a bucket.
pub(super) struct TestBlocks<'a> {
    pub(super) blocks: [&'a Block; 8],
    pub(super) ids: [BlockId; 8],
    pub(super) len: usize,
    /// One bit for each object in the blocks, in their order.
    pub(super) occupied: u64,
    /// The moving objects among them: they pair with any object, static ones only with these.
    pub(super) moving: u64,
}

impl<'a> TestBlocks<'a> {
    /// None of the blocks of a tree: the references are not used.
    // Not a constant, which would be eight references in memory that no cache may hold.
    #[inline(always)]
    pub(super) fn none_of(data: &'a Data) -> Self {
        let any = data.blocks.arena.slots().first().unwrap_or(&BLANK);
        Self { blocks: [any; 8], ids: [BlockId(0); 8], len: 0, occupied: 0, moving: 0 }
    }

    /// Takes up to eight blocks of a tree, some of which may be empty.
    pub(super) fn load_range(&mut self, data: &'a Data, range: Range<usize>) {
        (self.len, self.occupied, self.moving) = (0, 0, 0);
        #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
        for id in range.map(|index| BlockId(index as u32)) {
            let block = &data.blocks[id];
            self.occupied |= u64::from(block.occupied()) << (8 * self.len);
            self.moving |= u64::from(block.moving()) << (8 * self.len);
            (self.ids[self.len % 8], self.blocks[self.len % 8]) = (id, block);
            self.len += 1;
        }
    }

    /// Takes the blocks in some lanes of a bucket.
    #[inline]
    pub(super) fn load(&mut self, data: &'a Data, bucket: &Node, lanes: LaneMask) {
        (self.len, self.occupied, self.moving) = (0, 0, 0);
        for lane in set_bits(u64::from(lanes & bucket.child_mask)) {
            self.occupied |= u64::from(bucket.occupied(lane)) << (8 * self.len);
            self.moving |= u64::from(bucket.moving(lane)) << (8 * self.len);
            let id = bucket.child_block(lane);
            let block = &data.blocks[id];
            block.prefetch();
            (self.ids[self.len % 8], self.blocks[self.len % 8]) = (id, block);
            self.len += 1;
        }
    }

    /// The lanes of a block that hold an object.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
    pub(super) fn occupied_lanes(&self, block: usize) -> LaneMask {
        (self.occupied >> (8 * block)) as LaneMask
    }

    /// The lanes of a block that hold a moving object.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
    pub(super) fn moving_lanes(&self, block: usize) -> LaneMask {
        (self.moving >> (8 * block)) as LaneMask
    }

    /// The pairs within a block: of each object the partners that it overlaps, eight bits an object.
    #[inline(always)]
    pub(super) fn within_block(&self, i: usize) -> u64 {
        let (block, occupied, moving) = (self.blocks[i % 8], self.occupied_lanes(i), self.moving_lanes(i));
        let partners = |lane| occupied & ((LaneMask::MAX << lane) << 1 | !moving);
        overlaps_of_blocks(block, moving, block, partners)
    }

    /// The pairs of a block with another one, in the same form. `bounds` are those of the other.
    #[inline(always)]
    pub(super) fn between_blocks(&self, i: usize, other: &Self, j: usize, bounds: &BoxQuery) -> u64 {
        let (block, occupied, moving) = (self.blocks[i % 8], self.occupied_lanes(i), self.moving_lanes(i));
        let (occupied_other, moving_other) = (other.occupied_lanes(j), other.moving_lanes(j));
        let able = if moving_other == 0 { moving } else { occupied };
        let touching = block.boxes.overlaps(bounds) & able;
        if touching == 0 {
            return 0;
        }
        if moving == occupied {
            return overlaps_of_blocks(block, touching, other.blocks[j % 8], |_| occupied_other);
        }
        let partners = |lane: usize| if moving >> lane & 1 == 1 { occupied_other } else { moving_other };
        overlaps_of_blocks(block, touching, other.blocks[j % 8], partners)
    }

    /// The first `N` blocks.
    #[inline(always)]
    pub(super) fn run<const N: usize>(&self) -> [&'a Block; N] {
        core::array::from_fn(|i| self.blocks[i % 8])
    }

    /// The word and the handle of the object of a bit.
    #[inline(always)]
    pub(super) fn object(&self, bit: usize) -> (ObjectWord, Handle) {
        self.blocks[bit / 8 % 8].object(bit)
    }

    /// Writes the handle of the object of each bit. Of bits without an object some are written too, and not to be used.
    // Written to the caller's array: one that is returned would be copied by a call of `memcpy`.
    #[inline(always)]
    pub(super) fn write_handles(&self, handles: &mut [Handle; OBJECTS]) {
        for (of_block, block) in handles.chunks_exact_mut(WIDTH).zip(&self.blocks).take(self.len) {
            for (lane, handle) in of_block.iter_mut().enumerate() {
                *handle = block.handle(lane);
            }
        }
    }

    pub(super) fn location(&self, bit: usize) -> Location {
        Location::new(self.ids[bit / 8 % 8], bit % 8)
    }
}

/// The objects of some blocks that overlap a query, eight bits a block. The
/// number of blocks is known, so that there is no loop.
#[inline(always)]
pub(super) fn overlapping<const N: usize>(blocks: &[&Block; N], query: &BoxQuery) -> u64 {
    let mut mask = 0;
    for (i, block) in blocks.iter().enumerate() {
        mask |= u64::from(block.boxes.overlaps(query)) << (8 * i);
    }
    mask
}

/// Of the objects in some lanes of a block, the partners in another block that they overlap: eight bits an
/// object. `partners` tells which objects of the other block an object may pair with.
#[inline(always)]
fn overlaps_of_blocks(block: &Block, lanes: LaneMask, other: &Block, partners: impl Fn(usize) -> LaneMask) -> u64 {
    let mut mask = 0;
    for lane in set_bits(u64::from(lanes)) {
        let query = BoxQuery::of_lane(&block.boxes, lane);
        mask |= u64::from(other.boxes.overlaps(&query) & partners(lane)) << (8 * lane);
    }
    mask
}
