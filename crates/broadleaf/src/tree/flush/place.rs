//! Putting an object where it belongs.

use crate::data::blocks::block::{BlockHeader, Entry};
use crate::data::grid::levels::Span;
use crate::data::ids::{Location, NodeId, ObjectWord};
use crate::data::nodes::node::Node;
use crate::geometry::Aabb;
use crate::geometry::lanes::WIDTH;
use crate::tree::Octree;

impl Octree {
    /// Puts an object into the deepest node that holds it, searching from
    /// `from`, which must be an ancestor of the place or [`NodeId::NONE`] for the root.
    pub(in crate::tree) fn place(&mut self, entry: &Entry, from: NodeId) {
        self.counters.placements += 1;
        if !self.data.grid.is_placeable(&entry.aabb) {
            self.place_in_pile(NodeId::OUTSIZED, entry);
            return;
        }
        let mut id = if from.is_node() { from } else { self.root_holding(&entry.aabb) };
        loop {
            let node = &self.data.nodes[id];
            let cell = node.cell;
            if node.is_bucket {
                if node.occupied_bits().count_ones() < self.data.leaf_capacity {
                    self.place_in_bucket(id, entry);
                    return;
                }
                id = self.split(id);
                continue;
            }
            let Some(octant) = self.data.grid.octant_holding(cell, self.data.level_min(), &entry.aabb) else {
                self.place_in_pile(id, entry);
                return;
            };
            id = if let Some(lane) = node.lane_covering(octant) {
                node.child_node(lane)
            } else {
                let child = self.data.add_node(self.data.grid.child(cell, octant), Span::ONE, true);
                self.data.nodes.link(id, octant, child);
                child
            };
        }
    }

    /// Adds an object to the block of a bucket that grows least, or to a new one.
    pub(in crate::tree) fn place_in_bucket(&mut self, id: NodeId, entry: &Entry) {
        let node = &self.data.nodes[id];
        let blocks = node.blocks_len();
        let roomy = (0..blocks).filter(|&lane| node.occupied[lane] != u8::MAX);
        let lane = growing_least(node, roomy, &entry.aabb).unwrap_or_else(|| {
            debug_assert!(blocks < WIDTH, "a bucket with room has a block to spare");
            self.add_block(id);
            blocks
        });
        let node = &mut self.data.nodes[id];
        let slot = node.occupied[lane].trailing_ones() as usize;
        let at = Location::new(node.child_block(lane), slot);
        node.bounds.set(lane, &node.bounds.get(lane).union(&entry.aabb));
        node.occupied[lane] |= 1 << slot;
        node.moving[lane] |= u8::from(!entry.word.has(ObjectWord::STATIC)) << slot;
        self.data.put(at, entry);
        self.data.nodes.mark_for_refit(id, 1 << lane);
    }

    /// Adds an empty block to a bucket.
    pub(in crate::tree) fn add_block(&mut self, id: NodeId) {
        let node = &self.data.nodes[id];
        let (lane, loose_bounds) = (node.blocks_len(), self.data.loose_bounds(id));
        let block = self.data.blocks.allocate(BlockHeader::of_bucket(id, loose_bounds, lane, node.in_pile));
        self.data.nodes[id].attach(lane, block.0);
    }
}

/// Of some lanes, the one whose bounds grow least by a box.
pub(in crate::tree) fn growing_least(node: &Node, lanes: impl Iterator<Item = usize>, aabb: &Aabb) -> Option<usize> {
    let growth = |lane: usize| {
        let bounds = node.bounds.get(lane);
        let growth = (bounds.union(aabb).extents() - bounds.extents()).element_sum();
        // Infinite bounds do not tell.
        if growth.is_nan() { f32::INFINITY } else { growth }
    };
    lanes.map(|lane| (lane, growth(lane))).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(lane, _)| lane)
}
