//! Snapshots: what is restored goes on bit for bit; what was damaged or made
//! up is refused before anything uses it.

use crate::state::transcript;
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Config, Handle, Layers, Margin, Octree, Pair, PairTracker, Shape, Sphere, inspect::SnapshotError,
};
use proptest::prelude::*;
use workloads::programs::run_with;
use workloads::tamper::{exercise, restore, store};
use workloads::{Player, Program, Random, Scene};

fn reloaded(tree: &Octree) -> Octree {
    let mut bytes = Vec::new();
    tree.snapshot_into(&mut bytes);
    Octree::from_snapshot(&bytes).unwrap_or_else(|error| panic!("{error}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn restored_trees_go_on_like_the_original(seed in any::<u64>().no_shrink(), length in 0_usize..80, every in 1_usize..9) {
        let program = of_some_shape(seed, length);
        let original = transcript(&program, |_, _| ());
        let restored = transcript(&program, |step, tree| {
            if step % every == 0 {
                let counters = tree.counters();
                *tree = reloaded(tree);
                assert_eq!(tree.counters(), counters);
            }
        });
        prop_assert!(restored == original);
    }

    #[test]
    fn tampered_trees_are_refused_or_sound(seed in any::<u64>().no_shrink(), length in 1_usize..60) {
        tamper_with(of_some_shape(seed, length), seed);
    }
}

/// A program in a world as high as wide, or in a flat or a long one.
fn of_some_shape(seed: u64, length: usize) -> Program {
    let program = Program::from_seed(seed, length);
    match seed % 4 {
        0 => program.flattened(Vec3::new(1.0, 1.0, 0.02)),
        1 => program.flattened(Vec3::new(0.1, 1.0, 0.002)),
        _ => program,
    }
}

/// Changes a stored tree in many ways.
fn tamper_with(program: Program, seed: u64) {
    let program = Program { stride: 3, ..program };
    let mut stored = Vec::new();
    run_with(&program, |_, tree| stored = store(tree)).unwrap();
    let mut random = Random::new(seed);
    for _ in 0..200 {
        let mut bytes = stored.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(u32::try_from(bytes.len()).unwrap()) as usize;
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = bytes[at].wrapping_add(1),
                _ => bytes[at] = random.bits().to_le_bytes()[0],
            }
        }
        if let Some(mut tree) = restore(&bytes) {
            exercise(&mut tree);
        }
    }
}

#[test]
fn regression_a_bucket_with_gaps_is_refused() {
    let seed = 3_542_845_406_887_671_713;
    let program = Program::from_seed(seed, 30);
    let config = Config { margin: Margin::NONE, ..program.config };
    tamper_with(Program { config, ..program }, seed);
}

#[test]
fn regression_a_written_outsized_object_may_fill_a_hole() {
    let mut tree = Octree::new(Config::default()).unwrap();
    let half_space = |y: f32| Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f32::INFINITY, y, f32::INFINITY));
    let handles = [0.0, 1.0].map(|y| tree.insert(half_space(y)).unwrap());
    PairTracker::new().update(tree.changes());
    tree.update(handles[1], half_space(2.0)).unwrap();
    tree.remove(handles[0]).unwrap();
    let restored = reloaded(&tree);
    assert_eq!(restored.state_hash(), tree.state_hash());
    assert_eq!(restored.validate(), Ok(()));
}

/// A tree of a few objects of every kind, some of them waiting or out of place.
fn motley() -> Octree {
    let mut tree = Octree::new(Config { leaf_capacity: 2, ..Config::default() }).unwrap();
    let objects = Scene::by_name("shapes", 24, 3).unwrap();
    let mut handles = Vec::new();
    tree.insert_many(objects.objects(), &mut handles).unwrap();
    tree.set_layers(handles[3], Layers::new(1, 2)).unwrap();
    tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::ONE)).unwrap();
    tree.view();
    tree.remove(handles[5]);
    tree.remove(handles[9]);
    tree.view();
    tree.update(handles[7], Sphere::new(Vec3::splat(11.0), 0.5)).unwrap();
    tree.insert(Sphere::new(Vec3::splat(2.0), 0.5)).unwrap();
    tree
}

#[test]
fn any_changed_byte_is_refused() {
    let mut bytes = Vec::new();
    motley().snapshot_into(&mut bytes);
    assert!(Octree::from_snapshot(&bytes).is_ok());
    for at in 0..bytes.len() {
        for bit in [1, 16, 128] {
            bytes[at] ^= bit;
            assert!(Octree::from_snapshot(&bytes).is_err(), "byte {at}");
            bytes[at] ^= bit;
        }
    }
    for len in 0..bytes.len() {
        assert!(Octree::from_snapshot(&bytes[..len]).is_err(), "{len} bytes");
    }
    bytes.push(0);
    assert_eq!(Octree::from_snapshot(&bytes).unwrap_err(), SnapshotError::Damaged);
}

#[test]
fn every_byte_tampered_with_is_refused_or_gives_a_sound_tree() {
    let stored = store(&motley());
    exercise(&mut restore(&stored).expect("unharmed"));
    let mut accepted = 0;
    for at in 0..stored.len() {
        for bit in 0..8 {
            let mut bytes = stored.clone();
            bytes[at] ^= 1 << bit;
            if let Some(mut tree) = restore(&bytes) {
                accepted += 1;
                exercise(&mut tree);
            }
        }
    }
    // Other layers, user data or counters are as good as the ones there were.
    assert!(accepted > 0 && accepted < stored.len() * 4, "{accepted} of {}", stored.len() * 8);
    for len in 0..stored.len() {
        assert!(restore(&stored[..len]).is_none(), "{len} bytes");
    }
}

#[test]
fn refusals_say_why() {
    let mut bytes = Vec::new();
    motley().snapshot_into(&mut bytes);
    assert_eq!(Octree::from_snapshot(b"").unwrap_err(), SnapshotError::NotASnapshot);
    assert_eq!(Octree::from_snapshot(&[7; 100]).unwrap_err(), SnapshotError::NotASnapshot);
    let mut other = bytes.clone();
    other[8] = 99;
    assert_eq!(Octree::from_snapshot(&other).unwrap_err(), SnapshotError::Version { found: 99, expected: 5 });
    other.clone_from(&bytes);
    *other.last_mut().unwrap() ^= 1;
    assert_eq!(Octree::from_snapshot(&other).unwrap_err(), SnapshotError::Damaged);
}

#[test]
fn restored_trees_know_old_handles_and_refuse_stale_ones() {
    let mut tree = Octree::default();
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (gone, kept) = (tree.insert(unit).unwrap(), tree.insert(unit).unwrap());
    tree.remove(gone);
    let mut restored = reloaded(&tree);
    assert!(restored.contains(kept) && !restored.contains(gone));
    assert_eq!(restored.insert(unit), tree.insert(unit), "the next handle is the same");
}

#[test]
fn a_full_buffer_is_written_again() {
    let (mut bytes, tree) = (vec![3; 10_000], motley());
    tree.snapshot_into(&mut bytes);
    let mut fresh = Vec::new();
    tree.snapshot_into(&mut fresh);
    assert_eq!(bytes, fresh);
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> Result<T, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(value)?)
}

#[test]
fn small_things_are_saved_in_any_form() {
    let tree = motley();
    let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
    assert_eq!(through_json(&handles).unwrap(), handles);
    let pair = Pair::new(handles[0], handles[1]);
    assert_eq!(through_json(&pair).unwrap(), pair);
    assert_eq!(through_json(&tree.config()).unwrap(), tree.config());
    let shapes: Vec<Shape> = vec![Sphere::new(Vec3::ONE, 2.0).into(), Aabb::new(Vec3::ZERO, Vec3::ONE).into()];
    assert_eq!(through_json(&shapes).unwrap(), shapes);
    // An even generation names no object.
    assert!(serde_json::from_str::<Handle>("[3, 2]").is_err());
    assert!(serde_json::from_str::<Handle>("[3, 0]").is_err());
    // The lower handle comes first, however it was written.
    let swapped: Pair = serde_json::from_str("[[5, 1], [3, 1]]").unwrap();
    assert_eq!((swapped.a().slot(), swapped.b().slot()), (3, 5));
}

#[test]
fn fat_trees_are_restored_too() {
    let margin = Margin { absolute: 0.25, relative: 0.0 };
    let mut scene = Scene::by_name("shapes", 300, 4).unwrap();
    let (mut tree, mut player) = (Octree::new(Config { margin, ..Config::default() }).unwrap(), Player::new());
    player.load(&mut tree, scene.objects()).unwrap();
    for _ in 0..10 {
        tree.view();
        let mut restored = reloaded(&tree);
        let mut cloned = Octree::default();
        cloned.clone_from(&tree);
        player.prepare(scene.step());
        for tree in [&mut tree, &mut restored, &mut cloned] {
            player.apply(tree).unwrap();
        }
        assert_eq!(restored.state_hash(), tree.state_hash());
        assert_eq!(cloned.state_hash(), tree.state_hash());
        assert_eq!(crate::support::pairs(&mut restored), crate::support::pairs(&mut tree));
        assert!(restored.iter().eq(tree.iter()));
    }
    let stored = store(&tree);
    let mut random = Random::new(8);
    for _ in 0..300 {
        let mut bytes = stored.clone();
        let at = random.below(u32::try_from(bytes.len()).unwrap()) as usize;
        bytes[at] ^= 1 << random.below(8);
        if let Some(mut tree) = restore(&bytes) {
            exercise(&mut tree);
        }
    }
}

#[test]
fn regression_what_a_freed_block_keeps_of_spheres_breaks_no_tree() {
    let seed = 12_252_532_519_111_935_968;
    tamper_with(of_some_shape(seed, 27), seed);
}
