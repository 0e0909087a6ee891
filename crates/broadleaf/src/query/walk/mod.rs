//! The only descent loop. A question is a test of eight boxes and what to do
//! with a hit; the mask that a test returns drives the traversal.

pub(super) mod best_first;
mod stack;

use super::filter::Filter;
use crate::Handle;
use crate::data::blocks::block::Block;
use crate::data::grid::levels::Split;
use crate::data::ids::{BlockId, Location, NodeId, ObjectWord};
use crate::data::nodes::node::Node;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH, any_bit, set_bits};
use core::ops::ControlFlow;
use stack::TraversalStack;

/// What is asked of nodes and objects.
pub(crate) trait Question {
    /// What a node's contents inherit from the test of the node.
    type Carry: Copy;
    /// What the test of eight boxes says beside the mask.
    type Lanes: Copy;
    /// Whether lanes come in the order of [`Question::next`], and are left out
    /// once they are not [`Question::still`] wanted. Else all are visited, the
    /// lowest first.
    const ORDERED: bool = false;
    /// Whether the hits of a whole bucket are gathered before the first is
    /// handed out, rather than those of each block.
    const GATHERED: bool = false;
    /// Whether a node's blocks go to [`Question::take`], whatever their order,
    /// rather than their objects to [`Question::hit`].
    const TAKES_BLOCKS: bool = false;
    /// Whether nothing is counted, and the layers alone tell objects apart.
    const PLAIN: bool = false;

    /// What the root inherits.
    fn start(&self) -> Self::Carry;
    /// Tests eight finite boxes, some of which may be empty lanes.
    fn test(&self, boxes: &Boxes, carry: Self::Carry) -> (LaneMask, Self::Lanes);
    /// Tests eight objects: at least as generous as the exact test that
    /// [`Question::hit`] may do.
    #[inline(always)]
    fn test_objects(&self, boxes: &Boxes, carry: Self::Carry) -> (LaneMask, Self::Lanes) {
        self.test(boxes, carry)
    }
    /// What the contents of a lane inherit.
    fn carry(&self, lanes: &Self::Lanes, lane: usize) -> Self::Carry;
    /// Of the `spheres` among the lanes that passed the box test, those that pass their own.
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Self::Lanes) -> LaneMask;
    /// An object that passed; only of questions that do not take blocks.
    fn hit(&mut self, _object: FoundObject<'_, Self::Lanes>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Of the lanes that wait, those still worth a visit after what has been
    /// met since; only of ordered questions.
    #[inline]
    fn still_wanted(&self, deferred: LaneMask, _lanes: &Self::Lanes) -> LaneMask {
        deferred
    }
    /// Which of the lanes that wait comes next, where they are octants of a
    /// cell that divides so; only of ordered questions.
    #[inline]
    fn next(&self, deferred: LaneMask, _lanes: &Self::Lanes, _split: Split) -> usize {
        deferred.trailing_zeros() as usize
    }
    /// Which of the lanes that wait comes next, where they are those of a pile; only of ordered questions.
    fn nearest(&self, deferred: LaneMask, _lanes: &Self::Lanes) -> usize {
        deferred.trailing_zeros() as usize
    }
    /// The lanes of a block that passed; only of questions that take blocks.
    #[inline]
    fn take(&mut self, _id: BlockId, _block: &Block, _passed: LaneMask, _lanes: &Self::Lanes) {}
    /// Blocks of a node, some of whose lanes passed, have been taken.
    #[inline]
    fn taken(&mut self) {}
}

/// An object in a lane that passed the tests.
pub(crate) struct FoundObject<'a, L> {
    pub(crate) word: ObjectWord,
    pub(crate) at: Location,
    pub(crate) lanes: &'a L,
    block: &'a Block,
}

impl<L> FoundObject<'_, L> {
    #[inline]
    pub(crate) fn handle(&self) -> Handle {
        self.block.handle(self.at.lane())
    }
}

/// Asks a question of the objects that pass a filter.
#[inline]
pub(crate) fn walk<Q: Question>(view: View<'_>, filter: &mut Filter<'_>, question: &mut Q) -> QueryStats {
    let mut walk = Walk { view, filter, question, stats: QueryStats::default() };
    if !walk.filter.is_empty() {
        let _ = walk.run();
    }
    walk.stats
}

pub(super) struct Walk<'a, 'q, 'f, Q> {
    pub(super) view: View<'a>,
    pub(super) filter: &'q mut Filter<'f>,
    pub(super) question: &'q mut Q,
    pub(super) stats: QueryStats,
}

/// What each step does is inlined for certain: a call would hand over through
/// memory what lies in registers.
impl<Q: Question> Walk<'_, '_, '_, Q> {
    fn run(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        if data.outsized.is_node() {
            self.pile(data.outsized, self.question.start())?;
        }
        if data.root.is_node() { self.descend(data.root) } else { ControlFlow::Continue(()) }
    }

    /// Goes through a pile. Its bounds may be infinite. Recursion is as deep as
    /// a pile is high, at most ten.
    #[cold]
    pub(super) fn pile(&mut self, id: NodeId, carry: Q::Carry) -> ControlFlow<()> {
        if !Q::PLAIN {
            self.stats.nodes_visited += 1;
        }
        let data = self.view.data;
        let node = &data.nodes[id];
        let (mask, lanes) = self.question.test(&node.bounds.clamped_to_finite(), carry);
        let mut mask = mask & node.child_mask & self.filter.node_lanes(&node.memberships);
        while mask != 0 {
            let lane = if Q::ORDERED { self.question.nearest(mask, &lanes) } else { mask.trailing_zeros() as usize };
            let carry = self.question.carry(&lanes, lane);
            if node.is_bucket {
                let id = node.child_block(lane);
                let block = &data.blocks[id];
                self.block(id, block, &block.boxes.clamped_to_finite(), node.occupied[lane], carry)?;
            } else {
                self.pile(node.child_node(lane), carry)?;
            }
            mask &= !(1 << lane);
            if Q::ORDERED {
                mask = self.question.still_wanted(mask, &lanes);
            }
        }
        ControlFlow::Continue(())
    }

    /// Goes down to the first lane that passes, and comes back to the others.
    fn descend(&mut self, root: NodeId) -> ControlFlow<()> {
        let data = self.view.data;
        let mut stack = TraversalStack::<Q>::new();
        let (mut id, mut carry) = (root, self.question.start());
        loop {
            if !Q::PLAIN {
                self.stats.nodes_visited += 1;
            }
            let node = &data.nodes[id];
            let (mut mask, lanes) = self.question.test(&node.bounds, carry);
            mask &= node.child_mask & self.filter.node_lanes(&node.memberships);
            if node.is_bucket {
                self.bucket(node, mask, &lanes)?;
            } else {
                if node.residents.is_node() {
                    self.pile(node.residents, carry)?;
                }
                if mask != 0 {
                    (id, carry) = stack.enter(self.question, &data.nodes, (id, node), mask, &lanes);
                    continue;
                }
            }
            let Some(next) = stack.next(self.question, &data.nodes) else { return ControlFlow::Continue(()) };
            (id, carry) = next;
        }
    }

    #[inline(always)]
    fn bucket(&mut self, node: &Node, mut mask: LaneMask, lanes: &Q::Lanes) -> ControlFlow<()> {
        if Q::TAKES_BLOCKS {
            self.take_all(node, mask, lanes);
            return ControlFlow::Continue(());
        }
        if Q::GATHERED {
            return self.gather(node, mask, lanes);
        }
        let blocks = &self.view.data.blocks;
        while mask != 0 {
            let lane =
                if Q::ORDERED { self.question.next(mask, lanes, Split::CUBE) } else { mask.trailing_zeros() as usize };
            mask &= !(1 << lane);
            let id = node.child_block(lane);
            let block = &blocks[id];
            self.block(id, block, &block.boxes, node.occupied[lane % WIDTH], self.question.carry(lanes, lane))?;
            if Q::ORDERED {
                mask = self.question.still_wanted(mask, lanes);
            }
        }
        ControlFlow::Continue(())
    }

    /// Has the question take the blocks in some lanes of a bucket.
    #[inline(always)]
    fn take_all(&mut self, node: &Node, mask: LaneMask, lanes: &Q::Lanes) {
        let blocks = &self.view.data.blocks;
        let mut passed = 0;
        for lane in set_bits(u64::from(mask)) {
            let id = node.child_block(lane);
            passed |= self.take(id, &blocks[id], node.occupied[lane], self.question.carry(lanes, lane));
        }
        // Mostly nothing has passed, and what follows need not wait to know.
        if passed != 0 {
            self.question.taken();
        }
    }

    /// Has the question take what passes of a block.
    #[inline(always)]
    fn take(&mut self, id: BlockId, block: &Block, occupied: LaneMask, carry: Q::Carry) -> LaneMask {
        let (passed, lanes) = self.look(id, block, &block.boxes, occupied, carry);
        self.question.take(id, block, passed, &lanes);
        passed
    }

    /// Tests the blocks in some lanes of a bucket, and then hands out the
    /// hits: one loop that ends unpredictably, not one a block.
    #[inline(always)]
    fn gather(&mut self, node: &Node, mask: LaneMask, lanes: &Q::Lanes) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        let mut hits = 0;
        let mut inner = [*lanes; WIDTH];
        for lane in set_bits(u64::from(mask)) {
            let (id, carry) = (node.child_block(lane), self.question.carry(lanes, lane));
            let block = &blocks[id];
            let passed;
            (passed, inner[lane]) = self.look(id, block, &block.boxes, node.occupied[lane], carry);
            hits |= u64::from(passed) << (8 * lane);
        }
        for bit in set_bits(hits) {
            let id = node.child_block(bit / 8);
            self.found(id, &blocks[id], bit % 8, &inner[bit / 8])?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    pub(super) fn block(
        &mut self,
        id: BlockId,
        block: &Block,
        boxes: &Boxes,
        occupied: LaneMask,
        carry: Q::Carry,
    ) -> ControlFlow<()> {
        let (passed, lanes) = self.look(id, block, boxes, occupied, carry);
        if Q::TAKES_BLOCKS {
            self.question.take(id, block, passed, &lanes);
            self.question.taken();
            return ControlFlow::Continue(());
        }
        for lane in set_bits(u64::from(passed)) {
            self.found(id, block, lane, &lanes)?;
        }
        ControlFlow::Continue(())
    }

    /// Hands out an object.
    #[inline]
    fn found(&mut self, id: BlockId, block: &Block, lane: usize, lanes: &Q::Lanes) -> ControlFlow<()> {
        if !Q::PLAIN {
            self.stats.hits += 1;
        }
        let (word, at) = (block.objects[lane % WIDTH], Location::new(id, lane));
        self.question.hit(FoundObject { word, at, lanes, block })
    }

    /// The lanes of a block that pass all tests.
    #[inline(always)]
    fn look(
        &mut self,
        id: BlockId,
        block: &Block,
        boxes: &Boxes,
        occupied: LaneMask,
        carry: Q::Carry,
    ) -> (LaneMask, Q::Lanes) {
        if !Q::PLAIN {
            self.stats.objects_tested += u64::from(occupied.count_ones());
        }
        let (mask, mut lanes) = self.question.test_objects(boxes, carry);
        let mut mask = mask & occupied;
        let blocks = &self.view.data.blocks;
        if let Some(layers) = self.filter.layers
            && let Some(memberships) = blocks.memberships_of(id)
        {
            mask &= any_bit(memberships, layers);
        }
        if blocks.any_spheres() {
            let spheres = mask & any_bit(&block.objects.map(|word| word.0), ObjectWord::SPHERE);
            if spheres != 0 {
                mask &= !spheres | self.question.refine(blocks.spheres_of(id), spheres, &mut lanes);
            }
        }
        if !Q::PLAIN && mask != 0 && !self.filter.is_plain() {
            mask = self.filter.narrow(block, mask);
        }
        (mask, lanes)
    }
}
