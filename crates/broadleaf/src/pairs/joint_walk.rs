//! The partners of many objects: up to 64 walk the tree together, and each node is visited once for all that overlap
//! it.
//!
//! ```text
//! walk(node, members of the group that overlap it):   64 bits
//!     for each member:
//!         lanes = children whose fitted bounds overlap its box, and whose layers may interact with its own
//!         if the node is a bucket:   prefetch the blocks in lanes, and queue a test of each with the member
//!         else:                      add the member to those of each child in lanes          no branch
//!     for the residents, and each child with members: walk(child, its members)
//!
//! where the queue is full, and at the end:
//!     for each test:      mask = objects of the block that overlap the member's box; keep it if there are any
//!     for each of these:  exact tests of layers and spheres, then the visitor
//! ```
//!
//! Objects that are near one another share most nodes: each is fetched once, and all its children at once. An object
//! that walks alone waits for each.
//!
//! *Cost:* one test of eight boxes for each member and each node or block that it overlaps, beside its partners.

use super::pass::sink::interact;
use crate::Handle;
use crate::data::{BlockId, Location, Node, NodeId, ObjectWord, QueryStats, View};
use crate::geometry::lanes::{BoxQuery, LaneMask, WIDTH, set_bits};
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// So many objects walk the tree together.
pub(super) const GROUP_LEN: usize = 64;
/// Tests that the queue has room for: those of two buckets with a whole group.
const QUEUE_LEN: usize = 2 * GROUP_LEN * WIDTH;

/// One of two objects that overlap.
pub(super) type Side = (ObjectWord, Handle);

impl View<'_> {
    /// Visits some objects with their partners. The visitor gets the object first. Pairs of two static objects are not
    /// left out. Hits are not counted.
    pub(super) fn partners_of_many(
        self,
        objects: &[Location],
        visit: impl FnMut(Side, Side) -> ControlFlow<()>,
    ) -> QueryStats {
        let (stats, queue) = (QueryStats::default(), ArrayVec::new());
        let mut walk = JointWalk { view: self, visit, stats, group: &[], queue };
        for group in objects.chunks(GROUP_LEN) {
            walk.group = group;
            if walk.run().is_break() {
                break;
            }
        }
        walk.stats
    }
}

/// A block that may hold partners of a member.
#[derive(Clone, Copy)]
struct BlockTest {
    block: BlockId,
    member: u8,
    /// The lanes that hold an object; after the test, those whose object overlaps the member.
    lanes: LaneMask,
}

struct JointWalk<'a, F> {
    view: View<'a>,
    visit: F,
    stats: QueryStats,
    /// Where the members of the group are.
    group: &'a [Location],
    queue: ArrayVec<BlockTest, QUEUE_LEN>,
}

impl<'a, F: FnMut(Side, Side) -> ControlFlow<()>> JointWalk<'a, F> {
    /// Walks the tree with the group, of at least one object.
    fn run(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        for at in self.group {
            let block = &data.blocks[at.block()];
            block.prefetch();
        }
        let all = u64::MAX >> (GROUP_LEN - self.group.len());
        for root in [data.outsized, data.root] {
            if root.is_node() {
                self.walk(root, all)?;
            }
        }
        self.test_queued_blocks()
    }

    /// Walks a subtree or a pile with some members. Recursion is as deep as the tree, and the pile below it.
    fn walk(&mut self, id: NodeId, members: u64) -> ControlFlow<()> {
        let data = self.view.data;
        let node = &data.nodes[id];
        self.stats.nodes_visited += 1;
        if node.is_bucket {
            return self.queue_blocks(node, members);
        }
        let mut of_lanes = [0; WIDTH];
        for member in set_bits(members) {
            let lanes = self.lanes_of(member, node);
            for (lane, members) in of_lanes.iter_mut().enumerate() {
                *members |= u64::from(lanes >> lane & 1) << member;
            }
        }
        let children = || of_lanes.iter().enumerate().filter(|&(_, &members)| members != 0);
        for (lane, _) in children() {
            data.nodes[node.child_node(lane)].prefetch();
        }
        if node.residents.is_node() {
            self.walk(node.residents, members)?;
        }
        for (lane, &members) in children() {
            self.walk(node.child_node(lane), members)?;
        }
        ControlFlow::Continue(())
    }

    /// Queues the tests of a bucket's blocks.
    #[expect(clippy::cast_possible_truncation, reason = "below 64")]
    fn queue_blocks(&mut self, bucket: &Node, members: u64) -> ControlFlow<()> {
        if self.queue.remaining_capacity() < GROUP_LEN * WIDTH {
            self.test_queued_blocks()?;
        }
        let blocks = &self.view.data.blocks;
        for member in set_bits(members) {
            for lane in set_bits(u64::from(self.lanes_of(member, bucket))) {
                let (id, lanes) = (bucket.child_block(lane), bucket.occupied(lane));
                let block = &blocks[id];
                block.prefetch();
                self.queue.push(BlockTest { block: id, member: member as u8, lanes });
            }
        }
        ControlFlow::Continue(())
    }

    /// The lanes of a node that may hold partners of a member.
    #[inline(always)]
    fn lanes_of(&self, member: usize, node: &Node) -> LaneMask {
        let data = self.view.data;
        let lanes = node.bounds.overlaps(&self.query(member)) & node.child_mask;
        lanes & data.interacting(data.blocks.membership(self.group[member]), node)
    }

    #[inline(always)]
    fn query(&self, member: usize) -> BoxQuery {
        let at = self.group[member];
        BoxQuery::of_lane(&self.view.data.blocks[at.block()].boxes, at.lane())
    }

    /// Tests the objects of the queued blocks, and hands out the pairs.
    #[inline(never)]
    fn test_queued_blocks(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        let mut len = 0;
        for index in 0..self.queue.len() {
            let test = self.queue[index];
            self.stats.objects_tested += u64::from(test.lanes.count_ones());
            let member = usize::from(test.member);
            let at = self.group[member];
            // Left out at once: most tests with the member's own block find nothing else.
            let itself = LaneMask::from(at.block() == test.block) << at.lane();
            let mut lanes = data.blocks[test.block].boxes.overlaps(&self.query(member)) & test.lanes & !itself;
            lanes &= data.lanes_that_may_interact(at, test.block);
            self.queue[len] = BlockTest { lanes, ..test };
            len += usize::from(lanes != 0);
        }
        let Self { visit, group, queue, .. } = self;
        for test in &queue[..len] {
            let (at, block) = (group[usize::from(test.member)], &data.blocks[test.block]);
            let (word, handle) = data.blocks[at.block()].object(at.lane());
            for lane in set_bits(u64::from(test.lanes)) {
                let (partner, handle_of_partner) = block.object(lane);
                if (word.0 | partner.0) & (ObjectWord::SPHERE | ObjectWord::LAYERED) == 0
                    || interact(data, (word, at), (partner, Location::new(test.block, lane)))
                {
                    visit((word, handle), (partner, handle_of_partner))?;
                }
            }
        }
        queue.clear();
        ControlFlow::Continue(())
    }
}
