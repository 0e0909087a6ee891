//! A tree that is built on threads is the one that a single thread builds, bit
//! for bit, for any number of threads.

use crate::support::{pairs, pool};
use broadleaf::glam::{Vec3, Vec3Swizzles};
use broadleaf::{Aabb, Config, Handle, Layers, Margin, Object, Octree, Shape, Sphere, Threads, inspect::Counters};
use workloads::Scene;

/// Enough for a build to be shared out.
const OBJECTS: u32 = 20_000;

/// What can be seen of a tree, but for how long it took.
fn seen(tree: &mut Octree) -> (u64, Counters) {
    tree.validate().expect("no invariant is broken");
    (tree.state_hash(), tree.counters())
}

/// Builds a tree, moves everything, has the view choose a bulk build, and
/// asks for another; what is seen at each step.
fn play(config: Config, threads: Threads, objects: &[Object], more: &[Object]) -> Vec<(u64, Counters)> {
    let (mut tree, mut handles) = (Octree::new(config).expect("legal settings"), Vec::new());
    tree.set_threads(threads);
    let mut steps = Vec::new();
    for _ in 0..2 {
        tree.clear();
        tree.insert_many(objects, &mut handles).expect("legal objects");
        tree.view();
        steps.push(seen(&mut tree));
        let moved = |object: &Object| match object.shape {
            Shape::Aabb(aabb) if !aabb.center().is_finite() => object.shape,
            Shape::Aabb(aabb) => Shape::Aabb(aabb.translated((aabb.center() * 0.7).yzx())),
            Shape::Sphere(sphere) => Shape::Sphere(Sphere::new(sphere.center.zxy() * 0.8, sphere.radius)),
            _ => unreachable!("a shape that is not known here"),
        };
        let shapes: Vec<Shape> = objects.iter().map(moved).collect();
        tree.update_many(&handles, &shapes).expect("legal shapes");
        for &handle in handles.iter().step_by(7) {
            tree.remove(handle).expect("a living object");
        }
        for &object in more {
            tree.insert(object).expect("a legal object");
        }
        tree.view();
        steps.push(seen(&mut tree));
        tree.rebuild();
        steps.push(seen(&mut tree));
    }
    steps
}

fn compare(case: &str, config: Config, objects: &[Object], more: &[Object]) {
    let expected = play(config, Threads::One, objects, more);
    assert!(expected[5].1.rebuilds >= 4, "{case}: bulk builds");
    for threads in [1, 2, 4] {
        let steps = pool(threads).install(|| play(config, Threads::Pool, objects, more));
        for (step, (actual, expected)) in steps.iter().zip(&expected).enumerate() {
            assert_eq!(actual, expected, "{case}: {threads} threads, step {step}");
        }
    }
}

fn scene(name: &str) -> Vec<Object> {
    Scene::by_name(name, OBJECTS, 5).expect("a scene").objects().to_vec()
}

fn configs() -> [Config; 5] {
    [
        Config::default(),
        Config { leaf_capacity: 4, ..Config::strict() },
        Config { looseness: 1.5, leaf_capacity: 1, ..Config::default() },
        Config { depth_limit: 3, ..Config::default() },
        Config { margin: Margin { absolute: 0.1, relative: 0.01 }, ..Config::default() },
    ]
}

#[test]
fn every_scene_is_built_alike() {
    // Every scene by default settings, and by one of the others.
    let mut others = configs().into_iter().skip(1).cycle();
    for name in Scene::NAMES {
        for config in [Some(Config::default()), others.next()].into_iter().flatten() {
            compare(name, config, &scene(name), &[]);
        }
    }
}

/// Objects of every kind: layered, static, spheres, in one place, far apart
/// on every scale, and some that no cell holds.
fn all_kinds() -> Vec<Object> {
    let mut objects = scene("shapes");
    objects.extend(scene("mixed"));
    for (i, object) in (0_u32..).zip(&mut objects) {
        if i % 5 == 0 {
            object.layers = Layers { memberships: 1 << (i % 30), filters: u32::MAX };
        }
        let scale = 0.5_f32.powi((i % 12).cast_signed());
        let small =
            Aabb::from_center_half_extents(Vec3::new(3.0, 5.0, 7.0) + scale * i as f32 * 1e-6, Vec3::splat(scale));
        match i % 50 {
            0 => object.shape = Shape::Aabb(small),
            1 => object.shape = Shape::Sphere(Sphere::new(Vec3::ONE, scale)),
            2 if i % 1000 == 2 => object.shape = Shape::Aabb(Aabb::new(Vec3::NEG_INFINITY, Vec3::splat(i as f32))),
            3 if i % 1000 == 3 => object.shape = Shape::Sphere(Sphere::new(Vec3::splat(1e9), 1.0)),
            4 if i % 1000 == 4 => object.shape = Shape::Aabb(small.translated(Vec3::splat(2e5))),
            _ => {}
        }
    }
    objects
}

#[test]
fn objects_of_every_kind_are_built_alike() {
    let (objects, more) = (all_kinds(), scene("spheres"));
    for config in configs() {
        compare("all kinds", config, &objects, &more[..100]);
    }
    // Without a sphere or layers at first; and with none but a few in the end.
    compare("boxes, then all kinds", Config::default(), &scene("uniform"), &objects);
    let mut last = scene("uniform");
    let middle = last.len() / 2;
    last[middle].shape = Shape::Sphere(Sphere::new(Vec3::ZERO, 1.0));
    last[middle + 1].layers = Layers { memberships: 1, filters: 1 };
    compare("one sphere", Config::default(), &last, &[]);
}

#[test]
fn crowds_and_depths_are_built_alike() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let coincident = vec![Object::new(unit); OBJECTS as usize];
    let outsized = vec![Object::new(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)); OBJECTS as usize];
    // A crowd far below what one key resolves, beside something far away.
    let tiny = |i: u32| {
        let at = Vec3::new((i % 27) as f32, (i / 27 % 27) as f32, (i / 729) as f32) * 0.02;
        Object::new(Aabb::from_center_half_extents(at, Vec3::splat(0.01)))
    };
    let mut deep: Vec<Object> = (0..OBJECTS).map(tiny).collect();
    deep.push(Object::new(unit.translated(Vec3::splat(1e5))));
    deep.extend((0..100).map(|i| Object::new(Aabb::from_center_half_extents(Vec3::ZERO, Vec3::splat(i as f32 * 0.3)))));
    for config in configs() {
        compare("coincident", config, &coincident, &deep[..10]);
        compare("deep", config, &deep, &coincident[..10]);
    }
    compare("outsized", Config::default(), &outsized, &coincident);
    // Lines far apart: leaves where keys of ten levels end, as far as indices leave bits for more, and no further.
    let line = |len: u32, step: f32| {
        let at = move |i: u32| {
            Vec3::new((i % 5) as f32, (i / 5 % 5) as f32, (i % 3) as f32) * 3e4 + Vec3::X * (i / 75) as f32 * step
        };
        let boxed = move |i| Object::new(Aabb::from_center_half_extents(at(i), Vec3::splat(0.3)));
        (0..len).map(boxed).collect::<Vec<Object>>()
    };
    for config in configs() {
        compare("lines", config, &line(OBJECTS, 3.0), &deep[..10]);
        compare("sparse lines", config, &line(OBJECTS, 20.0), &deep[..10]);
    }
    compare("lines of more", Config::default(), &line(131_073, 1.5), &coincident[..10]);
    // Most beyond the reach of the cells of the settings, some beyond all, some near.
    let far = |i: u32| {
        let at = Vec3::new((i % 27) as f32, (i / 27 % 27) as f32, (i / 729) as f32) * 1e5;
        Object::new(Aabb::from_center_half_extents(at, Vec3::splat(4e4)))
    };
    let mut far: Vec<Object> = (0..OBJECTS).map(far).collect();
    far.extend_from_slice(&outsized[..100]);
    far.extend_from_slice(&deep[..1000]);
    for config in configs() {
        compare("far", config, &far, &deep[..10]);
    }
}

#[test]
fn small_worlds_and_refused_ones_are_built_alike() {
    let objects = scene("uniform");
    for len in [0, 1, 7, 1000] {
        let (small, none) = (&objects[..len], &[]);
        let expected = play(Config::default(), Threads::One, small, none);
        assert_eq!(pool(2).install(|| play(Config::default(), Threads::Pool, small, none)), expected);
    }
    let (mut serial, mut tree) = (Octree::default(), Octree::default());
    tree.set_threads(Threads::Pool);
    let mut refused = objects;
    for index in [19_000, 12_345, 3] {
        refused[index].shape = Shape::Sphere(Sphere::new(Vec3::ONE, f32::NAN));
        let mut handles: Vec<Handle> = Vec::new();
        let expected = serial.insert_many(&refused, &mut handles).unwrap_err();
        let error = pool(2).install(|| tree.insert_many(&refused, &mut handles)).unwrap_err();
        assert_eq!((error.index, tree.len(), error.to_string()), (index, 0, expected.to_string()));
    }
    assert_eq!(tree.state_hash(), serial.state_hash(), "what is refused leaves no trace");
}

#[test]
fn who_builds_is_no_part_of_the_state() {
    let objects = scene("city");
    let mut handles = Vec::new();
    let (mut one, mut other) = (Octree::default(), Octree::default());
    other.set_threads(Threads::Pool);
    assert_eq!(one.state_hash(), other.state_hash());
    one.insert_many(&objects, &mut handles).unwrap();
    pool(2).install(|| other.insert_many(&objects, &mut handles).unwrap());
    assert!(pairs(&mut one) == pairs(&mut other));
    assert_eq!((one.threads(), other.threads(), other.clone().threads()), (Threads::One, Threads::Pool, Threads::Pool));
    #[cfg(feature = "snapshot")]
    {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        one.snapshot_into(&mut a);
        other.snapshot_into(&mut b);
        assert!(a == b, "snapshots differ");
        let restored = Octree::from_snapshot(&b).unwrap();
        assert_eq!((restored.threads(), restored.state_hash()), (Threads::One, one.state_hash()));
    }
}
