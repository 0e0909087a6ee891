//! Worlds in which each object overlaps many others: their pairs are handed out by a loop of their own.

use crate::support::{agree, listing, pairs};
use broadleaf::{Aabb, Handle, Layers, Mobility, Object, Octree, Scratch, Shape, Sphere};
use workloads::{Oracle, Random};

/// What a crowd is made of.
#[derive(Clone, Copy)]
struct Crowd {
    /// Centers are at most so far from the origin, along each axis.
    reach: f32,
    /// Of eight objects so many are boxes, the others spheres.
    boxes_in_eight: u32,
    is_layered: bool,
    /// Of nine objects so many move.
    moving_in_nine: u32,
}

impl Crowd {
    fn object(&self, random: &mut Random, is_late: bool) -> Object {
        let (center, size) = (random.signed() * self.reach, random.between(2.0, 5.0));
        let is_box = random.below(8) < self.boxes_in_eight || is_late && self.boxes_in_eight > 0;
        let shape: Shape = if is_box {
            Aabb::from_center_half_extents(center, random.signed().abs() * 0.5 * size + size * 0.5).into()
        } else {
            Sphere::new(center, size).into()
        };
        let layers = match random.below(4) {
            of_layer @ 0..2 if self.is_layered => Layers { memberships: 1 << of_layer, filters: random.below(4) },
            2 if self.is_layered => Layers { memberships: u32::MAX, filters: random.below(4) },
            _ => Layers::ALL,
        };
        let is_moving = random.below(9) < self.moving_in_nine;
        let mobility = if is_moving { Mobility::Moving } else { Mobility::Static };
        Object::new(shape).with_layers(layers).with_mobility(mobility)
    }

    /// A tree with so many objects, whose handles have several generations and follow no order, and its oracle.
    fn tree(&self, seed: u64, count: usize) -> (Octree, Oracle) {
        let mut random = Random::new(seed);
        let (mut tree, mut oracle) = (Octree::default(), Oracle::new());
        let mut handles: Vec<Handle> = Vec::new();
        let mut insert = |tree: &mut Octree, oracle: &mut Oracle, is_late| {
            let object = self.object(&mut random, is_late);
            let handle = tree.insert(object).expect("legal");
            oracle.insert(handle, object);
            handle
        };
        handles.extend((0..count).map(|_| insert(&mut tree, &mut oracle, false)));
        let late = count / 8;
        // The last of these are fewer than one in six, so that the next view places them one by one. They are boxes, in
        // blocks without a sphere.
        for replaced in [count / 2, count / 3, late] {
            tree.view();
            for handle in handles.drain(handles.len() - replaced..) {
                tree.remove(handle).expect("it lives");
                assert!(oracle.remove(handle).is_some());
            }
            tree.view();
            handles.extend((0..replaced).map(|_| insert(&mut tree, &mut oracle, replaced == late)));
            handles.rotate_left(count / 3);
        }
        (tree, oracle)
    }
}

/// Compares the pairs with those of brute force, and stopped visitors with the whole list; how many pairs there are.
fn check(tree: &mut Octree, oracle: &Oracle) -> usize {
    agree(tree, oracle);
    let all = pairs(tree);
    let mut scratch = Scratch::new();
    for stop in [1, 7, 8, 9, 63, 64, 65] {
        let mut first = Vec::new();
        let flow = tree.view().pairs(&mut scratch).try_for_each(listing(&mut first, stop));
        assert!(flow.is_break(), "{} pairs", all.len());
        assert_eq!(first, all[..stop]);
    }
    all.len()
}

#[test]
fn boxes_and_spheres_with_many_partners_pair_as_by_brute_force() {
    const OBJECTS: usize = 300;
    let mut least = usize::MAX;
    // No spheres, spheres in most blocks, in all, and nothing else.
    for (seed, boxes_in_eight) in (0..24).zip([8, 7, 3, 0].into_iter().cycle()) {
        // Layers in a third of the worlds, many static objects in two fifths.
        let crowd = Crowd {
            reach: 8.0,
            boxes_in_eight,
            is_layered: seed % 3 == 1,
            moving_in_nine: match seed % 5 {
                1 => 4,
                2 => 2,
                _ => 8,
            },
        };
        let (mut tree, oracle) = crowd.tree(seed, OBJECTS);
        let pairs = check(&mut tree, &oracle);
        if !crowd.is_layered && crowd.moving_in_nine == 8 {
            least = least.min(pairs);
        }
    }
    assert!(least > 8 * OBJECTS, "{least} pairs");
}

/// Small worlds list their pairs without the tree, by comparing groups of eight blocks; here there are two groups or more.
#[test]
fn small_worlds_with_many_partners_pair_as_by_brute_force() {
    for (seed, count) in (0..12).zip([70, 100, 130].into_iter().cycle()) {
        let moving_in_nine = if seed % 2 == 0 { 9 } else { 5 };
        let crowd = Crowd { reach: 3.0, boxes_in_eight: 8, is_layered: false, moving_in_nine };
        let (mut tree, oracle) = crowd.tree(seed, count);
        let pairs = check(&mut tree, &oracle);
        assert!(pairs > 8 * count, "{pairs} pairs of {count} objects");
        let counters = tree.counters();
        let blocks = counters.blocks_live + counters.blocks_free;
        assert!((9..=32).contains(&blocks), "{blocks} blocks");
    }
}
