//! Meshes of any bytes: refused with an error, or valid, and every question
//! answered as each triangle says, by itself and to the oracle.

#![no_main]

use broadleaf::glam::Vec3;
use broadleaf::mesh::BuildQuality;
use broadleaf::{Mesh, Ray, Sphere, shape::Triangle};
use libfuzzer_sys::fuzz_target;
use workloads::oracle::mesh::MeshOracle;

/// Corners on a small grid, so that they meet, or any bits; a ray, its reach, and a radius.
type Input = (bool, Vec<[[u32; 3]; 3]>, [[u32; 3]; 2], u16, u8);

fuzz_target!(|input: Input| {
    let (any, triangles, ray, reach, radius) = input;
    let number = |bits: u32| if any { f32::from_bits(bits) } else { (bits % 9) as f32 - 4.0 };
    let point = |bits: [u32; 3]| Vec3::from(bits.map(number));
    let triangles: Vec<Triangle> =
        triangles.into_iter().map(|[a, b, c]| Triangle::new(point(a), point(b), point(c))).collect();
    let built = |quality| Mesh::builder().quality(quality).from_triangles(&triangles);
    let Ok(meshes) = [BuildQuality::Fast, BuildQuality::High].map(built).into_iter().collect::<Result<Vec<_>, _>>()
    else {
        return;
    };
    meshes.iter().for_each(|mesh| mesh.validate().unwrap());
    let reach = if reach == 0 { f32::MAX } else { f32::from(reach) / 64.0 };
    let Ok(ray) = Ray::new(point(ray[0]), point(ray[1])).and_then(|ray| ray.with_distance_max(reach)) else { return };
    let each = (0..).zip(&triangles).filter_map(|(index, triangle)| {
        let hit = Mesh::from_triangles(&[*triangle]).unwrap().cast(&ray).closest();
        hit.map(|hit| (index, hit.distance))
    });
    let nearest = each.reduce(|best: (u32, f32), next| if next.1 < best.1 { next } else { best });
    let far = ray.origin().abs().max_element() > Mesh::COORDINATE_MAX;
    let radius = f32::from(radius) / 16.0;
    let is_legal = !far && Sphere::new(ray.origin(), radius).check().is_ok();
    for mesh in &meshes {
        let hit = mesh.cast(&ray).closest();
        assert_eq!(hit.map(|hit| (hit.triangle, hit.distance)), nearest);
        if is_legal {
            MeshOracle::new(&triangles).check(mesh, &ray, radius).unwrap();
        }
    }
});
