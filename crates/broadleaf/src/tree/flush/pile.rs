//! Piles: objects that cells do not divide, in a tree that is cut by rank.
//!
//! The residents of a branch (no child's cell holds them: they are longer than
//! the looseness allows, they straddle a boundary of a strict tree, or the cell
//! may not be split) and the outsized objects stand in a pile each. A pile
//! consists of ordinary nodes: buckets, and branches whose lanes are no octants.
//!
//! ```text
//! pack(objects):  order them (`pile_order.rs`), and cut the list into eight equal
//!                 parts to a branch, buckets two thirds full, and runs of eight
//! place(object):  go down the lanes whose bounds grow least; if the bucket is full,
//!                 pack the smallest branch above it anew that has room
//! refit:          pack a branch anew whose lanes have spread to 1.4 times what
//!                 they were when it was packed
//! ```
//!
//! A branch with h branches or buckets below one another counts as full a
//! sixteenth earlier than what is below it. So one that has been packed takes a
//! number of arrivals in proportion to its size before it is packed again:
//! an arrival costs the logarithm of the number of objects, amortised. A pile is
//! never higher than a packed one with as many objects as it ever had.
//!
//! *Source:* packing along a curve is that of I. Kamel and C. Faloutsos, On Packing
//! R-trees, 1993; the rule for packing anew is that of I. Galperin and R. Rivest,
//! Scapegoat Trees, 1993.

use super::pile_order::order;
use super::rerun::SPREAD;
use crate::data::{BUCKET_CAPACITY, Cell, Entry, NodeId, PILE_LANE, SELF_NEEDS_REFIT};
use crate::geometry::lanes::{WIDTH, set_bits};
use crate::tree::Octree;
use crate::tree::build::sort::Item;
use alloc::vec::Vec;
use arrayvec::ArrayVec;

/// Working memory: what it holds between two calls means nothing.
#[derive(Debug, Default)]
pub(in crate::tree) struct PackScratch {
    /// Objects of a pile that is packed anew.
    entries: Vec<Entry>,
    /// Their indices, in order.
    items: Vec<Item>,
    /// For sorts, those of bulk builds too.
    pub(in crate::tree) spare: Vec<Item>,
}

impl PackScratch {
    /// Bytes allocated.
    pub(in crate::tree) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + (self.items.capacity() + self.spare.capacity()) * size_of::<Item>()
    }

    /// Puts the objects in order.
    fn order(&mut self) {
        self.items.clear();
        self.items.extend((0..self.entries.len()).map(|index| Item::new(0, 0, index)));
        order(&mut self.items, &mut self.spare, |index| self.entries[index].aabb);
    }
}

/// Objects in a bucket of a pile that has been packed.
pub(super) const PILE_FILL: usize = BUCKET_CAPACITY * 11 / 16;

/// The most objects that a part of a pile takes before more of it is packed
/// anew, where so many branches stand above one another.
fn full_at(height: u32) -> u64 {
    ((BUCKET_CAPACITY as u64) << (3 * height)) * u64::from(15 - height.min(4)) / 16
}

/// How many branches stand above one another in a pile of so many objects.
pub(in crate::tree) fn height_of(objects: usize) -> u32 {
    let buckets = objects.div_ceil(PILE_FILL);
    (0..).find(|&height| buckets <= WIDTH.pow(height)).unwrap_or_default()
}

/// The ranks at which a branch with so many branches above one another is cut, the last included.
pub(in crate::tree) fn cuts(objects: usize, height: u32) -> Cuts {
    let below = WIDTH.pow(height - 1);
    let buckets = objects.div_ceil(PILE_FILL).min(below * WIDTH);
    let parts = buckets.div_ceil(below).max(1);
    (0..=parts).map(|part| objects * part / parts).collect()
}

/// Ranks in ascending order.
pub(super) type Cuts = ArrayVec<usize, { WIDTH + 1 }>;

impl Octree {
    /// Puts an object into the pile of a branch, or of the outsized objects.
    pub(super) fn place_in_pile(&mut self, owner: NodeId, entry: &Entry) {
        let mut id = self.pile_of(owner);
        while !self.data.nodes[id].is_bucket {
            let node = &self.data.nodes[id];
            let lanes = set_bits(u64::from(node.child_mask));
            let Some(lane) = node.lane_growing_least(lanes, &entry.aabb) else { break };
            id = node.child_node(lane);
        }
        let node = &self.data.nodes[id];
        if node.is_bucket && (node.occupied_bits().count_ones() as usize) < BUCKET_CAPACITY {
            self.data.put_in_bucket(id, entry);
        } else {
            self.pack_with(id, entry);
        }
    }

    /// The root of a pile; it is made if there is none.
    fn pile_of(&mut self, owner: NodeId) -> NodeId {
        let (root, cell) = if owner.is_node() {
            (self.data.nodes[owner].residents, self.data.nodes[owner].cell)
        } else {
            (self.data.outsized, Cell::SMALLEST)
        };
        if root.is_node() {
            return root;
        }
        let root = self.data.add_pile_node(cell);
        self.data.nodes[root].set_parent(owner, PILE_LANE);
        if owner.is_node() {
            self.data.nodes[owner].residents = root;
        } else {
            self.data.outsized = root;
        }
        root
    }

    /// Adds an object to the smallest part of a pile above a full bucket that has room for it, and packs that anew.
    fn pack_with(&mut self, bucket: NodeId, entry: &Entry) {
        let (mut top, mut height) = (bucket, 0);
        loop {
            let len = self.data.pile_len(top) + 1;
            let parent = self.data.nodes[top].parent;
            let is_root = !parent.is_node() || !self.data.nodes[parent].in_pile;
            if height > 0 && len as u64 <= full_at(height) || is_root {
                height = if is_root { height.max(height_of(len)) } else { height };
                self.pack(top, Some(entry), height);
                self.data.nodes.mark_for_refit(top, SELF_NEEDS_REFIT);
                return;
            }
            (top, height) = (parent, height + 1);
        }
    }

    /// Packs a branch of a pile anew, if its lanes have spread too far.
    pub(super) fn pack_if_spread(&mut self, id: NodeId) {
        let node = &self.data.nodes[id];
        if node.bounds.extent_sum() > node.run_extent * SPREAD {
            self.pack(id, None, height_of(self.data.pile_len(id)));
        }
    }

    /// Packs a part of a pile anew, and another object with it.
    fn pack(&mut self, id: NodeId, more: Option<&Entry>, height: u32) {
        self.counters.reruns += 1;
        let mut packing = core::mem::take(&mut self.packing);
        packing.entries.clear();
        packing.entries.extend(more);
        self.empty_pile(id, &mut packing.entries);
        packing.order();
        self.fill_pile(id, &packing.entries, &packing.items, height);
        self.packing = packing;
    }

    /// Makes a pile of objects that no cell holds, where there is none.
    #[inline]
    pub(in crate::tree) fn pack_outsized(&mut self, entries: &[Entry]) {
        if !entries.is_empty() {
            self.make_outsized_pile(entries);
        }
    }

    /// [`Octree::pack_outsized`] of at least one object.
    // Not inlined: most worlds have none, and less code is fetched then.
    #[inline(never)]
    fn make_outsized_pile(&mut self, entries: &[Entry]) {
        let root = self.pile_of(NodeId::OUTSIZED);
        let mut packing = core::mem::take(&mut self.packing);
        packing.entries.clear();
        packing.entries.extend_from_slice(entries);
        packing.order();
        self.fill_pile(root, entries, &packing.items, height_of(entries.len()));
        self.packing = packing;
    }

    /// Takes all objects out of a part of a pile, and frees what is below its top.
    fn empty_pile(&mut self, id: NodeId, entries: &mut Vec<Entry>) {
        let (mask, is_bucket) = (self.data.nodes[id].child_mask, self.data.nodes[id].is_bucket);
        for lane in set_bits(u64::from(mask)) {
            if is_bucket {
                self.data.drain_lane(id, lane, |entry| entries.push(entry));
            } else {
                let child = self.data.nodes[id].child_node(lane);
                self.empty_pile(child, entries);
                self.data.nodes.release(child);
                self.data.nodes[id].detach(lane);
            }
        }
    }

    /// Fills an empty part of a pile with objects in order.
    fn fill_pile(&mut self, id: NodeId, entries: &[Entry], items: &[Item], height: u32) {
        self.data.nodes[id].is_bucket = height == 0;
        if height == 0 {
            self.data.fill_bucket(id, items, |item| &entries[item.index()]);
        } else {
            let cell = self.data.nodes[id].cell;
            for (lane, part) in cuts(items.len(), height).windows(2).enumerate() {
                let child = self.data.add_pile_node(cell);
                self.data.nodes.link(id, lane, child);
                self.fill_pile(child, entries, &items[part[0]..part[1]], height - 1);
                let summary = self.data.nodes.summary(child);
                self.data.nodes[id].set_summary(lane, &summary);
            }
            let node = &mut self.data.nodes[id];
            node.run_extent = node.bounds.extent_sum().min(f32::MAX);
        }
        self.data.summarize(id);
    }
}
