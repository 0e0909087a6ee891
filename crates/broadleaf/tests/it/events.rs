//! Pair events are what a comparison of all pairs before and after gives,
//! whatever the cause and however little or much has changed.

mod ways;

use crate::support::pool;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Layers, Mobility, Octree, Pair, PairTracker, Scratch, Sphere, Threads};
use std::collections::BTreeSet;
use workloads::{Player, Random, Scene};

/// What a frame's events should be, by comparison of all pairs.
struct Reference {
    known: BTreeSet<Pair>,
    scratch: Scratch,
}

impl Reference {
    fn new() -> Self {
        Self { known: BTreeSet::new(), scratch: Scratch::new() }
    }

    /// Compares a tracker that has just been updated; the number of events.
    fn check(&mut self, tree: &mut Octree, tracker: &PairTracker, case: &str) -> usize {
        let mut pairs = Vec::new();
        tree.view().pairs(&mut self.scratch).collect_into(&mut pairs);
        let pairs: BTreeSet<Pair> = pairs.into_iter().collect();
        let set = |pairs: &[Pair]| {
            let set: BTreeSet<Pair> = pairs.iter().copied().collect();
            assert_eq!(set.len(), pairs.len(), "{case}: a pair is reported twice");
            set
        };
        assert!(set(tracker.pairs()) == pairs, "{case}: pairs");
        assert!(set(tracker.begun()) == &pairs - &self.known, "{case}: begun");
        assert!(set(tracker.ended()) == &self.known - &pairs, "{case}: ended");
        let persisting: Vec<Pair> = tracker.persisting().collect();
        assert!(set(&persisting) == &pairs & &self.known, "{case}: persisting");
        self.known = pairs;
        tracker.begun().len() + tracker.ended().len()
    }
}

fn update(tree: &mut Octree, tracker: &mut PairTracker) {
    tracker.update(tree.changes());
    tree.validate().unwrap();
}

#[test]
fn every_scene_has_the_events_of_a_comparison() {
    for name in Scene::NAMES {
        let mut scene = Scene::by_name(name, 3_000, 4).expect("a scene");
        let (mut tree, mut player) = (Octree::default(), Player::new());
        let (mut tracker, mut reference) = (PairTracker::new(), Reference::new());
        player.load(&mut tree, scene.objects()).expect("legal objects");
        for frame in 0..12 {
            update(&mut tree, &mut tracker);
            reference.check(&mut tree, &tracker, &format!("{name}, frame {frame}"));
            player.play(&mut tree, scene.step()).expect("a legal frame");
        }
    }
}

#[test]
fn few_and_many_movers_in_any_order_have_the_events_of_a_comparison() {
    for name in ["pile", "mixed", "city", "shapes"] {
        let scene = Scene::by_name(name, 2_000, 9).expect("a scene");
        let (mut tree, mut random) = (Octree::default(), Random::new(3));
        let (mut tracker, mut reference) = (PairTracker::new(), Reference::new());
        let mut handles = Vec::new();
        tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
        let count = u32::try_from(handles.len()).expect("few objects");
        let mut events = 0;
        for frame in 0..80 {
            update(&mut tree, &mut tracker);
            let found = reference.check(&mut tree, &tracker, &format!("{name}, frame {frame}"));
            events += if frame == 0 { 0 } else { found };
            // Few, in which chains are made and kept up; many; and about as many as are asked one by one.
            let movers = [1, 3, 2, 0, 5, 300, 8, 40, 145, 240, 60][frame % 11] * if frame % 20 == 19 { 50 } else { 1 };
            for _ in 0..movers {
                let [handle, other] = [(); 2].map(|()| handles[random.below(count) as usize]);
                let shape = tree.get(handle).expect("it lives").shape;
                let place = tree.get(other).expect("it lives").shape.aabb();
                match random.below(8) {
                    0 => tree.update(handle, Sphere::new(place.center(), 0.7)).unwrap(),
                    1 => tree.update(handle, place).unwrap(),
                    2 => tree.set_mobility(handle, Mobility::Static).unwrap(),
                    3 => tree.set_mobility(handle, Mobility::Moving).unwrap(),
                    4 => tree.set_layers(handle, Layers { memberships: 1 << random.below(3), filters: 3 }).unwrap(),
                    5 => tree.set_layers(handle, Layers::ALL).unwrap(),
                    6 => tree.update(handle, shape.aabb().translated(Vec3::splat(0.3))).unwrap(),
                    _ => {
                        let index = random.below(count) as usize;
                        let object = tree.remove(handles[index]).expect("it lives");
                        handles[index] = tree.insert(object).unwrap();
                    }
                }
            }
        }
        assert!(events > 100, "{name}: {events} events");
    }
}

#[test]
fn a_removed_object_s_pairs_end_under_its_old_handle() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let (a, b) = (tree.insert(unit).unwrap(), tree.insert(unit).unwrap());
    update(&mut tree, &mut tracker);
    assert_eq!(tracker.begun(), [Pair::new(a, b)]);
    tree.remove(b).unwrap();
    let c = tree.insert(unit).unwrap();
    assert_eq!(b.slot(), c.slot(), "the slot is used again in the same frame");
    update(&mut tree, &mut tracker);
    assert_eq!((tracker.begun(), tracker.ended()), (&[Pair::new(a, c)][..], &[Pair::new(a, b)][..]));
    tree.clear();
    update(&mut tree, &mut tracker);
    assert_eq!((tracker.begun().len(), tracker.ended()), (0, &[Pair::new(a, c)][..]));
    assert_eq!(tracker.pairs(), []);
}

#[test]
fn a_teleport_a_shrink_and_a_growth_are_seen() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let a = tree.insert(unit).unwrap();
    let b = tree.insert(unit.translated(Vec3::X * 1000.0)).unwrap();
    let counts = |tree: &mut Octree, tracker: &mut PairTracker| {
        update(tree, tracker);
        (tracker.begun().len(), tracker.ended().len())
    };
    assert_eq!(counts(&mut tree, &mut tracker), (0, 0));
    tree.update(b, unit).unwrap();
    assert_eq!(counts(&mut tree, &mut tracker), (1, 0), "teleported there");
    assert_eq!(counts(&mut tree, &mut tracker), (0, 0), "at rest");
    tree.update(a, Aabb::new(Vec3::splat(-0.5), Vec3::splat(-0.1))).unwrap();
    assert_eq!(counts(&mut tree, &mut tracker), (0, 1), "shrunk");
    tree.update(a, Aabb::new(Vec3::splat(f32::NEG_INFINITY), Vec3::splat(-0.1))).unwrap();
    assert_eq!(counts(&mut tree, &mut tracker), (0, 0), "without bounds, but apart");
    tree.update(a, Aabb::new(Vec3::splat(f32::NEG_INFINITY), Vec3::splat(0.1))).unwrap();
    assert_eq!(counts(&mut tree, &mut tracker), (1, 0), "without bounds, and grown");
    tree.rebuild();
    assert_eq!(counts(&mut tree, &mut tracker), (0, 0), "a rebuild changes nothing");
}

#[test]
fn two_trackers_and_clones_are_right_too() {
    let mut scene = Scene::by_name("pile", 800, 1).expect("a scene");
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).expect("legal objects");
    let mut trackers = [(PairTracker::new(), Reference::new()), (PairTracker::new(), Reference::new())];
    for frame in 0..24 {
        let (tracker, reference) = &mut trackers[usize::from(frame % 5 == 4)];
        update(&mut tree, tracker);
        reference.check(&mut tree, tracker, &format!("frame {frame}"));
        // A world taken aside and given events of its own is another world.
        let (mut aside, mut other) = (tree.clone(), tracker.clone());
        let handle = player.handle(3).expect("an object");
        let everywhere = aside.view().bounds().expect("objects");
        aside.update(handle, everywhere).unwrap();
        update(&mut aside, &mut other);
        if frame % 7 == 6 {
            // The tracker of one on the other: everything is looked at.
            let (mut reference, mut swapped) = (Reference::new(), other.clone());
            reference.known = swapped.pairs().iter().copied().collect();
            let mut tree = tree.clone();
            update(&mut tree, &mut swapped);
            reference.check(&mut tree, &swapped, "swapped");
        }
        player.play(&mut tree, scene.step()).expect("a legal frame");
    }
}

#[test]
fn removals_that_nobody_asks_for_do_not_pile_up() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let a = tree.insert(unit).unwrap();
    let b = tree.insert(unit).unwrap();
    update(&mut tree, &mut tracker);
    for _ in 0..10_000 {
        let handle = tree.insert(unit).unwrap();
        tree.remove(handle).unwrap();
    }
    tree.remove(b).unwrap();
    assert!(tree.memory().objects < 64 << 10, "{:?}", tree.memory());
    update(&mut tree, &mut tracker);
    assert_eq!((tracker.begun().len(), tracker.ended()), (0, &[Pair::new(a, b)][..]));
}

#[test]
fn any_number_of_threads_gives_the_serial_events_in_order() {
    for name in ["pile", "city", "mixed"] {
        let mut scene = Scene::by_name(name, 6_000, 5).expect("a scene");
        let (mut tree, mut player) = (Octree::default(), Player::new());
        player.load(&mut tree, scene.objects()).expect("legal objects");
        let (mut serial, mut random) = (PairTracker::new(), Random::new(6));
        let mut parallel = [1, 2, 4].map(|threads| (pool(threads), PairTracker::new()));
        parallel.iter_mut().for_each(|(_, tracker)| tracker.set_threads(Threads::Pool));
        let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
        for frame in 0..10 {
            let stats = parallel.each_mut().map(|(pool, tracker)| {
                let mut tree = tree.clone();
                pool.install(|| tracker.update(tree.changes()))
            });
            let serial_stats = serial.update(tree.changes());
            tree.validate().unwrap();
            assert!(serial_stats.objects_tested > 0 && !serial.pairs().is_empty());
            for ((pool, tracker), stats) in parallel.iter().zip(stats) {
                let case = format!("{name}, frame {frame}, {} threads", pool.current_num_threads());
                assert!(tracker.begun() == serial.begun() && tracker.ended() == serial.ended(), "{case}");
                assert!(tracker.pairs() == serial.pairs(), "{case}");
                assert_eq!(stats, serial_stats, "{case}");
            }
            // All that move in the scene, or a few elsewhere: asked one by one, or about as many as that.
            let movers = [None, Some(60), Some(350), None, Some(500)][frame % 5];
            let Some(movers) = movers else {
                player.play(&mut tree, scene.step()).expect("a legal frame");
                continue;
            };
            for _ in 0..movers {
                let [handle, other] = [(); 2].map(|()| handles[random.below(6_000) as usize]);
                let place = tree.get(other).expect("it lives").shape.aabb();
                tree.update(handle, place.translated(Vec3::splat(0.1))).unwrap();
            }
        }
    }
}

#[test]
fn a_frame_in_which_nothing_changed_looks_at_nothing() {
    let scene = Scene::by_name("pile", 3_000, 1).expect("a scene");
    let (mut tree, mut tracker, mut handles) = (Octree::default(), PairTracker::new(), Vec::new());
    tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
    update(&mut tree, &mut tracker);
    let pairs = tracker.pairs().len();
    assert!(pairs > 1_000);
    let still = tracker.update(tree.changes());
    assert_eq!((still.nodes_visited, still.objects_tested, tracker.begun().len()), (0, 0, 0));
    // One mover among thousands at rest.
    let shape = tree.get(handles[7]).expect("it lives").shape;
    tree.update(handles[7], shape).unwrap();
    let one = tracker.update(tree.changes());
    assert!(one.objects_tested < 300, "{one:?}");
    assert_eq!((tracker.pairs().len(), tracker.begun().len(), tracker.ended().len()), (pairs, 0, 0));
}

fn reloaded(tracker: &PairTracker) -> PairTracker {
    let saved = serde_json::to_vec(tracker).expect("numbers alone");
    serde_json::from_slice(&saved).expect("a sound tracker")
}

#[test]
fn saved_trackers_go_on_like_the_original() {
    let scene = Scene::by_name("pile", 1_500, 9).expect("a scene");
    let (mut tree, mut tracker, mut random) = (Octree::default(), PairTracker::new(), Random::new(5));
    let mut handles = Vec::new();
    tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
    let count = u32::try_from(handles.len()).expect("few objects");
    let (mut other_tree, mut other) = (tree.clone(), tracker.clone());
    let mut events = 0;
    for frame in 0..40 {
        update(&mut tree, &mut tracker);
        update(&mut other_tree, &mut other);
        assert!(tracker.begun() == other.begun() && tracker.ended() == other.ended(), "frame {frame}");
        assert!(tracker.pairs() == other.pairs() && tracker.persisting().eq(other.persisting()), "frame {frame}");
        events += tracker.begun().len() + tracker.ended().len();
        if frame % 3 == 1 {
            let mut bytes = Vec::new();
            other_tree.snapshot_into(&mut bytes);
            (other_tree, other) = (Octree::from_snapshot(&bytes).expect("a sound tree"), reloaded(&other));
            assert_eq!(other_tree.state_hash(), tree.state_hash(), "frame {frame}");
        }
        for _ in 0..[2, 5, 1, 200, 3, 0, 900][frame % 7] {
            let handle = handles[random.below(count) as usize];
            let place = tree.get(handles[random.below(count) as usize]).expect("it lives").shape.aabb();
            for tree in [&mut tree, &mut other_tree] {
                tree.update(handle, place.translated(Vec3::splat(0.2))).unwrap();
            }
        }
    }
    assert!(events > 5_000, "{events} events");
}

/// A tree of 160 objects, one of which has just left the others, and its tracker, saved: chains are made.
fn tampered() -> (Octree, PairTracker, String) {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let handles = [(); 160].map(|()| tree.insert(unit).unwrap());
    update(&mut tree, &mut tracker);
    update(&mut tree, &mut tracker);
    // One of 160 among 12,720 pairs.
    tree.update(handles[0], unit.translated(Vec3::X * 9.0)).unwrap();
    update(&mut tree, &mut tracker);
    assert_eq!(tracker.ended().len(), 159);
    let saved = serde_json::to_string(&tracker).expect("numbers alone");
    assert!(saved.contains("\"chained\":true"));
    (tree, tracker, saved)
}

/// What was saved with one of its pairs' objects replaced by one that no tree has.
fn with_a_foreign_slot(tracker: &PairTracker, saved: &str) -> String {
    let known = serde_json::to_string(&tracker.pairs()[0].b()).expect("numbers alone");
    let slot = tracker.pairs()[0].b().slot().to_string();
    assert!(saved.contains(&known), "{saved}");
    saved.replacen(&known, &known.replacen(&slot, "200000000", 1), 1)
}

#[test]
fn trackers_that_were_tampered_with_are_refused() {
    let (_, tracker, saved) = tampered();
    let with = |from: &str, to: &str| {
        assert!(saved.contains(from), "{saved}");
        serde_json::from_str::<PairTracker>(&saved.replacen(from, to, 1))
    };
    assert!(with("\"begun_at\":[]", "\"begun_at\":[13000]").is_err());
    assert!(with("\"begun_at\":[]", "\"begun_at\":[5,5]").is_err());
    // One digit more than there can be.
    assert!(with("\"in_order\":", "\"in_order\":9").is_err());
    let first = serde_json::to_string(&tracker.pairs()[0]).expect("numbers alone");
    assert!(with("\"pairs\":[", &format!("\"pairs\":[{first},")).is_err());
}

#[test]
fn regression_foreign_slots_of_a_loaded_tracker_take_no_memory() {
    for (chained, changed) in [("true", true), ("false", true), ("false", false)] {
        let (mut tree, tracker, saved) = tampered();
        let saved = with_a_foreign_slot(&tracker, &saved);
        let saved = saved.replacen("\"chained\":true", &format!("\"chained\":{chained}"), 1);
        let mut far: PairTracker = serde_json::from_str(&saved).expect("no tracker knows how many objects there are");
        let mut far_clone = far.clone();
        if changed {
            let handle = tree.iter().nth(1).expect("160 objects").0;
            tree.update(handle, Aabb::new(Vec3::splat(19.0), Vec3::splat(20.0))).unwrap();
        }
        let mut other = tree.clone();
        for (tree, far) in [(&mut tree, &mut far), (&mut other, &mut far_clone)] {
            let mut reference = Reference::new();
            reference.known = far.pairs().iter().copied().collect();
            update(tree, far);
            let events = reference.check(tree, far, chained);
            assert!(events > 0 && far.pairs().iter().all(|pair| tree.contains(pair.b())), "{chained}");
        }
    }
}
