//! Clones go on like their originals, and the state hash tells any two states apart.

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Config, Handle, Layers, Margin, Mobility, Object, Octree, Pair, PairTracker, Scratch, Shape, Sphere,
};
use proptest::prelude::*;
use std::collections::HashSet;
use workloads::programs::run_with;
use workloads::{Player, Program, Scene};

/// What a tree shows step by step: its hash, and now and then its pairs in order.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Transcript {
    hashes: Vec<u64>,
    pairs: Vec<Vec<Pair>>,
}

impl Transcript {
    fn note(&mut self, step: usize, tree: &mut Octree) {
        self.hashes.push(tree.state_hash());
        if step % 4 == 1 {
            self.pairs.push(crate::support::pairs(tree));
            self.hashes.push(tree.state_hash());
        }
    }
}

/// Runs a program, and every so many steps goes on with another tree in place of the tree.
pub(crate) fn transcript(program: &Program, mut replace: impl FnMut(usize, &mut Octree)) -> Transcript {
    let mut transcript = Transcript::default();
    let done = run_with(program, |step, tree| {
        replace(step, tree);
        transcript.note(step, tree);
    });
    done.unwrap_or_else(|mismatch| panic!("{mismatch}"));
    transcript
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn clones_go_on_like_the_original(seed in any::<u64>().no_shrink(), length in 0_usize..60, every in 1_usize..9) {
        let program = Program::from_seed(seed, length);
        let original = transcript(&program, |_, _| ());
        let cloned = transcript(&program, |step, tree| {
            if step % every == 0 {
                *tree = tree.clone();
            }
        });
        prop_assert!(cloned == original);
        // Into a tree that holds something else: what it was some steps ago.
        let mut spare = Octree::new(Config::strict()).unwrap();
        let copied = transcript(&program, |step, tree| {
            if step % every == 0 {
                spare.clone_from(tree);
                std::mem::swap(&mut spare, tree);
            }
        });
        prop_assert!(copied == original);
    }

    #[test]
    fn whatever_can_be_seen_changes_the_hash(seed in any::<u64>().no_shrink(), length in 1_usize..50, index in any::<usize>()) {
        let program = Program { stride: 0, ..Program::from_seed(seed, length) };
        let mut last = Octree::default();
        run_with(&program, |_, tree| last.clone_from(tree)).unwrap();
        let hash = last.state_hash();
        prop_assert_eq!(last.clone().state_hash(), hash);
        let live: Vec<(Handle, Object)> = last.iter().collect();
        prop_assume!(!live.is_empty());
        let (handle, object) = live[index % live.len()];
        let mut hashes = HashSet::from([hash]);
        let mut count = 1;
        let mut differs = |change: &dyn Fn(&mut Octree)| {
            let mut other = last.clone();
            change(&mut other);
            hashes.insert(other.state_hash());
            count += 1;
        };
        differs(&|tree| tree.set_user_data(handle, object.user_data ^ 1 << 40).unwrap());
        let Layers { memberships, filters } = object.layers;
        differs(&|tree| tree.set_layers(handle, Layers::new(memberships, filters ^ 1 << 9)).unwrap());
        differs(&|tree| tree.set_layers(handle, Layers::new(memberships ^ 1 << 9, filters)).unwrap());
        let other = if object.mobility == Mobility::Static { Mobility::Moving } else { Mobility::Static };
        differs(&|tree| tree.set_mobility(handle, other).unwrap());
        differs(&|tree| assert!(tree.remove(handle).is_some()));
        differs(&|tree| assert!(tree.insert(object).is_ok()));
        differs(&|tree| tree.clear());
        let shape: Shape = match object.shape {
            Shape::Aabb(_) => Sphere::new(Vec3::splat(0.123), 0.5).into(),
            Shape::Sphere(ball) if ball.radius < 1e17 => Sphere::new(ball.center, ball.radius * 1.5 + 1e-3).into(),
            Shape::Sphere(_) => Sphere::new(Vec3::splat(0.123), 0.5).into(),
_ => unreachable!("a shape that is not known here"),
};
        differs(&|tree| tree.update(handle, shape).unwrap());
        prop_assert_eq!(hashes.len(), count);
    }
}

#[test]
fn settings_and_single_bits_change_the_hash() {
    let hash = |config: Config, x: f32| {
        let mut tree = Octree::new(config).unwrap();
        tree.insert(Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::ONE)).unwrap();
        tree.state_hash()
    };
    let plain = Config::default();
    let hashes = [
        hash(plain, 0.0),
        hash(plain, 0.0_f32.next_up()),
        hash(Config { looseness: 1.5, ..plain }, 0.0),
        hash(Config { smallest_cell: 0.02, ..plain }, 0.0),
        hash(Config { leaf_capacity: 63, ..plain }, 0.0),
        hash(Config { depth_limit: 20, ..plain }, 0.0),
        hash(Config { margin: Margin { absolute: 1e-9, relative: 0.0 }, ..plain }, 0.0),
    ];
    assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), hashes.len());
}

#[test]
fn a_slot_used_again_changes_the_hash() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let mut tree = Octree::default();
    let first = tree.insert(unit).unwrap();
    let before = tree.state_hash();
    tree.remove(first);
    tree.insert(unit).unwrap();
    assert_ne!(tree.state_hash(), before, "the object has another handle");
}

/// The same on every machine: changing it needs a sentence in the changelog.
#[test]
fn the_hash_is_pinned() {
    let mut scene = Scene::by_name("shapes", 800, 7).unwrap();
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).unwrap();
    for _ in 0..6 {
        tree.view();
        player.play(&mut tree, scene.step()).unwrap();
    }
    assert_eq!(format!("{:016x}", tree.state_hash()), PINNED);
}

const PINNED: &str = "b8f34d00ec667b5a";

#[test]
fn trees_asked_on_any_number_of_threads_hash_alike() {
    #[cfg(feature = "parallel")]
    {
        let mut hashes = HashSet::new();
        for threads in [1, 2, 4] {
            let pool = crate::support::pool(threads);
            let mut scene = Scene::by_name("mixed", 6000, 7).unwrap();
            let (mut tree, mut player) = (Octree::default(), Player::new());
            let (mut tracker, mut scratch, mut pairs) = (PairTracker::new(), Scratch::new(), Vec::new());
            tracker.set_threads(broadleaf::Threads::Pool);
            player.load(&mut tree, scene.objects()).unwrap();
            for _ in 0..4 {
                pool.install(|| {
                    tree.view().pairs(&mut scratch).threads(broadleaf::Threads::Pool).collect_into(&mut pairs);
                    tracker.update(tree.changes());
                });
                player.play(&mut tree, scene.step()).unwrap();
            }
            hashes.insert(tree.state_hash());
        }
        assert_eq!(hashes.len(), 1);
    }
}

#[test]
fn a_clone_of_tree_and_tracker_has_the_same_events() {
    let mut scene = Scene::by_name("pile", 1500, 7).unwrap();
    let (mut tree, mut player, mut tracker) = (Octree::default(), Player::new(), PairTracker::new());
    player.load(&mut tree, scene.objects()).unwrap();
    let (mut spare, mut spare_tracker) = (Octree::default(), PairTracker::new());
    for _ in 0..10 {
        tracker.update(tree.changes());
        spare.clone_from(&tree);
        spare_tracker.clone_from(&tracker);
        player.prepare(scene.step());
        player.apply(&mut tree).unwrap();
        player.apply(&mut spare).unwrap();
        tracker.update(tree.changes());
        spare_tracker.update(spare.changes());
        assert!(!tracker.begun().is_empty());
        assert_eq!((tracker.begun(), tracker.ended()), (spare_tracker.begun(), spare_tracker.ended()));
        assert_eq!(tracker.pairs(), spare_tracker.pairs());
        assert_eq!(tree.state_hash(), spare.state_hash());
    }
}
