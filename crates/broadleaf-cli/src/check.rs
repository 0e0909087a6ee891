//! The comparison of a frame's answers with those of brute force.

use crate::format::{counted, thousands};
use crate::snapshot::Snapshot;
use broadleaf::{Containment, Handle, Pair};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Debug, Display};
use workloads::Oracle;
use workloads::oracle::Selection;

/// One frame in so many is a sample.
const EVERY: usize = 16;
/// Up to so many objects, all samples are compared: brute force takes time with the square of them.
const OBJECTS_FOR_ALL_SAMPLES: usize = 10_000;
/// Up to so many objects, the first, the last and the busiest frame are compared; beyond, none.
const OBJECTS_MAX: usize = 50_000;
/// Differences told in words; of the others only the number is.
const TOLD: usize = 8;

/// Whether brute force can be afforded at all.
pub(crate) fn is_feasible(objects: usize) -> bool {
    objects <= OBJECTS_MAX
}

/// Whether a frame is compared: the first, the last, and every sixteenth.
pub(crate) fn is_sampled(frame: usize, frames: usize, objects: usize) -> bool {
    let is_end = frame == 0 || frame + 1 == frames;
    is_feasible(objects) && (is_end || objects <= OBJECTS_FOR_ALL_SAMPLES && frame.is_multiple_of(EVERY))
}

/// What the comparisons of a run found.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Verdict {
    frames: usize,
    #[serde(rename = "frames_checked")]
    compared: Vec<usize>,
    differences: usize,
    told: Vec<String>,
    /// What was compared.
    #[serde(skip)]
    kinds: BTreeSet<&'static str>,
    /// The frame last compared, and its pairs by brute force.
    #[serde(skip)]
    last: Option<(usize, Vec<(Handle, Handle)>)>,
}

impl Verdict {
    /// Nothing compared yet, of so many frames.
    pub(crate) fn new(frames: usize) -> Self {
        Self { frames, ..Self::default() }
    }

    /// Whether nothing differed.
    pub(crate) fn is_equal(&self) -> bool {
        self.differences == 0
    }

    /// What was compared, in words.
    #[cfg(test)]
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.kinds.iter().copied()
    }

    /// Whether a frame was compared.
    pub(crate) fn has_seen(&self, frame: usize) -> bool {
        self.compared.binary_search(&frame).is_ok()
    }

    /// Compares the pairs, the camera's view and the rays of a frame with
    /// brute force, which is returned for more questions; and what began and
    /// ended, if the frame before was the last compared.
    pub(crate) fn compare(&mut self, snapshot: &Snapshot) -> Oracle {
        let mut oracle = Oracle::new();
        for (handle, object) in &snapshot.objects {
            oracle.insert(*handle, *object);
        }
        let frame = snapshot.frame;
        // In order of the frames, but for the busiest, which comes last.
        let at = self.compared.partition_point(|compared| *compared < frame);
        self.compared.insert(at, frame);
        let pairs = oracle.pairs();
        self.expect_equal(frame, "pairs", both(&snapshot.pairs), pairs.clone());
        self.expect_equal(frame, "pairs known to the tracker", both(&snapshot.tracked), pairs.clone());
        self.compare_events(snapshot, pairs);
        if let Some(camera) = &snapshot.questions.frustum {
            let visible = by_containment(snapshot.visible.clone());
            self.expect_equal(
                frame,
                "camera frustum",
                visible,
                by_containment(oracle.in_frustum(camera, Selection::ALL)),
            );
        }
        let hits = snapshot.hits.iter().map(|hit| hit.map(|hit| (hit.handle, hit.distance.to_bits())));
        let rays = snapshot.questions.rays.iter();
        let expected = rays.map(|ray| oracle.closest_hit(ray, Selection::ALL).map(|(h, d)| (h, d.to_bits())));
        let numbered = |hits: Vec<_>| hits.into_iter().enumerate().collect::<Vec<_>>();
        self.expect_equal(frame, "rays", numbered(hits.collect()), numbered(expected.collect()));
        oracle
    }

    /// Compares what began and ended with the pairs of the frame before, which
    /// for the first frame are none.
    fn compare_events(&mut self, snapshot: &Snapshot, after: Vec<(Handle, Handle)>) {
        let frame = snapshot.frame;
        let before = match self.last.replace((frame, after.clone())) {
            _ if frame == 0 => HashSet::new(),
            Some((last, pairs)) if last + 1 == frame => pairs.into_iter().collect(),
            _ => return,
        };
        let after: HashSet<_> = after.into_iter().collect();
        let only = |these: &HashSet<_>, those: &HashSet<_>| these.difference(those).copied().collect::<Vec<_>>();
        self.expect_equal(frame, "begun pairs", both(&snapshot.begun), only(&after, &before));
        self.expect_equal(frame, "ended pairs", both(&snapshot.ended), only(&before, &after));
    }

    /// Notes a difference unless both hold the same in any order.
    fn expect_equal<T: Ord + Debug>(
        &mut self,
        frame: usize,
        what: &'static str,
        mut found: Vec<T>,
        mut expected: Vec<T>,
    ) {
        self.kinds.insert(what);
        found.sort_unstable();
        expected.sort_unstable();
        if found == expected {
            return;
        }
        let missed = expected.iter().find(|answer| found.binary_search(answer).is_err());
        let extra = found.iter().find(|answer| expected.binary_search(answer).is_err());
        let example = match (missed, extra) {
            (Some(missed), _) => format!("missing {missed:?}"),
            (None, Some(extra)) => format!("not expected {extra:?}"),
            (None, None) => String::from("an answer given twice"),
        };
        let (found, expected) = (thousands(found.len()), thousands(expected.len()));
        self.differ(format!("frame {frame}, {what}: {found} answers, brute force {expected}; {example}"));
    }

    /// Notes what a comparison complains of.
    pub(crate) fn expect_ok(&mut self, frame: usize, what: &'static str, outcome: Result<(), String>) {
        self.kinds.insert(what);
        if let Err(difference) = outcome {
            self.differ(format!("frame {frame}, {what}: {difference}"));
        }
    }

    /// Notes a difference.
    pub(crate) fn differ(&mut self, difference: String) {
        self.differences += 1;
        if self.told.len() < TOLD {
            self.told.push(difference);
        }
    }
}

/// The sides of each pair, the lower first.
fn both(pairs: &[Pair]) -> Vec<(Handle, Handle)> {
    pairs.iter().map(|pair| (pair.a(), pair.b())).collect()
}

/// The objects and how they lie, in a form that has an order.
fn by_containment(found: Vec<(Handle, Containment)>) -> Vec<(Handle, bool)> {
    found.into_iter().map(|(handle, containment)| (handle, containment == Containment::Inside)).collect()
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.compared.is_empty() {
            let limit = thousands(OBJECTS_MAX);
            return write!(f, "not checked: brute force is too slow for more than {limit} objects");
        }
        let (compared, frames) = (thousands(self.compared.len()), counted(self.frames, "frame", "frames"));
        write!(f, "checked {compared} of {frames} against brute force: ")?;
        if self.is_equal() {
            return write!(f, "all equal");
        }
        write!(f, "{}", counted(self.differences, "difference", "differences"))?;
        for difference in &self.told {
            write!(f, "\n  {difference}")?;
        }
        let untold = self.differences - self.told.len();
        if untold > 0 {
            write!(f, "\n  and {} more", thousands(untold))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Verdict, is_sampled};
    use crate::snapshot::Snapshot;
    use broadleaf::{Aabb, Octree, Pair, glam::Vec3};

    /// Two boxes that touch in the second of three frames, with what a tracker should tell.
    fn kiss() -> Vec<Snapshot> {
        let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let mut tree = Octree::default();
        let (a, b) = (tree.insert(unit).expect("a legal box"), tree.insert(unit).expect("a legal box"));
        let pair = vec![Pair::new(a, b)];
        let mut frame = |frame: usize, x: f32, pairs: &[Pair], begun: &[Pair], ended: &[Pair]| {
            tree.update(b, unit.translated(Vec3::X * x)).expect("a living object");
            let [pairs, begun, ended] = [pairs, begun, ended].map(<[Pair]>::to_vec);
            let objects = tree.iter().collect();
            Snapshot { frame, objects, tracked: pairs.clone(), pairs, begun, ended, ..Snapshot::default() }
        };
        vec![frame(0, 3.0, &[], &[], &[]), frame(1, 1.0, &pair, &pair, &[]), frame(2, 2.0, &[], &[], &pair)]
    }

    fn told(snapshots: &[Snapshot]) -> String {
        let mut verdict = Verdict::new(snapshots.len());
        for snapshot in snapshots {
            verdict.compare(snapshot);
        }
        verdict.told.join("; ")
    }

    #[test]
    fn events_that_are_missing_late_or_made_up_are_noted() {
        assert_eq!(told(&kiss()), "");
        let mut missing = kiss();
        missing[1].begun.clear();
        assert!(told(&missing).starts_with("frame 1, begun pairs: 0 answers, brute force 1; missing"));
        let mut late = kiss();
        late[2].ended.clear();
        assert!(told(&late).starts_with("frame 2, ended pairs: 0 answers"));
        let mut made_up = kiss();
        made_up[0].ended = made_up[1].pairs.clone();
        assert!(told(&made_up).starts_with("frame 0, ended pairs: 1 answers, brute force 0; not expected"));
        let mut forgotten = kiss();
        forgotten[1].tracked.clear();
        assert!(told(&forgotten).starts_with("frame 1, pairs known to the tracker"));
    }

    #[test]
    fn events_after_a_gap_are_not_judged() {
        let mut frames = kiss();
        frames.remove(1);
        assert_eq!(told(&frames), "", "the frame between was not compared");
    }

    #[test]
    fn differences_are_noted_in_words() {
        let mut verdict = Verdict::new(3);
        verdict.compared.push(0);
        verdict.expect_equal(0, "numbers", vec![2, 1], vec![1, 2]);
        assert_eq!(verdict.to_string(), "checked 1 of 3 frames against brute force: all equal");
        verdict.expect_equal(0, "numbers", vec![1], vec![1, 2]);
        assert!(!verdict.is_equal());
        assert!(verdict.to_string().ends_with("1 difference\n  frame 0, numbers: 1 answers, brute force 2; missing 2"));
        verdict.expect_equal(0, "numbers", vec![1, 1], vec![1]);
        assert!(verdict.to_string().ends_with("an answer given twice"));
    }

    #[test]
    fn samples_become_fewer_with_more_objects() {
        assert!(is_sampled(0, 100, 10) && is_sampled(16, 100, 10) && is_sampled(99, 100, 10));
        assert!(!is_sampled(17, 100, 10));
        assert!(!is_sampled(16, 100, 20_000) && is_sampled(99, 100, 20_000));
        assert!(!is_sampled(0, 100, 60_000));
    }
}
