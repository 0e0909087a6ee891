//! The flush: all that [`Octree::view`] does to bring the tree up to date.
//!
//! ```text
//! process dirty lanes      mark their nodes for refit, list misplaced objects     dirty.rs
//! if too many to place:    build the tree anew                                   ../build
//! relocate the misplaced   up until a cell holds them, then down                 relocate.rs, place.rs
//! place the pending        the root grows if need be; full buckets split         place.rs, grow.rs, split.rs
//! if many are beyond the reach of cells, or nodes below the depth limit:
//!                          build the tree anew                                   ../build
//! refit along the marks    bottom up; prune, merge, re-run on the way            refit.rs, rerun.rs
//! ```
//!
//! Objects that no child cell holds stand in piles (`pile.rs`).

mod dirty;
mod grow;
pub(super) mod pile;
pub(super) mod pile_order;
pub(super) mod place;
mod refit;
mod relocate;
mod rerun;
mod split;

use super::Octree;
use crate::data::{BlockId, Grid, Location, NodeId};
use crate::geometry::lanes::{SizeCounts, prefetch_code};
use crate::spans::{record, span};
use core::ops::ControlFlow;

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

    /// Prefetches the code of a flush that places nothing.
    #[inline(always)]
    pub(super) fn prefetch_code_of_flush() {
        prefetch_code(Self::catch_up as *const (), 0..23);
        prefetch_code(Self::refit as *const (), 0..45);
        prefetch_code(Self::join_sparse as *const (), 0..8);
    }

    /// Whether no object is pending, no lane is dirty, and no node needs a refit.
    #[inline]
    pub(super) fn is_up_to_date(&self) -> bool {
        let changed = self.needs_refit(self.data.root) || self.needs_refit(self.data.outsized);
        !(self.data.pending_len > 0 || self.data.blocks.dirty.any() || changed)
    }

    #[inline]
    fn needs_refit(&self, root: NodeId) -> bool {
        root.is_node() && self.data.nodes[root].needs_refit != 0
    }

    /// Relocates what left its cell, places what is pending, and refits what is
    /// marked; or rebuilds, if that is less work by count.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn catch_up(&mut self) {
        let span = span!("update", objects = self.len(), pending = self.data.pending_len, misplaced);
        self.process_dirty_lanes();
        record!(span, misplaced = self.misplaced.len());
        let to_place = self.data.pending_len as usize + self.misplaced.len();
        if to_place > 0 && self.place_or_rebuild(to_place).is_break() {
            return;
        }
        let (span, refits) = (span!("refit", nodes), self.counters.refits);
        if self.needs_refit(self.data.root) {
            self.refit(self.data.root);
            self.sink_root();
        }
        if self.needs_refit(self.data.outsized) {
            self.data.outsized = self.refit_pile(self.data.outsized);
        }
        record!(span, nodes = self.counters.refits - refits);
    }

    /// Places the misplaced and the pending objects, `to_place` in all, or rebuilds. Breaks if it has rebuilt, even
    /// after placing.
    // Not inlined: most views place nothing, and less code is fetched then.
    #[inline(never)]
    fn place_or_rebuild(&mut self, to_place: usize) -> ControlFlow<()> {
        if !self.data.root.is_node() || to_place * REBUILD_SHARE >= self.len() {
            self.rebuild();
            return ControlFlow::Break(());
        }
        let had_too_many_outsized = self.are_too_many_outsized();
        self.relocate_misplaced();
        self.place_pending();
        // The root has grown so far that some nodes lie below the depth limit; or many objects
        // have come to lie beyond the reach of cells, which a bulk build extends.
        let is_out_of_reach = !had_too_many_outsized && self.are_too_many_outsized();
        if is_out_of_reach || self.data.nodes.any_below(self.data.level_min()) {
            self.rebuild();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Whether more objects are outsized than a bulk build would leave so. Those that no cells can reach do not count.
    fn are_too_many_outsized(&self) -> bool {
        if !self.data.outsized.is_node() {
            return false;
        }
        let mut sizes = SizeCounts::NONE;
        self.data.visit_outsized(|boxes| sizes.add(boxes));
        Grid::are_too_many(sizes.below(Grid::REACH_MAX), self.len(), self.data.leaf_capacity as usize)
    }

    fn place_pending(&mut self) {
        while self.data.pending != BlockId::NONE {
            let entry = self.data.take_pending(Location::new(self.data.pending, 0));
            self.place(&entry, NodeId::NONE);
        }
    }
}
