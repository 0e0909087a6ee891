//! Filters of a tracker: asked when a pair begins, and again on request.

use crate::support::{oracle_of, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Octree, Pair, PairTracker};
use std::collections::BTreeSet;
use workloads::Random;

/// What a tracker with a filter should tell, found the slow way.
#[derive(Default, Clone)]
struct Model {
    accepted: BTreeSet<Pair>,
    refused: BTreeSet<Pair>,
    requests: Vec<Handle>,
}

impl Model {
    /// The pairs that begin and end, and how often the filter is asked.
    fn update(&mut self, tree: &Octree, accepts: impl Fn(Pair) -> bool) -> ([Vec<Pair>; 2], usize) {
        let now: BTreeSet<Pair> = oracle_of(tree).pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect();
        let (known, before) = (&self.accepted | &self.refused, self.accepted.clone());
        self.accepted.retain(|pair| now.contains(pair));
        self.refused.retain(|pair| now.contains(pair));
        let requests = std::mem::take(&mut self.requests);
        let again = |pair: &Pair| requests.iter().any(|&handle| pair.a() == handle || pair.b() == handle);
        let mut asked = 0;
        for pair in now.iter().filter(|pair| !known.contains(pair) || again(pair)) {
            asked += 1;
            let (to, from) = (&mut self.accepted, &mut self.refused);
            let (to, from) = if accepts(*pair) { (to, from) } else { (from, to) };
            from.remove(pair);
            to.insert(*pair);
        }
        let only = |these: &BTreeSet<Pair>, those: &BTreeSet<Pair>| these.difference(those).copied().collect();
        ([only(&self.accepted, &before), only(&before, &self.accepted)], asked)
    }
}

fn accepts(turn: u32, pair: Pair) -> bool {
    // Changes its mind now and then.
    !(pair.a().slot() * 7 + pair.b().slot() + turn / 4).is_multiple_of(3)
}

fn place(random: &mut Random) -> Aabb {
    let corner = random.signed() * 6.0;
    Aabb::new(corner, corner + 1.5)
}

/// Few changes and many, so that all ways to take pairs over are met.
#[test]
fn filters_decide_when_a_pair_begins_and_on_request() {
    for (seed, count) in [(1, 40), (2, 400), (3, 1_500)] {
        let random = &mut Random::new(seed);
        let (mut tree, mut tracker, mut model) = (Octree::default(), PairTracker::new(), Model::default());
        let mut handles: Vec<Handle> = (0..count).map(|_| tree.insert(place(random)).unwrap()).collect();
        let (mut events, mut refused) = (0, 0);
        for turn in 0..60 {
            let movers = [0, 1, 3, handles.len() / 10, handles.len()][random.below(5) as usize];
            for _ in 0..movers {
                let index = random.below(u32::try_from(handles.len()).unwrap()) as usize;
                match random.below(8) {
                    0 => {
                        tree.remove(handles[index]).unwrap();
                        handles[index] = tree.insert(place(random)).unwrap();
                    }
                    _ => tree.update(handles[index], place(random)).unwrap(),
                }
            }
            for _ in 0..random.below(3) {
                let handle = handles[random.below(u32::try_from(handles.len()).unwrap()) as usize];
                tracker.ask_again(handle);
                model.requests.push(handle);
            }
            if turn % 9 == 5 {
                tracker = tracker.clone();
                tree = tree.clone();
            }
            #[cfg(feature = "snapshot")]
            if turn % 9 == 7 {
                let mut bytes = Vec::new();
                tracker.snapshot_into(&mut bytes);
                let restored = PairTracker::from_snapshot(&bytes).unwrap();
                assert_eq!(restored.state_hash(), tracker.state_hash());
                tracker = restored;
            }
            let mut asked = 0;
            tracker.update_with(tree.changes(), |pair| {
                asked += 1;
                accepts(turn, pair)
            });
            tree.validate().unwrap();
            let ([begun, ended], expected) = model.update(&tree, |pair| accepts(turn, pair));
            let case = format!("{count} objects, turn {turn}");
            let of = |pairs: &[Pair]| sorted(pairs.to_vec());
            assert_eq!(sorted(tracker.pairs().to_vec()), model.accepted.iter().copied().collect::<Vec<_>>(), "{case}");
            // A pair that an object's request moves to and fro within one update is told once, if at all.
            let [both_begun, both_ended] = [of(tracker.begun()), of(tracker.ended())];
            assert_eq!((both_begun, both_ended), (begun.clone(), ended.clone()), "{case}");
            assert!(asked >= expected || movers == 0, "{case}: asked {asked} times of {expected}");
            events += begun.len() + ended.len();
            refused += model.refused.len();
        }
        assert!(events > 200 && refused > 200, "{events} events, {refused} refused");
    }
}

/// A refused pair costs nothing while nothing moves, and an update without a filter asks nobody.
#[test]
fn refused_pairs_rest() {
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let handles = [(); 4].map(|()| tree.insert(unit).unwrap());
    tracker.update_with(tree.changes(), |pair| pair.a() != handles[0]);
    assert_eq!((tracker.begun().len(), tracker.pairs().len()), (3, 3));
    let mut asked = 0;
    let work = tracker.update_with(tree.changes(), |_| {
        asked += 1;
        true
    });
    assert_eq!((work, asked), (broadleaf::QueryStats::default(), 0));
    // It moves, and still overlaps: no news.
    tree.update(handles[0], unit.translated(Vec3::X * 0.5)).unwrap();
    tracker.update(tree.changes());
    assert!(tracker.begun().is_empty() && tracker.ended().is_empty());
    // It leaves without an event, and comes back as a pair.
    tree.update(handles[0], unit.translated(Vec3::X * 5.0)).unwrap();
    tracker.update(tree.changes());
    assert!(tracker.begun().is_empty() && tracker.ended().is_empty());
    tree.update(handles[0], unit).unwrap();
    tracker.update(tree.changes());
    assert_eq!((tracker.begun().len(), tracker.ended().len()), (3, 0));
    // On request, known pairs end.
    tracker.ask_again(handles[0]);
    tracker.update_with(tree.changes(), |_| false);
    assert_eq!((tracker.begun().len(), tracker.ended().len(), tracker.pairs().len()), (0, 3, 3));
    let stale = handles[1];
    tree.remove(stale).unwrap();
    tracker.ask_again(stale);
    tracker.update_with(tree.changes(), |_| true);
    assert_eq!((tracker.ended().len(), tracker.pairs().len()), (2, 1));
}

/// A filter that panics leaves a tracker that knows nothing, and tells nothing, whatever it was about to do.
#[test]
fn regression_a_filter_that_panics_leaves_a_tracker_that_knows_nothing() {
    for count in [12, 300] {
        for calls in 0..20 {
            let random = &mut Random::new(9);
            let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
            let handles: Vec<Handle> = (0..count).map(|_| tree.insert(place(random)).unwrap()).collect();
            tracker.update_with(tree.changes(), |pair| !pair.a().slot().is_multiple_of(3));
            let movers = if calls % 2 == 0 { 3 } else { handles.len() };
            for &handle in &handles[..movers] {
                tree.update(handle, place(random)).unwrap();
            }
            handles[..4].iter().for_each(|&handle| tracker.ask_again(handle));
            let mut left = calls;
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                tracker.update_with(tree.changes(), |_| {
                    left -= 1;
                    assert!(left >= 0, "the filter fails on purpose");
                    false
                });
            }));
            // It is empty at once, and so are its clones and what is saved of it.
            if failed.is_err() {
                assert!(tracker.pairs().is_empty() && tracker.begun().is_empty() && tracker.ended().is_empty());
                assert_eq!(tracker.persisting().count(), 0);
                assert_eq!(tracker.state_hash(), PairTracker::new().state_hash());
                assert!(tracker.clone().pairs().is_empty());
            }
            let saved = serde_json::to_vec(&tracker).expect("numbers alone");
            let mut loaded: PairTracker = serde_json::from_slice(&saved).expect("a sound tracker");
            assert!(failed.is_ok() || loaded.pairs().is_empty());
            tracker.update(tree.changes());
            loaded.update(tree.changes());
            assert_eq!(sorted(loaded.pairs().to_vec()), sorted(tracker.pairs().to_vec()));
            let expected = oracle_of(&tree).pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect::<Vec<_>>();
            if failed.is_err() {
                assert_eq!(sorted(tracker.pairs().to_vec()), expected, "{count} objects, {calls} calls");
                assert_eq!(tracker.begun().len(), expected.len());
            }
            tree.validate().unwrap();
        }
    }
}
