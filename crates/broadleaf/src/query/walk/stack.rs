//! The traversal stack: the nodes that a depth-first traversal has deferred.
//!
//! *Bound:* a traversal that has entered a child leaves at most seven of its siblings deferred; one that has entered
//! a pile, at most eight children of its branch.

use super::Question;
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::nodes::Nodes;
use crate::data::nodes::node::PILE_HEIGHT_MAX;
use crate::data::{Node, NodeId};
use crate::geometry::lanes::{LaneMask, WIDTH, set_bits_down};
use arrayvec::ArrayVec;

/// The most nodes on a path from the root: one a level of the tree, and then one a level of a pile.
pub(super) const PATH_MAX: usize = LEVEL_MAX as usize + 1 + PILE_HEIGHT_MAX as usize + 1;

/// The most entries of a stack: each node of a path leaves at most eight children.
const CAPACITY: usize = WIDTH * PATH_MAX;

/// Deferred nodes, the next one last, and what each inherits.
pub(super) struct TraversalStack<Q: Question>(ArrayVec<(NodeId, Q::Carry), CAPACITY>);

impl<Q: Question> TraversalStack<Q> {
    #[inline]
    pub(super) fn new() -> Self {
        Self(ArrayVec::new())
    }

    /// The pile of a branch, or else the child in the first of some lanes, and what it inherits;
    /// defers and prefetches the other children. There must be one of the two.
    // Always inlined: its arguments are in registers.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        question: &Q,
        nodes: &Nodes,
        node: &Node,
        carry: Q::Carry,
        mask: LaneMask,
        lanes: &Q::Lanes,
    ) -> (NodeId, Q::Carry) {
        let entry = |lane: usize| (node.child_node(lane), question.carry(lanes, lane));
        let has_pile = node.residents.is_node();
        debug_assert!(mask != 0 || has_pile);
        let deferred = if has_pile { mask } else { mask & (mask - 1) };
        for lane in set_bits_down(deferred) {
            let entry = entry(lane);
            nodes[entry.0].prefetch();
            self.0.push(entry);
        }
        if has_pile { (node.residents, carry) } else { entry(mask.trailing_zeros() as usize) }
    }

    /// The child that comes next, and what it inherits.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(NodeId, Q::Carry)> {
        self.0.pop()
    }
}
