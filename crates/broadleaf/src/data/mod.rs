//! The columns that every room works on. `tree` writes them; `query` and `pairs` read
//! them through [`View`](view::View).
//!
//! | folder or file | what it holds |
//! |---|---|
//! | `nodes` | the nodes of the tree and of piles, and where the objects of each belong |
//! | `blocks` | eight objects each; their headers; the dirty lanes |
//! | `bucket.rs` | the lanes of buckets and of their blocks: put, take, drain, fit, write |
//! | `objects` | what is stored by row: generation, location, filters, user data, exact shapes |
//! | `grid` | how cells divide and where they lie |
//! | `journal.rs` | what changed since pair events were taken |
//! | `state` | hash, bytes, and checks of all of it |
//!
//! # Dirty states
//!
//! | state | where | set by | cleared by | read by |
//! |---|---|---|---|---|
//! | pending | the chain of blocks at `Data::pending` | `insert` | placing, a bulk build | the flush |
//! | dirty | a bit a lane, `Blocks::dirty` | setters; a rewrite and a shift, for lanes that may be misplaced | processing by the flush, emptying the lane, a bulk build | the flush; `unreported` counts a dirty lane as unreported |
//! | misplaced | `Octree::misplaced`, a list of rows | processing of dirty lanes | relocation or a bulk build, in the same flush | the flush |
//! | needs refit | a bit a lane of a node, and one for its pile | processing, a rewrite, placing, removing, splitting; always up to the root | the refit, bottom up | the flush, the refit |
//! | unreported | a bit a lane in `BlockHeader`, a bit a lane of a node above | inserting, processing, a rewrite | a tracker's update, by `Changes::gather`; a bulk build keeps it | trackers, `NodeInfo::changed` |
//!
//! A lane's bits follow its object: whatever moves an object to another lane copies its
//! entry with `unreported`, and no lane of an object that was placed anew is dirty.

pub(crate) mod arena;
pub(crate) mod blocks;
pub(crate) mod bucket;
pub(crate) mod grid;
pub(crate) mod ids;
pub(crate) mod interactions;
pub(crate) mod journal;
pub(crate) mod nodes;
pub(crate) mod objects;
pub(crate) mod report;
pub(crate) mod scratch;
pub(crate) mod state;
pub(crate) mod stretch;
#[macro_use]
pub(crate) mod terminals;
pub(crate) mod threads;
pub(crate) mod unwind;
pub(crate) mod view;

pub(crate) use blocks::block::{BLANK, Block, BlockHeader, Entry};
pub(crate) use bucket::BUCKET_CAPACITY;
pub(crate) use grid::Grid;
pub(crate) use grid::cell::{Cell, key_floor};
pub(crate) use grid::levels::Span;
pub(crate) use ids::{BlockId, Location, NodeId, ObjectWord, Row};
pub(crate) use interactions::Interactions;
pub(crate) use nodes::node::{Node, PILE_LANE, SELF_NEEDS_REFIT, Summary};
pub(crate) use objects::Objects;
pub(crate) use objects::handle::Handle;
pub(crate) use objects::object::{Bounded, Layers, Mobility, Object, Shape};
pub(crate) use report::Counters;
pub(crate) use scratch::{Bump, BumpScratch, BumpVec};
pub(crate) use terminals::{MapTake, Sink, Take, TakeFirst};
pub(crate) use threads::Threads;
pub(crate) use view::{QueryStats, View};

use crate::Config;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, LaneMask, WIDTH, set_bits};
use blocks::Blocks;

use journal::Journal;
use nodes::Nodes;

use objects::fat_shapes::FatShapes;

/// Everything that a tree holds.
///
/// Each living object lies in exactly one lane of one block: in the tree, in
/// the `pending` chain until the next flush, or in the `outsized` pile if no
/// cell can hold it.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Data {
    pub(crate) grid: Grid,
    pub(crate) nodes: Nodes,
    pub(crate) blocks: Blocks,
    pub(crate) objects: Objects,
    /// The root, or [`NodeId::NONE`].
    pub(crate) root: NodeId,
    /// The first block of the chain of pending objects.
    pub(crate) pending: BlockId,
    /// The number of pending objects.
    pub(crate) pending_len: u32,
    /// The root of the pile of outsized objects.
    pub(crate) outsized: NodeId,
    /// Which layers interact.
    pub(crate) interactions: Interactions,
    /// What has changed since pair events were last taken.
    pub(crate) journal: Journal,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) leaf_capacity: u32,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) depth_limit: u32,
    /// The margin and the exact shapes, where shapes are stored larger.
    pub(crate) fat: FatShapes,
}

impl Clone for Data {
    fn clone(&self) -> Self {
        let (nodes, blocks) = (self.nodes.clone(), self.blocks.clone());
        let (objects, journal) = (self.objects.clone(), self.journal.clone());
        Self { nodes, blocks, objects, journal, fat: self.fat.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        // Every field by name, so that none is forgotten.
        let Self {
            grid,
            nodes,
            blocks,
            objects,
            root,
            pending,
            pending_len,
            outsized,
            interactions,
            journal,
            leaf_capacity,
            depth_limit,
            fat,
        } = source;
        self.nodes.clone_from(nodes);
        self.blocks.clone_from(blocks);
        self.objects.clone_from(objects);
        self.journal.clone_from(journal);
        self.fat.clone_from(fat);
        (self.grid, self.root, self.outsized) = (*grid, *root, *outsized);
        (self.pending, self.pending_len, self.interactions) = (*pending, *pending_len, *interactions);
        (self.leaf_capacity, self.depth_limit) = (*leaf_capacity, *depth_limit);
    }
}

impl Data {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            grid: Grid::new(config.cell_unit(), config.looseness),
            nodes: Nodes::new(),
            blocks: Blocks::new(),
            objects: Objects::new(),
            root: NodeId::NONE,
            pending: BlockId::NONE,
            pending_len: 0,
            outsized: NodeId::NONE,
            interactions: Interactions::NONE,
            journal: Journal::new(),
            leaf_capacity: config.leaf_capacity,
            depth_limit: config.depth_limit,
            fat: FatShapes::new(config.margin),
        }
    }

    /// The number of objects that a leaf should hold on average where they lie evenly:
    /// then few leaves exceed the capacity. It is also the number at which nodes are
    /// merged: well below the capacity, so that a node does not split and merge in turn
    /// (except for capacities of one or two).
    #[inline]
    pub(crate) fn leaf_fill(&self) -> u32 {
        (self.leaf_capacity * 11 / 16).max(1)
    }

    /// The finest level at which cells may exist.
    #[inline]
    pub(crate) fn level_min(&self) -> u32 {
        if self.root.is_node() { self.nodes[self.root].cell.level.saturating_sub(self.depth_limit) } else { 0 }
    }

    /// Adds an object to the chain of pending objects. All blocks but the first are full,
    /// so the count gives the free lane.
    #[inline(always)]
    pub(crate) fn push_pending(&mut self, entry: &Entry) {
        let lane = self.pending_len as usize % WIDTH;
        self.pending_len += 1;
        if lane == 0 {
            self.pending = self.blocks.allocate(BlockHeader::in_chain(self.pending));
        }
        self.put(Location::new(self.pending, lane), entry);
    }

    /// Takes the object at `at` out of the chain; the hole is filled from the first block.
    pub(crate) fn take_pending(&mut self, at: Location) -> Entry {
        let taken = self.blocks.read(at);
        self.pending_len -= 1;
        let (block, lane) = (self.pending, self.pending_len as usize % WIDTH);
        let last = Location::new(block, lane);
        if last != at {
            let moved = self.blocks.read(last);
            self.put(at, &moved);
            if self.blocks.dirty.is_set(last) {
                self.blocks.dirty.set(at);
            }
        }
        self.blocks.erase(last);
        if lane == 0 {
            self.pending = self.blocks.next(block);
            self.blocks.release(block);
        }
        taken
    }

    /// The lanes of a node that may hold partners, by layer, of members of some layers.
    #[inline]
    pub(crate) fn interacting(&self, memberships: u32, node: &Node) -> LaneMask {
        if self.blocks.any_memberships() {
            self.interactions.meeting(memberships, &node.memberships)
        } else {
            LaneMask::MAX
        }
    }

    /// Adds an empty node, linked to nothing.
    pub(crate) fn add_node(&mut self, cell: Cell, span: Span, is_bucket: bool) -> NodeId {
        let node = Node::new(cell, self.grid.levels.split(cell.level), span, is_bucket);
        self.nodes.allocate(node, self.grid.loose_bounds(cell, span))
    }

    /// Adds an empty bucket of a pile whose owner has such a cell.
    pub(crate) fn add_pile_node(&mut self, cell: Cell) -> NodeId {
        let node = Node::of_pile(cell, self.grid.levels.split(cell.level), true);
        self.nodes.allocate(node, self.grid.loose_cell(cell))
    }

    /// Computes the loose bounds of all nodes.
    pub(crate) fn derive_loose_bounds(&mut self) {
        self.nodes.derive_loose_bounds(|node| self.grid.loose_bounds(node.cell, node.span));
    }

    /// Writes a lane and the object's location.
    #[inline]
    pub(crate) fn put(&mut self, at: Location, entry: &Entry) {
        let row = entry.word.row();
        self.objects.set_location(row, at);
        self.blocks.write(at, entry, self.objects.generation(row));
    }

    /// The shape of a living row as its lane stores it: with its margin.
    pub(crate) fn stored_shape(&self, row: Row) -> Shape {
        let at = self.objects.location(row);
        let block = &self.blocks[at.block()];
        if block.objects[at.lane()].is_sphere() {
            Shape::Sphere(self.blocks.sphere(at))
        } else {
            Shape::Aabb(block.boxes.get(at.lane()))
        }
    }

    /// The object of a living row, as its caller described it.
    pub(crate) fn describe(&self, row: Row) -> Object {
        let entry = self.blocks.read(self.objects.location(row));
        let is_static = entry.word.has(ObjectWord::STATIC);
        Object {
            shape: self.fat.exact_shape(row).unwrap_or_else(|| self.stored_shape(row)),
            layers: Layers { memberships: entry.memberships, filters: self.objects.filters(row) },
            mobility: if is_static { Mobility::Static } else { Mobility::Moving },
            user_data: self.objects.user_data(row),
        }
    }

    /// The layers of the object in a lane.
    #[inline]
    pub(crate) fn layers(&self, word: ObjectWord, at: Location) -> Layers {
        Layers { memberships: self.blocks.membership(at), filters: self.objects.filters(word.row()) }
    }

    /// The lanes of a block whose objects may interact with an object, by the memberships of both: all lanes where
    /// every object is a member of all layers.
    #[inline]
    pub(crate) fn lanes_that_may_interact(&self, at: Location, id: BlockId) -> LaneMask {
        let memberships = self.blocks.memberships_of(id);
        memberships.map_or(LaneMask::MAX, |others| self.interactions.meeting(self.blocks.membership(at), others))
    }

    /// Whether all objects are boxes on all layers, so that two whose boxes overlap need no other test. May be false
    /// although they are: columns stay when such objects have gone.
    #[inline]
    pub(crate) fn are_plain_boxes(&self) -> bool {
        !(self.blocks.any_spheres() || self.any_layers())
    }

    /// Whether any object is not on all layers. May be true although all are.
    #[inline]
    pub(crate) fn any_layers(&self) -> bool {
        self.blocks.any_memberships() || self.objects.any_filters()
    }

    /// Prefetches what [`Data::are_plain_boxes`] reads.
    #[inline(always)]
    pub(crate) fn prefetch_columns(&self) {
        self.blocks.prefetch_columns();
        self.objects.prefetch_filters();
    }

    /// Fitted bounds of all that the tree holds, outsized objects apart.
    pub(crate) fn tree_bounds(&self) -> Aabb {
        if self.root.is_node() { self.node_bounds(self.root) } else { Aabb::EMPTY }
    }

    /// Fitted bounds of a node's contents.
    #[inline]
    pub(crate) fn node_bounds(&self, id: NodeId) -> Aabb {
        self.nodes.summary(id).bounds
    }

    /// Visits the boxes of the outsized objects, eight at a time.
    pub(crate) fn visit_outsized(&self, mut visit: impl FnMut(&Boxes)) {
        self.nodes.visit_pile(self.outsized, &mut |bucket| {
            let blocks = set_bits(u64::from(bucket.child_mask)).map(|lane| bucket.child_block(lane));
            blocks.for_each(|id| visit(&self.blocks[id].boxes));
        });
    }

    /// How far from the origin the cells of the settings reach.
    #[inline]
    pub(crate) fn reach_of_settings(&self) -> f32 {
        self.grid.plain().reach()
    }

    /// Objects in a pile.
    pub(crate) fn pile_len(&self, root: NodeId) -> usize {
        let mut len = 0;
        self.nodes.visit_pile(root, &mut |bucket| len += bucket.occupied_bits().count_ones() as usize);
        len
    }
}
