//! Depth-first traversal that visits the nearest child first: for the closest answer, or
//! the `k` nearest.
//!
//! The limit is the distance beyond which no answer is wanted. It starts at the
//! greatest distance asked for, and falls as nearer answers are found.
//!
//! ```text
//! node = the root
//! repeat
//!     test the eight children of the node
//!     a bucket:  test the objects of all its blocks that pass. Report the objects that
//!                pass: the limit may fall
//!     a branch:  go on with the nearest child that passes; if there are others, put the
//!                branch on the path. If it has a pile of residents: one of a single block (of a
//!                single bucket, if hits are not gathered) is visited first, and the limit may fall;
//!                with a larger one the traversal goes on, and all children that pass are left for later
//!     if there is nothing to go on with:
//!         the last branch of the path: go on with the nearest child that is left. If
//!         that is beyond the limit, which may have fallen, so are the others: take the
//!         branch off the path, and look at the one before
//! ```
//!
//! The nearest child is the minimum of eight distances, found without a branch: the children
//! of a node are never sorted, for the outcome of a comparison of distances is predicted wrongly
//! half the time. Distances are compared without their last two bits, also with the limit: a child that is
//! beyond the limit in these bits alone is visited.
//!
//! The blocks of a bucket are all tested, in no order: a needless test costs less than a comparison.
//!
//! Children are ordered within their branch, and those of a branch come before those of its
//! ancestors. This costs less than a heap over all. Near answers are found early, so that most
//! of the farther children are never visited.
//!
//! *Cost:* one test of eight boxes for each node that is within the limit when it is
//! visited, and for each block that is within it when its bucket is visited. Some of these
//! lie beyond the final limit; an exact order by distance, with a heap, would not visit them.
//!
//! *Source:* N. Roussopoulos, S. Kelley and F. Vincent, Nearest Neighbor Queries, 1995.

use super::stack::PATH_MAX;
use super::{FoundObject, Question, Walk};
use crate::data::{Node, QueryStats, View};
use crate::geometry::lanes::{LaneMask, LeastFirst, WIDTH, set_bits};
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

/// A branch that has been tested, some of whose children have not been visited yet.
struct Entered<'a, L> {
    node: &'a Node,
    /// Of each child, what the test of the branch found.
    lanes: L,
    /// The children that passed and have not been visited.
    left: LeastFirst,
}

/// The branches above the node that is visited that have children left: at most one a level of
/// the tree, and one a level of a pile.
type Path<'a, L> = ArrayVec<Entered<'a, L>, PATH_MAX>;

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
    let carry = question.start();
    let mut walk = Walk { view, filter, question, stats: QueryStats::default() };
    let _ = walk.nearest_first_below(&view.data.nodes[view.data.root], carry, mask, lanes);
}

impl<'a, Q: NearestFirst> Walk<'a, '_, '_, Q> {
    #[inline]
    fn nearest_first(&mut self) -> ControlFlow<()> {
        let data = self.view.data;
        let carry = self.question.start();
        // Bounds of outsized objects may be infinite: their pile is tested clamped, before all others.
        if data.outsized.is_node() {
            self.pile(data.outsized, carry, false)?;
        }
        if !data.root.is_node() {
            return ControlFlow::Continue(());
        }
        let root = &data.nodes[data.root];
        let (passed, lanes) = self.question.test(&root.bounds, carry);
        let mask = self.visit_node(root, passed);
        if mask == 0 && !root.residents.is_node() {
            return ControlFlow::Continue(());
        }
        self.nearest_first_below(root, carry, mask, lanes)
    }

    /// The same from the root on, of which a lane passed, or which has residents.
    // Apart, so that a question that meets nothing makes no path.
    #[inline(never)]
    fn nearest_first_below(
        &mut self,
        mut node: &'a Node,
        mut carry: Q::Carry,
        mut mask: LaneMask,
        mut lanes: Q::Lanes,
    ) -> ControlFlow<()> {
        let nodes = &self.view.data.nodes;
        let mut path = Path::new();
        let mut of_blocks = [lanes; WIDTH];
        loop {
            let mut next = None;
            if node.is_bucket {
                if Q::GATHERED {
                    self.gather(node, mask, &lanes, &mut of_blocks)?;
                } else {
                    self.bucket(node, mask, &lanes)?;
                }
            } else if node.residents.is_node() {
                // The pile is in no lane of the branch. It is visited before the children.
                if mask != 0 {
                    path.push(Entered { node, lanes, left: LeastFirst::new(Q::bounds(&lanes), mask) });
                }
                let pile = &nodes[node.residents];
                if pile.is_bucket && (pile.child_mask == 1 || !Q::GATHERED) {
                    self.pile(node.residents, carry, true)?;
                } else {
                    next = Some((pile, carry));
                }
            } else if mask != 0 {
                next = Some(self.enter(&mut path, node, mask, &lanes));
            }
            let Some(next) = next.or_else(|| self.next_within(&mut path)) else { return ControlFlow::Continue(()) };
            (node, carry) = next;
            let passed;
            (passed, lanes) = self.question.test(&node.bounds, carry);
            mask = self.visit_node(node, passed);
        }
    }

    /// The nearest of the children that passed (at least one), and what it inherits. If there are others, the
    /// branch is put on the path.
    #[inline(always)]
    fn enter(
        &self,
        path: &mut Path<'a, Q::Lanes>,
        node: &'a Node,
        mask: LaneMask,
        lanes: &Q::Lanes,
    ) -> (&'a Node, Q::Carry) {
        let mut lane = mask.trailing_zeros() as usize;
        if mask & (mask - 1) != 0 {
            let first = LeastFirst::new(Q::bounds(lanes), mask);
            lane = first.lane();
            if let Some(left) = first.rest(Q::bounds(lanes)) {
                self.child(node, left.lane()).prefetch();
                path.push(Entered { node, lanes: *lanes, left });
            }
        }
        (self.child(node, lane), self.question.carry(lanes, lane))
    }

    /// The next child on the path that is within the limit, and what it inherits.
    #[inline(always)]
    fn next_within(&self, path: &mut Path<'a, Q::Lanes>) -> Option<(&'a Node, Q::Carry)> {
        loop {
            let Entered { node, lanes, left } = path.last_mut()?;
            let (node, first) = (*node, *left);
            if first.floor() > self.question.limit() {
                path.pop();
                continue;
            }
            let carry = self.question.carry(lanes, first.lane());
            match first.rest(Q::bounds(lanes)) {
                Some(rest) => {
                    *left = rest;
                    self.child(node, rest.lane()).prefetch();
                }
                None => _ = path.pop(),
            }
            return Some((self.child(node, first.lane()), carry));
        }
    }

    #[inline(always)]
    fn child(&self, node: &Node, lane: usize) -> &'a Node {
        &self.view.data.nodes[node.child_node(lane)]
    }

    /// Tests the objects of the blocks in some lanes of a bucket, and then hands out all hits
    /// in one loop, because the end of each loop is a misprediction. (Over a queue, as a depth-first traversal has,
    /// this takes 6 % more time.) What the tests find is written to `of_blocks`;
    /// entries of lanes without a hit may be those of an earlier bucket, and are not read.
    #[inline(always)]
    fn gather(
        &mut self,
        node: &Node,
        mask: LaneMask,
        lanes: &Q::Lanes,
        of_blocks: &mut [Q::Lanes; WIDTH],
    ) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        let mut hits = 0;
        for lane in set_bits(u64::from(mask)) {
            let (id, carry) = (node.child_block(lane), self.question.carry(lanes, lane));
            let block = &blocks[id];
            let passed;
            (passed, of_blocks[lane % WIDTH]) = self.look(id, block, &block.boxes, node.occupied(lane), carry);
            hits |= u64::from(passed) << (8 * lane);
        }
        self.found_all(hits, |bit| {
            let id = node.child_block(bit / 8);
            FoundObject::new(id, &blocks[id], bit % 8, &of_blocks[bit / 8 % WIDTH])
        })
    }
}
