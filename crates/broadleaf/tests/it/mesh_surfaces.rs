//! Meshes that are whole surfaces: no ray slips through, inside is told from
//! outside, and each build gives the same mesh.

use broadleaf::glam::Vec3;
use broadleaf::{
    Mesh, Ray, Threads,
    mesh::{Culling, Side},
    shape::Triangle,
};
use std::ops::ControlFlow;

/// A closed surface around a middle: a sphere of so many rings, bent and stretched.
fn ball(rings: u32, bend: impl Fn(Vec3) -> Vec3) -> (Vec<Vec3>, Vec<u32>) {
    let segments = 2 * rings;
    let mut positions = vec![bend(Vec3::Y)];
    for ring in 1..rings {
        for segment in 0..segments {
            let (polar, around) = (
                std::f32::consts::PI * ring as f32 / rings as f32,
                std::f32::consts::TAU * segment as f32 / segments as f32,
            );
            positions.push(bend(Vec3::new(polar.sin() * around.cos(), polar.cos(), -polar.sin() * around.sin())));
        }
    }
    positions.push(bend(Vec3::NEG_Y));
    let last = (rings - 1) * segments + 1;
    let at = |ring: u32, segment: u32| match ring {
        0 => 0,
        ring if ring == rings => last,
        ring => 1 + (ring - 1) * segments + segment % segments,
    };
    let mut indices = Vec::new();
    for ring in 0..rings {
        for segment in 0..segments {
            let [a, b, c, d] =
                [at(ring, segment), at(ring + 1, segment), at(ring + 1, segment + 1), at(ring, segment + 1)];
            if b != c {
                indices.extend([a, b, c]);
            }
            if a != d {
                indices.extend([a, c, d]);
            }
        }
    }
    (positions, indices)
}

fn random(state: &mut u64) -> f32 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 40) as f32 / (1_u64 << 24) as f32
}

#[test]
fn no_ray_from_inside_slips_through_an_edge_or_a_corner() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut cast = 0;
    for (rings, offset, scale) in [(6, 0.0, 1.0), (40, 0.0, 1.0), (24, 1000.0, 1.0), (24, 7.0, 1e-3), (16, -3.0, 1e6)] {
        let stretch = Vec3::new(1.0, 0.7, 1.4) * scale;
        let (positions, indices) = ball(rings, |p| p * stretch + Vec3::splat(offset));
        let mesh = Mesh::from_indexed(&positions, &indices).unwrap();
        mesh.validate().unwrap();
        for _ in 0..600_000 / indices.len() {
            let wander = Vec3::new(random(&mut state), random(&mut state), random(&mut state)) - 0.5;
            let origin = Vec3::splat(offset) + stretch * wander * 0.5;
            for (corner, &index) in indices.iter().enumerate() {
                let next = indices[if corner % 3 == 2 { corner - 2 } else { corner + 1 }];
                let (a, b) = (positions[index as usize], positions[next as usize]);
                let on_edge = a + (b - a) * random(&mut state);
                for target in [a, on_edge] {
                    let ray = Ray::new(origin, target - origin).unwrap();
                    let hit = mesh.cast(&ray).closest();
                    assert!(hit.is_some(), "slipped from {origin} through {target}");
                    let any = mesh.cast(&ray).culling(Culling::Front).any();
                    assert!(any.is_some(), "slipped from {origin} through {target} past front sides");
                    cast += 2;
                }
            }
        }
    }
    assert!(cast > 5_000_000, "{cast}");
}

#[test]
fn axis_parallel_rays_through_a_grid_of_corners_do_not_slip() {
    let side = 33_u32;
    let positions: Vec<Vec3> =
        (0..side * side).map(|i| Vec3::new((i % side) as f32 * 0.1, 2.0, (i / side) as f32 * 0.1)).collect();
    let mut indices = Vec::new();
    for z in 0..side - 1 {
        for x in 0..side - 1 {
            let a = z * side + x;
            indices.extend([a, a + side, a + 1, a + 1, a + side, a + side + 1]);
        }
    }
    let mesh = Mesh::from_indexed(&positions, &indices).unwrap();
    for position in &positions {
        for (from, direction, side) in [(Vec3::Y * 3.0, Vec3::NEG_Y, Side::Front), (Vec3::NEG_Y, Vec3::Y, Side::Back)] {
            let ray = Ray::new(*position + from, direction).unwrap();
            let hit = mesh.cast(&ray).closest();
            let hit = hit.unwrap();
            assert_eq!((hit.distance, hit.side), (3.0 - f32::from(u8::from(side == Side::Back)) * 2.0, side));
        }
    }
}

#[test]
fn points_inside_a_closed_mesh_are_told_apart() {
    let (positions, indices) = ball(20, |p| p * Vec3::new(3.0, 2.0, 1.0));
    let outward = Mesh::from_indexed(&positions, &indices).unwrap();
    let reversed: Vec<u32> = indices.chunks(3).flat_map(|t| [t[0], t[2], t[1]]).collect();
    let inward = Mesh::from_indexed(&positions, &reversed).unwrap();
    let mut state = 77;
    let mut inside = 0;
    let grid = (-16..=16_i8)
        .flat_map(|x| (-16..=16_i8).map(move |y| Vec3::new(f32::from(x) * 0.25, f32::from(y) * 0.25, 0.0)));
    let random = (0..4000).map(|_| (Vec3::new(random(&mut state), random(&mut state), random(&mut state)) - 0.5) * 7.0);
    for point in grid.chain(random.collect::<Vec<_>>()) {
        let radius = (point / Vec3::new(3.0, 2.0, 1.0)).length();
        // Between the facets and the sphere they stand for, either is right.
        if !(0.97..=1.0001).contains(&radius) {
            assert_eq!(outward.nearest(point).unwrap().is_inside(), radius < 1.0, "{point}");
            assert_eq!(inward.nearest(point).unwrap().is_inside(), radius < 1.0, "{point}");
            inside += usize::from(radius < 1.0);
        }
    }
    assert!(inside > 300, "{inside}");
    assert!(outward.nearest(positions[5]).unwrap().is_inside(), "the surface belongs to the mesh");
}

#[test]
fn a_mesh_does_not_depend_on_threads() {
    let (positions, indices) = ball(120, |p| p * (1.0 + 0.2 * (p.x * 9.0).sin()));
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Mesh::builder().threads(Threads::Pool).from_indexed(&positions, &indices).unwrap())
    };
    let one = format!("{:?}", Mesh::from_indexed(&positions, &indices).unwrap());
    assert!(one == format!("{:?}", build(1)));
    assert!(one == format!("{:?}", build(2)) && one == format!("{:?}", build(5)));
}

#[test]
fn positions_of_no_triangle_do_not_coarsen_the_tree() {
    let (mut corners, indices) = ball(40, |point| point);
    let plain = Mesh::from_indexed(&corners, &indices).unwrap();
    corners.push(Vec3::splat(Mesh::COORDINATE_MAX));
    let strayed = Mesh::from_indexed(&corners, &indices).unwrap();
    assert_eq!(strayed.validate(), Ok(()));
    let leaves = |mesh: &Mesh| {
        let mut found = Vec::new();
        mesh.leaves(|leaf| {
            found.push(leaf);
            ControlFlow::Continue(())
        });
        found
    };
    assert_eq!(leaves(&strayed), leaves(&plain));
}

#[cfg(feature = "serde")]
#[test]
fn meshes_come_back_from_data_the_same_and_bad_data_is_refused() {
    let (positions, indices) = ball(9, |p| p);
    let mut triangles: Vec<Triangle> = indices
        .chunks(3)
        .map(|t| Triangle::new(positions[t[0] as usize], positions[t[1] as usize], positions[t[2] as usize]))
        .collect();
    triangles.insert(3, Triangle::new(Vec3::ZERO, Vec3::X, Vec3::X));
    let mesh = Mesh::from_triangles(&triangles).unwrap();
    let text = serde_json::to_string(&mesh).unwrap();
    let back: Mesh = serde_json::from_str(&text).unwrap();
    back.validate().unwrap();
    assert_eq!(format!("{back:?}"), format!("{mesh:?}"));
    for bad in ["[[[0,0,0],[1,0,0],[0,1e30,0]]]", "[[[0,0,0],[1,0,0]]]", "[[[0,0,0],[1,0,0],[0,1,null]]]", "{}"] {
        assert!(serde_json::from_str::<Mesh>(bad).is_err(), "{bad}");
    }
}
