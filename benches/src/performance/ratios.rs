//! The library beside others, case by case: always within one record, that is, one run.

use super::records::{Entry, Record};
use crate::subjects::PLAIN_TREE;
use std::collections::BTreeMap;

/// The name of the library's rows.
pub(super) const OWN: &str = "broadleaf";
/// The tracer in C++.
pub(super) const EMBREE: &str = "Embree";

/// One operation on one scene: the library, and everybody else.
#[derive(Clone, Debug)]
pub(super) struct Case<'a> {
    pub(super) record: &'a Record,
    pub(super) own: &'a Entry,
    pub(super) others: Vec<&'a Entry>,
}

/// Whom the library is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against<'a> {
    /// The best of all peers.
    Best,
    /// The best of all peers in Rust.
    BestInRust,
    /// The one of this name, or whose name begins so.
    Named(&'a str),
}

impl Case<'_> {
    /// What the library's value is to another's: above 1 where it is quicker or smaller.
    pub(super) fn ratio(&self, other: &Entry) -> f64 {
        other.value / self.own.value
    }

    /// The other that counts.
    pub(super) fn other(&self, against: Against<'_>) -> Option<&Entry> {
        let has = |name: &str| self.others.iter().any(|entry| entry.subject == name);
        let counts = |entry: &&&Entry| match against {
            Against::Best => is_peer(&entry.subject),
            Against::BestInRust => is_peer(&entry.subject) && !is_foreign(&entry.subject),
            Against::Named(name) if has(name) => entry.subject == name,
            Against::Named(name) => entry.subject.starts_with(name),
        };
        self.others.iter().filter(counts).min_by(|a, b| a.value.total_cmp(&b.value)).copied()
    }
}

/// Whether a subject is another library, or a method that one writes by hand.
pub(super) fn is_peer(subject: &str) -> bool {
    let own_ways = ["one thread", "two threads", "serial", "single calls"];
    !subject.starts_with(OWN) && subject != PLAIN_TREE && !own_ways.contains(&subject)
}

/// Whether a peer is written in C++.
fn is_foreign(subject: &str) -> bool {
    subject.starts_with(EMBREE) || subject.starts_with("PhysX") || subject.starts_with("tinybvh")
}

/// All cases of records, in the order of the records.
pub(super) fn cases<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for record in records {
        let mut groups: BTreeMap<(&str, &str, &str, usize), Vec<&Entry>> = BTreeMap::new();
        for entry in &record.entries {
            let key = (entry.operation.as_str(), entry.caches.as_str(), entry.scene.as_str(), entry.count);
            groups.entry(key).or_default().push(entry);
        }
        for group in groups.into_values() {
            let (own, others): (Vec<&Entry>, Vec<&Entry>) = group.into_iter().partition(|entry| entry.subject == OWN);
            cases.extend(own.first().map(|own| Case { record, own, others }));
        }
    }
    cases
}

/// A ratio, and where it was met.
#[derive(Clone, Debug)]
pub(super) struct Met {
    pub(super) ratio: f64,
    pub(super) place: String,
}

/// Ratios, the worst first.
#[derive(Clone, Debug, Default)]
pub(super) struct Ratios(pub(super) Vec<Met>);

impl Ratios {
    pub(super) fn new<'a>(cases: impl IntoIterator<Item = &'a Case<'a>>, against: Against<'_>) -> Self {
        let met = cases.into_iter().filter_map(|case| {
            let other = case.other(against)?;
            let Entry { scene, count, .. } = case.own;
            let whom =
                if matches!(against, Against::Named(_)) { String::new() } else { format!(", {}", other.subject) };
            Some(Met { ratio: case.ratio(other), place: format!("{scene}, {count}{whom}") })
        });
        Self::of(met.collect())
    }

    pub(super) fn of(mut met: Vec<Met>) -> Self {
        met.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        Self(met)
    }

    /// The value below which so many in a hundred lie; the nearest rank.
    pub(super) fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).map(|met| met.ratio)
    }

    pub(super) fn worst(&self) -> Option<&Met> {
        self.0.first()
    }

    pub(super) fn best(&self) -> Option<&Met> {
        self.0.last()
    }
}
