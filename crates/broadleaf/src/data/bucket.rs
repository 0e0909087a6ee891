//! The lanes of a bucket, and of its blocks. Only this file changes them, except the fast
//! paths named below; so the columns of bucket and block always agree.
//!
//! A lane of a bucket is a block. These hold at all times, and `validate` checks them:
//!
//! | column | is |
//! |---|---|
//! | the bucket's occupied bits | the lanes of each block that hold an object |
//! | the bucket's moving bits | those of them that hold a moving object |
//! | a block header's owner and lane | the bucket and the lane that hold the block |
//! | an object's location | the block and lane that hold it |
//! | a bucket's blocks | lanes from 0 without gaps, none empty |
//!
//! The bounds, memberships and unreported bits of a lane are exact unless the lane needs
//! a refit; then [`Data::fit_lane`] makes them so.
//!
//! Two fast paths write columns themselves: a bulk build fills whole lanes
//! ([`Node::fill_lane`]), and `tree/rewrite.rs` replaces the boxes of a block.

use super::Data;
use crate::data::{
    BlockHeader, BlockId, Entry, Layers, Location, Mobility, Node, NodeId, ObjectWord, Row, SELF_NEEDS_REFIT, Summary,
};
use crate::geometry::lanes::{LaneMask, WIDTH, set_bits};
use crate::geometry::{Aabb, Sphere};

/// The most objects that a bucket holds.
pub(crate) const BUCKET_CAPACITY: usize = WIDTH * WIDTH;

impl Data {
    /// Puts an object into the block of a bucket that grows least, or into a new block.
    pub(crate) fn put_in_bucket(&mut self, id: NodeId, entry: &Entry) {
        let node = &self.nodes[id];
        let blocks = node.blocks_len();
        let roomy = (0..blocks).filter(|&lane| node.occupied(lane) != LaneMask::MAX);
        let lane = node.lane_growing_least(roomy, &entry.aabb).unwrap_or_else(|| {
            debug_assert!(blocks < WIDTH, "a bucket with room has a block to spare");
            self.add_block(id)
        });
        let node = &mut self.nodes[id];
        let slot = node.occupied(lane).trailing_ones() as usize;
        let at = Location::new(node.child_block(lane), slot);
        node.bounds.set(lane, &node.bounds.get(lane).union(&entry.aabb));
        node.occupy(lane, slot, entry.word);
        self.put(at, entry);
        self.nodes.mark_for_refit(id, 1 << lane);
    }

    /// Adds an empty block to a bucket; its lane.
    fn add_block(&mut self, id: NodeId) -> usize {
        let node = &self.nodes[id];
        let lane = node.blocks_len();
        let block = self.blocks.allocate(BlockHeader::of_bucket(id, lane, node.in_pile));
        self.nodes[id].attach(lane, block.0);
        lane
    }

    /// Takes an object out of its lane, in a bucket or in the chain of pending objects.
    pub(crate) fn take(&mut self, at: Location) -> Entry {
        let header = self.blocks.header(at.block());
        if header.is_chained() {
            self.take_pending(at)
        } else {
            self.take_from_bucket(header.owner(), header.lane(), at)
        }
    }

    fn take_from_bucket(&mut self, bucket: NodeId, lane: usize, at: Location) -> Entry {
        let entry = self.blocks.read(at);
        self.blocks.erase(at);
        self.nodes.mark_for_refit(bucket, 1 << lane);
        let node = &mut self.nodes[bucket];
        node.vacate(lane, at.lane());
        if node.occupied(lane) == 0 {
            // The refit must still visit the bucket, though this lane no longer exists.
            node.needs_refit |= SELF_NEEDS_REFIT;
            if let Some(moved) = node.move_last_lane(lane) {
                self.blocks.header_mut(moved).set_lane(lane);
            }
            self.blocks.release(at.block());
        }
        entry
    }

    /// Fills an empty bucket with runs of eight objects in their order, and fits its columns.
    pub(crate) fn fill_bucket<'e, T>(&mut self, id: NodeId, objects: &'e [T], entry: impl Fn(&'e T) -> &'e Entry) {
        for run in objects.chunks(WIDTH) {
            let lane = self.add_block(id);
            let block = self.nodes[id].child_block(lane);
            for (slot, entry) in run.iter().map(&entry).enumerate() {
                self.put(Location::new(block, slot), entry);
                self.nodes[id].occupy(lane, slot, entry.word);
            }
            self.fit_lane(id, lane);
        }
        let node = &mut self.nodes[id];
        node.run_extent = node.bounds.extent_sum().min(f32::MAX);
    }

    /// Takes all objects out of a lane of a bucket, and frees its block. The caller goes on
    /// until no lane is left.
    pub(crate) fn drain_lane(&mut self, id: NodeId, lane: usize, mut visit: impl FnMut(Entry)) {
        let block = self.nodes[id].child_block(lane);
        for slot in set_bits(u64::from(self.nodes[id].occupied(lane))) {
            visit(self.blocks.read(Location::new(block, slot)));
        }
        self.nodes[id].detach(lane);
        self.blocks.release(block);
    }

    /// Recomputes the columns of a bucket's lane.
    #[inline(always)]
    pub(crate) fn fit_lane(&mut self, id: NodeId, lane: usize) {
        let block_id = self.nodes[id].child_block(lane);
        let unreported = self.blocks.header_ref(block_id).unreported;
        let blocks = &self.blocks;
        let (bounds, memberships) = (blocks[block_id].boxes.union(), blocks.memberships_union(block_id));
        let node = &mut self.nodes[id];
        node.bounds.set(lane, &bounds);
        node.memberships[lane] = memberships;
        node.set_unreported(lane, unreported != 0);
    }

    /// Recomputes a node's count, and returns the summary for its parent.
    #[inline(always)]
    pub(crate) fn summarize(&mut self, id: NodeId) -> Summary {
        let node = &self.nodes[id];
        let (mut count, mut residents_unreported) = (node.occupied_bits().count_ones(), false);
        if !node.is_bucket {
            count = set_bits(u64::from(node.child_mask)).map(|lane| self.nodes[node.child_node(lane)].count).sum();
            if node.residents.is_node() {
                let pile = &self.nodes[node.residents];
                count += pile.count;
                residents_unreported = pile.has_unreported();
            }
        }
        let node = &mut self.nodes[id];
        (node.count, node.residents_unreported) = (count, residents_unreported);
        self.nodes.summary(id)
    }

    /// Marks lanes of a block as unreported, and the given part of the owner for refit.
    #[inline(always)]
    pub(crate) fn mark_lanes(&mut self, id: BlockId, lanes: LaneMask, part: impl Fn(&BlockHeader) -> u16) {
        let header = self.blocks.header_mut(id);
        header.unreported |= lanes;
        let (owner, part) = (header.owner(), part(header));
        if owner.is_node() {
            self.nodes.mark_for_refit(owner, part);
        }
    }

    /// Writes a legal shape into the lane of a living row, without negative zeros.
    #[inline(always)]
    pub(crate) fn write_shape(&mut self, row: Row, aabb: &Aabb, sphere: Option<Sphere>) {
        let at = self.objects.location(row);
        let blocks = &mut self.blocks;
        blocks[at.block()].boxes.set(at.lane(), &aabb.without_negative_zeros());
        blocks.set_round(at, sphere);
        blocks.dirty.set(at);
    }

    /// Writes the layers of a living row.
    pub(crate) fn write_layers(&mut self, row: Row, layers: Layers) {
        let at = self.objects.location(row);
        self.objects.set_filters(row, layers.filters);
        self.interactions.add(layers);
        self.blocks.set_membership(at, layers.memberships);
        let word = &mut self.blocks[at.block()].objects[at.lane()];
        *word = word.with(ObjectWord::LAYERED, layers != Layers::ALL);
        self.blocks.dirty.set(at);
    }

    /// Writes the mobility of a living row.
    pub(crate) fn write_mobility(&mut self, row: Row, mobility: Mobility) {
        let at = self.objects.location(row);
        let word = &mut self.blocks[at.block()].objects[at.lane()];
        *word = word.with(ObjectWord::STATIC, mobility == Mobility::Static);
        let (word, header) = (*word, self.blocks.header(at.block()));
        if !header.is_chained() {
            self.nodes[header.owner()].occupy(header.lane(), at.lane(), word);
        }
        self.blocks.dirty.set(at);
    }
}

impl Node {
    /// Sets the bits of a lane of a block that holds an object with such a word.
    #[inline]
    fn occupy(&mut self, lane: usize, slot: usize, word: ObjectWord) {
        let moves = LaneMask::from(!word.has(ObjectWord::STATIC));
        self.occupied[lane] |= 1 << slot;
        self.moving[lane] = self.moving[lane] & !(1 << slot) | moves << slot;
    }

    /// Clears the bits of an empty lane of a block.
    #[inline]
    fn vacate(&mut self, lane: usize, slot: usize) {
        self.occupied[lane] &= !(1 << slot);
        self.moving[lane] &= !(1 << slot);
    }

    /// Fills a lane of a bucket that a bulk build makes: its block has so many objects, of
    /// which some move, in a row from lane 0.
    #[inline(always)]
    pub(crate) fn fill_lane(&mut self, lane: usize, block: BlockId, len: usize, moving: LaneMask, of: &LaneColumns) {
        self.attach(lane, block.0);
        self.bounds.set(lane, &of.bounds);
        self.memberships[lane] = of.memberships;
        self.occupied[lane] = LaneMask::MAX >> (WIDTH - len);
        self.moving[lane] = moving;
        self.set_unreported(lane, of.unreported);
    }

    /// Of some lanes, the one whose bounds grow least by a box.
    pub(crate) fn lane_growing_least(&self, lanes: impl Iterator<Item = usize>, aabb: &Aabb) -> Option<usize> {
        let growth = |lane: usize| {
            let bounds = self.bounds.get(lane);
            let growth = (bounds.union(aabb).extents() - bounds.extents()).element_sum();
            // Infinite bounds give no number.
            if growth.is_nan() { f32::INFINITY } else { growth }
        };
        lanes.map(|lane| (lane, growth(lane))).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(lane, _)| lane)
    }
}

/// The columns of a lane that its contents give.
pub(crate) struct LaneColumns {
    pub(crate) bounds: Aabb,
    pub(crate) memberships: u32,
    pub(crate) unreported: bool,
}
