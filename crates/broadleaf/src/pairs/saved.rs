//! A tracker as it is saved: what it knows, without working memory.

use super::pair::Pair;
use super::tracker::PairTracker;
use alloc::vec::Vec;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

#[derive(serde::Deserialize)]
#[serde(rename = "PairTracker")]
struct Saved {
    tag: u64,
    pairs: Vec<Pair>,
    begun_at: Vec<u32>,
    ended: Vec<Pair>,
    chained: bool,
}

impl Saved {
    /// What cannot be, if anything.
    fn fault(&self) -> Option<&'static str> {
        let is_of_one = |pair: &Pair| pair.a().slot() == pair.b().slot();
        let mut sorted = self.pairs.clone();
        sorted.sort_unstable();
        if self.pairs.iter().chain(&self.ended).any(is_of_one) {
            Some("a pair is of two objects")
        } else if sorted.windows(2).any(|pairs| pairs[0] == pairs[1]) {
            Some("a pair is listed once")
        } else if self.begun_at.windows(2).any(|at| at[0] >= at[1]) {
            Some("pairs that have begun are in order")
        } else if self.begun_at.last().is_some_and(|&at| at as usize >= self.pairs.len()) {
            Some("a pair that has begun is listed")
        } else {
            None
        }
    }
}

impl Serialize for PairTracker {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut saved = serializer.serialize_struct("PairTracker", 5)?;
        saved.serialize_field("tag", &self.tag)?;
        saved.serialize_field("pairs", &self.pairs)?;
        saved.serialize_field("begun_at", &self.begun_at)?;
        saved.serialize_field("ended", &self.ended)?;
        saved.serialize_field("chained", &self.chains.is_made())?;
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
        tracker.tag = saved.tag;
        tracker.begun.extend(saved.begun_at.iter().map(|&at| saved.pairs[at as usize]));
        tracker.pairs = saved.pairs;
        tracker.begun_at = saved.begun_at;
        tracker.ended = saved.ended;
        tracker.chains.restore(saved.chained);
        tracker.is_unchecked = true;
        Ok(tracker)
    }
}
