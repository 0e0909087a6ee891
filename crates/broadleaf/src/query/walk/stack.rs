//! What a descent has put off, and comes back to.
//!
//! Lanes that are visited for certain wait one by one, with their memory under
//! way. Where lanes may fall away, a node waits whole: how many of its lanes do
//! is then no branch, and those that have become too far fall away together.

use super::Question;
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::grid::levels::Split;
use crate::data::ids::NodeId;
use crate::data::nodes::Nodes;
use crate::data::nodes::node::Node;
use crate::geometry::lanes::{LaneMask, set_bits_down};
use arrayvec::ArrayVec;

/// Levels of nodes.
const LEVELS: usize = LEVEL_MAX as usize + 1;
/// Lanes that wait: at most seven of each level, for the first is entered at once.
const LANES: usize = 7 * LEVELS;
/// Tests that room is made for at a time: most trees are no deeper.
const PIECE: usize = 8;

/// A node, how its cell divides, and the lanes of it that wait, in one word:
/// what is written in parts and read whole soon after stalls.
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

/// Nodes to visit, the next one last.
pub(in crate::query) struct TraversalStack<Q: Question> {
    /// Of questions that visit all lanes.
    lanes: ArrayVec<(NodeId, Q::Carry), LANES>,
    /// Of ordered questions: nodes with the lanes that wait, and what the
    /// tests of the nodes said. Apart, so that each goes in and out in one piece.
    branches: [Branch; LEVELS],
    tests: ArrayVec<[Q::Lanes; PIECE], { LEVELS.div_ceil(PIECE) }>,
    /// How many branches wait; a test has been written for each.
    len: usize,
}

impl<Q: Question> TraversalStack<Q> {
    #[inline]
    pub(in crate::query) fn new() -> Self {
        let branches = [Branch(0); LEVELS];
        Self { lanes: ArrayVec::new(), branches, tests: ArrayVec::new(), len: 0 }
    }

    /// The child in the first of some lanes of a branch, of which there is
    /// one, and what it inherits; puts off the others.
    // Inlined for certain: it hands over what lies in registers.
    #[inline(always)]
    pub(in crate::query) fn enter(
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
            // The lane after this one is mostly visited; where there is none, this one stands for it.
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

    /// Puts a branch off, if any lane of it waits: written at any rate, and
    /// kept if need be, for a branch on it would go wrong.
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
    pub(in crate::query) fn next(&mut self, question: &Q, nodes: &Nodes) -> Option<(NodeId, Q::Carry)> {
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
