//! The parallel pair pass gives the pairs of the serial one, in its order,
//! for any number of threads.

use crate::support::{pool, work};
use broadleaf::{Config, Object, Octree, Scratch, Threads};
use rayon::ThreadPool;
use workloads::{Player, Scene};

/// Enough for the pass to be split into several chunks.
const OBJECTS: u32 = 6_000;
const FRAMES: usize = 4;

fn pools() -> Vec<ThreadPool> {
    [1, 2, 4].map(pool).into()
}

fn compare(tree: &mut Octree, pools: &[ThreadPool], scratch: &mut [Scratch], case: &str) {
    let (mut serial, mut parallel) = (Vec::new(), Vec::new());
    let view = tree.view();
    let stats = work(|stats| view.pairs(&mut Scratch::new()).stats(stats).collect_into(&mut serial));
    assert_eq!(stats.hits, serial.len() as u64);
    for (pool, scratch) in pools.iter().zip(scratch) {
        let threads = pool.current_num_threads();
        let split = pool.install(|| {
            work(|stats| view.pairs(scratch).threads(Threads::Pool).stats(stats).collect_into(&mut parallel))
        });
        assert!(parallel == serial, "{case}: {threads} threads differ from the serial pass");
        assert_eq!(split, stats, "{case}: {threads} threads");
    }
}

fn play(name: &str, config: Config, outsiders: &[Object], pools: &[ThreadPool]) {
    let mut scene = Scene::by_name(name, OBJECTS, 5).expect("a scene");
    let (mut tree, mut player) = (Octree::new(config).expect("legal settings"), Player::new());
    let mut scratch = vec![Scratch::new(); pools.len()];
    player.load(&mut tree, scene.objects()).expect("legal objects");
    for object in outsiders {
        tree.insert(*object).expect("a legal object");
    }
    for _ in 0..FRAMES {
        compare(&mut tree, pools, &mut scratch, name);
        player.play(&mut tree, scene.step()).expect("a legal frame");
    }
    compare(&mut tree, pools, &mut scratch, name);
    assert!(tree.counters().nodes_live > 1, "{name}: nothing to split");
}

#[test]
fn any_number_of_threads_gives_the_serial_pairs_in_order() {
    let pools = pools();
    for name in Scene::NAMES {
        play(name, Config::default(), &[], &pools);
    }
}

#[test]
fn strict_and_crowded_trees_split_alike() {
    let pools = pools();
    for name in ["mixed", "pile", "city"] {
        play(name, Config { leaf_capacity: 4, ..Config::strict() }, &[], &pools);
        play(name, Config { looseness: 1.5, leaf_capacity: 1, ..Config::default() }, &[], &pools);
    }
}

#[test]
fn objects_that_no_cell_holds_are_paired_alike() {
    use broadleaf::{Aabb, glam::Vec3};
    let below = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f32::INFINITY, 4.0, f32::INFINITY));
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let outsiders = [Object::new(below), Object::new(everywhere)];
    let pools = pools();
    for name in ["uniform", "city", "shapes"] {
        play(name, Config::default(), &outsiders, &pools);
    }
}
