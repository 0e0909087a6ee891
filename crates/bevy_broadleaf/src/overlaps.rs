//! The overlaps that are reported, from one frame to the next.
//!
//! ```text
//! of everyone        the library's tracker follows all pairs
//! of marked objects  each is asked for its partners, or, where many are marked, all pairs are
//!                    listed; the list, ordered, is compared with that of the frame before
//! ```
//!
//! So the cost of a few trigger volumes does not depend on how many pairs there are beside them.

use crate::settings::EventScope;
use broadleaf::{Handle, Octree, Pair, PairTracker, Scratch, Threads};
use core::cmp::Ordering;

/// One object in so many must be marked for a list of all pairs to be less work than asking each.
const ALL_PAIRS_SHARE: usize = 8;

/// Whether an object's overlaps are reported, and whether it is a sensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    pub(crate) reports: bool,
    pub(crate) sensor: bool,
}

impl Mark {
    pub(crate) fn is_set(self) -> bool {
        self.reports || self.sensor
    }
}

/// The marks of objects.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// By slot; not set where there is no object.
    marks: Vec<Mark>,
    /// By slot; the object, where a mark is set.
    handles: Vec<Handle>,
    /// How many are set.
    count: usize,
}

impl Marks {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn of(&self, handle: Handle) -> Mark {
        self.marks.get(handle.slot() as usize).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, handle: Handle, mark: Mark) {
        let slot = handle.slot() as usize;
        if self.marks.len() <= slot {
            self.marks.resize(slot + 1, Mark::default());
            self.handles.resize(slot + 1, handle);
        }
        let old = core::mem::replace(&mut self.marks[slot], mark);
        self.handles[slot] = handle;
        self.count += usize::from(mark.is_set());
        self.count -= usize::from(old.is_set());
    }

    /// The objects that are marked.
    fn iter(&self) -> impl Iterator<Item = Handle> + '_ {
        let marked = self.marks.iter().zip(&self.handles).filter(|(mark, _)| mark.is_set());
        marked.map(|(_, &handle)| handle)
    }

    /// Whether two objects are sensors, which do not report each other.
    fn are_sensors(&self, pair: Pair) -> bool {
        self.of(pair.a()).sensor && self.of(pair.b()).sensor
    }
}

impl Clone for Marks {
    fn clone(&self) -> Self {
        let Self { marks, handles, count } = self;
        Self { marks: marks.clone(), handles: handles.clone(), count: *count }
    }

    /// Takes over everything, without allocation if there is room.
    fn clone_from(&mut self, source: &Self) {
        let Self { marks, handles, count } = source;
        self.marks.clone_from(marks);
        self.handles.clone_from(handles);
        self.count = *count;
    }
}

/// The overlaps that are reported, and which of them began and ended with the last update.
#[derive(Debug, Default)]
pub(crate) struct Overlaps {
    scope: EventScope,
    /// Knows all pairs while those of everyone are reported; else none.
    tracker: PairTracker,
    /// Ordered; empty while the tracker knows the pairs.
    pairs: Vec<Pair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// Whether anything has changed since the last update.
    is_due: bool,
    /// Working memory.
    found: Vec<Pair>,
    scratch: Scratch,
}

impl Clone for Overlaps {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// Takes over what is known, without allocation if there is room; working memory stays.
    fn clone_from(&mut self, source: &Self) {
        let Self { scope, tracker, pairs, begun, ended, is_due, found: _, scratch: _ } = source;
        (self.scope, self.is_due) = (*scope, *is_due);
        self.tracker.clone_from(tracker);
        self.pairs.clone_from(pairs);
        self.begun.clone_from(begun);
        self.ended.clone_from(ended);
    }
}

impl Overlaps {
    pub(crate) fn pairs(&self) -> &[Pair] {
        if self.scope == EventScope::Everyone { self.tracker.pairs() } else { &self.pairs }
    }

    pub(crate) fn begun(&self) -> &[Pair] {
        &self.begun
    }

    pub(crate) fn ended(&self) -> &[Pair] {
        &self.ended
    }

    /// Has the next update look at the tree.
    pub(crate) fn tree_changed(&mut self) {
        self.is_due = true;
    }

    /// Has the next update look at the pairs of an object whose mark has changed.
    pub(crate) fn mark_changed(&mut self, handle: Handle) {
        self.is_due = true;
        if self.scope == EventScope::Everyone {
            self.tracker.ask_again(handle);
        }
    }

    /// Compares the overlaps with those of the last update, and takes them over.
    pub(crate) fn update(&mut self, tree: &mut Octree, marks: &Marks, scope: EventScope) {
        self.begun.clear();
        self.ended.clear();
        let before = core::mem::replace(&mut self.scope, scope);
        if (before, scope) == (EventScope::Everyone, EventScope::Everyone) {
            self.tracker.update_with(tree.changes(), |pair| !marks.are_sensors(pair));
            self.begun.extend_from_slice(self.tracker.begun());
            self.ended.extend_from_slice(self.tracker.ended());
            return;
        }
        if before == scope && !self.is_due {
            return;
        }
        self.is_due = false;
        if before == EventScope::Everyone {
            self.pairs.extend_from_slice(self.tracker.pairs());
            self.pairs.sort_unstable();
            self.tracker.clear();
        }
        self.found.clear();
        match scope {
            EventScope::Nobody => {}
            EventScope::Marked => self.find_marked(tree, marks),
            EventScope::Everyone => {
                self.tracker.update_with(tree.changes(), |pair| !marks.are_sensors(pair));
                self.found.extend_from_slice(self.tracker.pairs());
            }
        }
        self.found.sort_unstable();
        compare(&self.pairs, &self.found, &mut self.begun, &mut self.ended);
        core::mem::swap(&mut self.pairs, &mut self.found);
        if scope == EventScope::Everyone {
            self.pairs.clear();
        }
    }

    pub(crate) fn set_threads(&mut self, threads: Threads) {
        self.tracker.set_threads(threads);
    }

    /// Finds the pairs of which at least one object is marked, in any order.
    fn find_marked(&mut self, tree: &mut Octree, marks: &Marks) {
        let Self { found, scratch, tracker, .. } = self;
        if marks.len() == 0 {
            return;
        }
        if marks.len() * ALL_PAIRS_SHARE >= tree.len() {
            let is_marked = |pair: Pair| [pair.a(), pair.b()].iter().any(|&handle| marks.of(handle).is_set());
            let question = tree.view().pairs(scratch).threads(tracker.threads());
            question.filter(|pair| is_marked(pair) && !marks.are_sensors(pair)).collect_into(found);
            return;
        }
        let view = tree.view();
        for handle in marks.iter() {
            let Ok(question) = view.pairs_of(handle) else { continue };
            question.for_each(|partner| {
                // A pair of two marked objects is found from its first.
                let (pair, is_first) = (Pair::new(handle, partner), handle < partner);
                if (is_first || !marks.of(partner).is_set()) && !marks.are_sensors(pair) {
                    found.push(pair);
                }
            });
        }
    }
}

/// Lists what is in one ordered list only.
fn compare(old: &[Pair], new: &[Pair], begun: &mut Vec<Pair>, ended: &mut Vec<Pair>) {
    let (mut old, mut new) = (old.iter().copied().peekable(), new.iter().copied().peekable());
    while let (Some(a), Some(b)) = (old.peek(), new.peek()) {
        match a.cmp(b) {
            Ordering::Less => ended.extend(old.next()),
            Ordering::Greater => begun.extend(new.next()),
            Ordering::Equal => {
                old.next();
                new.next();
            }
        }
    }
    ended.extend(old);
    begun.extend(new);
}
