//! The traversal of a mesh: one loop for all questions, nearest first. A question is a
//! test of eight boxes and an action for a leaf.

use crate::data::QueryStats;
use crate::geometry::lanes::{Boxes, LaneMask, LeastFirst, WIDTH, prefetch};
use crate::mesh::columns::{ChildLink, Leaf, Node};
use crate::mesh::{DEPTH_MAX, Mesh};
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// What is asked of nodes and leaves.
pub(super) trait Question<'a> {
    /// The lanes worth a visit, and how near each is: not below zero, not NaN.
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]);
    /// What is farther than this is not visited.
    fn reach(&self) -> f32;
    /// Looks at the triangles of a leaf.
    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()>;
}

/// A node that has been tested, some of whose children have not been visited yet.
struct Entered<'a> {
    node: &'a Node,
    nearness: [f32; WIDTH],
    /// The children that passed and have not been visited.
    left: LeastFirst,
}

/// The nodes above what is visited that have children left, as in the traversal of a tree.
type Path<'a> = ArrayVec<Entered<'a>, DEPTH_MAX>;

/// Visits leaves, nearest first, until the question breaks.
#[inline]
pub(super) fn walk<'a, Q: Question<'a>>(mesh: &'a Mesh, question: &mut Q) -> QueryStats {
    let Some(root) = mesh.nodes.first() else { return QueryStats::default() };
    let found = question.test(&root.bounds);
    descend(mesh, root, &found, question)
}

/// The same from the root on, whose children are tested.
#[inline]
pub(super) fn descend<'a, Q: Question<'a>>(
    mesh: &'a Mesh,
    root: &'a Node,
    (mask, nearness): &(LaneMask, [f32; WIDTH]),
    question: &mut Q,
) -> QueryStats {
    let mut stats = QueryStats { nodes_visited: 1, ..QueryStats::default() };
    if *mask == 0 {
        return stats;
    }
    let mut path = Path::new();
    let mut link = enter(mesh, &mut path, root, *mask, nearness);
    loop {
        if link.is_leaf() {
            // Lanes that hold nothing lead to no leaf.
            if let Some(leaf) = mesh.leaves.get(link.index())
                && question.leaf(leaf, &mut stats).is_break()
            {
                return stats;
            }
        } else if let Some(node) = mesh.nodes.get(link.index()) {
            stats.nodes_visited += 1;
            let (mask, nearness) = question.test(&node.bounds);
            if mask != 0 {
                link = enter(mesh, &mut path, node, mask, &nearness);
                continue;
            }
        }
        let Some(next) = next_within(mesh, &mut path, question.reach()) else { return stats };
        link = next;
    }
}

/// The nearest of the children that passed (at least one). If there are others, the node is put on the path.
#[inline(always)]
fn enter<'a>(
    mesh: &'a Mesh,
    path: &mut Path<'a>,
    node: &'a Node,
    mask: LaneMask,
    nearness: &[f32; WIDTH],
) -> ChildLink {
    let mut lane = mask.trailing_zeros() as usize;
    if mask & (mask - 1) != 0 {
        let first = LeastFirst::new(nearness, mask);
        lane = first.lane();
        if let Some(left) = first.rest(nearness) {
            mesh.prefetch(node.links[left.lane()]);
            path.push(Entered { node, nearness: *nearness, left });
        }
    }
    node.links[lane % WIDTH]
}

/// The next child on the path that is within reach.
#[inline(always)]
fn next_within<'a>(mesh: &'a Mesh, path: &mut Path<'a>, reach: f32) -> Option<ChildLink> {
    loop {
        let Entered { node, nearness, left } = path.last_mut()?;
        let (node, first) = (*node, *left);
        // No other child is nearer than this.
        if first.floor() > reach {
            path.pop();
            continue;
        }
        match first.rest(nearness) {
            Some(rest) => {
                *left = rest;
                mesh.prefetch(node.links[rest.lane()]);
            }
            None => _ = path.pop(),
        }
        return Some(node.links[first.lane()]);
    }
}

impl Mesh {
    /// Prefetches what a link leads to.
    #[inline(always)]
    fn prefetch(&self, link: ChildLink) {
        if link.is_leaf() {
            if let Some(leaf) = self.leaves.get(link.index()) {
                leaf.triangles.prefetch();
            }
        } else if let Some(node) = self.nodes.get(link.index()) {
            // Nodes do not begin on a cache line: the links are on the last one.
            node.bounds.prefetch();
            prefetch(&node.links);
        }
    }
}
