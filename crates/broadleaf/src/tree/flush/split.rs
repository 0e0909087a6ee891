//! Turning a bucket into a branch, and a branch into a bucket.

use crate::data::{BUCKET_CAPACITY, Entry, NodeId, SELF_NEEDS_REFIT, Span};
use crate::geometry::lanes::set_bits;
use crate::tree::Octree;
use arrayvec::ArrayVec;

/// The objects of one bucket on their way elsewhere.
pub(super) type Contents = ArrayVec<Entry, BUCKET_CAPACITY>;

impl Octree {
    /// Makes a full bucket a branch and places its objects below it. A
    /// bucket that spans octants gives way to a bucket for each. Returns
    /// where to look for a place again.
    pub(super) fn split(&mut self, id: NodeId) -> NodeId {
        self.counters.splits += 1;
        let mut contents = Contents::new();
        self.empty_bucket(id, &mut contents);
        let node = &mut self.data.nodes[id];
        let branch = if node.span == Span::ONE {
            node.is_bucket = false;
            id
        } else {
            let (parent, lane) = (node.parent, usize::from(node.lane));
            self.data.nodes.release(id);
            self.data.nodes[parent].detach(lane);
            parent
        };
        self.data.nodes.mark_for_refit(branch, SELF_NEEDS_REFIT);
        for entry in &contents {
            self.place(entry, branch);
        }
        branch
    }

    /// Takes all objects out of a bucket and frees its blocks.
    pub(super) fn empty_bucket(&mut self, id: NodeId, contents: &mut Contents) {
        for lane in (0..self.data.nodes[id].blocks_len()).rev() {
            self.data.drain_lane(id, lane, |entry| contents.push(entry));
        }
    }

    /// Makes a branch with few objects, whose children are buckets, a bucket.
    pub(super) fn merge(&mut self, id: NodeId) {
        self.counters.merges += 1;
        let mut contents = Contents::new();
        for lane in set_bits(u64::from(self.data.nodes[id].child_mask)) {
            let child = self.data.nodes[id].child_node(lane);
            self.empty_bucket(child, &mut contents);
            self.data.nodes.release(child);
            self.data.nodes[id].detach(lane);
        }
        let pile = core::mem::replace(&mut self.data.nodes[id].residents, NodeId::NONE);
        if pile.is_node() {
            self.empty_bucket(pile, &mut contents);
            self.data.nodes.release(pile);
        }
        self.data.nodes[id].is_bucket = true;
        self.fill_bucket(id, &mut contents);
    }

    /// Makes two neighbouring buckets of a branch one that spans both.
    pub(super) fn join(&mut self, branch: NodeId, lanes: [usize; 2], span: Span) {
        self.counters.merges += 1;
        let mut contents = Contents::new();
        for lane in lanes {
            let child = self.data.nodes[branch].child_node(lane);
            self.empty_bucket(child, &mut contents);
            self.data.nodes.release(child);
            self.data.nodes[branch].detach(lane);
        }
        let cell = self.data.grid.child(self.data.nodes[branch].cell, lanes[0]);
        let child = self.data.add_node(cell, span, true);
        self.data.nodes.link(branch, lanes[0], child);
        self.fill_bucket(child, &mut contents);
    }
}
