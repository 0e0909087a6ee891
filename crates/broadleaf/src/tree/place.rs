//! Putting an object where it belongs.

use super::Octree;
use crate::data::blocks::Entry;
use crate::data::ids::{BlockId, Location, NodeId, ObjectWord};
use crate::data::levels::Span;
use crate::data::nodes::ITSELF_CHANGED;
use crate::geometry::lanes::WIDTH;

impl Octree {
    /// Puts an object into the deepest node that holds it, searching from
    /// `from`, which must be an ancestor of the place or [`NodeId::NONE`] for the root.
    pub(super) fn place(&mut self, entry: &Entry, from: NodeId) {
        self.counters.placements += 1;
        if !self.data.grid.is_placeable(&entry.aabb) {
            self.data.push_chained(NodeId::OUTSIZED, entry);
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
                self.data.push_chained(id, entry);
                self.data.nodes.mark_changed(id, ITSELF_CHANGED);
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
    fn place_in_bucket(&mut self, id: NodeId, entry: &Entry) {
        let node = &self.data.nodes[id];
        let blocks = node.blocks_len();
        let growth_of = |lane: usize| {
            let bounds = node.bounds.get(lane);
            (bounds.union(&entry.aabb).extents() - bounds.extents()).element_sum()
        };
        let roomy = (0..blocks).filter(|&lane| node.occupied[lane] != u8::MAX);
        let lane = roomy.min_by(|&a, &b| growth_of(a).total_cmp(&growth_of(b)));
        let lane = lane.unwrap_or_else(|| {
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
        self.data.nodes.mark_changed(id, 1 << lane);
    }

    /// Adds an empty block to a bucket.
    pub(super) fn add_block(&mut self, id: NodeId) {
        let (lane, home) = (self.data.nodes[id].blocks_len(), self.data.home(id));
        #[expect(clippy::cast_possible_truncation, reason = "a lane is below eight")]
        let block = self.data.blocks.allocate(id, home, BlockId::NONE, lane as u8);
        self.data.nodes[id].attach(lane, block.0);
    }
}
