//! A few moving objects among many static ones walk the tree together; the pairs are those of the pass over all
//! objects.

use crate::pinned::Hash;
use crate::support::{self, agree, oracle_of, pool, populated, random_world, sorted, work};
use broadleaf::{Handle, Mobility, Octree, PairTracker, Scratch, Threads};

/// The hash of all lists of pairs, in their order, of few and of many moving objects.
const PINNED: u64 = 0x83bc60b4338107a9;

/// Sets so many objects moving, spread over the slots, and all others static.
fn set_movers(tree: &mut Octree, handles: &[Handle], movers: usize) {
    for (place, &handle) in handles.iter().enumerate() {
        let moves = (place * movers) / handles.len() != ((place + 1) * movers) / handles.len();
        let mobility = if moves { Mobility::Moving } else { Mobility::Static };
        tree.set_mobility(handle, mobility).expect("it lives");
    }
}

#[test]
fn pairs_are_complete_on_both_sides_of_the_threshold() {
    let pools = [1, 2].map(pool);
    let (mut tested, mut hash) = (Vec::new(), Hash::new());
    for seed in 0..8 {
        // 64 moving objects walk together, and threads take as many at a time.
        let (mut tree, _) = random_world(seed, 1400);
        let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
        let (few, mut tracker) = (handles.len() / 64, PairTracker::default());
        for movers in [0, 1, few / 2, few, few + 1, 2 * few, 64, 65, 8 * few, 16 * few, 32 * few] {
            set_movers(&mut tree, &handles, movers);
            let oracle = oracle_of(&tree);
            agree(&mut tree, &oracle);
            let (mut serial, mut parallel) = (Vec::new(), Vec::new());
            let view = tree.view();
            let stats = work(|stats| view.pairs(&mut Scratch::new()).stats(stats).collect_into(&mut serial));
            assert_eq!(stats.hits, serial.len() as u64);
            for pool in &pools {
                let split = pool.install(|| {
                    work(|stats| {
                        view.pairs(&mut Scratch::new()).threads(Threads::Pool).stats(stats).collect_into(&mut parallel);
                    })
                });
                assert_eq!((&parallel, split), (&serial, stats), "{movers} movers");
            }
            assert_eq!(view.pairs(&mut Scratch::new()).any(), serial.first().copied());
            tested.push(serial.len());
            hash.add_all(serial.iter().map(|pair| pair.a().to_bits() ^ pair.b().to_bits().rotate_left(32)));
            // All objects were told anew, so the tracker lists all pairs.
            tracker.update(tree.changes());
            assert!(sorted(tracker.pairs().to_vec()) == sorted(serial), "{movers} movers: the tracker's pairs");
        }
    }
    assert!(tested.iter().filter(|&&pairs| pairs > 0).count() > tested.len() / 2, "{tested:?}");
    assert_eq!(hash.0, PINNED, "the order of pairs: {:#018x}", hash.0);
}

#[test]
fn a_few_movers_cost_work_in_proportion_to_their_number() {
    let work_of = |movers: usize| {
        let (mut tree, handles) = populated("uniform", 6000);
        set_movers(&mut tree, &handles, movers);
        work(|stats| assert!(tree.view().pairs(&mut Scratch::new()).stats(stats).count() < 6000))
    };
    let (few, many) = (work_of(4), work_of(40));
    let (tested, nodes) = ([few.objects_tested, many.objects_tested], [few.nodes_visited, many.nodes_visited]);
    assert!(tested[0] * 5 < tested[1] && tested[1] < tested[0] * 20, "{tested:?} objects");
    // All walk together, and visit a node once.
    let (mut tree, _) = populated("uniform", 6000);
    let live = support::nodes(&mut tree).len() as u64;
    assert!(nodes[0] < nodes[1] && nodes[1] <= live, "{nodes:?} of {live} nodes");
}
