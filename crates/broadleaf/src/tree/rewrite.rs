//! The fast path for a call that gives bounds to most objects: one pass over the
//! blocks in memory order, all lanes of a block at once.
//!
//! ```text
//! for each block:
//!     prefetch the shapes of the block PREFETCH_DISTANCE further on
//!     given   = lanes whose object is in the slice
//!     replace the boxes (and spheres) of the given lanes;
//!         with a margin, only of those that have left their fat bounds: these are the given lanes from here on
//!     mark the given lanes unreported, and the owner for refit
//!     outside = given lanes whose object is not within the owner's loose bounds
//!     if outside is empty:  fit the owner's columns for this block now
//!     else:                 set the dirty bits of `outside`; the next view relocates them
//! ```
//!
//! An object's place in the slice follows from its row where the handles are those of
//! consecutive rows; otherwise a table by row is filled first. The cost is linear in the
//! blocks and rows of the tree, so the path is taken only if the slice gives most objects.
//!
//! This path writes lanes without [`Data::write_shape`](crate::data::Data). It keeps the same states true:
//! see the table of dirty states in `data/mod.rs`.

use super::Octree;
use crate::Handle;
use crate::data::{Block, BlockId, Bounded, Data, Row, SELF_NEEDS_REFIT};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, ShapeRow, Shapes, WIDTH, at_most, prefetch, prefetch_code};

/// How many blocks ahead of the one that is written shapes are prefetched.
const PREFETCH_DISTANCE: usize = 2;

/// The place of an object that is not in the slice.
const KEPT: u32 = u32::MAX;

impl Octree {
    /// Whether so many shapes are those of most objects, and there is little
    /// beside them to go through: few blocks, and few rows. With a margin, half of the objects are enough.
    pub(super) fn are_most(&self, shapes: usize) -> bool {
        let (blocks, rows) = (self.data.blocks.arena.slots().len(), self.data.objects.slots_len() as usize);
        let is_share = if self.data.fat.has_margin() { shapes * 2 >= self.len() } else { shapes * 3 >= self.len() * 2 };
        is_share && shapes >= blocks * 2 && shapes * 2 >= rows
    }

    /// Gives living objects legal shapes. `run` is the first row, if the handles
    /// are those of consecutive rows: then no table of places is needed.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn rewrite<S: Bounded>(&mut self, handles: &[Handle], shapes: &[S], run: Option<Row>) {
        if self.data.fat.has_margin() {
            self.data.fat.set_many(handles, shapes);
        }
        if let Some(first) = run {
            #[expect(clippy::cast_possible_truncation, reason = "a run is below the row limit")]
            let last = shapes.len() as u32 - 1;
            self.rewrite_blocks(shapes, |block| {
                let places = block.objects.map(|word| word.row().0.wrapping_sub(first.0));
                (places, at_most(&places, last))
            });
        } else {
            self.rewrite_scattered(handles, shapes);
        }
    }

    /// [`Octree::rewrite`] of handles whose rows are not consecutive: a table maps rows to places.
    #[inline(never)]
    fn rewrite_scattered<S: Bounded>(&mut self, handles: &[Handle], shapes: &[S]) {
        let mut bump_scratch = core::mem::take(&mut self.bump_scratch);
        let places = bump_scratch.start().alloc_slice_fill_copy(self.data.objects.slots_len() as usize, KEPT);
        for (place, handle) in (0..).zip(handles) {
            places[handle.slot() as usize] = place;
        }
        self.rewrite_blocks(shapes, |block| {
            let places = block.objects.map(|word| places.get(word.row().0 as usize).copied().unwrap_or(KEPT));
            // Compared one by one: a vector load of eight separate stores would stall.
            let given = |lane: usize| LaneMask::from(places[lane] != KEPT) << lane;
            (places, (0..WIDTH).fold(0, |lanes, lane| lanes | given(lane)))
        });
        bump_scratch.record_size();
        self.bump_scratch = bump_scratch;
    }

    /// Writes shapes into all lanes that are given one: `places` says which lanes
    /// of a block are, and where among the shapes theirs is.
    fn rewrite_blocks<S: Bounded>(&mut self, shapes: &[S], places: impl Fn(&Block) -> ([u32; WIDTH], LaneMask)) {
        for index in 0..self.data.blocks.arena.slots().len() {
            let had_spheres = self.data.blocks.any_spheres();
            let blocks = self.data.blocks.arena.slots_mut();
            if let Some(later) = blocks.get(index + PREFETCH_DISTANCE) {
                for place in places(later).0 {
                    prefetch(&shapes[(place as usize).min(shapes.len() - 1)]);
                }
            }
            let block = &mut blocks[index];
            let (places, lanes) = places(block);
            if lanes == 0 {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
            let id = BlockId(index as u32);
            let is_whole = lanes == block.occupied() && !self.data.fat.has_margin();
            let any_spheres = had_spheres || are_any_spheres(&places, shapes);
            let lanes = match (is_whole, any_spheres) {
                (true, true) => {
                    self.replace_shapes(id, &places, shapes);
                    lanes
                }
                (true, false) => {
                    block.boxes = boxes_at(&places, shapes);
                    lanes
                }
                (false, true) => self.blend_shapes(id, lanes, || shapes_at(&places, shapes)),
                (false, false) => self.blend_boxes(id, lanes, || boxes_at(&places, shapes)),
            };
            if lanes != 0 {
                self.finish_block(id, lanes);
            }
        }
    }

    /// Prefetches the code of a rewrite.
    #[inline(always)]
    pub(super) fn prefetch_code_of_rewrite<S: Bounded>(&self) {
        prefetch_code(Self::rewrite::<S> as *const (), 0..100);
        if self.data.blocks.any_spheres() {
            prefetch_code(Self::replace_shapes::<S> as *const (), 0..45);
        }
    }

    /// Writes shapes into all lanes of a block.
    // Not inlined: its code would lie between the lines that boxes run through.
    #[inline(never)]
    fn replace_shapes<S: Bounded>(&mut self, id: BlockId, places: &[u32; WIDTH], shapes: &[S]) {
        self.data.blocks.set_shapes(id, &shapes_at(places, shapes));
    }

    /// Writes shapes into some lanes of a block; with a margin, only those that have left their fat bounds. Returns the
    /// lanes written.
    // Not inlined: it would slow down the common case.
    #[inline(never)]
    fn blend_shapes(&mut self, id: BlockId, mut lanes: LaneMask, given: impl FnOnce() -> Shapes) -> LaneMask {
        let Data { blocks, fat, .. } = &mut self.data;
        let mut shapes = given();
        if fat.has_margin() {
            let (fresh, kept) = fat.new_fat_shapes(&shapes, &blocks.shapes(id));
            (shapes, lanes) = (fresh, lanes & !kept);
        }
        if lanes == blocks[id].occupied() {
            blocks.set_shapes(id, &shapes);
        } else if lanes != 0 {
            blocks.blend_shapes(id, lanes, &shapes);
        }
        lanes
    }

    /// The same of boxes, in a block without spheres.
    #[inline(never)]
    fn blend_boxes(&mut self, id: BlockId, mut lanes: LaneMask, given: impl FnOnce() -> Boxes) -> LaneMask {
        let Data { blocks, fat, .. } = &mut self.data;
        let (block, mut boxes) = (&mut blocks[id], given());
        if fat.has_margin() {
            let (fresh, kept) = fat.new_fat_boxes(&boxes, &block.boxes);
            (boxes, lanes) = (fresh, lanes & !kept);
        }
        if lanes == block.occupied() {
            block.boxes = boxes;
        } else if lanes != 0 {
            block.boxes = block.boxes.blended(lanes, &boxes);
        }
        lanes
    }

    /// Computes the consequences of new bounds in lanes of a block. Only lanes that may
    /// have to be relocated are left to the next view.
    #[inline(always)]
    fn finish_block(&mut self, id: BlockId, lanes: LaneMask) {
        self.data.mark_lanes(id, lanes, |_| SELF_NEEDS_REFIT);
        let header = self.data.blocks.header_ref(id);
        let misplaced_lanes = lanes & self.misplaced_lanes(id, header);
        if misplaced_lanes != 0 {
            // The columns are fitted after these lanes have left; placement before that reads the old bounds.
            self.data.blocks.dirty.set_lanes(id, misplaced_lanes);
        } else if !header.is_chained() {
            self.data.fit_lane(header.owner(), header.lane());
        }
    }
}

/// The boxes of shapes in such places, without negative zeros; nothing in lanes that have none.
#[inline(always)]
fn boxes_at<S: Bounded>(places: &[u32; WIDTH], shapes: &[S]) -> Boxes {
    Boxes::gather(|lane| shapes.get(places[lane] as usize).map_or(Aabb::EMPTY, Bounded::aabb)).without_negative_zeros()
}

/// The shapes in such places, without negative zeros; nothing in lanes that have none.
#[inline(always)]
fn shapes_at<S: Bounded>(places: &[u32; WIDTH], shapes: &[S]) -> Shapes {
    let row = |&shape: &S| shape.into().into();
    Shapes::gather(|lane| shapes.get(places[lane] as usize).map_or(ShapeRow::EMPTY, row))
}

/// Whether any of the shapes in such places is a sphere. Asked without a branch each, as for boxes alone it is always no.
#[inline(always)]
fn are_any_spheres<S: Bounded>(places: &[u32; WIDTH], shapes: &[S]) -> bool {
    let is_sphere = |&place: &u32| shapes.get(place as usize).is_some_and(|shape| shape.sphere().is_some());
    places.iter().fold(false, |any, place| any | is_sphere(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Margin};
    use glam::Vec3;

    #[test]
    fn most_are_two_thirds_and_with_a_margin_half() {
        for (absolute, least) in [(0.0, 60), (0.1, 45)] {
            let margin = Margin { absolute, relative: 0.0 };
            let mut tree = Octree::new(Config { margin, ..Config::default() }).unwrap();
            let boxes: [Aabb; 90] = core::array::from_fn(|i| {
                Aabb::from_center_half_extents(Vec3::new(i as f32, 0.0, 0.0), Vec3::splat(0.5))
            });
            tree.insert_many(&boxes, &mut alloc::vec::Vec::new()).unwrap();
            tree.view();
            assert!(tree.are_most(least) && !tree.are_most(least - 1), "{absolute}");
        }
    }
}
