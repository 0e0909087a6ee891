//! The tree as the keeper of a world: it grows and sinks, keeps data and slots,
//! and gives memory back.

use crate::support::{agree, cube, nodes, oracle_of, pairs, populated};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Error, Handle, Layers, Object, Octree};
use workloads::{Random, Scene};

#[test]
fn the_root_grows_towards_a_far_object_and_sinks_again() {
    let (mut tree, _) = populated("uniform", 500);
    let home = nodes(&mut tree)[0].cell;
    for direction in [Vec3::X, Vec3::NEG_X, Vec3::ONE, Vec3::NEG_ONE, Vec3::new(0.2, -1.0, 0.7)] {
        let before = tree.counters();
        let far = tree.insert(Aabb::from_center_half_extents(direction * 5_000.0, Vec3::ONE)).unwrap();
        let root = nodes(&mut tree)[0].cell;
        let after = tree.counters();
        assert!(root.contains(&home) && root.extents().x >= 5_000.0, "{direction}");
        assert!(after.growths >= before.growths + 5, "the root doubles");
        assert_eq!(after.rebuilds, before.rebuilds, "and nothing is rebuilt");
        assert!(after.placements <= before.placements + 1, "nor placed anew");
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
        tree.remove(far).unwrap();
        assert_eq!(nodes(&mut tree)[0].cell, home, "{direction}");
        tree.validate().unwrap();
    }
}

#[test]
fn an_object_that_moves_far_makes_the_root_grow() {
    let (mut tree, handles) = populated("mixed", 300);
    let (rebuilds, growths) = (tree.counters().rebuilds, tree.counters().growths);
    tree.update(handles[7], cube(-9_000.0, 40.0, 3.0, 2.0)).unwrap();
    let oracle = oracle_of(&tree);
    agree(&mut tree, &oracle);
    assert_eq!(tree.counters().rebuilds, rebuilds);
    assert!(tree.counters().growths > growths);
    assert_eq!(nodes(&mut tree)[0].bounds.min.x, -9_000.0);
}

/// A cube of a world that is flat has children in four octants at most.
#[test]
fn a_flat_or_long_world_fills_its_nodes_and_holds_what_rises_above() {
    let shapes = [Vec3::new(900.0, 900.0, 9.0), Vec3::new(7.0, 1200.0, 800.0), Vec3::new(20_000.0, 5.0, 5.0)];
    for (size, seed) in shapes.into_iter().zip(1..) {
        let mut random = Random::new(seed);
        let mut place = |scale: Vec3| Vec3::new(random.unit(), random.unit(), random.unit()) * scale;
        let objects: Vec<Object> =
            (0..6000).map(|_| Object::new(Aabb::from_center_half_extents(place(size), Vec3::splat(1.5)))).collect();
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.insert_many(&objects, &mut handles).unwrap();
        let branches: Vec<u32> = nodes(&mut tree).iter().filter(|node| !node.leaf).map(|node| node.children).collect();
        assert!(branches.iter().sum::<u32>() > 5 * u32::try_from(branches.len()).unwrap(), "{branches:?}");
        let height = |tree: &mut Octree| nodes(tree).iter().map(|node| node.depth).max().unwrap();
        let flat = height(&mut tree);
        for step in 1..=12_u8 {
            let handle = handles[usize::from(step) * 400];
            let up = size * 0.5 + Vec3::new(4.0, 3.0, 5.0) * f32::from(step) * 30.0;
            tree.update(handle, Aabb::from_center_half_extents(up, Vec3::splat(1.5))).unwrap();
            let oracle = oracle_of(&tree);
            agree(&mut tree, &oracle);
        }
        assert_eq!(tree.counters().rebuilds, 1, "{size}");
        // Each level has eight times the volume: in the long world two axes become 400 times as long.
        let grown = height(&mut tree);
        assert!(grown <= flat + 6, "{size}: {flat} levels, then {grown}");
    }
}

/// One level more was needed for each axis, and the snapshot was refused.
#[test]
fn regression_a_root_that_grew_to_each_corner_of_the_world_has_room_for_the_next() {
    for looseness in [1.0, 1.0001, 2.0] {
        let mut tree = Octree::new(Config { looseness, ..Config::default() }).unwrap();
        for step in 0..60_u8 {
            tree.insert(cube(f32::from(step) * 0.3 - 0.1, -0.1, -0.1, 0.05)).unwrap();
        }
        assert_eq!(tree.view().len(), 60);
        for far in
            [Vec3::X, Vec3::NEG_X, Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, -1.0), Vec3::NEG_ONE, Vec3::ONE]
        {
            tree.insert(Aabb::from_center_half_extents(far * 262_000.0, Vec3::splat(100_000.0))).unwrap();
            let oracle = oracle_of(&tree);
            agree(&mut tree, &oracle);
            let mut bytes = Vec::new();
            tree.snapshot_into(&mut bytes);
            assert_eq!(Octree::from_snapshot(&bytes).unwrap().state_hash(), tree.state_hash());
        }
        assert_eq!(tree.counters().outsized, 0);
        assert!(tree.counters().growths >= 16, "the root grew");
    }
}

/// Cells that may only halve leave leaves as full as it happens.
#[test]
fn objects_that_lie_evenly_fill_leaves_alike_however_dense_they_are() {
    let scene = Scene::by_name("uniform", 8000, 8).unwrap();
    let nodes_at = |scale: f32| {
        let scaled = scene.objects().iter().map(|object| {
            let aabb = object.shape.aabb();
            Object::new(Aabb::from_center_half_extents(aabb.center() * scale, Vec3::splat(0.4)))
        });
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.insert_many(&scaled.collect::<Vec<_>>(), &mut handles).unwrap();
        tree.validate().unwrap();
        tree.counters().nodes_live
    };
    let counts: Vec<usize> = (0..10_u8).map(|step| nodes_at(1.0 + 0.1 * f32::from(step))).collect();
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(most * 4 < least * 5, "{counts:?}");
}

#[test]
fn no_node_lies_below_the_depth_limit() {
    for depth_limit in [1, 2, 4] {
        let config = Config { leaf_capacity: 1, depth_limit, ..Config::default() };
        let mut tree = Octree::new(config).unwrap();
        let mut handles = Vec::new();
        tree.insert_many(Scene::by_name("mixed", 300, 8).unwrap().objects(), &mut handles).unwrap();
        let deepest = |tree: &mut Octree| nodes(tree).iter().map(|node| node.depth).max();
        assert_eq!(deepest(&mut tree), Some(depth_limit), "crowded cells divide down to the limit");
        for reach in [1e2, 1e3, 1e4, 1e5] {
            // The root grows by many doublings, and everything below it is too deep then.
            let far = tree.insert(Aabb::from_center_half_extents(Vec3::splat(reach), Vec3::ONE)).unwrap();
            assert!(deepest(&mut tree) <= Some(depth_limit));
            let oracle = oracle_of(&tree);
            agree(&mut tree, &oracle);
            tree.update(far, cube(0.0, 0.0, 0.0, 1.0)).unwrap();
            assert!(deepest(&mut tree) <= Some(depth_limit));
        }
    }
}

#[test]
fn bounds_are_those_of_the_objects_that_cells_hold() {
    let mut tree = Octree::default();
    assert_eq!(tree.view().bounds(), None);
    tree.insert(cube(1.0, 2.0, 3.0, 1.0)).unwrap();
    let last = tree.insert(cube(-8.0, 0.0, 0.0, 2.0)).unwrap();
    tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)).unwrap();
    let around = Aabb::new(Vec3::new(-8.0, 0.0, 0.0), Vec3::new(2.0, 3.0, 4.0));
    assert_eq!(tree.view().bounds(), Some(around));
    tree.remove(last).unwrap();
    assert_eq!(tree.view().bounds(), Some(cube(1.0, 2.0, 3.0, 1.0)));
}

#[test]
fn clear_keeps_the_memory_and_retires_every_handle() {
    let (mut tree, handles) = populated("uniform", 1_000);
    tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)).unwrap();
    tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    let memory = tree.memory();
    tree.clear();
    assert_eq!(tree.memory(), memory);
    assert_eq!((tree.len(), tree.is_empty(), tree.iter().count()), (0, true, 0));
    tree.validate().unwrap();
    assert!(pairs(&mut tree).is_empty() && nodes(&mut tree).is_empty());
    for handle in &handles {
        assert!(!tree.contains(*handle) && tree.get(*handle).is_none());
        assert_eq!(tree.set_user_data(*handle, 1), Err(Error::StaleHandle { handle: *handle }));
    }
    let mut again = Vec::new();
    let scene = Scene::by_name("uniform", 1_000, 8).unwrap();
    tree.insert_many(scene.objects(), &mut again).unwrap();
    assert!(again.iter().all(|handle| !handles.contains(handle)), "slots are reused, handles are not");
    assert!(again.iter().all(|handle| handle.slot() < 1_002), "slots are reused");
    let oracle = oracle_of(&tree);
    agree(&mut tree, &oracle);
}

#[test]
fn a_slot_is_reused_by_another_handle() {
    let mut tree = Octree::default();
    let mut seen: Vec<Handle> = Vec::new();
    for turn in 0..20 {
        let handle = tree.insert(Object::new(cube(0.0, 0.0, 0.0, 1.0)).with_user_data(turn)).unwrap();
        if turn % 3 == 0 {
            tree.view();
        }
        assert!(!seen.contains(&handle) && handle.slot() == 0 && handle.generation() % 2 == 1);
        assert!(seen.iter().all(|stale| !tree.contains(*stale)));
        assert_eq!(tree.remove(handle).unwrap().user_data, turn);
        seen.push(handle);
    }
    assert!(seen.is_sorted(), "handles of one slot are ordered by age");
}

#[test]
fn objects_are_listed_lowest_slot_first() {
    let (mut tree, handles) = populated("churn", 50);
    tree.remove(handles[10]).unwrap();
    tree.remove(handles[20]).unwrap();
    let waiting = tree.insert(cube(1.0, 1.0, 1.0, 1.0)).unwrap();
    assert_eq!(waiting.slot(), handles[20].slot(), "the slot freed last is used first");
    assert_eq!(tree.len(), 49);
    let listed: Vec<u32> = tree.iter().map(|(handle, _)| handle.slot()).collect();
    assert!(listed.len() == 49 && listed.is_sorted());
    assert!(tree.iter().all(|(handle, object)| tree.get(handle) == Some(object)));
}

#[test]
fn reserved_memory_is_there_and_unused_memory_is_given_back() {
    let mut tree = Octree::default();
    assert_eq!((tree.memory().total(), tree.memory().scratch), (0, 0), "an empty tree has allocated nothing");
    tree.reserve(4_000);
    let reserved = tree.memory();
    assert!(reserved.objects > 0 && reserved.blocks > 0 && reserved.nodes > 0);
    let scene = Scene::by_name("uniform", 4_000, 1).unwrap();
    let mut handles = Vec::new();
    for object in scene.objects() {
        handles.push(tree.insert(*object).unwrap());
    }
    assert_eq!(tree.memory().objects, reserved.objects, "no column grew");
    tree.view();
    let full = tree.memory();
    assert_eq!(full.scratch, 0, "a world that is loaded once keeps no working memory");
    for handle in &handles[200..] {
        tree.remove(*handle).unwrap();
    }
    assert_eq!(tree.memory().objects, reserved.objects, "the column of generations had its room");
    tree.rebuild();
    assert!(tree.memory().scratch > 0, "one that is built again keeps it for the next time");
    tree.shrink_to_fit();
    let shrunk = tree.memory();
    assert_eq!(shrunk.scratch, 0);
    assert!(shrunk.nodes < full.nodes && shrunk.blocks < full.blocks / 4 && shrunk.total() < full.total() / 2);
    let oracle = oracle_of(&tree);
    agree(&mut tree, &oracle);
    tree.clear();
    tree.shrink_to_fit();
    assert!(tree.memory().nodes + tree.memory().blocks == 0);
}

#[test]
fn an_even_world_takes_sixty_bytes_an_object() {
    let scene = Scene::by_name("uniform", 20_000, 1).unwrap();
    let boxes: Vec<Aabb> = scene.objects().iter().map(|object| object.shape.aabb()).collect();
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&boxes, &mut handles).unwrap();
    tree.view();
    // With room for what moves, it is more.
    let bytes = |tree: &Octree| tree.memory().total() / boxes.len() + size_of::<Handle>();
    assert!(bytes(&tree) <= 66, "{:?}", tree.memory());
    tree.shrink_to_fit();
    assert!(bytes(&tree) <= 60, "{:?}", tree.memory());
}

#[test]
fn usual_layers_and_user_data_take_no_memory() {
    let boxes: Vec<Aabb> = (0..1000_u16).map(|index| cube(f32::from(index), 0.0, 0.0, 1.0)).collect();
    let with = |last: Object| {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.insert(boxes[0]).unwrap();
        tree.insert_many(&boxes, &mut handles).unwrap();
        tree.insert(last).unwrap();
        tree.view();
        tree.memory().objects
    };
    let plain = Object::new(cube(-5.0, 0.0, 0.0, 1.0));
    let layers = Layers { memberships: u32::MAX, filters: 1 };
    let (usual, tagged, layered) = (with(plain), with(plain.with_user_data(1)), with(plain.with_layers(layers)));
    assert!(usual + 8 * 1001 <= tagged && usual + 4 * 1001 <= layered, "{usual} {tagged} {layered}");
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&boxes, &mut handles).unwrap();
    assert!(tree.memory().objects <= usual, "{} of {usual}", tree.memory().objects);
}

#[test]
fn user_data_stays_with_its_object() {
    let (mut tree, handles) = populated("mixed", 200);
    let expected = |index: usize| index as u64 * 0x0123_4567_89ab;
    for (index, handle) in handles.iter().enumerate() {
        assert_eq!(tree.get(*handle).unwrap().user_data, index as u64, "as it was inserted");
        tree.set_user_data(*handle, expected(index)).unwrap();
    }
    let counters = tree.counters();
    tree.view();
    assert_eq!(tree.counters(), counters, "the tree need not be brought up to date for it");
    tree.rebuild();
    tree.update(handles[3], cube(800.0, 0.0, 0.0, 1.0)).unwrap();
    let view = tree.view();
    for (index, handle) in handles.iter().enumerate() {
        assert_eq!(view.user_data(*handle), Some(expected(index)));
        assert_eq!(view.get(*handle).unwrap().user_data, expected(index));
    }
    assert_eq!(tree.remove(handles[5]).unwrap().user_data, expected(5));
}
