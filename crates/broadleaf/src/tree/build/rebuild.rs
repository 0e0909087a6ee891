//! Building the tree anew from Morton-sorted keys.
//!
//! Objects are copied out in the order of the blocks, sorted by the key of
//! their centre, and cut into nodes top down; each bucket's objects then lie
//! as runs along the curve.

use super::cut::{Builder, Rules};
use super::gather::GatheredObjects;
use super::residents::edge_max;
use super::share::BuildScratch;
use super::sort::{Item, prefetch_code_of_sort};
use super::source::Source;
use super::store::KeyInfo;
use super::tails::Tails;
use crate::data::{BlockId, Bump, BumpVec, Cell, Data, Grid, NodeId};
use crate::geometry::Aabb;
use crate::geometry::lanes::{
    Boxes, Extent, LooseCell, PREFETCH_CODE_MIN, SizeCounts, placeable, prefetch_code, set_bits,
};
use crate::spans::span;
use crate::tree::Octree;

impl Octree {
    /// Builds the tree anew from all its objects. Worth calling after most of
    /// them have moved far; [`view`](Octree::view) does so by itself when
    /// that is less work, judging by counts.
    ///
    /// *Cost:* linear; on several threads if [`set_threads`](Octree::set_threads) says so.
    ///
    /// *Source:* the order is that of G. Morton, A Computer Oriented Geodetic
    /// Data Base, 1966; the sort is a radix sort.
    pub fn rebuild(&mut self) {
        let _span = span!("rebuild", objects = self.len());
        if self.is_shared(self.len()) {
            self.with_build_scratch(Self::rebuild_shared);
        } else {
            self.with_bump_scratch(GatheredObjects::bytes(&self.data), Self::rebuild_in);
        }
    }

    fn rebuild_shared(&mut self, scratch: &mut BuildScratch) {
        self.counters.rebuilds += 1;
        scratch.survey(&self.data, self.data.reach_of_settings());
        let boxes = self.data.blocks.arena.slots().iter().map(|block| block.boxes);
        let (grid, cell) = self.data.lay_out(self.len(), scratch.extent(), boxes);
        if grid.scale > 0 {
            scratch.survey(&self.data, grid.reach());
        }
        self.data.grid = grid;
        let tails = Tails::of(cell, self.len());
        scratch.gather(&self.data, cell, tails);
        scratch.sort();
        self.clear_lists();
        let kept = core::mem::take(&mut scratch.kept);
        scratch.build(&mut self.data, cell, tails, &kept.objects());
        scratch.kept = kept;
        self.pack_outsized(&scratch.outsized);
    }

    /// Does a bulk build with so many bytes of scratch reserved.
    pub(super) fn with_bump_scratch<R>(&mut self, bytes: usize, build: impl FnOnce(&mut Self, &Bump) -> R) -> R {
        let mut bump_scratch = core::mem::take(&mut self.bump_scratch);
        let result = build(self, bump_scratch.start_with(bytes));
        bump_scratch.record_size();
        // A world that is loaded once needs no working memory after that; one
        // that is built again is likely to be built often.
        if self.counters.rebuilds > 1 {
            self.bump_scratch = bump_scratch;
        }
        result
    }

    fn rebuild_in(&mut self, bump: &Bump) {
        self.counters.rebuilds += 1;
        let boxes = self.data.blocks.arena.slots().iter().map(|block| block.boxes);
        let extent = Extent::of(boxes.clone(), self.data.reach_of_settings());
        let (grid, cell) = self.data.lay_out(self.len(), extent, boxes);
        self.data.grid = grid;
        let tails = Tails::of(cell, self.len());
        let mut gathered = GatheredObjects::from(&self.data, cell, tails, bump);
        self.clear_tree();
        if !gathered.items.is_empty() {
            let mut items = core::mem::replace(&mut gathered.items, BumpVec::new_in(bump));
            self.build_from(cell, &gathered.placeable(), &mut items, tails, bump);
        }
        self.pack_outsized(&gathered.outsized);
    }

    /// Makes the nodes and blocks of an empty tree from items in the order of their index.
    #[inline(always)]
    pub(super) fn build_from<S: Source>(
        &mut self,
        cell: Cell,
        source: &S,
        items: &mut [Item],
        tails: Tails,
        bump: &Bump,
    ) {
        if items.len() >= PREFETCH_CODE_MIN {
            prefetch_code_of_sort(items.len());
            prefetch_code(Builder::<S, Data>::build_octants as *const (), 0..50);
            prefetch_code(Builder::<S, Data>::build_bucket as *const (), 0..155);
        }
        let keys = KeyInfo::of_root(cell, edge_max(items), tails);
        let rules = Rules::new(&self.data, cell, items.len(), tails);
        let mut builder = Builder { store: &mut self.data, source, rules, spare: &mut self.packing.spare };
        (self.data.root, _) = builder.build_and_sort(cell, keys, items, items.len(), Some(bump));
    }

    /// Clears nodes, blocks and lists; the rows of the objects stay.
    pub(in crate::tree) fn clear_tree(&mut self) {
        self.data.nodes.clear();
        self.data.blocks.clear();
        self.clear_lists();
    }

    /// Clears the root, the chain and the lists.
    pub(super) fn clear_lists(&mut self) {
        self.misplaced.clear();
        self.data.root = NodeId::NONE;
        self.data.pending = BlockId::NONE;
        self.data.pending_len = 0;
        self.data.outsized = NodeId::NONE;
    }
}

impl Data {
    /// The grid for so many objects, and the cell of the root: a small one around nearly all centres, grown
    /// until it holds all boxes. `extent` is that of the objects that the cells of the settings reach.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn lay_out<C: Iterator<Item = Boxes> + Clone>(
        &self,
        count: usize,
        mut extent: Extent,
        columns: C,
    ) -> (Grid, Cell) {
        let mut grid = self.grid.plain();
        if extent.len() < count {
            grid = self.reaching_far(&mut extent, columns.clone());
        }
        let (centers, bounds, leaf_fill) = (extent.centers(), extent.bounds(), self.leaf_fill() as f32);
        let most = grid.most_centers(&centers, count, columns.clone());
        let (mut grid, mut cell) = grid.laid_out(&most, &bounds, count, leaf_fill);
        if centers.min.x > centers.max.x {
            return (grid, cell);
        }
        if most != centers || !grid.loose_cell(cell).holds_all(&bounds, extent.edge_max()) {
            cell = grow_around(&mut grid, cell, [&most, &centers], columns);
        }
        (grid, cell)
    }

    /// The grid of the settings, extended so that its cells hold most objects. On return, `extent` is that of the
    /// objects that its cells reach.
    #[inline(never)]
    fn reaching_far(&self, extent: &mut Extent, columns: impl Iterator<Item = Boxes> + Clone) -> Grid {
        let plain = self.grid.plain();
        let sizes = SizeCounts::of(columns.clone());
        let most = plain.reaching_most(&sizes, self.leaf_capacity as usize);
        if most.scale > plain.scale {
            *extent = Extent::of(columns.clone(), most.reach());
        }
        let grid = most.reaching_more(&sizes, &extent.centers());
        if grid.scale > most.scale {
            *extent = Extent::of(columns, grid.reach());
        }
        grid
    }
}

/// A root cell around `most`, grown until it holds every placeable box. Growing sets in `grid` how levels divide.
#[inline(never)]
fn grow_around(
    grid: &mut Grid,
    mut cell: Cell,
    [most, centers]: [&Aabb; 2],
    columns: impl Iterator<Item = Boxes> + Clone,
) -> Cell {
    let mut loose = grid.loose_cell(cell);
    // Grown first by the boxes near most centres: else one far object that comes first decides in which direction the
    // root grows.
    let size = most.extents();
    let near = Aabb::new((most.min - size).max(centers.min), (most.max + size).min(centers.max));
    let regions = [near, *centers];
    for region in &regions[usize::from(near == *centers)..] {
        for boxes in columns.clone() {
            // An empty lane is not placeable.
            let placeable = placeable(&boxes, grid.reach());
            let left_out = |loose: &LooseCell| set_bits(u64::from(placeable & !loose.holds_lanes(&boxes)));
            let is_within = |lane: &usize| region.contains_point(boxes.get(*lane).center());
            while let Some(lane) = left_out(&loose).find(is_within) {
                (cell, _) = grid.grow(cell, &boxes.get(lane));
                loose = grid.loose_cell(cell);
            }
        }
    }
    cell
}
