//! The stack of a descent that visits every lane that passes.

use super::Question;
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::ids::NodeId;
use crate::data::nodes::Nodes;
use crate::data::nodes::node::Node;
use crate::geometry::lanes::{LaneMask, set_bits_down};
use arrayvec::ArrayVec;

/// Deferred lanes: at most seven of each level, for the first is entered at once.
const CAPACITY: usize = 7 * (LEVEL_MAX as usize + 1);

/// Nodes to visit, the next one last, and what each inherits.
pub(super) struct TraversalStack<Q: Question>(ArrayVec<(NodeId, Q::Carry), CAPACITY>);

impl<Q: Question> TraversalStack<Q> {
    #[inline]
    pub(super) fn new() -> Self {
        Self(ArrayVec::new())
    }

    /// The child in the first of some lanes of a branch, of which there is
    /// one, and what it inherits; defers and prefetches the others.
    // Inlined for certain: it hands over what lies in registers.
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
