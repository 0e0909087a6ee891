//! Bringing the tree up to date.

mod dirty;
mod grow;
pub(super) mod pile;
pub(super) mod place;
mod refit;
mod relocate;
mod rerun;
mod split;

use super::Octree;
use crate::data::ids::{BlockId, Location, NodeId};

/// A bulk build is chosen when at least one in this many objects would have
/// to be placed one by one.
const REBUILD_SHARE: usize = 6;

impl Octree {
    /// Brings the tree up to date, if it is not.
    #[inline]
    pub(super) fn flush(&mut self) {
        if !self.is_up_to_date() {
            self.catch_up();
        }
    }

    /// Whether no object waits for a place, no lane has been written since the
    /// last view, and no node needs a refit.
    #[inline]
    pub(super) fn is_up_to_date(&self) -> bool {
        let waiting = self.data.pending_len > 0 || !self.misplaced.is_empty();
        let changed = self.needs_refit(self.data.root) || self.needs_refit(self.data.outsized);
        !(waiting || self.data.blocks.dirty.any() || changed)
    }

    #[inline]
    fn needs_refit(&self, root: NodeId) -> bool {
        root.is_node() && self.data.nodes[root].needs_refit != 0
    }

    /// Places what waits, relocates what left its cell, and refits what
    /// changed; or rebuilds, if that is less work by count.
    fn catch_up(&mut self) {
        self.process_dirty_lanes();
        let to_place = self.data.pending_len as usize + self.misplaced.len();
        if to_place > 0 {
            if !self.data.root.is_node() || to_place * REBUILD_SHARE >= self.len() {
                self.rebuild();
                return;
            }
            self.relocate_misplaced();
            self.place_pending();
            // The root has grown so much that nodes lie below the depth limit.
            if self.data.nodes.any_below(self.data.level_min()) {
                self.rebuild();
                return;
            }
        }
        if self.needs_refit(self.data.root) {
            self.refit(self.data.root);
            self.sink_root();
        }
        if self.needs_refit(self.data.outsized) {
            self.data.outsized = self.refit_pile(self.data.outsized);
        }
    }

    fn place_pending(&mut self) {
        while self.data.pending != BlockId::NONE {
            let entry = self.data.take_pending(Location::new(self.data.pending, 0));
            self.place(&entry, NodeId::NONE);
        }
    }
}
