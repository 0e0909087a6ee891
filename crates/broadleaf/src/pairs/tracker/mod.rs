//! Which pairs began and which ended, from one frame to the next.

mod chains;
pub(super) mod diff;
mod follow;
mod moment;
mod refused;
mod rows;
mod table;

use super::pair::Pair;
use crate::data::arena::cloned;
use crate::data::journal::{Changes, MANY_SHARE};
use crate::data::{Handle, QueryStats, Threads};
use alloc::vec::Vec;
use chains::Chains;
use follow::TrackerScratch;
use refused::RefusedPairs;

/// Keeps the pairs of a tree from frame to frame, and reports which began and
/// which ended: what a contact cache, a trigger volume or a sound needs.
///
/// ```
/// use broadleaf::{Aabb, Octree, PairTracker, glam::Vec3};
///
/// let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// let (a, b) = (tree.insert(unit)?, tree.insert(unit)?);
/// tracker.update(tree.changes());
/// assert_eq!((tracker.begun().len(), tracker.ended().len()), (1, 0));
///
/// tree.update(b, unit.translated(Vec3::X * 9.0))?;
/// tracker.update(tree.changes());
/// assert_eq!((tracker.begun().len(), tracker.ended()[0].a()), (0, a));
/// # Ok::<(), broadleaf::Error>(())
/// ```
///
/// Whatever the cause (insertion, removal, a move however far, a change of
/// size, kind, layers or mobility), the events are those that a comparison of
/// [`View::pairs`](crate::View::pairs) before and after would give. The pairs of a removed object
/// end with the next update, under its old handle, even if its slot has been
/// taken by another since.
///
/// *Cost:* depends on how many objects changed since the last update of this
/// tracker: were inserted, removed or set.
///
/// - Nothing changed: nearly nothing, however large the world.
/// - At most one object in 5 changed, and these have few of the known pairs: only their partners are searched;
///   and unless very few changed, all known pairs are read once more.
/// - Otherwise: a pass over all objects, and a comparison of its list with the known pairs.
///
/// Where both ways are about as much work, the tracker does not change between them from update to update. In
/// worlds of boxes on all layers, comparisons of lists that differ in many places test boxes; the tracker then holds
/// 68 bytes for each slot of the tree. The view itself looks for what was set, at one word for 64 blocks, as it does
/// without a tracker.
///
/// Any number of trackers may follow one tree, each at its own rate: physics in
/// each frame, triggers in every sixth, say. Each update costs what one of a
/// tracker that is alone would. The tree keeps a log of what changed, of one entry
/// for four objects (and 1024 more) at most, and remembers the last 128 to 256
/// different sets of pairs that trackers have met. A tracker that has stayed away
/// for longer, or that has never seen the tree, compares everything once; the
/// events are the same.
///
/// Trackers and trees may be cloned, saved and restored apart from each other: the
/// tree identifies a tracker by the set of its pairs. Where an earlier tree is restored
/// beside a newer tracker, the events are those between the pairs that the tracker
/// knows and those of the tree.
///
/// ```
/// use broadleaf::{Aabb, Octree, PairTracker, glam::Vec3};
///
/// let (mut tree, mut physics, mut triggers) = (Octree::default(), PairTracker::new(), PairTracker::new());
/// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
/// let (_, b) = (tree.insert(unit)?, tree.insert(unit)?);
/// for frame in 0..12 {
///     tree.update(b, unit.translated(Vec3::X * frame as f32 * 0.3))?;
///     physics.update(tree.changes());
///     if frame % 6 == 0 {
///         triggers.update(tree.changes());
///     }
/// }
/// assert_eq!((physics.pairs().len(), triggers.pairs().len()), (0, 0));
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct PairTracker {
    /// The name of the set of `pairs` and of those refused. A tree that has a mark of this
    /// name has a log of what changed since.
    pub(super) name: u64,
    pub(super) pairs: Vec<Pair>,
    /// About how many of `pairs` are in the order of a pass over all objects. They come first.
    pub(super) in_order: usize,
    /// How much work passes would have saved, had they been made in place of the joint walks since the last pass. In the
    /// units of the estimate.
    pub(super) saved_by_passes: u64,
    pub(super) begun: Vec<Pair>,
    /// Where in `pairs` those that have begun are, ascending.
    pub(super) begun_at: Vec<u32>,
    pub(super) ended: Vec<Pair>,
    pub(super) chains: Chains,
    pub(super) refused: RefusedPairs,
    /// Whether the pairs were loaded, and their rows have not been checked against the tree yet.
    pub(super) is_unchecked: bool,
    pub(super) threads: Threads,
    pub(super) work: TrackerScratch,
}

impl Clone for PairTracker {
    fn clone(&self) -> Self {
        cloned(self, Self::default())
    }

    /// Takes over what is known, without allocation if there is room; working memory stays.
    fn clone_from(&mut self, source: &Self) {
        let Self {
            name,
            pairs,
            in_order,
            saved_by_passes,
            begun,
            begun_at,
            ended,
            chains,
            refused,
            is_unchecked,
            threads,
            work: _,
        } = source;
        (self.name, self.is_unchecked) = (*name, *is_unchecked);
        (self.in_order, self.saved_by_passes, self.threads) = (*in_order, *saved_by_passes, *threads);
        self.refused.clone_from(refused);
        self.pairs.clone_from(pairs);
        self.begun.clone_from(begun);
        self.begun_at.clone_from(begun_at);
        self.ended.clone_from(ended);
        self.chains.clone_from(chains);
    }
}

impl PairTracker {
    /// A tracker without pairs: with its first update every pair begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs that began with the last update: now in the tree, not before
    /// it. In the order in which the pass found them.
    #[must_use]
    pub fn begun(&self) -> &[Pair] {
        &self.begun
    }

    /// The pairs that ended with the last update, in the order in which they
    /// were known. Handles of removed objects are stale.
    #[must_use]
    pub fn ended(&self) -> &[Pair] {
        &self.ended
    }

    /// All pairs as of the last update, those that began included; in an
    /// order that follows from the sequence of calls alone.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The pairs that were there before the last update and still are.
    pub fn persisting(&self) -> impl Iterator<Item = Pair> + '_ {
        let mut begun = self.begun_at.iter().peekable();
        let persists = move |&(index, _): &(u32, &Pair)| begun.next_if_eq(&&index).is_none();
        (0..).zip(&self.pairs).filter(persists).map(|(_, &pair)| pair)
    }

    /// Makes room for the pairs of a world of `objects` objects that has at
    /// most `pairs` pairs at a time: no list of the tracker grows after that.
    /// The working memory of the pass over all objects still grows in the
    /// first few of these. Without, memory grows as the worlds that are met
    /// ask for it.
    ///
    /// *Cost:* linear in `objects` and `pairs`, where there is no room yet. Of the memory, 68 bytes for each object are
    /// for comparisons by boxes.
    ///
    /// # Panics
    /// If the room takes more than `isize::MAX` bytes, as [`Vec::reserve`]. An allocation that
    /// fails aborts the process.
    pub fn reserve(&mut self, objects: usize, pairs: usize) {
        let room = |list: &mut Vec<Pair>| list.reserve(pairs.saturating_sub(list.len()));
        let TrackerScratch { diff, moments, found, old, old_at, changed, places, .. } = &mut self.work;
        [&mut self.pairs, &mut self.begun, &mut self.ended, found, old].into_iter().for_each(room);
        self.begun_at.reserve(pairs);
        old_at.reserve(pairs);
        changed.reserve(objects);
        places.reserve((objects / MANY_SHARE).saturating_sub(places.len()));
        diff.reserve(pairs);
        moments.reserve(objects);
        self.chains.reserve(objects, pairs);
    }

    /// Forgets all pairs, without events, keeping the memory.
    ///
    /// *Cost:* constant.
    pub fn clear(&mut self) {
        (self.name, self.in_order, self.saved_by_passes) = (0, 0, 0);
        for list in [&mut self.pairs, &mut self.begun, &mut self.ended] {
            list.clear();
        }
        self.begun_at.clear();
        self.chains.drop_all();
        self.refused.clear();
    }

    /// On which threads updates make the pass over all objects; those of the
    /// current rayon pool, or the calling one alone, as it is unless set. The events
    /// and their order are the same. Where few objects with few of the pairs have changed (never more than one in 5)
    /// there is no such pass: the partners of these are looked for, on the calling thread.
    #[inline]
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// On which threads updates make the pass over all objects.
    #[inline]
    #[must_use]
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Compares the pairs of a tree with those known, and takes them over.
    /// Returns the work that it took; none if nothing has changed.
    pub fn update(&mut self, changes: Changes<'_>) -> QueryStats {
        self.follow(changes, None)
    }

    /// [`PairTracker::update`] with a filter of pairs: to leave out the parts of
    /// one body, or what joints connect. The filter is asked when a pair begins to
    /// overlap. What it refuses is no pair until the objects part and meet again, or
    /// until [`PairTracker::ask_again`].
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, PairTracker, glam::Vec3};
    ///
    /// let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let [arm, hand, wall] = [tree.insert(unit)?, tree.insert(unit)?, tree.insert(unit)?];
    /// // A joint connects arm and hand.
    /// tracker.update_with(tree.changes(), |pair| (pair.a(), pair.b()) != (arm, hand));
    /// assert_eq!(tracker.begun().len(), 2);
    /// // The joint breaks.
    /// tracker.ask_again(hand);
    /// tracker.update_with(tree.changes(), |_| true);
    /// assert_eq!(tracker.begun().iter().map(|pair| (pair.a(), pair.b())).collect::<Vec<_>>(), [(arm, hand)]);
    /// assert!(tracker.pairs().iter().any(|pair| pair.b() == wall));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the filter does. The tracker is then empty: with its next update every
    /// pair begins.
    ///
    /// *Cost:* that of an update, a call for each pair that begins, and a search
    /// of the refused pairs for each pair that the update looks at.
    pub fn update_with(&mut self, changes: Changes<'_>, mut filter: impl FnMut(Pair) -> bool) -> QueryStats {
        self.follow(changes, Some(&mut filter))
    }

    /// Has the filter asked again about all pairs of an object, with the next
    /// [`PairTracker::update_with`]: pairs that it refuses now end, and pairs that
    /// it refused before and accepts now begin. A stale handle is ignored.
    ///
    /// *Cost:* constant; the update reads all known pairs once.
    pub fn ask_again(&mut self, handle: Handle) {
        if self.refused.requests.last() != Some(&handle) {
            self.refused.requests.push(handle);
        }
    }
}
