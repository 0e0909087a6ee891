//! The traversal of a mesh: one loop for all questions, nearest first. A question is a
//! test of eight boxes and an action for a leaf.

use crate::data::QueryStats;
use crate::geometry::lanes::{Boxes, LaneMask, WIDTH, least};
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
    /// The children that passed and have not been visited; at least one.
    left: LaneMask,
    /// The nearest of them.
    nearest: usize,
}

/// The nodes between the root and what is visited.
type Path<'a> = ArrayVec<Entered<'a>, DEPTH_MAX>;

impl<'a> Entered<'a> {
    /// A node of which a child is visited, one of those that are left; there must be others. The next is prefetched.
    #[inline(always)]
    fn without(lane: usize, mesh: &Mesh, node: &'a Node, left: LaneMask, nearness: &[f32; WIDTH]) -> Self {
        let left = left & !(1 << lane);
        let nearest = least(nearness, left);
        mesh.prefetch(node.links[nearest % WIDTH]);
        Self { node, nearness: *nearness, left, nearest }
    }
}

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

/// The nearest of the children of a node that passed, one or more. If it is not the only one, the node is put on the path.
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
        lane = least(nearness, mask);
        path.push(Entered::without(lane, mesh, node, mask, nearness));
    }
    node.links[lane % WIDTH]
}

/// The next child on the path that is within reach.
#[inline(always)]
fn next_within<'a>(mesh: &'a Mesh, path: &mut Path<'a>, reach: f32) -> Option<ChildLink> {
    loop {
        let entered = path.last_mut()?;
        let (node, lane, left) = (entered.node, entered.nearest, entered.left);
        if entered.nearness[lane % WIDTH] > reach {
            path.pop();
            continue;
        }
        if left & (left - 1) == 0 {
            path.pop();
        } else {
            *entered = Entered::without(lane, mesh, node, left, &entered.nearness);
        }
        return Some(node.links[lane % WIDTH]);
    }
}
