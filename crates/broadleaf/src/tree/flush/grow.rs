//! Growing the root upward until it holds a box, and dropping roots with one child.

use crate::data::{NodeId, Span};
use crate::geometry::Aabb;
use crate::tree::Octree;

impl Octree {
    /// The root, after it has grown so that it holds a placeable box. A new
    /// root is put above the old one: constant work per level.
    pub(super) fn root_holding(&mut self, aabb: &Aabb) -> NodeId {
        debug_assert!(self.data.root.is_node());
        while !self.data.grid.holds(self.data.nodes[self.data.root].cell, aabb) {
            self.counters.growths += 1;
            let old = self.data.root;
            let (cell, octant) = self.data.grid.grow(self.data.nodes[old].cell, aabb);
            let root = self.data.add_node(cell, Span::ONE, false);
            self.data.nodes.link(root, octant, old);
            self.data.root = root;
            self.data.nodes.mark_for_refit(root, 1 << octant);
        }
        self.data.root
    }

    /// Drops roots with a single child, and an empty root. After a refit.
    pub(super) fn sink_root(&mut self) {
        while self.data.root.is_node() {
            let root = self.data.root;
            let node = &self.data.nodes[root];
            if node.count == 0 {
                self.data.nodes.release(root);
                self.data.root = NodeId::NONE;
            } else if !node.is_bucket && !node.residents.is_node() && node.child_mask.is_power_of_two() {
                let child = node.child_node(node.child_mask.trailing_zeros() as usize);
                if self.data.nodes[child].span != Span::ONE {
                    break;
                }
                self.data.nodes.release(root);
                self.data.nodes[child].parent = NodeId::NONE;
                self.data.root = child;
            } else {
                break;
            }
        }
    }
}
