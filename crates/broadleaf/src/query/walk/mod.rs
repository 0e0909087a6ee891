//! The depth-first traversal: one loop for all questions. A question is a test of eight
//! boxes and an action for each hit; the mask that a test returns drives the traversal.
//!
//! ```text
//! push the root
//! while there is a node to visit:
//!     mask = question.test(bounds of its eight children) & lanes that exist & layers
//!     if the node is a bucket:   prefetch and queue the blocks in the mask     queue.rs
//!     else:                      go on with the pile of the node's residents,
//!                                or with the first child in the mask;
//!                                defer the others on the stack                stack.rs
//!     if the queue is full, or no node is left:
//!         test the objects of each block, and act on the hits
//! ```
//!
//! A question that ends at the first answer tests the blocks of a bucket immediately.
//!
//! Where the nearest answers are wanted, `nearest_first.rs` visits the nearest child first,
//! and drops those that have become too far; `best_first.rs` hands out answers in order
//! of distance, over a heap. All use the same tests of nodes and blocks.

pub(super) mod best_first;
pub(crate) mod nearest_first;
mod queue;
mod stack;

use crate::Handle;
use crate::data::{BLANK, Block, BlockId, Location, Node, NodeId, ObjectWord, QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH, any_bit, set_bits};
use crate::query::Filter;
use core::ops::ControlFlow;
use queue::{BlockQueue, QueuedBlock};
use stack::TraversalStack;

/// A question: its tests of nodes and objects, and its action for a hit.
pub(crate) trait Question {
    /// What a node's test passes on to the tests of its contents.
    type Carry: Copy;
    /// The result of a test of eight boxes beside the mask, such as distances.
    type Lanes: Copy;
    /// Whether the question ends at the first answer.
    const ENDS_AT_FIRST: bool = false;
    /// Whether nobody asks for counts, and objects are selected by layers alone.
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
    /// An object that passed.
    fn hit(&mut self, object: FoundObject<'_, Self::Lanes>) -> ControlFlow<()>;
    /// Objects that passed, one for each set bit. Called for plain questions only.
    #[inline(always)]
    fn hit_all<'b>(&mut self, bits: u64, object: impl Fn(usize) -> FoundObject<'b, Self::Lanes>) -> ControlFlow<()>
    where
        Self::Lanes: 'b,
    {
        set_bits(bits).try_for_each(|bit| self.hit(object(bit)))
    }
}

/// An object in a lane that passed the tests.
pub(crate) struct FoundObject<'a, L> {
    pub(crate) word: ObjectWord,
    pub(crate) at: Location,
    pub(crate) lanes: &'a L,
    block: &'a Block,
}

impl<'a, L> FoundObject<'a, L> {
    #[inline(always)]
    fn new(id: BlockId, block: &'a Block, lane: usize, lanes: &'a L) -> Self {
        Self { word: block.objects[lane % WIDTH], at: Location::new(id, lane), lanes, block }
    }

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

/// Each step is always inlined: a call would pass in memory what is in registers.
impl<Q: Question> Walk<'_, '_, '_, Q> {
    fn run(&mut self) -> ControlFlow<()> {
        self.outsized()?;
        let root = self.view.data.root;
        if root.is_node() { self.descend(root) } else { ControlFlow::Continue(()) }
    }

    /// Goes through the outsized objects, which come first.
    pub(super) fn outsized(&mut self) -> ControlFlow<()> {
        let pile = self.view.data.outsized;
        if pile.is_node() { self.pile(pile, self.question.start(), false) } else { ControlFlow::Continue(()) }
    }

    /// Counts a node, and drops from the lanes that passed its test those without a child,
    /// or without objects of the layers.
    // Not joined with the test: its other results would be copied.
    #[inline(always)]
    pub(super) fn visit_node(&mut self, node: &Node, passed: LaneMask) -> LaneMask {
        if !Q::PLAIN {
            self.stats.nodes_visited += 1;
        }
        passed & node.child_mask & self.filter.node_lanes(&node.memberships)
    }

    /// Goes through a pile, whose bounds are finite if it is `bounded`: that of residents is, that of outsized objects
    /// may not be. Recursion is as deep as a pile is high, at most nine nodes.
    #[cold]
    pub(super) fn pile(&mut self, id: NodeId, carry: Q::Carry, bounded: bool) -> ControlFlow<()> {
        let data = self.view.data;
        let node = &data.nodes[id];
        let finite = |boxes: &Boxes| if bounded { *boxes } else { boxes.clamped_to_finite() };
        // The objects of one block are tested as quickly as its bounds; they inherit what the pile does.
        let is_block = bounded && node.is_bucket && node.child_mask == 1;
        let (passed, lanes) = if is_block {
            (1, None)
        } else {
            let (passed, lanes) = self.question.test(&finite(&node.bounds), carry);
            (passed, Some(lanes))
        };
        for lane in set_bits(u64::from(self.visit_node(node, passed))) {
            let carry = lanes.map_or(carry, |lanes| self.question.carry(&lanes, lane));
            if node.is_bucket {
                let id = node.child_block(lane);
                let block = &data.blocks[id];
                self.block(id, block, &finite(&block.boxes), node.occupied(lane), carry)?;
            } else {
                self.pile(node.child_node(lane), carry, bounded)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the tree depth first. Blocks that pass are queued, and tested when the queue is full or no node is left.
    fn descend(&mut self, root: NodeId) -> ControlFlow<()> {
        let data = self.view.data;
        let (mut stack, mut queue) = (TraversalStack::<Q>::new(), BlockQueue::<Q>::new());
        let (mut id, mut carry) = (root, self.question.start());
        loop {
            let node = &data.nodes[id];
            let (passed, lanes) = self.question.test(&node.bounds, carry);
            let mask = self.visit_node(node, passed);
            if node.is_bucket {
                if Q::ENDS_AT_FIRST {
                    self.bucket(node, mask, &lanes)?;
                } else {
                    queue.add(self.question, &data.blocks, node, mask, &lanes);
                }
            } else if mask != 0 || node.residents.is_node() {
                (id, carry) = stack.enter(self.question, &data.nodes, node, carry, mask, &lanes);
                continue;
            }
            let next = stack.next();
            if !Q::ENDS_AT_FIRST && (next.is_none() || queue.is_full()) {
                self.test_queued_blocks(&queue, &lanes)?;
                queue.clear();
            }
            let Some(next) = next else { return ControlFlow::Continue(()) };
            (id, carry) = next;
        }
    }

    /// Tests the objects of the blocks in some lanes of a bucket, block by block.
    #[inline(always)]
    pub(super) fn bucket(&mut self, node: &Node, mask: LaneMask, lanes: &Q::Lanes) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        for lane in set_bits(u64::from(mask)) {
            let id = node.child_block(lane);
            let block = &blocks[id];
            self.block(id, block, &block.boxes, node.occupied(lane % WIDTH), self.question.carry(lanes, lane))?;
        }
        ControlFlow::Continue(())
    }

    /// Tests the objects of the queued blocks. The hits of eight blocks are handed out in one loop,
    /// because the end of each loop is a misprediction. The lanes' array starts as copies of `initial`;
    /// unused entries are never read.
    #[inline(always)]
    fn test_queued_blocks(&mut self, queue: &BlockQueue<'_, Q>, initial: &Q::Lanes) -> ControlFlow<()> {
        for group in queue.groups() {
            let (mut hits, mut lanes) = (0, [*initial; WIDTH]);
            // In arrays of their own: most answers do not need the ids.
            let (mut ids, mut blocks) = ([BlockId(0); WIDTH], [&BLANK; WIDTH]);
            for (index, &QueuedBlock { block, id, occupied, carry }) in group.iter().enumerate() {
                (ids[index % WIDTH], blocks[index % WIDTH]) = (id, block);
                let passed;
                (passed, lanes[index % WIDTH]) = self.look(id, block, &block.boxes, occupied, carry);
                hits |= u64::from(passed) << (8 * index);
            }
            self.found_all(hits, |bit| {
                let index = bit / 8 % WIDTH;
                FoundObject::new(ids[index], blocks[index], bit % 8, &lanes[index])
            })?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    pub(super) fn block(
        &mut self,
        id: BlockId,
        block: &Block,
        boxes: &Boxes,
        occupied: LaneMask,
        carry: Q::Carry,
    ) -> ControlFlow<()> {
        let (passed, lanes) = self.look(id, block, boxes, occupied, carry);
        self.found_all(u64::from(passed), |lane| FoundObject::new(id, block, lane, &lanes))
    }

    /// Hands out the objects of some bits.
    #[inline(always)]
    pub(super) fn found_all<'b>(
        &mut self,
        bits: u64,
        object: impl Fn(usize) -> FoundObject<'b, Q::Lanes>,
    ) -> ControlFlow<()>
    where
        Q::Lanes: 'b,
    {
        if Q::PLAIN {
            return self.question.hit_all(bits, object);
        }
        for bit in set_bits(bits) {
            self.stats.hits += 1;
            self.question.hit(object(bit))?;
        }
        ControlFlow::Continue(())
    }

    /// The lanes of a block that pass all tests.
    #[inline(always)]
    pub(super) fn look(
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
            let spheres = mask & block.sphere_lanes();
            if spheres != 0 {
                // A copy: without spheres the lanes stay in registers.
                let mut refined = lanes;
                mask &= !spheres | self.question.refine(blocks.spheres_of(id), spheres, &mut refined);
                lanes = refined;
            }
        }
        if !Q::PLAIN && mask != 0 && !self.filter.is_plain() {
            mask = self.filter.narrow(block, mask);
        }
        (mask, lanes)
    }
}
