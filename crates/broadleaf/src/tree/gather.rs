//! Copying all objects out of a tree, on their way into a new one.

use super::sort::Item;
use super::source::Source;
use crate::Sphere;
use crate::data::Data;
use crate::data::blocks::Entry;
use crate::data::cell::Cell;
use crate::data::ids::{BlockId, Location, ObjectWord, Row};
use crate::data::scratch::{Bump, BumpVec};
use crate::geometry::Aabb;
use crate::geometry::lanes::{placeable, set_bits};
use glam::Vec3;

/// What a tree held.
pub(super) struct Gathered<'b> {
    pub(super) placeable: Objects<'b>,
    /// One of each placeable object, to be sorted.
    pub(super) items: BumpVec<'b, Item>,
    pub(super) outsized: BumpVec<'b, Entry>,
}

/// Objects in columns. They are looked up in another order than they lie in:
/// the less of them a lookup reads, the better.
pub(super) struct Objects<'b> {
    boxes: BumpVec<'b, Boxed>,
    /// Empty where the tree keeps no spheres.
    spheres: BumpVec<'b, Sphere>,
    /// Empty where every object is a member of all layers.
    memberships: BumpVec<'b, u32>,
}

/// What every object has; half a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Boxed {
    aabb: Aabb,
    word: ObjectWord,
    stirred: bool,
}

impl<'b> Gathered<'b> {
    /// Copies out all objects, in the order of their blocks, with their keys in `cell`.
    pub(super) fn from(data: &Data, cell: Cell, bump: &'b Bump) -> Self {
        let len = data.objects.len();
        let column = |is_kept: bool| if is_kept { len } else { 0 };
        let (any_spheres, any_memberships) = (data.blocks.any_spheres(), data.blocks.any_memberships());
        let placeable = Objects {
            boxes: BumpVec::with_capacity_in(len, bump),
            spheres: BumpVec::with_capacity_in(column(any_spheres), bump),
            memberships: BumpVec::with_capacity_in(column(any_memberships), bump),
        };
        let items = BumpVec::with_capacity_in(len, bump);
        let mut gathered = Self { placeable, items, outsized: BumpVec::new_in(bump) };
        gathered.fill(data, cell);
        gathered
    }

    fn fill(&mut self, data: &Data, cell: Cell) {
        let (grid, maker) = (data.grid, data.grid.key_maker(cell));
        for (id, block) in (0..).map(BlockId).zip(data.blocks.arena.slots()) {
            let occupied = block.occupied();
            let placeable = placeable(&block.boxes, grid.reach());
            let (keys, levels) = (maker.keys(&block.boxes), grid.surely_held_from(&block.boxes));
            let stirred = data.blocks.stirred(id);
            for lane in set_bits(u64::from(occupied & placeable)) {
                self.items.push(Item::new(keys[lane], levels[lane], self.placeable.boxes.len()));
                let (aabb, word) = (block.boxes.get(lane), block.objects[lane]);
                self.placeable.boxes.push(Boxed { aabb, word, stirred: stirred >> lane & 1 == 1 });
                self.placeable.push_beside(data, word, Location::new(id, lane));
            }
            for lane in set_bits(u64::from(occupied & !placeable)) {
                self.outsized.push(data.blocks.read(Location::new(id, lane)));
            }
        }
    }
}

impl Objects<'_> {
    /// Adds what the columns beside the blocks hold of an object.
    #[inline]
    fn push_beside(&mut self, data: &Data, word: ObjectWord, at: Location) {
        if data.blocks.any_spheres() {
            let sphere = if word.has(ObjectWord::SPHERE) { data.blocks.sphere(at) } else { NO_SPHERE };
            self.spheres.push(sphere);
        }
        if data.blocks.any_memberships() {
            self.memberships.push(data.blocks.membership(at));
        }
    }
}

const NO_SPHERE: Sphere = Sphere::new(Vec3::ZERO, 0.0);

impl Source for Objects<'_> {
    #[inline]
    fn aabb(&self, index: usize) -> Aabb {
        self.boxes[index].aabb
    }

    #[inline]
    fn fetch(&self, index: usize) -> (Row, u32) {
        let word = self.boxes[index].word;
        (word.row(), word.0)
    }

    #[inline]
    fn entry(&self, index: usize) -> Entry {
        let Boxed { aabb, word, stirred } = self.boxes[index];
        let sphere = self.spheres.get(index).copied().unwrap_or(NO_SPHERE);
        let memberships = self.memberships.get(index).copied().unwrap_or(u32::MAX);
        Entry { aabb, word, memberships, sphere, stirred }
    }
}
