//! The only descent loop. A question is a test of eight boxes and what to do
//! with a hit; the mask that a test returns drives the traversal.

use crate::Handle;
use crate::data::blocks::Block;
use crate::data::ids::{BlockId, Location, NodeId, ObjectWord};
use crate::data::nodes::Node;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH, any_bit, set_bits, set_bits_down, turned};
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// Entries that wait on a descent: at most seven of each of 28 levels, and eight of the last.
const STACK: usize = 8 * 28;

/// What is asked of nodes and objects.
pub(crate) trait Question {
    /// What a node's contents inherit from the test of the node.
    type Carry: Copy;
    /// What the test of eight boxes says beside the mask.
    type Lanes: Copy;
    /// Whether nearer lanes are to be visited first.
    const ORDERED: bool = false;
    /// Whether an ordered question goes one way: then nearer octants come
    /// first, whatever their bounds, and nothing is sorted.
    const DIRECTED: bool = false;
    /// Whether the hits of a whole bucket are gathered before the first is
    /// handed out, rather than those of each block.
    const GATHERED: bool = false;

    /// What the root inherits.
    fn start(&self) -> Self::Carry;
    /// Tests eight finite boxes, some of which may be empty lanes.
    fn test(&self, boxes: &Boxes, carry: Self::Carry) -> (LaneMask, Self::Lanes);
    /// What the contents of a lane inherit.
    fn carry(&self, lanes: &Self::Lanes, lane: usize) -> Self::Carry;
    /// Of the `spheres` among the lanes that passed the box test, those that pass their own.
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Self::Lanes) -> LaneMask;
    /// An object that passed.
    fn hit(&mut self, object: Found<'_, Self::Lanes>) -> ControlFlow<()>;

    /// Whether a node found earlier is still worth a visit.
    fn is_wanted(&self, _carry: Self::Carry) -> bool {
        true
    }
    /// How near a lane is; only of ordered questions that are not directed.
    fn nearness(&self, _lanes: &Self::Lanes, _lane: usize) -> f32 {
        0.0
    }
    /// The octant that comes first; only of directed questions.
    fn octant_first(&self) -> usize {
        0
    }
}

/// An object in a lane that passed the tests.
pub(crate) struct Found<'a, L> {
    pub(crate) word: ObjectWord,
    pub(crate) at: Location,
    pub(crate) lanes: &'a L,
    block: &'a Block,
}

impl<L> Found<'_, L> {
    #[inline]
    pub(crate) fn handle(&self) -> Handle {
        self.block.handle(self.at.lane())
    }
}

/// Asks a question of all objects that interact with `layers`.
pub(crate) fn walk<Q: Question>(view: View<'_>, layers: Layers, question: &mut Q) -> QueryStats {
    let mut walk = Walk { view, layers, question, stats: QueryStats::default() };
    // Objects on all layers interact unless the question is on none.
    if layers.interacts(Layers::ALL) {
        let _ = walk.run();
    }
    walk.stats
}

pub(super) struct Walk<'a, 'q, Q> {
    pub(super) view: View<'a>,
    pub(super) layers: Layers,
    pub(super) question: &'q mut Q,
    pub(super) stats: QueryStats,
}

impl<Q: Question> Walk<'_, '_, Q> {
    fn run(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        for (id, occupied) in data.blocks.chain_of(data.outsized, data.outsized_len) {
            let block = &data.blocks[id];
            self.block(id, block, &block.boxes.clamped_to_finite(), occupied, self.question.start())?;
        }
        if data.root.is_node() { self.descend(data.root) } else { ControlFlow::Continue(()) }
    }

    /// Goes down to the first lane that passes, and keeps the others for later.
    fn descend(&mut self, root: NodeId) -> ControlFlow<()> {
        let data = self.view.data;
        let first = if Q::DIRECTED { self.question.octant_first() } else { 0 };
        let mut stack = ArrayVec::<(NodeId, Q::Carry), STACK>::new();
        let (mut id, mut carry) = (root, self.question.start());
        loop {
            self.stats.nodes_visited += 1;
            let node = &data.nodes[id];
            let (mut mask, lanes) = self.question.test(&node.bounds, carry);
            mask &= node.child_mask;
            if self.layers.filters != u32::MAX {
                mask &= any_bit(&node.memberships, self.layers.filters);
            }
            if node.is_bucket {
                self.bucket(node, mask, &lanes)?;
            } else {
                self.residents(node, carry)?;
                if mask != 0 {
                    let entry = |lane: usize| (node.child_node(lane), self.question.carry(&lanes, lane));
                    // The last entry pushed is the first taken.
                    (id, carry) = if Q::ORDERED && !Q::DIRECTED {
                        let order = self.by_nearness(mask, &lanes);
                        stack.extend(order[1..].iter().rev().map(|&lane| entry(lane)));
                        entry(order[0])
                    } else {
                        let turned = if Q::DIRECTED { turned(mask, first) } else { mask };
                        for bit in set_bits_down(turned & (turned - 1)) {
                            let entry = entry(bit ^ first);
                            if !Q::ORDERED {
                                // It is visited for certain: reading a word has its memory under way.
                                core::hint::black_box(data.nodes[entry.0].child_mask);
                            }
                            stack.push(entry);
                        }
                        entry(turned.trailing_zeros() as usize ^ first)
                    };
                    continue;
                }
            }
            loop {
                let Some(next) = stack.pop() else { return ControlFlow::Continue(()) };
                (id, carry) = next;
                if self.question.is_wanted(carry) {
                    break;
                }
            }
        }
    }

    #[inline]
    fn residents(&mut self, node: &Node, carry: Q::Carry) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        for (id, occupied) in blocks.chain_of(node.residents, node.residents_len) {
            let block = &blocks[id];
            self.block(id, block, &block.boxes, occupied, carry)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn bucket(&mut self, node: &Node, mask: LaneMask, lanes: &Q::Lanes) -> ControlFlow<()> {
        if Q::GATHERED {
            return self.gather(node, mask, lanes);
        }
        let data = self.view.data;
        if Q::ORDERED {
            for lane in self.by_nearness(mask, lanes) {
                let carry = self.question.carry(lanes, lane);
                if self.question.is_wanted(carry) {
                    let id = node.child_block(lane);
                    let block = &data.blocks[id];
                    self.block(id, block, &block.boxes, node.occupied[lane], carry)?;
                }
            }
        } else {
            for lane in set_bits(u64::from(mask)) {
                let id = node.child_block(lane);
                let block = &data.blocks[id];
                self.block(id, block, &block.boxes, node.occupied[lane], self.question.carry(lanes, lane))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Tests the blocks in some lanes of a bucket, and then hands out the
    /// hits: one loop that ends unpredictably, not one a block.
    #[inline]
    fn gather(&mut self, node: &Node, mask: LaneMask, lanes: &Q::Lanes) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        let mut hits = 0;
        let mut inner = [*lanes; WIDTH];
        for lane in set_bits(u64::from(mask)) {
            let (id, occupied) = (node.child_block(lane), node.occupied[lane]);
            self.stats.objects_tested += u64::from(occupied.count_ones());
            let block = &blocks[id];
            let passed;
            (passed, inner[lane]) = self.question.test(&block.boxes, self.question.carry(lanes, lane));
            let passed = self.refined(id, block, passed & occupied, &mut inner[lane]);
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
        self.stats.objects_tested += u64::from(occupied.count_ones());
        let (mask, mut lanes) = self.question.test(boxes, carry);
        let mask = mask & occupied;
        if mask == 0 {
            return ControlFlow::Continue(());
        }
        for lane in set_bits(u64::from(self.refined(id, block, mask, &mut lanes))) {
            self.found(id, block, lane, &lanes)?;
        }
        ControlFlow::Continue(())
    }

    /// Of the lanes that passed the box test, those that also pass the tests
    /// of memberships and of spheres.
    #[inline]
    fn refined(&self, id: BlockId, block: &Block, mut mask: LaneMask, lanes: &mut Q::Lanes) -> LaneMask {
        let blocks = &self.view.data.blocks;
        if self.layers.filters != u32::MAX
            && let Some(memberships) = blocks.memberships_of(id)
        {
            mask &= any_bit(memberships, self.layers.filters);
        }
        if blocks.any_spheres() {
            let spheres = mask & any_bit(&block.objects.map(|word| word.0), ObjectWord::SPHERE);
            if spheres != 0 {
                mask &= !spheres | self.question.refine(blocks.spheres_of(id), spheres, lanes);
            }
        }
        mask
    }

    /// Hands out an object, if its own layers interact too.
    #[inline]
    fn found(&mut self, id: BlockId, block: &Block, lane: usize, lanes: &Q::Lanes) -> ControlFlow<()> {
        let (word, at) = (block.objects[lane % 8], Location::new(id, lane));
        if word.has(ObjectWord::LAYERED) && !self.layers.interacts(self.view.data.layers(word, at)) {
            return ControlFlow::Continue(());
        }
        self.stats.hits += 1;
        self.question.hit(Found { word, at, lanes, block })
    }

    /// The lanes of a mask, nearest first.
    #[inline]
    fn by_nearness(&self, mask: LaneMask, lanes: &Q::Lanes) -> ArrayVec<usize, 8> {
        let mut order = ArrayVec::<usize, 8>::new();
        if mask.is_power_of_two() {
            order.push(mask.trailing_zeros() as usize);
            return order;
        }
        for lane in set_bits(u64::from(mask)) {
            let nearness = self.question.nearness(lanes, lane);
            let mut at = order.len();
            order.push(lane);
            while at > 0 && self.question.nearness(lanes, order[at - 1]) > nearness {
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = lane;
        }
        order
    }
}
