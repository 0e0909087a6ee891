//! Saving trackers and budgets: the state of a tracker without its scratch as data of
//! serde, and both as bytes.

use super::pair::Pair;
use super::tracker::PairTracker;
use crate::data::Handle;
use alloc::vec::Vec;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

#[derive(serde::Deserialize)]
#[serde(rename = "PairTracker")]
struct Saved {
    pairs: Vec<Pair>,
    in_order: usize,
    saved_by_passes: u64,
    begun_at: Vec<u32>,
    ended: Vec<Pair>,
    chained: bool,
    refused: Vec<Pair>,
    requests: Vec<Handle>,
}

impl Saved {
    /// What cannot be, if anything.
    fn fault(&self) -> Option<&'static str> {
        let is_of_one = |pair: &Pair| pair.a().slot() == pair.b().slot();
        let mut sorted = self.pairs.clone();
        sorted.sort_unstable();
        if self.pairs.iter().chain(&self.ended).chain(&self.refused).any(is_of_one) {
            Some("a pair is of two objects")
        } else if sorted.windows(2).any(|pairs| pairs[0] == pairs[1]) {
            Some("a pair is listed once")
        } else if self.in_order > self.pairs.len() {
            Some("no more pairs are in order than are listed")
        } else if self.begun_at.windows(2).any(|at| at[0] >= at[1]) {
            Some("pairs that have begun are in order")
        } else if self.begun_at.last().is_some_and(|&at| at as usize >= self.pairs.len()) {
            Some("a pair that has begun is listed")
        } else if self.refused.windows(2).any(|pairs| pairs[0] >= pairs[1]) {
            Some("pairs that are refused are in order")
        } else if self.refused.iter().any(|pair| sorted.binary_search(pair).is_ok()) {
            Some("a pair is not refused as well")
        } else {
            None
        }
    }
}

impl Serialize for PairTracker {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut saved = serializer.serialize_struct("PairTracker", 8)?;
        saved.serialize_field("pairs", &self.pairs)?;
        saved.serialize_field("in_order", &self.in_order)?;
        saved.serialize_field("saved_by_passes", &self.saved_by_passes)?;
        saved.serialize_field("begun_at", &self.begun_at)?;
        saved.serialize_field("ended", &self.ended)?;
        saved.serialize_field("chained", &self.chains.is_made())?;
        saved.serialize_field("refused", &self.refused.pairs)?;
        saved.serialize_field("requests", &self.refused.requests)?;
        saved.end()
    }
}

/// What cannot be the state of a tracker is refused. A tracker that has been
/// tampered with may report wrong events, and nothing worse.
impl<'de> Deserialize<'de> for PairTracker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        if let Some(fault) = saved.fault() {
            return Err(D::Error::custom(fault));
        }
        let mut tracker = Self::new();
        tracker.name = Pair::name_of_all(&saved.pairs).wrapping_add(Pair::name_of_all(&saved.refused));
        (tracker.refused.pairs, tracker.refused.requests) = (saved.refused, saved.requests);
        tracker.begun.extend(saved.begun_at.iter().map(|&at| saved.pairs[at as usize]));
        (tracker.pairs, tracker.in_order) = (saved.pairs, saved.in_order);
        tracker.saved_by_passes = saved.saved_by_passes;
        tracker.begun_at = saved.begun_at;
        tracker.ended = saved.ended;
        tracker.chains.restore(saved.chained);
        tracker.is_unchecked = true;
        Ok(tracker)
    }
}

#[cfg(feature = "snapshot")]
mod binary {
    use super::{PairTracker, Vec};
    use crate::data::state::sealed::{Seal, SnapshotError};
    use crate::pairs::PairBudget;

    const TRACKER: Seal = Seal { magic: *b"brdpairs", version: 4 };
    const BUDGET: Seal = Seal { magic: *b"brdbudgt", version: 1 };

    impl PairTracker {
        /// Fills `bytes` with a snapshot: what the tracker knows, to go on
        /// with beside a snapshot of its tree taken at the same time. Working
        /// memory is not part of it.
        ///
        /// *Units and shape:* as [`Octree::snapshot_into`](crate::Octree::snapshot_into),
        /// but for the first eight bytes, `brdpairs`.
        ///
        /// *Cost:* linear; no allocation if `bytes` has room.
        pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
            TRACKER.write(self, bytes);
        }

        /// The tracker of a snapshot. With the tree it goes with, it goes on
        /// bit for bit like the original; with another, its next update
        /// compares everything.
        ///
        /// *Cost:* O(n log n) in the pairs.
        ///
        /// # Errors
        /// Bytes that are damaged, or that describe no tracker.
        pub fn from_snapshot(bytes: &[u8]) -> Result<Self, SnapshotError> {
            TRACKER.read(bytes)
        }
    }

    impl PairBudget {
        /// Fills `bytes` with a snapshot: settings, and which pairs wait and
        /// for how long. Working memory is not part of it.
        ///
        /// *Units and shape:* as [`Octree::snapshot_into`](crate::Octree::snapshot_into),
        /// but for the first eight bytes, `brdbudgt`.
        ///
        /// *Cost:* linear, by way of a copy of the list of waiting pairs.
        pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
            BUDGET.write(self, bytes);
        }

        /// The budget of a snapshot. It goes on like the original.
        ///
        /// *Cost:* O(n log n) in the pairs that wait.
        ///
        /// # Errors
        /// Bytes that are damaged, or that describe no budget.
        pub fn from_snapshot(bytes: &[u8]) -> Result<Self, SnapshotError> {
            BUDGET.read(bytes)
        }
    }
}
