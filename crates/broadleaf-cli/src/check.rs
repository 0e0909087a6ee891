//! The comparison of a frame's answers with those of brute force.

use crate::format::{counted, thousands};
use crate::snapshot::Snapshot;
use broadleaf::{Containment, Handle, Layers};
use serde::Serialize;
use std::fmt::{self, Debug, Display};
use workloads::Oracle;

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

    /// Whether a frame was compared.
    pub(crate) fn has_seen(&self, frame: usize) -> bool {
        self.compared.contains(&frame)
    }

    /// Compares the pairs, the camera's view and the rays of a frame with
    /// brute force, which is returned for more questions.
    pub(crate) fn compare(&mut self, snapshot: &Snapshot) -> Oracle {
        let mut oracle = Oracle::new();
        for (handle, object) in &snapshot.objects {
            oracle.insert(*handle, *object);
        }
        let frame = snapshot.frame;
        self.compared.push(frame);
        self.compared.sort_unstable();
        let pairs = snapshot.pairs.iter().map(|pair| (pair.a(), pair.b())).collect();
        self.expect_equal(frame, "pairs", pairs, oracle.pairs());
        if let Some(camera) = &snapshot.questions.frustum {
            let visible = by_containment(snapshot.visible.clone());
            self.expect_equal(frame, "camera frustum", visible, by_containment(oracle.in_frustum(camera, Layers::ALL)));
        }
        let hits = snapshot.hits.iter().map(|hit| hit.map(|hit| (hit.handle, hit.distance.to_bits())));
        let rays = snapshot.questions.rays.iter();
        let expected = rays.map(|ray| oracle.closest_hit(ray, Layers::ALL).map(|(h, d)| (h, d.to_bits())));
        let numbered = |hits: Vec<_>| hits.into_iter().enumerate().collect::<Vec<_>>();
        self.expect_equal(frame, "rays", numbered(hits.collect()), numbered(expected.collect()));
        oracle
    }

    /// Notes a difference unless both hold the same in any order.
    pub(crate) fn expect_equal<T: Ord + Debug>(
        &mut self,
        frame: usize,
        what: &str,
        mut found: Vec<T>,
        mut expected: Vec<T>,
    ) {
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

    /// Notes a difference.
    pub(crate) fn differ(&mut self, difference: String) {
        self.differences += 1;
        if self.told.len() < TOLD {
            self.told.push(difference);
        }
    }
}

/// The objects and how they lie, in a form that has an order.
pub(crate) fn by_containment(found: Vec<(Handle, Containment)>) -> Vec<(Handle, bool)> {
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
