//! The pair pass: all overlapping pairs, each once.
//!
//! The pass descends from the root. A branch holds its residents (objects that no child's
//! cell holds) in a pile: a small tree of buckets of its own. The pass carries the residents
//! of ancestors down as a list of whole buckets, the carried buckets. At each child it drops
//! those that do not overlap the child. Where the fitted bounds of two sibling subtrees
//! overlap, both are walked at the same time.
//!
//! ```text
//! own(node, list):      pairs within the subtree, and of the carried buckets with it
//! against(node, list):  pairs of the carried buckets with the subtree, not those within it
//! between(a, b):        pairs of one object of subtree a with one of subtree b
//! ```
//!
//! An example, in two dimensions. A root has the resident r, and the children A and B,
//! which overlap; A is a branch with the buckets A1 and A2, B is a bucket.
//!
//! ```text
//!                  root: r                own(root, [])
//!                 /       \               own(pile of r, [])          pairs within {r}
//!                A         B              own(A, [r])                 r overlaps A
//!              /   \                        own(A1, [r])              pairs within A1; r with A1
//!             A1    A2                      own(A2, [])               r does not overlap A2
//!                                           between(A1, A2)           if their bounds overlap
//!                                         own(B, [r])                 pairs within B; r with B
//!                                         between(A, B)               A and B overlap:
//!                                           between(A1, B)            bucket with bucket
//!                                           between(A2, B)
//! ```
//!
//! If A and B were both branches with residents, between(A, B) would call against(B, residents
//! of A), and test the residents of B with the children of A.
//!
//! Each pair is found in exactly one step: in the bucket that holds both objects; where
//! the carried bucket of one meets the bucket of the other; or between the two children,
//! of the lowest common ancestor, that hold one object each.
//!
//! A step that cannot find a pair is skipped. Two static objects are never a pair: a subtree
//! of static objects alone is tested only with subtrees and carried buckets that hold a moving
//! one. Subtrees whose layers do not interact are not tested with one another.
//!
//! *Bound:* recursion is as deep as the tree, and the pile below it. A list of carried buckets
//! is filtered at each child, so it holds only buckets that overlap the child's fitted bounds.
//!
//! *Source:* C. Ericson, Real-Time Collision Detection, 2005: 7.3.1 for the list of
//! ancestors' objects (there not filtered on the way down), 6.3 for walking two subtrees at
//! once.

pub(super) mod blocks;
pub(super) mod bucket;
pub(super) mod carried;
pub(super) mod matches;
pub(super) mod sink;
pub(super) mod small;
#[cfg(feature = "parallel")]
pub(super) mod tasks;

use super::pair::Pair;
use crate::data::{Data, Node, NodeId, Take};
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, prefetch_code, set_bits};
use bucket::Bucket;
use carried::{CarriedList, CarriedStack};
use core::ops::ControlFlow;
use sink::Sink;

/// One step of the pass: work on one subtree or two.
#[derive(Debug, Clone)]
pub(super) enum PassStep {
    /// Pairs within a subtree, and of carried buckets with it.
    Own(NodeId, CarriedList),
    /// Pairs of carried buckets with a subtree.
    Against(NodeId, CarriedList),
    /// Pairs between two subtrees whose fitted bounds overlap. Neither is the root: the fitted bounds of
    /// a subtree are read from its parent.
    Between(NodeId, NodeId),
}

/// A node that is not the root, with the columns of its parent that hold its fitted bounds.
#[derive(Clone, Copy)]
struct Child<'a> {
    id: NodeId,
    /// The fitted bounds of all children of the parent, of this node too.
    siblings: &'a Boxes,
    /// The node's lane in `siblings`.
    lane: usize,
}

impl<'a> Child<'a> {
    #[inline]
    fn of(parent: &'a Node, lane: usize) -> Self {
        Self { id: parent.child_node(lane), siblings: &parent.bounds, lane }
    }

    /// The same for a node of which only the id is known: reads its parent.
    fn find(data: &'a Data, id: NodeId) -> Self {
        let node = &data.nodes[id];
        Self { id, siblings: &data.nodes[node.parent].bounds, lane: usize::from(node.lane) }
    }

    fn bucket(&self, data: &'a Data) -> Bucket<'a> {
        Bucket { node: &data.nodes[self.id], bounds: self.bounds() }
    }

    /// The node's fitted bounds.
    #[inline]
    fn bounds(&self) -> BoxQuery {
        BoxQuery::of_lane(self.siblings, self.lane)
    }
}

/// Decides whether a step is done now, or deferred so that another thread does it.
pub(super) trait Plan {
    /// Whether any step may be deferred.
    const SPLITS: bool;

    /// Records the step and returns true, if it is deferred. `found` is the number of pairs found so far: those
    /// of a deferred step come after them in the answer.
    fn defer(&mut self, data: &Data, carried: &CarriedStack<'_>, work: &PassStep, found: u64) -> bool;
}

/// Does every step at once, in order.
pub(super) struct Serial;

impl Plan for Serial {
    const SPLITS: bool = false;

    #[inline]
    fn defer(&mut self, _: &Data, _: &CarriedStack<'_>, _: &PassStep, _: u64) -> bool {
        false
    }
}

/// A pass over one tree.
pub(super) struct Pass<'a, 'b, T, P> {
    pub(super) data: &'a Data,
    pub(super) sink: Sink<'a, T>,
    /// The lists of carried buckets of all steps in progress.
    pub(super) carried: CarriedStack<'b>,
    pub(super) plan: P,
}

impl<'a, T: Take<Pair>, P: Plan> Pass<'a, '_, T, P> {
    /// Prefetches the code that most passes run.
    #[inline(always)]
    pub(super) fn prefetch_code_of_pass() {
        prefetch_code(Self::own as *const (), 0..40);
        Sink::<T>::prefetch_code_of_buckets();
        prefetch_code(Self::between as *const (), 0..10);
    }

    /// All pairs of the tree.
    pub(super) fn run(&mut self) -> ControlFlow<()> {
        let data = self.data;
        // The outsized objects are treated like residents of an ancestor of the root.
        if data.outsized.is_node() {
            self.visit(PassStep::Own(data.outsized, 0..0))?;
        }
        if data.root.is_node() {
            let list = if data.outsized.is_node() {
                self.carried.push_pile(data, data.outsized, &BoxQuery::new(&data.tree_bounds()))
            } else {
                0..0
            };
            self.visit(PassStep::Own(data.root, list))?;
        }
        ControlFlow::Continue(())
    }

    /// Does a step now, or defers it.
    #[inline(always)]
    fn visit(&mut self, work: PassStep) -> ControlFlow<()> {
        if P::SPLITS && self.plan.defer(self.data, &self.carried, &work, self.sink.stats.hits) {
            ControlFlow::Continue(())
        } else {
            self.perform(work)
        }
    }

    /// The same for [`PassStep::Between`]. Where no step is deferred, the children are passed as they are, and
    /// need not be found again by their ids.
    #[inline(always)]
    fn visit_between(&mut self, a: Child<'a>, b: Child<'a>) -> ControlFlow<()> {
        if P::SPLITS {
            self.visit(PassStep::Between(a.id, b.id))
        } else {
            self.sink.stats.nodes_visited += 1;
            self.between(a, b)
        }
    }

    /// Does a step now.
    #[inline(always)]
    pub(super) fn perform(&mut self, work: PassStep) -> ControlFlow<()> {
        self.sink.stats.nodes_visited += 1;
        match work {
            PassStep::Own(id, list) => self.own(id, list),
            PassStep::Against(id, list) => self.against(id, list),
            PassStep::Between(a, b) => self.between(Child::find(self.data, a), Child::find(self.data, b)),
        }
    }

    /// Pairs within a subtree, and of carried buckets with it. A pile is such a subtree too.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn own(&mut self, id: NodeId, list: CarriedList) -> ControlFlow<()> {
        let data = self.data;
        let node = &data.nodes[id];
        if node.is_bucket {
            self.sink.side.load(data, node, LaneMask::MAX);
            self.sink.within_side(node)?;
            return if list.is_empty() { ControlFlow::Continue(()) } else { self.list_with_bucket(list, node) };
        }
        for lane in set_bits(u64::from(node.child_mask)) {
            data.nodes[node.child_node(lane)].prefetch();
        }
        // Routing marks each carried bucket with the children in which it may have pairs. The stack from `start`
        // on holds the routed buckets of `list`, then those of this node's own residents.
        let bottom = self.carried.len();
        let start = if list.is_empty() { bottom } else { self.carried.route(data, list.clone(), node).start };
        if node.residents.is_node() {
            self.visit(PassStep::Own(node.residents, list))?;
            let residents = self.carried.push_pile(data, node.residents, &BoxQuery::new(&node.bounds.union()));
            self.carried.route(data, residents, node);
        }
        let routed = start..self.carried.len();
        let moving = node.moving_lanes();
        for lane in set_bits(u64::from(node.child_mask)) {
            let top = self.carried.len();
            let list = self.carried.push_lane(routed.clone(), lane);
            // Whether the child may hold pairs: not without a moving object, nor if its layers do not interact
            // with one another.
            let interacts = data.interacting(node.memberships[lane], node) >> lane & 1 == 1;
            let has_own = moving >> lane & 1 == 1 && interacts;
            if has_own || !list.is_empty() {
                self.visit(PassStep::Own(node.child_node(lane), list))?;
            }
            self.carried.truncate(top);
        }
        self.carried.truncate(bottom);

        for lane in set_bits(u64::from(node.child_mask)) {
            let query = BoxQuery::of_lane(&node.bounds, lane);
            // Lanes after this one: each two children are walked once.
            let later = (LaneMask::MAX << lane) << 1;
            let partners = if moving >> lane & 1 == 1 { node.child_mask } else { moving };
            let others =
                node.bounds.overlaps(&query) & later & partners & data.interacting(node.memberships[lane], node);
            for other in set_bits(u64::from(others)) {
                self.visit_between(Child::of(node, lane), Child::of(node, other))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Pairs of carried buckets with a bucket.
    fn list_with_bucket(&mut self, list: CarriedList, node: &Node) -> ControlFlow<()> {
        let bucket = Bucket { node, bounds: BoxQuery::new(&node.bounds.union()) };
        for index in list {
            let entry = self.carried.get(index);
            let carried = Bucket { node: &self.data.nodes[entry.bucket], bounds: BoxQuery::new(&entry.bounds) };
            self.sink.between_buckets(self.data, &carried, &bucket)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs of carried buckets with a subtree, its residents included.
    fn against(&mut self, id: NodeId, list: CarriedList) -> ControlFlow<()> {
        let node = &self.data.nodes[id];
        if node.is_bucket {
            return self.list_with_bucket(list, node);
        }
        if node.residents.is_node() {
            self.against(node.residents, list.clone())?;
        }
        self.against_children(node, list)
    }

    /// Pairs of carried buckets with the children of a branch, not with its residents.
    fn against_children(&mut self, node: &Node, list: CarriedList) -> ControlFlow<()> {
        let bottom = self.carried.len();
        let routed = self.carried.route(self.data, list, node);
        if !routed.is_empty() {
            for lane in set_bits(u64::from(node.child_mask)) {
                let top = self.carried.len();
                let list = self.carried.push_lane(routed.clone(), lane);
                if !list.is_empty() {
                    self.visit(PassStep::Against(node.child_node(lane), list))?;
                }
                self.carried.truncate(top);
            }
        }
        self.carried.truncate(bottom);
        ControlFlow::Continue(())
    }

    /// Pairs between two subtrees.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn between(&mut self, a: Child<'a>, b: Child<'a>) -> ControlFlow<()> {
        let data = self.data;
        let (a_node, b_node) = (&data.nodes[a.id], &data.nodes[b.id]);
        match (a_node.is_bucket, b_node.is_bucket) {
            (true, true) => self.sink.between_buckets(data, &a.bucket(data), &b.bucket(data)),
            (true, false) => self.bucket_with_branch(a, b),
            (false, true) => self.bucket_with_branch(b, a),
            (false, false) => self.between_branches(a, b),
        }
    }

    /// Pairs of a bucket with the residents and with the children of a branch.
    fn bucket_with_branch(&mut self, bucket: Child<'a>, branch: Child<'a>) -> ControlFlow<()> {
        let data = self.data;
        let (a, b) = (&data.nodes[bucket.id], &data.nodes[branch.id]);
        let bounds = bucket.bounds();
        if b.residents.is_node() {
            let bottom = self.carried.len();
            let list = self.carried.push_pile(data, b.residents, &bounds);
            self.list_with_bucket(list, a)?;
            self.carried.truncate(bottom);
        }
        let lanes = b.bounds.overlaps(&bounds) & b.child_mask;
        let lanes = if a.moving_bits() != 0 { lanes } else { lanes & b.moving_lanes() };
        let lanes = lanes & data.interacting(a.memberships.iter().fold(0, |all, m| all | m), b);
        for lane in set_bits(u64::from(lanes)) {
            self.visit_between(bucket, Child::of(b, lane))?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs between two branches: residents of `a` with all of `b`, residents of `b` with the children of `a`,
    /// children with children.
    fn between_branches(&mut self, a: Child<'a>, b: Child<'a>) -> ControlFlow<()> {
        let data = self.data;
        let (a_node, b_node) = (&data.nodes[a.id], &data.nodes[b.id]);
        let b_bounds = b.bounds();
        if a_node.residents.is_node() || b_node.residents.is_node() {
            let bottom = self.carried.len();
            let list = self.carried.push_pile(data, a_node.residents, &b_bounds);
            if !list.is_empty() {
                self.against(b.id, list)?;
            }
            self.carried.truncate(bottom);
            // The children only: the residents of `a` have been tested with those of `b` above.
            let list = self.carried.push_pile(data, b_node.residents, &a.bounds());
            if !list.is_empty() {
                self.against_children(a_node, list)?;
            }
            self.carried.truncate(bottom);
        }
        let (a_moving, b_moving) = (a_node.moving_lanes(), b_node.moving_lanes());
        let lanes = a_node.bounds.overlaps(&b_bounds) & a_node.child_mask;
        for lane in set_bits(u64::from(lanes)) {
            let partners = if a_moving >> lane & 1 == 1 { b_node.child_mask } else { b_moving };
            let others = b_node.bounds.overlaps(&BoxQuery::of_lane(&a_node.bounds, lane)) & partners;
            let others = others & data.interacting(a_node.memberships[lane], b_node);
            for other in set_bits(u64::from(others)) {
                self.visit_between(Child::of(a_node, lane), Child::of(b_node, other))?;
            }
        }
        ControlFlow::Continue(())
    }
}
