//! Whole buckets at a time: an object is tested against every block of a
//! bucket, the masks are gathered into one u64, and only then is there a branch.

use super::pair::Pair;
use super::sink::Sink;
use crate::data::blocks::Block;
use crate::data::ids::ObjectWord;
use crate::data::nodes::Node;
use crate::data::Data;
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, LaneMask, set_bits};
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// The blocks of a bucket that a test must look at.
pub(super) struct Side<'a> {
    blocks: ArrayVec<&'a Block, 8>,
    /// One bit for each object in the blocks, in their order.
    occupied: u64,
    moving: u64,
}

impl<'a> Side<'a> {
    /// The blocks in some lanes of a bucket.
    #[inline]
    pub(super) fn new(data: &'a Data, bucket: &Node, lanes: LaneMask) -> Self {
        let mut side = Self { blocks: ArrayVec::new(), occupied: 0, moving: 0 };
        for lane in set_bits(u64::from(lanes & bucket.child_mask)) {
            let shift = 8 * side.blocks.len();
            side.occupied |= u64::from(bucket.occupied[lane]) << shift;
            side.moving |= u64::from(bucket.moving[lane]) << shift;
            side.blocks.push(&data.blocks[bucket.child_block(lane)]);
        }
        side
    }

    /// The objects that overlap a query, from block `first` on.
    #[inline]
    fn overlaps(&self, query: &BoxQuery, first: usize) -> u64 {
        let mut mask = 0;
        for (k, block) in self.blocks.iter().enumerate().skip(first) {
            mask |= u64::from(block.boxes.overlaps(query)) << (8 * k);
        }
        mask
    }

    /// The objects that `word` may pair with.
    #[inline]
    fn partners(&self, word: ObjectWord) -> u64 {
        if word.has(ObjectWord::STATIC) { self.moving } else { self.occupied }
    }

    #[inline]
    fn word(&self, bit: usize) -> ObjectWord {
        self.blocks[bit / 8].objects[bit % 8]
    }
}

/// Objects of one side with the partners found for each: filled without a
/// branch on whether there are any.
pub(super) struct Matches {
    words: [ObjectWord; 64],
    masks: [u64; 64],
    len: usize,
}

impl Matches {
    pub(super) const EMPTY: Self = Self { words: [ObjectWord::EMPTY; 64], masks: [0; 64], len: 0 };

    /// Adds an object, if `mask` is not empty. A bucket has no more than fit.
    #[inline]
    fn push(&mut self, word: ObjectWord, mask: u64) {
        self.words[self.len % 64] = word;
        self.masks[self.len % 64] = mask;
        self.len += usize::from(mask != 0);
    }
}

impl<F: FnMut(Pair) -> ControlFlow<()>> Sink<'_, F> {
    /// Pairs of one object with those of a bucket.
    #[inline]
    pub(super) fn object_with_side(&mut self, aabb: &Aabb, word: ObjectWord, side: &Side<'_>) -> ControlFlow<()> {
        let mask = side.overlaps(&BoxQuery::new(aabb), 0) & side.partners(word);
        self.candidates(word, mask, side)
    }

    #[inline]
    fn candidates(&mut self, word: ObjectWord, mask: u64, side: &Side<'_>) -> ControlFlow<()> {
        for bit in set_bits(mask) {
            self.candidate(word, side.word(bit))?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn take_matches(&mut self, side: &Side<'_>) -> ControlFlow<()> {
        for index in 0..core::mem::take(&mut self.matches.len) {
            self.candidates(self.matches.words[index % 64], self.matches.masks[index % 64], side)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs within a bucket.
    pub(super) fn within_bucket(&mut self, side: &Side<'_>) -> ControlFlow<()> {
        self.stats.objects_tested += u64::from(side.occupied.count_ones());
        for (k, block) in side.blocks.iter().enumerate() {
            let occupied = side.occupied >> (8 * k) & 0xff;
            for lane in set_bits(occupied) {
                let word = block.objects[lane];
                let later = (u64::MAX << (8 * k + lane)) << 1;
                let mask = side.overlaps(&BoxQuery::new(&block.boxes.get(lane)), k);
                self.matches.push(word, mask & later & side.partners(word));
            }
        }
        self.take_matches(side)
    }

    /// Pairs between the objects of two buckets whose fitted bounds overlap.
    pub(super) fn between_buckets(
        &mut self,
        data: &Data,
        (a, a_bounds): (&Node, &Aabb),
        (b, b_bounds): (&Node, &Aabb),
    ) -> ControlFlow<()> {
        let (a_query, b_query) = (BoxQuery::new(a_bounds), BoxQuery::new(b_bounds));
        let (a_lanes, b_lanes) = (a.bounds.overlaps(&b_query) & a.child_mask, b.bounds.overlaps(&a_query));
        if a_lanes == 0 || b_lanes & b.child_mask == 0 {
            return ControlFlow::Continue(());
        }
        let side = Side::new(data, b, b_lanes);
        for lane in set_bits(u64::from(a_lanes)) {
            let block = &data.blocks[a.child_block(lane)];
            let touching = block.boxes.overlaps(&b_query) & a.occupied[lane];
            self.stats.objects_tested += u64::from(touching.count_ones());
            for slot in set_bits(u64::from(touching)) {
                let word = block.objects[slot];
                let mask = side.overlaps(&BoxQuery::new(&block.boxes.get(slot)), 0);
                self.matches.push(word, mask & side.partners(word));
            }
        }
        self.take_matches(&side)
    }

    /// Pairs within a chain of blocks.
    pub(super) fn within_chain<'d>(
        &mut self,
        chain: impl Iterator<Item = &'d Block> + Clone,
    ) -> ControlFlow<()> {
        let mut rest = chain;
        while let Some(block) = rest.next() {
            let occupied = block.occupied();
            self.stats.objects_tested += u64::from(occupied.count_ones());
            for lane in set_bits(u64::from(occupied)) {
                let (word, query) = (block.objects[lane], BoxQuery::new(&block.boxes.get(lane)));
                let later = (LaneMask::MAX << lane) << 1;
                self.object_with_block(&query, word, block, later)?;
                for block in rest.clone() {
                    self.object_with_block(&query, word, block, LaneMask::MAX)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Pairs of one object with those in some lanes of a chained block.
    #[inline]
    pub(super) fn object_with_block(
        &mut self,
        query: &BoxQuery,
        word: ObjectWord,
        block: &Block,
        lanes: LaneMask,
    ) -> ControlFlow<()> {
        let mut mask = block.boxes.overlaps(query) & lanes;
        if mask != 0 {
            mask &= if word.has(ObjectWord::STATIC) { block.moving() } else { block.occupied() };
            for lane in set_bits(u64::from(mask)) {
                self.candidate(word, block.objects[lane])?;
            }
        }
        ControlFlow::Continue(())
    }
}
