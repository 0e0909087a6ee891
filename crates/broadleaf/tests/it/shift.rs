//! Shifting the origin: the world afterwards is that of the shifted shapes.

use crate::support::{agree, contents, oracle_of, pairs, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Error, Margin, Object, Octree, PairTracker, Shape, Sphere};
use workloads::Scene;

fn shifted(object: &Object, shift: Vec3) -> Object {
    let shape: Shape = match object.shape {
        Shape::Aabb(aabb) => Aabb::new(aabb.min - shift, aabb.max - shift).into(),
        Shape::Sphere(ball) => Sphere::new(ball.center - shift, ball.radius).into(),
        _ => unreachable!("a shape that is not known here"),
    };
    Object { shape, ..*object }
}

fn loaded(name: &str) -> Octree {
    let mut tree = Octree::default();
    tree.insert_many(Scene::by_name(name, 3000, 6).unwrap().objects(), &mut Vec::new()).unwrap();
    tree
}

const SHIFTS: [Vec3; 6] = [
    Vec3::new(16.0, 0.0, -3.0),
    Vec3::new(1.0 / 64.0, 2.0, 1024.0),
    Vec3::new(0.1, -0.7, 12.34),
    Vec3::new(0.001, 0.0, 0.0),
    Vec3::new(-1e5, 1e5, 0.0),
    Vec3::new(3e5, 0.0, 1e7),
];

#[test]
fn pairs_are_those_of_a_new_tree_of_the_shifted_shapes() {
    for name in ["uniform", "mixed", "city", "shapes", "spheres"] {
        for shift in SHIFTS {
            let mut tree = loaded(name);
            let far = Aabb::new(Vec3::new(f32::NEG_INFINITY, -1.0, 0.0), Vec3::new(9.0, f32::INFINITY, 1.0));
            tree.insert(far).unwrap();
            tree.view();
            // One that still waits for a place, and one that left its cell.
            tree.insert(Sphere::new(Vec3::ONE, 3.0)).unwrap();
            let first = tree.iter().next().unwrap().0;
            tree.update(first, Aabb::new(Vec3::splat(-7.0), Vec3::splat(9.0))).unwrap();
            let mut fresh = Octree::default();
            for (_, object) in tree.iter() {
                fresh.insert(shifted(&object, shift)).unwrap();
            }
            tree.shift_origin(shift).unwrap();
            tree.validate().unwrap();
            assert_eq!(contents(&tree), contents(&fresh), "{name} {shift}");
            assert_eq!(sorted(pairs(&mut tree)), sorted(pairs(&mut fresh)), "{name} {shift}");
            tree.validate().unwrap();
            let around = Aabb::new(-shift, -shift + 20.0);
            let found = |tree: &mut Octree| {
                let mut found = Vec::new();
                tree.view().overlap(&around).unwrap().collect_into(&mut found);
                sorted(found)
            };
            assert_eq!(found(&mut tree), found(&mut fresh));
        }
    }
}

#[test]
fn a_shift_without_rounding_moves_nothing_about() {
    // By whole cells in a strict tree; in a loose one, whose cells are widened, not quite.
    for looseness in [1.0, 2.0] {
        let mut tree = Octree::new(Config { looseness, ..Config::default() }).unwrap();
        for index in 0..5000_u16 {
            // On a grid of sixteenths, so that no coordinate needs rounding.
            let at = Vec3::new(f32::from(index % 17), f32::from(index / 17 % 19), f32::from(index / 323)) * 1.0625;
            tree.insert(Aabb::new(at, at + 1.0)).unwrap();
        }
        let before = pairs(&mut tree);
        let counters = tree.counters();
        tree.shift_origin(Vec3::new(-512.0, 3.0 / 64.0, 77.25)).unwrap();
        assert_eq!(pairs(&mut tree), before, "the same pairs in the same order");
        assert_eq!(tree.counters(), counters, "no object was placed anew, no node refitted");
    }
}

#[test]
fn regression_a_shift_puts_what_it_takes_beyond_the_reach_into_the_list() {
    // So few objects that cells are widened by about one and a half.
    let scene = Scene::by_name("uniform", 2000, 3).unwrap();
    for distance in [250_000.0, 262_144.0, 300_000.0, 400_000.0, 520_000.0] {
        let shift = Vec3::new(-distance, 0.0, 0.0);
        let (mut tree, mut fresh, mut handles) = (Octree::default(), Octree::default(), Vec::new());
        tree.insert_many(scene.objects(), &mut handles).unwrap();
        tree.shift_origin(shift).unwrap();
        let moved: Vec<Object> = scene.objects().iter().map(|object| shifted(object, shift)).collect();
        fresh.insert_many(&moved, &mut handles).unwrap();
        tree.view();
        fresh.view();
        tree.validate().unwrap();
        assert_eq!(tree.counters().outsized, fresh.counters().outsized, "{distance}");
    }
}

#[test]
fn a_shift_by_less_than_a_cell_relocates_few() {
    let mut tree = loaded("uniform");
    tree.view();
    let before = tree.counters();
    tree.shift_origin(Vec3::new(100.003, 0.1, -0.7)).unwrap();
    tree.view();
    let after = tree.counters();
    assert_eq!(after.rebuilds, before.rebuilds);
    assert!(after.relocations - before.relocations < 150, "{after:?}");
}

#[test]
fn touching_boxes_still_touch() {
    let mut tree = Octree::default();
    for index in 0..200_u8 {
        let low = f32::from(index) * 0.1;
        tree.insert(Aabb::new(Vec3::new(low, 0.0, 0.0), Vec3::new(f32::from(index + 1) * 0.1, 1.0, 1.0))).unwrap();
    }
    assert_eq!(pairs(&mut tree).len(), 199);
    tree.shift_origin(Vec3::new(33.3, 0.1, 0.2)).unwrap();
    assert_eq!(pairs(&mut tree).len(), 199);
}

#[test]
fn faulty_shifts_are_refused_and_change_nothing() {
    let mut tree = loaded("shapes");
    let far = tree.insert(Sphere::new(Vec3::new(f32::MAX, 0.0, 0.0), 1.0)).unwrap();
    tree.view();
    let oracle = oracle_of(&tree);
    let refused = [
        (Vec3::new(f32::NAN, 0.0, 0.0), Error::NotANumber { field: "shift.x" }),
        (Vec3::new(0.0, 0.0, f32::INFINITY), Error::NotFinite { field: "shift.z", value: f32::INFINITY }),
        (Vec3::new(f32::MIN, 0.0, 0.0), Error::ShiftTooFar { handle: far }),
    ];
    for (shift, error) in refused {
        assert_eq!(tree.shift_origin(shift), Err(error));
        agree(&mut tree, &oracle);
    }
    tree.shift_origin(Vec3::new(f32::MAX, 0.0, 0.0)).unwrap();
    assert_eq!(tree.get(far).unwrap().shape, Sphere::new(Vec3::ZERO, 1.0).into());
    tree.validate().unwrap();
}

#[test]
fn events_after_a_shift_are_those_of_a_comparison() {
    for name in ["mixed", "shapes"] {
        let (mut tree, mut tracker) = (loaded(name), PairTracker::new());
        tracker.update(tree.changes());
        for shift in SHIFTS {
            let before = sorted(pairs(&mut tree));
            tree.shift_origin(shift).unwrap();
            tracker.update(tree.changes());
            let after = sorted(pairs(&mut tree));
            assert_eq!(sorted(tracker.pairs().to_vec()), after);
            let ended: Vec<_> = before.iter().filter(|pair| after.binary_search(pair).is_err()).copied().collect();
            assert_eq!(sorted(tracker.ended().to_vec()), ended);
        }
    }
}

#[test]
fn fat_bounds_are_shifted_too() {
    let margin = Margin { absolute: 0.125, relative: 0.0 };
    for shift in SHIFTS {
        let mut tree = Octree::new(Config { margin, ..Config::default() }).unwrap();
        tree.insert_many(Scene::by_name("shapes", 1500, 6).unwrap().objects(), &mut Vec::new()).unwrap();
        tree.view();
        let before: Vec<Object> = tree.iter().map(|(_, object)| shifted(&object, shift)).collect();
        tree.shift_origin(shift).unwrap();
        tree.validate().unwrap();
        assert!(tree.iter().map(|(_, object)| object).eq(before), "{shift}");
        let exact = sorted(pairs(&mut tree));
        tree.validate().unwrap();
        let mut fresh = Octree::default();
        for (_, object) in tree.iter() {
            fresh.insert(object).unwrap();
        }
        assert!(pairs(&mut fresh).iter().all(|pair| exact.binary_search(pair).is_ok()), "{shift}: a pair is missed");
    }
    let mut tree = Octree::new(Config { margin, ..Config::default() }).unwrap();
    let far = tree.insert(Aabb::new(Vec3::ZERO, Vec3::new(f32::MAX, 1.0, 1.0))).unwrap();
    assert_eq!(tree.shift_origin(Vec3::new(f32::MIN, 0.0, 0.0)), Err(Error::ShiftTooFar { handle: far }));
    tree.validate().unwrap();
}
