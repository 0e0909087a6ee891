//! Worlds in which each object overlaps many others: their pairs are handed out by a loop of their own.

use crate::support::{agree, oracle_of, pairs};
use broadleaf::{Aabb, Layers, Mobility, Object, Octree, Shape, Sphere};
use workloads::Random;

#[test]
fn boxes_and_spheres_with_many_partners_pair_as_by_brute_force() {
    let mut most = 0;
    // No spheres, spheres in some blocks, in most, and nothing else.
    for (seed, boxes_in_eight) in (0..24).zip([8, 7, 3, 0].into_iter().cycle()) {
        let mut random = Random::new(seed);
        let mut tree = Octree::default();
        let is_layered = seed % 3 == 1;
        for _ in 0..300 {
            let (place, size) = (random.signed() * 8.0, random.between(0.5, 5.0));
            let shape: Shape = if random.below(8) < boxes_in_eight {
                Aabb::new(place, place + random.signed().abs() * size * 2.0).into()
            } else {
                Sphere::new(place, size).into()
            };
            let layers = match random.below(4) {
                of_layer @ 0..2 if is_layered => Layers { memberships: 1 << of_layer, filters: random.below(4) },
                _ => Layers::ALL,
            };
            let mobility = if random.one_in(9) { Mobility::Static } else { Mobility::Moving };
            tree.insert(Object::new(shape).with_layers(layers).with_mobility(mobility)).expect("legal");
        }
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
        most = most.max(pairs(&mut tree).len());
    }
    assert!(most > 300 * 10, "{most} pairs");
}
