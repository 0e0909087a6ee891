//! Placing an object: down from the root, or from an ancestor, to the deepest node
//! that holds it.

use crate::data::{Entry, NodeId, Span};
use crate::tree::Octree;

impl Octree {
    /// Puts an object into the deepest node that holds it, searching from
    /// `from`, which must be an ancestor of the place or [`NodeId::NONE`] for the root.
    pub(super) fn place(&mut self, entry: &Entry, from: NodeId) {
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
                    self.data.put_in_bucket(id, entry);
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
}
