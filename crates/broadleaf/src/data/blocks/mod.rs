//! All blocks: an arena, and the columns beside it: headers, dirty lanes, memberships, spheres.

pub(crate) mod block;
pub(crate) mod dirty_lanes;
mod shapes;

use super::arena::{Arena, copy_list, indexed_by, push_tight, reserve_tight};
use super::ids::{BlockId, Location, ObjectWord};
use super::state::hash::WordHash;
#[cfg(feature = "serde")]
use super::state::validate::{BrokenInvariant, ensure};
use crate::data::arena::cloned;
use crate::geometry::Sphere;
#[cfg(feature = "serde")]
use crate::geometry::lanes::Boxes;
use crate::geometry::lanes::{LaneMask, PackedBox, Spheres, WIDTH, prefetch, prefetch_list};
use alloc::vec::Vec;
use block::{Block, BlockHeader, Entry};
use core::num::NonZeroU32;
use dirty_lanes::DirtyLanes;

/// All blocks, with their headers and dirty lanes. The memberships and spheres of the
/// lanes are columns that exist only once an object needs them.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Blocks {
    pub(crate) arena: Arena<Block>,
    pub(super) headers: Vec<BlockHeader>,
    pub(crate) dirty: DirtyLanes,
    /// Empty until an object has memberships other than all; then as long as
    /// the arena. Empty lanes are members of nothing.
    pub(super) memberships: Vec<[u32; WIDTH]>,
    /// Empty until the first sphere arrives; then at most as long as the arena.
    pub(super) spheres: Vec<Spheres>,
}

impl Clone for Blocks {
    fn clone(&self) -> Self {
        cloned(self, Self::new())
    }

    fn clone_from(&mut self, source: &Self) {
        self.arena.clone_from(&source.arena);
        copy_list(&mut self.headers, &source.headers);
        self.dirty.clone_from(&source.dirty);
        copy_list(&mut self.memberships, &source.memberships);
        copy_list(&mut self.spheres, &source.spheres);
    }
}

impl Blocks {
    pub(crate) const fn new() -> Self {
        Self {
            arena: Arena::new(),
            headers: Vec::new(),
            dirty: DirtyLanes::new(),
            memberships: Vec::new(),
            spheres: Vec::new(),
        }
    }

    pub(crate) fn allocate(&mut self, header: BlockHeader) -> BlockId {
        self.allocate_filled(Block::EMPTY, header)
    }

    /// The block that is allocated next.
    #[inline]
    pub(crate) fn next_id(&self) -> BlockId {
        BlockId(self.arena.next_index())
    }

    /// Allocates a block that holds objects. The caller writes the columns beside it, of
    /// spheres and of memberships.
    #[inline]
    pub(crate) fn allocate_filled(&mut self, block: Block, header: BlockHeader) -> BlockId {
        let id = BlockId(self.arena.allocate(block));
        if let Some(slot) = self.headers.get_mut(id.0 as usize) {
            *slot = header;
        } else {
            push_tight(&mut self.headers, header);
            self.dirty.push();
        }
        if !self.memberships.is_empty() && self.memberships.len() <= id.0 as usize {
            push_tight(&mut self.memberships, [0; WIDTH]);
        }
        id
    }

    pub(crate) fn release(&mut self, id: BlockId) {
        self.arena.release(id.0, Block::EMPTY);
        self.headers[id.0 as usize] = BlockHeader::FREE;
        self.dirty.take(id);
        if let Some(memberships) = self.memberships.get_mut(id.0 as usize) {
            *memberships = [0; WIDTH];
        }
    }

    pub(crate) fn clear(&mut self) {
        self.arena.clear();
        self.headers.clear();
        self.dirty.clear();
        self.memberships.clear();
        self.spheres.clear();
    }

    #[inline]
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.arena.reserve(additional);
        reserve_tight(&mut self.headers, additional);
        self.dirty.reserve(additional);
    }

    /// Prefetches so many blocks and their headers, as far as there are.
    #[inline(always)]
    pub(crate) fn prefetch(&self, blocks: usize) {
        self.arena.prefetch_slots(blocks);
        prefetch_list(&self.headers[..self.headers.len().min(blocks)]);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.arena.shrink_to_fit();
        self.headers.shrink_to_fit();
        self.dirty.shrink_to_fit();
        self.memberships.shrink_to_fit();
        self.spheres.shrink_to_fit();
    }

    /// Checks columns that were loaded, except how blocks are linked.
    #[cfg(feature = "serde")]
    pub(crate) fn check_restored(&self, rows: usize) -> Result<(), BrokenInvariant> {
        let blocks = self.arena.slots().len();
        ensure(self.arena.is_countable() && blocks < 1 << 28, "blocks are countable", 0)?;
        ensure(self.headers.len() == blocks && self.dirty.len() == blocks, "a block has a header", 0)?;
        ensure([0, blocks].contains(&self.memberships.len()), "memberships are of all blocks or of none", 0)?;
        ensure(self.spheres.len() <= blocks, "spheres are of blocks", 0)?;
        for ((block, header), id) in self.arena.slots().iter().zip(&self.headers).zip(0..) {
            let unreported = header.unreported | self.dirty.lanes(BlockId(id));
            ensure(unreported & !block.occupied() == 0, "an empty lane is not unreported", id)?;
            for (lane, word) in block.objects.iter().enumerate() {
                if *word == ObjectWord::EMPTY {
                    ensure(block.generations[lane] == NonZeroU32::MIN, "an empty lane holds nothing", id)?;
                    continue;
                }
                ensure((word.row().0 as usize) < rows, "a row exists", id)?;
                if word.is_sphere() {
                    let sphere = self.spheres.get(id as usize).map(|spheres| spheres.get(lane));
                    ensure(sphere.is_some_and(|sphere| sphere.check().is_ok()), "a sphere is legal", id)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a block is as a freed one should be.
    #[cfg(feature = "serde")]
    pub(crate) fn is_blank(&self, id: BlockId) -> bool {
        let (block, header) = (&self[id], self.header_ref(id));
        let empty = block.boxes == Boxes::EMPTY && block.occupied() == 0;
        let unlinked = header.is_chained() && header.next() == BlockId::NONE;
        let members = self.memberships_of(id).is_none_or(|lanes| *lanes == [0; WIDTH]);
        empty && unlinked && members && header.unreported == 0 && self.dirty.lanes(id) == 0
    }

    /// Adds every block. Generations are hashed with the rows.
    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_wide(self.arena.slots().len() as u64);
        for ((block, header), id) in self.arena.slots().iter().zip(&self.headers).zip(0..) {
            hash.add_all(block.boxes.to_bits());
            hash.add_all(block.objects.map(|word| word.0));
            let flags = [header.lane, self.dirty.lanes(BlockId(id)), header.unreported, 0];
            hash.add_all([header.owner().0, header.next().0, u32::from_le_bytes(flags)]);
        }
        hash.add_wide(self.memberships.len() as u64);
        self.memberships.iter().for_each(|&lanes| hash.add_all(lanes));
        hash.add_wide(self.spheres.len() as u64);
        self.spheres.iter().for_each(|spheres| hash.add_all(spheres.to_bits()));
        self.arena.hash_free(hash);
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.arena.memory()
            + self.headers.capacity() * size_of::<BlockHeader>()
            + self.dirty.memory()
            + self.memberships.capacity() * size_of::<[u32; WIDTH]>()
            + self.spheres.capacity() * size_of::<Spheres>()
    }

    #[inline]
    pub(crate) fn header(&self, id: BlockId) -> BlockHeader {
        self.headers[id.0 as usize]
    }

    /// [`Blocks::header`] without a copy, for the hot path of updates.
    #[inline]
    pub(crate) fn header_ref(&self, id: BlockId) -> &BlockHeader {
        &self.headers[id.0 as usize]
    }

    #[inline]
    pub(crate) fn header_mut(&mut self, id: BlockId) -> &mut BlockHeader {
        &mut self.headers[id.0 as usize]
    }

    /// The block after this one in its chain.
    #[inline]
    pub(crate) fn next(&self, id: BlockId) -> BlockId {
        self.headers[id.0 as usize].next()
    }

    /// The blocks of a chain, first to last.
    #[inline]
    pub(crate) fn chain(&self, first: BlockId) -> impl Iterator<Item = BlockId> + Clone + '_ {
        let mut id = first;
        core::iter::from_fn(move || {
            let current = id;
            (current != BlockId::NONE).then(|| {
                id = self.next(current);
                current
            })
        })
    }

    /// The memberships of a block's lanes; `None` where every object is a member of all layers.
    #[inline]
    pub(crate) fn memberships_of(&self, id: BlockId) -> Option<&[u32; WIDTH]> {
        self.memberships.get(id.0 as usize)
    }

    /// The memberships of a lane that holds an object.
    #[inline]
    pub(crate) fn membership(&self, at: Location) -> u32 {
        self.memberships_of(at.block()).map_or(u32::MAX, |lanes| lanes[at.lane()])
    }

    /// The memberships of all lanes of a block, OR-ed.
    #[inline]
    pub(crate) fn memberships_union(&self, id: BlockId) -> u32 {
        self.memberships_of(id).map_or(u32::MAX, |lanes| lanes.iter().fold(0, |all, m| all | m))
    }

    /// Writes the memberships of a lane.
    #[inline]
    pub(crate) fn set_membership(&mut self, at: Location, memberships: u32) {
        if memberships != u32::MAX {
            self.begin_memberships();
        }
        if let Some(lanes) = self.memberships.get_mut(at.block().0 as usize) {
            lanes[at.lane()] = memberships;
        }
    }

    /// Writes the memberships of all lanes of a block; empty lanes have none.
    #[inline]
    pub(crate) fn set_memberships(&mut self, id: BlockId, memberships: &[u32; WIDTH]) {
        self.begin_memberships();
        self.memberships[id.0 as usize] = *memberships;
    }

    /// Whether any object is, or has been since the last bulk build, not a member of all layers.
    #[inline]
    pub(crate) fn any_memberships(&self) -> bool {
        !self.memberships.is_empty()
    }

    /// Prefetches what [`Blocks::any_spheres`] and [`Blocks::any_memberships`] read.
    #[inline(always)]
    pub(crate) fn prefetch_columns(&self) {
        prefetch(&self.spheres);
        prefetch(&self.memberships);
    }

    /// Starts the column, if it is not there: so far every object is a member of all layers.
    #[inline]
    fn begin_memberships(&mut self) {
        if self.memberships.is_empty() {
            self.make_memberships();
        }
    }

    #[cold]
    fn make_memberships(&mut self) {
        let lanes = |block: &Block| block.objects.map(|word| if word == ObjectWord::EMPTY { 0 } else { u32::MAX });
        self.memberships.reserve_exact(self.arena.slots().len());
        self.memberships.extend(self.arena.slots().iter().map(lanes));
    }

    /// Visits every object: its word, its generation, and its box.
    #[inline(always)]
    pub(crate) fn visit_boxes(&self, mut visit: impl FnMut(ObjectWord, NonZeroU32, &PackedBox)) {
        for block in self.arena.slots() {
            for (lane, packed) in block.packed_boxes().iter().enumerate() {
                let word = block.objects[lane];
                if word != ObjectWord::EMPTY {
                    visit(word, block.generations[lane], packed);
                }
            }
        }
    }

    /// The lanes of a block whose object is unreported.
    #[inline]
    pub(crate) fn unreported(&self, id: BlockId) -> LaneMask {
        self.header_ref(id).unreported | self.dirty.lanes(id)
    }

    /// Takes a copy of a lane.
    #[inline]
    pub(crate) fn read(&self, at: Location) -> Entry {
        let block = &self[at.block()];
        let (aabb, word) = (block.boxes.get(at.lane()), block.objects[at.lane()]);
        let sphere = if word.has(ObjectWord::SPHERE) { self.sphere(at) } else { Sphere::new(glam::Vec3::ZERO, 0.0) };
        let unreported = self.unreported(at.block()) >> at.lane() & 1 == 1;
        Entry { aabb, word, memberships: self.membership(at), sphere, unreported }
    }

    /// Writes a lane.
    #[inline]
    pub(crate) fn write(&mut self, at: Location, entry: &Entry, generation: NonZeroU32) {
        if entry.word.has(ObjectWord::SPHERE) {
            self.set_sphere(at, &entry.sphere);
        }
        self.set_membership(at, entry.memberships);
        self[at.block()].set(at.lane(), entry, generation);
        let unreported = &mut self.header_mut(at.block()).unreported;
        *unreported = *unreported & !(1 << at.lane()) | u8::from(entry.unreported) << at.lane();
    }

    /// Empties a lane.
    #[inline]
    pub(crate) fn erase(&mut self, at: Location) {
        let block = &mut self[at.block()];
        block.boxes.clear(at.lane());
        block.objects[at.lane()] = ObjectWord::EMPTY;
        block.generations[at.lane()] = NonZeroU32::MIN;
        self.header_mut(at.block()).unreported &= !(1 << at.lane());
        self.dirty.forget(at);
        if let Some(lanes) = self.memberships.get_mut(at.block().0 as usize) {
            lanes[at.lane()] = 0;
        }
    }
}

indexed_by!(Blocks, BlockId, Block);
