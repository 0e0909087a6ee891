//! Moving objects that left their cell.

use super::Octree;
use crate::data::ids::{NodeId, ObjectWord};

impl Octree {
    /// Takes the listed objects out of their lanes and places them where they
    /// belong, walking up from where they were until a cell holds them.
    pub(super) fn relocate_misplaced(&mut self) {
        let mut misplaced = core::mem::take(&mut self.misplaced);
        for row in misplaced.drain(..) {
            if !self.is_misplaced(row) {
                continue;
            }
            let at = self.data.objects.location(row);
            let link = self.data.blocks.link(at.block());
            let entry = self.data.blocks.read(at);
            if self.belongs(link, &entry.aabb) {
                let word = &mut self.data.blocks[at.block()].objects[at.lane()];
                *word = word.with(ObjectWord::MISPLACED, false);
                continue;
            }
            self.counters.relocations += 1;
            let mut entry = self.take(at);
            entry.word = entry.word.with(ObjectWord::MISPLACED, false);
            let mut from = link.owner;
            while from.is_node() && !self.data.home(from).holds(&entry.aabb) {
                from = self.data.nodes[from].parent;
            }
            self.place(&entry, if from.is_node() { from } else { NodeId::NONE });
        }
        self.misplaced = misplaced;
    }
}
