//! A bulk build of an empty tree from the caller's slice on several threads.

use super::from_slice::{Columns, SliceSource, allocate_rows, is_sphere, read};
use super::share::{BuildScratch, Share};
use super::sort::Item;
use super::source::Source;
use super::tails::{ItemMaker, Tails};
use super::tasks;
use crate::data::{Cell, Data, Grid, Object};
use crate::geometry::lanes::{Extent, LaneMask, WIDTH, placeable, set_bits};
use crate::tree::Octree;
use crate::tree::insert::{InsertGuard, Undo};
use crate::{Handle, SliceError};
use alloc::vec::Vec;

impl Octree {
    /// [`Octree::build_from_slice`] on the threads of the pool.
    pub(super) fn build_shared<O: Into<Object> + Copy + Sync>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
        scratch: &mut BuildScratch,
    ) -> Result<(), SliceError> {
        scratch.read(objects, self.data.reach_of_settings())?;
        let (grid, cell) = self.data.lay_out(objects.len(), scratch.extent(), Columns::of(objects));
        if grid.scale > 0 {
            scratch.survey_slice(objects, grid.reach());
        }
        let mut guard = InsertGuard { tree: self, handles, undo: Undo::Clear };
        let InsertGuard { tree, handles, .. } = &mut guard;
        let Data { objects: rows, interactions, .. } = &mut tree.data;
        let tails = Tails::of(cell, objects.len());
        // This thread goes on with the part of the objects that it has read.
        let ((), row_first) = tasks::join(
            || {
                scratch.make_items(grid, cell, tails, objects);
                scratch.sort();
            },
            || allocate_rows((rows, interactions), objects, handles),
        );
        let given = SliceSource { objects, handles, row_first: row_first? };
        let unplaceable = scratch.shares.iter().flat_map(|share| &share.unplaceable);
        scratch.outsized.clear();
        scratch.outsized.extend(unplaceable.map(|&index| given.entry(index as usize)));
        tree.counters.rebuilds += 1;
        tree.data.grid = grid;
        tree.clear_lists();
        scratch.build(&mut tree.data, cell, tails, &given);
        tree.pack_outsized(&scratch.outsized);
        guard.undo = Undo::Nothing;
        Ok(())
    }
}

impl BuildScratch {
    /// Reads and checks the objects.
    ///
    /// # Errors
    /// The first object that is not legal.
    fn read<O: Into<Object> + Copy + Sync>(&mut self, objects: &[O], reach: f32) -> Result<(), SliceError> {
        self.share_out(objects.len().div_ceil(WIDTH));
        tasks::divide(&mut self.shares, (), &|(), _| ((), ()), &|share, ()| {
            share.error = share.read(objects, reach).err();
        });
        if let Some(error) = self.shares.iter_mut().find_map(|share| share.error.take()) {
            return Err(error);
        }
        self.place_items();
        Ok(())
    }

    /// Looks again at the bounds of the objects that are within reach.
    fn survey_slice<O: Into<Object> + Copy + Sync>(&mut self, objects: &[O], reach: f32) {
        tasks::divide(&mut self.shares, (), &|(), _| ((), ()), &|share, ()| {
            share.extent = Extent::of(Columns::of(share.part_of(objects)), reach);
        });
        self.place_items();
    }

    /// Makes the items of the objects.
    fn make_items<O: Into<Object> + Copy + Sync>(&mut self, grid: Grid, cell: Cell, tails: Tails, objects: &[O]) {
        let maker = ItemMaker::new(grid, cell, tails);
        let cut = |items, share: &Share| tasks::cut(items, share.item_first);
        tasks::divide(&mut self.shares, (0, self.items.as_mut_slice()), &cut, &|share, (_, items)| {
            share.make_items(grid, &maker, objects, items);
        });
    }
}

impl Share {
    /// The share's objects.
    fn part_of<'a, O>(&self, objects: &'a [O]) -> &'a [O] {
        &objects[self.columns.start * WIDTH..objects.len().min(self.columns.end * WIDTH)]
    }

    fn read<O: Into<Object> + Copy>(&mut self, objects: &[O], reach: f32) -> Result<(), SliceError> {
        let (mut any_spheres, mut any_memberships) = (false, false);
        let note = |eight: &[O], _| {
            for &object in eight {
                any_spheres |= is_sphere(object);
                any_memberships |= object.into().layers.memberships != u32::MAX;
            }
        };
        self.extent = read((self.columns.start * WIDTH, self.part_of(objects)), reach, note)?;
        (self.any_spheres, self.any_memberships) = (any_spheres, any_memberships);
        Ok(())
    }

    /// Makes items of the share's objects.
    #[expect(clippy::cast_possible_truncation, reason = "an index is below the limit on rows")]
    fn make_items<O: Into<Object> + Copy>(&mut self, grid: Grid, maker: &ItemMaker, objects: &[O], items: &mut [Item]) {
        let mut made = 0;
        for (first, boxes) in (self.columns.start * WIDTH..).step_by(WIDTH).zip(Columns::of(self.part_of(objects))) {
            let eight = maker.items(&boxes);
            let item = |lane: usize| eight[lane].with_index(first + lane);
            let placeable = placeable(&boxes, grid.reach());
            if placeable == LaneMask::MAX {
                let eight = core::array::from_fn::<_, WIDTH, _>(item);
                items[made..made + WIDTH].copy_from_slice(&eight);
                eight.iter().for_each(|&item| self.count_item(item));
                made += WIDTH;
                continue;
            }
            let given = LaneMask::MAX >> (WIDTH - WIDTH.min(objects.len() - first));
            for lane in set_bits(u64::from(placeable)) {
                items[made] = item(lane);
                self.count_item(items[made]);
                made += 1;
            }
            self.unplaceable.extend(set_bits(u64::from(given & !placeable)).map(|lane| (first + lane) as u32));
        }
    }
}
