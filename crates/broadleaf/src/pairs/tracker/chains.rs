//! The pairs of each object, as chains through a list of pairs: so that the
//! pairs of a few objects are found without a look at the others.
//!
//! The chains are made when few objects change, and dropped when many do or when
//! these have many of the pairs, for then a scan of the list is less work.

use crate::data::arena::cloned;
use crate::pairs::pair::Pair;
use alloc::vec::Vec;

/// The end of a chain.
const END: u32 = u32::MAX;

/// One step of an object's chain: twice the index of a pair, and one more if
/// the object is the pair's second.
type Step = u32;

/// Neighbours of a pair in the chains of its two objects.
#[derive(Debug, Clone, Copy)]
struct Links {
    next: [Step; 2],
    before: [Step; 2],
}

/// Chains through a list of pairs, which every call is handed.
#[derive(Debug, Default)]
pub(in crate::pairs) struct Chains {
    /// The first step of each row's chain.
    heads: Vec<Step>,
    links: Vec<Links>,
    is_made: bool,
}

#[inline]
fn slot(pair: &Pair, side: usize) -> usize {
    (if side == 0 { pair.a() } else { pair.b() }).slot() as usize
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "fewer pairs are held in memory")]
fn step(index: usize, side: usize) -> Step {
    (2 * index + side) as Step
}

impl Clone for Chains {
    fn clone(&self) -> Self {
        cloned(self, Self::default())
    }

    fn clone_from(&mut self, source: &Self) {
        self.is_made = source.is_made;
        // Chains that are dropped hold nothing that is asked for.
        if source.is_made {
            self.heads.clone_from(&source.heads);
            self.links.clone_from(&source.links);
        }
    }
}

impl Chains {
    /// Whether the chains are in use.
    pub(in crate::pairs) fn is_made(&self) -> bool {
        self.is_made
    }

    /// Takes up what was saved: chains that were in use are so again, and due to be made.
    #[cfg(feature = "serde")]
    pub(in crate::pairs) fn restore(&mut self, is_made: bool) {
        self.is_made = is_made;
    }

    /// Makes room for pairs among so many rows.
    pub(super) fn reserve(&mut self, rows: usize, pairs: usize) {
        self.heads.reserve(rows.saturating_sub(self.heads.len()));
        self.links.reserve(pairs.saturating_sub(self.links.len()));
    }

    /// Drops the chains, keeping the memory.
    pub(super) fn drop_all(&mut self) {
        self.is_made = false;
    }

    /// Makes the chains of a list, unless they are in use already; those that were loaded are in use and not made.
    pub(super) fn make_if_due(&mut self, pairs: &[Pair]) {
        if self.is_made && self.links.len() == pairs.len() {
            return;
        }
        self.is_made = true;
        self.heads.clear();
        self.links.clear();
        for pair in pairs {
            self.add(pair);
        }
    }

    /// Adds the pair that is about to be last in the list.
    pub(super) fn add(&mut self, pair: &Pair) {
        let index = self.links.len();
        self.links.push(Links { next: [END; 2], before: [END; 2] });
        for side in 0..2 {
            let slot = slot(pair, side);
            if self.heads.len() <= slot {
                self.heads.resize(slot + 1, END);
            }
            let next = core::mem::replace(&mut self.heads[slot], step(index, side));
            self.links[index].next[side] = next;
            if next != END {
                self.links[next as usize / 2].before[next as usize % 2] = step(index, side);
            }
        }
    }

    /// Takes the pair at `index` out of the list, whose last pair takes its place.
    pub(super) fn swap_remove(&mut self, pairs: &mut Vec<Pair>, index: usize) {
        let gone = self.links[index];
        for side in 0..2 {
            self.point(&pairs[index], side, gone.before[side], gone.next[side]);
            if gone.next[side] != END {
                self.links[gone.next[side] as usize / 2].before[gone.next[side] as usize % 2] = gone.before[side];
            }
        }
        let last = pairs.len() - 1;
        if index != last {
            let moved = self.links[last];
            for side in 0..2 {
                self.point(&pairs[last], side, moved.before[side], step(index, side));
                if moved.next[side] != END {
                    self.links[moved.next[side] as usize / 2].before[moved.next[side] as usize % 2] = step(index, side);
                }
            }
            self.links[index] = moved;
        }
        self.links.pop();
        pairs.swap_remove(index);
    }

    /// Makes the step before, or the head of the chain, point to `to`.
    fn point(&mut self, pair: &Pair, side: usize, before: Step, to: Step) {
        if before == END {
            self.heads[slot(pair, side)] = to;
        } else {
            self.links[before as usize / 2].next[before as usize % 2] = to;
        }
    }

    /// The pairs of a row: indices in the list, and whether the row is the pair's second.
    pub(super) fn of(&self, row: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let mut next = self.heads.get(row as usize).copied().unwrap_or(END);
        core::iter::from_fn(move || {
            let current = next;
            (current != END).then(|| {
                next = self.links[current as usize / 2].next[current as usize % 2];
                (current / 2, current % 2 == 1)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Octree, PairTracker};
    use alloc::vec::Vec;

    /// Boxes that all overlap, of which five move in each of 60 frames: in how many frames chains are made, and in how
    /// many they are in use.
    fn frames_with_chains(boxes: u16) -> (usize, usize) {
        let place = |i: u16, shift: f32| {
            let corner = [f32::from(i) * 0.01 + shift, shift, 0.0];
            Aabb::new(corner, corner.map(|side| side + 10.0))
        };
        let (mut tree, mut tracker, mut handles) = (Octree::default(), PairTracker::new(), Vec::new());
        tree.insert_many(&(0..boxes).map(|i| place(i, 0.0)).collect::<Vec<_>>(), &mut handles).expect("legal");
        tracker.update(tree.changes());
        let (mut made, mut used) = (0, 0);
        for frame in 0..60 {
            for i in 0..5 {
                // Others in each frame.
                let index = (frame * 7 + i * 23) % boxes;
                let shape = place(index, f32::from(frame % 3) * 0.001);
                tree.update(handles[usize::from(index)], shape).expect("legal");
            }
            let before = tracker.chains.is_made();
            tracker.update(tree.changes());
            assert_eq!(tracker.pairs().len(), handles.len() * (handles.len() - 1) / 2);
            made += usize::from(tracker.chains.is_made() && !before);
            used += usize::from(tracker.chains.is_made());
        }
        (made, used)
    }

    /// Chains were made again in every few frames, where changed objects have about as many of the pairs as chains
    /// are worth.
    #[test]
    fn regression_chains_are_not_made_and_dropped_in_turn() {
        // One in 13 of the pairs is that of a changed object.
        assert_eq!(frames_with_chains(130), (0, 0));
        // One in 40, where they are worth while.
        let (made, used) = frames_with_chains(400);
        assert!(made == 1 && used > 50, "{made} times made, {used} times used");
    }
}
