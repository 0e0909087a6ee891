//! Scenes of long and of huge objects: the answers, whatever their order, are
//! the same for every placement, so their hashes never change.

use crate::pinned::Hash;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Handle, Mobility, Object, Octree, PairTracker, Ray, Scratch, Shape, Sphere};
use workloads::random::Random;

/// The hash of the answers in each scene. A value that changes is a wrong answer.
pub(crate) const PINNED: [(&str, u64); 5] = [
    ("planks", 0x95c6a92c8f7b588c),
    ("sticks", 0x992ef252954f1b8f),
    ("plates", 0x19d9c6d4a3a42613),
    ("walls", 0xae7713c287d63ccf),
    ("giants", 0xced3c2726cb282f1),
];

const OBJECTS: usize = 1_200;
const FRAMES: usize = 8;
const WORLD: f32 = 60.0;

/// Half the extents of an object.
fn half_extents(scene: &str, index: usize, random: &mut Random) -> Vec3 {
    let turned = |long: Vec3| match index % 3 {
        0 => long,
        1 => Vec3::new(long.z, long.x, long.y),
        _ => Vec3::new(long.y, long.z, long.x),
    };
    match scene {
        "planks" => turned(Vec3::new(0.25, 1.0, 6.0)),
        "sticks" => turned(Vec3::new(0.05, 0.05, WORLD / 2.0)),
        "plates" => Vec3::new(WORLD / 2.0, 0.05, WORLD / 2.0),
        "walls" if index.is_multiple_of(10) => turned(Vec3::new(0.2, 4.0, 15.0)),
        "giants" if index.is_multiple_of(50) => Vec3::splat(WORLD / 8.0),
        _ => Vec3::splat(0.2 + random.unit()),
    }
}

fn objects(scene: &str, random: &mut Random) -> Vec<Object> {
    let world = Aabb::new(Vec3::ZERO, Vec3::splat(WORLD));
    let object = |index: usize| {
        let (center, half) = (random.point(&world), half_extents(scene, index, random));
        let mobility = if index % 4 == 1 { Mobility::Static } else { Mobility::Moving };
        let object = if index % 7 == 3 && half.x == half.y {
            Object::new(Sphere::new(center, half.x))
        } else {
            Object::new(Aabb::from_center_half_extents(center, half))
        };
        object.with_mobility(mobility)
    };
    (0..OBJECTS).map(object).collect()
}

fn moved(shape: &Shape, offset: Vec3) -> Shape {
    match shape {
        Shape::Aabb(aabb) => Shape::Aabb(aabb.translated(offset)),
        Shape::Sphere(sphere) => Shape::Sphere(Sphere::new(sphere.center + offset, sphere.radius)),
        _ => unreachable!("the scenes have boxes and spheres"),
    }
}

/// Plays a scene: the answers of each frame, in ascending order.
pub(crate) fn play(scene: &str, config: Config) -> u64 {
    let mut random = Random::new(7);
    let mut objects = objects(scene, &mut random);
    let mut tree = Octree::new(config).unwrap();
    let mut handles = Vec::new();
    tree.insert_many(&objects, &mut handles).unwrap();
    let (mut tracker, mut hash) = (PairTracker::new(), Hash::new());
    for frame in 0..FRAMES {
        tracker.update(tree.changes());
        tree.validate().unwrap();
        hash_answers(&mut hash, &mut tree, &handles, &tracker, &mut random);
        for (object, &handle) in objects.iter_mut().zip(&handles) {
            if object.mobility == Mobility::Moving {
                // Every third frame objects jump, and leave their cells.
                let step = if frame % 3 == 2 { 20.0 } else { 0.1 };
                object.shape = moved(&object.shape, random.bell() * step);
                tree.update(handle, object.shape).unwrap();
            }
        }
    }
    hash.0
}

fn hash_answers(hash: &mut Hash, tree: &mut Octree, handles: &[Handle], tracker: &PairTracker, random: &mut Random) {
    let view = tree.view();
    let number = |handle: Handle| handles.iter().position(|&other| other == handle).unwrap() as u64;
    let mut pairs = Vec::new();
    view.pairs(&mut Scratch::new()).collect_into(&mut pairs);
    let mut pairs: Vec<u64> = pairs.iter().map(|pair| number(pair.a()) << 32 | number(pair.b())).collect();
    pairs.sort_unstable();
    assert_eq!(tracker.pairs().len(), pairs.len());
    hash.add_all(pairs.into_iter());
    let world = Aabb::new(Vec3::splat(-10.0), Vec3::splat(WORLD + 10.0));
    for _ in 0..6 {
        let (from, to) = (random.point(&world), random.point(&world));
        let region = Aabb::new(from.min(to), from.max(to).min(from.min(to) + 12.0));
        let mut found = Vec::new();
        view.overlap(&region).unwrap().collect_into(&mut found);
        let mut found: Vec<u64> = found.into_iter().map(number).collect();
        found.sort_unstable();
        hash.add_all(found.into_iter());
        let hit = view.cast(&Ray::segment(from, to).unwrap()).closest();
        hash.add(hit.map_or(u64::MAX, |hit| number(hit.handle) << 32 | u64::from(hit.distance.to_bits())));
        let mut near = Vec::new();
        view.nearest(to).unwrap().k_into(5, &mut near);
        hash.add_all(near.iter().map(|near| number(near.handle) << 32 | u64::from(near.distance.to_bits())));
    }
}

#[test]
fn long_and_huge_objects_are_answered_as_pinned_wherever_they_are_placed() {
    let limits = [1.0, 1.5, 2.0, 3.0, 9.0, 65.0, 1e6];
    for looseness in limits {
        for leaf_capacity in [8, 64] {
            let config = Config { looseness, leaf_capacity, ..Config::default() };
            let found = PINNED.map(|(scene, _)| (scene, play(scene, config)));
            assert!(found == PINNED, "looseness {looseness}, capacity {leaf_capacity}: {found:#018x?}");
        }
    }
}
