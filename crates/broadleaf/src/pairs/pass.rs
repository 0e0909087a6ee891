//! The pair pass: descend with the outside objects that touch the subtree,
//! and walk subtrees whose fitted bounds overlap simultaneously.
//!
//! Every pair is found once: at the node that holds both, or where the list
//! that carries one meets the other, or between the two sibling subtrees
//! under their lowest common ancestor. Recursion is as deep as the tree.

use super::outside::{List, OutsideStack, moving_lanes};
use super::pair::Pair;
use super::sink::Sink;
use crate::data::Data;
use crate::data::ids::NodeId;
use crate::data::nodes::Node;
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, LaneMask, set_bits};
use core::ops::ControlFlow;

/// Work on a subtree or two.
#[derive(Debug, Clone)]
pub(super) enum Work {
    /// Pairs within a subtree, and of outside objects with it.
    Own(NodeId, List),
    /// Pairs of outside objects with a subtree.
    Against(NodeId, List),
    /// Pairs between two subtrees with their fitted bounds, which overlap.
    Between((NodeId, Aabb), (NodeId, Aabb)),
}

/// Decides what becomes of work on the children of a node.
pub(super) trait Plan {
    /// Whether any work may be put off.
    const SPLITS: bool;

    /// Whether to put the work off rather than to do it now.
    fn put_off(&mut self, data: &Data, outside: &OutsideStack<'_>, work: &Work, found: u64) -> bool;
}

/// Does all work at once, in order.
pub(super) struct Serial;

impl Plan for Serial {
    const SPLITS: bool = false;

    #[inline]
    fn put_off(&mut self, _: &Data, _: &OutsideStack<'_>, _: &Work, _: u64) -> bool {
        false
    }
}

/// A pass over one tree.
pub(super) struct Pass<'a, 'b, F, P> {
    pub(super) data: &'a Data,
    pub(super) sink: Sink<'a, F>,
    pub(super) outside: OutsideStack<'b>,
    pub(super) plan: P,
}

impl<F: FnMut(Pair) -> ControlFlow<()>, P: Plan> Pass<'_, '_, F, P> {
    /// All pairs of the tree.
    pub(super) fn run(&mut self) -> ControlFlow<()> {
        let data = self.data;
        let outsized = data.blocks.chain(data.outsized).map(|id| &data.blocks[id]);
        self.sink.within_chain(outsized)?;
        if data.root.is_node() {
            let list = self.outside.push_chain(data, data.outsized, &data.tree_bounds());
            self.visit(Work::Own(data.root, list))?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn visit(&mut self, work: Work) -> ControlFlow<()> {
        if P::SPLITS && self.plan.put_off(self.data, &self.outside, &work, self.sink.stats.hits) {
            ControlFlow::Continue(())
        } else {
            self.perform(work)
        }
    }

    #[inline(always)]
    pub(super) fn perform(&mut self, work: Work) -> ControlFlow<()> {
        self.sink.stats.nodes_visited += 1;
        match work {
            Work::Own(id, list) => self.own(id, list),
            Work::Against(id, list) => self.against(id, list),
            Work::Between(a, b) => self.between(a, b),
        }
    }

    fn own(&mut self, id: NodeId, list: List) -> ControlFlow<()> {
        let data = self.data;
        let node = &data.nodes[id];
        if node.is_bucket {
            self.sink.load_side(data, node, LaneMask::MAX);
            self.sink.within_side()?;
            return self.list_with_side(list);
        }
        let residents = data.blocks.chain(node.residents).map(|id| &data.blocks[id]);
        self.sink.within_chain(residents)?;
        self.list_with_residents(list.clone(), node)?;

        let bottom = self.outside.len();
        let start = self.outside.route(list, node).start;
        self.outside.route_residents(data, node);
        let routed = start..self.outside.len();
        let moving = moving_lanes(node);
        for lane in set_bits(u64::from(node.child_mask)) {
            let top = self.outside.len();
            let list = self.outside.push_lane(routed.clone(), lane);
            // Static objects among themselves are no pairs.
            if moving >> lane & 1 == 1 || !list.is_empty() {
                self.visit(Work::Own(node.child_node(lane), list))?;
            }
            self.outside.truncate(top);
        }
        self.outside.truncate(bottom);

        for lane in set_bits(u64::from(node.child_mask)) {
            let bounds = node.bounds.get(lane);
            let later = (LaneMask::MAX << lane) << 1;
            let partners = if moving >> lane & 1 == 1 { node.child_mask } else { moving };
            let others = node.bounds.overlaps(&BoxQuery::new(&bounds)) & later & partners;
            for other in set_bits(u64::from(others)) {
                let a = (node.child_node(lane), bounds);
                let b = (node.child_node(other), node.bounds.get(other));
                self.visit(Work::Between(a, b))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn list_with_side(&mut self, list: List) -> ControlFlow<()> {
        self.sink.stats.objects_tested += list.len() as u64;
        for index in list {
            let entry = self.outside.get(index);
            self.sink.object_with_side(&entry.aabb, entry.object)?;
        }
        ControlFlow::Continue(())
    }

    fn list_with_residents(&mut self, list: List, node: &Node) -> ControlFlow<()> {
        if node.residents_len == 0 {
            return ControlFlow::Continue(());
        }
        self.sink.stats.objects_tested += list.len() as u64;
        for index in list {
            let entry = self.outside.get(index);
            if entry.object.is_static() && !node.residents_move {
                continue;
            }
            let query = BoxQuery::new(&entry.aabb);
            for id in self.data.blocks.chain(node.residents) {
                self.sink.object_with_block(&query, entry.object, &self.data.blocks[id], LaneMask::MAX)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn against(&mut self, id: NodeId, list: List) -> ControlFlow<()> {
        let node = &self.data.nodes[id];
        if node.is_bucket {
            self.sink.load_side(self.data, node, LaneMask::MAX);
            return self.list_with_side(list);
        }
        self.list_with_residents(list.clone(), node)?;
        self.against_children(node, list)
    }

    fn against_children(&mut self, node: &Node, list: List) -> ControlFlow<()> {
        let bottom = self.outside.len();
        let routed = self.outside.route(list, node);
        if !routed.is_empty() {
            for lane in set_bits(u64::from(node.child_mask)) {
                let top = self.outside.len();
                let list = self.outside.push_lane(routed.clone(), lane);
                if !list.is_empty() {
                    self.visit(Work::Against(node.child_node(lane), list))?;
                }
                self.outside.truncate(top);
            }
        }
        self.outside.truncate(bottom);
        ControlFlow::Continue(())
    }

    fn between(&mut self, a: (NodeId, Aabb), b: (NodeId, Aabb)) -> ControlFlow<()> {
        let data = self.data;
        let (a_node, b_node) = (&data.nodes[a.0], &data.nodes[b.0]);
        match (a_node.is_bucket, b_node.is_bucket) {
            (true, true) => self.sink.between_buckets(data, (a_node, &a.1), (b_node, &b.1)),
            (true, false) => self.bucket_with_branch(a, b),
            (false, true) => self.bucket_with_branch(b, a),
            (false, false) => self.between_branches(a, b),
        }
    }

    fn bucket_with_branch(&mut self, bucket: (NodeId, Aabb), branch: (NodeId, Aabb)) -> ControlFlow<()> {
        let data = self.data;
        let (a, b) = (&data.nodes[bucket.0], &data.nodes[branch.0]);
        if b.residents_len > 0 {
            let bottom = self.outside.len();
            let list = self.outside.push_chain(data, b.residents, &bucket.1);
            if !list.is_empty() {
                self.sink.load_side(data, a, a.bounds.overlaps(&BoxQuery::new(&branch.1)));
                self.list_with_side(list)?;
            }
            self.outside.truncate(bottom);
        }
        let lanes = b.bounds.overlaps(&BoxQuery::new(&bucket.1)) & b.child_mask;
        let lanes = if a.moving_bits() == 0 { lanes & moving_lanes(b) } else { lanes };
        for lane in set_bits(u64::from(lanes)) {
            self.visit(Work::Between(bucket, (b.child_node(lane), b.bounds.get(lane))))?;
        }
        ControlFlow::Continue(())
    }

    fn between_branches(&mut self, a: (NodeId, Aabb), b: (NodeId, Aabb)) -> ControlFlow<()> {
        let data = self.data;
        let (a_node, b_node) = (&data.nodes[a.0], &data.nodes[b.0]);
        let bottom = self.outside.len();
        let list = self.outside.push_chain(data, a_node.residents, &b.1);
        if !list.is_empty() {
            self.against(b.0, list)?;
        }
        self.outside.truncate(bottom);
        let list = self.outside.push_chain(data, b_node.residents, &a.1);
        if !list.is_empty() {
            self.against_children(a_node, list)?;
        }
        self.outside.truncate(bottom);

        let (a_moving, b_moving) = (moving_lanes(a_node), moving_lanes(b_node));
        let lanes = a_node.bounds.overlaps(&BoxQuery::new(&b.1)) & a_node.child_mask;
        for lane in set_bits(u64::from(lanes)) {
            let bounds = a_node.bounds.get(lane);
            let partners = if a_moving >> lane & 1 == 1 { b_node.child_mask } else { b_moving };
            let others = b_node.bounds.overlaps(&BoxQuery::new(&bounds)) & partners;
            for other in set_bits(u64::from(others)) {
                let b = (b_node.child_node(other), b_node.bounds.get(other));
                self.visit(Work::Between((a_node.child_node(lane), bounds), b))?;
            }
        }
        ControlFlow::Continue(())
    }
}
