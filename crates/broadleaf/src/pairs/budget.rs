//! Too many pairs for one frame: which are served, and which wait.

use crate::data::view::View;
use crate::{Handle, Pair};
use alloc::vec::Vec;

/// Frames after which a waiting pair rises by a class, unless said otherwise.
const PATIENCE: u32 = 16;
/// Frames of waiting that are told apart.
const WAIT_MAX: u32 = (1 << 24) - 1;

/// Shares out a frame's limited number of pairs by the classes of their objects.
///
/// Each object is of a *class*, told by a closure of the caller's: 0 is the
/// most urgent, 255 the least. A pair is of the more urgent class of its two
/// objects. Classes below `essential` are never deferred, even if that takes
/// more pairs than the frame is given. Of the others, the more urgent class
/// comes first, and within a class what was deferred, longest waiting first,
/// before what is new.
///
/// What does not fit is *deferred*: it is offered again by itself with the
/// next frame. A deferred pair that is no longer a pair (its objects parted,
/// or one was removed) is dropped, and reported as such. Nothing starves:
/// every few frames (the *patience*) a deferred pair rises by one class, up to
/// the most urgent that is not essential; and where essential pairs fill the
/// frame alone, one other pair is served beyond the limit, unless that is zero.
///
/// ```
/// use broadleaf::{Aabb, Octree, Scratch, glam::Vec3, pairs::PairBudget};
///
/// let mut tree = Octree::default();
/// for index in 0..10_u8 {
///     tree.insert(Aabb::new(Vec3::X * f32::from(index), Vec3::X * f32::from(index + 1)))?;
/// }
/// let (mut scratch, mut pairs, mut served) = (Scratch::new(), Vec::new(), Vec::new());
/// let mut budget = PairBudget::new(1);
/// let view = tree.view();
/// view.pairs(&mut scratch).collect_into(&mut pairs);
/// // Objects 0 and 1 are a player's.
/// let class_of = |handle: broadleaf::Handle| u8::from(handle.slot() > 1);
/// let report = budget.serve(view, &pairs, 5, class_of, &mut served);
/// assert_eq!((report.served, report.deferred), (5, 4));
/// assert!(served[..2].iter().all(|pair| pair.a().slot() <= 1));
/// # Ok::<(), broadleaf::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "Stored", into = "Stored"))]
pub struct PairBudget {
    pub(super) essential: u8,
    pub(super) patience: u32,
    /// Deferred pairs, sorted.
    pub(super) waiting: Vec<Candidate>,
    pub(super) dropped: Vec<Pair>,
    work: Work,
}

/// A pair that may be served.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Candidate {
    pub(super) pair: Pair,
    /// Frames that it has been deferred.
    pub(super) waited: u32,
}

/// Working memory.
#[derive(Debug, Clone, Default)]
struct Work {
    candidates: Vec<Candidate>,
    /// Of each waiting pair: whether it was offered again.
    offered: Vec<bool>,
    /// Waiting pairs that are none any more.
    dropped: Vec<Pair>,
    /// Of each candidate: class, waiting reversed, index; so the least is the most urgent.
    keys: Vec<u64>,
}

/// What a frame did to a [`PairBudget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetReport {
    /// Pairs served.
    pub served: usize,
    /// Pairs served because their class is essential.
    pub essential: usize,
    /// Pairs that wait for the next frame.
    pub deferred: usize,
    /// Pairs that waited, and are no longer pairs.
    pub dropped: usize,
    /// Frames that the longest waiting deferred pair has been deferred.
    pub waited_max: u32,
}

impl PairBudget {
    /// A budget for which the classes below `essential` are never deferred.
    #[must_use]
    pub fn new(essential: u8) -> Self {
        Self { essential, patience: PATIENCE, waiting: Vec::new(), dropped: Vec::new(), work: Work::default() }
    }

    /// The same budget, under which a deferred pair rises by one class every
    /// so many frames; default 16, and 0 counts as 1.
    #[must_use]
    pub fn with_patience(self, frames: u32) -> Self {
        Self { patience: frames.max(1), ..self }
    }

    /// Fills `served` with the pairs of this frame: at most `pairs_max`, but for
    /// essential ones, and for one pair more where these fill the frame.
    ///
    /// `offered` are all pairs of the frame ([`View::pairs`]), or those that
    /// began ([`PairTracker::begun`](crate::PairTracker::begun)), each at most
    /// once; what was deferred before need not be among them. The view must be
    /// of the tree as it is now: it tells which deferred pairs still are.
    ///
    /// *Order:* by class, to which waiting has raised it; within a class by
    /// waiting, so that deferred pairs come before new ones; of equals, deferred
    /// ones sorted, and new ones as offered.
    ///
    /// *Cost:* O(n log n) in the pairs offered and deferred; no allocation
    /// once the lists have room.
    pub fn serve(
        &mut self,
        view: View<'_>,
        offered: &[Pair],
        pairs_max: usize,
        mut class_of: impl FnMut(Handle) -> u8,
        served: &mut Vec<Pair>,
    ) -> BudgetReport {
        self.gather(view, offered);
        // The caller's code runs before anything is changed that outlives the call.
        let essential = self.rank(|pair| class_of(pair.a()).min(class_of(pair.b())));
        core::mem::swap(&mut self.dropped, &mut self.work.dropped);
        let (keys, candidates) = (&mut self.work.keys, &self.work.candidates);
        let one_more = usize::from(pairs_max > 0);
        let room = pairs_max.max(essential + one_more).min(keys.len());
        if room < keys.len() {
            keys.select_nth_unstable(room);
        }
        keys[..room].sort_unstable();
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is the index")]
        let candidate = |key: &u64| candidates[*key as u32 as usize];
        served.clear();
        served.extend(keys[..room].iter().map(|key| candidate(key).pair));
        self.waiting.clear();
        self.waiting.extend(keys[room..].iter().map(|key| {
            let Candidate { pair, waited } = candidate(key);
            Candidate { pair, waited: waited.saturating_add(1) }
        }));
        self.waiting.sort_unstable_by_key(|waiting| waiting.pair);
        let waited_max = self.waiting.iter().map(|waiting| waiting.waited).max().unwrap_or(0);
        let (deferred, dropped) = (self.waiting.len(), self.dropped.len());
        BudgetReport { served: room, essential, deferred, dropped, waited_max }
    }

    /// The pairs that wait for the next frame, sorted.
    pub fn deferred(&self) -> impl ExactSizeIterator<Item = Pair> + '_ {
        self.waiting.iter().map(|waiting| waiting.pair)
    }

    /// The pairs that waited and with the last frame were found to be none any more, sorted.
    #[must_use]
    pub fn dropped(&self) -> &[Pair] {
        &self.dropped
    }

    /// Forgets what waits.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.dropped.clear();
    }

    /// Lists what may be served: what waits and still is a pair, then what is new.
    fn gather(&mut self, view: View<'_>, offered: &[Pair]) {
        let Work { candidates, offered: again, dropped, .. } = &mut self.work;
        candidates.clear();
        dropped.clear();
        again.clear();
        again.resize(self.waiting.len(), false);
        for &pair in offered {
            match self.waiting.binary_search_by_key(&pair, |waiting| waiting.pair) {
                Ok(index) => again[index] = true,
                Err(_) => candidates.push(Candidate { pair, waited: 0 }),
            }
        }
        let new = candidates.len();
        for (waiting, again) in self.waiting.iter().zip(again) {
            if *again || view.is_pair(waiting.pair) {
                candidates.push(*waiting);
            } else {
                dropped.push(waiting.pair);
            }
        }
        candidates.rotate_left(new);
    }

    /// Gives every candidate its key; how many are essential.
    fn rank(&mut self, mut class_of: impl FnMut(Pair) -> u8) -> usize {
        let Work { candidates, keys, .. } = &mut self.work;
        let mut essential = 0;
        keys.clear();
        for (index, &Candidate { pair, waited }) in (0_u32..).zip(&*candidates) {
            let mut class = class_of(pair);
            if class < self.essential {
                essential += 1;
            } else {
                let risen = u8::try_from(waited / self.patience).unwrap_or(u8::MAX);
                class = class.saturating_sub(risen).max(self.essential);
            }
            let urgency = u64::from(class) << 24 | u64::from(WAIT_MAX - waited.min(WAIT_MAX));
            keys.push(urgency << 32 | u64::from(index));
        }
        essential
    }
}

/// A budget as it is saved.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    essential: u8,
    patience: u32,
    waiting: Vec<Candidate>,
    dropped: Vec<Pair>,
}

#[cfg(feature = "serde")]
impl From<PairBudget> for Stored {
    fn from(budget: PairBudget) -> Self {
        let PairBudget { essential, patience, waiting, dropped, work: _ } = budget;
        Self { essential, patience, waiting, dropped }
    }
}

#[cfg(feature = "serde")]
impl From<Stored> for PairBudget {
    fn from(stored: Stored) -> Self {
        let Stored { essential, patience, mut waiting, dropped } = stored;
        // Whoever wrote it: sorted, each pair once.
        waiting.sort_unstable_by_key(|waiting| waiting.pair);
        waiting.dedup_by_key(|waiting| waiting.pair);
        Self { waiting, dropped, ..Self::new(essential).with_patience(patience) }
    }
}
