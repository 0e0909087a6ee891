//! Bringing the tree up to date.

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
        !(waiting || self.data.blocks.written.any() || self.root_changed())
    }

    #[inline]
    fn root_changed(&self) -> bool {
        self.data.root.is_node() && self.data.nodes[self.data.root].changed != 0
    }

    /// Places what waits, relocates what left its cell, and refits what
    /// changed; or rebuilds, if that is less work by count.
    fn catch_up(&mut self) {
        self.notice_written();
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
        if self.root_changed() {
            self.refit(self.data.root);
            self.sink_root();
        }
    }

    fn place_pending(&mut self) {
        while self.data.pending != BlockId::NONE {
            let entry = self.data.take_chained(NodeId::PENDING, Location::new(self.data.pending, 0));
            self.place(&entry, NodeId::NONE);
        }
    }
}
