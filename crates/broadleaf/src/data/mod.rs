//! The columns that every room works on. `tree` writes them;
//! `query` and `pairs` read them through [`View`](view::View).

pub(crate) mod arena;
pub(crate) mod blocks;
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
pub(crate) mod view;

use crate::Config;
use crate::geometry::Aabb;
use crate::geometry::lanes::{LaneMask, LooseCell, WIDTH};
use blocks::Blocks;
use blocks::block::{BlockHeader, Entry};
use grid::Grid;
use grid::cell::Cell;
use grid::levels::Span;
use ids::{BlockId, Location, NodeId, ObjectWord, Row};
use interactions::Interactions;
use journal::Journal;
use nodes::Nodes;
use nodes::node::Node;
use objects::Objects;
use objects::fat_shapes::FatShapes;
use objects::object::{Layers, Mobility, Object, Shape};

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
    /// First block of the objects that wait for a place.
    pub(crate) pending: BlockId,
    /// How many objects wait.
    pub(crate) pending_len: u32,
    /// Root of the pile of objects that no cell can hold.
    pub(crate) outsized: NodeId,
    /// Which layers may have pairs with which.
    pub(crate) interactions: Interactions,
    /// What has changed since events were last taken.
    pub(crate) journal: Journal,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) leaf_capacity: u32,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) depth_limit: u32,
    /// The shapes as given, where they are kept larger.
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

    /// How many objects a leaf should hold on average, where they lie evenly:
    /// then few leaves hold so many more that they split. So few also become
    /// one leaf, far enough from what splits that nodes on the brink do not
    /// flicker, but for capacities of one or two.
    #[inline]
    pub(crate) fn leaf_fill(&self) -> u32 {
        (self.leaf_capacity * 11 / 16).max(1)
    }

    /// The finest level at which cells may exist.
    #[inline]
    pub(crate) fn level_min(&self) -> u32 {
        if self.root.is_node() { self.nodes[self.root].cell.level.saturating_sub(self.depth_limit) } else { 0 }
    }

    /// Adds an object to the chain of those that wait for a place. All blocks
    /// but the first are full, so the count tells the free lane.
    #[inline(always)]
    pub(crate) fn push_pending(&mut self, entry: &Entry) {
        let lane = self.pending_len as usize % WIDTH;
        self.pending_len += 1;
        if lane == 0 {
            let header = BlockHeader::new(NodeId::PENDING, self.pending, LooseCell::NOWHERE, BlockHeader::CHAINED);
            self.pending = self.blocks.allocate(header);
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
        self.nodes.allocate(Node::new(cell, self.grid.levels.split(cell.level), span, is_bucket))
    }

    /// Where the objects of a node belong.
    #[inline]
    pub(crate) fn loose_bounds(&self, id: NodeId) -> LooseCell {
        let node = &self.nodes[id];
        self.grid.loose_bounds(node.cell, node.span)
    }

    /// Writes a lane, and tells the object where it lies.
    #[inline]
    pub(crate) fn put(&mut self, at: Location, entry: &Entry) {
        let generation = self.objects.set_location(entry.word.row(), at);
        self.blocks.write(at, entry, generation);
    }

    /// The shape of a living row as it is kept: with its margin.
    pub(crate) fn stored_shape(&self, row: Row) -> Shape {
        let entry = self.blocks.read(self.objects.location(row));
        if entry.word.has(ObjectWord::SPHERE) { Shape::Sphere(entry.sphere) } else { Shape::Aabb(entry.aabb) }
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

    /// Fitted bounds of all that the tree holds, outsized objects apart.
    pub(crate) fn tree_bounds(&self) -> Aabb {
        if self.root.is_node() { self.node_bounds(self.root) } else { Aabb::EMPTY }
    }

    /// Fitted bounds of a node's contents.
    #[inline]
    pub(crate) fn node_bounds(&self, id: NodeId) -> Aabb {
        self.nodes.summary(id).bounds
    }

    /// Objects in a pile.
    pub(crate) fn pile_len(&self, root: NodeId) -> usize {
        let mut len = 0;
        self.nodes.visit_pile(root, &mut |bucket| len += bucket.occupied_bits().count_ones() as usize);
        len
    }
}
