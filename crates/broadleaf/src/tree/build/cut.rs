//! Cutting sorted items into nodes top down, and filling their blocks.

use super::sort::{Item, octant_starts, sort_by_key, sort_items};
use super::source::Source;
use super::store::{BlockColumns, KeyInfo, Store};
use super::tails::Tails;
use crate::data::bucket::LaneColumns;
use crate::data::{
    Block, BlockHeader, Bump, BumpVec, Cell, Data, Grid, Node, NodeId, ObjectWord, Span, Summary, key_floor,
};
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, ShapeRow, Shapes, Spheres, WIDTH};
use alloc::vec::Vec;

/// Builds of fewer objects prefetch none: all have just been read, and are still in the second-level cache.
const PREFETCHED_MIN: usize = 8192;
/// How many items ahead of the first of a lane objects are prefetched.
const PREFETCH_DISTANCE: usize = 2 * WIDTH;

/// Settings that hold for all nodes of a bulk build.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) grid: Grid,
    leaf_capacity: usize,
    pub(super) level_min: u32,
    /// Whether objects and rows are prefetched.
    prefetches: bool,
    /// The tails that the keys of the root have.
    pub(super) tails: Tails,
}

impl Rules {
    /// The rules of a tree of `len` objects whose root has such a cell.
    pub(super) fn new(data: &Data, root: Cell, len: usize, tails: Tails) -> Self {
        let level_min = root.level.saturating_sub(data.depth_limit);
        Self {
            grid: data.grid,
            leaf_capacity: data.leaf_capacity as usize,
            level_min,
            prefetches: len >= PREFETCHED_MIN,
            tails,
        }
    }

    /// The index of an item's object.
    #[inline(always)]
    pub(super) fn index(&self, item: Item) -> usize {
        self.tails.index(item)
    }

    /// An empty node.
    fn node(&self, cell: Cell, span: Span, is_bucket: bool) -> Node {
        Node::new(cell, self.grid.levels.split(cell.level), span, is_bucket)
    }
}

/// Builds nodes from a source of objects into a store.
pub(super) struct Builder<'a, S, T> {
    pub(super) store: &'a mut T,
    pub(super) source: &'a S,
    pub(super) rules: Rules,
    /// Working memory of sorts.
    pub(super) spare: &'a mut Vec<Item>,
}

impl<S: Source, T: Store> Builder<'_, S, T> {
    /// Builds the node of `cell` from the first `len` items, which are sorted; the others belong to
    /// nodes that come later, and are prefetched only.
    pub(super) fn build(&mut self, cell: Cell, keys: KeyInfo, items: &mut [Item], len: usize) -> (NodeId, Summary) {
        if let Some(done) = self.store.defer(cell, keys, len) {
            return done;
        }
        self.build_and_sort(cell, keys, items, len, None)
    }

    /// [`Builder::build`] of items in the order of their index, if there is memory to sort them in. Sorted by key are all
    /// items of a root that is one bucket; else those that are left for the children, not the residents, which the pile
    /// puts in an order of its own.
    #[inline(always)]
    pub(super) fn build_and_sort(
        &mut self,
        cell: Cell,
        keys: KeyInfo,
        items: &mut [Item],
        len: usize,
        unsorted: Option<&Bump>,
    ) -> (NodeId, Summary) {
        let sort = |items: &mut [Item]| {
            if let Some(bump) = unsorted {
                let mut spare = BumpVec::with_capacity_in(items.len(), bump);
                spare.resize(items.len(), Item::default());
                sort_items(items, &mut spare);
            }
        };
        if len <= self.rules.leaf_capacity {
            sort(&mut items[..len]);
            self.order_by_tails(cell, keys, &mut items[..len]);
            return self.build_bucket(cell, Span::ONE, false, items, len);
        }
        let loose_bounds = self.rules.grid.loose_cell(cell);
        let id = self.store.add_node(self.rules.node(cell, Span::ONE, false), loose_bounds);
        let mut summary = Summary::EMPTY;
        let (rest, keys) = self.keep_residents((id, cell), keys, &mut items[..len], &mut summary);
        if cell.level > self.rules.level_min && rest > 0 {
            sort(&mut items[..rest]);
            self.build_children((id, cell), keys, items, rest, &mut summary);
        }
        self.store.node_mut(id).count = summary.count;
        (id, summary)
    }

    #[inline(always)]
    fn build_children(
        &mut self,
        branch: (NodeId, Cell),
        keys: KeyInfo,
        items: &mut [Item],
        len: usize,
        summary: &mut Summary,
    ) {
        let (_, cell) = branch;
        if cell.level > keys.floor {
            self.build_octants(branch, keys, items, len, summary);
        } else {
            self.build_with_new_keys(branch, keys, items, len, summary);
        }
    }

    /// Builds children for whose octants the keys have no bits left.
    // Not inlined: most keys have bits enough.
    #[inline(never)]
    fn build_with_new_keys(
        &mut self,
        branch: (NodeId, Cell),
        keys: KeyInfo,
        items: &mut [Item],
        len: usize,
        summary: &mut Summary,
    ) {
        let (_, cell) = branch;
        let leaves = len / self.rules.leaf_capacity;
        let of_tails = keys.of_tails(self.rules.tails, &items[..len], leaves);
        let has_tails = of_tails.is_some();
        let keys = of_tails.unwrap_or(KeyInfo { floor: key_floor(cell.level), tail_levels: 0, ..keys });
        if T::KEEPS_KEYS {
            let mut copy = self.store.spare();
            copy.extend_from_slice(&items[..len]);
            self.renew_keys(cell, has_tails, &mut copy);
            self.build_octants(branch, keys, &mut copy, len, summary);
            self.store.give_back(copy);
        } else {
            self.renew_keys(cell, has_tails, &mut items[..len]);
            self.build_octants(branch, keys, items, len, summary);
        }
    }

    /// Gives items of a cell at the end of their keys new ones: the tails, or keys of the cell.
    fn renew_keys(&mut self, cell: Cell, has_tails: bool, items: &mut [Item]) {
        if has_tails {
            self.rules.tails.become_keys(items);
        } else {
            let maker = self.rules.grid.key_maker(cell);
            for eight in items.chunks_mut(WIDTH) {
                let aabb = |item: &Item| self.source.aabb(self.rules.index(*item));
                let boxes = Boxes::gather(|lane| eight.get(lane).map_or(Aabb::EMPTY, aabb));
                eight.iter_mut().zip(maker.keys(&boxes)).for_each(|(item, key)| item.set_key(key));
            }
        }
        sort_by_key(items, self.spare);
    }

    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn build_octants(
        &mut self,
        (id, cell): (NodeId, Cell),
        keys: KeyInfo,
        items: &mut [Item],
        len: usize,
        summary: &mut Summary,
    ) {
        let starts = octant_starts(&items[..len], cell.level - 1 - keys.floor);
        let mut octant = 0;
        while octant < 8 {
            let span = self.span_at(octant, &starts);
            let range = starts[octant]..starts[octant + span.len()];
            if !range.is_empty() {
                let (child, items) = (self.rules.grid.child(cell, octant), &mut items[range.start..]);
                self.store.advance(range.start);
                let (child, below) = if span == Span::ONE {
                    self.build(self.narrowed(child, keys, &items[..range.len()]), keys, items, range.len())
                } else {
                    self.order_by_tails(child, keys, &mut items[..range.len()]);
                    self.build_bucket(child, span, false, items, range.len())
                };
                self.store.retreat(range.start);
                self.store.link(id, octant, child);
                self.store.node_mut(id).set_summary(octant, &below);
                summary.add(&below);
            }
            octant += span.len();
        }
    }

    /// A cell, or the one below it that all items of a branch lie in, as far as their keys tell: so there is no chain of
    /// branches with one child.
    fn narrowed(&self, mut cell: Cell, keys: KeyInfo, items: &[Item]) -> Cell {
        let Rules { grid, leaf_capacity, level_min, .. } = &self.rules;
        let ([first, .., last], floor) = (items, keys.floor) else { return cell };
        while items.len() > *leaf_capacity
            && cell.level > floor.max(*level_min)
            && keys.edge_max <= grid.longest_edge(cell.level - 1)
        {
            let place = cell.level - 1 - floor;
            if first.octant(place) != last.octant(place) {
                break;
            }
            cell = grid.child(cell, first.octant(place));
        }
        cell
    }

    /// The most octants from `octant` on that together fill a bucket at most
    /// to three quarters, which leaves room for arrivals.
    fn span_at(&self, octant: usize, starts: &[usize; 9]) -> Span {
        // In a strict tree an object's leaf is its own octant.
        if self.rules.grid.is_strict() {
            return Span::ONE;
        }
        let limit = self.rules.leaf_capacity * 3 / 4;
        for span in [Span::FOUR, Span::TWO] {
            let end = octant + span.len();
            if span.base(octant) == octant && starts[end] - starts[octant] <= limit {
                let parts = starts[octant..=end].windows(2).filter(|part| part[0] < part[1]).count();
                if parts > 1 {
                    return span;
                }
            }
        }
        Span::ONE
    }

    /// Builds a bucket of the first `len` items, which have no tails if they are not only counted.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn build_bucket(
        &mut self,
        cell: Cell,
        span: Span,
        in_pile: bool,
        items: &[Item],
        len: usize,
    ) -> (NodeId, Summary) {
        if T::COUNTS {
            self.store.count_bucket(len);
            return (NodeId::NONE, Summary::EMPTY);
        }
        let mut node = self.rules.node(cell, span, true);
        node.in_pile = in_pile;
        let (id, _) = self.store.next_ids();
        for (lane, run) in items[..len].chunks(WIDTH).enumerate() {
            let header = BlockHeader::of_bucket(id, lane, in_pile);
            if self.rules.prefetches {
                self.prefetch(&items[lane * WIDTH..], run.len());
            }
            self.fill_lane(&mut node, lane, run, header);
        }
        node.count = node.occupied_bits().count_ones();
        node.run_extent = node.bounds.extent_sum().min(f32::MAX);
        let summary = node.own_summary();
        (self.store.add_node(node, self.rules.grid.loose_bounds(cell, span)), summary)
    }

    /// Prefetches what is scattered in memory. The first `len` items are a lane's; as many objects, and their rows, are
    /// prefetched [`PREFETCH_DISTANCE`] items further on, so that none is left out where lanes are not full. The first
    /// objects of a list are not prefetched.
    #[inline]
    fn prefetch(&self, items: &[Item], len: usize) {
        // A copy, as in `fill_lane`.
        let source = *self.source;
        for item in items.iter().skip(PREFETCH_DISTANCE).take(len) {
            source.prefetch(self.rules.index(*item));
            if S::IS_SLICE {
                self.store.prefetch(source.row(self.rules.index(*item)));
            }
        }
        if !S::IS_SLICE {
            // The row is stored with the object, which has to have arrived.
            items
                .iter()
                .skip(WIDTH)
                .take(len)
                .for_each(|item| self.store.prefetch(source.row(self.rules.index(*item))));
        }
    }

    /// Makes the block of a bucket's lane, all of it before it is stored.
    #[inline]
    fn fill_lane(&mut self, node: &mut Node, lane: usize, run: &[Item], mut header: BlockHeader) {
        let (_, id) = self.store.next_ids();
        let mut block = Block::EMPTY;
        let mut lane_memberships = [0; WIDTH];
        let (mut unreported, mut memberships, mut common, mut words) = (0, 0, u32::MAX, 0);
        // A copy: the compiler need not read it again after each store.
        let source = *self.source;
        let columns = block.objects.iter_mut().zip(&mut lane_memberships);
        for (slot, (item, (word, of_lane))) in run.iter().zip(columns).enumerate() {
            let entry = source.entry(item.index());
            (*word, *of_lane) = (entry.word, entry.memberships);
            unreported |= u8::from(entry.unreported) << slot;
            memberships |= entry.memberships;
            common &= entry.memberships;
            words |= entry.word.0;
        }
        self.store.locate(id, run.len(), &mut block);
        header.unreported = unreported;
        let (any_spheres, mut spheres) = (words & ObjectWord::SPHERE != 0, Spheres::ZERO);
        if any_spheres {
            let row = |item: &Item| source.shape_row(item.index());
            let shapes = Shapes::gather(|slot| run.get(slot).map_or(ShapeRow::EMPTY, row));
            (block.boxes, spheres) = (shapes.boxes, shapes.spheres);
        } else {
            block.boxes = boxes_of(run, |item| source.aabb(item.index()));
        }
        let bounds = block.boxes.union();
        let of = LaneColumns { bounds, memberships, unreported: header.unreported != 0 };
        node.fill_lane(lane, id, run.len(), block.moving(), &of);
        let (memberships, on_all) = (&lane_memberships, common == u32::MAX);
        let columns = BlockColumns { spheres: &spheres, any_spheres, memberships, on_all };
        self.store.add_block(block, header, &columns);
    }
}

/// The boxes of up to eight items, without negative zeros.
#[inline(always)]
fn boxes_of(run: &[Item], aabb: impl Fn(Item) -> Aabb) -> Boxes {
    let boxes = match <&[Item; WIDTH]>::try_from(run) {
        Ok(run) => Boxes::gather(|lane| aabb(run[lane])),
        Err(_) => Boxes::gather(|lane| run.get(lane).map_or(Aabb::EMPTY, |&item| aabb(item))),
    };
    boxes.without_negative_zeros()
}
