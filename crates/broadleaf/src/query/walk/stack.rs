//! The traversal stack: the nodes that a depth-first traversal has deferred.
//!
//! *Bound:* seven lanes a level, for the first child is entered at once.

use super::Question;
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::nodes::Nodes;
use crate::data::{Node, NodeId};
use crate::geometry::lanes::{LaneMask, set_bits_down};
use arrayvec::ArrayVec;

/// Deferred lanes at most.
const CAPACITY: usize = 7 * (LEVEL_MAX as usize + 1);

/// Deferred nodes, the next one last, and what each inherits.
pub(super) struct TraversalStack<Q: Question>(ArrayVec<(NodeId, Q::Carry), CAPACITY>);

impl<Q: Question> TraversalStack<Q> {
    #[inline]
    pub(super) fn new() -> Self {
        Self(ArrayVec::new())
    }

    /// The child in the first of some lanes of a branch, of which there is
    /// one or more, and what it inherits; defers and prefetches the others.
    // Always inlined: its arguments are in registers.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        question: &Q,
        nodes: &Nodes,
        node: &Node,
        mask: LaneMask,
        lanes: &Q::Lanes,
    ) -> (NodeId, Q::Carry) {
        let entry = |lane: usize| (node.child_node(lane), question.carry(lanes, lane));
        for lane in set_bits_down(mask & (mask - 1)) {
            let entry = entry(lane);
            nodes[entry.0].prefetch();
            self.0.push(entry);
        }
        entry(mask.trailing_zeros() as usize)
    }

    /// The child that comes next, and what it inherits.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(NodeId, Q::Carry)> {
        self.0.pop()
    }
}
