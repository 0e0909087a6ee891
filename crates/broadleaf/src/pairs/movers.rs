//! The pairs of a few moving objects among many static ones.
//!
//! The pass tests every bucket that holds a moving object with all buckets around it. Where few of its objects move,
//! it costs less to search the tree for the partners of these alone: a joint walk.
//!
//! What the pass would test is estimated from the nodes. An overlapping sibling of a subtree is another child of the
//! same branch, whose fitted bounds overlap those of the subtree, and whose layers may interact with its own. Moving
//! objects are few if they are at most twice as many as the overlapping siblings of all subtrees that hold one.

use super::pair::Pair;
use crate::data::{Bump, BumpVec, Data, Location, NodeId, ObjectWord, QueryStats, View};
use crate::geometry::lanes::{BoxQuery, LaneMask, prefetch_code, set_bits};
use core::ops::ControlFlow;

/// Moving objects are few if there are at most so many for each overlapping sibling.
const MOVERS_PER_SIBLING: usize = 2;
/// Counting ends where the moving objects are too many by more than one in so many of all objects.
const EXCESS_SHARE: usize = 64;

/// Prefetches the code that looks for few moving objects.
pub(super) fn prefetch_code_of_search() {
    prefetch_code(Counts::add as *const (), 0..12);
}

impl View<'_> {
    /// Where the moving objects are, in the order of the tree, if they are few.
    #[inline(always)]
    pub(super) fn few_movers(self, bump: &Bump) -> Option<BumpVec<'_, Location>> {
        let (data, mut counts) = (self.data, Counts::default());
        let roots = || [data.outsized, data.root].into_iter().filter(|root| root.is_node());
        let is_counted = roots().all(|root| counts.add(data, root, self.len() / EXCESS_SHARE));
        if !is_counted || !counts.are_few(0) {
            return None;
        }
        let mut movers = BumpVec::with_capacity_in(counts.movers, bump);
        roots().for_each(|root| gather(data, root, &mut movers));
        Some(movers)
    }

    /// Visits the pairs of some moving objects. A pair of two moving objects is found from one of them alone.
    pub(super) fn pairs_of_movers(
        self,
        movers: &[Location],
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> QueryStats {
        let mut hits = 0;
        let stats = self.partners_of_many(movers, |(word, handle), (partner, handle_of_partner)| {
            // A pair of two moving objects is found from its first.
            if partner.has(ObjectWord::STATIC) || word.row() < partner.row() {
                hits += 1;
                visit(Pair::of_living(handle, handle_of_partner))
            } else {
                ControlFlow::Continue(())
            }
        });
        QueryStats { hits, ..stats }
    }
}

/// What is counted to choose between the pass and walks of moving objects.
#[derive(Default)]
struct Counts {
    movers: usize,
    /// Overlapping siblings of the subtrees that hold a moving object. Two of these subtrees count once.
    siblings: usize,
}

impl Counts {
    /// Whether the moving objects are few, or too many by no more than `excess`.
    fn are_few(&self, excess: usize) -> bool {
        self.movers <= MOVERS_PER_SIBLING * self.siblings + excess
    }

    /// Adds those of a subtree; false as soon as the moving objects are too many by more than `excess`.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn add(&mut self, data: &Data, id: NodeId, excess: usize) -> bool {
        let node = &data.nodes[id];
        if node.is_bucket {
            self.movers += node.moving_bits().count_ones() as usize;
            return self.are_few(excess);
        }
        let moving = node.moving_lanes() & node.child_mask;
        for lane in set_bits(u64::from(moving)) {
            // Of two subtrees that both hold a moving object, the first counts the second.
            let others = node.child_mask & ((LaneMask::MAX << lane) << 1 | !moving);
            let others = others & data.interacting(node.memberships[lane], node);
            let overlapping = node.bounds.overlaps(&BoxQuery::of_lane(&node.bounds, lane)) & others;
            self.siblings += overlapping.count_ones() as usize;
        }
        (!node.residents.is_node() || self.add(data, node.residents, excess))
            && set_bits(u64::from(moving)).all(|lane| self.add(data, node.child_node(lane), excess))
    }
}

/// Adds the moving objects of a subtree.
fn gather(data: &Data, id: NodeId, movers: &mut BumpVec<'_, Location>) {
    let node = &data.nodes[id];
    if node.is_bucket {
        movers.extend(set_bits(node.moving_bits()).map(|bit| Location::new(node.child_block(bit / 8), bit)));
        return;
    }
    if node.residents.is_node() {
        gather(data, node.residents, movers);
    }
    for lane in set_bits(u64::from(node.moving_lanes() & node.child_mask)) {
        gather(data, node.child_node(lane), movers);
    }
}

#[cfg(test)]
mod tests {
    use crate::data::Bump;
    use crate::glam::Vec3;
    use crate::{Aabb, Layers, Mobility, Object, Octree};
    use alloc::vec::Vec;

    /// How many objects move, if these are few. Boxes touch on a lattice with so many along each axis; one in `share`
    /// moves.
    fn few([x, y, z]: [usize; 3], share: usize, layers: Layers) -> Option<usize> {
        let object = |index: usize| {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let at = [index % x, index / x % y, index / (x * y)].map(|place| place as f32);
            let mobility = if index.is_multiple_of(share) { Mobility::Moving } else { Mobility::Static };
            let aabb = Aabb::new(at, Vec3::from(at) + Vec3::ONE);
            Object::new(aabb).with_mobility(mobility).with_layers(layers)
        };
        let objects: Vec<Object> = (0..x * y * z).map(object).collect();
        let mut tree = Octree::default();
        tree.insert_many(&objects, &mut Vec::new()).expect("legal");
        let view = tree.view();
        view.few_movers(&Bump::new()).map(|movers| movers.len())
    }

    #[test]
    fn few_are_fewer_along_a_line() {
        let (volume, line) = ([16; 3], [4096, 1, 1]);
        assert_eq!([1, 2].map(|share| few(volume, share, Layers::ALL)), [None; 2]);
        assert_eq!([9, 64, 5000].map(|share| few(volume, share, Layers::ALL)), [Some(456), Some(64), Some(1)]);
        assert_eq!([1, 2, 9].map(|share| few(line, share, Layers::ALL)), [None; 3]);
        assert_eq!([64, 5000].map(|share| few(line, share, Layers::ALL)), [Some(64), Some(1)]);
    }

    #[test]
    fn where_no_layers_interact_the_pass_has_nothing_to_test() {
        assert_eq!(few([16; 3], 9, Layers::new(1, 2)), None);
        assert_eq!(few([16; 3], 9, Layers::new(1, 3)), Some(456));
    }
}
