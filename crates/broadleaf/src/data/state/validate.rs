//! Validation: checks every invariant of a tree, and names the one that is broken.

use crate::data::{BlockId, Cell, Data, Location, Node, NodeId, ObjectWord, PILE_LANE, SELF_NEEDS_REFIT, Span};
use crate::geometry::Aabb;
use crate::geometry::lanes::{LooseCell, set_bits};
use crate::{Layers, Shape};

/// A broken invariant of a tree: a bug of this crate, or a snapshot that was tampered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("broken invariant: {invariant} (node or block {index})")]
pub struct BrokenInvariant {
    /// What should hold, and does not.
    pub invariant: &'static str,
    /// The node, block or row that breaks it.
    pub index: u32,
}

/// Lanes keep either of two zeros of different sign, by instruction set: a tree keeps positive ones only.
const NO_NEGATIVE_ZERO: &str = "no coordinate is a negative zero";

/// Totals that are checked against the arenas at the end.
#[derive(Default)]
struct Totals {
    nodes: usize,
    blocks: usize,
    objects: usize,
    at_level: [u32; 32],
}

pub(crate) fn ensure(holds: bool, invariant: &'static str, index: u32) -> Result<(), BrokenInvariant> {
    if holds { Ok(()) } else { Err(BrokenInvariant { invariant, index }) }
}

impl Data {
    /// Checks every invariant of the columns.
    pub(crate) fn validate(&self) -> Result<(), BrokenInvariant> {
        let mut totals = Totals::default();
        ensure(self.nodes.has_all_loose_bounds(), "each node has loose bounds", 0)?;
        if self.root.is_node() {
            let root = &self.nodes[self.root];
            ensure(root.parent == NodeId::NONE && !root.in_pile, "the root has no parent", self.root.0)?;
            self.validate_node(self.root, &mut totals)?;
        }
        let pending = self.validate_pending(&mut totals)?;
        ensure(pending == self.pending_len as usize, "the count of pending objects is right", 0)?;
        self.validate_pile(self.outsized, NodeId::OUTSIZED, Cell::SMALLEST, &mut totals)?;
        ensure(totals.nodes == self.nodes.arena.live(), "every node in use is reached once", 0)?;
        ensure(totals.at_level == *self.nodes.at_level(), "nodes are counted by level", 0)?;
        if self.root.is_node() && self.nodes[self.root].needs_refit == 0 && self.pending_len == 0 {
            ensure(!self.nodes.any_below(self.level_min()), "no node lies below the depth limit", self.root.0)?;
        }
        ensure(totals.blocks == self.blocks.arena.live(), "every block in use is reached once", 0)?;
        ensure(totals.objects == self.objects.len(), "every object lies in exactly one lane", 0)?;
        self.journal.check(self.objects.slots_len() as usize)?;
        for &free in self.nodes.arena.free_slots() {
            let node = self.nodes.arena.get(free);
            ensure(node.child_mask == 0 && node.residents == NodeId::NONE, "a freed node is blank", free)?;
        }
        for &free in self.blocks.arena.free_slots() {
            ensure(self.blocks.arena.get(free).occupied() == 0, "a freed block is blank", free)?;
            let header = self.blocks.header(BlockId(free));
            ensure(header.is_chained() && header.next() == BlockId::NONE, "a freed block has no owner", free)?;
        }
        Ok(())
    }

    fn validate_node(&self, id: NodeId, totals: &mut Totals) -> Result<(), BrokenInvariant> {
        let node = &self.nodes[id];
        let index = id.0;
        ensure(node.split == self.grid.levels.split(node.cell.level), "a node divides as its level does", index)?;
        ensure(!node.bounds.has_negative_zero(), NO_NEGATIVE_ZERO, index)?;
        let loose_bounds = self.grid.loose_bounds(node.cell, node.span);
        ensure(
            *self.nodes.loose_bounds(id) == loose_bounds,
            "the loose bounds of a node are those of its cell",
            index,
        )?;
        totals.nodes += 1;
        totals.at_level[node.cell.level as usize] += u32::from(!node.in_pile);
        for lane in set_bits(u64::from(!node.child_mask)) {
            let empty = node.bounds.get(lane) == Aabb::EMPTY
                && node.memberships[lane] == 0
                && node.occupied[lane] == 0
                && node.moving[lane] == 0
                && node.unreported >> lane & 1 == 0
                && node.needs_refit >> lane & 1 == 0;
            ensure(empty, "a lane without a child is empty", index)?;
        }
        if node.is_bucket {
            ensure(node.residents == NodeId::NONE, "a bucket has no residents", index)?;
            let len = node.blocks_len();
            ensure(usize::from(node.child_mask) + 1 == 1 << len, "a bucket has no gaps", index)?;
            let fits = node.in_pile || node.occupied_bits().count_ones() <= self.leaf_capacity;
            ensure(fits, "a bucket holds at most its capacity", index)?;
            (0..len).try_for_each(|lane| self.validate_lane(id, lane, totals))?;
        } else {
            let mut covered = 0_u8;
            for lane in set_bits(u64::from(node.child_mask)) {
                let span = node.child_span(lane);
                ensure(span.base(lane) == lane && lane + span.len() <= 8, "a span starts at its base", index)?;
                let octants = ((1_u16 << span.len()) - 1) << lane;
                ensure(u16::from(covered) & octants == 0, "no two children cover one octant", index)?;
                covered |= octants.to_le_bytes()[0];
                self.validate_child(id, lane, totals)?;
            }
            ensure(!(node.in_pile && node.residents.is_node()), "a pile has no residents", index)?;
            self.validate_pile(node.residents, id, node.cell, totals)?;
        }
        if self.is_fitted(id) {
            let unreported = node.residents.is_node() && self.nodes[node.residents].has_unreported();
            ensure(node.residents_unreported == unreported, "a branch knows of unreported residents", index)?;
            self.validate_count(id)?;
        }
        Ok(())
    }

    fn validate_pile(
        &self,
        root: NodeId,
        owner: NodeId,
        cell: Cell,
        totals: &mut Totals,
    ) -> Result<(), BrokenInvariant> {
        if !root.is_node() {
            return ensure(root == NodeId::NONE, "no pile has no root", root.0);
        }
        let node = &self.nodes[root];
        ensure(node.parent == owner && usize::from(node.lane) == PILE_LANE, "a pile knows its owner", root.0)?;
        ensure(node.in_pile && node.cell == cell && node.span == Span::ONE, "a pile has its owner's cell", root.0)?;
        if owner.is_node() {
            let marked = self.nodes[owner].needs_refit & SELF_NEEDS_REFIT != 0;
            ensure(marked || node.needs_refit == 0, "changes are marked up to the root", root.0)?;
        }
        self.validate_node(root, totals)
    }

    /// Whether no view has to do anything about what a node holds itself.
    fn is_fitted(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        let lanes = if node.is_bucket { node.child_mask } else { 0 };
        let mut blocks = set_bits(u64::from(lanes)).map(|lane| node.child_block(lane));
        let pile = node.residents;
        node.needs_refit == 0
            && blocks.all(|id| self.blocks.dirty.lanes(id) == 0)
            && (!pile.is_node() || self.is_fitted(pile))
            && (node.is_bucket || !node.in_pile || self.are_children_fitted(node))
    }

    /// Whether all below a branch of a pile is fitted.
    fn are_children_fitted(&self, node: &Node) -> bool {
        set_bits(u64::from(node.child_mask)).all(|lane| self.is_fitted(node.child_node(lane)))
    }

    fn validate_count(&self, id: NodeId) -> Result<(), BrokenInvariant> {
        let node = &self.nodes[id];
        let count = if node.is_bucket {
            node.occupied_bits().count_ones()
        } else {
            let children = set_bits(u64::from(node.child_mask));
            let children: u32 = children.map(|lane| self.nodes[node.child_node(lane)].count).sum();
            children + if node.residents.is_node() { self.nodes[node.residents].count } else { 0 }
        };
        ensure(node.count == count, "the count of a subtree is right", id.0)?;
        ensure(count > 0, "no empty node is kept", id.0)
    }

    /// Whether a child in a lane of a branch may have such a cell: that of its octant or, so that there are no
    /// chains of branches with one child, one below it.
    pub(super) fn is_cell_of_child(&self, node: &Node, lane: usize, cell: Cell) -> bool {
        if node.in_pile { cell == node.cell } else { self.grid.is_within(cell, self.grid.child(node.cell, lane)) }
    }

    fn validate_child(&self, id: NodeId, lane: usize, totals: &mut Totals) -> Result<(), BrokenInvariant> {
        let node = &self.nodes[id];
        let child_id = node.child_node(lane);
        let child = &self.nodes[child_id];
        ensure(child.parent == id, "a child knows its parent", child_id.0)?;
        ensure(usize::from(child.lane) == lane, "a child knows its lane", child_id.0)?;
        ensure(child.in_pile == node.in_pile, "a child is in the pile of its parent", child_id.0)?;
        ensure(self.is_cell_of_child(node, lane, child.cell), "a child's cell lies in its octant", child_id.0)?;
        ensure(child.span == node.child_span(lane), "a child knows its span", child_id.0)?;
        ensure(child.is_bucket || child.span == Span::ONE, "only a bucket spans octants", child_id.0)?;
        let marked = node.needs_refit >> lane & 1 == 1;
        ensure(marked || child.needs_refit == 0, "changes are marked up to the root", child_id.0)?;
        if !marked && self.is_fitted(child_id) {
            ensure(node.bounds.get(lane) == self.node_bounds(child_id), "a branch's bounds are fitted", child_id.0)?;
            let summary = self.nodes.summary(child_id);
            ensure(node.memberships[lane] == summary.memberships, "a branch's memberships are OR-ed", child_id.0)?;
            ensure((node.moving[lane] != 0) == summary.moves, "a branch knows whether its child moves", child_id.0)?;
            let unreported = node.unreported >> lane & 1 == 1;
            ensure(unreported == child.has_unreported(), "a branch knows whether its child is unreported", child_id.0)?;
        }
        self.validate_node(child_id, totals)
    }

    fn validate_lane(&self, id: NodeId, lane: usize, totals: &mut Totals) -> Result<(), BrokenInvariant> {
        let node = &self.nodes[id];
        let block_id = node.child_block(lane);
        let block = &self.blocks[block_id];
        let header = self.blocks.header(block_id);
        let index = block_id.0;
        let knows =
            header.owner() == id && header.lane() == lane && header.is_piled() == node.in_pile && !header.is_chained();
        ensure(knows, "a block knows its bucket and lane", index)?;
        ensure(node.occupied[lane] == block.occupied(), "a bucket knows its occupied lanes", index)?;
        ensure(node.moving[lane] == block.moving(), "a bucket knows its moving lanes", index)?;
        ensure(block.occupied() != 0, "a bucket's block is not empty", index)?;
        if node.needs_refit >> lane & 1 == 0 && self.blocks.dirty.lanes(block_id) == 0 {
            ensure(node.bounds.get(lane) == block.boxes.union(), "a bucket's bounds are fitted", index)?;
            ensure(
                node.memberships[lane] == self.blocks.memberships_union(block_id),
                "a bucket's memberships are OR-ed",
                index,
            )?;
        }
        let owner = self.nodes.pile_owner(id);
        if owner == NodeId::OUTSIZED {
            for lane in set_bits(u64::from(block.occupied())) {
                let written = self.blocks.dirty.is_set(Location::new(block_id, lane));
                let outsized = !self.grid.is_placeable(&block.boxes.get(lane));
                ensure(written || outsized, "an outsized object fits no cell", index)?;
            }
        }
        self.validate_block(block_id, owner.is_node().then(|| self.nodes.loose_bounds(id)), totals)
    }

    fn validate_pending(&self, totals: &mut Totals) -> Result<usize, BrokenInvariant> {
        let mut count = 0;
        for id in self.blocks.chain(self.pending) {
            let (block, header) = (&self.blocks[id], self.blocks.header(id));
            ensure(header.is_chained(), "a block of the chain knows that it is", id.0)?;
            ensure(id == self.pending || block.occupied() == u8::MAX, "chained blocks but the first are full", id.0)?;
            ensure(block.occupied() != 0, "a chained block is not empty", id.0)?;
            count += block.occupied().count_ones() as usize;
            self.validate_block(id, None, totals)?;
        }
        Ok(count)
    }

    fn validate_block(
        &self,
        id: BlockId,
        loose_bounds: Option<&LooseCell>,
        totals: &mut Totals,
    ) -> Result<(), BrokenInvariant> {
        let block = &self.blocks[id];
        totals.blocks += 1;
        ensure(!block.boxes.has_negative_zero(), NO_NEGATIVE_ZERO, id.0)?;
        for lane in 0..8 {
            let (word, aabb) = (block.objects[lane], block.boxes.get(lane));
            if word == ObjectWord::EMPTY {
                let empty = aabb == Aabb::EMPTY && self.blocks.memberships_of(id).is_none_or(|lanes| lanes[lane] == 0);
                ensure(empty, "an empty lane holds nothing", id.0)?;
                continue;
            }
            totals.objects += 1;
            let (row, at) = (word.row(), Location::new(id, lane));
            ensure(self.objects.is_live(row), "an object in a lane is alive", row.0)?;
            ensure(self.objects.location(row) == at, "an object knows where it lies", row.0)?;
            ensure(self.objects.handle(row) == block.handle(lane), "a lane knows its object's handle", row.0)?;
            ensure(aabb.check().is_ok(), "an object's box is legal", row.0)?;
            if word.has(ObjectWord::SPHERE) {
                // Other lanes keep what a sphere left behind; nothing reads it.
                let sphere = self.blocks.sphere(at);
                ensure(!Shape::Sphere(sphere).has_negative_zero(), NO_NEGATIVE_ZERO, row.0)?;
                ensure(sphere.aabb() == aabb, "a sphere's box is around it", row.0)?;
            }
            if let Some(given) = self.fat.exact_shape(row) {
                ensure(!given.has_negative_zero(), NO_NEGATIVE_ZERO, row.0)?;
                ensure(
                    self.fat.new_fat_shape(&self.stored_shape(row), &given).is_none(),
                    "an object lies in its fat bounds",
                    row.0,
                )?;
            }
            let layered = self.layers(word, at) != Layers::ALL;
            ensure(word.has(ObjectWord::LAYERED) == layered, "an object's word knows of layers", row.0)?;
            if let Some(loose_bounds) = loose_bounds {
                let placed = self.blocks.dirty.is_set(at) || loose_bounds.keeps(&aabb);
                ensure(placed, "an object lies in a cell that holds it", row.0)?;
            }
        }
        Ok(())
    }
}
