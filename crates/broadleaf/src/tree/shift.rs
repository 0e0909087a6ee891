//! Moving the origin: every object by one vector, in one pass over the columns.
//!
//! Cells move by whole smallest cells, so the tree keeps its shape. What is
//! left of the vector, at most half a smallest cell, and the rounding of the
//! boxes may take an object out of its cell: then the next view relocates it.

use super::Octree;
use crate::data::objects::fat_shapes::overflows;
use crate::data::{BlockId, Bounded, Data, Location, Node, Row};
use crate::geometry::check_point;
use crate::geometry::lanes::set_bits;
use crate::{Error, Sphere};
use glam::{IVec3, Vec3};

impl Octree {
    /// Moves the origin to `shift`: every position `p` becomes `p - shift`.
    /// Handles stay good.
    ///
    /// Each coordinate of a box, and of a sphere's centre, is rounded to
    /// nearest; a radius stays. So boxes that overlap or touch still do; boxes
    /// closer than the rounding may come to touch. Infinite coordinates stay
    /// infinite. The pairs are those of a new tree of the shifted shapes.
    ///
    /// Bounds that a [`WorldOrigin`](crate::shape::WorldOrigin) rounded outward are
    /// rounded to nearest here like any others: objects of a 64-bit world must
    /// be updated from their 64-bit shapes after a shift, about
    /// [`WorldOrigin::shifted`](crate::shape::WorldOrigin::shifted), or touches may be missed.
    ///
    /// *Cost:* one pass over blocks and nodes. Cells move by whole smallest
    /// cells; of the rest of the shift, at most half of one, and of rounding
    /// few objects leave their cells: the next view relocates those. A shift
    /// to beyond the reach of the cells rebuilds the tree, and so does one that brings
    /// what was beyond the reach of the cells of the settings within it. The next update of each
    /// [`PairTracker`](crate::PairTracker) makes a pass over all objects.
    ///
    /// # Errors
    /// A shift that is not finite, or [`Error::ShiftTooFar`], of the shapes
    /// given or of their fat bounds: then nothing is changed.
    pub fn shift_origin(&mut self, shift: Vec3) -> Result<(), Error> {
        check_point(shift, ["shift.x", "shift.y", "shift.z"])?;
        if shift == Vec3::ZERO {
            return Ok(());
        }
        self.data.check_shift(shift)?;
        self.data.shift_blocks(shift);
        match self.data.cells_of(shift) {
            Some(cells) => {
                self.data.shift_nodes(shift, cells);
                self.mark_shifted_lanes();
            }
            None => self.rebuild(),
        }
        if self.data.fat.has_margin() {
            self.fatten_shifted(shift);
        }
        // Rounding may have made any pair begin or end.
        self.data.journal.forget();
        Ok(())
    }

    /// Moves the exact shapes, and gives new fat bounds to those that rounding moved out of theirs.
    fn fatten_shifted(&mut self, shift: Vec3) {
        self.data.fat.shift(shift);
        for index in 0..self.data.objects.slots_len() {
            let row = Row(index);
            if self.data.objects.is_live(row)
                && let Some(given) = self.data.fat.exact_shape(row)
                && let Some(fat) = self.data.fat.new_fat_shape(&self.data.stored_shape(row), &given)
            {
                self.data.write_shape(row, &fat.aabb(), fat.sphere());
            }
        }
    }

    /// Marks as dirty what rounding may have moved out of its cell, and all spheres.
    fn mark_shifted_lanes(&mut self) {
        for index in 0..self.data.blocks.arena.slots().len() {
            #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
            let id = BlockId(index as u32);
            let (header, block) = (self.data.blocks.header(id), &self.data.blocks[id]);
            // The boxes of spheres are rounded outward, not to nearest like the bounds of nodes.
            let lanes = block.occupied() & (block.sphere_lanes() | self.misplaced_lanes(id, &header));
            for lane in set_bits(u64::from(lanes)) {
                self.data.blocks.dirty.set(Location::new(id, lane));
            }
        }
    }
}

impl Data {
    /// Checks that no finite coordinate becomes infinite.
    fn check_shift(&self, shift: Vec3) -> Result<(), Error> {
        for (index, block) in (0..).zip(self.blocks.arena.slots()) {
            let overflowing = block.boxes.overflowing(&block.boxes.shifted(shift));
            for lane in set_bits(u64::from(overflowing & block.occupied())) {
                // A sphere's box may; its centre may not.
                let is_sphere = block.objects[lane].is_sphere();
                if !is_sphere || !(self.blocks.sphere(Location::new(BlockId(index), lane)).center - shift).is_finite() {
                    return Err(Error::ShiftTooFar { handle: block.handle(lane) });
                }
            }
        }
        // Fat bounds may be unbounded where the exact shape is not.
        let is_too_far = |row: &Row| self.fat.exact_shape(*row).is_some_and(|given| overflows(&given, shift));
        if self.fat.has_margin()
            && let Some(row) = self.objects.live_rows().find(is_too_far)
        {
            return Err(Error::ShiftTooFar { handle: self.objects.handle(row) });
        }
        Ok(())
    }

    /// Moves the boxes and spheres of all blocks. Free blocks are inverted boxes, which stay so.
    fn shift_blocks(&mut self, shift: Vec3) {
        for index in 0..self.blocks.arena.slots().len() {
            #[expect(clippy::cast_possible_truncation, reason = "blocks are indexed by u32")]
            let id = BlockId(index as u32);
            let shifted = self.blocks[id].boxes.shifted(shift);
            self.blocks[id].boxes = shifted;
            if self.blocks.any_spheres() {
                let block = &self.blocks[id];
                for lane in set_bits(u64::from(block.sphere_lanes() & block.occupied())) {
                    let at = Location::new(id, lane);
                    let Sphere { center, radius } = self.blocks.sphere(at);
                    let sphere = Sphere::new(center - shift, radius);
                    self.blocks.set_sphere(at, &sphere);
                    self.blocks[id].boxes.set(lane, &sphere.aabb());
                }
            }
        }
    }

    /// Whether a shift brings all that cells hold within the reach of the cells of the settings, which are smaller.
    fn comes_near(&self, shift: Vec3) -> bool {
        let bounds = self.tree_bounds().translated(-shift);
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        self.grid.scale > 0 && farthest < self.reach_of_settings()
    }

    /// The shift in whole smallest cells, if the cells can be moved by them and fit the world afterwards.
    fn cells_of(&self, shift: Vec3) -> Option<IVec3> {
        if !self.root.is_node() {
            return Some(IVec3::ZERO);
        }
        if self.comes_near(shift) {
            return None;
        }
        // Beyond, cells are not moved but built anew: 32-bit floats do not resolve them.
        let cells_max = self.grid.cells_max();
        let cells = self.grid.in_cells(shift);
        if cells.abs().max_element() > cells_max as f32 * 2.0 {
            return None;
        }
        let (cells, root) = (cells.as_ivec3(), self.nodes[self.root].cell);
        let low = root.min - cells;
        let high = low + self.grid.levels.sizes(root.level);
        (low.min_element() >= -cells_max && high.max_element() <= cells_max).then_some(cells)
    }

    /// Moves cells and bounds of all nodes.
    fn shift_nodes(&mut self, shift: Vec3, cells: IVec3) {
        for node in self.nodes.arena.slots_mut() {
            // Rounding keeps order, so bounds that were fitted still are.
            node.bounds = node.bounds.shifted(shift);
            node.cell.min -= cells;
        }
        self.nodes.reset_cells(self.outsized);
        self.nodes.arena.blank_free(&Node::blank());
        self.derive_loose_bounds();
    }
}
