//! Rewriting the bounds of most objects at once: one block after the other,
//! all its lanes together, and what follows while the block is at hand.

use super::Octree;
use crate::Handle;
use crate::data::blocks::block::Block;
use crate::data::ids::{BlockId, Location, Row};
use crate::data::nodes::node::SELF_NEEDS_REFIT;
use crate::data::objects::object::Bounded;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, WIDTH, at_most, prefetch};

/// How many blocks ahead of the one that is written shapes are brought near.
const PREFETCH_DISTANCE: usize = 2;

/// The place of an object that keeps its bounds.
const KEPT: u32 = u32::MAX;

impl Octree {
    /// Whether so many shapes are those of most objects, and there is little
    /// beside them to go through: few blocks, and few rows.
    pub(super) fn are_most(&self, shapes: usize) -> bool {
        let (blocks, rows) = (self.data.blocks.arena.slots().len(), self.data.objects.slots_len() as usize);
        shapes * 3 >= self.len() * 2 && shapes >= blocks * 2 && shapes * 2 >= rows
    }

    /// Gives living objects legal shapes. `run` is the first row, if the handles
    /// are those of consecutive rows: then it need not be written down where
    /// among the shapes that of a row is.
    pub(super) fn rewrite<S: Bounded>(&mut self, handles: &[Handle], shapes: &[S], run: Option<Row>) {
        if let Some(first) = run {
            #[expect(clippy::cast_possible_truncation, reason = "a run is below the row limit")]
            let last = shapes.len() as u32 - 1;
            self.rewrite_blocks(shapes, |block| {
                let places = block.objects.map(|word| word.row().0.wrapping_sub(first.0));
                (places, at_most(&places, last))
            });
            return;
        }
        let mut bump_scratch = core::mem::take(&mut self.bump_scratch);
        let places = bump_scratch.start().alloc_slice_fill_copy(self.data.objects.slots_len() as usize, KEPT);
        for (place, handle) in (0..).zip(handles) {
            places[handle.slot() as usize] = place;
        }
        self.rewrite_blocks(shapes, |block| {
            let places = block.objects.map(|word| places.get(word.row().0 as usize).copied().unwrap_or(KEPT));
            // One by one: eight that have been read one by one would have to be waited for.
            let given = |lane: usize| LaneMask::from(places[lane] != KEPT) << lane;
            (places, (0..WIDTH).fold(0, |lanes, lane| lanes | given(lane)))
        });
        bump_scratch.record_size();
        self.bump_scratch = bump_scratch;
    }

    /// Writes shapes into all lanes that are given one: `places` says which lanes
    /// of a block are, and where among the shapes theirs is.
    fn rewrite_blocks<S: Bounded>(&mut self, shapes: &[S], places: impl Fn(&Block) -> ([u32; WIDTH], LaneMask)) {
        let any_spheres = S::MAY_BE_SPHERE || self.data.blocks.any_spheres();
        for index in 0..self.data.blocks.arena.slots().len() {
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
            if lanes == block.occupied() {
                block.boxes = boxes_at(&places, shapes);
            } else {
                blend(&mut block.boxes, lanes, &places, shapes);
            }
            #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
            let id = BlockId(index as u32);
            if any_spheres {
                for (lane, place) in places.into_iter().enumerate() {
                    if let Some(shape) = shapes.get(place as usize) {
                        self.data.blocks.set_round(Location::new(id, lane), shape.sphere());
                    }
                }
            }
            self.finish_block(id, lanes);
        }
    }

    /// Sees to what follows from new bounds in lanes of a block; only what may
    /// have to go elsewhere is left to the next view.
    #[inline(always)]
    fn finish_block(&mut self, id: BlockId, lanes: LaneMask) {
        let header = self.mark_lanes(id, lanes, |_| SELF_NEEDS_REFIT);
        let misplaced_lanes = lanes & self.misplaced_lanes(id, &header);
        if misplaced_lanes != 0 {
            // Fitted without them, once they have gone: what is placed before looks at bounds.
            self.data.blocks.dirty.set_lanes(id, misplaced_lanes);
        } else if !header.is_chained() {
            self.fit_lane(header.owner, header.lane());
        }
    }
}

/// The boxes of shapes in such places, without negative zeros; nothing in lanes that have none.
#[inline(always)]
fn boxes_at<S: Bounded>(places: &[u32; WIDTH], shapes: &[S]) -> Boxes {
    Boxes::gather(|lane| shapes.get(places[lane] as usize).map_or(Aabb::EMPTY, Bounded::aabb)).without_negative_zeros()
}

/// Replaces the boxes of some lanes.
// Apart from the usual case, which is dearer with this beside it.
#[inline(never)]
fn blend<S: Bounded>(boxes: &mut Boxes, lanes: LaneMask, places: &[u32; WIDTH], shapes: &[S]) {
    *boxes = boxes.blended(lanes, &boxes_at(places, shapes));
}
