//! Distances that differ in the last bits: traversals order children by distances that are cut, and must not take a
//! nearer child for one beyond the limit.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mesh, Octree, Ray, shape::Triangle};
use workloads::Random;

const OBJECTS: usize = 600;
const ROUNDS: u64 = 40;

/// A plane across the x axis, so many of the least steps behind 64.
fn front(random: &mut Random) -> f32 {
    f32::from_bits(64.0_f32.to_bits() + random.below(24))
}

/// Boxes of many sizes whose front faces lie in few planes; all hold the axis.
fn boxes(random: &mut Random) -> Vec<Aabb> {
    let mut make = || {
        let half = 0.01 * 2.0_f32.powf(random.between(0.0, 12.0));
        let mut off = || random.between(-0.9, 0.9) * half;
        let center = Vec3::new(0.0, off(), off());
        let mut aabb = Aabb::from_center_half_extents(center, Vec3::splat(half));
        aabb.min.x = front(random);
        aabb.max.x = aabb.min.x + half;
        aabb
    };
    (0..OBJECTS).map(|_| make()).collect()
}

#[test]
fn the_nearest_of_distances_that_differ_in_the_last_bits() {
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let boxes = boxes(&mut random);
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.insert_many(&boxes, &mut handles).unwrap();
        tree.validate().unwrap();
        let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
        let nearest = boxes.iter().map(|aabb| ray.enter_aabb(aabb).unwrap()).fold(f32::INFINITY, f32::min);
        // Of equally near objects the lowest slot.
        let first = boxes.iter().position(|aabb| ray.enter_aabb(aabb) == Some(nearest)).unwrap();
        let (view, mut found) = (tree.view(), Vec::new());
        let hit = view.cast(&ray).closest().unwrap();
        assert_eq!((hit.distance, hit.handle), (nearest, handles[first]), "seed {seed}");
        view.nearest(Vec3::ZERO).unwrap().k_into(3, &mut found);
        let mut all: Vec<_> = boxes.iter().map(|aabb| aabb.distance_sq(Vec3::ZERO).sqrt()).zip(handles).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(found.iter().map(|near| (near.distance, near.handle)).collect::<Vec<_>>(), all[..3], "seed {seed}");
    }
}

/// Boxes of meshes are padded by more than the last bits.
#[test]
fn the_nearest_triangle_of_distances_that_differ_in_the_last_bits() {
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let triangles: Vec<Triangle> = boxes(&mut random)
            .iter()
            .map(|aabb| {
                let (low, high) = (aabb.min, aabb.max);
                let size = high - low;
                // It holds the face, and so the axis.
                Triangle::new(low, low + Vec3::Y * size.y * 2.0, low + Vec3::Z * size.z * 2.0)
            })
            .collect();
        let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
        let cast = |triangles: &[Triangle]| Mesh::from_triangles(triangles).unwrap().cast(&ray).closest();
        let alone = triangles.iter().filter_map(|triangle| cast(&[*triangle])).map(|hit| hit.distance);
        let nearest = alone.fold(f32::INFINITY, f32::min);
        assert_eq!(cast(&triangles).map(|hit| hit.distance), Some(nearest), "seed {seed}");
    }
}
