//! Depth-first descent that takes the nearest first: for the closest answer, or
//! the `k` nearest.
//!
//! ```text
//! push the root
//! while the stack is not empty
//!     pop an entry; skip it if it is beyond the limit by now
//!     a block:  test its eight objects, and hand out those that pass: the limit may fall
//!     a node:   test its eight lanes, and push those that pass, the nearest last
//! ```
//!
//! The entries of one node are sorted when they are pushed; those of a node above
//! stay below them. So the nearest answers come early, without the cost of a heap,
//! and most of what lies behind them is popped and skipped.

use super::{Question, Walk};
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::nodes::node::PILE_HEIGHT_MAX;
use crate::data::{BlockId, NodeId, QueryStats, View};
use crate::geometry::lanes::{WIDTH, set_bits};
use crate::query::Filter;
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// A question whose answers have a distance, and whose limit falls with them.
pub(crate) trait NearestFirst: Question {
    /// Nothing farther is wanted.
    fn limit(&self) -> f32;
    /// A lower bound, not negative, of the distances of what lies in each lane.
    fn bounds(lanes: &Self::Lanes) -> &[f32; WIDTH];
}

/// Entries at most: eight lanes and a pile for each level of the tree and of a pile.
const CAPACITY: usize = (WIDTH + 1) * (LEVEL_MAX as usize + 1 + PILE_HEIGHT_MAX as usize + 1);

/// What an entry refers to is a block, not a node.
const BLOCK: u32 = 1 << 31;
/// A node or a block that waits, and a lower bound of its distance. In one
/// number, which orders entries: bounds are not negative, so their bits are in their order.
#[derive(Clone, Copy)]
struct Entry<C> {
    key: u64,
    carry: C,
}

impl<C> Entry<C> {
    #[inline(always)]
    fn new(bound: f32, target: u32, carry: C) -> Self {
        Self { key: u64::from(bound.to_bits()) << 32 | u64::from(target), carry }
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        f32::from_bits((self.key >> 32) as u32)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    fn target(&self) -> u32 {
        self.key as u32
    }
}

/// Asks a question of the objects that pass a filter, the nearest first.
#[inline]
pub(crate) fn walk_nearest_first<Q: NearestFirst>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: &mut Q,
) -> QueryStats {
    let mut walk = Walk { view, filter, question, stats: QueryStats::default() };
    if !walk.filter.is_empty() {
        let _ = walk.nearest_first();
    }
    walk.stats
}

impl<Q: NearestFirst> Walk<'_, '_, '_, Q> {
    fn nearest_first(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        let carry = self.question.start();
        if data.outsized.is_node() {
            self.pile(data.outsized, carry)?;
        }
        // Entries that wait, the next one last.
        let mut stack = ArrayVec::<Entry<Q::Carry>, CAPACITY>::new();
        if data.root.is_node() {
            stack.push(Entry::new(0.0, data.root.0, carry));
        }
        while let Some(entry) = stack.pop() {
            if entry.bound() > self.question.limit() {
                continue;
            }
            let target = entry.target();
            if target & BLOCK != 0 {
                let id = BlockId(target & !BLOCK);
                let block = &data.blocks[id];
                self.block(id, block, &block.boxes, block.boxes.used(), entry.carry)?;
                continue;
            }
            if !Q::PLAIN {
                self.stats.nodes_visited += 1;
            }
            let node = &data.nodes[NodeId(target)];
            let (mask, lanes) = self.question.test(&node.bounds, entry.carry);
            let mask = mask & node.child_mask & self.filter.node_lanes(&node.memberships);
            let first = stack.len();
            let mut push = |lane: usize, target: u32| {
                let carry = self.question.carry(&lanes, lane);
                let new = Entry::new(Q::bounds(&lanes)[lane % WIDTH], target, carry);
                stack.push(new);
                let (mut place, siblings) = (stack.len() - 1 - first, &mut stack[first..]);
                while place > 0 && siblings[place - 1].key < new.key {
                    siblings.swap(place - 1, place);
                    place -= 1;
                }
            };
            if node.is_bucket {
                for lane in set_bits(u64::from(mask)) {
                    let id = node.child_block(lane);
                    data.blocks[id].boxes.prefetch();
                    push(lane, id.0 | BLOCK);
                }
                continue;
            }
            for lane in set_bits(u64::from(mask)) {
                let id = node.child_node(lane);
                data.nodes[id].prefetch();
                push(lane, id.0);
            }
            if node.residents.is_node() {
                stack.push(Entry::new(entry.bound(), node.residents.0, entry.carry));
            }
        }
        ControlFlow::Continue(())
    }
}
