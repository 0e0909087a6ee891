//! Pair events, compared with what a comparison of all pairs gives.

use super::compare::{Complaint, same};
use crate::oracle::Oracle;
use broadleaf::{Octree, Pair, PairTracker};

/// A tracker, and the pairs that the oracle had when it was last updated.
#[derive(Debug, Clone, Default)]
pub(super) struct Follower {
    tracker: PairTracker,
    known: Vec<Pair>,
}

impl Follower {
    /// Updates the tracker, and compares its events with the oracle's.
    pub(super) fn update(&mut self, tree: &mut Octree, oracle: &Oracle) -> Result<(), Complaint> {
        self.tracker.update(tree.changes());
        tree.validate().map_err(|broken| format!("the tree is broken: {broken}"))?;
        let pairs: Vec<Pair> = oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect();
        let only = |these: &[Pair], those: &[Pair]| -> Vec<Pair> {
            these.iter().filter(|pair| those.binary_search(pair).is_err()).copied().collect()
        };
        let begun = only(&pairs, &self.known);
        same("pairs that began", &sorted(self.tracker.begun().iter().copied()), &begun)?;
        same("pairs that ended", &sorted(self.tracker.ended().iter().copied()), &only(&self.known, &pairs))?;
        same("persisting pairs", &sorted(self.tracker.persisting()), &only(&pairs, &begun))?;
        same("tracked pairs", &sorted(self.tracker.pairs().iter().copied()), &pairs)?;
        self.known = pairs;
        Ok(())
    }
}

fn sorted(pairs: impl Iterator<Item = Pair>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = pairs.collect();
    pairs.sort_unstable();
    pairs
}
