//! Many objects in one call, or moved since the last view: the tree that comes of
//! it is the one that single calls make.

use crate::support::{agree, contents, cube, nodes, oracle_of, pairs, pool, populated, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Handle, Layers, Object, Octree, Scratch, Shape, Sphere, Threads};
use workloads::{Player, Random, Scene};

#[test]
fn a_rebuilt_tree_answers_as_an_updated_one() {
    for name in Scene::NAMES {
        let mut scene = Scene::by_name(name, 300, 6).unwrap();
        let (mut kept, mut rebuilt) = (Octree::default(), Octree::default());
        let (mut one, mut other) = (Player::new(), Player::new());
        one.load(&mut kept, scene.objects()).unwrap();
        other.load(&mut rebuilt, scene.objects()).unwrap();
        for frame in 0..12 {
            let changes = scene.step().clone();
            one.play(&mut kept, &changes).unwrap();
            other.play(&mut rebuilt, &changes).unwrap();
            rebuilt.rebuild();
            rebuilt.validate().unwrap();
            assert_eq!(contents(&kept), contents(&rebuilt), "{name}");
            assert_eq!(sorted(pairs(&mut kept)), sorted(pairs(&mut rebuilt)), "{name}");
            for aabb in scene.query_boxes(10, frame) {
                let ask = |tree: &mut Octree| {
                    let mut found = Vec::new();
                    tree.view().overlap(&aabb).unwrap().collect_into(&mut found);
                    sorted(found)
                };
                assert_eq!(ask(&mut kept), ask(&mut rebuilt), "{name}");
            }
        }
        assert!(rebuilt.counters().rebuilds >= 12 && kept.counters().rebuilds < 12, "{name}");
    }
}

/// Puts each object in so many somewhere else in the scene.
fn teleport(tree: &mut Octree, handles: &[Handle], one_in: usize, seed: u64) {
    let bounds = Scene::by_name("uniform", 1_000, 8).unwrap().bounds();
    let mut random = Random::new(seed);
    for handle in handles.iter().step_by(one_in) {
        let center = random.point(&bounds);
        tree.update(*handle, Aabb::from_center_half_extents(center, Vec3::splat(0.5))).unwrap();
    }
}

#[test]
fn a_rebuild_is_chosen_when_most_objects_jump() {
    let config = Config { leaf_capacity: 8, ..Config::default() };
    let mut tree = Octree::new(config).unwrap();
    let mut handles = Vec::new();
    tree.insert_many(Scene::by_name("uniform", 1_000, 8).unwrap().objects(), &mut handles).unwrap();
    tree.view();
    assert_eq!(tree.counters().rebuilds, 1, "a new world is built in bulk");
    let before = tree.counters();
    teleport(&mut tree, &handles, 1, 1);
    tree.view();
    let after = tree.counters();
    assert_eq!((after.rebuilds, after.relocations), (before.rebuilds + 1, before.relocations));
    for turn in 0..20 {
        teleport(&mut tree, &handles, 50, turn + 2);
        tree.view();
    }
    let few = tree.counters();
    assert_eq!(few.rebuilds, after.rebuilds, "few are put in their place one by one");
    assert!(few.relocations > after.relocations + 100);
    let oracle = oracle_of(&tree);
    agree(&mut tree, &oracle);
}

#[test]
fn a_rebuild_is_chosen_when_most_objects_are_new() {
    let (mut tree, _) = populated("uniform", 100);
    let rebuilds = tree.counters().rebuilds;
    tree.insert(cube(1.0, 1.0, 1.0, 1.0)).unwrap();
    tree.view();
    assert_eq!(tree.counters().rebuilds, rebuilds);
    let mut handles = Vec::new();
    tree.insert_many(&[cube(2.0, 2.0, 2.0, 1.0); 300], &mut handles).unwrap();
    tree.view();
    assert_eq!(tree.counters().rebuilds, rebuilds + 1);
}

#[test]
fn a_world_given_at_once_is_the_one_that_was_queued() {
    for name in Scene::NAMES {
        let scene = Scene::by_name(name, 700, 8).unwrap();
        let mut objects = scene.objects().to_vec();
        objects.push(Object::new(Aabb::new(Vec3::NEG_INFINITY, Vec3::ZERO)));
        objects.push(Object::new(cube(1e30, 1e30, 1e30, 1.0)).with_layers(Layers::new(1, 2)).with_user_data(9));
        // Slots that come back in another order than that of their number.
        let worn = || {
            let (mut tree, handles) = populated("uniform", 300);
            assert!(handles.iter().step_by(3).all(|&handle| tree.remove(handle).is_some()));
            let rest: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
            assert!(rest.iter().all(|&handle| tree.remove(handle).is_some()));
            tree
        };
        for (mut queued, mut given) in [(Octree::default(), Octree::default()), (worn(), worn())] {
            let one_by_one: Vec<Handle> = objects.iter().map(|&object| queued.insert(object).unwrap()).collect();
            let mut handles = Vec::new();
            given.insert_many(&objects, &mut handles).unwrap();
            given.validate().unwrap();
            assert_eq!(handles, one_by_one, "{name}");
            assert_eq!(contents(&given), contents(&queued), "{name}");
            assert_eq!(nodes(&mut given), nodes(&mut queued), "{name}");
            let (mut a, mut b) = (Vec::new(), Vec::new());
            given.view().pairs(&mut Scratch::new()).collect_into(&mut a);
            queued.view().pairs(&mut Scratch::new()).collect_into(&mut b);
            assert_eq!(a, b, "{name}");
        }
    }
}

#[test]
fn an_empty_tree_refuses_a_slice_as_any_other_does() {
    let good = Shape::from(cube(7.0, 7.0, 7.0, 1.0));
    let ball = Shape::from(Sphere::new(Vec3::ONE, 1.0));
    let inverted = Shape::from(Aabb::new(Vec3::ONE, Vec3::ZERO));
    let negative = Shape::from(Sphere::new(Vec3::ZERO, -1.0));
    for (first, second) in [(inverted, negative), (negative, inverted)] {
        for index in [0, 6, 7, 8, 18] {
            let mut shapes = vec![good; 21];
            shapes[3] = ball;
            (shapes[index], shapes[index + 1]) = (first, second);
            let (mut tree, mut handles) = (Octree::default(), Vec::new());
            handles.push(tree.insert(good).unwrap());
            tree.remove(handles[0]).unwrap();
            let (before, kept) = (tree.counters(), handles.clone());
            let refusal = tree.insert_many(&shapes, &mut handles).unwrap_err();
            assert_eq!((refusal.index, Err(refusal.error)), (index, first.check()));
            assert_eq!((tree.len(), tree.counters(), handles), (0, before, kept));
            tree.validate().unwrap();
        }
    }
}

/// Gives an empty tree a slice of boxes of which one is not legal.
fn refuses<O: Into<Object> + Copy + Sync>(len: usize, index: usize, bad: Aabb, of: impl Fn(Aabb) -> O) {
    let mut given = vec![of(cube(7.0, 7.0, 7.0, 1.0)); len];
    given[index] = of(bad);
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.set_threads(Threads::Pool);
    let refusal = tree.insert_many(&given, &mut handles).unwrap_err();
    assert_eq!((refusal.index, Err(refusal.error), tree.len()), (index, bad.check(), 0));
}

#[test]
fn an_empty_tree_refuses_a_slice_of_boxes_alone() {
    let point = |x: f32| Vec3::new(x, 0.0, 0.0);
    let (high, low) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for bad in
        [Aabb::new(point(f32::NAN), high), Aabb::new(low, point(f32::NAN)), Aabb::new(high, high), Aabb::new(high, low)]
    {
        for index in 0..24 {
            refuses(24, index, bad, |aabb| aabb);
            refuses(24, index, bad, Shape::from);
            refuses(24, index, bad, Object::new);
        }
        // Too many for the boxes to be copied; on two threads, too.
        for index in [0, 12_345, 131_071, 131_072] {
            refuses(131_073, index, bad, |aabb| aabb);
            pool(2).install(|| refuses(131_073, index, bad, Object::new));
        }
    }
}

#[test]
fn a_large_world_given_at_once_is_the_one_that_was_queued() {
    // As many as are copied, and one more.
    for len in [131_072, 131_073] {
        let mut objects = Scene::by_name("shapes", len, 8).unwrap().objects().to_vec();
        objects[77] = Object::new(cube(1e30, 1e30, 1e30, 1.0));
        let (mut queued, mut given, mut handles) = (Octree::default(), Octree::default(), Vec::new());
        objects.iter().for_each(|&object| _ = queued.insert(object).unwrap());
        given.insert_many(&objects, &mut handles).unwrap();
        given.validate().unwrap();
        assert_eq!(nodes(&mut given), nodes(&mut queued), "{len}");
        assert_eq!(contents(&given), contents(&queued), "{len}");
    }
}

#[test]
fn bulk_updates_take_boxes_spheres_and_shapes() {
    let (mut tree, handles) = populated("shapes", 200);
    let shapes: Vec<Shape> = handles.iter().map(|handle| tree.get(*handle).unwrap().shape).collect();
    let boxes: Vec<Aabb> = shapes.iter().map(|shape| shape.aabb().translated(Vec3::X * 0.4)).collect();
    let balls: Vec<Sphere> = boxes.iter().map(|aabb| Sphere::new(aabb.center(), 0.75)).collect();
    let is = |tree: &mut Octree, expected: &[Shape]| {
        assert!(handles.iter().map(|handle| tree.get(*handle).unwrap().shape).eq(expected.iter().copied()));
        let oracle = oracle_of(tree);
        agree(tree, &oracle);
    };
    tree.update_many(&handles, &boxes).unwrap();
    is(&mut tree, &boxes.iter().copied().map(Shape::from).collect::<Vec<_>>());
    tree.update_many(&handles, &balls).unwrap();
    is(&mut tree, &balls.iter().copied().map(Shape::from).collect::<Vec<_>>());
    tree.update_many(&handles, &shapes).unwrap();
    is(&mut tree, &shapes);
}
