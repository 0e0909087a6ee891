//! The plain octree finds what every triangle on its own says, by every
//! traversal and in every placement.

use broadleaf::glam::Vec3;
use broadleaf::{
    Mesh, Ray,
    mesh::{Culling, MeshHit},
};
use classic_octree::{OctantMesh, OctantPlacement, Traversal, agree};
use proptest::prelude::*;
use workloads::{Model, Random, models::rays};

const PLACEMENTS: [OctantPlacement; 3] = [OctantPlacement::Shared, OctantPlacement::Held, OctantPlacement::Loose];
const TRAVERSALS: [Traversal; 3] = [Traversal::Planes, Traversal::Boxes, Traversal::Parametric];
const CULLINGS: [Culling; 3] = [Culling::None, Culling::Back, Culling::Front];

/// A model, its mesh, and its plain octrees.
struct Subject {
    model: Model,
    mesh: Mesh,
    plain: [OctantMesh; 3],
}

impl Subject {
    fn new(model: Model) -> Self {
        let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
        let plain = PLACEMENTS.map(|placement| OctantMesh::new(&mesh, placement));
        Self { model, mesh, plain }
    }

    /// Rays of every kind, so many of each.
    fn rays(&self, count: usize, seed: u64) -> Vec<Ray> {
        let bounds = self.model.bounds();
        let mut all = rays::incoherent(&bounds, count, seed);
        all.extend(rays::axis_parallel(&self.model, count, seed));
        all.extend(rays::at_edges(&self.model, count, seed));
        all.extend(rays::coherent(&bounds, 8, u32::try_from(count.div_ceil(8)).unwrap(), seed));
        all.extend(short(&all[..count], seed));
        all
    }

    /// Checks all traversals of all placements against an expected hit.
    fn check(&self, ray: &Ray, culling: Culling, expected: Option<MeshHit>) {
        for (plain, placement) in self.plain.iter().zip(PLACEMENTS) {
            for traversal in TRAVERSALS {
                let (hit, stats) = plain.closest_hit(ray, culling, traversal);
                let name = self.model.name();
                let asked = format!("{name}, {placement:?}, {traversal:?}, {culling:?}, {ray:?}");
                assert!(agree(ray, hit, expected), "{asked}: {hit:?}, {expected:?}");
                assert_eq!(stats.hits, u64::from(hit.is_some()));
                let (any, _) = plain.any_hit(ray, culling, traversal);
                assert_eq!(any.is_some(), expected.is_some(), "{name}, {placement:?}, {traversal:?}, {ray:?}");
                assert!(any.is_none_or(|any| culling.hits(any.side) && any.distance >= hit.unwrap().distance));
            }
        }
    }
}

/// The same rays with a reach that ends among the triangles.
fn short(rays: &[Ray], seed: u64) -> Vec<Ray> {
    let mut random = Random::new(seed);
    rays.iter().map(|ray| ray.with_distance_max(random.between(0.0, 20.0)).unwrap()).collect()
}

/// Each triangle as a mesh of its own.
fn alone(model: &Model) -> Vec<Mesh> {
    let count = u32::try_from(model.len()).unwrap();
    (0..count).map(|index| Mesh::from_triangles(&[model.triangle(index)]).unwrap()).collect()
}

/// The nearest hit of any triangle on its own, of equals the first.
fn brute_force(alone: &[Mesh], ray: &Ray, culling: Culling) -> Option<MeshHit> {
    let hits = (0_u32..).zip(alone).filter_map(|(triangle, mesh)| {
        let hit = mesh.cast(ray).culling(culling).closest()?;
        Some(MeshHit { triangle, ..hit })
    });
    hits.reduce(|best, hit| if hit.distance < best.distance { hit } else { best })
}

#[test]
fn every_traversal_agrees_with_brute_force_on_every_model() {
    for name in Model::NAMES {
        let subject = Subject::new(Model::by_name(name, 400, 1).unwrap());
        let alone = alone(&subject.model);
        let mut hits = 0;
        for ray in subject.rays(60, 2) {
            for culling in CULLINGS {
                let expected = brute_force(&alone, &ray, culling);
                hits += usize::from(expected.is_some());
                subject.check(&ray, culling, expected);
            }
        }
        assert!(hits > 60, "{name}: only {hits} hits");
    }
}

#[test]
fn every_traversal_agrees_with_the_mesh_on_deep_trees() {
    for name in Model::NAMES {
        let subject = Subject::new(Model::by_name(name, 20_000, 1).unwrap());
        for ray in subject.rays(40, 3) {
            let expected = subject.mesh.cast(&ray).closest();
            subject.check(&ray, Culling::None, expected);
        }
    }
}

#[test]
fn rays_along_the_planes_of_the_cells_are_not_lost() {
    // Small triangles around the points of a lattice; the first planes pass through its middle.
    let lattice = (0..27_u8).map(|at| Vec3::new(f32::from(at % 3), f32::from(at / 3 % 3), f32::from(at / 9)) - 1.0);
    let corners = [Vec3::new(-0.4, -0.3, -0.2), Vec3::new(0.5, 0.1, 0.3), Vec3::new(-0.1, 0.4, 0.2)];
    let positions: Vec<Vec3> = lattice.flat_map(|center| corners.map(|corner| center + corner)).collect();
    let indices: Vec<u32> = (0..u32::try_from(positions.len()).unwrap()).collect();
    let mesh = Mesh::from_indexed(&positions, &indices).unwrap();
    let middle = mesh.bounds().unwrap().center();
    for placement in PLACEMENTS {
        let plain = OctantMesh::new(&mesh, placement);
        assert!(plain.cell_count() > 1);
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let direction = Vec3::AXES[axis] * sign;
                // Along the edge where the first planes meet, and along the planes themselves.
                for offset in [Vec3::ZERO, Vec3::AXES[(axis + 1) % 3], Vec3::AXES[(axis + 2) % 3]] {
                    let ray = Ray::new(middle + offset * 0.1 - direction * 9.0, direction).unwrap();
                    let expected = mesh.cast(&ray).closest();
                    for traversal in TRAVERSALS {
                        assert!(agree(&ray, plain.closest_hit(&ray, Culling::None, traversal).0, expected), "{ray:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_triangle_that_reaches_beyond_its_cell_does_not_hide_a_nearer_one() {
    // The large triangle is met first as a resident of early cells, but hit last.
    let large = [Vec3::new(-8.0, -8.0, -8.0), Vec3::new(8.0, 8.0, 8.0), Vec3::new(8.0, -8.0, 8.0)];
    let mut positions = large.to_vec();
    for step in 0..40_u8 {
        let at = Vec3::new(f32::from(step) * 0.2 - 4.0, -7.5, -7.0);
        positions.extend([at, at + Vec3::new(0.1, 0.0, 0.0), at + Vec3::new(0.0, 0.1, 0.1)]);
    }
    let indices: Vec<u32> = (0..u32::try_from(positions.len()).unwrap()).collect();
    let mesh = Mesh::from_indexed(&positions, &indices).unwrap();
    for placement in PLACEMENTS {
        let plain = OctantMesh::new(&mesh, placement);
        for step in 0..40_u8 {
            let target = Vec3::new(f32::from(step) * 0.2 - 3.97, -7.47, -6.97);
            let ray = Ray::new(Vec3::new(-20.0, -9.0, -12.0), target - Vec3::new(-20.0, -9.0, -12.0)).unwrap();
            let expected = mesh.cast(&ray).closest();
            for traversal in TRAVERSALS {
                assert!(agree(&ray, plain.closest_hit(&ray, Culling::None, traversal).0, expected), "{placement:?}");
            }
        }
    }
}

#[test]
fn rays_from_as_far_as_is_promised_agree() {
    for name in Model::NAMES {
        let subject = Subject::new(Model::by_name(name, 2_000, 3).unwrap());
        let (bounds, mut random) = (subject.model.bounds(), Random::new(11));
        let far = bounds.extents().max_element() * 10_000.0;
        let mut hits = 0;
        for step in 0..200 {
            let triangle = subject.model.triangle(random.below(2_000));
            let target = (triangle.a + triangle.b + triangle.c) / 3.0;
            let from = bounds.center() + random.direction() * far * if step % 2 == 0 { 1.0 } else { 0.01 };
            let Ok(ray) = Ray::new(from, target - from) else { continue };
            let expected = subject.mesh.cast(&ray).closest();
            hits += usize::from(expected.is_some());
            subject.check(&ray, Culling::None, expected);
        }
        assert!(hits > if name == "slivers" { 0 } else { 50 }, "{name}: {hits}");
    }
}

#[test]
fn a_mesh_of_nothing_is_hit_by_nothing() {
    let point = [Vec3::ONE; 3];
    for mesh in [Mesh::from_indexed::<Vec3>(&[], &[]).unwrap(), Mesh::from_indexed(&point, &[0, 1, 2]).unwrap()] {
        for placement in PLACEMENTS {
            let plain = OctantMesh::new(&mesh, placement);
            assert_eq!((plain.reference_count(), plain.placement()), (0, placement));
            let ray = Ray::new(Vec3::ZERO, Vec3::ONE).unwrap();
            for traversal in TRAVERSALS {
                assert_eq!(plain.closest_hit(&ray, Culling::None, traversal).0, None);
            }
        }
    }
}

#[test]
fn references_stay_within_their_limit() {
    for name in Model::NAMES {
        let subject = Subject::new(Model::by_name(name, 5_000, 1).unwrap());
        let [shared, held, loose] = &subject.plain;
        let found = subject.mesh.len() - subject.mesh.degenerate_count();
        assert_eq!((held.reference_count(), loose.reference_count()), (found, found), "{name}");
        assert!(shared.reference_count() >= found && shared.reference_count() <= 12 * subject.mesh.len(), "{name}");
        assert!(shared.memory() > shared.reference_count() * 4);
    }
}

#[test]
fn regression_a_ray_that_grazes_its_triangle_agrees() {
    // At a thousandth of a radian a distance may be off by 2e-5 of itself: along the ray, not across the triangle.
    let seed = 10_710_659_238_023_233_234;
    let subject = Subject::new(Model::by_name("torus", 298, seed).unwrap());
    let alone = alone(&subject.model);
    for ray in subject.rays(12, seed) {
        subject.check(&ray, Culling::None, brute_force(&alone, &ray, Culling::None));
    }
}

#[test]
fn hits_at_different_distances_do_not_agree() {
    let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2]).unwrap();
    let ray = |direction| Ray::new(Vec3::new(0.2, 0.2, 5.0), direction).unwrap();
    for direction in [Vec3::NEG_Z, Vec3::new(0.1, 0.05, -5.0)] {
        let ray = ray(direction);
        let hit = mesh.cast(&ray).closest().unwrap();
        let at = |distance: f32| Some(MeshHit { distance, ..hit });
        assert!(agree(&ray, Some(hit), at(hit.distance * 1.000_01)));
        for other in [None, at(hit.distance * 1.000_1), at(hit.distance * 0.999_9)] {
            assert!(!agree(&ray, Some(hit), other) && !agree(&ray, other, Some(hit)), "{other:?}");
        }
    }
    // Nearly along the triangle: a hundredth of the distance may be rounding, a twentieth is not.
    let ray = Ray::new(Vec3::new(-5.0, 0.2, 0.0005), Vec3::new(1.0, 0.0, -0.0001)).unwrap();
    let hit = mesh.cast(&ray).closest().unwrap();
    let at = |distance: f32| Some(MeshHit { distance, ..hit });
    assert!(agree(&ray, Some(hit), at(hit.distance * 1.005)) && !agree(&ray, Some(hit), at(hit.distance * 1.05)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_models_agree_with_brute_force(kind in 0..Model::NAMES.len(), count in 1_u32..300, seed: u64) {
        let subject = Subject::new(Model::by_name(Model::NAMES[kind], count, seed).unwrap());
        let alone = alone(&subject.model);
        for ray in subject.rays(12, seed) {
            subject.check(&ray, Culling::None, brute_force(&alone, &ray, Culling::None));
        }
    }
}
