//! A comparison of two lists of pairs by the boxes of the objects: whether two of them were a pair is tested, not
//! looked up.
//!
//! A pair of the new list has begun if its boxes did not meet before; one of the old list has ended if its boxes do
//! not meet now. Each takes one test of two boxes, wherever the pair stands in its list. So the lists may differ in
//! many places, and in their order. Where they differ in few, a walk of both is quicker.

use super::diff::Diff;
use crate::data::View;
use crate::geometry::lanes::{PackedBox, set_bits};
use crate::pairs::pair::Pair;
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// Comparisons by boxes in a row, before the lists are walked once to see in how many places they differ.
const COMPARISONS_BY_BOXES: u32 = 15;

/// The boxes of all objects at two moments, by slot. Slots without an object hold boxes that meet none.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    /// As of the last pass.
    before: Vec<PackedBox>,
    /// As of this one.
    now: Vec<PackedBox>,
    /// The generation of the object that was in each slot last.
    generations: Vec<Option<NonZeroU32>>,
    /// The name of the set of pairs, known and refused, whose boxes meet in `before`, if that is kept. While the
    /// tracker's set has this name it is that set, even if objects have moved since, or the tracker was overwritten by
    /// a copy of another.
    name: Option<u64>,
    /// So many more comparisons are made by boxes.
    comparisons_left: u32,
}

impl Moments {
    /// Makes room for so many objects.
    pub(super) fn reserve(&mut self, objects: usize) {
        let Self { before, now, generations, .. } = self;
        [before, now].into_iter().for_each(|boxes| boxes.reserve(objects.saturating_sub(boxes.len())));
        generations.reserve(objects.saturating_sub(generations.len()));
    }

    /// Forgets the boxes.
    pub(super) fn forget(&mut self) {
        self.name = None;
    }

    /// Notes the name of the set of pairs that the tracker has after a comparison.
    pub(super) fn name_pairs(&mut self, name: u64) {
        self.name = (self.comparisons_left > 0).then_some(name);
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
        let (are_boxes_kept, are_all_boxes) = (self.name.take() == Some(name), view.data.are_plain_boxes());
        if are_boxes_kept && are_all_boxes {
            self.comparisons_left -= 1;
            return self.compare_by_boxes(diff, known, found, view);
        }
        let places = diff.compare(known, found);
        // More than the number of places at which both ways take the same time: about there, the lists are walked.
        let slots = view.data.objects.slots_len() as usize;
        let are_many_places = places > 2 * slots + (known.len() + found.len()) / 4;
        self.comparisons_left = 0;
        if are_many_places && are_all_boxes {
            self.comparisons_left = COMPARISONS_BY_BOXES;
            self.keep(view);
        }
    }

    /// Keeps the boxes of a tree.
    #[inline(never)]
    fn keep(&mut self, view: View<'_>) {
        self.before.clear();
        self.generations.clear();
        self.read(view);
        core::mem::swap(&mut self.before, &mut self.now);
    }

    #[inline(never)]
    fn compare_by_boxes(&mut self, diff: &mut Diff, known: &[Pair], found: &[Pair], view: View<'_>) {
        let any_arrived = self.read(view);
        let Self { before, now, .. } = self;
        if any_arrived {
            // A slot of a known pair may hold another object now. `read` has emptied its box in `before`, so the pair
            // does not meet there: it has ended.
            let meet = |boxes: &[PackedBox], a: usize, b: usize| boxes[a].meets(&boxes[b]);
            list_where(known, &mut diff.ended, |a, b| !(meet(now, a, b) & meet(before, a, b)));
        } else {
            list_where(known, &mut diff.ended, |a, b| !now[a].meets(&now[b]));
        }
        list_where(found, &mut diff.begun, |a, b| !before[a].meets(&before[b]));
        core::mem::swap(before, now);
    }

    /// Reads the boxes of a tree into `now`. Where a slot holds another object than it last did, or its first, its box
    /// in `before` is emptied. Returns whether there was such a slot.
    #[inline(always)]
    fn read(&mut self, view: View<'_>) -> bool {
        let Self { before, now, generations, .. } = self;
        let slots = before.len().max(view.data.objects.slots_len() as usize);
        generations.resize(slots, None);
        before.resize(slots, PackedBox::EMPTY);
        if view.len() < slots {
            // Those that have gone leave their slots empty.
            now.clear();
        }
        now.resize(slots, PackedBox::EMPTY);
        let mut any_arrived = false;
        view.data.blocks.visit_boxes(|word, generation, packed| {
            let slot = word.row().0 as usize;
            now[slot] = *packed;
            if generations[slot] != Some(generation) {
                (generations[slot], before[slot]) = (Some(generation), PackedBox::EMPTY);
                any_arrived = true;
            }
        });
        any_arrived
    }
}

/// Lists the indices of the pairs whose slots pass a test, ascending. Which of them pass cannot be predicted, so 64 are
/// tested without a branch before those that passed are listed.
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
    extern crate std;
    use crate::{Aabb, Config, Handle, Layers, Margin, Mobility, Object, Octree, Pair, PairTracker, Shape, Sphere};
    use alloc::boxed::Box;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use glam::Vec3;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    const OBJECTS: u32 = 120;

    struct Random(u32);

    impl Random {
        fn below(&mut self, limit: u32) -> u32 {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) % limit
        }

        /// Sides in tenths, so that some touch.
        fn place(&mut self) -> Aabb {
            let corner = [(); 3].map(|()| f32::from(u16::try_from(self.below(70)).unwrap()) * 0.1);
            Aabb::new(corner, corner.map(|side| side + 4.0))
        }
    }

    /// A tracker, and one that walks the lists in every comparison.
    #[derive(Default)]
    struct Both {
        tracker: PairTracker,
        walking: PairTracker,
        by_boxes: usize,
        by_boxes_with_free_slots: usize,
        by_boxes_with_arrivals: usize,
        by_boxes_refused: usize,
    }

    impl Both {
        /// Updates both, and compares all that they tell.
        fn update(&mut self, tree: &mut Octree, refuses: impl Fn(Pair) -> bool, calls_max: usize) {
            let name = self.tracker.work.moments.name;
            let (is_kept, left) = (name == Some(self.tracker.name), self.tracker.work.moments.comparisons_left);
            let generations = self.tracker.work.moments.generations.clone();
            let refused = self.tracker.refused.pairs.len();
            self.walking.work.moments.name = None;
            for tracker in [&mut self.tracker, &mut self.walking] {
                let mut calls = 0;
                let ended = catch_unwind(AssertUnwindSafe(|| {
                    tracker.update_with(tree.changes(), |pair| {
                        calls += 1;
                        if calls > calls_max {
                            resume_unwind(Box::new("a filter that panics"));
                        }
                        !refuses(pair)
                    });
                }));
                assert_eq!(ended.is_err(), calls > calls_max);
                if ended.is_err() {
                    tracker.clear();
                }
            }
            let Self { tracker, walking, .. } = self;
            assert_eq!(tracker.begun(), walking.begun());
            assert_eq!(tracker.ended(), walking.ended());
            assert_eq!(tracker.pairs(), walking.pairs());
            assert!(tracker.persisting().eq(walking.persisting()));
            assert_eq!((tracker.name, &tracker.refused.pairs), (walking.name, &walking.refused.pairs));
            let data = tree.view().data;
            if is_kept && data.are_plain_boxes() && tracker.work.moments.comparisons_left + 1 == left {
                let slots_now = data.objects.slots_len() as usize;
                self.by_boxes += 1;
                self.by_boxes_with_free_slots += usize::from(data.objects.len() < slots_now);
                let generations_now = &tracker.work.moments.generations;
                let is_other = |(old, new): (&Option<_>, &Option<_>)| old.is_some() && old != new;
                self.by_boxes_with_arrivals += usize::from(generations.iter().zip(generations_now).any(is_other));
                self.by_boxes_refused += usize::from(refused < tracker.refused.pairs.len());
            }
        }
    }

    /// Most frames move all objects far; the others change something else, in every way in which pairs can.
    fn check(seed: u32, is_filtered: bool, margin: f32) -> Both {
        let mut random = Random(seed);
        let config = Config { margin: Margin { absolute: margin, relative: 0.0 }, ..Config::default() };
        let mut tree = Octree::new(config).unwrap();
        let mut both = Both::default();
        for _ in 0..OBJECTS {
            tree.insert(random.place()).unwrap();
        }
        let mut saved = (tree.clone(), PairTracker::new());
        for frame in 0..400 {
            let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
            let handle = handles[random.below(u32::try_from(handles.len()).unwrap()) as usize];
            let kind = random.below(24);
            let movers = [0, 1, 5, 0][kind.min(3) as usize] + if kind > 7 { handles.len() } else { 0 };
            for index in 0..movers {
                tree.update(handles[index * 7 % handles.len()], random.place()).unwrap();
            }
            match kind {
                // A step after which all pairs are as before.
                3 => tree.update(handle, tree.get(handle).unwrap().shape).unwrap(),
                8 => {
                    let removed = handles.iter().step_by(9).map(|&handle| tree.remove(handle).unwrap()).count();
                    // In every other frame, other objects take the slots at once.
                    for _ in 0..if frame % 2 == 0 { removed } else { 0 } {
                        tree.insert(random.place()).unwrap();
                    }
                }
                9 if handles.len() < OBJECTS as usize => {
                    (0..20).for_each(|_| _ = tree.insert(random.place()).unwrap());
                }
                10 => tree.set_mobility(handle, Mobility::Static).unwrap(),
                11 => tree.set_mobility(handle, Mobility::Moving).unwrap(),
                12 => tree.shift_origin(Vec3::new(0.5, 0.0, 0.0)).unwrap(),
                13 => [&mut both.tracker, &mut both.walking].into_iter().for_each(|tracker| tracker.ask_again(handle)),
                14 => saved = (tree.clone(), both.tracker.clone()),
                15 => tree.clone_from(&saved.0),
                16 => [&mut both.tracker, &mut both.walking].into_iter().for_each(|t| t.clone_from(&saved.1)),
                17 if frame % 4 == 0 => [&mut both.tracker, &mut both.walking].into_iter().for_each(PairTracker::clear),
                18 => _ = tree.insert(Aabb::new([-1e30; 3], [1e30; 3])).unwrap(),
                19 if frame > 300 => tree.set_layers(handle, Layers { memberships: 1, filters: 2 }).unwrap(),
                20 if frame > 300 => tree.update(handle, Sphere::new(Vec3::splat(3.0), 2.0)).unwrap(),
                21 => {
                    // Built anew, without columns that are no longer needed.
                    let objects: Vec<Object> =
                        tree.iter().map(|(_, object)| Object::new(object.shape.aabb())).collect();
                    let few = &objects[..objects.len().min(OBJECTS as usize)];
                    tree.clear();
                    tree.insert_many(few, &mut Vec::new()).unwrap();
                }
                _ => (),
            }
            let refuses = |pair: Pair| is_filtered && (pair.a().slot() * 7 + pair.b().slot()).is_multiple_of(5);
            both.update(&mut tree, refuses, if is_filtered && kind == 22 { 20 } else { usize::MAX });
            tree.validate().unwrap();
            if !is_filtered && margin == 0.0 {
                assert_eq!(both.tracker.pairs().iter().copied().collect::<BTreeSet<_>>(), pairs_of(&tree), "{frame}");
            }
        }
        both
    }

    /// All pairs of boxes and spheres, by brute force.
    fn pairs_of(tree: &Octree) -> BTreeSet<Pair> {
        let objects: Vec<(Handle, Object)> = tree.iter().collect();
        let mut pairs = BTreeSet::new();
        for (index, (a, one)) in objects.iter().enumerate() {
            for (b, other) in &objects[index + 1..] {
                let both_static = one.mobility == Mobility::Static && other.mobility == Mobility::Static;
                let overlap = match (&one.shape, &other.shape) {
                    (Shape::Aabb(one), Shape::Aabb(other)) => one.overlaps(other),
                    (Shape::Sphere(one), Shape::Sphere(other)) => one.overlaps(other),
                    (Shape::Aabb(aabb), Shape::Sphere(sphere)) | (Shape::Sphere(sphere), Shape::Aabb(aabb)) => {
                        aabb.overlaps_sphere(sphere)
                    }
                };
                if overlap && !both_static && one.layers.interacts(other.layers) {
                    pairs.insert(Pair::new(*a, *b));
                }
            }
        }
        pairs
    }

    #[test]
    fn comparisons_by_boxes_tell_what_walks_tell_in_the_same_order() {
        let plain = check(1, false, 0.0);
        let filtered = check(2, true, 0.0);
        let with_margin = check(3, false, 0.3);
        for both in [&plain, &filtered, &with_margin] {
            assert!(both.by_boxes > 60 && both.by_boxes_with_free_slots > 10, "{}", both.by_boxes);
            assert!(both.by_boxes_with_arrivals > 3, "{}", both.by_boxes_with_arrivals);
        }
        assert!(filtered.by_boxes_refused > 10, "{}", filtered.by_boxes_refused);
    }

    /// A copy of a tracker that was saved and tampered with, so that its set has the same name.
    #[test]
    fn regression_boxes_are_not_asked_for_slots_that_the_tree_never_had() {
        let (mut random, mut tree, mut tracker) = (Random(1), Octree::default(), PairTracker::new());
        let handles: Vec<Handle> = (0..OBJECTS).map(|_| tree.insert(random.place()).unwrap()).collect();
        for _ in 0..3 {
            handles.iter().for_each(|&handle| tree.update(handle, random.place()).unwrap());
            tracker.update(tree.changes());
        }
        assert_eq!(tracker.work.moments.name, Some(tracker.name));
        let foreign = Handle::new(u32::MAX - 1, core::num::NonZeroU32::MIN);
        tracker.pairs.push(Pair::new(handles[0], foreign));
        tracker.is_unchecked = true;
        handles.iter().for_each(|&handle| tree.update(handle, random.place()).unwrap());
        tracker.update(tree.changes());
        assert!(tracker.ended().iter().any(|pair| pair.b() == foreign));
        assert_eq!(tracker.pairs().iter().copied().collect::<BTreeSet<_>>(), pairs_of(&tree));
    }
}
