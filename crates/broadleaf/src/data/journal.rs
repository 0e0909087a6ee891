//! What has changed since pair events were last taken.
//!
//! An object is *stirred* when it arrives and when its shape, layers or
//! mobility are set. The flag lies beside the object's lane ([`Link`]) and
//! follows it from block to block; the refit carries it up to the root. So
//! what has stirred is found from the root, however little it is.
//!
//! [`Link`]: super::blocks::Link

use super::Data;
use super::arena::copy_list;
use super::handle::Handle;
use super::hash::WordHash;
use super::ids::{BlockId, NodeId, ObjectWord};
#[cfg(feature = "serde")]
use super::validate::{Broken, ensure};
use super::view::View;
use crate::geometry::lanes::{LaneMask, set_bits};
use alloc::vec::Vec;

/// Removals that are kept beyond the number of living objects before
/// whoever takes events is told to look at everything instead.
const REMOVED_SPARE: usize = 1024;

/// What the flags cannot tell.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Journal {
    /// Names the pairs that were known when events were last taken: equal
    /// tags mean equal pairs. Zero if nobody takes events.
    tag: u64,
    /// Objects removed since, if somebody does.
    removed: Vec<Handle>,
    /// Objects found stirred when bounds were fitted since: at least as many as are.
    stirred_len: usize,
    /// Whether any outsized object may have stirred.
    pub(crate) outsized_stirred: bool,
}

impl Clone for Journal {
    fn clone(&self) -> Self {
        let mut clone = Self::new();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        copy_list(&mut self.removed, &source.removed);
        self.tag = source.tag;
        self.stirred_len = source.stirred_len;
        self.outsized_stirred = source.outsized_stirred;
    }
}

impl Journal {
    pub(crate) const fn new() -> Self {
        Self { tag: 0, removed: Vec::new(), stirred_len: 0, outsized_stirred: false }
    }

    /// Counts the stirred objects of a block that is being fitted.
    #[inline]
    pub(crate) fn note(&mut self, stirred: LaneMask) {
        self.stirred_len += stirred.count_ones() as usize;
    }

    /// Counts stirred objects of blocks that have been fitted.
    pub(crate) fn note_many(&mut self, stirred: usize) {
        self.stirred_len += stirred;
    }

    /// Notes a removal, unless nobody wants to know or nobody has asked for too long.
    #[inline]
    pub(crate) fn removed(&mut self, handle: Handle, living: usize) {
        if self.tag == 0 {
            return;
        }
        if self.removed.len() < living + REMOVED_SPARE {
            self.removed.push(handle);
        } else {
            self.forget();
        }
    }

    /// Has everything looked at when events are next taken.
    pub(crate) fn forget(&mut self) {
        self.tag = 0;
        self.removed.clear();
    }

    /// Checks a journal that came from outside.
    #[cfg(feature = "serde")]
    pub(crate) fn check_restored(&self, rows: usize) -> Result<(), Broken> {
        ensure((self.stirred_len as u64) < 1 << 48, "stirred objects are countable", 0)?;
        let removed = self.removed.iter().all(|handle| (handle.slot() as usize) < rows);
        ensure(removed, "a removed object had a row", 0)
    }

    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_wide(self.tag);
        hash.add_wide(self.stirred_len as u64);
        hash.add(self.outsized_stirred.into());
        hash.add_wide(self.removed.len() as u64);
        self.removed.iter().for_each(|handle| hash.add_wide(handle.to_bits()));
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.removed.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.removed.capacity() * size_of::<Handle>()
    }
}

/// A tree that is up to date, lent to a [`PairTracker`](crate::PairTracker)
/// by [`Octree::changes`](crate::Octree::changes).
///
/// Dropping it unused loses nothing.
#[derive(Debug)]
pub struct Changes<'a> {
    pub(crate) data: &'a mut Data,
}

impl Changes<'_> {
    /// The same tree, for asking.
    #[inline]
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { data: self.data }
    }

    /// What was known when events were last taken; zero for nothing.
    pub(crate) fn tag(&self) -> u64 {
        self.data.journal.tag
    }

    /// Whether anything has stirred or been removed.
    pub(crate) fn is_empty(&self) -> bool {
        let (data, journal) = (&*self.data, &self.data.journal);
        let tree = data.root.is_node() && data.nodes[data.root].is_stirred();
        !tree && !journal.outsized_stirred && journal.removed.is_empty()
    }

    /// No fewer than the objects that have stirred.
    pub(crate) fn stirred_max(&self) -> usize {
        self.data.journal.stirred_len
    }

    /// Calms what has stirred and forgets what was removed, handing out the
    /// rows of both, some of them more than once.
    pub(crate) fn settle(&mut self, mut visit: impl FnMut(u32)) {
        let data = &mut *self.data;
        if data.root.is_node() {
            data.settle_node(data.root, &mut visit);
        }
        if core::mem::take(&mut data.journal.outsized_stirred) {
            data.settle_chain(data.outsized, &mut visit);
        }
        data.journal.removed.drain(..).for_each(|handle| visit(handle.slot()));
        data.journal.stirred_len = 0;
    }

    /// Names the pairs that are known from now on.
    pub(crate) fn finish(self, tag: u64) {
        self.data.journal.tag = tag;
    }
}

impl Data {
    /// Recursion is as deep as the tree, at most 28 levels.
    fn settle_node(&mut self, id: NodeId, visit: &mut impl FnMut(u32)) {
        let node = &mut self.nodes[id];
        let lanes = core::mem::take(&mut node.stirred);
        let is_bucket = node.is_bucket;
        if core::mem::take(&mut node.residents_stirred) {
            self.settle_chain(self.nodes[id].residents, visit);
        }
        for lane in set_bits(u64::from(lanes)) {
            if is_bucket {
                self.settle_block(self.nodes[id].child_block(lane), visit);
            } else {
                self.settle_node(self.nodes[id].child_node(lane), visit);
            }
        }
    }

    fn settle_chain(&mut self, first: BlockId, visit: &mut impl FnMut(u32)) {
        let mut id = first;
        while id != BlockId::NONE {
            self.settle_block(id, visit);
            id = self.blocks.next(id);
        }
    }

    #[inline]
    fn settle_block(&mut self, id: BlockId, visit: &mut impl FnMut(u32)) {
        let stirred = core::mem::take(&mut self.blocks.link_mut(id).stirred);
        let block = &self.blocks[id];
        for lane in set_bits(u64::from(stirred)) {
            debug_assert!(block.objects[lane] != ObjectWord::EMPTY, "an empty lane is not stirred");
            visit(block.objects[lane].row().0);
        }
    }
}
