//! Trees and what goes with them survive text formats, which have no infinities.

use crate::support::{cube, pairs};
use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Config, Handle, Layers, Margin, Mesh, Mobility, Object, Octree, PairTracker, Ray, Shape, Sphere,
    pairs::PairBudget,
};
use workloads::{Model, Player, Scene};

/// A value after it was saved as JSON and loaded again.
#[track_caller]
fn reloaded<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    assert!(!text.contains("null"), "a float was lost");
    serde_json::from_str(&text).unwrap()
}

/// Objects that no cell can hold: unbounded on some or all sides, and far away.
fn outsized() -> [Object; 4] {
    let (low, high) = (Vec3::NEG_INFINITY, Vec3::INFINITY);
    [
        Aabb::new(low, high).into(),
        Aabb::new(low, Vec3::new(f32::INFINITY, -1.0, f32::INFINITY)).into(),
        Aabb::new(Vec3::new(3.0, f32::NEG_INFINITY, -0.0), high).into(),
        Sphere::new(Vec3::splat(1e30), 1e17).into(),
    ]
}

/// A tree of boxes and spheres with layers, some on both sides of every boundary, and some outsized.
fn motley(config: Config, objects: u32) -> (Octree, Player, Scene) {
    let (scene, mut player) = (Scene::by_name("shapes", objects, 5).unwrap(), Player::new());
    let mut tree = Octree::new(config).unwrap();
    player.load(&mut tree, scene.objects()).unwrap();
    for object in outsized() {
        tree.insert(object.with_layers(Layers::new(5, 3)).with_user_data(u64::MAX)).unwrap();
    }
    for edge in [0.5, 1.0, 20.0, 300.0] {
        tree.insert(Object::from(cube(-0.1, -0.1, -0.1, edge)).with_mobility(Mobility::Static)).unwrap();
    }
    (tree, player, scene)
}

fn configs() -> [Config; 4] {
    let margin = Margin { absolute: 0.25, relative: 0.1 };
    [
        Config::default(),
        Config { leaf_capacity: 3, ..Config::default() },
        Config { margin, ..Config::default() },
        Config::strict(),
    ]
}

#[test]
fn regression_trees_survive_a_text_format_without_infinities() {
    for config in configs() {
        let (mut tree, mut player, mut scene) = motley(config, 300);
        let mut tracker = PairTracker::new();
        for frame in 0..6 {
            // Saved with objects that wait for a place, and up to date.
            if frame % 2 == 0 {
                tree.view();
            }
            let mut other: Octree = reloaded(&tree);
            assert_eq!(other.validate(), Ok(()));
            assert_eq!(other.state_hash(), tree.state_hash(), "frame {frame}");
            assert!(other.iter().eq(tree.iter()));
            let mut other_tracker: PairTracker = reloaded(&tracker);
            assert_eq!(other_tracker.state_hash(), tracker.state_hash());

            player.prepare(scene.step());
            for tree in [&mut tree, &mut other] {
                player.apply(tree).unwrap();
            }
            tracker.update(tree.changes());
            other_tracker.update(other.changes());
            assert_eq!((other_tracker.begun(), other_tracker.ended()), (tracker.begun(), tracker.ended()));
            assert_eq!(other.state_hash(), tree.state_hash(), "frame {frame}");
            assert_eq!(pairs(&mut other), pairs(&mut tree));
            (tree, tracker) = (other, other_tracker);
        }
    }
}

#[test]
fn empty_trees_survive_a_text_format() {
    for config in configs() {
        let mut tree = Octree::new(config).unwrap();
        assert_eq!(reloaded(&tree).state_hash(), tree.state_hash());
        let handle = tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
        tree.view();
        tree.remove(handle);
        tree.view();
        let mut other = reloaded(&tree);
        assert_eq!(other.state_hash(), tree.state_hash());
        assert_eq!(other.insert(cube(0.0, 0.0, 0.0, 1.0)), tree.insert(cube(0.0, 0.0, 0.0, 1.0)));
        assert_eq!(other.view().len(), 1);
    }
}

#[test]
fn shapes_survive_a_text_format_bit_for_bit() {
    let mut shapes: Vec<Shape> = outsized().iter().map(|object| object.shape).collect();
    let values = [0.1, -0.0, 1.0 / 3.0, f32::MIN_POSITIVE, f32::from_bits(1), f32::MAX, f32::MIN, 1e-30];
    // The shortest digits of the first, read as a double, are those of another float.
    let values = values.into_iter().chain([7.038_531e-26, 33_554_450.0, 1e15, 9.99e14, 1e-13, 9.99e-14]);
    shapes.extend(values.clone().map(|value| Shape::Aabb(Aabb::new(Vec3::splat(value), Vec3::INFINITY))));
    shapes.extend(values.map(|value| Shape::Sphere(Sphere::new(Vec3::splat(value), value.abs()))));
    shapes.push(Aabb::EMPTY.into());
    let bits = |shape: &Shape| match *shape {
        Shape::Aabb(aabb) => [aabb.min.to_array(), aabb.max.to_array()].concat(),
        Shape::Sphere(ball) => [&ball.center.to_array()[..], &[ball.radius]].concat(),
        _ => unreachable!("a shape that is not known here"),
    };
    for (shape, other) in shapes.iter().zip(reloaded(&shapes)) {
        let (old, new) = (bits(shape), bits(&other));
        assert!(old.iter().map(|x| x.to_bits()).eq(new.iter().map(|x| x.to_bits())), "{shape:?}, {other:?}");
    }
    assert_eq!(
        serde_json::to_string(&Aabb::new(Vec3::NEG_INFINITY, Vec3::new(1.0, f32::INFINITY, 0.1))).unwrap(),
        r#"{"min":["-inf","-inf","-inf"],"max":[1.0,"inf",0.1]}"#
    );
    // What people write.
    let written: Aabb = serde_json::from_str(r#"{"min":[0,-1,1e3],"max":[2,"inf",1.5e3]}"#).unwrap();
    assert_eq!(written, Aabb::new(Vec3::new(0.0, -1.0, 1000.0), Vec3::new(2.0, f32::INFINITY, 1500.0)));
    let text = |value: &str| format!(r#"{{"center":[0,0,0],"radius":{value}}}"#);
    for value in ["null", "\"infinite\"", "true", "1e39", "-1e40", "[1]"] {
        assert!(serde_json::from_str::<Sphere>(&text(value)).is_err(), "{value}");
    }
    let ball: Sphere = serde_json::from_str(&text("\"nan\"")).unwrap();
    assert!(ball.check().is_err(), "trees refuse it");
}

#[test]
fn binary_formats_hold_floats() {
    let aabb = Aabb::new(Vec3::new(1.0, f32::NEG_INFINITY, -0.0), Vec3::INFINITY);
    let floats: Vec<u8> =
        aabb.min.to_array().iter().chain(&aabb.max.to_array()).flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(postcard::to_allocvec(&aabb).unwrap(), floats);
    assert_eq!(postcard::from_bytes::<Aabb>(&floats).unwrap(), aabb);
}

#[test]
fn a_text_that_describes_no_tree_is_refused() {
    let (mut tree, ..) = motley(Config::default(), 40);
    tree.view();
    let text = serde_json::to_string(&tree).unwrap();
    assert!(serde_json::from_str::<Octree>(&text).is_ok());
    for (from, to) in [("\"-inf\"", "\"inf\""), ("\"inf\"", "\"nan\""), ("\"inf\"", "0.0"), ("\"-inf\"", "null")] {
        assert!(text.contains(from));
        assert!(serde_json::from_str::<Octree>(&text.replacen(from, to, 1)).is_err(), "{from} as {to}");
    }
}

#[test]
fn games_survive_a_text_format() {
    let (mut tree, mut player, mut scene) = motley(Config::default(), 300);
    let (mut tracker, mut budget) = (PairTracker::new(), PairBudget::new(1).with_patience(3));
    let (mut served, mut again) = (Vec::new(), Vec::new());
    let class_of = |handle: Handle| u8::try_from(handle.slot() % 5).unwrap();
    for _ in 0..6 {
        player.play(&mut tree, scene.step()).unwrap();
        tracker.update(tree.changes());
        let mut other: PairBudget = reloaded(&budget);
        assert_eq!(other.state_hash(), budget.state_hash());
        budget.serve(tree.view(), tracker.begun(), 20, class_of, &mut served);
        other.serve(tree.view(), tracker.begun(), 20, class_of, &mut again);
        assert_eq!((&again, other.state_hash()), (&served, budget.state_hash()));
    }
    assert!(budget.deferred().len() > 0);
}

#[test]
fn meshes_survive_a_text_format() {
    let model = Model::by_name(Model::NAMES[0], 2_000, 1).unwrap();
    let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
    let other: Mesh = reloaded(&mesh);
    assert!(mesh.len() > 1_000 && (0..2_500).all(|index| other.triangle(index) == mesh.triangle(index)));
    for step in 0_u8..50 {
        let ray = Ray::new(Vec3::splat(0.1 * f32::from(step)), Vec3::new(-1.0, 0.3, -0.5)).unwrap();
        let [hit, same] = [&mesh, &other].map(|mesh| mesh.cast(&ray).closest());
        assert_eq!(hit, same);
    }
}
