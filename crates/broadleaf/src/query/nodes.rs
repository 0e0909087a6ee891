//! The nodes themselves, for drawing and tuning.

use crate::data::ids::NodeId;
use crate::data::view::{NodeInfo, View};
use crate::geometry::lanes::set_bits;
use core::ops::ControlFlow;

impl View<'_> {
    /// Visits every node, parents before children, octants in ascending order.
    ///
    /// *Cost:* in proportion to the nodes.
    pub fn visit_nodes(self, mut visit: impl FnMut(NodeInfo) -> ControlFlow<()>) {
        if self.data.root.is_node() {
            let _ = self.visit_node(self.data.root, 0, &mut visit);
        }
    }

    /// Recursion is as deep as the tree, at most 28 levels.
    fn visit_node(
        self,
        id: NodeId,
        depth: u32,
        visit: &mut impl FnMut(NodeInfo) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let node = &self.data.nodes[id];
        let leaf = node.is_bucket || node.child_mask == 0;
        visit(NodeInfo {
            cell: self.data.grid.region(node.cell, node.span.cells()),
            bounds: self.data.node_bounds(id),
            depth,
            objects: if node.is_bucket { node.count } else { node.residents_len },
            leaf,
        })?;
        if !node.is_bucket {
            for lane in set_bits(u64::from(node.child_mask)) {
                self.visit_node(node.child_node(lane), depth + 1, visit)?;
            }
        }
        ControlFlow::Continue(())
    }
}
