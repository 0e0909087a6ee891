//! What no cell can hold, infinite or far out, is found, paired and counted as
//! anything else.

use crate::support::{agree, nodes, oracle_of, pairs, pool, populated, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Frustum, Handle, Layers, Object, Octree, Pair, Ray, Sphere, Threads, shape::Plane};
use workloads::Random;

/// Objects that no cell can hold, each with a point of it.
fn outsized() -> Vec<(&'static str, Object, Vec3)> {
    let (low, high) = (Vec3::NEG_INFINITY, Vec3::INFINITY);
    let far = Vec3::new(1e30, 0.0, 0.0);
    vec![
        ("half-space", Aabb::new(low, high.with_y(-40.0)).into(), Vec3::new(3.0, -1e6, 3.0)),
        ("opposite half-space", Aabb::new(low.with_z(900.0), high).into(), Vec3::new(3.0, 0.0, 1e5)),
        ("everything", Aabb::new(low, high).into(), Vec3::ZERO),
        ("sky box", Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30)).into(), Vec3::splat(9e29)),
        ("a box far away", Aabb::from_center_half_extents(far, Vec3::splat(1e28)).into(), far),
        ("a ball far away", Sphere::new(Vec3::splat(-1e17), 1e17).into(), Vec3::splat(-1e17)),
        ("a great ball", Sphere::new(Vec3::ZERO, Sphere::RADIUS_MAX).into(), Vec3::ONE),
    ]
}

fn all_of_space() -> Frustum {
    let plane = |normal: Vec3| Plane { normal, offset: f32::MAX };
    Frustum::from_planes([Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(plane)).unwrap()
}

#[test]
fn outsized_objects_are_found_by_every_question() {
    for (name, object, inside) in outsized() {
        let (mut tree, _) = populated("shapes", 200);
        let nodes_live = tree.counters().nodes_live;
        let handle = tree.insert(object).unwrap();
        let root = nodes(&mut tree)[0].cell;
        assert!(root.extents().x < 1_000.0, "{name}: the root does not grow for it");
        assert_eq!(tree.counters().nodes_live, nodes_live + 1, "{name}: a bucket for it");
        let view = tree.view();
        let mut found = Vec::new();
        view.overlap(&inside).unwrap().collect_into(&mut found);
        assert!(found.contains(&handle), "{name}: point");
        view.overlap(&Aabb::new(inside, inside)).unwrap().collect_into(&mut found);
        assert!(found.contains(&handle), "{name}: box");
        view.overlap(&Sphere::new(inside, 1.0)).unwrap().collect_into(&mut found);
        assert!(found.contains(&handle), "{name}: sphere");
        let mut seen = Vec::new();
        view.overlap(&all_of_space()).unwrap().with_containment().collect_into(&mut seen);
        assert!(seen.iter().any(|(seen, _)| *seen == handle), "{name}: frustum");
        let ray = Ray::new(inside, Vec3::new(0.0, 0.0, -1.0)).unwrap();
        let mut hits = Vec::new();
        view.cast(&ray).collect_into(&mut hits);
        let hit = hits.iter().find(|hit| hit.handle == handle).expect(name);
        assert_eq!((hit.distance, hit.normal), (0.0, Vec3::ZERO), "{name}: a ray that starts inside");
        assert_eq!(view.cast(&ray).closest().expect(name).distance, 0.0, "{name}");
        assert!(view.cast(&ray).any().is_some(), "{name}");
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
        view_partners(&mut tree, handle);
        tree.remove(handle).unwrap();
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
    }
}

/// The partners of an object are the other sides of its pairs.
fn view_partners(tree: &mut Octree, handle: Handle) {
    let expected = oracle_of(tree).pairs_of(handle).unwrap();
    let mut partners = Vec::new();
    tree.view().pairs_of(handle).unwrap().collect_into(&mut partners);
    assert_eq!(sorted(partners), expected);
}

#[test]
fn outsized_objects_are_paired_with_each_other_and_with_the_rest() {
    let (mut tree, handles) = populated("uniform", 100);
    let everything = tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)).unwrap();
    let below = tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY.with_y(1e9))).unwrap();
    let found = pairs(&mut tree);
    assert!(found.contains(&Pair::new(everything, below)));
    for handle in handles {
        assert!(found.contains(&Pair::new(everything, handle)) && found.contains(&Pair::new(below, handle)));
        tree.remove(handle).unwrap();
    }
    assert_eq!(pairs(&mut tree), [Pair::new(everything, below)], "also where there is no tree");
}

#[test]
fn objects_become_outsized_and_ordinary_again() {
    let (mut tree, handles) = populated("uniform", 300);
    let ordinary = tree.get(handles[11]).unwrap().shape;
    for (name, object, _) in outsized() {
        tree.update(handles[11], object.shape).unwrap();
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
        tree.update(handles[11], ordinary).unwrap();
        agree(&mut tree, &{ oracle_of_updated(oracle, handles[11], ordinary) });
        assert!(nodes(&mut tree).iter().map(|node| node.objects).sum::<u32>() == 300, "{name}: back in the tree");
    }
}

fn oracle_of_updated(mut oracle: workloads::Oracle, handle: Handle, shape: broadleaf::Shape) -> workloads::Oracle {
    assert!(oracle.update(handle, shape));
    oracle
}

#[test]
fn outsized_objects_are_counted() {
    let far = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0));
    let count = |tree: &mut Octree| {
        tree.view();
        tree.validate().unwrap();
        (tree.counters().outsized, tree.counters().nodes_live)
    };
    let mut tree = Octree::default();
    let handles = [300_000.0, 3e5, 4e5].map(|x| tree.insert(far(x)).unwrap());
    assert_eq!(count(&mut tree), (3, 1), "beyond 2^24 smallest cells");
    tree.update(handles[0], far(262_000.0)).unwrap();
    assert_eq!(count(&mut tree), (2, 2));
    tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::ZERO)).unwrap();
    tree.remove(handles[1]);
    assert_eq!(count(&mut tree), (2, 2));
    let mut wide = Octree::new(Config { smallest_cell: 1.0, ..Config::default() }).unwrap();
    wide.insert(far(300_000.0)).unwrap();
    assert_eq!(count(&mut wide), (0, 1));
    tree.clear();
    assert_eq!(count(&mut tree).0, 0);
}

/// So many cubes on a line that begins `from` away from the origin, each touching the next.
fn row(from: f32, edge: f32, count: usize) -> Vec<Object> {
    let low = |i: usize| Vec3::new(from + i as f32 * edge, 0.0, 0.0);
    (0..count).map(|i| Aabb::new(low(i), low(i) + edge).into()).collect()
}

/// The tree with its answers checked, and how many objects no cell of it holds.
fn outsized_of(tree: &mut Octree) -> usize {
    tree.view();
    tree.validate().unwrap();
    let oracle = oracle_of(tree);
    agree(tree, &oracle);
    tree.counters().outsized
}

#[test]
fn regression_worlds_beyond_the_reach_of_the_settings_are_placed_in_cells() {
    let mut handles = Vec::new();
    for (from, config) in [(3e5, Config::default()), (3e9, Config::default()), (-4e5, Config::strict())] {
        let objects = row(from, 1024.0, 400);
        let (mut built, mut inserted) = (Octree::new(config).unwrap(), Octree::new(config).unwrap());
        built.insert_many(&objects, &mut handles).unwrap();
        assert_eq!(outsized_of(&mut built), 0, "from {from}");
        for &object in &objects {
            inserted.insert(object).unwrap();
        }
        assert_eq!(outsized_of(&mut inserted), 0, "from {from}, inserted");
        // The cells are those of the settings again once everything is near.
        let near = row(0.0, 1.0, 400);
        let shapes: Vec<_> = near.iter().map(|object| object.shape).collect();
        built.update_many(&handles, &shapes).unwrap();
        assert_eq!(outsized_of(&mut built), 0);
        built.rebuild();
        let mut fresh = Octree::new(config).unwrap();
        fresh.insert_many(&near, &mut Vec::new()).unwrap();
        assert_eq!(nodes(&mut built), nodes(&mut fresh), "from {from}, brought near");
    }
}

#[test]
fn cells_reach_some_far_objects_where_they_cannot_reach_all() {
    // Around a point; a few out of reach of the cells of the settings; one out of reach of any that stay small.
    let mut random = Random::new(4);
    let mut boxes: Vec<Aabb> = (0..17_000).map(|_| cube_at(random.signed() * 2e5)).collect();
    boxes.extend((0..300).map(|i| cube_at(Vec3::new(2.7e5 + 100.0 * i as f32, 0.0, 0.0))));
    boxes.push(cube_at(Vec3::new(-1.6e8, 2e7, 0.0)));
    let mut hashes = Vec::new();
    for threads in [Threads::One, Threads::Pool] {
        let mut tree = Octree::default();
        tree.set_threads(threads);
        pool(2).install(|| tree.insert_many(&boxes, &mut Vec::new())).unwrap();
        tree.view();
        tree.validate().unwrap();
        assert_eq!(tree.counters().outsized, 1, "{threads:?}");
        hashes.push(tree.state_hash());
    }
    assert_eq!(hashes[0], hashes[1]);
}

fn cube_at(center: Vec3) -> Aabb {
    Aabb::from_center_half_extents(center, Vec3::splat(8.0))
}

#[test]
fn closest_hits_are_those_of_outsized_objects_and_of_all_others() {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&row(0.0, 1.0, 400), &mut handles).unwrap();
    let layers = |memberships| Layers { memberships, ..Layers::ALL };
    let far = Aabb::from_center_half_extents(Vec3::new(1e30, 0.0, 0.0), Vec3::splat(1e28));
    let far = tree.insert(Object::new(far).with_layers(layers(2))).unwrap();
    handles.iter().for_each(|&handle| tree.set_layers(handle, layers(1)).unwrap());
    tree.view();
    assert_eq!(tree.counters().outsized, 1);
    let view = tree.view();
    let (ahead, back) = (Vec3::X, Vec3::NEG_X);
    let past = Vec3::new(500.0, 0.5, 0.5);
    for (from, direction, hit) in [
        (past, ahead, Some(far)),
        (past, back, handles.last().copied()),
        (past, Vec3::Y, None),
        (Vec3::new(-5.0, 0.5, 0.5), ahead, handles.first().copied()),
        (Vec3::new(-5.0, 0.5, 0.5), back, None),
    ] {
        let ray = Ray::new(from, direction).unwrap();
        let closest = |layers: u32| view.cast(&ray).layers(layers).closest().map(|hit| hit.handle);
        assert_eq!(view.cast(&ray).closest().map(|hit| hit.handle), hit, "{from}, {direction}");
        assert_eq!(closest(3), hit);
        assert_eq!(closest(1), hit.filter(|&hit| hit != far), "{from}, {direction}");
        assert_eq!(closest(4), None);
        assert_eq!(view.cast(&ray).within(1e6).closest().map(|hit| hit.handle), hit.filter(|&hit| hit != far));
    }
    let ray = Ray::new(Vec3::new(-5.0, 0.5, 0.5), ahead).unwrap();
    assert_eq!(view.cast(&ray).layers(2).closest().map(|hit| hit.handle), Some(far));
}

#[test]
fn objects_that_wander_out_of_reach_are_placed_in_cells_once_they_are_many() {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&row(0.0, 1.0, 1600), &mut handles).unwrap();
    let far: Vec<_> = row(3e5, 1.0, 1600).iter().map(|object| object.shape).collect();
    for (moved, outsized) in [(64, 64), (100, 100), (101, 0), (500, 0)] {
        tree.update_many(&handles[..moved], &far[..moved]).unwrap();
        assert_eq!(outsized_of(&mut tree), outsized, "{moved} have moved");
    }
    tree.shift_origin(Vec3::new(2e5, 0.0, 0.0)).unwrap();
    assert_eq!(outsized_of(&mut tree), 0);
}

#[test]
fn regression_what_no_cells_can_reach_does_not_have_the_tree_built_anew() {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(&row(0.0, 1.0, 800), &mut handles).unwrap();
    let half_space = |x: f32| Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY.with_x(x));
    let mut infinite: Vec<Handle> = (0..64).map(|i| tree.insert(half_space(-1.0 - i as f32)).unwrap()).collect();
    tree.view();
    let rebuilds = tree.counters().rebuilds;
    for i in 0..100 {
        // More than a leaf holds, and then no more, again and again.
        infinite.push(tree.insert(half_space(-99.0 - i as f32)).unwrap());
        tree.view();
        if i % 2 == 0 {
            tree.remove(infinite.swap_remove(i % 64)).unwrap();
        }
    }
    assert_eq!((outsized_of(&mut tree), tree.counters().rebuilds), (infinite.len(), rebuilds));
    // However many they are, finite objects that wander off are reached once these are many.
    let far: Vec<_> = row(3e5, 1.0, 110).iter().map(|object| object.shape).collect();
    for (&handle, &shape) in handles.iter().zip(&far) {
        tree.update(handle, shape).unwrap();
        tree.view();
    }
    assert!(outsized_of(&mut tree) < infinite.len() + 65);
    assert_eq!(tree.counters().rebuilds, rebuilds + 1);
}

#[test]
fn worlds_that_are_shifted_near_have_the_cells_of_the_settings() {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    let at = |from: f32| {
        let objects = row(from, 4.0, 400);
        objects.into_iter().map(|object| object.shape).collect::<Vec<_>>()
    };
    tree.insert_many(&at(1e7), &mut handles).unwrap();
    assert_eq!(tree.view().bounds(), Some(Aabb::new(Vec3::X * 1e7, Vec3::new(1e7 + 1600.0, 4.0, 4.0))));
    tree.shift_origin(Vec3::X * 1e7).unwrap();
    assert_eq!(outsized_of(&mut tree), 0);
    let mut fresh = Octree::default();
    fresh.insert_many(&at(0.0), &mut Vec::new()).unwrap();
    assert_eq!(nodes(&mut tree), nodes(&mut fresh));
}

#[test]
fn bounds_hold_what_the_cells_of_the_settings_reach() {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    // So small that cells are made smaller, and do not reach far.
    let tiny: Vec<Object> = (0..500).map(|i| Aabb::new(Vec3::X * i as f32, Vec3::X * i as f32 + 1.0).into()).collect();
    let tiny: Vec<Object> = tiny
        .iter()
        .map(|object| Aabb::new(object.shape.aabb().min * 1e-6, object.shape.aabb().max * 1e-6).into())
        .collect();
    tree.insert_many(&tiny, &mut handles).unwrap();
    let far = Aabb::new(Vec3::splat(-2e5), Vec3::splat(-1e5));
    tree.insert(far).unwrap();
    tree.insert(Aabb::new(Vec3::splat(3e5), Vec3::splat(4e5))).unwrap();
    assert_eq!(outsized_of(&mut tree), 2);
    let bounds = tree.view().bounds().unwrap();
    assert_eq!((bounds.min, bounds.max.x < 1.0), (far.min, true));
}
