//! Dirty lanes: lanes written since the last view.
//!
//! A setter writes an object's lane and sets its bit here, and nothing else. The next
//! view processes the bits in the order of the blocks, eight lanes at a time. A second
//! bitmap has one bit for each block that may have dirty lanes, so a view after one change
//! reads one word for 64 blocks.
//!
//! A rewrite of most objects processes lanes itself, and sets the bits only of lanes whose
//! object may have left its cell.

use crate::data::arena::{cloned, copy_list, push_tight, reserve_tight};
use crate::data::{BlockId, Location};
use crate::geometry::lanes::{LaneMask, set_bits};
use alloc::vec::Vec;

const WORD: usize = u64::BITS as usize;

/// The dirty lanes of each block, and a bit for each block that may have any.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(from = "Vec<LaneMask>"))]
pub(crate) struct DirtyLanes {
    lanes: Vec<LaneMask>,
    blocks: Vec<u64>,
    any: bool,
}

impl Clone for DirtyLanes {
    fn clone(&self) -> Self {
        cloned(self, Self::new())
    }

    fn clone_from(&mut self, source: &Self) {
        copy_list(&mut self.lanes, &source.lanes);
        copy_list(&mut self.blocks, &source.blocks);
        self.any = source.any;
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DirtyLanes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.lanes.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl From<Vec<LaneMask>> for DirtyLanes {
    /// From the lanes; which blocks have any is derived.
    fn from(lanes: Vec<LaneMask>) -> Self {
        let word = |lanes: &[LaneMask]| lanes.iter().rev().fold(0, |bits, &lanes| bits << 1 | u64::from(lanes != 0));
        let any = lanes.iter().any(|&lanes| lanes != 0);
        Self { blocks: lanes.chunks(WORD).map(word).collect(), lanes, any }
    }
}

impl DirtyLanes {
    pub(crate) const fn new() -> Self {
        Self { lanes: Vec::new(), blocks: Vec::new(), any: false }
    }

    /// The number of blocks.
    #[cfg(feature = "serde")]
    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Adds a block.
    #[inline]
    pub(crate) fn push(&mut self) {
        if self.lanes.len().is_multiple_of(WORD) {
            push_tight(&mut self.blocks, 0);
        }
        push_tight(&mut self.lanes, 0);
    }

    /// Marks a lane as dirty.
    #[inline(always)]
    pub(crate) fn set(&mut self, at: Location) {
        self.set_lanes(at.block(), 1 << at.lane());
    }

    /// Marks lanes of a block as dirty.
    #[inline(always)]
    pub(crate) fn set_lanes(&mut self, block: BlockId, lanes: LaneMask) {
        let block = block.0 as usize;
        self.lanes[block] |= lanes;
        self.blocks[block / WORD] |= 1 << (block % WORD);
        self.any = true;
    }

    /// Clears a lane.
    #[inline]
    pub(crate) fn forget(&mut self, at: Location) {
        self.lanes[at.block().0 as usize] &= !(1 << at.lane());
    }

    /// The dirty lanes of a block.
    #[inline]
    pub(crate) fn lanes(&self, block: BlockId) -> LaneMask {
        self.lanes[block.0 as usize]
    }

    /// Whether a lane is dirty.
    #[inline]
    pub(crate) fn is_set(&self, at: Location) -> bool {
        self.lanes(at.block()) >> at.lane() & 1 == 1
    }

    /// Returns the dirty lanes of a block and clears them.
    #[inline]
    pub(crate) fn take(&mut self, block: BlockId) -> LaneMask {
        core::mem::take(&mut self.lanes[block.0 as usize])
    }

    /// Whether there may be any.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// Whether there may be any; clears this flag.
    pub(crate) fn take_any(&mut self) -> bool {
        core::mem::take(&mut self.any)
    }

    /// The number of words in the bitmap of blocks.
    pub(crate) fn words(&self) -> usize {
        self.blocks.len()
    }

    /// The blocks of a word that may have any; clears the word.
    #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
    pub(crate) fn take_word(&mut self, word: usize) -> impl Iterator<Item = BlockId> + use<> {
        let bits = core::mem::take(&mut self.blocks[word]);
        set_bits(bits).map(move |bit| BlockId((word * WORD + bit) as u32))
    }

    /// Sets the number of blocks; no lane is dirty.
    pub(crate) fn renew(&mut self, len: usize) {
        self.clear();
        self.reserve(len);
        self.lanes.resize(len, 0);
        self.blocks.resize(len.div_ceil(WORD), 0);
    }

    pub(crate) fn clear(&mut self) {
        self.lanes.clear();
        self.blocks.clear();
        self.any = false;
    }

    #[inline]
    pub(crate) fn reserve(&mut self, additional: usize) {
        reserve_tight(&mut self.lanes, additional);
        reserve_tight(&mut self.blocks, additional / WORD + 1);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.lanes.shrink_to_fit();
        self.blocks.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.lanes.capacity() * size_of::<LaneMask>() + self.blocks.capacity() * size_of::<u64>()
    }
}
