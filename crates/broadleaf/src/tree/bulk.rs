//! Adding many objects to an empty tree: it is built from the caller's slice
//! as it lies, without a stop in the queue.

use super::Octree;
use super::insert::entry_of;
use super::sort::Item;
use super::source::Source;
use crate::data::blocks::Entry;
use crate::data::ids::{NodeId, ObjectWord, Row};
use crate::data::object::{Object, Shape};
use crate::data::scratch::{Bump, BumpVec};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, Extent, LaneMask, WIDTH, placeable};
use crate::{Error, Handle, SliceError};
use alloc::vec::Vec;

/// Objects where the caller keeps them, and the handles they were given.
struct Given<'a, O> {
    objects: &'a [O],
    handles: &'a [Handle],
    /// The first object's row, if the others' follow in order: then the
    /// handles, which lie all over memory once sorted, need no look.
    row_first: Option<Row>,
}

impl<O> Given<'_, O> {
    #[inline]
    fn row(&self, index: usize) -> Row {
        #[expect(clippy::cast_possible_truncation, reason = "an index is below the limit on rows")]
        Row(self.row_first.map_or_else(|| self.handles[index].slot(), |first| first.0 + index as u32))
    }
}

impl<O: Into<Object> + Copy> Source for Given<'_, O> {
    #[inline]
    fn aabb(&self, index: usize) -> Aabb {
        self.objects[index].into().shape.aabb()
    }

    #[inline]
    fn entry(&self, index: usize) -> Entry {
        entry_of(self.row(index), &self.objects[index].into())
    }

    #[inline]
    fn fetch(&self, index: usize) -> (Row, u32) {
        (self.row(index), self.objects[index].into().shape.word())
    }
}

impl Octree {
    /// Builds an empty tree from objects as they lie: the one that a rebuild
    /// from the queue makes. The limit on their number has been checked.
    ///
    /// # Errors
    /// The first object that is not legal, or that gets no row: then none is inserted.
    pub(super) fn build_given<O: Into<Object> + Copy>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
    ) -> Result<(), SliceError> {
        self.with_workspace(|tree, bump| {
            let mut extent = Extent::EMPTY;
            let columns = columns_of(objects, &mut extent, tree.data.grid.reach(), bump)?;
            let row_first = tree.allocate_rows(objects, handles)?;
            tree.clear_tree();
            tree.reserve_tree(objects.len());
            tree.counters.rebuilds += 1;
            tree.build_columns(&Given { objects, handles, row_first }, &columns, &extent, bump);
            Ok(())
        })
    }

    /// Gives each object a row; the first row, if the others follow in order.
    fn allocate_rows<O: Into<Object> + Copy>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
    ) -> Result<Option<Row>, SliceError> {
        handles.clear();
        handles.reserve(objects.len());
        let columns = objects.iter().map(|&object| {
            let Object { layers, user_data, .. } = object.into();
            (layers.filters, user_data)
        });
        self.data.objects.allocate_many(columns, handles).map_err(|index| {
            // Slots have been retired: what has a row so far gives it back.
            self.data.objects.clear();
            handles.clear();
            SliceError { index, error: Error::TooManyObjects { limit: ObjectWord::ROW_LIMIT as usize } }
        })?;
        let first = handles.first().map_or(0, |handle| handle.slot());
        let in_order = (first..).zip(handles.iter()).all(|(row, handle)| handle.slot() == row);
        Ok(in_order.then_some(Row(first)))
    }

    fn build_columns<O: Into<Object> + Copy>(
        &mut self,
        given: &Given<O>,
        columns: &[Boxes],
        extent: &Extent,
        bump: &Bump,
    ) {
        let cell = self.data.cell_holding(extent, columns.iter());
        let (grid, maker) = (self.data.grid, self.data.grid.key_maker(cell));
        let mut items = BumpVec::with_capacity_in(given.objects.len(), bump);
        for (first, boxes) in (0..).step_by(WIDTH).zip(columns) {
            let (keys, levels) = (maker.keys(boxes), grid.surely_held_from(boxes));
            let placeable = placeable(boxes, grid.reach());
            let item = |lane: usize| Item::new(keys[lane], levels[lane], first + lane);
            if placeable == LaneMask::MAX {
                items.extend_from_slice_copy(&core::array::from_fn::<_, WIDTH, _>(item));
                continue;
            }
            for lane in 0..WIDTH.min(given.objects.len() - first) {
                let index = first + lane;
                if placeable >> lane & 1 == 1 {
                    items.push(item(lane));
                } else {
                    self.data.push_chained(NodeId::OUTSIZED, &given.entry(index));
                }
            }
        }
        if !items.is_empty() {
            self.build_from(cell, given, &mut items, bump);
        }
    }
}

/// The boxes of objects, eight by eight, and what bounds those that a cell can hold.
///
/// # Errors
/// The first object that is not legal.
fn columns_of<'b, O: Into<Object> + Copy>(
    objects: &[O],
    extent: &mut Extent,
    reach: f32,
    bump: &'b Bump,
) -> Result<BumpVec<'b, Boxes>, SliceError> {
    let mut columns = BumpVec::with_capacity_in(objects.len().div_ceil(WIDTH), bump);
    for (first, eight) in (0..).step_by(WIDTH).zip(objects.chunks(WIDTH)) {
        let mut boxes = Boxes::EMPTY;
        let mut legal = true;
        for (lane, &object) in eight.iter().enumerate() {
            match object.into().shape {
                Shape::Aabb(aabb) => boxes.set(lane, &aabb),
                Shape::Sphere(sphere) => {
                    legal &= sphere.check().is_ok();
                    boxes.set(lane, &sphere.aabb());
                }
            }
        }
        let given = u8::MAX >> (WIDTH - eight.len());
        if !legal || boxes.legal() & given != given {
            for (index, &object) in (first..).zip(eight) {
                object.into().shape.check().map_err(|error| SliceError { index, error })?;
            }
        }
        extent.add(&boxes, reach);
        columns.push(boxes);
    }
    Ok(columns)
}
