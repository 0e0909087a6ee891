//! Depth-first traversal that visits the nearest child first: for the closest answer, or
//! the `k` nearest.
//!
//! The limit is the distance beyond which no answer is wanted. It starts at the
//! greatest distance asked for, and falls as nearer answers are found.
//!
//! ```text
//! entry = the root
//! repeat
//!     a bucket:  test the objects of all its blocks that pass. Report the objects that
//!                pass: the limit may fall
//!     a branch:  test its eight children; go on with the nearest that passes, and push the
//!                others, the farthest first. If the node has a pile of residents: one of a
//!                single bucket is visited first, and the limit may fall; with a larger one
//!                the traversal goes on, and all children that pass are pushed
//!     if there is nothing to go on with:
//!         pop an entry; skip it if its lower bound is beyond the limit, which may have
//!         fallen since the entry was pushed
//! ```
//!
//! The blocks of a bucket are not sorted: a needless test of a block costs less than a
//! comparison of distances whose outcome the processor predicts wrongly.
//!
//! Only the entries of one node are sorted among themselves; entries of its ancestors stay
//! below them on the stack. This costs less than a heap over all entries. Near answers are
//! found early, so that most of the farther entries are popped and skipped.
//!
//! *Cost:* one test of eight boxes for each node that is within the limit when it is
//! visited, and for each block that is within it when its bucket is visited. Some of these
//! lie beyond the final limit; an exact order by distance, with a heap, would not visit them.
//!
//! *Source:* N. Roussopoulos, S. Kelley and F. Vincent, Nearest Neighbor Queries, 1995.

use super::stack::CAPACITY;
use super::{Question, Walk};
use crate::data::{Node, NodeId, QueryStats, View};
use crate::geometry::lanes::{LaneMask, WIDTH, set_bits};
use crate::query::Filter;
use arrayvec::ArrayVec;
use core::ops::ControlFlow;

/// A question whose answers have a distance, and whose limit falls as answers are found.
pub(crate) trait NearestFirst: Question {
    /// Whether all blocks of a bucket are tested before the first hit is handed out,
    /// rather than each when the hits of the one before have been.
    const GATHERED: bool = false;
    /// The greatest distance at which an answer is still wanted.
    fn limit(&self) -> f32;
    /// For each lane, a lower bound of the distances of its contents; not negative.
    fn bounds(lanes: &Self::Lanes) -> &[f32; WIDTH];
}

/// A deferred node.
#[derive(Clone, Copy)]
struct Entry<C> {
    /// Upper half: the bits of the lower bound of the distance. Lower half: the node's index.
    /// The bits of floats that are not negative sort like the floats, so that a comparison of
    /// keys compares the bounds, and then the indices.
    key: u64,
    /// What the contents of the node inherit from the test of its lane.
    carry: C,
}

impl<C> Entry<C> {
    #[inline(always)]
    fn new(bound: f32, node: NodeId, carry: C) -> Self {
        Self { key: u64::from(bound.to_bits()) << 32 | u64::from(node.0), carry }
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        f32::from_bits((self.key >> 32) as u32)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    fn node(&self) -> NodeId {
        NodeId(self.key as u32)
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

/// The same from the root on, of which a lane passed, or which has residents; nothing is counted of it.
#[inline]
pub(crate) fn walk_below_root<Q: NearestFirst>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    question: &mut Q,
    mask: LaneMask,
    lanes: Q::Lanes,
) {
    let (root, entry) = (view.data.root, Entry::new(0.0, view.data.root, question.start()));
    let mut walk = Walk { view, filter, question, stats: QueryStats::default() };
    let _ = walk.nearest_first_below(entry, &view.data.nodes[root], mask, lanes);
}

impl<'a, Q: NearestFirst> Walk<'a, '_, '_, Q> {
    #[inline]
    fn nearest_first(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        let carry = self.question.start();
        // Bounds of outsized objects may be infinite: their pile is tested clamped, outside the stack.
        if data.outsized.is_node() {
            self.pile(data.outsized, carry, false)?;
        }
        if !data.root.is_node() {
            return ControlFlow::Continue(());
        }
        let (root, entry) = (&data.nodes[data.root], Entry::new(0.0, data.root, carry));
        let (passed, lanes) = self.question.test(&root.bounds, carry);
        let mask = self.visit_node(root, passed);
        if mask == 0 && !root.residents.is_node() {
            return ControlFlow::Continue(());
        }
        self.nearest_first_below(entry, root, mask, lanes)
    }

    /// The same from the root on, of which a lane passed, or which has residents.
    // Apart, so that a question that meets nothing makes no stack.
    #[inline(never)]
    fn nearest_first_below(
        &mut self,
        mut entry: Entry<Q::Carry>,
        mut node: &'a Node,
        mut mask: LaneMask,
        mut lanes: Q::Lanes,
    ) -> ControlFlow<()> {
        let data = self.view.data;
        // The deferred entries; the last one is visited next.
        let mut stack = ArrayVec::<Entry<Q::Carry>, CAPACITY>::new();
        loop {
            let mut nearest = None;
            if node.is_bucket {
                if Q::GATHERED {
                    self.gather(node, mask, &lanes)?;
                } else {
                    self.bucket(node, mask, &lanes)?;
                }
            } else {
                let child = |lane: usize| {
                    let bound = Q::bounds(&lanes)[lane % WIDTH];
                    Entry::new(bound, node.child_node(lane), self.question.carry(&lanes, lane))
                };
                let mut passed = set_bits(u64::from(mask));
                nearest = passed.next().map(child);
                // The entries of this node start here.
                let first = stack.len();
                for new in passed.map(child) {
                    let Some(near) = &mut nearest else { break };
                    let far = if new.key < near.key { core::mem::replace(near, new) } else { new };
                    data.nodes[far.node()].prefetch();
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
                    if data.nodes[node.residents].is_bucket {
                        self.pile(node.residents, entry.carry, true)?;
                        nearest = nearest.filter(|child| child.bound() <= self.question.limit());
                    } else {
                        stack.extend(nearest);
                        nearest = Some(Entry::new(entry.bound(), node.residents, entry.carry));
                    }
                }
            }
            let Some(next) = nearest.or_else(|| self.next_within(&mut stack)) else { return ControlFlow::Continue(()) };
            entry = next;
            node = &data.nodes[entry.node()];
            let passed;
            (passed, lanes) = self.question.test(&node.bounds, entry.carry);
            mask = self.visit_node(node, passed);
        }
    }

    /// Tests the objects of the blocks in some lanes of a bucket, and then hands out all hits
    /// in one loop, because the end of each loop is a misprediction. (Over a queue, as a depth-first traversal has,
    /// this takes 6 % more time.)
    #[inline(always)]
    fn gather(&mut self, node: &Node, mask: LaneMask, lanes: &Q::Lanes) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        let mut hits = 0;
        let mut inner = [*lanes; WIDTH];
        for lane in set_bits(u64::from(mask)) {
            let (id, carry) = (node.child_block(lane), self.question.carry(lanes, lane));
            let block = &blocks[id];
            let passed;
            (passed, inner[lane]) = self.look(id, block, &block.boxes, node.occupied(lane), carry);
            hits |= u64::from(passed) << (8 * lane);
        }
        for bit in set_bits(hits) {
            let id = node.child_block(bit / 8);
            self.found(id, &blocks[id], bit % 8, &inner[bit / 8])?;
        }
        ControlFlow::Continue(())
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
