//! Moving objects that left their cell.

use crate::data::ids::NodeId;
use crate::tree::Octree;

impl Octree {
    /// Takes the listed objects out of their lanes and places them where they
    /// belong, walking up from where they were until a cell holds them.
    pub(in crate::tree) fn relocate_misplaced(&mut self) {
        let mut misplaced = core::mem::take(&mut self.misplaced);
        for row in misplaced.drain(..) {
            let at = self.data.objects.location(row);
            let link = self.data.blocks.link(at.block());
            let entry = self.data.blocks.read(at);
            // A split on behalf of another object may have moved it to where it belongs.
            if self.belongs(link, &entry.aabb) {
                continue;
            }
            self.counters.relocations += 1;
            self.take(at);
            let mut from = self.data.nodes.pile_owner(link.owner);
            while from.is_node() && !self.data.home(from).holds(&entry.aabb) {
                from = self.data.nodes[from].parent;
            }
            self.place(&entry, if from.is_node() { from } else { NodeId::NONE });
        }
        self.misplaced = misplaced;
    }
}
