//! Visiting the nodes of a tree, for drawing and tuning.

use crate::data::view::NodeInfo;
use crate::data::{NodeId, View};
use crate::geometry::lanes::set_bits;
use core::ops::ControlFlow;

impl View<'_> {
    /// Visits every node, parents before children, octants in ascending
    /// order: for drawing the tree, and for judging how well it fits a world.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// for step in 0..100 {
    ///     tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE).translated(Vec3::X * (2 * step) as f32))?;
    /// }
    /// let (mut objects, mut blocks, mut deepest) = (0, 0, 0);
    /// tree.view().visit_nodes(|node| {
    ///     objects += node.objects;
    ///     blocks += node.blocks;
    ///     deepest = deepest.max(node.depth);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(objects, 100);
    /// assert!(blocks >= 13 && deepest > 0);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
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
        let (mut objects, mut blocks) = (0, 0);
        let held = if node.is_bucket { id } else { node.residents };
        self.data.nodes.visit_pile(held, &mut |bucket| {
            objects += bucket.occupied_bits().count_ones();
            blocks += bucket.child_mask.count_ones();
        });
        visit(NodeInfo {
            cell: self.data.grid.region(node.cell, node.span),
            bounds: self.data.node_bounds(id),
            depth,
            objects,
            blocks,
            objects_below: node.count,
            children: if node.is_bucket { 0 } else { node.child_mask.count_ones() },
            changed: node.has_unreported(),
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
