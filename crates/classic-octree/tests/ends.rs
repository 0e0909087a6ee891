//! Rays that end on a triangle, or start on one, hit it by every traversal.

use broadleaf::glam::Vec3;
use broadleaf::{Mesh, Ray, mesh::Culling, shape::Triangle};
use classic_octree::{OctantMesh, OctantPlacement, Traversal, agree};
use workloads::Random;

const TRAVERSALS: [Traversal; 3] = [Traversal::Planes, Traversal::Boxes, Traversal::Parametric];

/// Whether each traversal hits, as the mesh does.
fn is_hit(mesh: &Mesh, plain: &OctantMesh, ray: &Ray) -> bool {
    let expected = mesh.cast(ray).closest();
    for traversal in TRAVERSALS {
        let (hit, _) = plain.closest_hit(ray, Culling::None, traversal);
        assert!(agree(ray, hit, expected), "{traversal:?}, {ray:?}: {hit:?}, {expected:?}");
        assert!(hit.is_none_or(|hit| hit.distance <= ray.distance_max()), "{ray:?}");
    }
    expected.is_some()
}

#[test]
fn segments_from_anywhere_hit_the_triangle_at_their_end() {
    let mut random = Random::new(9);
    let mut cast = 0;
    for _ in 0..300 {
        let (size, offset) = (10_f32.powf(random.between(-3.0, 3.0)), random.direction() * 10.0);
        let mut corner = || offset + random.direction() * size;
        let triangle = Triangle::new(corner(), corner(), corner());
        if triangle.scaled_normal().length() < 0.1 * size * size {
            continue;
        }
        let mesh = Mesh::from_triangles(&[triangle]).unwrap();
        let plain = OctantMesh::new(&mesh, OctantPlacement::Shared);
        for _ in 0..60 {
            let (u, v) = (random.between(0.1, 0.4), random.between(0.1, 0.4));
            let end = triangle.a * u + triangle.b * v + triangle.c * (1.0 - u - v);
            let up = triangle.scaled_normal().normalize();
            let length = size * 10_f32.powf(random.between(-1.0, 1.5));
            let from = end + (random.direction() + up * 1.1).normalize() * length;
            let Ok(ray) = Ray::segment(from, end) else { continue };
            assert!(is_hit(&mesh, &plain, &ray), "{triangle:?}, {ray:?}");
            cast += 1;
        }
    }
    assert!(cast > 5_000, "{cast}");
}

#[test]
fn rays_without_a_length_hit_what_they_start_on() {
    let triangle = Triangle::new(Vec3::new(-3.0, -3.0, 0.0), Vec3::X * 5.0, Vec3::Y * 5.0);
    let mesh = Mesh::from_triangles(&[triangle]).unwrap();
    let plain = OctantMesh::new(&mesh, OctantPlacement::Shared);
    let down = |from: Vec3| Ray::new(from, Vec3::NEG_Z).unwrap().with_distance_max(0.0).unwrap();
    for above in [0.0, 1e-8] {
        assert!(is_hit(&mesh, &plain, &down(Vec3::new(0.5, 0.5, above))), "{above} above");
        assert!(!is_hit(&mesh, &plain, &down(Vec3::ONE)));
    }
}
