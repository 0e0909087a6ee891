//! A frustum made from a matrix shows what the matrix shows: the points in
//! clip space, in either convention of depth, reversed and infinite included.

use crate::projections::{FAR, NEAR, projections};
use broadleaf::ClipDepth::{NegativeOneToOne, ZeroToOne};
use broadleaf::glam::camera::rh::proj::{directx, opengl};
use broadleaf::glam::camera::rh::view::look_to_mat4;
use broadleaf::glam::{Mat4, Vec3, Vec4};
use broadleaf::{Aabb, ClipDepth, Containment, Error, Frustum, Sphere, shape::Plane};
use workloads::Random;

/// The distance of a clip-space point to the nearest face, positive inside.
fn depth_inside(clip: Vec4, depth: ClipDepth) -> f32 {
    let start = if depth == ZeroToOne { clip.z } else { clip.w + clip.z };
    let faces = [clip.w + clip.x, clip.w - clip.x, clip.w + clip.y, clip.w - clip.y, start, clip.w - clip.z];
    faces.into_iter().fold(f32::INFINITY, f32::min)
}

fn is_in_front(frustum: &Frustum, point: Vec3) -> bool {
    frustum.planes().iter().all(|plane| plane.normal.dot(point) + plane.offset >= 0.0)
}

/// Counts the points found inside and outside.
fn sample(matrix: Mat4, depth: ClipDepth, eye: Vec3, name: &str) -> (u32, u32) {
    let frustum = Frustum::from_view_projection(matrix, depth).expect(name);
    let mut random = Random::new(3);
    let (mut inside, mut outside) = (0, 0);
    for turn in 0..20_000 {
        let reach = if turn % 2 == 0 { FAR * 1.5 } else { 12.0 };
        let point = eye + random.signed() * reach;
        let margin = depth_inside(matrix * point.extend(1.0), depth);
        // Nearer to a face than this, rounding decides.
        if margin.abs() < 1e-3 {
            continue;
        }
        let visible = margin > 0.0;
        *(if visible { &mut inside } else { &mut outside }) += 1;
        assert_eq!(is_in_front(&frustum, point), visible, "{name}: {point}");
        assert_eq!(frustum.classify_aabb(&Aabb::new(point, point)).is_some(), visible, "{name}: {point}");
        assert_eq!(frustum.classify_sphere(&Sphere::new(point, 0.0)).is_some(), visible, "{name}: {point}");
    }
    (inside, outside)
}

#[test]
fn points_in_clip_space_are_in_front_of_all_planes() {
    let eyes = [(Vec3::ZERO, Vec3::NEG_Z), (Vec3::new(30.0, -4.0, 7.0), Vec3::new(0.6, 0.0, -0.8))];
    for (name, projection, depth) in projections() {
        for (eye, direction) in eyes {
            let (inside, outside) = sample(projection * look_to_mat4(eye, direction, Vec3::Y), depth, eye, name);
            assert!(inside > 50 && outside > 1_000, "{name}: {inside} inside, {outside} outside");
        }
    }
}

#[test]
fn an_infinite_frustum_has_no_far_end() {
    for (name, matrix) in [
        ("infinite", directx::perspective_infinite(1.0, 1.0, NEAR)),
        ("infinite reversed", directx::perspective_infinite_reverse(1.0, 1.0, NEAR)),
    ] {
        let frustum = Frustum::from_view_projection(matrix, ZeroToOne).expect(name);
        assert!(is_in_front(&frustum, Vec3::NEG_Z * 1e9), "{name}");
        assert!(!is_in_front(&frustum, Vec3::NEG_Z * (NEAR * 0.9)), "{name}");
        assert!(!is_in_front(&frustum, Vec3::Z * 1e9), "{name}");
        let box_at = |distance: f32| Aabb::from_center_half_extents(Vec3::NEG_Z * distance, Vec3::splat(0.1));
        assert_eq!(frustum.classify_aabb(&box_at(1e6)), Some(Containment::Inside), "{name}");
        assert_eq!(frustum.classify_aabb(&box_at(NEAR)), Some(Containment::Intersecting), "{name}");
        assert_eq!(frustum.classify_aabb(&box_at(-1.0)), None, "{name}");
    }
}

#[test]
fn the_convention_decides_where_depth_starts() {
    let matrix = opengl::perspective(1.0, 1.0, 1.0, 100.0);
    // Between the near plane and the middle of this depth range, z is below zero.
    let near = Vec3::NEG_Z * 1.2;
    let as_opengl = Frustum::from_view_projection(matrix, NegativeOneToOne).unwrap();
    let as_directx = Frustum::from_view_projection(matrix, ZeroToOne).unwrap();
    assert!(is_in_front(&as_opengl, near) && !is_in_front(&as_directx, near));
}

#[test]
fn regression_distant_planes_are_not_degenerate() {
    let normals = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    for offset in [1e9, 1e10, 1e30, f32::MAX] {
        let planes = normals.map(|normal| Plane { normal, offset });
        let frustum = Frustum::from_planes(planes).unwrap();
        assert_eq!(*frustum.planes(), planes);
        assert_eq!(frustum.classify_sphere(&Sphere::new(Vec3::ZERO, 1.0)), Some(Containment::Inside));
    }
}

#[test]
fn regression_sums_of_a_matrix_that_overflow_are_errors() {
    let huge = Vec4::new(3e38, 0.0, 0.0, 3e38);
    let matrix = Mat4::from_cols(huge, Vec4::Y, Vec4::Z, Vec4::W);
    for depth in [ClipDepth::ZeroToOne, ClipDepth::NegativeOneToOne] {
        let error = Frustum::from_view_projection(matrix, depth).unwrap_err();
        assert!(matches!(error, Error::NotFinite { field: "matrix", .. }), "{error}");
    }
}
