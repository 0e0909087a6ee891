//! A comparison of two lists of pairs by the boxes of the objects: whether two of them were a pair is tested, not
//! looked up.
//!
//! A pair of the new list has begun if it was none at the moment of the last update; one of the old list has ended if
//! it is none now. Each takes one test of two boxes, wherever the pair stands in its list. So the lists may differ in
//! many places, and in their order. Where they differ in few, a walk of both is quicker.

use super::super::pair::Pair;
use super::diff::Diff;
use crate::data::{Row, View};
use crate::geometry::lanes::{BoxRow, set_bits};
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// Comparisons by boxes in a row, before the lists are walked once to see in how many places they differ.
const RUN: u32 = 15;

/// The boxes of all objects as of the last update and as of this one, by slot. Slots without an object hold boxes
/// that meet none.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    last: Vec<BoxRow>,
    now: Vec<BoxRow>,
    /// The generation of the object that was in each slot last.
    generations: Vec<Option<NonZeroU32>>,
    /// The objects that came into their slots since the last update.
    arrived: Vec<Row>,
    /// The name of the set of pairs at the last update, if the boxes of that moment are kept.
    name: Option<u64>,
    /// So many more comparisons are made by boxes.
    left: u32,
}

impl Moments {
    /// Makes room for so many objects.
    pub(super) fn reserve(&mut self, objects: usize) {
        let Self { last, now, generations, arrived, .. } = self;
        [last, now].into_iter().for_each(|rows| rows.reserve(objects.saturating_sub(rows.len())));
        generations.reserve(objects.saturating_sub(generations.len()));
        arrived.reserve(objects);
    }

    /// Forgets the boxes of the last update.
    pub(super) fn forget(&mut self) {
        self.name = None;
    }

    /// The name of the set of pairs, after a comparison.
    pub(super) fn settle(&mut self, name: u64) {
        self.name = (self.left > 0).then_some(name);
    }

    /// Compares the known pairs, whose set has this name, with all pairs of a tree.
    // Not inlined: its code is prefetched.
    #[inline(never)]
    pub(super) fn compare(
        &mut self,
        diff: &mut Diff,
        (known, name): (&[Pair], u64),
        (found, view): (&[Pair], View<'_>),
    ) {
        let (is_last_kept, are_boxes) = (self.name.take() == Some(name), view.data.are_plain_boxes());
        if is_last_kept && are_boxes {
            return self.compare_by_boxes(diff, known, found, view);
        }
        let places = diff.compare(known, found);
        // A place takes about as long as the tests of four pairs, or as half an object.
        let is_slow = are_boxes && places > 2 * view.len() + (known.len() + found.len()) / 4;
        self.left = if is_slow { RUN } else { 0 };
        if is_slow {
            self.begin(view);
        }
    }

    #[inline(never)]
    fn compare_by_boxes(&mut self, diff: &mut Diff, known: &[Pair], found: &[Pair], view: View<'_>) {
        self.left -= 1;
        self.take(view);
        list_where(known, &mut diff.ended, |a, b| !self.now[a].meets(&self.now[b]));
        list_where(found, &mut diff.begun, |a, b| !self.last[a].meets(&self.last[b]));
        for &row in &self.arrived {
            let at = view.data.objects.location(row);
            self.now[row.0 as usize] = view.data.blocks[at.block()].rows()[at.lane()];
        }
        core::mem::swap(&mut self.last, &mut self.now);
    }

    /// Keeps the boxes of a tree as those of the last update.
    #[inline(never)]
    fn begin(&mut self, view: View<'_>) {
        let Self { last, generations, .. } = self;
        let slots = view.data.objects.slots_len() as usize;
        generations.clear();
        generations.resize(slots, None);
        last.clear();
        last.resize(slots, BoxRow::EMPTY);
        view.data.blocks.visit_rows(|word, generation, row| {
            let slot = word.row().0 as usize;
            (generations[slot], last[slot]) = (Some(generation), *row);
        });
    }

    /// Takes over the boxes of a tree as those of now. Objects that came since the last update get boxes that meet
    /// none, at both moments: known pairs that name their slots are those of objects before them, and all pairs of
    /// theirs begin.
    fn take(&mut self, view: View<'_>) {
        let Self { last, now, generations, arrived, .. } = self;
        let slots = last.len().max(view.data.objects.slots_len() as usize);
        generations.resize(slots, None);
        last.resize(slots, BoxRow::EMPTY);
        if view.len() < slots {
            // Those that have gone leave their slots empty.
            now.clear();
        }
        now.resize(slots, BoxRow::EMPTY);
        arrived.clear();
        view.data.blocks.visit_rows(|word, generation, row| {
            let slot = word.row().0 as usize;
            if generations[slot] == Some(generation) {
                now[slot] = *row;
            } else {
                generations[slot] = Some(generation);
                (last[slot], now[slot]) = (BoxRow::EMPTY, BoxRow::EMPTY);
                arrived.push(word.row());
            }
        });
    }
}

/// Lists the indices of the pairs whose slots pass a test, ascending. Which do follows no order, so 64 are tested
/// without a branch before those that passed are listed.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
fn list_where(pairs: &[Pair], indices: &mut Vec<u32>, passes: impl Fn(usize, usize) -> bool) {
    indices.clear();
    for (chunk, first) in pairs.chunks(64).zip((0..).step_by(64)) {
        let mut passed = 0;
        for (bit, pair) in chunk.iter().enumerate() {
            passed |= u64::from(passes(pair.a().slot() as usize, pair.b().slot() as usize)) << bit;
        }
        indices.extend(set_bits(passed).map(|bit| (first + bit) as u32));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Handle, Layers, Mobility, Object, Octree, Pair, PairTracker};
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    /// All pairs, by brute force.
    fn pairs_of(tree: &Octree) -> BTreeSet<Pair> {
        let objects: Vec<(Handle, Object)> = tree.iter().collect();
        let mut pairs = BTreeSet::new();
        for (index, (a, one)) in objects.iter().enumerate() {
            for (b, other) in &objects[index + 1..] {
                let both_static = one.mobility == Mobility::Static && other.mobility == Mobility::Static;
                let overlap = one.shape.aabb().overlaps(&other.shape.aabb());
                if overlap && !both_static && one.layers.interacts(other.layers) {
                    pairs.insert(Pair::new(*a, *b));
                }
            }
        }
        pairs
    }

    /// Most frames move all objects far; the others move few, or none, remove and insert some, or change something
    /// else. Two trackers follow, one of them in every third frame.
    #[test]
    fn events_of_crowds_that_leap_are_those_of_brute_force() {
        let mut state = 7_u32;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % limit
        };
        let mut tree = Octree::default();
        let place = |below: &mut dyn FnMut(u32) -> u32| {
            let corner = [(); 3].map(|()| f32::from(u16::try_from(below(70)).unwrap()) * 0.1);
            Aabb::new(corner, corner.map(|side| side + 4.0))
        };
        let mut handles: Vec<Handle> = (0..120).map(|_| tree.insert(place(&mut below)).unwrap()).collect();
        let mut trackers = [0; 2].map(|_| (PairTracker::new(), BTreeSet::new()));
        let (mut by_boxes, mut by_lists, mut of_arrivals) = (0, 0, 0);
        for frame in 0..400 {
            let kind = below(12);
            let movers = [0, 1, 5, 200][if kind > 3 { 3 } else { kind as usize }];
            for _ in 0..movers {
                let handle = handles[below(120) as usize];
                tree.update(handle, place(&mut below)).unwrap();
            }
            for _ in 0..if kind == 8 { 6 } else { 0 } {
                let index = below(120) as usize;
                tree.remove(handles[index]).unwrap();
                handles[index] = tree.insert(place(&mut below)).unwrap();
            }
            let handle = handles[below(120) as usize];
            match kind {
                9 => {
                    tree.set_mobility(handle, if below(2) == 0 { Mobility::Static } else { Mobility::Moving }).unwrap()
                }
                10 if frame > 300 => {
                    tree.set_layers(handle, Layers { memberships: 1 << below(3), filters: below(8) }).unwrap();
                }
                _ => (),
            }
            let now = pairs_of(&tree);
            for (number, (tracker, known)) in trackers.iter_mut().enumerate() {
                if number == 1 && frame % 3 != 0 {
                    continue;
                }
                let left = tracker.work.moments.left;
                if frame % 50 == 49 {
                    tracker.ask_again(handle);
                    tracker.update_with(tree.changes(), |_| true);
                } else {
                    tracker.update(tree.changes());
                }
                let is_by_boxes = tracker.work.moments.left + 1 == left;
                by_boxes += u32::from(is_by_boxes);
                by_lists += u32::from(!is_by_boxes);
                of_arrivals += u32::from(is_by_boxes && !tracker.work.moments.arrived.is_empty());
                let set = |pairs: &[Pair]| pairs.iter().copied().collect::<BTreeSet<_>>();
                assert_eq!(set(tracker.begun()), &now - known, "frame {frame}");
                assert_eq!(set(tracker.ended()), &*known - &now, "frame {frame}");
                assert_eq!(set(tracker.pairs()), now, "frame {frame}");
                assert_eq!(tracker.pairs().len(), now.len(), "frame {frame}");
                known.clone_from(&now);
            }
            tree.validate().unwrap();
        }
        assert!(by_boxes > 100 && by_lists > 100 && of_arrivals > 10, "{by_boxes} {by_lists} {of_arrivals}");
    }
}
