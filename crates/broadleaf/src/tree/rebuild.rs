//! Building the tree anew from Morton-sorted keys.
//!
//! Objects are copied out in the order of the blocks, sorted by the key of
//! their centre, and cut into nodes top down; each bucket's objects then lie
//! as runs along the curve. An item of the sort is one u64: 30 bits of key, 5
//! bits for the deepest level at which the object may lie, 29 bits of index.

use super::Octree;
use crate::data::Data;
use crate::data::blocks::Entry;
use crate::data::cell::{Cell, key_floor};
use crate::data::ids::{BlockId, Location, NodeId, ObjectWord};
use crate::data::nodes::{Node, Summary};
use crate::data::scratch::{Bump, BumpVec};
use crate::geometry::Aabb;
use crate::geometry::lanes::{WIDTH, set_bits};

const INDEX_BITS: u32 = 29;
const LEVEL_BITS: u32 = 5;
const KEY_SHIFT: u32 = INDEX_BITS + LEVEL_BITS;

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
        self.counters.rebuilds += 1;
        let mut workspace = core::mem::take(&mut self.workspace);
        self.rebuild_in(workspace.start());
        workspace.note();
        self.workspace = workspace;
    }

    fn rebuild_in(&mut self, bump: &Bump) {
        let mut entries = BumpVec::with_capacity_in(self.len(), bump);
        self.data.copy_entries(&mut entries);
        self.clear_tree();
        let mut centers = Aabb::EMPTY;
        let mut placeable = 0;
        for index in 0..entries.len() {
            let aabb = entries[index].aabb;
            if self.data.grid.is_placeable(&aabb) {
                let center = aabb.center();
                centers = centers.union(&Aabb::new(center, center));
                entries.swap(index, placeable);
                placeable += 1;
            }
        }
        for entry in &entries[placeable..] {
            self.data.push_chained(NodeId::OUTSIZED, entry);
        }
        let entries = &entries[..placeable];
        if !entries.is_empty() {
            let mut items = BumpVec::with_capacity_in(entries.len(), bump);
            let mut spare = BumpVec::with_capacity_in(entries.len(), bump);
            spare.resize(entries.len(), 0);
            let cell = self.data.cell_holding(&centers, entries);
            let level_min = cell.level.saturating_sub(self.data.depth_limit);
            let mut builder = Builder { data: &mut self.data, entries, level_min };
            builder.make_items(cell, &mut items);
            sort_items(&mut items, &mut spare);
            let (root, _) = builder.build(cell, cell.level, &mut items);
            self.data.root = root;
        }
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
    }
}

impl Data {
    fn copy_entries(&self, entries: &mut BumpVec<Entry>) {
        for (id, block) in (0..).zip(self.blocks.arena.slots()) {
            for lane in set_bits(u64::from(block.occupied())) {
                let mut entry = self.blocks.read(Location::new(BlockId(id), lane));
                entry.word = entry.word.with(ObjectWord::MISPLACED, false);
                entries.push(entry);
            }
        }
    }

    /// A power-of-two cube around all centres, grown until it holds all boxes.
    fn cell_holding(&self, centers: &Aabb, entries: &[Entry]) -> Cell {
        let mut cell = self.grid.cell_around(centers);
        for entry in entries {
            while !self.grid.holds(cell, &entry.aabb) {
                (cell, _) = self.grid.grown(cell, &entry.aabb);
            }
        }
        cell
    }
}

struct Builder<'a> {
    data: &'a mut Data,
    entries: &'a [Entry],
    level_min: u32,
}

#[inline]
fn index_of(item: u64) -> usize {
    (item & ((1 << INDEX_BITS) - 1)) as usize
}

#[inline]
fn level_of(item: u64) -> u32 {
    (item >> INDEX_BITS) as u32 & ((1 << LEVEL_BITS) - 1)
}

impl Builder<'_> {
    fn make_items(&self, cell: Cell, items: &mut BumpVec<u64>) {
        let grid = self.data.grid;
        for (index, entry) in (0_u64..).zip(self.entries) {
            let level = grid.deepest_level(cell, &entry.aabb);
            let key = grid.morton_key(cell, entry.aabb.center());
            items.push(u64::from(key) << KEY_SHIFT | u64::from(level) << INDEX_BITS | index);
        }
    }

    /// Gives items keys of a cell below the reach of the ones they have.
    fn renew_keys(&self, cell: Cell, items: &mut [u64]) {
        for item in items.iter_mut() {
            let center = self.entries[index_of(*item)].aabb.center();
            let key = self.data.grid.morton_key(cell, center);
            *item = u64::from(key) << KEY_SHIFT | *item & ((1 << KEY_SHIFT) - 1);
        }
        items.sort_unstable();
    }

    /// Builds the node of `cell` from its items, sorted by keys that were made at `key_level`.
    fn build(&mut self, cell: Cell, key_level: u32, items: &mut [u64]) -> (NodeId, Summary) {
        if items.len() <= self.data.leaf_capacity as usize {
            return self.build_bucket(cell, items);
        }
        let id = self.data.nodes.allocate(Node::new(cell, false));
        let mut summary = Summary { bounds: Aabb::EMPTY, memberships: 0, moves: false, count: 0 };
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
    fn keep_residents(&mut self, id: NodeId, items: &mut [u64], summary: &mut Summary) -> usize {
        let level = self.data.nodes[id].cell.level;
        let all = level <= self.level_min;
        let mut rest = 0;
        for i in 0..items.len() {
            let item = items[i];
            if all || level_of(item) >= level {
                let entry = &self.entries[index_of(item)];
                self.data.push_chained(id, entry);
                summary.bounds = summary.bounds.union(&entry.aabb);
                summary.memberships |= entry.memberships;
                summary.moves |= !entry.word.has(ObjectWord::STATIC);
            } else {
                items[rest] = item;
                rest += 1;
            }
        }
        let node = &mut self.data.nodes[id];
        node.residents_move = summary.moves;
        summary.count = node.residents_len;
        rest
    }

    fn build_children(&mut self, id: NodeId, key_level: u32, items: &mut [u64], summary: &mut Summary) {
        let cell = self.data.nodes[id].cell;
        let key_level = if cell.level <= key_floor(key_level) {
            self.renew_keys(cell, items);
            cell.level
        } else {
            key_level
        };
        let shift = KEY_SHIFT + 3 * (cell.level - 1 - key_floor(key_level));
        let octant_of = |item: u64| (item >> shift & 7) as usize;
        let mut start = 0;
        while start < items.len() {
            let octant = octant_of(items[start]);
            let len = items[start..].partition_point(|&item| octant_of(item) == octant);
            let (child, part) = self.build(cell.child(octant), key_level, &mut items[start..start + len]);
            self.data.nodes.link(id, octant, child);
            self.data.nodes[id].set_summary(octant, &part);
            summary.bounds = summary.bounds.union(&part.bounds);
            summary.memberships |= part.memberships;
            summary.moves |= part.moves;
            summary.count += part.count;
            start += len;
        }
    }

    fn build_bucket(&mut self, cell: Cell, items: &[u64]) -> (NodeId, Summary) {
        let id = self.data.nodes.allocate(Node::new(cell, true));
        let home = self.data.grid.loose_cube(cell);
        let mut node = Node::new(cell, true);
        let mut summary = Summary { bounds: Aabb::EMPTY, memberships: 0, moves: false, count: 0 };
        for (lane, run) in items.chunks(WIDTH).enumerate() {
            #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
            let block = self.data.blocks.allocate(id, home, BlockId::NONE, lane as u8);
            let mut part = Summary { bounds: Aabb::EMPTY, memberships: 0, moves: false, count: 0 };
            for (slot, &item) in run.iter().enumerate() {
                let entry = &self.entries[index_of(item)];
                self.data.put(Location::new(block, slot), entry);
                part.bounds = part.bounds.union(&entry.aabb);
                part.memberships |= entry.memberships;
                node.occupied[lane] |= 1 << slot;
                node.moving[lane] |= u8::from(!entry.word.has(ObjectWord::STATIC)) << slot;
            }
            node.attach(lane, block.0);
            node.set_summary(lane, &part);
            summary.bounds = summary.bounds.union(&part.bounds);
            summary.memberships |= part.memberships;
        }
        summary.moves = node.moving_bits() != 0;
        summary.count = node.occupied_bits().count_ones();
        node.count = summary.count;
        node.run_extent = node.bounds.extent_sum();
        self.data.nodes[id] = node;
        (id, summary)
    }
}

/// Sorts by key, keeping the order of equal keys. `spare` is as long as `items`.
fn sort_items<'b>(items: &mut BumpVec<'b, u64>, spare: &mut BumpVec<'b, u64>) {
    const DIGIT_BITS: u32 = 10;
    const DIGITS: usize = 3;
    const VALUES: usize = 1 << DIGIT_BITS;
    if items.len() < 256 {
        items.sort_by_key(|item| item >> KEY_SHIFT);
        return;
    }
    let digit = |item: u64, place: usize| (item >> (KEY_SHIFT + DIGIT_BITS * place as u32)) as usize % VALUES;
    let mut counts = [[0_u32; VALUES]; DIGITS];
    for &item in items.iter() {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(item, place)] += 1;
        }
    }
    for (place, counts) in counts.iter_mut().enumerate() {
        if counts.iter().any(|&count| count as usize == items.len()) {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += core::mem::replace(count, start);
        }
        for &item in items.iter() {
            let next = &mut counts[digit(item, place)];
            spare[*next as usize] = item;
            *next += 1;
        }
        core::mem::swap(items, spare);
    }
}
