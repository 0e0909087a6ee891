//! Rays at a mesh that is small beside its bounds.
//!
//! Boxes are tested with a padding in proportion to the bounds of all of them.
//! Where a few triangles lie far out, it would be larger than the others
//! are, and a ray would meet all of these. So the children of such a node are
//! meshes of their own to a ray, each with the padding of its bounds:
//!
//! ```text
//! parts(node): for each child, in the order of its centre along the ray
//!                  if the ray meets it, with the child's own padding
//!                      sparse node: parts(child)
//!                      other node, leaf: the usual walk
//! ```

use crate::data::QueryStats;
use crate::geometry::lanes::{Approach, WIDTH};
use crate::geometry::triangle::ray::UnroundedRay;
use crate::geometry::{Aabb, Ray};
use crate::mesh::columns::{ChildLink, Node};
use crate::mesh::{Culling, Mesh, MeshHit};
use core::ops::ControlFlow;

/// By how much a child is smaller than its sparse node, at least: the padding
/// of the node is a small part of the child's triangles below that.
const RATIO: f32 = 256.0;

/// A ray at parts of a mesh.
#[derive(Clone, Copy)]
pub(super) struct SparseRay<'r> {
    pub(super) ray: &'r Ray,
    pub(super) culling: Culling,
    pub(super) unrounded: Option<&'r UnroundedRay>,
}

/// Whether a child that holds more than a leaf is small beside the bounds of its node.
pub(in crate::mesh) fn is_sparse(bounds: &Aabb, node: &Node) -> bool {
    let size = |aabb: &Aabb| (aabb.max - aabb.min).max_element();
    let limit = size(bounds) / RATIO;
    (0..WIDTH).any(|lane| {
        let link = node.links[lane];
        link != ChildLink::NONE && !link.is_leaf() && size(&node.bounds.get(lane)) < limit
    })
}

impl SparseRay<'_> {
    /// The lanes of a node that hold something, in the order of their centres along the ray.
    fn lanes(&self, node: &Node) -> impl Iterator<Item = usize> + use<> {
        let along = |lane: usize| match node.links[lane] {
            ChildLink::NONE => f32::INFINITY,
            _ => (node.bounds.get(lane).center() - self.ray.origin()).dot(self.ray.direction()),
        };
        let mut lanes: [(f32, usize); WIDTH] = core::array::from_fn(|lane| (along(lane), lane));
        lanes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let held = node.links.map(|link| link != ChildLink::NONE);
        lanes.into_iter().map(|(_, lane)| lane).filter(move |&lane| held[lane])
    }

    fn approach(&self, bounds: &Aabb) -> Approach {
        Approach::new(self.ray, bounds, self.unrounded.map_or(0.0, |ray| ray.slack))
    }
}

/// A node whose only child is that of a lane.
fn only(node: &Node, lane: usize) -> Node {
    let mut alone = Node::EMPTY;
    alone.bounds.set(0, &node.bounds.get(lane));
    alone.links[0] = node.links[lane];
    alone
}

impl Mesh {
    /// The nearest triangle below a sparse node that a ray hits within a limit.
    /// Recursion is as deep as the mesh.
    #[cold]
    pub(super) fn closest_in_parts(
        &self,
        node: &Node,
        parts: &SparseRay<'_>,
        limit: f32,
        stats: &mut QueryStats,
    ) -> Option<MeshHit> {
        stats.nodes_visited += 1;
        let mut best: Option<MeshHit> = None;
        for lane in parts.lanes(node) {
            let bounds = node.bounds.get(lane);
            let (approach, limit) = (parts.approach(&bounds), best.map_or(limit, |hit| hit.distance));
            if approach.misses_bounds(limit) {
                continue;
            }
            let (child, alone, boxes) = (self.child(node, lane), only(node, lane), approach.spread());
            let root = child.unwrap_or(&alone);
            let hit = if child.is_some_and(|child| is_sparse(&bounds, child)) {
                self.closest_in_parts(root, parts, limit, stats)
            } else {
                let found = boxes.boxes(&root.bounds, limit);
                let &SparseRay { ray, culling, unrounded } = parts;
                self.closest_below(root, &found, &boxes, ray, culling, unrounded, limit, Some(stats))
            };
            let rank = |hit: &MeshHit| (hit.distance, hit.triangle);
            if let Some(hit) = hit
                && best.is_none_or(|best| rank(&hit) < rank(&best))
            {
                best = Some(hit);
            }
        }
        stats.hits = u64::from(best.is_some());
        best
    }

    /// Visits every triangle below a sparse node that a ray hits within a limit.
    #[cold]
    pub(super) fn hits_in_parts(
        &self,
        node: &Node,
        parts: &SparseRay<'_>,
        limit: f32,
        visit: &mut dyn FnMut(MeshHit) -> ControlFlow<()>,
        stats: &mut QueryStats,
    ) -> ControlFlow<()> {
        stats.nodes_visited += 1;
        for lane in parts.lanes(node) {
            let bounds = node.bounds.get(lane);
            let approach = parts.approach(&bounds);
            if approach.misses_bounds(limit) {
                continue;
            }
            match self.child(node, lane) {
                Some(child) if is_sparse(&bounds, child) => self.hits_in_parts(child, parts, limit, visit, stats)?,
                Some(child) => self.hits_below(child, &approach, parts, limit, visit, stats)?,
                None => self.hits_below(&only(node, lane), &approach, parts, limit, visit, stats)?,
            }
        }
        ControlFlow::Continue(())
    }

    /// The node in a lane.
    fn child(&self, node: &Node, lane: usize) -> Option<&Node> {
        let link = node.links[lane];
        if link.is_leaf() { None } else { self.nodes.get(link.index()) }
    }
}
