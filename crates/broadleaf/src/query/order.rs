//! Answers in order of distance, for as long as the caller wants more: the
//! best-first loop. Nodes, blocks and objects wait in one heap; what is
//! nearest comes next.

use super::distant::{Answer, Distant, settled};
use super::walk::{Found, Question, Walk};
use crate::data::ids::{BlockId, Location, NodeId, ObjectWord};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, WIDTH, any_bit, set_bits};
use alloc::collections::BinaryHeap;
use core::cmp::Ordering;
use core::ops::ControlFlow;

/// Working memory of questions that are answered in order of distance. Keep
/// one a thread and hand it in again: once grown, it allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct QueryScratch {
    waiting: BinaryHeap<Waiting>,
}

impl QueryScratch {
    /// Working memory that holds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// What an entry of the heap names. Of equally near ones, nodes and blocks
/// come before objects, for they may hold an object of a lower slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Node,
    Block,
    Object,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    bound: f32,
    kind: Kind,
    carry: u8,
    /// Node, block, or object word.
    id: u32,
    /// Where an object lies; the lanes of a block that hold one.
    at: u32,
}

impl Waiting {
    fn order(&self) -> (u32, Kind, u32) {
        // Bounds are not negative: their bits are in their order.
        let id = if self.kind == Kind::Object { ObjectWord(self.id).row().0 } else { self.id };
        (self.bound.to_bits(), self.kind, id)
    }
}

impl Ord for Waiting {
    /// The nearest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Waiting {}

/// Puts the objects that pass into the heap.
struct Gather<'s, Q> {
    question: Q,
    limit: f32,
    waiting: &'s mut BinaryHeap<Waiting>,
}

impl<Q: Distant> Question for Gather<'_, Q> {
    type Carry = u8;
    type Lanes = Q::Lanes;

    fn start(&self) -> u8 {
        self.question.start()
    }

    #[inline]
    fn test(&self, boxes: &Boxes, carry: u8) -> (LaneMask, Q::Lanes) {
        self.question.test(boxes, carry, self.limit)
    }

    #[inline]
    fn carry(&self, lanes: &Q::Lanes, lane: usize) -> u8 {
        self.question.carry(lanes, lane)
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Q::Lanes) -> LaneMask {
        self.question.refine(spheres, which, lanes, self.limit)
    }

    fn hit(&mut self, object: Found<'_, Q::Lanes>) -> ControlFlow<()> {
        if let Some(Answer { word, at, distance, carry }) = settled(&mut self.question, &object, self.limit) {
            self.waiting.push(Waiting { bound: distance, kind: Kind::Object, carry, id: word.0, at: at.0 });
        }
        ControlFlow::Continue(())
    }
}

/// Visits the answers within `limit` in order of distance, then of slot.
pub(super) fn in_order<Q: Distant>(
    view: View<'_>,
    layers: Layers,
    question: Q,
    limit: f32,
    scratch: &mut QueryScratch,
    mut visit: impl FnMut(Answer) -> ControlFlow<()>,
) -> QueryStats {
    scratch.waiting.clear();
    let mut gather = Gather { question, limit, waiting: &mut scratch.waiting };
    let mut walk = Walk { view, layers, question: &mut gather, stats: QueryStats::default() };
    let mut hits = 0;
    if layers.interacts(Layers::ALL) {
        walk.begin();
        while let Some(next) = walk.question.waiting.pop() {
            match next.kind {
                Kind::Node => walk.expand(NodeId(next.id), next.carry),
                Kind::Block => walk.open(&next),
                Kind::Object => {
                    hits += 1;
                    let (word, at) = (ObjectWord(next.id), Location(next.at));
                    if visit(Answer { word, at, distance: next.bound, carry: next.carry }).is_break() {
                        break;
                    }
                }
            }
        }
    }
    QueryStats { hits, ..walk.stats }
}

impl<Q: Distant> Walk<'_, '_, Gather<'_, Q>> {
    /// The outsized objects, and the root.
    fn begin(&mut self) {
        let data = self.view.data;
        let carry = self.question.start();
        for id in data.blocks.chain(data.outsized) {
            let block = &data.blocks[id];
            let _ = self.block(id, block, &block.boxes.clamped_to_finite(), block.occupied(), carry);
        }
        if data.root.is_node() {
            self.question.waiting.push(Waiting { bound: 0.0, kind: Kind::Node, carry, id: data.root.0, at: 0 });
        }
    }

    /// Puts what a node holds into the heap.
    fn expand(&mut self, id: NodeId, carry: u8) {
        self.stats.nodes_visited += 1;
        let data = self.view.data;
        let node = &data.nodes[id];
        let (mut mask, lanes) = self.question.test(&node.bounds, carry);
        mask &= node.child_mask;
        if self.layers.filters != u32::MAX {
            mask &= any_bit(&node.memberships, self.layers.filters);
        }
        for id in data.blocks.chain(node.residents) {
            let block = &data.blocks[id];
            let _ = self.block(id, block, &block.boxes, block.occupied(), carry);
        }
        for lane in set_bits(u64::from(mask)) {
            let (kind, id, at) = if node.is_bucket {
                (Kind::Block, node.child_block(lane).0, u32::from(node.occupied[lane]))
            } else {
                (Kind::Node, node.child_node(lane).0, 0)
            };
            let (bound, carry) = (Q::bounds(&lanes)[lane % WIDTH], self.question.carry(&lanes, lane));
            self.question.waiting.push(Waiting { bound, kind, carry, id, at });
        }
    }

    /// Puts the objects of a block of a bucket into the heap.
    fn open(&mut self, next: &Waiting) {
        let id = BlockId(next.id);
        let block = &self.view.data.blocks[id];
        #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
        let _ = self.block(id, block, &block.boxes, next.at as LaneMask, next.carry);
    }
}
