//! What a descent has put off, and comes back to.
//!
//! Lanes that are visited for certain wait one by one, with their memory under
//! way. Where lanes may fall away, a node waits whole: how many of its lanes do
//! is then no branch, and those that have become too far fall away together.

use super::walk::Question;
use crate::data::cell::LEVEL_MAX;
use crate::data::ids::NodeId;
use crate::data::nodes::{Node, Nodes};
use crate::geometry::lanes::{LaneMask, set_bits_down};
use arrayvec::ArrayVec;

/// Levels of nodes.
const LEVELS: usize = LEVEL_MAX as usize + 1;
/// Lanes that wait: at most seven of each level, for the first is entered at once.
const LANES: usize = 7 * LEVELS;

/// Nodes to visit, the next one last.
pub(super) struct Waiting<Q: Question> {
    /// Of questions that visit all lanes.
    lanes: ArrayVec<(NodeId, Q::Carry), LANES>,
    /// Of ordered questions: nodes with the lanes that wait, and what the
    /// tests of the nodes said. Apart, so that each goes in and out in one piece.
    branches: ArrayVec<(NodeId, LaneMask), LEVELS>,
    tests: ArrayVec<Q::Lanes, LEVELS>,
}

impl<Q: Question> Waiting<Q> {
    pub(super) fn new() -> Self {
        Self { lanes: ArrayVec::new(), branches: ArrayVec::new(), tests: ArrayVec::new() }
    }

    /// The child in the first of some lanes of a branch, of which there is
    /// one, and what it inherits; puts off the others.
    // Inlined for certain: it hands over what lies in registers.
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
            let lane = question.next(mask, lanes);
            let waiting = mask & !(1 << lane);
            // Pushed at any rate, and kept if need be.
            let len = self.branches.len() + usize::from(waiting != 0);
            self.branches.push((id, waiting));
            self.branches.truncate(len);
            self.tests.push(*lanes);
            self.tests.truncate(len);
            entry(lane)
        } else {
            for lane in set_bits_down(mask & (mask - 1)) {
                let entry = entry(lane);
                // It is visited for certain: reading a word has its memory under way.
                core::hint::black_box(nodes[entry.0].child_mask);
                self.lanes.push(entry);
            }
            entry(mask.trailing_zeros() as usize)
        }
    }

    /// The child that comes next, and what it inherits.
    #[inline(always)]
    pub(super) fn next(&mut self, question: &Q, nodes: &Nodes) -> Option<(NodeId, Q::Carry)> {
        if !Q::ORDERED {
            return self.lanes.pop();
        }
        loop {
            let ((id, waiting), lanes) = (self.branches.last_mut()?, self.tests.last()?);
            let still = question.still(*waiting, lanes);
            if still == 0 {
                self.branches.pop();
                self.tests.pop();
                continue;
            }
            let lane = question.next(still, lanes);
            let entry = (nodes[*id].child_node(lane), question.carry(lanes, lane));
            let rest = still & !(1 << lane);
            *waiting = rest;
            let len = self.branches.len() - usize::from(rest == 0);
            self.branches.truncate(len);
            self.tests.truncate(len);
            return Some(entry);
        }
    }
}
