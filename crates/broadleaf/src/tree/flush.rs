//! Bringing the tree up to date.

use super::Octree;
use crate::data::ids::{BlockId, Location, NodeId};
use crate::spans::{record, span};

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
        let changed = self.is_changed(self.data.root) || self.is_changed(self.data.outsized);
        !(waiting || self.data.blocks.written.any() || changed)
    }

    #[inline]
    fn is_changed(&self, root: NodeId) -> bool {
        root.is_node() && self.data.nodes[root].changed != 0
    }

    /// Places what waits, relocates what left its cell, and refits what
    /// changed; or rebuilds, if that is less work by count.
    fn catch_up(&mut self) {
        let span = span!("update", objects = self.len(), pending = self.data.pending_len, misplaced);
        self.notice_written();
        record!(span, misplaced = self.misplaced.len());
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
        let (span, refits) = (span!("refit", nodes), self.counters.refits);
        if self.is_changed(self.data.root) {
            self.refit(self.data.root);
            self.sink_root();
        }
        if self.is_changed(self.data.outsized) {
            self.data.outsized = self.refit_pile(self.data.outsized);
        }
        record!(span, nodes = self.counters.refits - refits);
    }

    fn place_pending(&mut self) {
        while self.data.pending != BlockId::NONE {
            let entry = self.data.take_pending(Location::new(self.data.pending, 0));
            self.place(&entry, NodeId::NONE);
        }
    }
}
