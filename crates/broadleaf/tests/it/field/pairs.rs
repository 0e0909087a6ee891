//! Pairs and what becomes of them.

use super::unit;
use crate::support::{pairs, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Layers, Margin, Mobility, Object, Octree, Pair, PairTracker};
use std::collections::BTreeSet;
use workloads::Scene;

fn of_layer(shape: Aabb, memberships: u32, filters: u32) -> Object {
    Object::new(shape).with_layers(Layers { memberships, filters })
}

/// The pairs that a tracker reports, as sets: begun, ended.
fn events(tree: &mut Octree, tracker: &mut PairTracker) -> (BTreeSet<Pair>, BTreeSet<Pair>) {
    tracker.update(tree.changes());
    tree.validate().unwrap();
    (tracker.begun().iter().copied().collect(), tracker.ended().iter().copied().collect())
}

/// Elsewhere the overlapping parts of one body flooded the list of pairs.
#[test]
fn parts_of_a_body_do_not_flood_the_pairs() {
    let mut tree = Octree::default();
    let part = |offset: usize| unit().translated(Vec3::splat(0.001 * offset as f32));
    // A layer whose objects ignore it.
    let parts: Vec<_> = (0..500).map(|i| tree.insert(of_layer(part(i), 0b01, !0b01)).unwrap()).collect();
    assert!(pairs(&mut tree).is_empty());
    let ball = tree.insert(of_layer(unit(), 0b10, u32::MAX)).unwrap();
    let expected: Vec<Pair> = parts.iter().map(|&part| Pair::new(part, ball)).collect();
    assert_eq!(sorted(pairs(&mut tree)), sorted(expected));
    let mut tracker = PairTracker::new();
    assert_eq!(events(&mut tree, &mut tracker).0.len(), 500);
    tree.update(parts[3], part(4)).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), (BTreeSet::new(), BTreeSet::new()));
}

/// Elsewhere pairs began by fat boxes and ended by tight ones, so that live contacts were dropped.
#[test]
fn fat_pairs_begin_and_end_by_the_same_bounds() {
    let margin = Margin { absolute: 0.25, relative: 0.0 };
    let mut tree = Octree::new(Config { margin, ..Config::default() }).unwrap();
    let (mut tracker, mut known) = (PairTracker::new(), BTreeSet::new());
    let (a, b) = (tree.insert(unit()).unwrap(), tree.insert(unit().translated(Vec3::X * 0.9)).unwrap());
    let (mut touched, mut parted, mut changes) = (0, 0, 0);
    for frame in 0..200 {
        // To and fro across the place where the tight boxes part, and at times beyond the fat ones.
        let reach = if frame % 50 > 40 { 1.2 } else { 0.2 };
        let offset = 0.95 + reach * (frame as f32 * 0.7).sin().abs();
        tree.update(b, unit().translated(Vec3::X * offset)).unwrap();
        let (begun, ended) = events(&mut tree, &mut tracker);
        assert!(begun.is_disjoint(&known) && ended.is_subset(&known), "frame {frame}");
        known = &(&known | &begun) - &ended;
        changes += begun.len() + ended.len();
        let view = tree.view();
        let fat = |handle| view.fat_shape(handle).expect("it lives").aabb();
        assert_eq!(known.contains(&Pair::new(a, b)), fat(a).overlaps(&fat(b)), "frame {frame}");
        let touches = view.touches(a, b).unwrap();
        assert!(!touches || known.contains(&Pair::new(a, b)), "frame {frame}: a live contact was dropped");
        (touched, parted) = (touched + usize::from(touches), parted + usize::from(!touches && !known.is_empty()));
    }
    assert!(touched > 5 && parted > 50 && (3..60).contains(&changes), "{touched} {parted} {changes}");
}

/// Elsewhere a world of static objects cost time in every frame.
#[test]
fn what_rests_costs_nothing_however_much_there_is() {
    let mut work = Vec::new();
    for count in [2_000, 40_000] {
        for mobility in [Mobility::Static, Mobility::Moving] {
            let scene = Scene::by_name("uniform", count, 6).expect("a scene");
            let objects: Vec<Object> = scene.objects().iter().map(|object| object.with_mobility(mobility)).collect();
            let (mut tree, mut tracker, mut handles) = (Octree::default(), PairTracker::new(), Vec::new());
            tree.insert_many(&objects, &mut handles).unwrap();
            let mover = tree.insert(Aabb::from_center_half_extents(scene.bounds().center(), Vec3::ONE)).unwrap();
            tracker.update(tree.changes());
            let before = tree.counters();
            let still = tracker.update(tree.changes());
            assert_eq!((still.nodes_visited, still.objects_tested, tree.counters()), (0, 0, before));
            tree.update(mover, Aabb::from_center_half_extents(scene.bounds().center(), Vec3::splat(1.1))).unwrap();
            let stats = tracker.update(tree.changes());
            assert!(stats.objects_tested > 0 && tree.counters().refits - before.refits < 20, "one path is refitted");
            work.push(stats.nodes_visited + stats.objects_tested);
        }
    }
    assert!(work.iter().all(|&work| work < 400), "one mover among few and many: {work:?}");
}

/// Elsewhere a pair was missed when a side shrank, jumped, or changed its mask or mode.
#[test]
fn shrinking_jumping_and_changing_masks_are_not_missed() {
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let a = tree.insert(unit()).unwrap();
    let b = tree.insert(unit().translated(Vec3::X * 0.5)).unwrap();
    let pair = BTreeSet::from([Pair::new(a, b)]);
    let (begins, ends) = ((pair.clone(), BTreeSet::new()), (BTreeSet::new(), pair));
    assert_eq!(events(&mut tree, &mut tracker), begins, "new");
    tree.update(b, Aabb::new(Vec3::splat(1.5), Vec3::splat(1.6))).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), ends, "shrunk");
    tree.update(b, unit().translated(Vec3::splat(5e3))).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), Default::default(), "jumped away");
    tree.update(b, unit()).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), begins, "jumped back");
    tree.set_layers(a, Layers { memberships: 2, filters: u32::MAX }).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), Default::default(), "another layer, but b looks for all");
    tree.set_layers(b, Layers { memberships: 1, filters: 1 }).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), ends, "b no longer looks for a's layer");
    tree.set_layers(a, Layers { memberships: 1, filters: u32::MAX }).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), begins, "a is on b's layer");
    tree.set_mobility(a, Mobility::Static).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), Default::default(), "one still moves");
    tree.set_mobility(b, Mobility::Static).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), ends, "both static");
    tree.set_mobility(a, Mobility::Moving).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), begins, "one moves again, without a new place");
    tree.remove(a).unwrap();
    assert_eq!(events(&mut tree, &mut tracker), ends, "removed");
}
