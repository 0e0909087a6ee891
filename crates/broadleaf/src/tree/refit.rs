//! Fitting the columns of nodes to what changed, bottom up; empty branches
//! are pruned and sparse ones merged on the way.

use super::Octree;
use crate::data::ids::{BlockId, NodeId};
use crate::data::levels::Span;
use crate::data::nodes::Summary;
use crate::geometry::lanes::set_bits;

impl Octree {
    /// Refits the changed lanes at and below a node, and sums it up. The
    /// caller removes a node whose count is zero.
    ///
    /// Recursion is as deep as the tree, at most 28 levels.
    pub(super) fn refit(&mut self, id: NodeId) -> Summary {
        self.counters.refits += 1;
        let changed = core::mem::take(&mut self.data.nodes[id].changed);
        let lanes = u64::from(changed & 0xff);
        if self.data.nodes[id].is_bucket {
            for lane in set_bits(lanes) {
                self.fit_lane(id, lane);
            }
            self.rerun_if_worn(id);
        } else {
            for lane in set_bits(lanes) {
                self.refit_child(id, lane);
            }
            if self.is_mergeable(id) {
                self.merge(id);
            } else if !self.data.grid.is_strict() {
                self.join_sparse(id, Span::TWO);
                self.join_sparse(id, Span::FOUR);
            }
        }
        self.sum_up(id)
    }

    fn refit_child(&mut self, id: NodeId, lane: usize) {
        let child = self.data.nodes[id].child_node(lane);
        let summary = self.refit(child);
        if summary.count == 0 {
            self.data.nodes.release(child);
            self.data.nodes[id].detach(lane);
        } else {
            self.data.nodes[id].set_summary(lane, &summary);
        }
    }

    /// Whether a branch holds so little that one bucket should hold it.
    fn is_mergeable(&self, id: NodeId) -> bool {
        let node = &self.data.nodes[id];
        let mut count = node.residents_len;
        for lane in set_bits(u64::from(node.child_mask)) {
            let child = &self.data.nodes[node.child_node(lane)];
            if !child.is_bucket {
                return false;
            }
            count += child.count;
        }
        0 < count && count <= self.data.leaf_fill()
    }

    /// Joins neighbouring buckets of a branch into buckets of `span`, where
    /// together they are few enough for one.
    fn join_sparse(&mut self, id: NodeId, span: Span) {
        for base in (0..8).step_by(span.len()) {
            let other = base + span.len() / 2;
            if self.is_joinable(id, base, span) && self.is_joinable(id, other, span) {
                let count = |lane| self.data.nodes[self.data.nodes[id].child_node(lane)].count;
                if count(base) + count(other) <= self.data.leaf_fill() {
                    self.join(id, [base, other], span);
                    let child = self.data.nodes[id].child_node(base);
                    let summary = self.sum_up(child);
                    self.data.nodes[id].set_summary(base, &summary);
                }
            }
        }
    }

    /// Whether a lane of a branch holds a bucket of half the octants of `span`.
    fn is_joinable(&self, id: NodeId, lane: usize, span: Span) -> bool {
        let node = &self.data.nodes[id];
        node.child_mask >> lane & 1 == 1
            && 2 * node.child_span(lane).len() == span.len()
            && self.data.nodes[node.child_node(lane)].is_bucket
    }

    /// Updates a node's count, and tells what its parent should know.
    fn sum_up(&mut self, id: NodeId) -> Summary {
        let node = &self.data.nodes[id];
        let mut summary = Summary {
            bounds: node.bounds.union(),
            memberships: node.memberships.iter().fold(0, |all, m| all | m),
            moves: node.moving_bits() != 0,
            stirred: false,
            count: node.residents_len,
        };
        let (mut residents_move, mut residents_stirred) = (false, 0);
        if node.is_bucket {
            summary.count = node.occupied_bits().count_ones();
        } else {
            for lane in set_bits(u64::from(node.child_mask)) {
                summary.count += self.data.nodes[node.child_node(lane)].count;
            }
            let mut next = node.residents;
            while next != BlockId::NONE {
                let link = self.data.blocks.link_ref(next);
                let (after, stirred) = (link.next, link.stirred);
                summary.memberships |= self.data.blocks.memberships_union(next);
                let block = &self.data.blocks[core::mem::replace(&mut next, after)];
                summary.bounds = summary.bounds.union(&block.boxes.union());
                residents_move |= block.moving() != 0;
                residents_stirred |= stirred;
            }
            summary.moves |= residents_move;
        }
        let node = &mut self.data.nodes[id];
        node.count = summary.count;
        node.residents_move = residents_move;
        node.residents_stirred = residents_stirred != 0;
        summary.stirred = node.is_stirred();
        summary
    }
}
