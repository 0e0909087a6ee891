//! A bulk build of an empty tree from the caller's slice: objects are read where they
//! lie, without the pending chain in between.

use super::sort::Item;
use super::source::Source;
use super::tails::{ItemMaker, Tails};
use crate::data::{Bump, BumpVec, Cell, Data, Entry, Grid, Interactions, Object, ObjectWord, Objects, Row, Shape};
use crate::geometry::Aabb;
use crate::geometry::lanes::{
    Boxes, Extent, LaneMask, PREFETCH_ALL_MAX, PREFETCH_CODE_MIN, ShapeRow, Shapes, WIDTH, placeable, prefetch,
    prefetch_code,
};
use crate::tree::Octree;
use crate::tree::insert::{InsertGuard, Undo, entry_of};
use crate::{Error, Handle, SliceError};
use alloc::vec::Vec;
use core::iter::Copied;
use core::slice::{Chunks, Iter};

/// The boxes of up to so many objects are copied until they have keys. Of more, the slice is read again: the copy would be
/// memory that is new to the process in the first two builds of a tree.
const KEPT_MAX: usize = 1 << 17;

/// The caller's objects, and their new handles.
#[derive(Clone, Copy)]
pub(super) struct SliceSource<'a, O> {
    pub(super) objects: &'a [O],
    pub(super) handles: &'a [Handle],
    /// The row of the first object, if the others follow in order. Then no handle has to be
    /// read: in the order of the sorted items, they are scattered.
    pub(super) row_first: Option<Row>,
}

impl<O: Into<Object> + Copy> Source for SliceSource<'_, O> {
    const IS_SLICE: bool = true;

    #[inline]
    fn aabb(&self, index: usize) -> Aabb {
        self.objects[index].into().shape.aabb()
    }

    #[inline]
    fn entry(&self, index: usize) -> Entry {
        entry_of(self.row(index), &self.objects[index].into())
    }

    #[inline(always)]
    fn shape_row(&self, index: usize) -> ShapeRow {
        self.objects[index].into().shape.into()
    }

    #[inline]
    fn row(&self, index: usize) -> Row {
        #[expect(clippy::cast_possible_truncation, reason = "an index is below the limit on rows")]
        Row(self.row_first.map_or_else(|| self.handles[index].slot(), |first| first.0 + index as u32))
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        prefetch(&self.objects[index]);
        // An object may reach into the next line.
        if let Some(next) = self.objects.get(index + 1) {
            prefetch(next);
        }
    }
}

impl Octree {
    /// Prefetches the code of the first half of a build of so many objects, unless they are few or more than [`KEPT_MAX`].
    pub(in crate::tree) fn prefetch_code_of_build<O: Into<Object> + Copy + Sync>(count: usize) {
        if !(PREFETCH_CODE_MIN..=KEPT_MAX).contains(&count) {
            return;
        }
        prefetch_code(Self::build_from_slice::<O> as *const (), 0..127);
        prefetch_code(boxes_of::<O> as *const (), 0..32);
        prefetch_code(allocate_rows::<O> as *const (), 0..56);
        prefetch_code(Data::lay_out::<Copied<Iter<'_, Boxes>>> as *const (), 0..38);
        Grid::prefetch_code_of_layout::<Copied<Iter<'_, Boxes>>>(count);
    }

    /// Builds an empty tree from objects as they lie: the one that a rebuild
    /// from the queue makes. The limit on their number has been checked.
    ///
    /// # Errors
    /// The first object that is not legal, or that gets no row: then none is inserted.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(in crate::tree) fn build_from_slice<O: Into<Object> + Copy + Sync>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
    ) -> Result<(), SliceError> {
        if self.is_shared(objects.len()) {
            return self.with_build_scratch(|tree, scratch| tree.build_shared(objects, handles, scratch));
        }
        // Items and their copy, and the boxes of few.
        let columns_kept = if objects.len() <= KEPT_MAX { objects.len().div_ceil(WIDTH) } else { 0 };
        self.with_bump_scratch(
            columns_kept * size_of::<Boxes>() + 2 * objects.len() * size_of::<Item>(),
            |tree, bump| {
                let mut columns = BumpVec::with_capacity_in(columns_kept, bump);
                let keep = |_: &[O], boxes| {
                    if columns_kept > 0 {
                        columns.push(boxes);
                    }
                };
                let extent = read((0, objects), tree.data.reach_of_settings(), keep)?;
                let mut guard = InsertGuard { tree, handles, undo: Undo::Clear };
                let InsertGuard { tree, handles, .. } = &mut guard;
                let Data { objects: rows, interactions, .. } = &mut tree.data;
                let row_first = allocate_rows((rows, interactions), objects, handles)?;
                tree.clear_tree();
                tree.reserve_tree(objects.len());
                if objects.len() <= PREFETCH_ALL_MAX {
                    tree.prefetch_room(objects.len());
                }
                tree.counters.rebuilds += 1;
                let given = SliceSource { objects, handles, row_first };
                if columns_kept > 0 {
                    tree.build_columns(&given, columns.iter().copied(), extent, bump);
                } else {
                    tree.build_columns(&given, Columns::of(objects), extent, bump);
                }
                guard.undo = Undo::Nothing;
                Ok(())
            },
        )
    }

    // Always inlined: the code of the caller is prefetched.
    #[inline(always)]
    fn build_columns<O: Into<Object> + Copy + Sync>(
        &mut self,
        given: &SliceSource<O>,
        columns: impl Iterator<Item = Boxes> + Clone,
        extent: Extent,
        bump: &Bump,
    ) {
        let (grid, cell) = self.data.lay_out(given.objects.len(), extent, columns.clone());
        self.data.grid = grid;
        if Tails::are_worthwhile(cell) {
            return self.build_deep(given, cell, columns, bump);
        }
        if (PREFETCH_CODE_MIN..=KEPT_MAX).contains(&given.objects.len()) {
            // What comes before has run.
            prefetch_code(Self::build_from_slice::<O> as *const (), 167..267);
        }
        self.build_laid_out(given, cell, columns, Tails::NONE, bump);
    }

    /// Builds a tree whose keys have tails.
    // Not inlined: most worlds do without.
    #[inline(never)]
    fn build_deep<O: Into<Object> + Copy + Sync>(
        &mut self,
        given: &SliceSource<O>,
        cell: Cell,
        columns: impl Iterator<Item = Boxes>,
        bump: &Bump,
    ) {
        self.build_laid_out(given, cell, columns, Tails::of(cell, given.objects.len()), bump);
    }

    /// Builds the tree, once its grid and the cell of its root are known.
    #[inline(always)]
    fn build_laid_out<O: Into<Object> + Copy + Sync>(
        &mut self,
        given: &SliceSource<O>,
        cell: Cell,
        columns: impl Iterator<Item = Boxes>,
        tails: Tails,
        bump: &Bump,
    ) {
        let grid = self.data.grid;
        let maker = ItemMaker::new(grid, cell, tails);
        let mut items = BumpVec::with_capacity_in(given.objects.len(), bump);
        let mut outsized = BumpVec::new_in(bump);
        for (first, boxes) in (0..).step_by(WIDTH).zip(columns) {
            let eight = maker.items(&boxes);
            let item = |lane: usize| eight[lane].with_index(first + lane);
            let placeable = placeable(&boxes, grid.reach());
            if placeable == LaneMask::MAX {
                items.extend_from_slice_copy(&core::array::from_fn::<_, WIDTH, _>(item));
                continue;
            }
            for lane in 0..WIDTH.min(given.objects.len() - first) {
                let index = first + lane;
                if placeable >> lane & 1 == 1 {
                    items.push(item(lane));
                } else {
                    outsized.push(given.entry(index));
                }
            }
        }
        if !items.is_empty() {
            self.build_from(cell, given, &mut items, tails, bump);
        }
        self.pack_outsized(&outsized);
    }
}

/// Gives each object a row; the first row, if the others follow in order.
// Not inlined: its code is prefetched.
#[inline(never)]
pub(super) fn allocate_rows<O: Into<Object> + Copy>(
    (rows, interactions): (&mut Objects, &mut Interactions),
    objects: &[O],
    handles: &mut Vec<Handle>,
) -> Result<Option<Row>, SliceError> {
    handles.clear();
    handles.reserve(objects.len());
    objects.iter().for_each(|&object| interactions.add(object.into().layers));
    let columns = |&object: &O| {
        let Object { layers, user_data, .. } = object.into();
        (layers.filters, user_data)
    };
    // Slots may have been retired: what has a row so far gives it back.
    let error = Error::TooManyObjects { limit: ObjectWord::ROW_LIMIT as usize };
    rows.allocate_many(objects, columns, handles).map_err(|index| SliceError { index, error })?;
    Ok(rows.run_of(handles))
}

/// Reads and checks objects, eight at a time; returns what bounds those within reach. `first` is the index of the first
/// in the caller's slice.
///
/// # Errors
/// The first object that is not legal.
#[inline(always)]
pub(super) fn read<O: Into<Object> + Copy>(
    (first, objects): (usize, &[O]),
    reach: f32,
    mut keep: impl FnMut(&[O], Boxes),
) -> Result<Extent, SliceError> {
    let mut extent = Extent::EMPTY;
    for (first, eight) in (first..).step_by(WIDTH).zip(objects.chunks(WIDTH)) {
        let (boxes, legal) = boxes_of(eight);
        let given = LaneMask::MAX >> (WIDTH - eight.len());
        if legal & given != given {
            for (index, &object) in (first..).zip(eight) {
                object.into().shape.check().map_err(|error| SliceError { index, error })?;
            }
        }
        extent.add(&boxes, reach);
        keep(eight, boxes);
    }
    Ok(extent)
}

/// The boxes of objects that have been checked, eight by eight; reads the slice again.
#[derive(Clone)]
pub(super) struct Columns<'a, O>(Chunks<'a, O>);

impl<'a, O> Columns<'a, O> {
    pub(super) fn of(objects: &'a [O]) -> Self {
        Self(objects.chunks(WIDTH))
    }
}

impl<O: Into<Object> + Copy> Iterator for Columns<'_, O> {
    type Item = Boxes;

    #[inline]
    fn next(&mut self) -> Option<Boxes> {
        self.0.next().map(|eight| boxes_of(eight).0)
    }

    /// Reads none of those that are left out.
    #[inline]
    fn nth(&mut self, n: usize) -> Option<Boxes> {
        self.0.nth(n).map(|eight| boxes_of(eight).0)
    }
}

#[inline(always)]
pub(super) fn is_sphere(object: impl Into<Object>) -> bool {
    matches!(object.into().shape, Shape::Sphere(_))
}

/// The boxes of up to eight objects, without negative zeros, and the lanes whose object is legal.
// Not inlined: its code is prefetched.
#[inline(never)]
fn boxes_of<O: Into<Object> + Copy>(eight: &[O]) -> (Boxes, LaneMask) {
    let shapes = match <&[O; WIDTH]>::try_from(eight) {
        Ok(eight) if eight.iter().fold(false, |any, &object| any | is_sphere(object)) => {
            Shapes::gather(|lane| eight[lane].into().shape.into())
        }
        Ok(eight) => {
            let boxes = Boxes::gather(|lane| eight[lane].into().shape.aabb()).without_negative_zeros();
            return (boxes, boxes.legal());
        }
        Err(_) => {
            let row = |&object: &O| object.into().shape.into();
            Shapes::gather(|lane| eight.get(lane).map_or(ShapeRow::EMPTY, row))
        }
    };
    (shapes.boxes, shapes.legal())
}
