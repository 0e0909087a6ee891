//! Building the tree anew from Morton-sorted keys.
//!
//! Objects are copied out in the order of the blocks, sorted by the key of
//! their centre, and cut into nodes top down; each bucket's objects then lie
//! as runs along the curve.

use super::Octree;
use super::build::{Builder, Rules, level_max};
use super::gather::Gathered;
use super::share::Memory;
use super::sort::{Item, sort_items};
use super::source::Source;
use super::store::Known;
use crate::data::Data;
use crate::data::cell::Cell;
use crate::data::ids::{BlockId, NodeId};
use crate::data::scratch::{Bump, BumpVec};
use crate::geometry::lanes::{Boxes, Extent, placeable, set_bits};

/// How full leaves should be on average, where objects lie evenly: then few
/// hold so many more that they split, or become so as objects move.
const FILL: f32 = 0.6875;

impl Octree {
    /// Builds the tree anew from all its objects. Worth calling after most of
    /// them have moved far; [`view`](Octree::view) does so by itself when
    /// that is less work, judging by counts.
    ///
    /// *Cost:* linear; on several threads if [`set_threads`](Octree::set_threads) says so.
    ///
    /// *Source:* the order is that of G. Morton, A Computer Oriented Geodetic
    /// Data Base, 1966; the sort is a least-significant-digit radix sort.
    pub fn rebuild(&mut self) {
        if self.is_shared(self.len()) {
            self.with_memory(Self::rebuild_shared);
        } else {
            self.with_workspace(Self::rebuild_in);
        }
    }

    fn rebuild_shared(&mut self, memory: &mut Memory) {
        self.counters.rebuilds += 1;
        memory.survey(&self.data);
        self.data.fit_grid(self.len(), &memory.extent());
        let blocks = self.data.blocks.arena.slots();
        let cell = self.data.cell_holding(&memory.extent(), blocks.iter().map(|block| &block.boxes));
        memory.gather(&self.data, cell);
        memory.sort();
        self.clear_lists();
        let kept = core::mem::take(&mut memory.kept);
        memory.build(&mut self.data, cell, &kept.objects());
        memory.kept = kept;
    }

    /// Makes a bulk build with working memory at hand.
    pub(super) fn with_workspace<R>(&mut self, build: impl FnOnce(&mut Self, &Bump) -> R) -> R {
        let mut workspace = core::mem::take(&mut self.workspace);
        let result = build(self, workspace.start());
        workspace.note();
        // A world that is loaded once needs no working memory after that; one
        // that is built again is likely to be built often.
        if self.counters.rebuilds > 1 {
            self.workspace = workspace;
        }
        result
    }

    fn rebuild_in(&mut self, bump: &Bump) {
        self.counters.rebuilds += 1;
        let mut extent = Extent::EMPTY;
        for block in self.data.blocks.arena.slots() {
            extent.add(&block.boxes, self.data.grid.reach());
        }
        self.data.fit_grid(self.len(), &extent);
        let cell = self.data.cell_holding(&extent, self.data.blocks.arena.slots().iter().map(|block| &block.boxes));
        let mut gathered = Gathered::from(&self.data, cell, bump);
        self.clear_tree();
        for entry in &gathered.outsized {
            self.data.push_chained(NodeId::OUTSIZED, entry);
        }
        if !gathered.items.is_empty() {
            let mut items = core::mem::replace(&mut gathered.items, BumpVec::new_in(bump));
            self.build_from(cell, &gathered.placeable(), &mut items, bump);
        }
    }

    /// Makes the nodes and blocks of an empty tree from items in the order of their index.
    pub(super) fn build_from<'b, S: Source>(
        &mut self,
        cell: Cell,
        source: &S,
        items: &mut BumpVec<'b, Item>,
        bump: &'b Bump,
    ) {
        let mut spare = BumpVec::with_capacity_in(items.len(), bump);
        spare.resize(items.len(), Item::default());
        sort_items(items, &mut spare);
        let known = Known { key_level: cell.level, level_max: level_max(items) };
        let rules = Rules::new(&self.data, cell);
        let (root, _) = Builder { store: &mut self.data, source, rules }.build(cell, known, items);
        self.data.root = root;
    }

    /// Forgets nodes, blocks and lists; the objects' rows stay.
    pub(super) fn clear_tree(&mut self) {
        self.data.nodes.clear();
        self.data.blocks.clear();
        self.clear_lists();
    }

    /// Forgets what leads to nodes and blocks.
    pub(super) fn clear_lists(&mut self) {
        self.misplaced.clear();
        self.data.root = NodeId::NONE;
        self.data.pending = BlockId::NONE;
        self.data.pending_len = 0;
        self.data.outsized = BlockId::NONE;
        self.data.outsized_len = 0;
    }
}

impl Data {
    /// Stretches the grid for so many objects that lie within an extent.
    pub(super) fn fit_grid(&mut self, count: usize, extent: &Extent) {
        self.grid = self.grid.fitted(&extent.centers(), count, self.leaf_capacity as f32 * FILL);
    }

    /// A small cube around all centres, grown until it holds all boxes.
    pub(super) fn cell_holding<'b>(&self, extent: &Extent, columns: impl Iterator<Item = &'b Boxes>) -> Cell {
        let centers = extent.centers();
        if centers.min.x > centers.max.x {
            return Cell::SMALLEST;
        }
        let mut cell = self.grid.cell_around(&centers);
        if !self.grid.loose_cube(cell).holds_all(&extent.bounds(), extent.edge_max()) {
            for boxes in columns {
                // An empty lane is not placeable.
                for lane in set_bits(u64::from(placeable(boxes, self.grid.reach()))) {
                    let aabb = boxes.get(lane);
                    while !self.grid.holds(cell, &aabb) {
                        (cell, _) = self.grid.grown(cell, &aabb);
                    }
                }
            }
        }
        cell
    }
}
