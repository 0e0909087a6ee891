//! Relocating the objects that left their cell.

use crate::tree::Octree;

impl Octree {
    /// Takes the listed objects out of their lanes and places them where they
    /// belong, walking up from where they were until a cell holds them.
    pub(super) fn relocate_misplaced(&mut self) {
        let mut misplaced = core::mem::take(&mut self.misplaced);
        for row in misplaced.drain(..) {
            let at = self.data.objects.location(row);
            let header = self.data.blocks.header(at.block());
            let entry = self.data.blocks.read(at);
            // A split for another object may already have moved it to where it belongs.
            if self.belongs(&header, &entry.aabb) {
                continue;
            }
            self.counters.relocations += 1;
            self.data.take(at);
            let mut from = self.data.nodes.pile_owner(header.owner());
            while from.is_node() && !self.data.nodes.loose_bounds(from).holds(&entry.aabb) {
                from = self.data.nodes[from].parent;
            }
            self.place(&entry, from);
        }
        self.misplaced = misplaced;
    }
}
