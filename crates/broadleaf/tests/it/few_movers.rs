//! A few moving objects among many static ones are asked for their partners; the pairs are those of
//! the pass over all objects.

use crate::support::{agree, oracle_of, pool, populated, random_world, work};
use broadleaf::{Handle, Mobility, Octree, Scratch, Threads};

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
    let mut tested = Vec::new();
    for seed in 0..12 {
        let (mut tree, _) = random_world(seed, 700);
        let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
        let few = handles.len() / 64;
        for movers in [0, 1, few / 2, few, few + 1, 2 * few] {
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
        }
    }
    assert!(tested.iter().filter(|&&pairs| pairs > 0).count() > tested.len() / 2, "{tested:?}");
}

#[test]
fn a_few_movers_cost_work_in_proportion_to_their_number() {
    let visited = |movers: usize| {
        let (mut tree, handles) = populated("uniform", 6000);
        set_movers(&mut tree, &handles, movers);
        work(|stats| assert!(tree.view().pairs(&mut Scratch::new()).stats(stats).count() < 6000)).nodes_visited
    };
    let (few, many) = (visited(4), visited(40));
    assert!(few * 5 < many && many < few * 20, "{few} and {many} nodes");
}
