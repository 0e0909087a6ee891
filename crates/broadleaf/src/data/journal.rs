//! The journal: what has changed since pair events were taken, for any number of trackers.
//!
//! An object is *unreported* from its insertion, and from each change of its shape, layers or
//! mobility, until a tracker is updated. The flag lies beside the object's lane ([`BlockHeader`]) and
//! follows it from block to block; the refit carries it up to the root. So
//! the unreported objects are found from the root, at a cost in proportion to their number.
//!
//! A tracker that is updated clears the flags and appends the rows that had
//! one to a *log*; a removal appends its row at once. A *mark* is a place in
//! the log and the name of the set of pairs that the tree had there:
//!
//! ```text
//! log      4 9 9 | 2 7 | 9 9 3 |
//! marks          P     Q       R
//! ```
//!
//! A tracker whose known pairs have the name Q finds that 9 and 3 have changed
//! since; one that knows R has nothing to do. The name is of the set alone
//! ([`Pair::name`](crate::Pair)): it does not matter which tracker put the mark, nor
//! whether tree and tracker were cloned, saved or restored in between. A
//! tracker that finds no mark compares everything.
//!
//! Log and marks have an upper limit each, by counts; the oldest are dropped.
//! While there is no mark, nothing is logged: a tree without a tracker keeps
//! the flags alone.
//!
//! [`BlockHeader`]: super::blocks::block::BlockHeader

use super::Data;
use super::state::hash::WordHash;
use super::state::validate::{BrokenInvariant, ensure};
use crate::data::arena::cloned;
use crate::data::{BlockId, Handle, NodeId, View};
use crate::geometry::lanes::set_bits;
use alloc::vec::Vec;

/// Of more rows than one in this many objects an update logs none: a tracker makes a pass over all objects then.
pub(crate) const MANY_SHARE: usize = 5;
/// The log has room for one row in this many objects,
const LOG_SHARE: usize = 4;
/// and for so many more.
const LOG_SPARE: usize = 1024;
/// Marks that are kept. When there is one more, the older half goes.
const MARKS_MAX: usize = 256;

/// A place in the log.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Mark {
    /// Names the pairs that the tree had.
    name: u64,
    /// Rows logged before.
    at: u32,
}

/// The log of changed rows, and its marks.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Journal {
    /// Rows that have changed, in the order in which that was found; a row may be there more than once.
    log: Vec<u32>,
    /// In the order of their places; the newest name differs from the one before.
    marks: Vec<Mark>,
}

impl Clone for Journal {
    fn clone(&self) -> Self {
        cloned(self, Self::new())
    }

    /// Takes over the room, too: what is logged next needs no allocation.
    fn clone_from(&mut self, source: &Self) {
        self.log.clear();
        self.log.reserve_exact(source.log.capacity());
        self.log.extend_from_slice(&source.log);
        self.marks.clear();
        self.marks.reserve_exact(source.marks.capacity());
        self.marks.extend_from_slice(&source.marks);
    }
}

/// Rows that the log has room for.
fn log_max(living: usize) -> usize {
    living / LOG_SHARE + LOG_SPARE
}

impl Journal {
    pub(crate) const fn new() -> Self {
        Self { log: Vec::new(), marks: Vec::new() }
    }

    /// Logs the row of a removed object, if any tracker follows the tree.
    #[inline]
    pub(crate) fn log_removed(&mut self, handle: Handle, living: usize) {
        if self.marks.is_empty() {
            return;
        }
        if self.log.len() >= log_max(living) {
            self.shorten(log_max(living) / 2);
        }
        if !self.marks.is_empty() {
            self.log.push(handle.slot());
        }
    }

    /// Clears log and marks: each tracker compares everything at its next update.
    pub(crate) fn forget(&mut self) {
        self.log.clear();
        self.marks.clear();
    }

    /// Drops marks, the oldest first, until no more than so many rows are logged after the first.
    #[cold]
    fn shorten(&mut self, rows: usize) {
        let cut = self.log.len().saturating_sub(rows);
        self.drop_marks(self.marks.partition_point(|mark| (mark.at as usize) < cut));
    }

    /// Drops the oldest marks, and the rows that only they need.
    fn drop_marks(&mut self, count: usize) {
        self.marks.drain(..count);
        let Some(&Mark { at: first, .. }) = self.marks.first() else {
            self.log.clear();
            return;
        };
        self.log.drain(..first as usize);
        self.marks.iter_mut().for_each(|mark| mark.at -= first);
    }

    /// Marks the end of the log as where the tree had the pairs of that name.
    #[expect(clippy::cast_possible_truncation, reason = "the log has fewer rows than there are objects, and some")]
    fn mark(&mut self, name: u64, living: usize) {
        self.reserve(living);
        let mark = Mark { name, at: self.log.len() as u32 };
        match self.marks.last_mut() {
            Some(last) if last.name == name || last.at == mark.at => *last = mark,
            _ => {
                if self.marks.len() == MARKS_MAX {
                    self.drop_marks(MARKS_MAX / 2);
                }
                self.marks.push(Mark { name, at: self.log.len() as u32 });
            }
        }
        // Rows before the only mark are of no use.
        if let [only] = &mut self.marks[..] {
            only.at = 0;
            self.log.clear();
        }
    }

    /// Makes room for all that may be logged while there are so many objects.
    #[inline]
    fn reserve(&mut self, living: usize) {
        let room = |living| log_max(living) + living / MANY_SHARE;
        if self.log.capacity() < room(living) {
            self.log.reserve_exact(room(living + living / 8) - self.log.len());
            self.marks.reserve_exact(MARKS_MAX - self.marks.len());
        }
    }

    /// The rows that have changed since the tree last had the pairs of that name, if that is known.
    #[inline]
    fn since(&self, name: u64) -> Option<&[u32]> {
        let mark = self.marks.iter().rev().find(|mark| mark.name == name)?;
        Some(&self.log[mark.at as usize..])
    }

    /// Checks log and marks of a tree that has so many rows.
    pub(crate) fn check(&self, rows: usize) -> Result<(), BrokenInvariant> {
        ensure(self.marks.len() <= MARKS_MAX, "few marks are kept", 0)?;
        ensure(!self.marks.is_empty() || self.log.is_empty(), "rows are logged for a mark", 0)?;
        let ascending = self.marks.windows(2).all(|marks| marks[0].at <= marks[1].at);
        let last = self.marks.last().is_none_or(|mark| mark.at as usize <= self.log.len());
        ensure(ascending && last && self.log.len() < 1 << 31, "marks are places in the log", 0)?;
        ensure(self.log.iter().all(|&row| (row as usize) < rows), "a logged object had a row", 0)
    }

    pub(crate) fn hash(&self, hash: &mut WordHash) {
        hash.add_wide(self.marks.len() as u64);
        for mark in &self.marks {
            hash.add_wide(mark.name);
            hash.add(mark.at);
        }
        hash.add_wide(self.log.len() as u64);
        self.log.iter().for_each(|&row| hash.add(row));
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.log.shrink_to_fit();
        self.marks.shrink_to_fit();
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> usize {
        self.log.capacity() * size_of::<u32>() + self.marks.capacity() * size_of::<Mark>()
    }
}

/// A tree that is up to date, lent to a [`PairTracker`](crate::PairTracker)
/// by [`Octree::changes`](crate::Octree::changes).
///
/// Any number of trackers may borrow it, one after the other: each gets what
/// changed since its own last update. Dropping it unused loses nothing.
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

    /// Logs the rows of the unreported objects, and clears the bits. If there are
    /// more than `rows_max`, no tracker asks for them one by one: then
    /// nothing is logged, and the older log is dropped.
    #[inline]
    pub(crate) fn gather(&mut self, rows_max: usize) {
        let data = &*self.data;
        if [data.root, data.outsized].iter().any(|&id| id.is_node() && data.nodes[id].has_unreported()) {
            self.data.gather(rows_max);
        }
    }

    /// Whether most lanes of the root hold an unreported object.
    #[inline(always)]
    pub(crate) fn are_many(&self) -> bool {
        let Data { root, nodes, .. } = &*self.data;
        root.is_node() && nodes[*root].has_unreported_in_most()
    }

    /// The rows that have changed since the tree last had the pairs of that
    /// name, some of them more than once; `None` if that is not known.
    #[inline]
    pub(crate) fn since(&self, name: u64) -> Option<&[u32]> {
        self.data.journal.since(name)
    }

    /// Names the pairs that the tree has.
    pub(crate) fn finish(self, name: u64) {
        self.data.journal.mark(name, self.data.objects.len());
    }
}

impl Data {
    fn gather(&mut self, rows_max: usize) {
        let rows_max = if self.journal.marks.is_empty() { 0 } else { rows_max };
        let mut rows = RowCollector { log: core::mem::take(&mut self.journal.log), found: 0, found_max: rows_max };
        for id in [self.root, self.outsized] {
            if id.is_node() {
                self.take_unreported_below(id, &mut rows);
            }
        }
        let unreported = rows.found;
        self.journal.log = rows.log;
        let log_max = log_max(self.objects.len());
        if unreported > rows_max {
            self.journal.forget();
        } else if self.journal.log.len() > log_max {
            // What this update has logged stays.
            self.journal.shorten(rows_max.max(log_max / 2));
        }
    }

    /// Recursion is as deep as the tree, at most 28 levels, and one of its piles, at most nine more.
    fn take_unreported_below(&mut self, id: NodeId, rows: &mut RowCollector) {
        let node = &mut self.nodes[id];
        let lanes = core::mem::take(&mut node.unreported);
        let is_bucket = node.is_bucket;
        if core::mem::take(&mut node.residents_unreported) {
            self.take_unreported_below(self.nodes[id].residents, rows);
        }
        for lane in set_bits(u64::from(lanes)) {
            if is_bucket {
                self.take_unreported_in(self.nodes[id].child_block(lane), rows);
            } else {
                self.take_unreported_below(self.nodes[id].child_node(lane), rows);
            }
        }
    }

    #[inline]
    fn take_unreported_in(&mut self, id: BlockId, rows: &mut RowCollector) {
        let unreported = core::mem::take(&mut self.blocks.header_mut(id).unreported);
        debug_assert!(unreported & !self.blocks[id].occupied() == 0, "an empty lane is not unreported");
        rows.found += unreported.count_ones() as usize;
        // Over the limit the log is dropped: the block need not be read.
        if rows.found <= rows.found_max {
            let block = &self.blocks[id];
            rows.log.extend(set_bits(u64::from(unreported)).map(|lane| block.objects[lane].row().0));
        }
    }
}

/// Collects the rows of unreported objects while their flags are cleared.
struct RowCollector {
    log: Vec<u32>,
    /// Unreported objects found so far.
    found: usize,
    /// Once more are found, no further row is read, and [`Data::gather`] drops the log.
    found_max: usize,
}
