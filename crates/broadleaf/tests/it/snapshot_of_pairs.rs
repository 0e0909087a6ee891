//! Snapshots of a tree together with its tracker and its budget: restored, they
//! go on like the original; damaged or made up, they are refused or harmless.

use broadleaf::glam::Vec3;
use broadleaf::{Handle, Octree, Pair, PairTracker, Sphere, inspect::SnapshotError, pairs::PairBudget};
use workloads::{Player, Random, Scene};

/// A tree with its tracker and a budget that defers most pairs, frame after frame.
#[derive(Clone)]
struct Game {
    tree: Octree,
    tracker: PairTracker,
    budget: PairBudget,
    served: Vec<Pair>,
}

impl Game {
    fn frame(&mut self) {
        self.tracker.update(self.tree.changes());
        let class_of = |handle: Handle| u8::try_from(handle.slot() % 5).unwrap();
        self.budget.serve(self.tree.view(), self.tracker.begun(), 40, class_of, &mut self.served);
    }

    fn hashes(&self) -> [u64; 3] {
        [self.tree.state_hash(), self.tracker.state_hash(), self.budget.state_hash()]
    }

    fn saved(&self) -> [Vec<u8>; 3] {
        let mut bytes = [const { Vec::new() }; 3];
        self.tree.snapshot_into(&mut bytes[0]);
        self.tracker.snapshot_into(&mut bytes[1]);
        self.budget.snapshot_into(&mut bytes[2]);
        bytes
    }

    fn restored(bytes: &[Vec<u8>; 3]) -> Result<Self, SnapshotError> {
        Ok(Self {
            tree: Octree::from_snapshot(&bytes[0])?,
            tracker: PairTracker::from_snapshot(&bytes[1])?,
            budget: PairBudget::from_snapshot(&bytes[2])?,
            served: Vec::new(),
        })
    }
}

/// A game of a scene, and what moves it.
fn game(name: &str, objects: u32) -> (Game, Player, Scene) {
    let (scene, mut player) = (Scene::by_name(name, objects, 5).unwrap(), Player::new());
    let mut game = Game {
        tree: Octree::default(),
        tracker: PairTracker::new(),
        budget: PairBudget::new(1).with_patience(3),
        served: Vec::new(),
    };
    player.load(&mut game.tree, scene.objects()).unwrap();
    (game, player, scene)
}

#[test]
fn games_go_on_like_the_original() {
    for name in ["pile", "shapes", "city"] {
        let (mut original, mut player, mut scene) = game(name, 700);
        let mut other = original.clone();
        let mut seen = std::collections::HashSet::new();
        let mut extra = original.tree.insert(Sphere::new(Vec3::ZERO, 1.0)).unwrap();
        assert_eq!(other.tree.insert(Sphere::new(Vec3::ZERO, 1.0)), Ok(extra));
        for frame in 0..16 {
            for game in [&mut original, &mut other] {
                game.frame();
            }
            assert_eq!(original.hashes(), other.hashes(), "{name}, frame {frame}");
            assert_eq!(original.served, other.served, "{name}, frame {frame}");
            assert_eq!(original.tracker.begun(), other.tracker.begun(), "{name}, frame {frame}");
            assert_eq!(original.tracker.ended(), other.tracker.ended(), "{name}, frame {frame}");
            let [_, tracker, budget] = original.hashes();
            seen.extend([(1, tracker), (2, budget)]);
            if frame % 2 == 1 {
                other = Game::restored(&other.saved()).unwrap();
                assert_eq!(original.hashes(), other.hashes(), "{name}, frame {frame}, restored");
            }
            // All of the scene, or a few objects.
            if frame % 4 < 2 {
                player.prepare(scene.step());
                for game in [&mut original, &mut other] {
                    player.apply(&mut game.tree).unwrap();
                }
            } else {
                let handle = original.tree.iter().nth(3 * frame).unwrap().0;
                let place = original.tree.iter().nth(7 * frame).unwrap().1.shape;
                let gone = extra;
                for game in [&mut original, &mut other] {
                    game.tree.update(handle, place).unwrap();
                    game.tree.remove(gone).unwrap();
                    extra = game.tree.insert(place).unwrap();
                }
            }
        }
        // A city has few events; without any, a state is as before.
        assert!(seen.len() > 10, "{name}: {} states", seen.len());
    }
}

#[test]
fn trackers_and_budgets_that_were_damaged_are_refused() {
    let (mut game, _, _) = game("pile", 60);
    game.frame();
    let saved = game.saved();
    assert!(Game::restored(&saved).is_ok());
    for kind in [1, 2] {
        let mut bytes = saved.clone();
        for at in 0..bytes[kind].len() {
            for bit in [1, 16, 128] {
                bytes[kind][at] ^= bit;
                assert!(Game::restored(&bytes).is_err(), "{kind}: byte {at}");
                bytes[kind][at] ^= bit;
            }
        }
        for len in 0..saved[kind].len() {
            bytes[kind].truncate(saved[kind].len() - 1 - len);
            assert!(Game::restored(&bytes).is_err(), "{kind}: {} bytes", bytes[kind].len());
        }
        // One kind is not another.
        bytes[kind].clone_from(&saved[3 - kind]);
        assert_eq!(Game::restored(&bytes).err(), Some(SnapshotError::NotASnapshot));
        bytes[kind].clone_from(&saved[kind]);
        bytes[kind].push(0);
        assert_eq!(Game::restored(&bytes).err(), Some(SnapshotError::Damaged));
    }
}

#[test]
fn trackers_and_budgets_tampered_with_are_refused_or_harmless() {
    let (mut game, mut player, mut scene) = game("pile", 60);
    game.frame();
    player.play(&mut game.tree, scene.step()).unwrap();
    // The stored forms, without the checksum that would tell that they were changed.
    let tracker = postcard::to_allocvec(&game.tracker).unwrap();
    let budget = postcard::to_allocvec(&game.budget).unwrap();
    let (mut random, mut accepted) = (Random::new(12), [0, 0]);
    for _ in 0..4000 {
        let changed = |bytes: &[u8], random: &mut Random| {
            let mut bytes = bytes.to_vec();
            let at = random.below(u32::try_from(bytes.len()).unwrap()) as usize;
            bytes[at] = random.bits().to_le_bytes()[0];
            bytes
        };
        let mut other = game.clone();
        if let Ok(tracker) = postcard::from_bytes(&changed(&tracker, &mut random)) {
            (accepted[0], other.tracker) = (accepted[0] + 1, tracker);
        }
        if let Ok(budget) = postcard::from_bytes(&changed(&budget, &mut random)) {
            (accepted[1], other.budget) = (accepted[1] + 1, budget);
        }
        for _ in 0..2 {
            other.frame();
            other.tree.validate().unwrap();
            let handle = other.tree.iter().next().unwrap().0;
            other.tree.update(handle, Sphere::new(Vec3::ONE, 3.0)).unwrap();
        }
    }
    assert!(accepted.iter().all(|count| (1..4000).contains(count)), "{accepted:?}");
}

#[test]
fn whatever_a_tracker_or_a_budget_knows_changes_its_hash() {
    let (mut game, mut player, mut scene) = game("pile", 300);
    let mut hashes = std::collections::HashSet::new();
    hashes.extend([game.tracker.state_hash(), game.budget.state_hash()]);
    for _ in 0..6 {
        game.frame();
        assert!(hashes.insert(game.tracker.state_hash()) && hashes.insert(game.budget.state_hash()));
        player.play(&mut game.tree, scene.step()).unwrap();
    }
    // These decide in which order later events come.
    let saved = serde_json::to_value(&game.tracker).unwrap();
    for field in ["in_order", "saved_by_passes"] {
        let mut other = saved.clone();
        other[field] = saved[field].as_u64().unwrap().abs_diff(1).into();
        let other: PairTracker = serde_json::from_value(other).unwrap();
        assert!(hashes.insert(other.state_hash()), "{field}");
    }
    game.tracker.clear();
    game.budget.clear();
    assert!(!hashes.insert(game.tracker.state_hash()), "a cleared tracker is as a new one");
    assert!(hashes.contains(&game.budget.state_hash()), "and so is a budget");
    assert!(hashes.insert(PairBudget::new(1).with_patience(4).state_hash()));
    assert!(hashes.insert(PairBudget::new(2).with_patience(3).state_hash()));
}
