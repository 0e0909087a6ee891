//! Building the tree anew from Morton-sorted keys.
//!
//! Objects are copied out in the order of the blocks, sorted by the key of
//! their centre, and cut into nodes top down; each bucket's objects then lie
//! as runs along the curve.

use super::Octree;
use super::gather::Gathered;
use super::sort::{Item, sort_items};
use super::source::Source;
use crate::data::Data;
use crate::data::blocks::{Block, Link};
use crate::data::cell::{Cell, key_floor};
use crate::data::ids::{BlockId, Location, NodeId, ObjectWord};
use crate::data::nodes::{Node, Span, Summary};
use crate::data::scratch::{Bump, BumpVec};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, Extent, Spheres, WIDTH, placeable, set_bits};
use core::num::NonZeroU32;

impl Octree {
    /// Builds the tree anew from all its objects. Worth calling after most of
    /// them have moved far; [`view`](Octree::view) does so by itself when
    /// that is less work, judging by counts.
    ///
    /// *Cost:* linear.
    ///
    /// *Source:* the order is that of G. Morton, A Computer Oriented Geodetic
    /// Data Base, 1966; the sort is a least-significant-digit radix sort.
    pub fn rebuild(&mut self) {
        self.with_workspace(Self::rebuild_in);
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
        let cell = self.data.cell_holding(&extent, self.data.blocks.arena.slots().iter().map(|block| &block.boxes));
        let mut gathered = Gathered::from(&self.data, cell, bump);
        self.clear_tree();
        for entry in &gathered.outsized {
            self.data.push_chained(NodeId::OUTSIZED, entry);
        }
        if !gathered.items.is_empty() {
            self.build_from(cell, &gathered.placeable, &mut gathered.items, bump);
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
        let level_min = cell.level.saturating_sub(self.data.depth_limit);
        let mut builder = Builder { data: &mut self.data, source, level_min };
        let (root, _) = builder.build(cell, cell.level, items);
        self.data.root = root;
    }

    /// Forgets nodes, blocks and lists; the objects' rows stay.
    pub(super) fn clear_tree(&mut self) {
        self.misplaced.clear();
        self.data.nodes.clear();
        self.data.blocks.clear();
        self.data.root = NodeId::NONE;
        self.data.pending = BlockId::NONE;
        self.data.pending_len = 0;
        self.data.outsized = BlockId::NONE;
        self.data.outsized_len = 0;
    }
}

impl Data {
    /// A power-of-two cube around all centres, grown until it holds all boxes.
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

struct Builder<'a, S> {
    data: &'a mut Data,
    source: &'a S,
    level_min: u32,
}

impl<S: Source> Builder<'_, S> {
    /// Gives items keys of a cell below the reach of the ones they have.
    fn renew_keys(&self, cell: Cell, items: &mut [Item]) {
        for item in items.iter_mut() {
            let center = self.source.aabb(item.index()).center();
            let key = self.data.grid.morton_key(cell, center);
            item.set_key(key);
        }
        items.sort_unstable();
    }

    /// Builds the node of `cell` from its items, sorted by keys that were made at `key_level`.
    fn build(&mut self, cell: Cell, key_level: u32, items: &mut [Item]) -> (NodeId, Summary) {
        if items.len() <= self.data.leaf_capacity as usize {
            return self.build_bucket(cell, Span::ONE, items);
        }
        let id = self.data.nodes.allocate(Node::new(cell, false));
        let mut summary = Summary::EMPTY;
        let rest = self.keep_residents(id, items, &mut summary);
        let items = &mut items[..rest];
        if cell.level > self.level_min && !items.is_empty() {
            self.build_children(id, key_level, items, &mut summary);
        }
        self.data.nodes[id].count = summary.count;
        (id, summary)
    }

    /// Chains the items that no child of the node holds; moves the others to
    /// the front, in order, and says how many they are.
    fn keep_residents(&mut self, id: NodeId, items: &mut [Item], summary: &mut Summary) -> usize {
        let cell = self.data.nodes[id].cell;
        let (grid, level_min) = (self.data.grid, self.level_min);
        let all = cell.level <= level_min;
        // Mostly all are small enough, which takes no look at any of them.
        let level_max = items.iter().fold(0, |max, item| item.level().max(max));
        if !all && level_max < cell.level {
            return items.len();
        }
        let mut rest = 0;
        for i in 0..items.len() {
            let item = items[i];
            let held = !all
                && (item.level() < cell.level
                    || grid.octant_holding(cell, level_min, &self.source.aabb(item.index())).is_some());
            if !held {
                let entry = &self.source.entry(item.index());
                self.data.push_chained(id, entry);
                summary.bounds = summary.bounds.union(&entry.aabb);
                summary.memberships |= entry.memberships;
                summary.moves |= !entry.word.has(ObjectWord::STATIC);
                summary.stirred |= entry.stirred;
            } else {
                items[rest] = item;
                rest += 1;
            }
        }
        let node = &mut self.data.nodes[id];
        node.residents_move = summary.moves;
        node.residents_stirred = summary.stirred;
        summary.count = node.residents_len;
        rest
    }

    fn build_children(&mut self, id: NodeId, key_level: u32, items: &mut [Item], summary: &mut Summary) {
        let cell = self.data.nodes[id].cell;
        let key_level = if cell.level <= key_floor(key_level) {
            self.renew_keys(cell, items);
            cell.level
        } else {
            key_level
        };
        let place = cell.level - 1 - key_floor(key_level);
        let octant_of = |item: Item| item.octant(place);
        let mut starts = [0; 9];
        for octant in 0..8 {
            let rest = &items[starts[octant]..];
            starts[octant + 1] = starts[octant] + rest.partition_point(|&item| octant_of(item) == octant);
        }
        let mut octant = 0;
        while octant < 8 {
            let span = self.span_at(octant, &starts);
            let part = starts[octant]..starts[octant + span.len()];
            if !part.is_empty() {
                let child = cell.child(octant);
                let (child, part) = if span == Span::ONE {
                    self.build(child, key_level, &mut items[part])
                } else {
                    self.build_bucket(child, span, &items[part])
                };
                self.data.nodes.link(id, octant, child);
                self.data.nodes[id].set_summary(octant, &part);
                summary.bounds = summary.bounds.union(&part.bounds);
                summary.memberships |= part.memberships;
                summary.moves |= part.moves;
                summary.stirred |= part.stirred;
                summary.count += part.count;
            }
            octant += span.len();
        }
    }

    /// The most octants from `octant` on that together fill a bucket at most
    /// to three quarters, which leaves room for arrivals.
    fn span_at(&self, octant: usize, starts: &[usize; 9]) -> Span {
        // In a strict tree an object's leaf is its own octant.
        if self.data.grid.is_strict() {
            return Span::ONE;
        }
        let limit = self.data.leaf_capacity as usize * 3 / 4;
        for span in [Span::FOUR, Span::TWO] {
            let end = octant + span.len();
            if span.base(octant) == octant && starts[end] - starts[octant] <= limit {
                let parts = starts[octant..=end].windows(2).filter(|part| part[0] < part[1]).count();
                if parts > 1 {
                    return span;
                }
            }
        }
        Span::ONE
    }

    fn build_bucket(&mut self, cell: Cell, span: Span, items: &[Item]) -> (NodeId, Summary) {
        let mut node = Node::spanning(cell, span, true);
        let id = self.data.nodes.next_id();
        let home = self.data.grid.home(cell, span.cells());
        let generations = self.locate(items);
        for (lane, (run, generations)) in items.chunks(WIDTH).zip(generations.chunks(WIDTH)).enumerate() {
            #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
            let link = Link::new(id, BlockId::NONE, home, lane as u8);
            self.fill_lane(&mut node, lane, run, generations, link);
        }
        node.count = node.occupied_bits().count_ones();
        node.run_extent = node.bounds.extent_sum();
        let summary = Summary {
            bounds: node.bounds.union(),
            memberships: node.memberships.iter().fold(0, |all, m| all | m),
            moves: node.moving_bits() != 0,
            stirred: node.is_stirred(),
            count: node.count,
        };
        (self.data.nodes.allocate(node), summary)
    }

    /// Tells a bucket's objects where they will lie, and returns their
    /// generations. Objects and rows lie all over memory: a loop that does
    /// little else waits for many of them at a time.
    #[inline]
    fn locate(&mut self, items: &[Item]) -> [NonZeroU32; WIDTH * WIDTH] {
        let mut generations = [NonZeroU32::MIN; WIDTH * WIDTH];
        let first = Location::new(self.data.blocks.next_id(), 0);
        let mut words = 0;
        for ((item, generation), location) in items.iter().zip(&mut generations).zip(first.0..) {
            let (row, word) = self.source.fetch(item.index());
            *generation = self.data.objects.set_location(row, Location(location));
            words ^= word;
        }
        core::hint::black_box(words);
        generations
    }

    /// Makes the block of a bucket's lane, all of it before it is stored.
    #[inline]
    fn fill_lane(&mut self, node: &mut Node, lane: usize, run: &[Item], generations: &[NonZeroU32], mut link: Link) {
        let data = &mut *self.data;
        let id = data.blocks.next_id();
        let mut block = Block::EMPTY;
        let mut bounds = Aabb::EMPTY;
        let (mut spheres, mut lanes) = (Spheres::ZERO, [0; WIDTH]);
        let (mut moving, mut memberships, mut common, mut words) = (0, 0, u32::MAX, 0);
        for (slot, (item, &generation)) in run.iter().zip(generations).enumerate() {
            let entry = self.source.entry(item.index());
            block.set(slot, &entry, generation);
            // To read the columns at once would wait for what has just been written in parts.
            bounds = bounds.union(&entry.aabb);
            if entry.word.has(ObjectWord::SPHERE) {
                spheres.set(slot, &entry.sphere);
            }
            lanes[slot % WIDTH] = entry.memberships;
            moving |= u8::from(!entry.word.has(ObjectWord::STATIC)) << slot;
            link.stirred |= u8::from(entry.stirred) << slot;
            memberships |= entry.memberships;
            common &= entry.memberships;
            words |= entry.word.0;
        }
        data.journal.note(link.stirred);
        node.attach(lane, id.0);
        node.bounds.set(lane, &bounds);
        node.memberships[lane] = memberships;
        node.occupied[lane] = u8::MAX >> (WIDTH - run.len());
        node.moving[lane] = moving;
        node.set_stirred(lane, link.stirred != 0);
        data.blocks.allocate_filled(block, link);
        if words & ObjectWord::SPHERE != 0 {
            data.blocks.set_spheres(id, &spheres);
        }
        if common != u32::MAX || data.blocks.any_memberships() {
            data.blocks.set_memberships(id, &lanes);
        }
    }
}
