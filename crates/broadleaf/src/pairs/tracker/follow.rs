//! The update of a tracker, in one of two ways: a joint walk finds the partners of the changed objects, or a pass over
//! all objects makes a list that is compared with the known pairs.

use super::PairTracker;
use super::diff::Diff;
use super::moment::Moments;
use super::refused::AcceptPair;
use super::rows::RowSet;
use crate::data::journal::{Changes, MANY_SHARE};
use crate::data::unwind::cleared_on_panic;
use crate::data::{Location, ObjectWord, QueryStats, Row, View};
use crate::geometry::lanes::{LINE, PREFETCH_CODE_MIN, prefetch, prefetch_code};
use crate::pairs::pair::Pair;
use crate::pairs::question::PassScratch;
use crate::spans::{record, span};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Pairs for each changed object from which their chains are worth keeping up.
const CHAINED_SHARE: usize = 128;
/// Pairs for each changed object from which chains are worth making.
const CHAINS_SHARE: usize = 512;
/// Where the changed objects have more than one in so many of the known pairs, a scan of all is less work.
const CHAINED_PAIRS_SHARE: usize = 16;
/// Where they have at most one in so many, chains are worth making. Fewer than above, for this is compared with an
/// estimate, which is often wrong by a quarter: else chains are made and dropped in turn.
const CHAINS_PAIRS_SHARE: usize = 32;
/// So many pairs, or up to twice as many, are looked at to estimate how many the changed objects have.
const SAMPLE_LEN: usize = 256;

/// Pairs in a cache line.
const PAIRS_OF_LINE: usize = LINE / size_of::<Pair>();
/// So many cache lines of the known pairs are prefetched at most.
const PREFETCHED_LINES_MAX: usize = 256;

/// Working memory.
#[derive(Debug, Clone, Default)]
pub(in crate::pairs) struct TrackerScratch {
    pub(super) scratch: PassScratch,
    pub(super) diff: Diff,
    pub(super) moments: Moments,
    pub(super) found: Vec<Pair>,
    /// Known pairs of changed objects, and where they are among all.
    pub(super) old: Vec<Pair>,
    pub(super) old_at: Vec<u32>,
    /// Rows that changed.
    pub(super) changed: RowSet,
    /// Where the objects of these are.
    pub(super) places: Vec<Location>,
}

impl TrackerScratch {
    /// Finds the pairs of the rows that changed.
    fn find_pairs_of_changed(&mut self, view: View<'_>) -> QueryStats {
        let Self { changed, found, places, .. } = self;
        found.clear();
        places.clear();
        let objects = &view.data.objects;
        places.extend(changed.iter().map(Row).filter(|&row| objects.is_live(row)).map(|row| objects.location(row)));
        let mut hits = 0;
        let stats = view.partners_of_many(places, |(word, handle), (partner, handle_of_partner)| {
            if !(word.has(ObjectWord::STATIC) && partner.has(ObjectWord::STATIC)) {
                hits += 1;
                // A pair of two changed objects is found from its first.
                if word.row() < partner.row() || !changed.contains(partner.row().0) {
                    found.push(Pair::of_living(handle, handle_of_partner));
                }
            }
            ControlFlow::Continue(())
        });
        QueryStats { hits, ..stats }
    }
}

/// How the pairs of a tree are taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A pass over all objects, whose list is compared with the known pairs.
    Pass,
    /// A joint walk of the changed objects; their known pairs are found by a scan of all.
    Scan,
    /// A joint walk of the changed objects; the known pairs of each are found by its chain.
    Chains,
}

/// What the choice goes by.
#[derive(Debug, Clone, Copy)]
struct Amounts {
    /// Objects that changed, and how many of the pairs they have.
    changed: usize,
    pairs_of_changed: usize,
    /// All objects, and all pairs, known and refused.
    objects: usize,
    pairs: usize,
}

impl Amounts {
    /// By how much it is more work to find the partners of the changed objects than to make a pass over all objects.
    ///
    /// In units of what a pass spends on a static object: on a moving one it spends 3, and on a pair a tenth. To find the
    /// partners of an object takes 16, and 1 for each of its pairs, most of it to compare them with the known ones.
    fn excess_of_walking(self, moving: impl FnOnce() -> usize) -> u64 {
        let Self { changed, pairs_of_changed, objects, pairs } = self;
        let [changed, pairs_of_changed, objects, pairs] =
            [changed, pairs_of_changed, objects, pairs].map(|number| number as u64);
        let walking = changed * 16 + pairs_of_changed;
        // Moving objects take time to count.
        if walking <= objects { 0 } else { walking.saturating_sub(objects + 2 * moving() as u64 + pairs / 10) }
    }
}

impl PairTracker {
    /// Prefetches the code of an update by a pass.
    #[inline(never)]
    fn prefetch_code_of_update() {
        prefetch_code(Self::follow_changes as *const (), 0..84);
        prefetch_code(Self::update_by_pass as *const (), 0..10);
        prefetch_code(Diff::compare as *const (), 0..61);
        prefetch_code(Self::take_all as *const (), 0..12);
        prefetch_code(Moments::compare as *const (), 0..4);
    }

    /// Updates the tracker. If the filter panics, the tracker is empty.
    #[inline(always)]
    pub(super) fn follow(&mut self, changes: Changes<'_>, accept: Option<AcceptPair<'_>>) -> QueryStats {
        if changes.are_many() && changes.view().len() >= PREFETCH_CODE_MIN {
            Self::prefetch_code_of_update();
        }
        self.follow_changes(changes, accept)
    }

    /// The same; its code has been prefetched if many objects may have changed.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn follow_changes(&mut self, mut changes: Changes<'_>, accept: Option<AcceptPair<'_>>) -> QueryStats {
        let span = span!("events", objects = changes.view().len(), pairs, begun, ended);
        // Cut short, its lists need not fit each other.
        let stats = cleared_on_panic(self, Self::clear, |tracker| tracker.take_over(&mut changes, accept));
        record!(span, pairs = self.pairs.len(), begun = self.begun.len(), ended = self.ended.len());
        let Some(stats) = stats else { return QueryStats::default() };
        changes.finish(self.name);
        stats
    }

    /// Takes over the pairs of the tree, and returns the work; `None` if nothing has changed.
    // Always inlined: the code of the caller is prefetched.
    #[inline(always)]
    fn take_over(&mut self, changes: &mut Changes<'_>, mut accept: Option<AcceptPair<'_>>) -> Option<QueryStats> {
        self.begun.clear();
        self.begun_at.clear();
        self.ended.clear();
        changes.gather(changes.view().len() / MANY_SHARE);
        let asks_again = accept.is_some() && !self.refused.requests.is_empty();
        let since = if self.check_loaded_rows(changes.view()) { changes.since(self.name) } else { None };
        if since.is_some_and(<[u32]>::is_empty) && !asks_again {
            return None;
        }
        let logged = since.map(|rows| self.note_rows(rows, asks_again, changes.view()));
        if asks_again {
            self.chains.drop_all();
            self.work.moments.forget();
        }
        let way = logged.map_or(Way::Pass, |changed| self.choose_way(changed, changes.view()));
        if let (true, Some(accept)) = (asks_again, &mut accept) {
            self.refused.ask_again(&mut self.pairs, &mut self.ended, accept);
            self.in_order = self.in_order.min(self.pairs.len());
        }
        let stats = if way == Way::Pass {
            self.update_by_pass(changes.view(), accept)
        } else {
            self.update_by_walking(way, changes.view(), accept)
        };
        self.name = self.name.wrapping_add(Pair::name_of_all(&self.begun));
        self.name = self.name.wrapping_sub(Pair::name_of_all(&self.ended));
        self.name = self.name.wrapping_add(self.refused.take_name_change());
        if way == Way::Pass {
            self.work.moments.name_pairs(self.name);
        }
        Some(stats)
    }

    /// Makes a pass over all objects, and takes over its pairs.
    #[inline(never)]
    fn update_by_pass(&mut self, view: View<'_>, accept: Option<AcceptPair<'_>>) -> QueryStats {
        let TrackerScratch { scratch, found, .. } = &mut self.work;
        // The lines arrive while the pass runs. The rest of the list is read in order, which the processor prefetches by
        // itself.
        self.pairs.iter().step_by(PAIRS_OF_LINE).take(PREFETCHED_LINES_MAX).for_each(prefetch);
        let stats = view.pairs_into(scratch, self.threads, found);
        self.refused.take_found(found, |_| true);
        self.take_all(view, accept);
        stats
    }

    /// Finds the partners of the changed objects by a joint walk, and takes over their pairs.
    // Not inlined, as `note_rows` and `choose_way`: where most objects change, none of them is run, nor their code
    // fetched.
    #[inline(never)]
    fn update_by_walking(&mut self, way: Way, view: View<'_>, accept: Option<AcceptPair<'_>>) -> QueryStats {
        let stats = self.work.find_pairs_of_changed(view);
        let TrackerScratch { found, changed, .. } = &mut self.work;
        self.refused.take_found(found, |pair| changed.has_one_of(pair));
        if way == Way::Chains {
            self.take_chained(accept);
        } else {
            self.take_scanned(accept);
        }
        stats
    }

    /// Checks what was loaded, once: whether all pairs are of rows that the tree has ever used. Only a tracker that was
    /// saved and tampered with has others. Boxes are forgotten, for they may be those of a tracker that was overwritten
    /// by the loaded one.
    fn check_loaded_rows(&mut self, view: View<'_>) -> bool {
        if !core::mem::take(&mut self.is_unchecked) {
            return true;
        }
        self.work.moments.forget();
        let rows = view.data.objects.slots_len();
        self.pairs.iter().all(|pair| pair.a().slot().max(pair.b().slot()) < rows)
    }

    /// Lists the rows that changed, and those that are asked about again, each
    /// once; how many of them hold an object.
    #[inline(never)]
    fn note_rows(&mut self, rows: &[u32], asks_again: bool, view: View<'_>) -> usize {
        let changed = &mut self.work.changed;
        changed.clear();
        rows.iter().for_each(|&row| changed.insert(row));
        if asks_again {
            let requested = self.refused.requests.iter().filter_map(|&handle| view.data.objects.row(handle));
            requested.for_each(|row| changed.insert(row.0));
        }
        changed.iter().filter(|&row| view.data.objects.is_live(Row(row))).count()
    }

    /// Chooses how to take over the pairs of a view, in which so many objects have changed.
    #[inline(never)]
    fn choose_way(&mut self, changed: usize, view: View<'_>) -> Way {
        let objects = view.data.objects.len();
        if changed > objects / MANY_SHARE {
            return Way::Pass;
        }
        let (pairs, are_few) = (self.pairs.len() + self.refused.pairs.len(), self.are_few_changed());
        let mut amounts = Amounts { changed, pairs_of_changed: pairs, objects, pairs };
        let mut excess = amounts.excess_of_walking(|| 0);
        // Where even all pairs would not be many, their number is not needed.
        if are_few || excess > 0 {
            amounts.pairs_of_changed = self.pairs_of_changed(are_few);
            excess = amounts.excess_of_walking(|| view.data.nodes.moving_len());
        }
        if excess > 0 {
            // A pass lists the pairs of earlier walks in another place: to compare these takes one unit each, once. Until
            // passes would have saved as much, walks go on.
            self.saved_by_passes = self.saved_by_passes.saturating_add(excess);
            if self.saved_by_passes > self.pairs.len().saturating_sub(self.in_order) as u64 {
                return Way::Pass;
            }
        }
        let share = if self.chains.is_made() { CHAINED_PAIRS_SHARE } else { CHAINS_PAIRS_SHARE };
        if are_few && amounts.pairs_of_changed <= pairs / share { Way::Chains } else { Way::Scan }
    }

    /// Whether so few rows changed that chains are worth while.
    fn are_few_changed(&self) -> bool {
        let share = if self.chains.is_made() { CHAINED_SHARE } else { CHAINS_SHARE };
        self.work.changed.len() * share < self.pairs.len()
    }

    /// How many pairs the rows that changed have: counted along their chains while these are in use and short, so that
    /// few changes take little time; else estimated from a sample of all pairs, known and refused.
    fn pairs_of_changed(&mut self, are_few: bool) -> usize {
        let (changed, pairs) = (&self.work.changed, self.pairs.len() + self.refused.pairs.len());
        let mut least = 0;
        if self.chains.is_made() && are_few {
            self.chains.make_if_due(&self.pairs);
            let max = pairs / CHAINED_PAIRS_SHARE;
            least = changed.iter().flat_map(|row| self.chains.of(row)).take(max + 1).count();
            if least <= max {
                return least;
            }
        }
        let share = (pairs / SAMPLE_LEN).max(1);
        let sample = self.pairs.iter().chain(&self.refused.pairs).step_by(share);
        least.max(sample.filter(|pair| changed.has_one_of(pair)).count() * share)
    }

    /// Takes over a list of all pairs.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    fn take_all(&mut self, view: View<'_>, accept: Option<AcceptPair<'_>>) {
        self.chains.drop_all();
        let TrackerScratch { diff, moments, found, .. } = &mut self.work;
        moments.compare(diff, (&self.pairs, self.name), (found, view));
        self.refused.ask(&mut diff.begun, found, accept);
        self.begun.extend(diff.begun.iter().map(|&index| found[index as usize]));
        self.begun_at.extend_from_slice(&diff.begun);
        self.ended.extend(diff.ended.iter().map(|&index| self.pairs[index as usize]));
        core::mem::swap(&mut self.pairs, found);
        (self.in_order, self.saved_by_passes) = (self.pairs.len(), 0);
    }

    /// Takes over the pairs of changed objects, after a scan for those known.
    #[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
    fn take_scanned(&mut self, accept: Option<AcceptPair<'_>>) {
        self.chains.drop_all();
        let TrackerScratch { diff, found, old, changed, .. } = &mut self.work;
        old.clear();
        let (mut at, mut lost, in_order) = (0, 0, self.in_order);
        self.pairs.retain(|pair| {
            let keeps = !changed.has_one_of(pair);
            if !keeps {
                old.push(*pair);
                lost += usize::from(at < in_order);
            }
            at += 1;
            keeps
        });
        self.in_order -= lost;
        diff.compare(old, found);
        self.refused.ask(&mut diff.begun, found, accept);
        self.begun.extend(diff.begun.iter().map(|&index| found[index as usize]));
        let kept = self.pairs.len() as u32;
        self.begun_at.extend(diff.begun.iter().map(|&index| kept + index));
        self.ended.extend(diff.ended.iter().map(|&index| old[index as usize]));
        self.pairs.extend_from_slice(found);
    }

    /// Takes over the pairs of changed objects, looking at the chains of these alone.
    #[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
    fn take_chained(&mut self, accept: Option<AcceptPair<'_>>) {
        self.chains.make_if_due(&self.pairs);
        let TrackerScratch { diff, found, old, old_at, changed, .. } = &mut self.work;
        old_at.clear();
        for row in changed.iter() {
            // A pair of two changed objects is taken from the chain of its first.
            let of_row = self.chains.of(row);
            let once = of_row.filter(|&(at, second)| !second || !changed.contains(self.pairs[at as usize].a().slot()));
            old_at.extend(once.map(|(at, _)| at));
        }
        // The order within chains depends on history; the order of the list does not.
        old_at.sort_unstable();
        old.clear();
        old.extend(old_at.iter().map(|&at| self.pairs[at as usize]));
        diff.compare(old, found);
        self.refused.ask(&mut diff.begun, found, accept);
        for &index in &diff.ended {
            self.ended.push(old[index as usize]);
        }
        // From the last on, so that the pair that fills a gap is never one that ended.
        for &index in diff.ended.iter().rev() {
            let (at, last) = (old_at[index as usize] as usize, self.pairs.len() - 1);
            // The last pair fills the gap.
            self.in_order -= usize::from(at < self.in_order) + usize::from(at < last && last < self.in_order);
            self.chains.swap_remove(&mut self.pairs, at);
        }
        for &index in &diff.begun {
            let pair = found[index as usize];
            self.begun.push(pair);
            self.begun_at.push(self.pairs.len() as u32);
            self.chains.add(&pair);
            self.pairs.push(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Amounts;

    #[test]
    fn changed_objects_and_their_pairs_are_weighed_against_a_pass() {
        let excess = |changed, pairs_of_changed, pairs, moving| {
            Amounts { changed, pairs_of_changed, objects: 8000, pairs }.excess_of_walking(|| moving)
        };
        let walks = |changed, pairs_of_changed, pairs, moving| excess(changed, pairs_of_changed, pairs, moving) == 0;
        // Few, whatever moves.
        assert!(walks(500, 0, 0, 0) && !walks(501, 0, 0, 0));
        // All move.
        assert!(walks(1500, 0, 0, 8000) && !walks(1501, 0, 0, 8000));
        // Pairs of the changed objects, and those of all.
        assert!(walks(100, 22_400, 0, 8000) && !walks(100, 22_401, 0, 8000));
        assert!(walks(100, 32_400, 100_000, 8000) && !walks(100, 32_401, 100_000, 8000));
        // No sum of numbers that are held in memory overflows.
        let most = u32::MAX as usize;
        let amounts = Amounts { changed: most, pairs_of_changed: most, objects: most, pairs: most };
        let units = u64::from(u32::MAX);
        assert_eq!(amounts.excess_of_walking(|| most), 17 * units - 3 * units - units / 10);
    }
}
