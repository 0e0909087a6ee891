//! Restoring a tree from loaded columns.
//!
//! Nothing that is read here may be trusted: indices may point anywhere,
//! chains may run in circles. So the links are followed first, each node and
//! block at most once, without recursion; then what can be derived is derived;
//! and then the invariants are checked as for any tree.

use super::validate::{BrokenInvariant, ensure};
use crate::Config;
use crate::data::grid::cell::LEVEL_MAX;
use crate::data::nodes::node::PILE_HEIGHT_MAX;
use crate::data::{BlockId, Cell, Data, Grid, Node, NodeId, ObjectWord, PILE_LANE, SELF_NEEDS_REFIT, Span};
use crate::geometry::Aabb;
use crate::geometry::lanes::{LaneMask, WIDTH, set_bits};
use alloc::vec;
use alloc::vec::Vec;

/// How far out placeable centres lie at most, in smallest cells.
const REACH: i32 = 1 << 24;

/// What has been reached, each at most once.
struct VisitedIds {
    nodes: Vec<bool>,
    blocks: Vec<bool>,
}

impl VisitedIds {
    fn node(&mut self, id: u32) -> Result<(), BrokenInvariant> {
        let visited =
            self.nodes.get_mut(id as usize).ok_or(BrokenInvariant { invariant: "a node exists", index: id })?;
        ensure(!core::mem::replace(visited, true), "a node is reached once", id)
    }

    fn block(&mut self, id: u32) -> Result<(), BrokenInvariant> {
        let visited =
            self.blocks.get_mut(id as usize).ok_or(BrokenInvariant { invariant: "a block exists", index: id })?;
        ensure(!core::mem::replace(visited, true), "a block is reached once", id)
    }
}

impl Data {
    /// Checks loaded columns, and derives what they lack.
    /// `config` must be legal.
    pub(crate) fn restore(&mut self, config: &Config) -> Result<(), BrokenInvariant> {
        let grid = Grid::new(config.cell_unit(), config.looseness);
        let Some(grid) = grid.restored(&self.grid) else {
            return Err(BrokenInvariant {
                invariant: "cells divide, are scaled and are widened as the settings allow",
                index: 0,
            });
        };
        self.grid = grid;
        (self.leaf_capacity, self.depth_limit) = (config.leaf_capacity, config.depth_limit);
        self.objects.check_restored()?;
        self.fat.restore(config.margin, self.objects.live_rows())?;
        let (rows, nodes) = (self.objects.slots_len() as usize, self.nodes.arena.slots().len());
        self.blocks.check_restored(rows)?;
        ensure(self.nodes.arena.is_countable() && nodes < 1 << 28, "nodes are countable", 0)?;
        let mut reached =
            VisitedIds { nodes: vec![false; nodes], blocks: vec![false; self.blocks.arena.slots().len()] };
        self.check_free(&mut reached)?;
        self.check_nodes(&mut reached)?;
        self.check_chain(self.pending, &mut reached)?;
        // What is derived goes by the cells of nodes.
        ensure(reached.nodes.iter().all(|&reached| reached), "every node in use is in the tree", 0)?;
        self.derive();
        self.validate()
    }

    fn check_free(&self, reached: &mut VisitedIds) -> Result<(), BrokenInvariant> {
        let (nodes, blocks) = (&self.nodes.arena, &self.blocks.arena);
        for &free in nodes.free_slots() {
            reached.node(free)?;
            ensure(*nodes.get(free) == Node::blank(), "a freed node is blank", free)?;
        }
        for &free in blocks.free_slots() {
            reached.block(free)?;
            ensure(self.blocks.is_blank(BlockId(free)), "a freed block is blank", free)?;
        }
        Ok(())
    }

    /// Whether a root may have such a cell: near enough to where centres lie
    /// that it can grow to hold them all, or so long that it does.
    fn is_root_cell(&self, Cell { min, level }: Cell) -> bool {
        if level > LEVEL_MAX || min.max_element() > REACH || min.min_element() < -(1 << LEVEL_MAX) {
            return false;
        }
        let sizes = self.grid.levels.sizes(level);
        let (max, far) = (min + sizes, self.grid.cells_max() / 2 * 3);
        let holds_all = |axis: usize| min[axis] < -far && max[axis] > far;
        max.min_element() >= -REACH && (0..3).all(|axis| sizes[axis] < 1 << LEVEL_MAX || holds_all(axis))
    }

    /// Follows the tree from the root.
    fn check_nodes(&self, reached: &mut VisitedIds) -> Result<(), BrokenInvariant> {
        let mut open = Vec::new();
        if self.root != NodeId::NONE {
            reached.node(self.root.0)?;
            let root = &self.nodes[self.root];
            ensure(self.is_root_cell(root.cell) && root.span == Span::ONE, "the root lies within reach", self.root.0)?;
            open.push((self.root, 0));
        }
        if self.outsized != NodeId::NONE {
            reached.node(self.outsized.0)?;
            ensure(self.nodes[self.outsized].cell == Cell::SMALLEST, "outsized objects have no cell", self.outsized.0)?;
            open.push((self.outsized, 1));
        }
        // Of each node of a pile, how many of the pile's are above it, and itself.
        while let Some((id, height)) = open.pop() {
            let node = &self.nodes[id];
            check_columns(node, id.0)?;
            ensure(node.in_pile == (height > 0) && height <= PILE_HEIGHT_MAX, "a pile is low", id.0)?;
            ensure(node.span == Span::ONE || node.is_bucket && !node.in_pile, "only a bucket spans octants", id.0)?;
            if node.residents != NodeId::NONE {
                ensure(!node.in_pile, "a pile has no residents", id.0)?;
                reached.node(node.residents.0)?;
                ensure(self.nodes[node.residents].cell == node.cell, "a pile has its owner's cell", id.0)?;
                open.push((node.residents, 1));
            }
            for lane in set_bits(u64::from(node.child_mask)) {
                if node.is_bucket {
                    let block = node.child_block(lane);
                    reached.block(block.0)?;
                } else {
                    let child = node.child_node(lane);
                    reached.node(child.0)?;
                    let cell = self.nodes[child].cell;
                    ensure(self.is_cell_of_child(node, lane, cell), "a child's cell lies in its octant", child.0)?;
                    open.push((child, if node.in_pile { height + 1 } else { 0 }));
                }
            }
        }
        Ok(())
    }

    fn check_chain(&self, first: BlockId, reached: &mut VisitedIds) -> Result<(), BrokenInvariant> {
        let mut id = first;
        while id != BlockId::NONE {
            reached.block(id.0)?;
            id = self.blocks.next(id);
        }
        Ok(())
    }

    fn derive(&mut self) {
        self.interactions.derive();
        self.nodes.count_levels();
        let levels = self.grid.levels;
        self.nodes.arena.slots_mut().iter_mut().for_each(|node| node.split = levels.split(node.cell.level));
        self.derive_loose_bounds();
    }
}

/// The fields of a node that do not follow from other nodes.
fn check_columns(node: &Node, index: u32) -> Result<(), BrokenInvariant> {
    let spans = [Span::ONE, Span::TWO, Span::FOUR];
    ensure(usize::from(node.lane) <= PILE_LANE && node.needs_refit < SELF_NEEDS_REFIT << 1, "lanes are eight", index)?;
    ensure(node.run_extent >= 0.0 && node.run_extent < f32::INFINITY, "a run has an extent", index)?;
    ensure(node.count <= ObjectWord::ROW_LIMIT, "objects are countable", index)?;
    for lane in 0..WIDTH {
        let here = node.child_mask >> lane & 1 == 1;
        let bounds = node.bounds.get(lane);
        ensure(here || node.is_vacant(lane), "a lane without a child is empty", index)?;
        ensure(bounds == Aabb::EMPTY || bounds.check().is_ok(), "bounds are a box", index)?;
        if !node.is_bucket && here {
            ensure(!node.in_pile || node.child_span(lane) == Span::ONE, "a pile has no octants", index)?;
            ensure(node.occupied[lane] == LaneMask::MAX, "a branch's lanes are all or nothing", index)?;
            ensure([0, LaneMask::MAX].contains(&node.moving[lane]), "a branch's lanes are all or nothing", index)?;
            ensure(spans.contains(&node.child_span(lane)), "a span is one, two or four octants", index)?;
        }
    }
    if node.is_bucket {
        let plain = !node.residents_unreported && node.residents == NodeId::NONE;
        ensure(plain && !node.has_spans(), "a bucket has no residents", index)
    } else {
        let divides = node.child_mask == 0 || node.in_pile || node.cell.level > 0;
        ensure(divides, "the smallest cell has no octants", index)
    }
}
