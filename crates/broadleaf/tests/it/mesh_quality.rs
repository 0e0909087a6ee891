//! Meshes of high quality: the same answers as of fast builds, for less work.

use broadleaf::glam::Vec3;
use broadleaf::mesh::BuildQuality;
use broadleaf::shape::Triangle;
use broadleaf::{Aabb, Mesh, QueryStats, Ray, Threads};
use proptest::prelude::*;
use std::ops::ControlFlow;
use workloads::Model;
use workloads::models::rays;

fn built(model: &Model, quality: BuildQuality) -> Mesh {
    let mesh = Mesh::builder().quality(quality).from_indexed(model.positions(), model.indices()).unwrap();
    assert_eq!(mesh.validate(), Ok(()));
    mesh
}

fn high(triangles: &[Triangle]) -> Mesh {
    let mesh = Mesh::builder().quality(BuildQuality::High).from_triangles(triangles).unwrap();
    assert_eq!(mesh.validate(), Ok(()));
    mesh
}

/// Compares all questions with those of the fast build, which other tests compare with brute force.
fn assert_same_answers(high: &Mesh, fast: &Mesh, rays: &[Ray]) {
    assert_eq!(
        (high.len(), high.degenerate_count(), high.bounds()),
        (fast.len(), fast.degenerate_count(), fast.bounds())
    );
    let sorted = |mut found: Vec<u32>| {
        found.sort_unstable();
        found
    };
    for ray in rays {
        assert_eq!(high.cast(ray).closest(), fast.cast(ray).closest());
        assert_eq!(high.cast(ray).count(), fast.cast(ray).count());
        let region = Aabb::from_center_half_extents(ray.origin(), Vec3::splat(0.3));
        let touched = |mesh: &Mesh| {
            let mut found = Vec::new();
            mesh.overlap(&region).unwrap().collect_into(&mut found);
            sorted(found)
        };
        assert_eq!(touched(high), touched(fast));
        let near = |mesh: &Mesh| mesh.nearest(ray.origin()).unwrap().closest().map(|near| near.distance);
        assert_eq!(near(high), near(fast));
    }
}

/// Work of all rays: nodes visited, and leaves of eight triangles.
fn work(mesh: &Mesh, rays: &[Ray]) -> (u64, u64) {
    let mut stats = QueryStats::default();
    for ray in rays {
        let _ = mesh.cast(ray).stats(&mut stats).closest();
    }
    (stats.nodes_visited, stats.objects_tested / 8)
}

#[test]
fn answers_are_those_of_a_fast_build_for_less_work() {
    for (name, nodes_percent, leaves_percent) in [("torus", 98, 95), ("terrain", 92, 92), ("boxes", 95, 60)] {
        let model = Model::by_name(name, 20_000, 1).unwrap();
        let (fast, high) = (built(&model, BuildQuality::Fast), built(&model, BuildQuality::High));
        let rays = rays::incoherent(&model.bounds(), 2000, 4);
        assert_same_answers(&high, &fast, &rays[..200]);
        let ((fast_nodes, fast_leaves), (nodes, leaves)) = (work(&fast, &rays), work(&high, &rays));
        assert!(nodes * 100 < fast_nodes * nodes_percent, "{name}: {nodes} nodes, {fast_nodes} of a fast build");
        assert!(leaves * 100 < fast_leaves * leaves_percent, "{name}: {leaves} leaves, {fast_leaves} of a fast build");
    }
}

#[test]
fn the_mesh_is_the_same_on_any_number_of_threads() {
    let model = Model::by_name("boxes", 30_000, 2).unwrap();
    let one = format!("{:?}", built(&model, BuildQuality::High));
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let builder = Mesh::builder().quality(BuildQuality::High).threads(Threads::Pool);
        let many = pool.install(|| builder.from_indexed(model.positions(), model.indices()).unwrap());
        assert!(one == format!("{many:?}"), "{threads} threads");
    }
}

/// Surfaces of very large and very small boxes do not fit floats.
#[test]
fn a_mesh_of_any_size_is_split_alike() {
    let model = Model::by_name("boxes", 3000, 1).unwrap();
    let scaled = |power: i32| {
        let positions: Vec<Vec3> = model.positions().iter().map(|&at| at * 2.0_f32.powi(power)).collect();
        let mesh = Mesh::builder().quality(BuildQuality::High).from_indexed(&positions, model.indices()).unwrap();
        assert_eq!(mesh.validate(), Ok(()));
        let mut leaves = Vec::new();
        mesh.leaves(|leaf| {
            leaves.push(leaf.triangles);
            ControlFlow::Continue(())
        });
        // Which node of equal cost is opened first is not.
        leaves.sort_unstable();
        leaves
    };
    for power in [-80, -60, 40, 50] {
        assert_eq!(scaled(power), scaled(0), "{power}");
    }
}

#[test]
fn triangles_that_nothing_tells_apart_are_halved() {
    let one = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let mesh = high(&[one; 1000]);
    assert_eq!(mesh.cast(&Ray::new(Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z).unwrap()).count(), 1000);
    // No border between bins: the size of a bin is no number.
    let small = (0..100_u8).map(|i| {
        let at = Vec3::splat(f32::from(i) * f32::from_bits(1));
        Triangle::new(at, at + Vec3::X * 1e-30, at + Vec3::Y * 1e-30)
    });
    assert_eq!(high(&small.collect::<Vec<_>>()).len(), 100);
}

#[test]
fn triangles_that_double_in_size_are_found() {
    // Each border of the least cost parts a few triangles from all the others.
    let doubling = (0..180_i32).flat_map(|power| {
        let size = 2.0_f32.powi(power - 120);
        (0..9_u8).map(move |i| {
            let at = Vec3::new(size, size * 0.1 * f32::from(i), size);
            Triangle::new(at, at + Vec3::X * size * 0.1, at + Vec3::Y * size * 0.1)
        })
    });
    let triangles: Vec<Triangle> = doubling.filter(|t| t.b.max_element() < Mesh::COORDINATE_MAX * 0.5).collect();
    assert!(triangles.len() > 1000);
    let mesh = high(&triangles);
    for triangle in triangles.iter().step_by(7) {
        let near = mesh.nearest(triangle.a).unwrap().closest().unwrap();
        assert_eq!(near.distance, 0.0);
    }
}

proptest! {
    #[test]
    fn soups_are_answered_as_by_a_fast_build(
        corners in prop::collection::vec(prop::array::uniform9(prop_oneof![(-3..=3_i8).prop_map(f32::from), -2.0..2.0_f32]), 0..150),
        origins in prop::collection::vec(prop::array::uniform6(-4.0..4.0_f32), 1..8),
    ) {
        let triangle = |c: &[f32; 9]| Triangle::new(Vec3::from_slice(c), Vec3::from_slice(&c[3..]), Vec3::from_slice(&c[6..]));
        let triangles: Vec<Triangle> = corners.iter().map(triangle).collect();
        let rays: Vec<Ray> = origins.iter().filter_map(|o| Ray::new(Vec3::from_slice(o), Vec3::from_slice(&o[3..])).ok()).collect();
        let fast = Mesh::from_triangles(&triangles).unwrap();
        assert_same_answers(&high(&triangles), &fast, &rays);
    }
}
