//! The traversal of a mesh: one loop for all questions, nearest first. A question is a
//! test of eight boxes and an action for a leaf.

use crate::data::QueryStats;
use crate::geometry::lanes::{Boxes, LaneMask, WIDTH, set_bits};
use crate::mesh::columns::{ChildLink, Leaf, Node};
use crate::mesh::{DEPTH_MAX, Mesh};
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// Entries of the stack at most: seven of each level, and eight of the last.
const STACK: usize = 7 * DEPTH_MAX + 8;

/// What is asked of nodes and leaves.
pub(super) trait Question<'a> {
    /// The lanes worth a visit, and how near each is: not below zero, not NaN.
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]);
    /// What is farther than this is not visited.
    fn reach(&self) -> f32;
    /// Looks at the triangles of a leaf.
    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()>;
}

/// A deferred link, sorted by its distance: the bits of floats that are not negative
/// sort as the floats do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StackEntry(u64);

impl StackEntry {
    #[inline]
    fn new(nearness: f32, link: ChildLink) -> Self {
        // Without the sign, for some instruction sets leave a negative zero.
        Self(u64::from(nearness.to_bits() << 1) << 31 | u64::from(link.0))
    }

    #[inline]
    fn is_within(self, reach: f32) -> bool {
        self.0 >> 32 <= u64::from(reach.to_bits())
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    fn link(self) -> ChildLink {
        ChildLink(self.0 as u32)
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
    root: &Node,
    (mask, nearness): &(LaneMask, [f32; WIDTH]),
    question: &mut Q,
) -> QueryStats {
    let mut stats = QueryStats { nodes_visited: 1, ..QueryStats::default() };
    if *mask == 0 {
        return stats;
    }
    let mut stack = ArrayVec::<StackEntry, STACK>::new();
    let mut link = next(&mut stack, root, *mask, nearness);
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
                link = next(&mut stack, node, mask, &nearness);
                continue;
            }
        }
        loop {
            let Some(next) = stack.pop() else { return stats };
            if next.is_within(question.reach()) {
                link = next.link();
                break;
            }
        }
    }
}

/// The nearest of some lanes, one or more; the others are deferred.
#[inline(always)]
fn next(stack: &mut ArrayVec<StackEntry, STACK>, node: &Node, mask: LaneMask, nearness: &[f32; WIDTH]) -> ChildLink {
    if mask & (mask - 1) == 0 {
        return node.links[mask.trailing_zeros() as usize % WIDTH];
    }
    push(stack, mask, |lane: usize| StackEntry::new(nearness[lane % WIDTH], node.links[lane % WIDTH]))
}

/// Sorts two lanes or more onto the stack, the nearest last, and takes that off again.
#[inline(always)]
fn push(stack: &mut ArrayVec<StackEntry, STACK>, mask: LaneMask, entry: impl Fn(usize) -> StackEntry) -> ChildLink {
    let first = mask.trailing_zeros() as usize;
    let rest = mask & (mask - 1);
    let second = rest.trailing_zeros() as usize;
    let rest = rest & (rest - 1);
    let (a, b) = (entry(first), entry(second));
    let (mut near, far) = (a.min(b), a.max(b));
    let start = stack.len();
    stack.push(far);
    for lane in set_bits(u64::from(rest)) {
        let next = entry(lane);
        let (less, more) = (near.min(next), near.max(next));
        near = less;
        // The others stay sorted, the farthest first.
        let mut at = stack.len();
        stack.push(more);
        while at > start && stack[at - 1] < more {
            stack[at] = stack[at - 1];
            at -= 1;
        }
        stack[at] = more;
    }
    near.link()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instruction sets differ in which of two zeros is the larger one.
    #[test]
    fn regression_what_is_as_near_as_a_negative_zero_waits_before_what_is_farther() {
        let (zero, negative) = (StackEntry::new(0.0, ChildLink::node(3)), StackEntry::new(-0.0, ChildLink::node(3)));
        assert_eq!(negative, zero);
        assert!(negative < StackEntry::new(f32::MIN_POSITIVE, ChildLink::node(0)));
        assert!(negative.is_within(0.0) && negative.is_within(1.0));
    }
}
