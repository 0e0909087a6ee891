//! The state hashes of trackers and budgets.

use super::budget::PairBudget;
use super::pair::Pair;
use super::tracker::PairTracker;
use crate::data::state::hash::WordHash;

impl PairTracker {
    /// A hash of the tracker's state: the pairs in their order, which of them
    /// began, which ended, and all that decides its later events, and
    /// in which order. [`Octree::state_hash`](crate::Octree::state_hash) has
    /// what it is and what it promises; working memory does not count.
    ///
    /// *Cost:* linear in the pairs; no allocation.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = WordHash::new();
        hash.add_wide(self.name);
        hash.add(self.chains.is_made().into());
        // Both decide whether a later update makes a pass, and with it the order of its events.
        hash.add_wide(self.in_order as u64);
        hash.add_wide(self.saved_by_passes);
        add_pairs(&mut hash, &self.pairs);
        hash.add_wide(self.begun_at.len() as u64);
        self.begun_at.iter().for_each(|&at| hash.add(at));
        add_pairs(&mut hash, &self.ended);
        // A tracker without a filter is hashed as if there were none.
        if !self.refused.pairs.is_empty() || !self.refused.requests.is_empty() {
            add_pairs(&mut hash, &self.refused.pairs);
            hash.add_wide(self.refused.requests.len() as u64);
            self.refused.requests.iter().for_each(|handle| hash.add_wide(handle.to_bits()));
        }
        hash.finish()
    }
}

impl PairBudget {
    /// A hash of the budget's state: its settings, which pairs wait and for
    /// how long, and which were dropped. As [`PairTracker::state_hash`].
    ///
    /// *Cost:* linear in the pairs that wait; no allocation.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = WordHash::new();
        hash.add_all([self.essential.into(), self.patience]);
        hash.add_wide(self.deferred as u64);
        for (pair, waited) in self.last.deferred() {
            add_pair(&mut hash, &pair);
            hash.add(waited);
        }
        add_pairs(&mut hash, &self.dropped);
        hash.finish()
    }
}

fn add_pairs(hash: &mut WordHash, pairs: &[Pair]) {
    hash.add_wide(pairs.len() as u64);
    pairs.iter().for_each(|pair| add_pair(hash, pair));
}

fn add_pair(hash: &mut WordHash, pair: &Pair) {
    hash.add_wide(pair.a().to_bits());
    hash.add_wide(pair.b().to_bits());
}
