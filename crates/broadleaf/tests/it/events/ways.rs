//! By which way a tracker finds the pairs of a frame: a pass over all objects, or a joint walk of those that changed.

use super::{Reference, reloaded, update};
use crate::support::{agree, oracle_of, populated, work};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Octree, PairTracker, QueryStats, Scratch};

/// Many objects, evenly, and a tracker that knows their pairs.
fn followed() -> (Octree, Vec<Handle>, PairTracker, Reference) {
    let (mut tree, handles) = populated("uniform", 20_000);
    let (mut tracker, mut reference) = (PairTracker::new(), Reference::new());
    update(&mut tree, &mut tracker);
    reference.check(&mut tree, &tracker, "first");
    (tree, handles, tracker, reference)
}

/// What a pass over all objects takes.
fn work_of_pass(tree: &mut Octree) -> QueryStats {
    work(|stats| _ = tree.view().pairs(&mut Scratch::new()).stats(stats).count())
}

/// Before, the log kept less than one update logged, so every other update made a pass.
#[test]
fn regression_an_update_is_known_however_many_rows_it_logged() {
    let (mut tree, handles, mut tracker, mut reference) = followed();
    for frame in 1..7 {
        for &handle in handles.iter().step_by(6) {
            let aabb = tree.get(handle).expect("it lives").shape.aabb();
            tree.update(handle, aabb.translated(Vec3::X * if frame % 2 == 0 { 0.3 } else { -0.3 })).unwrap();
        }
        let stats = tracker.update(tree.changes());
        reference.check(&mut tree, &tracker, &format!("frame {frame}"));
        let all = work_of_pass(&mut tree);
        assert!(stats.nodes_visited != all.nodes_visited && stats.hits < all.hits, "{stats:?} of {all:?}");
    }
}

/// Before, each of the large objects was asked for its partners, though these objects have nearly all pairs.
#[test]
fn regression_few_objects_with_most_pairs_are_not_asked_for_them() {
    let at = |x: i32, y: i32| Vec3::new(x as f32, y as f32, 0.0);
    let small = (0..1_600).map(|n| Aabb::from_center_half_extents(at(n % 40, n / 40), Vec3::splat(0.4)));
    let large = |n: i32, frame: i32| Aabb::from_center_half_extents(at(2 * n, 20 + frame), Vec3::splat(10.0));
    let (mut tree, mut tracker, mut handles) = (Octree::default(), PairTracker::new(), Vec::new());
    tree.insert_many(&small.chain((0..20).map(|n| large(n, 0))).collect::<Vec<_>>(), &mut handles).unwrap();
    let mut reference = Reference::new();
    update(&mut tree, &mut tracker);
    reference.check(&mut tree, &tracker, "first");
    // All of them, and then one alone.
    for (frame, count) in [(1, 20), (2, 20), (3, 1), (4, 1), (5, 20)] {
        let moving = handles[1_600..].iter().zip(0..).take(count);
        moving.for_each(|(&handle, n)| tree.update(handle, large(n, frame)).unwrap());
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
        let stats = tracker.update(tree.changes());
        let events = reference.check(&mut tree, &tracker, &format!("frame {frame}"));
        assert!(tracker.pairs().len() > 5_000 && events > 20, "{} pairs", tracker.pairs().len());
        let all = work_of_pass(&mut tree);
        if count == 1 {
            assert!(stats.objects_tested < all.objects_tested / 4, "{stats:?} of {all:?}");
        } else {
            assert_eq!(stats, all, "frame {frame}");
        }
    }
}

/// Before, a tracker changed between joint walks and passes from frame to frame where both are about as much work. After
/// a walk a pass finds most pairs in another order than they are listed in, so each pass took three times as long.
#[test]
fn regression_a_tracker_does_not_alternate_between_walks_and_passes() {
    let (mut tree, handles, mut tracker, mut reference) = followed();
    // Saved and loaded in each frame, it goes the same ways: the order of the pairs shows them.
    let mut other = tracker.clone();
    let mut makes_pass = |count: usize, frame: usize| {
        let step = Vec3::Y * if frame.is_multiple_of(2) { 0.2 } else { -0.2 };
        for &handle in handles.iter().step_by(5).take(count) {
            let aabb = tree.get(handle).expect("it lives").shape.aabb();
            tree.update(handle, aabb.translated(step)).unwrap();
        }
        let stats = tracker.update(tree.changes());
        reference.check(&mut tree, &tracker, &format!("frame {frame}"));
        other = reloaded(&other);
        other.update(tree.changes());
        assert!(other.pairs() == tracker.pairs(), "frame {frame}");
        stats == work_of_pass(&mut tree)
    };
    // Alone, the first number takes a walk and the second a pass.
    let passes = (0..40).filter(|&frame| makes_pass(if frame % 2 == 0 { 3_000 } else { 3_670 }, frame)).count();
    assert!((1..10).contains(&passes), "{passes} of 40 frames");
    // Where it is always less work, a pass is made soon, and from then on.
    let first = (40..60).find(|&frame| makes_pass(3_670, frame)).expect("a pass");
    assert!((first + 1..first + 10).all(|frame| makes_pass(3_670, frame)));
}
