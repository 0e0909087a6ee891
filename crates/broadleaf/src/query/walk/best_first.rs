//! The best-first traversal: answers in order of distance. Nodes, blocks and objects
//! are in one heap, and the nearest is taken next.
//!
//! *Source:* G. Hjaltason and H. Samet, Distance Browsing in Spatial Databases, 1999.

use super::{FoundObject, Question, Walk};
use crate::data::{BlockId, Location, NodeId, ObjectWord, QueryStats, View};
use crate::geometry::lanes::{LaneMask, WIDTH, set_bits};
use crate::query::Filter;
use crate::query::distance::{AnswerAt, ByDistance, Collector, DistanceQuestion, all};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::ControlFlow;

/// Working memory of questions that are answered in order of distance.
#[derive(Debug, Clone, Default)]
pub(crate) struct OrderScratch {
    heap: BinaryHeap<Entry>,
    /// Answers that are sorted when all are known.
    reached: Vec<AnswerAt>,
}

/// The kind of an entry of the heap. Of equally near ones, nodes and blocks
/// come before objects, for they may hold an object of a lower slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Node,
    Block,
    Object,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    bound: f32,
    kind: Kind,
    carry: u8,
    /// Node, block, or object word.
    id: u32,
    /// Where an object lies; the lanes of a block that hold one.
    at: u32,
}

impl Entry {
    fn order(&self) -> (u32, Kind, u32) {
        // Bounds are not negative: their bits are in their order.
        let id = if self.kind == Kind::Object { ObjectWord(self.id).row().0 } else { self.id };
        (self.bound.to_bits(), self.kind, id)
    }
}

impl Ord for Entry {
    /// The nearest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.order().cmp(&self.order())
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Entry {}

/// Puts the objects that pass into the heap.
struct Gather<'s> {
    limit: f32,
    heap: &'s mut BinaryHeap<Entry>,
}

impl Collector for Gather<'_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    fn collect<L>(&mut self, answer: AnswerAt, _: &FoundObject<'_, L>) -> ControlFlow<()> {
        let AnswerAt { word, at, distance, carry } = answer;
        self.heap.push(Entry { bound: distance, kind: Kind::Object, carry, id: word.0, at: at.0 });
        ControlFlow::Continue(())
    }
}

/// Visits the answers within `limit` in order of distance, then of slot, until the visitor breaks.
pub(in crate::query) fn in_order<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    limit: f32,
    scratch: &mut OrderScratch,
    mut visit: impl FnMut(AnswerAt) -> ControlFlow<()>,
) -> QueryStats {
    scratch.heap.clear();
    let is_empty = filter.is_empty();
    let mut gather = ByDistance::new(question, Gather { limit, heap: &mut scratch.heap });
    let mut walk = Walk { view, filter, question: &mut gather, stats: QueryStats::default() };
    let mut hits = 0;
    if !is_empty {
        walk.begin();
    }
    while let Some(next) = walk.question.collector.heap.pop() {
        match next.kind {
            Kind::Node => walk.expand(NodeId(next.id), next.carry),
            Kind::Block => walk.open(&next),
            Kind::Object => {
                hits += 1;
                let (word, at) = (ObjectWord(next.id), Location(next.at));
                if visit(AnswerAt { word, at, distance: next.bound, carry: next.carry }).is_break() {
                    break;
                }
            }
        }
    }
    QueryStats { hits, ..walk.stats }
}

/// Visits the same answers in the same order, for visitors that want all of
/// them: a sort costs less than a heap.
pub(in crate::query) fn sorted<Q: DistanceQuestion>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: Q,
    limit: f32,
    scratch: &mut OrderScratch,
    visit: impl FnMut(AnswerAt),
) -> QueryStats {
    let reached = &mut scratch.reached;
    reached.clear();
    let stats = all(view, filter, question, limit, |answer| {
        reached.push(answer);
        ControlFlow::Continue(())
    });
    reached.sort_unstable_by_key(AnswerAt::key);
    reached.iter().copied().for_each(visit);
    stats
}

impl<Q: DistanceQuestion> Walk<'_, '_, '_, ByDistance<Q, Gather<'_>>> {
    /// The outsized objects, and the root.
    fn begin(&mut self) {
        let data = self.view.data;
        let carry = self.question.start();
        let _ = self.outsized();
        if data.root.is_node() {
            self.question.collector.heap.push(Entry { bound: 0.0, kind: Kind::Node, carry, id: data.root.0, at: 0 });
        }
    }

    /// Puts what a node holds into the heap.
    fn expand(&mut self, id: NodeId, carry: u8) {
        let node = &self.view.data.nodes[id];
        let (passed, lanes) = self.question.test(&node.bounds, carry);
        let mask = self.visit_node(node, passed);
        if node.residents.is_node() {
            let _ = self.pile(node.residents, carry, true);
        }
        for lane in set_bits(u64::from(mask)) {
            let (kind, id, at) = if node.is_bucket {
                (Kind::Block, node.child_block(lane).0, u32::from(node.occupied(lane)))
            } else {
                (Kind::Node, node.child_node(lane).0, 0)
            };
            let (bound, carry) = (Q::bounds(&lanes)[lane % WIDTH], self.question.carry(&lanes, lane));
            self.question.collector.heap.push(Entry { bound, kind, carry, id, at });
        }
    }

    /// Puts the objects of a block of a bucket into the heap.
    fn open(&mut self, next: &Entry) {
        let id = BlockId(next.id);
        let block = &self.view.data.blocks[id];
        #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
        let _ = self.block(id, block, &block.boxes, next.at as LaneMask, next.carry);
    }
}
