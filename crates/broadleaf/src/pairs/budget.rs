//! A budget: of too many pairs for one frame, which are served and which are deferred.

use super::tracker::diff::Diff;
use crate::data::View;
use crate::{Handle, Pair};
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// Frames after which a deferred pair rises by one class, unless set.
const PATIENCE: u32 = 16;
/// Waits that are told apart, from the longest down.
const WAITS: u32 = 1024;

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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "SavedBudget", into = "SavedBudget")
)]
pub struct PairBudget {
    pub(super) essential: u8,
    pub(super) patience: u32,
    /// The candidates of the last frame: served ones, and deferred ones.
    pub(super) last: Candidates,
    /// How many of them are deferred, and the longest wait among them.
    pub(super) deferred: usize,
    waited_max: u32,
    pub(super) dropped: Vec<Pair>,
    work: BudgetScratch,
}

/// Pairs that may be served, in columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    pairs: Vec<Pair>,
    /// Frames that each has been deferred; 0 if it is new, or was served.
    waits: Vec<u32>,
}

/// Working memory.
#[derive(Debug, Clone, Default)]
struct BudgetScratch {
    diff: Diff,
    /// The candidates of this frame: the offered pairs, and then deferred ones that are not offered again.
    next: Candidates,
    /// Deferred pairs that are none any more.
    dropped: Vec<Pair>,
    /// Of each candidate: the bin in which it is counted.
    bins: Vec<u32>,
    /// Of each bin: how many candidates it has, and then the rank of the next.
    ranks: Vec<u32>,
}

/// What a frame did to a [`PairBudget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetReport {
    /// Pairs served.
    pub served: usize,
    /// Pairs served because their class is essential.
    pub essential: usize,
    /// Pairs that are deferred to the next frame.
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
        let (last, dropped) = (Candidates::default(), Vec::new());
        Self {
            essential,
            patience: PATIENCE,
            last,
            deferred: 0,
            waited_max: 0,
            dropped,
            work: BudgetScratch::default(),
        }
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
    /// waiting, so that deferred pairs come before new ones; of equals, as
    /// offered, and then those that are not offered again. (Waits are told apart
    /// where they differ from the longest by less than 1024 frames.)
    ///
    /// *Cost:* linear in the pairs offered now and the last time. It is least
    /// where pairs come in nearly the same order from frame to frame, as
    /// [`View::pairs`] and [`PairTracker::pairs`](crate::PairTracker::pairs)
    /// list them; a deferred pair that is not offered again costs a look at its
    /// two objects. No allocation once the lists have room.
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
        let essential = self.count(|pair| class_of(pair.a()).min(class_of(pair.b())));
        core::mem::swap(&mut self.dropped, &mut self.work.dropped);
        let one_more = usize::from(pairs_max > 0);
        let candidates = self.work.bins.len();
        let room = pairs_max.max(essential + one_more).min(candidates);
        self.waited_max = self.work.share_out(room, served);
        core::mem::swap(&mut self.last, &mut self.work.next);
        self.deferred = candidates - room;
        let (deferred, dropped) = (self.deferred, self.dropped.len());
        BudgetReport { served: room, essential, deferred, dropped, waited_max: self.waited_max }
    }

    /// The pairs that are deferred to the next frame, in the order in which they were offered.
    pub fn deferred(&self) -> impl ExactSizeIterator<Item = Pair> + '_ {
        ExactSize { items: self.last.deferred().map(|(pair, _)| pair), left: self.deferred }
    }

    /// The pairs that waited and with the last frame were found to be none any
    /// more, in the order in which they were offered.
    #[must_use]
    pub fn dropped(&self) -> &[Pair] {
        &self.dropped
    }

    /// Forgets the deferred pairs.
    pub fn clear(&mut self) {
        self.last.clear();
        (self.deferred, self.waited_max) = (0, 0);
        self.dropped.clear();
    }

    /// Lists what may be served, and finds how long it has waited.
    fn gather(&mut self, view: View<'_>, offered: &[Pair]) {
        let Candidates { pairs, waits } = &self.last;
        let BudgetScratch { diff, next, dropped, .. } = &mut self.work;
        next.clear();
        next.pairs.extend_from_slice(offered);
        next.waits.resize(offered.len(), 0);
        diff.compare_with(pairs, offered, |at, index, count| {
            next.waits[index..index + count].copy_from_slice(&waits[at..at + count]);
        });
        dropped.clear();
        for &at in &diff.ended {
            match (pairs[at as usize], waits[at as usize]) {
                (_, 0) => {}
                (pair, waited) if view.is_pair(pair) => next.push(pair, waited),
                (pair, _) => dropped.push(pair),
            }
        }
    }

    /// Counts the candidates in bins, the most urgent first; how many are essential.
    fn count(&mut self, mut class_of: impl FnMut(Pair) -> u8) -> usize {
        let BudgetScratch { next, bins, ranks, .. } = &mut self.work;
        let (longest, essential, patience) = (self.waited_max, self.essential, self.patience);
        let waits_max = longest.min(WAITS - 1);
        let inverse = u64::MAX / u64::from(patience);
        bins.clear();
        bins.resize(next.pairs.len(), 0);
        // Without a branch: classes and waits cannot be predicted.
        for ((bin, &pair), &waited) in bins.iter_mut().zip(&next.pairs).zip(&next.waits) {
            let class = u32::from(class_of(pair));
            let risen = class.saturating_sub(quotient(waited, inverse)).max(u32::from(essential));
            let class = select_unpredictable(class < u32::from(essential), class, risen);
            *bin = class * (waits_max + 1) + (longest - waited).min(waits_max);
        }
        ranks.clear();
        ranks.resize(256 * (waits_max as usize + 1), 0);
        bins.iter().for_each(|&bin| ranks[bin as usize] += 1);
        let essential = usize::from(essential) * (waits_max as usize + 1);
        ranks[..essential].iter().map(|&count| count as usize).sum()
    }
}

impl BudgetScratch {
    /// Serves so many candidates, and defers the rest; the longest wait. None is
    /// branched on: which of the two it is cannot be predicted.
    fn share_out(&mut self, room: usize, served: &mut Vec<Pair>) -> u32 {
        let Self { next, bins, ranks, .. } = self;
        let mut before = 0;
        for count in &mut *ranks {
            before += core::mem::replace(count, before);
        }
        served.clear();
        let Some(&any) = next.pairs.first() else { return 0 };
        // Past the end stands what is not served.
        served.resize(room + 1, any);
        let slots = &mut served[..=room];
        let mut longest = 0;
        for ((&pair, waited), &bin) in next.pairs.iter().zip(&mut next.waits).zip(&*bins) {
            let rank = ranks[bin as usize];
            ranks[bin as usize] = rank + 1;
            slots[(rank as usize).min(room)] = pair;
            *waited = select_unpredictable((rank as usize) < room, 0, waited.saturating_add(1));
            longest = longest.max(*waited);
        }
        served.truncate(room);
        longest
    }
}

/// `number` divided by the divisor of which `inverse` is `u64::MAX / divisor`: a multiplication, which costs
/// less than a division.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a quotient is at most the number")]
fn quotient(number: u32, inverse: u64) -> u32 {
    (((u128::from(number) + 1) * u128::from(inverse)) >> 64) as u32
}

impl Candidates {
    /// The deferred ones, and for how long each has been.
    pub(super) fn deferred(&self) -> impl Iterator<Item = (Pair, u32)> + '_ {
        let all = self.pairs.iter().copied().zip(self.waits.iter().copied());
        all.filter(|&(_, waited)| waited > 0)
    }

    fn push(&mut self, pair: Pair, waited: u32) {
        self.pairs.push(pair);
        self.waits.push(waited);
    }

    fn clear(&mut self) {
        self.pairs.clear();
        self.waits.clear();
    }
}

/// Items whose number is known.
struct ExactSize<I> {
    items: I,
    left: usize,
}

impl<I: Iterator> Iterator for ExactSize<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.saturating_sub(1);
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for ExactSize<I> {}

/// A budget as it is saved.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct SavedBudget {
    essential: u8,
    patience: u32,
    waiting: Vec<Candidate>,
    dropped: Vec<Pair>,
}

/// A deferred pair as it is saved.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Candidate {
    pair: Pair,
    waited: u32,
}

#[cfg(feature = "serde")]
impl From<PairBudget> for SavedBudget {
    fn from(budget: PairBudget) -> Self {
        let PairBudget { essential, patience, last, dropped, .. } = budget;
        let waiting = last.deferred().map(|(pair, waited)| Candidate { pair, waited }).collect();
        Self { essential, patience, waiting, dropped }
    }
}

#[cfg(feature = "serde")]
impl From<SavedBudget> for PairBudget {
    fn from(saved: SavedBudget) -> Self {
        let SavedBudget { essential, patience, waiting, dropped } = saved;
        let mut budget = Self { dropped, ..Self::new(essential).with_patience(patience) };
        // Whoever wrote it: what has waited, each pair once.
        let mut seen = alloc::collections::BTreeSet::new();
        for Candidate { pair, waited } in waiting {
            if waited > 0 && seen.insert(pair) {
                budget.last.push(pair, waited);
                budget.waited_max = budget.waited_max.max(waited);
            }
        }
        budget.deferred = budget.last.pairs.len();
        budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_that_of_the_division() {
        let edges = [1, 2, 3, 7, 16, 1000, 0x1_0000, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX];
        for divisor in edges {
            let multiples = edges.map(|edge| divisor.wrapping_mul(edge));
            for number in edges.into_iter().chain(multiples).flat_map(|n| [n.wrapping_sub(1), n, n.wrapping_add(1)]) {
                assert_eq!(quotient(number, u64::MAX / u64::from(divisor)), number / divisor, "{number} / {divisor}");
            }
        }
    }
}
