//! The contest of events: every subject first plays frames that are verified
//! one by one, then interleaved rounds that are timed.

use super::cases::{EventCase, EventFrame};
use super::{EventSubject, IndexPair, Kept};
use crate::caches::Caches;
use crate::measure::{PATIENCE, Samples, least, median, rounds, time};
use crate::record::Row;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Object, Shape};
use std::collections::HashSet;
use workloads::oracle::sweep;

/// Frames that are compared with all pairs by sort and sweep, spread over those played.
const COMPARED: usize = 12;

/// Verifies all subjects, and runs them with the caches as they come.
#[must_use]
pub fn run(case: &EventCase, all_rounds: usize) -> Vec<Row> {
    let mut subjects = super::all();
    verify(case, &mut subjects);
    time_all(case, &mut subjects, all_rounds, Caches::Warm)
}

/// Times subjects that have been verified.
///
/// # Panics
/// If two that keep exact boxes have another number of events.
#[must_use]
pub fn time_all(
    case: &EventCase,
    subjects: &mut [Box<dyn EventSubject>],
    all_rounds: usize,
    caches: Caches,
) -> Vec<Row> {
    let played = match caches {
        _ if case.once => case.frames.len(),
        Caches::Cold(_) => 1,
        _ => repeats(case),
    };
    let mut events: Vec<Option<usize>> = vec![None; all_rounds.max(1)];
    if !case.once {
        // Off the start, and warm.
        for subject in &mut *subjects {
            subject.load(&case.start);
            play(subject.as_mut(), case, 0..warm_up(case));
        }
    }
    let samples = rounds(subjects.len(), all_rounds, PATIENCE, |contestant, round| {
        let subject = subjects[contestant].as_mut();
        let start = if case.once { 0 } else { warm_up(case) + round * played };
        if case.once {
            subject.load(&case.start);
        }
        caches.prepare();
        let (spent, found) = time(|| play(subject, case, start..start + played));
        if subject.kept() == Kept::Exact && !subject.lists_pairs() {
            assert_eq!(
                found,
                *events[round].get_or_insert(found),
                "{}: {} has other events",
                case.scene,
                subject.name()
            );
        }
        spent
    });
    let answers = events[0].unwrap_or(0) / played;
    let row = |subject: &dyn EventSubject, samples: &Samples| Row {
        operation: String::from("events"),
        caches: caches.name(),
        scene: case.scene.clone(),
        count: case.count,
        subject: subject.name().to_owned(),
        value: median(samples) / played as f64 / 1000.0,
        least: least(samples) / played as f64 / 1000.0,
        unit: String::from("us/frame"),
        rounds: samples.len(),
        answers: answers as u64,
    };
    subjects
        .iter()
        .zip(&samples)
        .filter(|(_, samples)| !samples.is_empty())
        .map(|(subject, samples)| row(subject.as_ref(), samples))
        .collect()
}

/// Plays frames; the number of events.
pub fn play(subject: &mut dyn EventSubject, case: &EventCase, times: std::ops::Range<usize>) -> usize {
    times.map(|time| subject.frame(case.frame(time))).sum()
}

/// Frames before the first that is timed.
fn warm_up(case: &EventCase) -> usize {
    case.frames.len() + 3
}

/// Frames within a round, so that a sample of a small case is not too short.
fn repeats(case: &EventCase) -> usize {
    (100_000 / case.frames[0].moved.len().max(100)).clamp(2, 1000)
}

/// Plays the first frames and compares the events of each with those that all pairs before and after give.
///
/// # Panics
/// If a subject misses a pair, reports one twice, or has one that is not there.
pub fn verify(case: &EventCase, subjects: &mut [Box<dyn EventSubject>]) {
    let mut world = Boxes::new(&case.start, subjects);
    let mut known: Vec<HashSet<IndexPair>> = vec![HashSet::new(); subjects.len()];
    for (subject, known) in subjects.iter_mut().zip(&mut known) {
        subject.load(&case.start);
        follow(subject.as_ref(), known, &[]);
    }
    let frames = case.frames.len();
    for time in 0..frames {
        let compares = time % frames.div_ceil(COMPARED) == 0 || time + 1 == frames;
        if time == 0 {
            world.compare(subjects, &known, &case.scene, "at the start");
        }
        let frame = case.frame(time);
        world.apply(frame);
        for (subject, known) in subjects.iter_mut().zip(&mut known) {
            subject.frame(frame);
            follow(subject.as_ref(), known, &frame.removed);
        }
        if compares {
            world.compare(subjects, &known, &case.scene, &format!("frame {time}"));
        } else {
            // Between, exact subjects are compared with each other.
            for (subject, set) in subjects.iter().zip(&known).filter(|(subject, _)| subject.kept() == Kept::Exact) {
                assert!(*set == known[0], "{}, frame {time}: {} differs", case.scene, subject.name());
            }
        }
    }
}

/// Takes over the events of a frame.
fn follow(subject: &dyn EventSubject, known: &mut HashSet<IndexPair>, removed: &[u32]) {
    let name = subject.name();
    if subject.lists_pairs() {
        known.clear();
    }
    if !subject.ends_removed() && !removed.is_empty() {
        known.retain(|pair| !removed.contains(&pair.0) && !removed.contains(&pair.1));
    }
    for pair in subject.begun() {
        assert!(known.insert(pair), "{name}: {pair:?} begins twice");
    }
    for pair in subject.ended() {
        let is_removed = removed.contains(&pair.0) || removed.contains(&pair.1);
        let may_be_gone = is_removed && !subject.ends_removed();
        assert!(known.remove(&pair) || may_be_gone, "{name}: {pair:?} ends, but was not there");
    }
}

/// The living objects.
struct Boxes {
    objects: Vec<Option<Object>>,
    /// The boxes of those who keep them until they are left, and by how much they are grown then.
    kept: Option<(f32, Vec<Aabb>)>,
}

impl Boxes {
    fn new(objects: &[Object], subjects: &[Box<dyn EventSubject>]) -> Self {
        let margin = subjects.iter().find_map(|subject| match subject.kept() {
            Kept::UntilLeft(margin) => Some(margin),
            _ => None,
        });
        let kept = margin.map(|margin| (margin, objects.iter().map(|object| object.shape.aabb()).collect()));
        Self { objects: objects.iter().copied().map(Some).collect(), kept }
    }

    fn apply(&mut self, frame: &EventFrame) {
        for &index in &frame.removed {
            self.objects[index as usize] = None;
        }
        self.objects.extend(frame.spawned.iter().copied().map(Some));
        for (&index, aabb) in frame.moved.iter().zip(&frame.boxes) {
            if let Some(object) = &mut self.objects[index as usize] {
                object.shape = Shape::Aabb(*aabb);
            }
        }
        if let Some((margin, kept)) = &mut self.kept {
            kept.extend(frame.spawned.iter().map(|object| object.shape.aabb()));
            for (&index, aabb) in frame.moved.iter().zip(&frame.boxes) {
                let kept = &mut kept[index as usize];
                if !kept.contains(aabb) {
                    *kept = grown(aabb, *margin);
                }
            }
        }
    }

    /// All pairs of the objects' boxes as `change` makes them.
    fn pairs(&self, change: impl Fn(usize, Aabb) -> Aabb) -> HashSet<IndexPair> {
        let living = (0..).zip(&self.objects).filter_map(|(index, object)| object.map(|object| (index, object)));
        let changed = |index: u32, object: Object| {
            let aabb = change(index as usize, object.shape.aabb());
            (index, Object { shape: aabb.into(), ..object })
        };
        let (indices, objects): (Vec<u32>, Vec<Object>) = living.map(|(index, o)| changed(index, o)).unzip();
        let pairs = sweep::pairs(&objects).into_iter();
        pairs.map(|(a, b)| super::index_pair(indices[a as usize], indices[b as usize])).collect()
    }

    fn compare(&self, subjects: &[Box<dyn EventSubject>], known: &[HashSet<IndexPair>], scene: &str, when: &str) {
        let exact = self.pairs(|_, aabb| aabb);
        for (subject, known) in subjects.iter().zip(known) {
            let name = subject.name();
            // Where boxes are fat, there is room for the rounding of coordinates of a few hundred.
            let most = match (subject.kept(), &self.kept) {
                (Kept::Within(reach), _) => self.pairs(|_, aabb| grown(&aabb, reach + 1e-3)),
                (Kept::UntilLeft(_), Some((_, kept))) => self.pairs(|index, _| grown(&kept[index], 1e-3)),
                _ => {
                    assert!(*known == exact, "{scene}, {when}: {name} has other pairs");
                    continue;
                }
            };
            assert!(known.is_superset(&exact), "{scene}, {when}: {name} misses a pair");
            assert!(known.is_subset(&most), "{scene}, {when}: {name} has pairs that are too far apart");
        }
    }
}

fn grown(aabb: &Aabb, margin: f32) -> Aabb {
    Aabb::new(aabb.min - Vec3::splat(margin), aabb.max + Vec3::splat(margin))
}
