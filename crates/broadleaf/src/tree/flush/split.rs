//! Turning a bucket into a branch, and a branch into a bucket.

use crate::data::blocks::block::Entry;
use crate::data::grid::levels::Span;
use crate::data::ids::{Location, NodeId};
use crate::data::nodes::node::SELF_NEEDS_REFIT;
use crate::geometry::lanes::{WIDTH, set_bits};
use crate::tree::Octree;
use arrayvec::ArrayVec;

/// The most objects that a bucket holds.
pub(in crate::tree) const BUCKET_CAPACITY: usize = WIDTH * WIDTH;

/// The objects of one bucket on their way elsewhere.
pub(in crate::tree) type Contents = ArrayVec<Entry, BUCKET_CAPACITY>;

impl Octree {
    /// Makes a full bucket a branch and places its objects below it. A
    /// bucket that spans octants gives way to a bucket for each. Returns
    /// where to look for a place again.
    pub(in crate::tree) fn split(&mut self, id: NodeId) -> NodeId {
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
    pub(in crate::tree) fn empty_bucket(&mut self, id: NodeId, contents: &mut Contents) {
        for lane in (0..self.data.nodes[id].blocks_len()).rev() {
            let block = self.data.nodes[id].child_block(lane);
            let occupied = self.data.nodes[id].occupied[lane];
            for slot in set_bits(u64::from(occupied)) {
                contents.push(self.data.blocks.read(Location::new(block, slot)));
            }
            self.data.nodes[id].detach(lane);
            self.data.blocks.release(block);
        }
    }

    /// Makes a branch with few objects, whose children are buckets, a bucket.
    pub(in crate::tree) fn merge(&mut self, id: NodeId) {
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
    pub(in crate::tree) fn join(&mut self, branch: NodeId, lanes: [usize; 2], span: Span) {
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
