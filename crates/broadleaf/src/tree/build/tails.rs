//! Tails of keys: levels beyond the ten of a key, for worlds that are dense in few places. They stand in bits of an
//! item that the indices of its build do not need.
//!
//! In such a world the cells of leaves may lie at the end of the keys or below it. Without tails the items of such a
//! branch need new keys, for which their boxes are read again, and those of such a bucket are in no order.

use super::cut::Builder;
use super::sort::{INDEX_BITS, Item};
use super::source::Source;
use super::store::{KeyInfo, Store};
use crate::data::{Cell, Grid, key_floor};
use crate::geometry::lanes::{Boxes, KeyMaker, KeyOrder, WIDTH};

/// Roots of lower levels have no tails: few of their worlds have leaves so deep.
const ROOT_LEVEL_MIN: u32 = 18;
/// Tails of fewer levels are not worth having.
const LEVELS_MIN: u32 = 4;
/// At least so many levels are left for the order within the leaves of a branch whose items' tails become their keys, if
/// each level halves them, as on a line.
const LEVELS_KEPT: u32 = 2;

/// The tails of a build's keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tails {
    /// Levels of octants; zero if there are no tails.
    levels: u32,
    /// The bits of an item that are its index.
    index_mask: u32,
}

impl Tails {
    /// No tails.
    pub(super) const NONE: Self = Self { levels: 0, index_mask: (1 << INDEX_BITS) - 1 };

    /// Those of a build of so many objects.
    pub(super) fn of(root: Cell, objects: usize) -> Self {
        let bits = usize::BITS - objects.saturating_sub(1).leading_zeros();
        let levels = (INDEX_BITS.saturating_sub(bits) / 3).min(key_floor(root.level));
        if !Self::are_worthwhile(root) || levels < LEVELS_MIN {
            return Self::NONE;
        }
        Self { levels, index_mask: (1 << (INDEX_BITS - 3 * levels)) - 1 }
    }

    /// Whether the root's level is so high that tails are worth having.
    #[inline(always)]
    pub(super) fn are_worthwhile(root: Cell) -> bool {
        root.level >= ROOT_LEVEL_MIN
    }

    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.levels > 0
    }

    /// Bits of index in an item.
    fn index_bits(self) -> u32 {
        INDEX_BITS - 3 * self.levels
    }

    /// The index of an item's object.
    #[inline(always)]
    pub(super) fn index(self, item: Item) -> usize {
        item.index() & self.index_mask as usize
    }

    /// Leaves indices alone beside the keys of items.
    pub(super) fn remove(self, items: &mut [Item]) {
        if self.any() {
            items.iter_mut().for_each(|item| item.set_index(self.index(*item)));
        }
    }

    /// Removes the tails of the items of a bucket, sorted by them first if they are not.
    // Not inlined: most worlds have none.
    #[inline(never)]
    fn end_in_bucket(self, is_sorted: bool, items: &mut [Item]) {
        if !is_sorted && items.len() > WIDTH {
            items.sort_unstable_by_key(|item| item.without_edge());
        }
        self.remove(items);
    }

    /// Makes the tails of items their keys.
    pub(super) fn become_keys(self, items: &mut [Item]) {
        for item in items {
            item.set_key(item.tail(self.index_bits()));
            item.set_index(self.index(*item));
        }
    }
}

/// Makes the items of a bulk build.
pub(super) struct ItemMaker {
    grid: Grid,
    keys: KeyMaker,
    tails: Option<KeyOrder>,
    index_bits: u32,
}

impl ItemMaker {
    #[inline(always)]
    pub(super) fn new(grid: Grid, root: Cell, tails: Tails) -> Self {
        let keys = grid.key_maker(root);
        let order = tails.any().then(|| grid.tail_order(root, tails.levels));
        Self { grid, keys, tails: order, index_bits: tails.index_bits() }
    }

    /// The items of eight boxes, without indices; of lanes that are no placeable box, some items.
    #[inline(always)]
    pub(super) fn items(&self, boxes: &Boxes) -> [Item; WIDTH] {
        let ([keys, tails], edges) = (self.keys.keys_in(self.tails.as_ref(), boxes), self.grid.edges_needed(boxes));
        core::array::from_fn(|lane| Item::new(keys[lane], edges[lane], 0).with_tail(tails[lane], self.index_bits))
    }
}

impl KeyInfo {
    /// That of the items of a root.
    pub(super) fn of_root(root: Cell, edge_max: u32, tails: Tails) -> Self {
        Self { floor: key_floor(root.level), edge_max, tail_levels: tails.levels }
    }

    /// That of the items of a branch after their tails have become their keys, if from where they differ first the tails
    /// reach deep enough for so many leaves. Else they would end again soon, perhaps in a chain of branches with one child.
    pub(super) fn of_tails(self, tails: Tails, items: &[Item], leaves: usize) -> Option<Self> {
        let first = items.first()?.tail(tails.index_bits());
        let differ = items.iter().fold(0, |differ, item| differ | (item.tail(tails.index_bits()) ^ first));
        let levels = (u32::BITS - differ.leading_zeros()).div_ceil(3);
        let is_deep = self.tail_levels > 0 && levels >= LEVELS_KEPT && leaves <= 1 << (levels - LEVELS_KEPT);
        is_deep.then(|| Self { floor: self.floor - self.tail_levels, tail_levels: 0, ..self })
    }
}

impl<S: Source, T: Store> Builder<'_, S, T> {
    /// Removes the tails of the items of a bucket, after sorting by them if its cell lies at the end of the keys.
    #[inline(always)]
    pub(super) fn order_by_tails(&mut self, cell: Cell, keys: KeyInfo, items: &mut [Item]) {
        if self.rules.tails.any() && !T::COUNTS {
            let is_sorted = keys.tail_levels == 0 || cell.level > keys.floor;
            self.rules.tails.end_in_bucket(is_sorted, items);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Node;
    use crate::geometry::lanes::{BoxQuery, set_bits};
    use crate::{Aabb, Handle, Octree};
    use alloc::vec::Vec;
    use glam::{IVec3, Vec3};

    #[test]
    fn indices_leave_bits_for_tails() {
        let root = |level| Cell { min: IVec3::ZERO, level };
        let tails = |level, objects| Tails::of(root(level), objects);
        let levels = |level, objects| tails(level, objects).levels;
        assert_eq!([1, 256, 257, 2048, 2049, 1 << 14].map(|objects| levels(27, objects)), [9, 7, 6, 6, 5, 5]);
        assert_eq!([(1 << 14) + 1, 1 << 17, (1 << 17) + 1, 1 << 29].map(|objects| levels(27, objects)), [4, 4, 0, 0]);
        assert_eq!([17, 18, 27].map(|level| levels(level, 1)), [0, 8, 9], "no lower than the smallest cell");
        for (objects, tail) in [(1 << 17, 0xfff), (3000, 0x7fff), (200, 0x1f_ffff)] {
            let tails = tails(27, objects);
            let item = Item::new(0x3fff_ffff, 31, 0).with_tail(!0, tails.index_bits()).with_index(objects - 1);
            assert_eq!((tails.index(item), item.tail(tails.index_bits())), (objects - 1, tail));
            let mut items = [item; 2];
            tails.remove(&mut items[..1]);
            tails.become_keys(&mut items[1..]);
            assert_eq!(
                (items[0], items[1]),
                (Item::new(0x3fff_ffff, 31, objects - 1), Item::new(tail, 31, objects - 1))
            );
        }
    }

    #[test]
    fn tails_become_keys_where_they_reach_deep_enough() {
        let root = Cell { min: IVec3::ZERO, level: 25 };
        let tails = Tails::of(root, 1 << 17);
        let keys = KeyInfo::of_root(root, 0, tails);
        let floor = |leaves, differ| {
            let items = [0, differ].map(|tail| Item::new(7, 0, 1).with_tail(tail, tails.index_bits()));
            keys.of_tails(tails, &items, leaves).map(|keys| (keys.floor, keys.tail_levels))
        };
        // Items that differ in the first level, in the second, in the third, in the last, nowhere.
        assert_eq!([4, 5].map(|leaves| floor(leaves, 0x200)), [Some((11, 0)), None]);
        assert_eq!([2, 3].map(|leaves| floor(leaves, 0x040)), [Some((11, 0)), None]);
        assert_eq!([1, 2].map(|leaves| floor(leaves, 0x008)), [Some((11, 0)), None]);
        assert_eq!([floor(1, 1), floor(1, 0)], [None; 2]);
        let used = KeyInfo { tail_levels: 0, ..keys };
        assert!(used.of_tails(tails, &[Item::new(0, 0, 0).with_tail(0x200, tails.index_bits())], 1).is_none());
    }

    /// Groups of small boxes on lines, far apart, in no order.
    fn lines(groups: usize, of_group: usize, step: f32) -> Vec<Aabb> {
        let len = groups * of_group;
        let at = |i: usize| {
            let (group, place) = (i / of_group, i % of_group);
            let corner = Vec3::new((group % 4) as f32, (group / 4 % 4) as f32, (group % 3) as f32);
            corner * 3e4 + Vec3::X * (place as f32 * step)
        };
        (0..len).map(|i| Aabb::from_center_half_extents(at(i * 7919 % len), Vec3::splat(0.05))).collect()
    }

    /// How often two blocks of a bucket overlap, and the number of all blocks.
    fn overlaps(tree: &Octree) -> (u32, u32) {
        let buckets = tree.data.nodes.arena.slots().iter().filter(|node: &&Node| node.is_bucket);
        buckets.fold((0, 0), |(overlaps, blocks), node| {
            let lanes = set_bits(u64::from(node.child_mask));
            let of_lane = |lane| node.bounds.overlaps(&BoxQuery::of_lane(&node.bounds, lane));
            let all: u32 = lanes.map(|lane| (of_lane(lane) & node.child_mask).count_ones() - 1).sum();
            (overlaps + all / 2, blocks + node.child_mask.count_ones())
        })
    }

    #[test]
    fn objects_lie_in_order_at_the_end_of_keys_and_below() {
        for (groups, of_group, step) in [(8, 400, 1.7), (8, 400, 1.2), (40, 500, 1.7), (40, 500, 1.1)] {
            let boxes = lines(groups, of_group, step);
            let (mut tree, mut handles) = (Octree::default(), Vec::<Handle>::new());
            tree.insert_many(&boxes, &mut handles).expect("legal boxes");
            for _ in 0..2 {
                assert!(Tails::of(tree.data.nodes[tree.data.root].cell, boxes.len()).any());
                tree.validate().expect("no invariant is broken");
                let (overlaps, blocks) = overlaps(&tree);
                assert!(overlaps <= blocks, "{overlaps} overlaps of {blocks} blocks, {groups} lines, step {step}");
                tree.rebuild();
            }
        }
    }
}
