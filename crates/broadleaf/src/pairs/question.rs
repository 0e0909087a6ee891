//! The pair questions: serial visitor and fill.

use super::outside::OutsideStack;
use super::pair::Pair;
use super::pass::{Pass, Serial};
use super::sink::Sink;
use crate::data::scratch::{BumpVec, Workspace};
use crate::data::view::{QueryStats, View};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Working memory of the pair pass. Keep one a thread and hand it in again
/// each frame: after a few frames a pass allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    pub(super) workspace: Workspace,
    #[cfg(feature = "parallel")]
    pub(super) parallel: super::tasks::TaskScratch,
}

impl Scratch {
    /// Working memory that holds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl View<'_> {
    /// Visits all overlapping pairs, each once: boxes and spheres exact,
    /// touching counts, layers respected, never two static objects.
    ///
    /// *Cost:* in proportion to objects and pairs, as long as few objects lie
    /// outside of leaves; subtrees without a moving object are skipped among
    /// themselves. Two kinds of input are quadratic:
    ///
    /// - *Residents*: objects that a node holds itself, for no smaller cell holds
    ///   them: sticks and plates about as long as the world, and many objects
    ///   in one smallest cell. Those of one node are tested each against each.
    ///   [`NodeInfo::objects`](crate::NodeInfo::objects) above the leaf
    ///   capacity counts them.
    /// - *Outsized* objects, which no cell holds: each is tested against all
    ///   objects. [`Counters::outsized`](crate::Counters::outsized) counts them.
    ///
    /// [`QueryStats::objects_tested`] counts each of them once, not each test.
    pub fn pairs(self, scratch: &mut Scratch, visit: impl FnMut(Pair) -> ControlFlow<()>) -> QueryStats {
        let bump = scratch.workspace.start();
        let mut pass = Pass {
            data: self.data,
            sink: Sink::new(self, visit),
            outside: OutsideStack::new(BumpVec::new_in(bump)),
            plan: Serial,
        };
        let _ = pass.run();
        pass.sink.stats
    }

    /// Fills `found` with all overlapping pairs, in the order of [`View::pairs`], at its cost.
    pub fn pairs_into(self, scratch: &mut Scratch, found: &mut Vec<Pair>) -> QueryStats {
        found.clear();
        self.pairs(scratch, |pair| {
            found.push(pair);
            ControlFlow::Continue(())
        })
    }
}
