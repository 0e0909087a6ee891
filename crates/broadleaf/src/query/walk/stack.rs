//! The traversal stack: the nodes that a depth-first traversal has deferred.
//!
//! ```text
//! unordered question:  one entry a lane: (child, what its test passes on), prefetched
//! ordered question:    one entry a node: (node, split, deferred lanes) and its test results
//!
//! next():  the last entry; of a node: the lanes that are still wanted, the nearest first;
//!          the entry stays while it has further lanes
//! ```
//!
//! An ordered question may drop deferred lanes when it has found something nearer. With
//! one entry a node, all its lanes are compared with the new limit at once, and how many
//! remain is no branch.
//!
//! *Bound:* one entry a level, or seven lanes a level: the first child is entered at once.

use super::Question;
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::nodes::Nodes;
use crate::data::{Node, NodeId, Split};
use crate::geometry::lanes::{LaneMask, set_bits_down};
use arrayvec::ArrayVec;

/// Levels of nodes.
const LEVELS: usize = LEVEL_MAX as usize + 1;
/// Deferred lanes: at most seven of each level, for the first is entered at once.
const LANES: usize = 7 * LEVELS;
/// Test results that room is made for at a time: most trees are no deeper.
const PIECE: usize = 8;

/// A node, the split of its cell, and its deferred lanes, in one word: parts that are
/// written apart and read whole soon after cause a store-forwarding stall.
#[derive(Clone, Copy)]
struct Branch(u64);

impl Branch {
    #[inline]
    fn new(id: NodeId, split: Split, deferred: LaneMask) -> Self {
        Self(u64::from(split.0) << 40 | u64::from(id.0) << 8 | u64::from(deferred))
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the bits above the mask")]
    fn id(self) -> NodeId {
        NodeId((self.0 >> 8) as u32)
    }

    #[inline]
    fn split(self) -> Split {
        Split(self.0.to_le_bytes()[5])
    }

    #[inline]
    fn lanes(self) -> LaneMask {
        self.0.to_le_bytes()[0]
    }
}

/// Deferred nodes, the next one last.
pub(super) struct TraversalStack<Q: Question> {
    /// Of questions that visit all lanes.
    lanes: ArrayVec<(NodeId, Q::Carry), LANES>,
    /// Of ordered questions: nodes with their deferred lanes, and the results of their
    /// tests. In two columns, so that each is written and read whole.
    branches: [Branch; LEVELS],
    tests: ArrayVec<[Q::Lanes; PIECE], { LEVELS.div_ceil(PIECE) }>,
    /// The number of deferred branches, each with its test results.
    len: usize,
}

impl<Q: Question> TraversalStack<Q> {
    #[inline]
    pub(super) fn new() -> Self {
        let branches = [Branch(0); LEVELS];
        Self { lanes: ArrayVec::new(), branches, tests: ArrayVec::new(), len: 0 }
    }

    /// The child in the first of some lanes of a branch, of which there is
    /// one or more, and what it inherits; defers the others.
    // Always inlined: its arguments are in registers.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        question: &Q,
        nodes: &Nodes,
        (id, node): (NodeId, &Node),
        mask: LaneMask,
        lanes: &Q::Lanes,
    ) -> (NodeId, Q::Carry) {
        let entry = |lane: usize| (node.child_node(lane), question.carry(lanes, lane));
        if Q::ORDERED {
            let lane = question.next(mask, lanes, node.split);
            let rest = mask & !(1 << lane);
            // The lane after this one is mostly visited too; where there is none, this one is prefetched.
            let after = question.next(if rest == 0 { mask } else { rest }, lanes, node.split);
            nodes[node.child_node(after)].prefetch();
            self.defer(Branch::new(id, node.split, rest), lanes);
            entry(lane)
        } else {
            for lane in set_bits_down(mask & (mask - 1)) {
                let entry = entry(lane);
                nodes[entry.0].prefetch();
                self.lanes.push(entry);
            }
            entry(mask.trailing_zeros() as usize)
        }
    }

    /// Defers a branch, if it has deferred lanes. The entry is always written, and kept by
    /// raising the length: a conditional jump would often be mispredicted.
    #[inline(always)]
    fn defer(&mut self, branch: Branch, lanes: &Q::Lanes) {
        if self.len == self.tests.len() * PIECE {
            self.tests.push([*lanes; PIECE]);
        }
        self.branches[self.len] = branch;
        self.tests.as_flattened_mut()[self.len] = *lanes;
        self.len += usize::from(branch.lanes() != 0);
    }

    /// The child that comes next, and what it inherits.
    #[inline(always)]
    pub(super) fn next(&mut self, question: &Q, nodes: &Nodes) -> Option<(NodeId, Q::Carry)> {
        if !Q::ORDERED {
            return self.lanes.pop();
        }
        while self.len > 0 {
            let last = self.len - 1;
            let (branch, lanes) = (self.branches[last], &self.tests.as_flattened()[last]);
            let still = question.still_wanted(branch.lanes(), lanes);
            if still == 0 {
                self.len = last;
                continue;
            }
            let lane = question.next(still, lanes, branch.split());
            let entry = (nodes[branch.id()].child_node(lane), question.carry(lanes, lane));
            let rest = still & !(1 << lane);
            self.branches[last] = Branch::new(branch.id(), branch.split(), rest);
            self.len = last + usize::from(rest != 0);
            return Some(entry);
        }
        None
    }
}
