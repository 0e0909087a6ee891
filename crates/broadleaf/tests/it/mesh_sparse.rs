//! Meshes that are small beside their bounds cost no more than others.

use broadleaf::glam::Vec3;
use broadleaf::shape::Triangle;
use broadleaf::{Mesh, QueryStats, Ray, Threads};
use workloads::Random;

/// A bent surface of triangles, two by so many in a square, in an order that says nothing of where they lie.
fn scan(side: u16) -> Vec<Triangle> {
    let point = |i: u16, j: u16| {
        let [u, v] = [i, j].map(|n| f32::from(n) / f32::from(side));
        Vec3::new(u, (u * 9.0).sin() * (v * 7.0).cos() * 0.1, v)
    };
    let squares = (0..side).flat_map(|i| (0..side).map(move |j| (i, j)));
    let mut triangles: Vec<Triangle> = squares
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i, j + 1), point(i + 1, j + 1)];
            [Triangle::new(a, b, c), Triangle::new(b, d, c)]
        })
        .collect();
    let stride = 7919;
    assert!(!triangles.len().is_multiple_of(stride));
    triangles = (0..triangles.len()).map(|index| triangles[index * stride % triangles.len()]).collect();
    triangles
}

fn rays() -> Vec<Ray> {
    let mut random = Random::new(3);
    let mut point = |low: f32, high: f32| Vec3::from_array(std::array::from_fn(|_| random.between(low, high)));
    (0..400).map(|_| (point(-1.5, 2.5), point(0.0, 1.0))).map(|(a, b)| Ray::new(a, b - a).unwrap()).collect()
}

fn closest(mesh: &Mesh, rays: &[Ray]) -> (Vec<Option<(u32, f32)>>, QueryStats) {
    let mut stats = QueryStats::default();
    let hits = rays
        .iter()
        .map(|ray| mesh.cast(ray).stats(&mut stats).closest())
        .map(|hit| hit.map(|hit| (hit.triangle, hit.distance)));
    (hits.collect(), stats)
}

#[test]
fn one_far_triangle_makes_no_ray_at_a_scan_dearer() {
    let (triangles, rays) = (scan(100), rays());
    let near = Mesh::from_triangles(&triangles).unwrap();
    let (expected, before) = closest(&near, &rays);
    assert!(expected.iter().flatten().count() > 100);
    for far in [1e4_f32, 1e6] {
        let at = Vec3::splat(far);
        let mut all = triangles.clone();
        all.push(Triangle::new(at, at + Vec3::X, at + Vec3::Y));
        let mesh = Mesh::from_triangles(&all).unwrap();
        assert_eq!(mesh.validate(), Ok(()));
        let (found, after) = closest(&mesh, &rays);
        assert_eq!(found, expected, "{far}");
        assert!(after.nodes_visited <= 2 * before.nodes_visited, "{far}: {before:?} {after:?}");
        assert!(after.objects_tested <= 2 * before.objects_tested, "{far}: {before:?} {after:?}");
        let threads = Mesh::builder().threads(Threads::Pool).from_triangles(&all).unwrap();
        assert_eq!(closest(&threads, &rays), (found, after), "{far}: threads");
        // All hits, and those of the plain way: every triangle is a mesh of its own.
        let alone: Vec<Mesh> = triangles.iter().map(|one| Mesh::from_triangles(&[*one]).unwrap()).collect();
        for ray in rays.iter().step_by(20) {
            let mut hits = Vec::new();
            mesh.cast(ray).collect_into(&mut hits);
            let mut hits: Vec<u32> = hits.iter().map(|hit| hit.triangle).collect();
            hits.sort_unstable();
            let plain = (0..).zip(&alone).filter(|(_, mesh)| mesh.cast(ray).any().is_some()).map(|(index, _)| index);
            assert_eq!(hits, plain.collect::<Vec<u32>>(), "{far}");
        }
    }
}
