//! A block: eight objects in columns.
//!
//! A block belongs to a lane of a bucket, or to the chain of pending objects.
//! Empty lanes hold an inverted box, no memberships and
//! [`ObjectWord::EMPTY`]. In the chain every block but the first is full.

use crate::data::{BlockId, Handle, Location, NodeId, ObjectWord, Objects};
use crate::geometry::lanes::{Boxes, LaneMask, PackedBox, WIDTH, any_bit, prefetch, unequal};
use crate::geometry::{Aabb, Sphere};
use core::num::NonZeroU32;

/// Eight objects; 256 bytes, four cache lines.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, align(64))]
pub(crate) struct Block {
    pub(crate) boxes: Boxes,
    pub(crate) objects: [ObjectWord; WIDTH],
    /// The generation of each object, so that a handle is made without a look at its row.
    pub(super) generations: [NonZeroU32; WIDTH],
}

/// A block without objects, to refer to where there is none.
pub(crate) static BLANK: Block = Block::EMPTY;

/// What is stored beside a block; eight bytes.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BlockHeader {
    /// The bucket that owns the block; of a block in the chain, the next one.
    link: u32,
    /// The lane in a bucket, with [`BlockHeader::PILED`] in a pile; or [`BlockHeader::CHAINED`].
    pub(super) lane: u8,
    /// The lanes whose object has changed since pair events were last taken.
    pub(crate) unreported: LaneMask,
}

impl BlockHeader {
    /// The block is part of the chain.
    pub(crate) const CHAINED: u8 = u8::MAX;
    /// The bucket is part of a pile.
    const PILED: u8 = 1 << 4;
    /// The header of a freed block.
    pub(crate) const FREE: Self = Self::in_chain(BlockId::NONE);

    /// The header of a block of the chain.
    pub(crate) const fn in_chain(next: BlockId) -> Self {
        Self { link: next.0, lane: Self::CHAINED, unreported: 0 }
    }

    /// The header of a block in a lane of a bucket.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
    pub(crate) fn of_bucket(owner: NodeId, lane: usize, in_pile: bool) -> Self {
        Self { link: owner.0, lane: lane as u8 | if in_pile { Self::PILED } else { 0 }, unreported: 0 }
    }

    /// The bucket that owns the block; [`NodeId::PENDING`] of a block in the chain.
    #[inline(always)]
    pub(crate) fn owner(&self) -> NodeId {
        if self.is_chained() { NodeId::PENDING } else { NodeId(self.link) }
    }

    /// The next block of the chain; none if the block is a bucket's.
    #[inline]
    pub(crate) fn next(&self) -> BlockId {
        if self.is_chained() { BlockId(self.link) } else { BlockId::NONE }
    }

    /// Whether the block is part of the chain, and not of a bucket.
    #[inline]
    pub(crate) fn is_chained(&self) -> bool {
        self.lane == Self::CHAINED
    }

    /// Whether the block is part of a bucket of a pile.
    #[inline]
    pub(crate) fn is_piled(&self) -> bool {
        self.lane & !0b111 == Self::PILED
    }

    /// The lane in the bucket.
    #[inline]
    pub(crate) fn lane(&self) -> usize {
        usize::from(self.lane & 0b111)
    }

    /// Moves the block to another lane of its bucket.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
    pub(crate) fn set_lane(&mut self, lane: usize) {
        self.lane = self.lane & !0b111 | lane as u8;
    }
}

/// A copy of all that a lane stores of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) aabb: Aabb,
    pub(crate) word: ObjectWord,
    pub(crate) memberships: u32,
    pub(crate) sphere: Sphere,
    /// Whether the object has changed since pair events were last taken.
    pub(crate) unreported: bool,
}

impl Block {
    pub(crate) const EMPTY: Self =
        Self { boxes: Boxes::EMPTY, objects: [ObjectWord::EMPTY; WIDTH], generations: [NonZeroU32::MIN; WIDTH] };

    /// Prefetches the boxes and the words of the objects.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.boxes.prefetch();
        prefetch(&self.objects);
    }

    /// The lanes that hold an object.
    #[inline]
    pub(crate) fn occupied(&self) -> LaneMask {
        unequal(&self.objects.map(|word| word.0), ObjectWord::EMPTY.0)
    }

    /// The lanes that hold a moving object.
    #[inline]
    pub(crate) fn moving(&self) -> LaneMask {
        !any_bit(&self.objects.map(|word| word.0), ObjectWord::STATIC)
    }

    /// The lanes that hold a sphere, and the empty ones.
    #[inline]
    pub(crate) fn sphere_lanes(&self) -> LaneMask {
        any_bit(&self.objects.map(|word| word.0), ObjectWord::SPHERE)
    }

    /// The boxes one by one. Those of empty lanes must not be tested: they may meet unbounded boxes.
    #[inline(always)]
    pub(super) fn packed_boxes(&self) -> [PackedBox; WIDTH] {
        self.boxes.packed(self.objects.map(|word| word.0), ObjectWord::STATIC)
    }

    /// Says which lanes hold a sphere, or are empty.
    #[inline(always)]
    pub(super) fn flag_spheres(&mut self, lanes: LaneMask) {
        for (lane, word) in self.objects.iter_mut().enumerate() {
            *word = word.with(ObjectWord::SPHERE, lanes >> lane & 1 == 1);
        }
    }

    /// Writes what a lane itself holds of an object.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, entry: &Entry, generation: NonZeroU32) {
        self.boxes.set(lane, &entry.aabb);
        self.objects[lane % WIDTH] = entry.word;
        self.generations[lane % WIDTH] = generation;
    }

    /// Writes the locations of the first `len` objects into their rows, and their generations into the block.
    #[inline(always)]
    pub(crate) fn locate(&mut self, id: BlockId, len: usize, rows: &Objects) {
        let rows_of_lanes = self.objects[..len].iter().map(|word| word.row());
        rows_of_lanes.enumerate().for_each(|(lane, row)| rows.set_location(row, Location::new(id, lane)));
        self.generations = match rows.common_generation() {
            // No column is read for each.
            Some(common) => core::array::from_fn(|lane| if lane < len { common } else { NonZeroU32::MIN }),
            None => {
                let generation = |lane: usize| rows.generation(self.objects[lane].row());
                core::array::from_fn(|lane| if lane < len { generation(lane) } else { NonZeroU32::MIN })
            }
        };
    }

    /// The word and the handle of the object in a lane.
    #[inline(always)]
    pub(crate) fn object(&self, lane: usize) -> (ObjectWord, Handle) {
        (self.objects[lane % WIDTH], self.handle(lane))
    }

    /// The handle of the object in a lane.
    #[inline]
    pub(crate) fn handle(&self, lane: usize) -> Handle {
        Handle::new(self.objects[lane % WIDTH].row().0, self.generations[lane % WIDTH])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_fills_whole_cache_lines() {
        assert_eq!((size_of::<Block>(), align_of::<Block>(), size_of::<BlockHeader>()), (256, 64, 8));
    }
}
