//! Refitting: the columns of nodes are recomputed along the marks, bottom up. Empty
//! nodes are pruned and sparse ones merged on the way.

use super::pile::PILE_FILL;
use crate::data::{NodeId, SELF_NEEDS_REFIT, Span, Summary};
use crate::geometry::lanes::set_bits;
use crate::tree::Octree;

impl Octree {
    /// Refits the changed lanes at and below a node, and sums it up. The
    /// caller removes a node whose count is zero.
    ///
    /// Recursion is as deep as the tree, at most 28 levels, and one of its piles, at most nine more.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn refit(&mut self, id: NodeId) -> Summary {
        self.counters.refits += 1;
        let changed = core::mem::take(&mut self.data.nodes[id].needs_refit);
        let lanes = u64::from(changed & 0xff);
        if self.data.nodes[id].is_bucket {
            for lane in set_bits(lanes) {
                self.data.fit_lane(id, lane);
            }
            self.rerun_if_spread(id);
        } else {
            for lane in set_bits(lanes) {
                self.refit_child(id, lane);
            }
            let pile = self.data.nodes[id].residents;
            if changed & SELF_NEEDS_REFIT != 0 && pile.is_node() {
                self.data.nodes[id].residents = self.refit_pile(pile);
            }
            if self.is_mergeable(id) {
                self.merge(id);
            } else if self.data.nodes[id].in_pile {
                self.pack_if_spread(id);
            } else if !self.data.grid.is_strict() {
                self.join_sparse(id, Span::TWO);
                self.join_sparse(id, Span::FOUR);
            }
        }
        self.data.summarize(id)
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

    /// Refits a pile; its root, or none if nothing is left.
    pub(super) fn refit_pile(&mut self, root: NodeId) -> NodeId {
        if self.refit(root).count > 0 {
            return root;
        }
        self.data.nodes.release(root);
        NodeId::NONE
    }

    /// Whether a branch holds so little that one bucket should hold it.
    fn is_mergeable(&self, id: NodeId) -> bool {
        let node = &self.data.nodes[id];
        let mut count = 0;
        if node.residents.is_node() {
            let pile = &self.data.nodes[node.residents];
            if !pile.is_bucket {
                return false;
            }
            count = pile.count;
        }
        for lane in set_bits(u64::from(node.child_mask)) {
            let child = &self.data.nodes[node.child_node(lane)];
            if !child.is_bucket {
                return false;
            }
            count += child.count;
        }
        let fill = if node.in_pile { PILE_FILL } else { self.data.leaf_fill() as usize };
        0 < count && count as usize <= fill
    }

    /// Joins neighbouring buckets of a branch into buckets of `span`, where
    /// together they are few enough for one.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn join_sparse(&mut self, id: NodeId, span: Span) {
        for base in (0..8).step_by(span.len()) {
            let other = base + span.len() / 2;
            if self.is_joinable(id, base, span) && self.is_joinable(id, other, span) {
                let count = |lane| self.data.nodes[self.data.nodes[id].child_node(lane)].count;
                if count(base) + count(other) <= self.data.leaf_fill() {
                    self.join(id, [base, other], span);
                    let child = self.data.nodes[id].child_node(base);
                    let summary = self.data.summarize(child);
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
}
