//! Copying all objects out of a tree, as the source of a rebuild.

use super::share::{BuildScratch, Share};
use super::sort::Item;
use super::source::Source;
use super::tails::{ItemMaker, Tails};
use super::tasks::{self, Pool};
use crate::Sphere;
use crate::data::stretch::{set_len, split_kept};
use crate::data::{BlockId, Bump, BumpVec, Cell, Data, Entry, Location, ObjectWord, Row};
use crate::geometry::Aabb;
use crate::geometry::lanes::{ShapeRow, placeable, prefetch, set_bits};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// The objects of a tree, copied out, with their items.
pub(super) struct GatheredObjects<'b> {
    boxes: BumpVec<'b, GatheredBox>,
    spheres: BumpVec<'b, Sphere>,
    memberships: BumpVec<'b, u32>,
    /// One of each placeable object, to be sorted.
    pub(super) items: BumpVec<'b, Item>,
    pub(super) outsized: BumpVec<'b, Entry>,
}

/// Copied objects as the source of a build. They are read in the order of the sorted
/// items, not in memory order; separate columns keep each read small.
#[derive(Clone, Copy)]
pub(super) struct GatheredSource<'a> {
    boxes: &'a [GatheredBox],
    /// Empty where the tree keeps no spheres.
    spheres: &'a [Sphere],
    /// Empty where every object is a member of all layers.
    memberships: &'a [u32],
}

/// The data that every object has; half a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
struct GatheredBox {
    aabb: Aabb,
    word: ObjectWord,
    unreported: bool,
}

/// Copies out the objects of some blocks, in order: of those that some cell can
/// hold an item as well, whose index is their place in that order.
fn each_object(
    data: &Data,
    maker: &ItemMaker,
    ids: Range<usize>,
    mut place: impl FnMut(Item, GatheredBox, Location),
    mut unplaceable: impl FnMut(Location),
) {
    let grid = &data.grid;
    #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
    let first = ids.start as u32;
    for (id, block) in (first..).map(BlockId).zip(&data.blocks.arena.slots()[ids]) {
        let occupied = block.occupied();
        let placeable = placeable(&block.boxes, grid.reach());
        let items = maker.items(&block.boxes);
        let unreported = data.blocks.unreported(id);
        for lane in set_bits(u64::from(occupied & placeable)) {
            let (aabb, word) = (block.boxes.get(lane), block.objects[lane]);
            let boxed = GatheredBox { aabb, word, unreported: unreported >> lane & 1 == 1 };
            place(items[lane], boxed, Location::new(id, lane));
        }
        for lane in set_bits(u64::from(occupied & !placeable)) {
            unplaceable(Location::new(id, lane));
        }
    }
}

/// The sphere of an object; a placeholder if it is a box.
#[inline]
fn sphere_of(data: &Data, word: ObjectWord, at: Location) -> Sphere {
    if word.has(ObjectWord::SPHERE) { data.blocks.sphere(at) } else { NO_SPHERE }
}

impl<'b> GatheredObjects<'b> {
    /// Copies out all objects, in the order of their blocks, with their keys in `cell`.
    pub(super) fn from(data: &Data, cell: Cell, tails: Tails, bump: &'b Bump) -> Self {
        let len = data.objects.len();
        let column = |is_kept: bool| if is_kept { len } else { 0 };
        let (any_spheres, any_memberships) = (data.blocks.any_spheres(), data.blocks.any_memberships());
        let mut gathered = Self {
            boxes: BumpVec::with_capacity_in(len, bump),
            spheres: BumpVec::with_capacity_in(column(any_spheres), bump),
            memberships: BumpVec::with_capacity_in(column(any_memberships), bump),
            items: BumpVec::with_capacity_in(len, bump),
            outsized: BumpVec::new_in(bump),
        };
        let Self { boxes, spheres, memberships, items, outsized } = &mut gathered;
        let place = |item: Item, boxed: GatheredBox, at| {
            items.push(item.with_index(boxes.len()));
            if any_spheres {
                spheres.push(sphere_of(data, boxed.word, at));
            }
            if any_memberships {
                memberships.push(data.blocks.membership(at));
            }
            boxes.push(boxed);
        };
        let all = 0..data.blocks.arena.slots().len();
        each_object(data, &ItemMaker::new(data.grid, cell, tails), all, place, |at| {
            outsized.push(data.blocks.read(at))
        });
        gathered
    }

    /// Bytes that a rebuild's objects, items and their copy take, if all are placeable.
    pub(super) fn bytes(data: &Data) -> usize {
        let column = |is_kept: bool, size: usize| if is_kept { size } else { 0 };
        let columns = column(data.blocks.any_spheres(), size_of::<Sphere>())
            + column(data.blocks.any_memberships(), size_of::<u32>());
        data.objects.len() * (size_of::<GatheredBox>() + columns + 2 * size_of::<Item>())
    }

    /// The objects that cells can hold.
    pub(super) fn placeable(&self) -> GatheredSource<'_> {
        GatheredSource { boxes: &self.boxes, spheres: &self.spheres, memberships: &self.memberships }
    }
}

/// Scratch for objects that threads copy out. Old contents stay until they are overwritten.
#[derive(Debug, Default)]
pub(super) struct GatheredColumns {
    boxes: Vec<GatheredBox>,
    spheres: Vec<Sphere>,
    memberships: Vec<u32>,
}

/// The part of the columns that one share fills.
struct Columns<'a> {
    first: usize,
    items: &'a mut [Item],
    boxes: &'a mut [GatheredBox],
    spheres: &'a mut [Sphere],
    memberships: &'a mut [u32],
}

impl Columns<'_> {
    fn split_at(self, item: usize) -> (Self, Self) {
        let at = item - self.first;
        let (items, boxes) = (self.items.split_at_mut(at), self.boxes.split_at_mut(at));
        let (spheres, memberships) = (split_kept(self.spheres, at), split_kept(self.memberships, at));
        let columns = |first, items, boxes, spheres, memberships| Self { first, items, boxes, spheres, memberships };
        (
            columns(self.first, items.0, boxes.0, spheres.0, memberships.0),
            columns(item, items.1, boxes.1, spheres.1, memberships.1),
        )
    }
}

impl GatheredColumns {
    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<GatheredBox>()
            + self.spheres.capacity() * size_of::<Sphere>()
            + self.memberships.capacity() * size_of::<u32>()
    }

    /// The objects that cells can hold.
    pub(super) fn objects(&self) -> GatheredSource<'_> {
        GatheredSource { boxes: &self.boxes, spheres: &self.spheres, memberships: &self.memberships }
    }
}

impl BuildScratch {
    /// Looks at the bounds of all objects of a tree that are within reach.
    pub(super) fn survey(&mut self, data: &Data, reach: f32) {
        let blocks = data.blocks.arena.slots();
        self.share_out(blocks.len());
        tasks::divide(&mut self.shares, (), &|(), _| ((), ()), &|share, ()| {
            for block in &blocks[share.columns.clone()] {
                share.extent.add(&block.boxes, reach);
            }
            share.any_spheres = data.blocks.any_spheres();
            share.any_memberships = data.blocks.any_memberships();
        });
        self.place_items();
    }

    /// Copies out all objects of a tree that has been surveyed, as [`GatheredObjects::from`] does.
    pub(super) fn gather(&mut self, data: &Data, cell: Cell, tails: Tails) {
        let (len, kept) = (self.items.len(), &mut self.kept);
        let column = |is_kept: bool| if is_kept { len } else { 0 };
        let boxed = GatheredBox { aabb: Aabb::EMPTY, word: ObjectWord::EMPTY, unreported: false };
        set_len::<Pool, _>(&mut kept.boxes, len, boxed);
        set_len::<Pool, _>(&mut kept.spheres, column(data.blocks.any_spheres()), NO_SPHERE);
        set_len::<Pool, _>(&mut kept.memberships, column(data.blocks.any_memberships()), 0);
        let GatheredColumns { boxes, spheres, memberships } = kept;
        let columns = Columns { first: 0, items: &mut self.items, boxes, spheres, memberships };
        let maker = ItemMaker::new(data.grid, cell, tails);
        tasks::divide(
            &mut self.shares,
            columns,
            &|columns, share| columns.split_at(share.item_first),
            &|share, columns| share.gather(data, &maker, columns),
        );
        let unplaceable = self.shares.iter().flat_map(|share| &share.unplaceable);
        self.outsized.clear();
        self.outsized.extend(unplaceable.map(|&at| data.blocks.read(Location(at))));
    }
}

impl Share {
    fn gather(&mut self, data: &Data, maker: &ItemMaker, columns: Columns<'_>) {
        let Columns { first, items, boxes, spheres, memberships } = columns;
        let (mut len, mut unplaceable) = (0, core::mem::take(&mut self.unplaceable));
        let blocks = self.columns.clone();
        let place = |item: Item, boxed: GatheredBox, at| {
            let item = item.with_index(first + len);
            self.count_item(item);
            items[len] = item;
            if let Some(slot) = spheres.get_mut(len) {
                *slot = sphere_of(data, boxed.word, at);
            }
            if let Some(slot) = memberships.get_mut(len) {
                *slot = data.blocks.membership(at);
            }
            boxes[len] = boxed;
            len += 1;
        };
        each_object(data, maker, blocks, place, |at| unplaceable.push(at.0));
        self.unplaceable = unplaceable;
    }
}

const NO_SPHERE: Sphere = Sphere { center: Vec3::ZERO, radius: 0.0 };

impl Source for GatheredSource<'_> {
    const IS_SLICE: bool = false;

    #[inline]
    fn aabb(&self, index: usize) -> Aabb {
        self.boxes[index].aabb
    }

    #[inline]
    fn shape_row(&self, index: usize) -> ShapeRow {
        let GatheredBox { aabb, word, .. } = self.boxes[index];
        if word.has(ObjectWord::SPHERE) { self.spheres[index].into() } else { aabb.into() }
    }

    #[inline]
    fn row(&self, index: usize) -> Row {
        self.boxes[index].word.row()
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        prefetch(&self.boxes[index]);
    }

    #[inline]
    fn entry(&self, index: usize) -> Entry {
        let GatheredBox { aabb, word, unreported } = self.boxes[index];
        let sphere = self.spheres.get(index).copied().unwrap_or(NO_SPHERE);
        let memberships = self.memberships.get(index).copied().unwrap_or(u32::MAX);
        Entry { aabb, word, memberships, sphere, unreported }
    }
}
