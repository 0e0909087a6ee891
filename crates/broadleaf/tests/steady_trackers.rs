//! Several trackers on one tree allocate nothing in a steady state.

#[expect(dead_code, reason = "the pool of threads is for other tests")]
mod counting;

use broadleaf::{Octree, PairTracker};
use counting::allocations;
use workloads::Scene;

/// Frames until the same moves come again.
const PERIOD: usize = 40;

/// One that is updated in each frame, one that skips frames, and one that is never updated again.
#[test]
fn trackers_of_different_rates_allocate_nothing() {
    let scene = Scene::by_name("uniform", 4_000, 2).expect("a scene");
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
    let [mut often, mut seldom, mut never] = [(); 3].map(|()| PairTracker::new());
    for tracker in [&mut often, &mut seldom, &mut never] {
        tracker.reserve(handles.len(), handles.len() * 16);
        tracker.update(tree.changes());
    }
    let mut events = 0;
    let mut turn = |frame: usize| {
        for index in 0..20 {
            let [handle, other] = [index, index * 7 + frame % PERIOD * 13].map(|at| handles[at % handles.len()]);
            let place = tree.get(other).expect("it lives").shape;
            tree.update(handle, place).expect("a legal shape");
        }
        events += often.update(tree.changes()).hits;
        if frame.is_multiple_of(6) {
            events += seldom.update(tree.changes()).hits;
        }
    };
    (0..8 * PERIOD).for_each(&mut turn);
    let count = allocations(|| (8 * PERIOD..24 * PERIOD).for_each(&mut turn));
    assert_eq!(count, 0);
    assert!(events > 600, "{events} events");
}
