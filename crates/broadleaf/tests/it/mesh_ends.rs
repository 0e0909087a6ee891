//! Rays end where they are told to, end included, and no mesh is too small for them.

use broadleaf::glam::Vec3;
use broadleaf::{Mesh, Ray, shape::Triangle};
use workloads::{Model, Random};

/// A point in the middle of a triangle, and away from its edges.
fn within(triangle: &Triangle, random: &mut Random) -> Vec3 {
    let (u, v) = (random.between(0.1, 0.4), random.between(0.1, 0.4));
    triangle.a * u + triangle.b * v + triangle.c * (1.0 - u - v)
}

fn direction(random: &mut Random) -> Vec3 {
    random.direction()
}

/// Whether each way of asking hits, at no more than the reach.
fn is_hit(mesh: &Mesh, ray: &Ray) -> bool {
    let closest = mesh.cast(ray).closest();
    let any = mesh.cast(ray).any();
    let mut all = Vec::new();
    mesh.cast(ray).collect_into(&mut all);
    assert_eq!((any.is_some(), all.is_empty()), (closest.is_some(), closest.is_none()), "{ray:?}");
    let Some(hit) = closest else { return false };
    assert!(all.contains(&hit) && hit.distance <= ray.distance_max(), "{hit:?}, {ray:?}");
    true
}

#[test]
fn regression_straight_segments_hit_the_triangle_at_their_end() {
    let triangle = Triangle::new(Vec3::new(-3.0, -3.0, 0.0), Vec3::X * 5.0, Vec3::Y * 5.0);
    let mesh = Mesh::from_triangles(&[triangle]).unwrap();
    let mut random = Random::new(4);
    for _ in 0..10_000 {
        let end = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0);
        let ray = Ray::segment(end + Vec3::Z * 5.0, end).unwrap();
        assert!(is_hit(&mesh, &ray), "{end}");
        assert!(!is_hit(&mesh, &ray.with_distance_max(4.999_99).unwrap()), "{end}, short of it");
    }
}

#[test]
fn regression_segments_from_anywhere_hit_the_triangle_at_their_end() {
    let mut random = Random::new(9);
    let (mut flat, mut far) = (0, 0);
    for _ in 0..300 {
        let (size, offset) = (10_f32.powf(random.between(-3.0, 3.0)), random.direction() * 10.0);
        let mut corner = || offset + random.direction() * size;
        let triangle = Triangle::new(corner(), corner(), corner());
        let normal = triangle.scaled_normal();
        if normal.length() < 0.1 * size * size {
            continue;
        }
        let mesh = Mesh::from_triangles(&[triangle]).unwrap();
        for _ in 0..60 {
            let end = within(&triangle, &mut random);
            // From straight above to nearly along the triangle, from near and from far.
            let (up, aside) = (normal.normalize(), direction(&mut random));
            let slope = 10_f32.powf(random.between(-2.0, 0.0));
            let length = size * 10_f32.powf(random.between(-1.0, 1.5));
            let from = end + (aside.reject_from_normalized(up) + up * slope).normalize() * length;
            let Ok(ray) = Ray::segment(from, end) else { continue };
            // A point beside the triangle by rounding is at its end all the same; one at the distance of a step is not.
            assert!(is_hit(&mesh, &ray), "{triangle:?}, {ray:?}");
            let step = (ray.distance_max() + end.abs().max_element()) * 1e-5 / slope;
            if step < ray.distance_max() {
                let short = ray.with_distance_max(ray.distance_max() - step).unwrap();
                assert!(!is_hit(&mesh, &short), "{triangle:?}, {short:?}");
            }
            flat += u32::from(slope < 0.1);
            far += u32::from(length > size);
        }
    }
    assert!(flat > 1_000 && far > 1_000, "{flat}, {far}");
}

#[test]
fn of_triangles_at_the_end_the_first_is_hit() {
    let triangle = Triangle::new(Vec3::new(-3.0, -3.0, 0.0), Vec3::X * 5.0, Vec3::Y * 5.0);
    let mesh = Mesh::from_triangles(&[triangle; 40]).unwrap();
    let mut random = Random::new(5);
    for _ in 0..1_000 {
        let end = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0);
        let ray = Ray::segment(end + random.direction() + Vec3::Z * 3.0, end).unwrap();
        assert_eq!(mesh.cast(&ray).closest().map(|hit| hit.triangle), Some(0));
        let mut all = Vec::new();
        mesh.cast(&ray).collect_into(&mut all);
        assert_eq!(all.len(), 40);
    }
}

#[test]
fn regression_no_ray_slips_through_a_very_small_mesh() {
    let model = Model::by_name("sphere", 1_000, 1).unwrap();
    for scale in [1e-40_f32, 1e-36, 1e-30, 1e-24, 1e-22, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-12, 1e-6] {
        let positions: Vec<Vec3> = model.positions().iter().map(|position| *position * scale).collect();
        let mesh = Mesh::from_indexed(&positions, model.indices()).unwrap();
        mesh.validate().unwrap();
        let mut random = Random::new(3);
        let mut cast = 0;
        for index in 0..u32::try_from(model.len()).unwrap() {
            let triangle = mesh.triangle(index).unwrap();
            let along = triangle.a + (triangle.b - triangle.a) * random.unit();
            for target in [triangle.a, along, within(&triangle, &mut random)] {
                let Ok(ray) = Ray::new(Vec3::ZERO, target) else { continue };
                assert!(mesh.cast(&ray).closest().is_some(), "{scale}, {target}");
                cast += 1;
            }
        }
        assert!(cast > 2_900, "{scale}, {cast}");
    }
}

#[test]
fn rays_without_a_length_hit_what_they_start_on() {
    let triangle = Triangle::new(Vec3::new(-3.0, -3.0, 0.0), Vec3::X * 5.0, Vec3::Y * 5.0);
    let mesh = Mesh::from_triangles(&[triangle]).unwrap();
    for above in [0.0, 1e-8] {
        for reach in [0.0, -0.0] {
            let ray = Ray::new(Vec3::new(0.5, 0.5, above), Vec3::NEG_Z).unwrap().with_distance_max(reach).unwrap();
            assert!(is_hit(&mesh, &ray), "{above} above, {reach} down");
            assert!(!is_hit(&mesh, &Ray::new(Vec3::ONE, Vec3::NEG_Z).unwrap().with_distance_max(reach).unwrap()));
        }
    }
}
