//! Shapes so small that the squares of their sizes vanish in 32 bits.

use crate::support::oracle_of;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Handle, Margin, Mesh, Octree, Pair, PairTracker, Shape, Sphere, shape::Triangle};
use workloads::Random;

fn fat_tree(absolute: f32, relative: f32) -> Octree {
    Octree::new(Config { margin: Margin { absolute, relative }, ..Config::default() }).expect("legal settings")
}

#[test]
fn regression_fat_bounds_follow_a_sphere_that_moves_by_less_than_squares_can_hold() {
    for (step, radius) in [(2e-23, 1e-25), (1e-25, 1e-27), (1e-30, 1e-33), (1e-38, 1e-41), (3e-45, 0.0)] {
        let mut tree = fat_tree(0.0, 1.0);
        let handle = tree.insert(Sphere::new(Vec3::ZERO, radius)).unwrap();
        for count in 1..=20 {
            let center = Vec3::new(1.0, -1.0, 0.5) * (step * count as f32);
            tree.update(handle, Sphere::new(center, radius)).unwrap();
            tree.validate().unwrap();
            let Some(Shape::Sphere(kept)) = tree.view().fat_shape(handle) else { panic!("a sphere") };
            let way = (kept.center.as_dvec3() - center.as_dvec3()).length();
            assert!(way + f64::from(radius) <= f64::from(kept.radius), "{kept:?} does not hold {center}");
        }
    }
}

/// Spheres and boxes about as small as the smallest distances whose squares can be told apart.
fn dust(random: &mut Random, size: f32) -> Shape {
    let near = |random: &mut Random| random.signed() * (size * 8.0);
    let radius = random.unit() * size;
    match random.below(4) {
        0 => {
            let low = near(random);
            Aabb::new(low, low + Vec3::splat(radius)).into()
        }
        _ => Sphere::new(near(random), radius).into(),
    }
}

#[test]
fn regression_pairs_of_tiny_shapes_are_among_those_of_their_fat_bounds() {
    for (seed, size) in (0..).zip([1e-20_f32, 1e-21, 1e-22, 4e-23, 2e-23, 1e-23, 1e-24, 1e-30]) {
        for margin in [0.1, 0.5] {
            let random = &mut Random::new(seed);
            let (mut tree, mut tracker) = (fat_tree(size * margin, margin), PairTracker::new());
            let handles: Vec<Handle> = (0..60).map(|_| tree.insert(dust(random, size)).unwrap()).collect();
            let mut touching = 0;
            for _ in 0..30 {
                for &handle in &handles {
                    let shape = match tree.get(handle).unwrap().shape {
                        Shape::Aabb(aabb) => aabb.translated(random.signed() * (size * 0.1)).into(),
                        Shape::Sphere(ball) => {
                            Shape::from(Sphere::new(ball.center + random.signed() * (size * 0.1), ball.radius))
                        }
                        _ => unreachable!("a shape that is not known here"),
                    };
                    tree.update(handle, shape).unwrap();
                }
                tracker.update(tree.changes());
                tree.validate().unwrap();
                for (a, b) in oracle_of(&tree).pairs() {
                    touching += 1;
                    assert!(tracker.pairs().contains(&Pair::new(a, b)), "size {size}: {a:?} and {b:?} touch");
                }
            }
            assert!(touching > 0);
        }
    }
}

#[test]
fn regression_meshes_in_tiny_spheres_are_found() {
    let random = &mut Random::new(3);
    let mut found = Vec::new();
    for size in [1e-18_f32, 1e-21, 1e-22, 5e-23, 3e-23, 1e-24, 1e-30] {
        let mut met = 0;
        for _ in 0..2000 {
            let [a, b, c] = [(); 3].map(|()| Vec3::ONE * size + random.signed() * (size * 0.2));
            let Ok(mesh) = Mesh::from_triangles(&[Triangle::new(a, b, c)]) else { continue };
            let radius = size * (1.3 + 0.4 * random.unit());
            // A corner is a point of the triangle.
            let touches = [a, b, c].iter().any(|corner| corner.as_dvec3().length() <= f64::from(radius));
            mesh.overlap(&Sphere::new(Vec3::ZERO, radius)).unwrap().collect_into(&mut found);
            assert!(!touches || mesh.is_empty() || found == [0], "size {size}, radius {radius}");
            met += usize::from(touches);
        }
        assert!(met > 0);
    }
}
