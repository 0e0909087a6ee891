//! An application whose own glam is 0.33: its vectors and matrices go into
//! broadleaf and come out without a conversion, because the lock file of this
//! package has one glam. Where that cannot be arranged, arrays need no version.
#![cfg(test)]

use broadleaf::{Aabb, ClipDepth, Frustum, Mesh, Octree, Placement, Ray, Scratch, Sphere, Sweep, shape::WorldOrigin};
use glam::camera::rh::proj::directx::perspective;
use glam::{DVec3, Mat4, Quat, Vec3};

/// Fails to compile if broadleaf stands on another glam.
#[test]
fn vectors_of_the_older_glam_go_in_and_come_out() {
    let mut tree = Octree::default();
    let low: Vec3 = Vec3::ZERO;
    let crate_ = tree.insert(Aabb::new(low, Vec3::ONE)).unwrap();
    let ball = tree.insert(Sphere { center: Vec3::new(1.5, 0.5, 0.5), radius: 0.5 }).unwrap();
    let mut pairs = Vec::new();
    tree.view().pairs(&mut Scratch::new()).collect_into(&mut pairs);
    assert_eq!(pairs.len(), 1);

    let ray = Ray::new(Vec3::new(0.5, 0.5, 9.0), Vec3::NEG_Z).unwrap();
    let hit = tree.view().cast(&ray).closest().expect("the box is in the way");
    let position: Vec3 = hit.position;
    assert_eq!((hit.handle, position), (crate_, Vec3::new(0.5, 0.5, 1.0)));

    tree.shift_origin(Vec3::X).unwrap();
    assert_eq!(tree.get(ball).unwrap().shape.aabb().min, Vec3::ZERO);
    tree.validate().unwrap();
}

#[test]
fn matrices_rotations_and_doubles_too() {
    let matrix: Mat4 = perspective(1.0, 1.5, 0.1, 100.0);
    let frustum = Frustum::from_view_projection(matrix, ClipDepth::ZeroToOne).unwrap();
    let from_columns = Frustum::from_view_projection(matrix.to_cols_array_2d(), ClipDepth::ZeroToOne).unwrap();
    assert_eq!(frustum, from_columns);
    assert!(frustum.classify_aabb(&Aabb::new(Vec3::new(0.0, 0.0, -3.0), Vec3::new(1.0, 1.0, -2.0))).is_some());

    let placement = Placement::new(Quat::IDENTITY, Vec3::X, 2.0).unwrap();
    assert_eq!(placement.translation(), Vec3::X);
    let origin = WorldOrigin::new(DVec3::splat(1e7)).unwrap();
    assert_eq!(origin.to_world(Vec3::Y), DVec3::new(1e7, 1e7 + 1.0, 1e7));

    let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2]).unwrap();
    let ray = Ray::new(Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z).unwrap();
    assert_eq!(mesh.cast(&ray).closest().expect("the triangle is in the way").normal, Vec3::Z);
}

/// Compiles with any glam, or none, beside broadleaf's.
#[test]
fn arrays_need_no_version() {
    let mut tree = Octree::default();
    let mut handles = Vec::new();
    tree.insert_many(&[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [3.0, 0.0, 0.0, 4.0, 1.0, 1.0]], &mut handles).unwrap();
    tree.update_many(&handles[1..], &[[2.0, 0.0, 0.0, 3.0, 1.0, 1.0]]).unwrap();
    let ray = Ray::new([5.0, 0.5, 0.5], [-1.0, 0.0, 0.0]).unwrap();
    let hit = tree.view().cast(&ray).closest().expect("a box is in the way");
    assert_eq!((hit.handle, hit.distance, hit.position.to_array()), (handles[1], 2.0, [3.0, 0.5, 0.5]));
    let sweep = Sweep::sphere([9.0, 0.5, 0.5, 1.0].into(), [-10.0, 0.0, 0.0]).unwrap();
    assert_eq!(sweep.time_to_aabb(&Aabb::new([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])), Some(0.5));
}
