//! The pairs of a few moving objects among many static ones.
//!
//! The pass meets every bucket that holds a moving object with all buckets around it. Where at
//! most one object in 64 moves, it costs less to ask each of these for its partners.

use super::pair::Pair;
use crate::Handle;
use crate::data::{Bump, BumpVec, Data, NodeId, ObjectWord, QueryStats, Row, View};
use crate::geometry::lanes::set_bits;
use core::ops::ControlFlow;

/// Moving objects are few if they are at most one in so many.
const MOVERS_SHARE: usize = 64;

impl View<'_> {
    /// The moving objects, in the order of the tree, if they are few.
    pub(super) fn few_movers(self, bump: &Bump) -> Option<BumpVec<'_, Row>> {
        let max = self.len() / MOVERS_SHARE;
        let mut rows = BumpVec::with_capacity_in(max, bump);
        let roots = [self.data.outsized, self.data.root];
        let are_few = roots.into_iter().all(|root| !root.is_node() || gather(self.data, root, max, &mut rows));
        are_few.then_some(rows)
    }

    /// Visits the pairs of all moving objects, each once.
    pub(super) fn pairs_of_movers(self, rows: &[Row], mut visit: impl FnMut(Pair) -> ControlFlow<()>) -> QueryStats {
        let (mut stats, mut hits) = (QueryStats::default(), 0);
        for &row in rows {
            let (handle, mut flow) = (self.data.objects.handle(row), ControlFlow::Continue(()));
            stats += self.partners(row, |(partner, handle_of_partner): (ObjectWord, Handle)| {
                // A pair of two moving objects is found from its first.
                if partner.has(ObjectWord::STATIC) || row < partner.row() {
                    hits += 1;
                    flow = visit(Pair::new(handle, handle_of_partner));
                }
                flow
            });
            if flow.is_break() {
                break;
            }
        }
        stats.hits = hits;
        stats
    }
}

/// Adds the moving objects of a subtree; false if there are more than `max` in all.
fn gather(data: &Data, id: NodeId, max: usize, rows: &mut BumpVec<'_, Row>) -> bool {
    let node = &data.nodes[id];
    if node.is_bucket {
        let moving = node.moving_bits();
        if rows.len() + moving.count_ones() as usize > max {
            return false;
        }
        let row = |bit: usize| data.blocks[node.child_block(bit / 8)].objects[bit % 8].row();
        rows.extend(set_bits(moving).map(row));
        return true;
    }
    let lanes = node.moving_lanes() & node.child_mask;
    (!node.residents.is_node() || gather(data, node.residents, max, rows))
        && set_bits(u64::from(lanes)).all(|lane| gather(data, node.child_node(lane), max, rows))
}
