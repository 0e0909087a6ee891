//! Residents: objects that no child of a cell holds. They stand in a pile of the cell's node.

use super::cut::{Builder, Rules};
use super::sort::Item;
use super::source::Source;
use super::store::{KeyInfo, Store};
use crate::data::{Cell, Node, NodeId, Span, Summary};
use crate::geometry::Aabb;
use crate::tree::flush::pile::{cuts, height_of};
use crate::tree::flush::pile_order::order;

impl<S: Source, T: Store> Builder<'_, S, T> {
    /// Moves the items that a child of the node can hold to the front, in order, and builds
    /// a pile of the others. Returns how many are left for the children, and their key info.
    #[inline]
    pub(super) fn keep_residents(
        &mut self,
        node: (NodeId, Cell),
        keys: KeyInfo,
        items: &mut [Item],
        summary: &mut Summary,
    ) -> (usize, KeyInfo) {
        let (Rules { grid, level_min, .. }, (_, cell)) = (&self.rules, node);
        // Mostly all are small enough: then the longest edge shows it, and no item is read.
        if cell.level > *level_min && keys.edge_max <= grid.longest_edge(cell.level - 1) {
            return (items.len(), keys);
        }
        self.keep_large(node, keys, items, summary)
    }

    /// [`Builder::keep_residents`] where the longest edge does not show that there are none.
    // Not inlined: most nodes have no residents.
    #[inline(never)]
    fn keep_large(
        &mut self,
        (id, cell): (NodeId, Cell),
        mut keys: KeyInfo,
        items: &mut [Item],
        summary: &mut Summary,
    ) -> (usize, KeyInfo) {
        let Rules { grid, level_min, .. } = &self.rules;
        let all = cell.level <= *level_min;
        let edge = if all { 0 } else { grid.longest_edge(cell.level - 1) };
        if !all {
            keys.edge_max = edge_max(items);
            if keys.edge_max <= edge {
                return (items.len(), keys);
            }
        }
        let edges_max = grid.child_edges_max(cell, *level_min);
        let mut rest = 0;
        for i in 0..items.len() {
            let item = items[i];
            let is_held = |aabb: &Aabb| {
                aabb.extents().cmple(edges_max).all() && grid.octant_holding(cell, *level_min, aabb).is_some()
            };
            let held = !all && (item.edge() <= edge || is_held(&self.source.aabb(self.rules.index(item))));
            if held {
                // Mostly all are held.
                if rest < i {
                    items.swap(rest, i);
                }
                rest += 1;
            }
        }
        let residents = &mut items[rest..];
        if !residents.is_empty() {
            let (pile, of_pile) = self.order_and_build_pile(cell, residents);
            self.store.link_pile(id, pile);
            self.store.node_mut(id).residents_unreported = of_pile.unreported;
            *summary = of_pile;
        }
        (rest, keys)
    }

    /// Builds a pile of items in any order. Their order, and their keys, change only where the store does not
    /// need them any more.
    fn order_and_build_pile(&mut self, cell: Cell, items: &mut [Item]) -> (NodeId, Summary) {
        let height = height_of(items.len());
        let aabb = |index| self.source.aabb(index);
        if T::COUNTS {
            self.build_pile(cell, items, items.len(), height)
        } else if T::KEEPS_KEYS {
            let mut copy = self.store.spare();
            copy.extend_from_slice(items);
            self.rules.tails.remove(&mut copy);
            order(&mut copy, self.spare, aabb);
            let built = self.build_pile(cell, &copy, copy.len(), height);
            self.store.give_back(copy);
            built
        } else {
            self.rules.tails.remove(items);
            order(items, self.spare, aabb);
            self.build_pile(cell, items, items.len(), height)
        }
    }

    /// Builds a pile of the first `len` items, in order, with so many branches above one another.
    fn build_pile(&mut self, cell: Cell, items: &[Item], len: usize, height: u32) -> (NodeId, Summary) {
        if height == 0 {
            return self.build_bucket(cell, Span::ONE, true, items, len);
        }
        let grid = &self.rules.grid;
        let node = Node::of_pile(cell, grid.levels.split(cell.level), false);
        let id = self.store.add_node(node, grid.loose_cell(cell));
        let mut summary = Summary::EMPTY;
        for (lane, part) in cuts(len, height).windows(2).enumerate() {
            let (child, below) = self.build_pile(cell, &items[part[0]..], part[1] - part[0], height - 1);
            self.store.link(id, lane, child);
            self.store.node_mut(id).set_summary(lane, &below);
            summary.add(&below);
        }
        let node = self.store.node_mut(id);
        node.count = summary.count;
        node.run_extent = node.bounds.extent_sum().min(f32::MAX);
        (id, summary)
    }
}

/// The longest edge that any item needs of a cell.
#[inline(always)]
pub(super) fn edge_max(items: &[Item]) -> u32 {
    items.iter().fold(0, |max, item| item.edge().max(max))
}
