//! Depth-first traversal that visits the nearest child first: for the closest answer, or
//! the `k` nearest.
//!
//! The limit is the distance beyond which no answer is wanted. It starts at the
//! greatest distance asked for, and falls as nearer answers are found.
//!
//! ```text
//! entry = the root
//! repeat
//!     a block:  test its eight objects, and report those that pass: the limit may fall
//!     a node:   test its eight lanes; go on with the nearest that passes, and push the
//!               others, the farthest first. If the node has a pile of residents, go on
//!               with the pile, and push all lanes that pass
//!     if there is nothing to go on with:
//!         pop an entry; skip it if its lower bound is beyond the limit, which may have
//!         fallen since the entry was pushed
//! ```
//!
//! Only the entries of one node are sorted among themselves; entries of its ancestors stay
//! below them on the stack. This costs less than a heap over all entries. Near answers are
//! found early, so that most of the farther entries are popped and skipped.
//!
//! *Cost:* one test of eight boxes for each node and block that is within the limit when it
//! is visited. Some of these lie beyond the final limit; an exact order by distance, with a
//! heap, would not visit them.
//!
//! *Source:* N. Roussopoulos, S. Kelley and F. Vincent, Nearest Neighbor Queries, 1995.

use super::{Question, Walk};
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::nodes::node::PILE_HEIGHT_MAX;
use crate::data::{BlockId, NodeId, QueryStats, View};
use crate::geometry::lanes::{WIDTH, set_bits};
use crate::query::Filter;
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// A question whose answers have a distance, and whose limit falls as answers are found.
pub(crate) trait NearestFirst: Question {
    /// The greatest distance at which an answer is still wanted.
    fn limit(&self) -> f32;
    /// For each lane, a lower bound of the distances of its contents; not negative.
    fn bounds(lanes: &Self::Lanes) -> &[f32; WIDTH];
}

/// Upper limit of the entries on the stack. A path from the root passes one node a level of
/// the tree, and then one a level of a pile; each pushes at most eight lanes.
const CAPACITY: usize = WIDTH * (LEVEL_MAX as usize + 1 + PILE_HEIGHT_MAX as usize + 1);

/// The bit of a target that is set for a block and clear for a node.
const BLOCK: u32 = 1 << 31;

/// A deferred node or block.
#[derive(Clone, Copy)]
struct Entry<C> {
    /// Upper half: the bits of the lower bound of the distance. Lower half: the target.
    /// The bits of floats that are not negative sort like the floats, so that a comparison of
    /// keys compares the bounds, and then the targets.
    key: u64,
    /// What the contents of the target inherit from the test of its lane.
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

    /// The index of a node, or that of a block with the bit [`BLOCK`].
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
        // Bounds of outsized objects may be infinite: their pile is tested clamped, outside the stack.
        if data.outsized.is_node() {
            self.pile(data.outsized, carry)?;
        }
        if !data.root.is_node() {
            return ControlFlow::Continue(());
        }
        // The deferred entries; the last one is visited next.
        let mut stack = ArrayVec::<Entry<Q::Carry>, CAPACITY>::new();
        let mut entry = Entry::new(0.0, data.root.0, carry);
        loop {
            let target = entry.target();
            if target & BLOCK != 0 {
                let id = BlockId(target & !BLOCK);
                let block = &data.blocks[id];
                self.block(id, block, &block.boxes, block.boxes.used(), entry.carry)?;
                let Some(next) = self.next_within(&mut stack) else { return ControlFlow::Continue(()) };
                entry = next;
                continue;
            }
            if !Q::PLAIN {
                self.stats.nodes_visited += 1;
            }
            let node = &data.nodes[NodeId(target)];
            let (mask, lanes) = self.question.test(&node.bounds, entry.carry);
            let mask = mask & node.child_mask & self.filter.node_lanes(&node.memberships);
            let child = |lane: usize| {
                let target = if node.is_bucket { node.child_block(lane).0 | BLOCK } else { node.child_node(lane).0 };
                Entry::new(Q::bounds(&lanes)[lane % WIDTH], target, self.question.carry(&lanes, lane))
            };
            let mut passed = set_bits(u64::from(mask));
            let mut nearest = passed.next().map(child);
            // The entries of this node start here.
            let first = stack.len();
            for new in passed.map(child) {
                let Some(near) = &mut nearest else { break };
                let far = if new.key < near.key { core::mem::replace(near, new) } else { new };
                if node.is_bucket {
                    data.blocks[BlockId(far.target() & !BLOCK)].boxes.prefetch();
                } else {
                    data.nodes[NodeId(far.target())].prefetch();
                }
                stack.push(far);
                // Insertion sort, the farthest first: the nearest is on top of the stack.
                let (mut place, siblings) = (stack.len() - 1 - first, &mut stack[first..]);
                while place > 0 && siblings[place - 1].key < far.key {
                    siblings.swap(place - 1, place);
                    place -= 1;
                }
            }
            // The pile is in no lane of the branch: its lower bound is that of the branch. It is visited
            // before the children.
            if node.residents.is_node() {
                stack.extend(nearest);
                nearest = Some(Entry::new(entry.bound(), node.residents.0, entry.carry));
            }
            let Some(next) = nearest.or_else(|| self.next_within(&mut stack)) else { return ControlFlow::Continue(()) };
            entry = next;
        }
    }

    /// The deferred entry that comes next, of those within the limit.
    #[inline(always)]
    fn next_within(&self, stack: &mut ArrayVec<Entry<Q::Carry>, CAPACITY>) -> Option<Entry<Q::Carry>> {
        loop {
            let entry = stack.pop()?;
            if entry.bound() <= self.question.limit() {
                return Some(entry);
            }
        }
    }
}
