//! Placing an object: down from the root, or from an ancestor, to the deepest node
//! that holds it.

use crate::data::{Entry, NodeId, Span};
use crate::tree::Octree;

impl Octree {
    /// Puts an object into the deepest node that holds it, searching from
    /// `from`, which must be an ancestor of the place; from the root, if it is no node.
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
                let child = node.child_node(lane);
                let deeper = self.data.nodes[child].cell;
                if deeper.level + 1 < cell.level && !self.data.grid.holds(deeper, &entry.aabb) {
                    self.put_branch_between(id, lane)
                } else {
                    child
                }
            } else {
                let child = self.data.add_node(self.data.grid.child(cell, octant), Span::ONE, true);
                self.data.nodes.link(id, octant, child);
                child
            };
        }
    }
    /// Puts a branch between one and its child in a lane, whose cell is not that of its octant but one below it.
    fn put_branch_between(&mut self, id: NodeId, lane: usize) -> NodeId {
        let (grid, child) = (self.data.grid, self.data.nodes[id].child_node(lane));
        let cell = grid.child(self.data.nodes[id].cell, lane);
        let octant = grid.octant_of(cell, self.data.nodes[child].cell.min);
        let branch = self.data.add_node(cell, Span::ONE, false);
        self.data.nodes[id].detach(lane);
        self.data.nodes.link(branch, octant, child);
        self.data.nodes.link(id, lane, branch);
        self.data.nodes.mark_for_refit(branch, 1 << octant);
        branch
    }
}
