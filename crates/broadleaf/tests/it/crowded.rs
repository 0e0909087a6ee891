//! Worlds in which each object overlaps many others: their pairs are handed out by a loop of their own.

use crate::support::{agree, oracle_of, pairs};
use broadleaf::{Aabb, Layers, Mobility, Object, Octree, Shape, Sphere};
use workloads::Random;

const OBJECTS: usize = 300;

#[test]
fn boxes_and_spheres_with_many_partners_pair_as_by_brute_force() {
    let mut least = usize::MAX;
    // No spheres, spheres in most blocks, in all, and nothing else.
    for (seed, boxes_in_eight) in (0..24).zip([8, 7, 3, 0].into_iter().cycle()) {
        let mut random = Random::new(seed);
        let mut tree = Octree::default();
        // Layers in a third of the worlds, many static objects in a fifth.
        let (is_layered, moving_in_nine) = (seed % 3 == 1, if seed % 5 == 2 { 2 } else { 8 });
        for place in 0..OBJECTS {
            let (center, size) = (random.signed() * 8.0, random.between(2.0, 5.0));
            // The last blocks of the tree hold boxes alone.
            let is_box = random.below(8) < boxes_in_eight || place >= OBJECTS - 40 && boxes_in_eight > 0;
            let shape: Shape = if is_box {
                Aabb::from_center_half_extents(center, random.signed().abs() * 0.5 * size + size * 0.5).into()
            } else {
                Sphere::new(center, size).into()
            };
            let layers = match random.below(4) {
                of_layer @ 0..2 if is_layered => Layers { memberships: 1 << of_layer, filters: random.below(4) },
                2 if is_layered => Layers { memberships: u32::MAX, filters: random.below(4) },
                _ => Layers::ALL,
            };
            let mobility = if random.below(9) < moving_in_nine { Mobility::Moving } else { Mobility::Static };
            tree.insert(Object::new(shape).with_layers(layers).with_mobility(mobility)).expect("legal");
            if place == OBJECTS - 40 {
                tree.view();
            }
        }
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
        if !is_layered && moving_in_nine == 8 {
            least = least.min(pairs(&mut tree).len());
        }
    }
    assert!(least > 8 * OBJECTS, "{least} pairs");
}
