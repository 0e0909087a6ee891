//! Plain arrays of floats stand in for vectors: the same shapes, the same tree
//! bit for bit, the same errors. No version of glam is needed.

use crate::support::{agree, contents, oracle_of};
use broadleaf::glam::{Mat4, Vec3, Vec4};
use broadleaf::{
    Aabb, Bounded, Capsule, ClipDepth, ConvexRegion, Culling, Error, Frustum, Handle, Layers, Mesh, MeshError, Obb,
    Octree, Placement, Plane, Ray, Shape, SliceError, Sphere, Sweep, Threads, Triangle,
};
use broadleaf::{Config, Margin, glam::Quat};
use workloads::Random;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

type Box6 = [f32; 6];
type Ball4 = [f32; 4];

fn boxes(count: usize, seed: u64) -> Vec<Box6> {
    let mut random = Random::new(seed);
    let mut one = || {
        let (low, edges) = (random.signed() * 40.0, (random.signed() + 1.0) * 1.5);
        let high = low + edges;
        [low.x, low.y, low.z, high.x, high.y, high.z]
    };
    (0..count).map(|_| one()).collect()
}

fn balls(count: usize, seed: u64) -> Vec<Ball4> {
    let mut random = Random::new(seed);
    let mut one = || {
        let center = random.signed() * 30.0;
        [center.x, center.y, center.z, random.unit() * 1.5]
    };
    (0..count).map(|_| one()).collect()
}

/// A tree that is built, changed in part, filled up and changed as a whole.
fn grown<S: Bounded + Sync>(config: Config, threads: Threads, shapes: [&[S]; 4]) -> (Octree, Vec<Handle>) {
    let [first, few, second, all] = shapes;
    let mut tree = Octree::new(config).unwrap();
    tree.set_threads(threads);
    let (mut handles, mut more) = (Vec::new(), Vec::new());
    tree.insert_many(first, &mut handles).unwrap();
    tree.view();
    tree.update_many(&handles[..few.len()], few).unwrap();
    tree.view();
    tree.insert_many(second, &mut more).unwrap();
    handles.extend(more);
    tree.update_many(&handles, all).unwrap();
    (tree, handles)
}

#[test]
fn slices_of_floats_give_the_tree_that_shapes_give() {
    let fat = Config { margin: Margin { absolute: 0.25, ..Margin::NONE }, ..Config::default() };
    for (config, threads) in
        [(Config::default(), Threads::One), (Config::default(), Threads::Pool), (fat, Threads::One)]
    {
        // Builds are shared out from 16,384 objects on.
        let (first, second) = if threads == Threads::Pool { (20_000, 200) } else { (400, 200) };
        let floats = [boxes(first, 1), boxes(20, 2), boxes(second, 3), boxes(first + second, 4)];
        let shapes = floats.clone().map(|list| list.into_iter().map(Aabb::from).collect::<Vec<_>>());
        let (mut tree, handles) = grown(config, threads, floats.each_ref().map(Vec::as_slice));
        let (mut expected, expected_handles) = grown(config, threads, shapes.each_ref().map(Vec::as_slice));
        assert_eq!(handles, expected_handles);
        assert_eq!(contents(&tree), contents(&expected));
        tree.view();
        expected.view();
        assert_eq!(tree.state_hash(), expected.state_hash());
        for (&handle, &floats) in handles.iter().zip(&floats[3]) {
            assert_eq!(tree.get(handle).unwrap().shape, Shape::Aabb(Aabb::from(floats)));
        }
        tree.validate().unwrap();

        let floats = [balls(first, 1), balls(20, 2), balls(second, 3), balls(first + second, 4)];
        let shapes = floats.clone().map(|list| list.into_iter().map(Sphere::from).collect::<Vec<_>>());
        let (mut tree, handles) = grown(config, threads, floats.each_ref().map(Vec::as_slice));
        let (mut expected, expected_handles) = grown(config, threads, shapes.each_ref().map(Vec::as_slice));
        assert_eq!((handles, contents(&tree)), (expected_handles, contents(&expected)));
        tree.view();
        expected.view();
        assert_eq!(tree.state_hash(), expected.state_hash());
        tree.validate().unwrap();
    }
}

#[test]
fn handles_come_in_the_order_of_the_slice_and_pairs_are_those_of_the_oracle() {
    for count in [0, 1, 7, 8, 9, 500] {
        let (boxes, balls) = (boxes(count, 5), balls(count, 6));
        let (mut tree, mut handles, mut more) = (Octree::default(), Vec::new(), Vec::new());
        // Into an empty tree, and into one that holds something.
        tree.insert_many(&boxes, &mut handles).unwrap();
        tree.insert_many(&balls, &mut more).unwrap();
        assert_eq!((handles.len(), more.len()), (count, count));
        for (index, (&handle, &ball)) in handles.iter().zip(&more).enumerate() {
            assert_eq!(tree.get(handle).unwrap().shape, Shape::from(boxes[index]));
            assert_eq!(tree.get(ball).unwrap().shape, Shape::from(balls[index]));
        }
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
    }
    // One by one.
    let mut tree = Octree::default();
    let handle = tree.insert([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
    tree.update(handle, [1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(tree.get(handle), Some(Sphere::new(Vec3::new(1.0, 2.0, 3.0), 4.0).into()));
}

/// Offers floats to every call that takes them; the error is that of the shape, and nothing changes.
#[track_caller]
fn refused<F>(good: F, bad: F) -> Error
where
    F: Bounded + Sync,
{
    let error = Into::<Shape>::into(bad).check().expect_err("an illegal shape");
    // Not compared by `==`: an error may carry a NaN.
    let same = |other: Error| assert_eq!(other.to_string(), error.to_string());
    for is_empty in [false, true] {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        if !is_empty {
            tree.insert_many(&[good; 20], &mut handles).unwrap();
        }
        let before = (contents(&tree), handles.clone());
        let mut list = [good; 12];
        list[10] = bad;
        let SliceError { index, error: other } = tree.insert_many(&list, &mut handles).unwrap_err();
        assert_eq!(index, 10);
        same(other);
        same(tree.insert(bad).unwrap_err());
        if !is_empty {
            let SliceError { index, error: other } = tree.update_many(&handles[..12], &list).unwrap_err();
            assert_eq!(index, 10);
            same(other);
            same(tree.update(handles[0], bad).unwrap_err());
        }
        assert_eq!((contents(&tree), handles), before);
        tree.validate().unwrap();
    }
    error
}

#[test]
fn illegal_floats_give_the_errors_of_shapes() {
    let unit = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    for (place, field) in ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z"].into_iter().enumerate() {
        let mut bad = unit;
        bad[place] = NAN;
        assert_eq!(refused(unit, bad), Error::NotANumber { field });
    }
    for (place, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        let mut bad = unit;
        bad[place] = 2.0;
        assert_eq!(refused(unit, bad), Error::InvertedBounds { axis, min: 2.0, max: 1.0 });
        (bad[place], bad[place + 3]) = (INF, INF);
        assert_eq!(refused(unit, bad), Error::BoundsAtInfinity { axis, min: INF, max: INF });
    }
    let ball = [0.0, 0.0, 0.0, 1.0];
    for (place, field) in ["center.x", "center.y", "center.z", "radius"].into_iter().enumerate() {
        let mut bad = ball;
        bad[place] = NAN;
        assert_eq!(refused(ball, bad), Error::NotANumber { field });
    }
    assert_eq!(refused(ball, [0.0, INF, 0.0, 1.0]), Error::NotFinite { field: "center.y", value: INF });
    assert_eq!(refused(ball, [0.0, 0.0, 0.0, -1.0]), Error::NegativeRadius { radius: -1.0 });
    let error = Error::RadiusTooLarge { radius: 2e18, limit: Sphere::RADIUS_MAX };
    assert_eq!(refused(ball, [0.0, 0.0, 0.0, 2e18]), error);
    assert!(matches!(Ray::new([0.0, NAN, 0.0], [1.0; 3]), Err(Error::NotANumber { field: "origin.y" })));
    assert!(matches!(Ray::segment([0.0; 3], [0.0, 0.0, INF]), Err(Error::NotFinite { field: "to.z", .. })));
    assert_eq!(Ray::new([0.0; 3], [0.0; 3]), Err(Error::ZeroDirection));
}

#[test]
fn shapes_of_arrays_are_those_of_vectors_and_give_the_arrays_back() {
    let ([a, b, c], [u, v, w]) =
        ([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [-7.0, 8.0, 0.5]], [1.0, 0.25, 4.0].map(Vec3::splat));
    let [p, q, r] = [a, b, c].map(Vec3::from_array);
    assert_eq!(Aabb::new(a, b), Aabb::new(p, q));
    assert_eq!(<[f32; 6]>::from(Aabb::new(a, b)), [1.0, -2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(Aabb::from([1.0, -2.0, 3.0, 4.0, 5.0, 6.0]), Aabb::new(p, q));
    assert_eq!(Aabb::from_center_half_extents(a, [0.25; 3]), Aabb::from_center_half_extents(p, v));
    assert_eq!(Aabb::from_points([a, b, c]), Aabb::from_points([p, q, r]));
    assert_eq!(<[f32; 4]>::from(Sphere::new(a, 2.0)), [1.0, -2.0, 3.0, 2.0]);
    assert_eq!(Sphere::from([1.0, -2.0, 3.0, 2.0]), Sphere::new(p, 2.0));
    assert_eq!(Triangle::from([a, b, c]), Triangle::new(p, q, r));
    assert_eq!(<[[f32; 3]; 3]>::from(Triangle::new(a, b, c)), [a, b, c]);
    assert_eq!(<[f32; 4]>::from(Plane::new(a, 2.0)), [1.0, -2.0, 3.0, 2.0]);
    assert_eq!(Plane::from([1.0, -2.0, 3.0, 2.0]), Plane { normal: p, offset: 2.0 });
    let ray = Ray::new(a, b).unwrap();
    assert_eq!(ray, Ray::new(p, q).unwrap());
    assert_eq!((ray.origin().to_array(), Ray::segment(a, b)), (a, Ray::segment(p, q)));
    let turn = Quat::from_rotation_y(0.5);
    assert_eq!(Obb::new(a, b, turn), Obb::new(p, q, turn));
    assert_eq!(Capsule::new(a, b, 0.5), Capsule::new(p, q, 0.5));
    assert_eq!(Sweep::aabb(Aabb::new(p, q), c), Sweep::aabb(Aabb::new(p, q), r));
    assert_eq!(Sweep::sphere(Sphere::new(p, 0.5), c), Sweep::sphere(Sphere::new(p, 0.5), r));
    assert_eq!(Placement::new(turn, a, 2.0), Placement::new(turn, p, 2.0));
    assert_eq!(ConvexRegion::new(&[Plane::new(a, 1.0)]), ConvexRegion::new(&[Plane { normal: p, offset: 1.0 }]));
    // Any vector that is handed out gives its floats.
    let mut tree = Octree::default();
    tree.insert(Aabb::new(u, w)).unwrap();
    let (hit, _) = tree.view().closest_hit(&Ray::new([9.0, 2.0, 2.0], [-1.0, 0.0, 0.0]).unwrap(), Layers::ALL);
    let hit = hit.unwrap();
    assert_eq!((hit.distance, hit.position.to_array(), hit.normal.to_array()), (5.0, [4.0, 2.0, 2.0], [1.0, 0.0, 0.0]));
}

#[test]
fn meshes_of_arrays_are_those_of_vectors() {
    let mut random = Random::new(7);
    let corners: Vec<Vec3> = (0..300).map(|_| random.signed() * 9.0).collect();
    let indices: Vec<u32> = (0..600).map(|_| random.below(300)).collect();
    let arrays: Vec<[f32; 3]> = corners.iter().map(|corner| corner.to_array()).collect();
    let triangles: Vec<[[f32; 3]; 3]> =
        indices.as_chunks::<3>().0.iter().map(|corners| corners.map(|corner| arrays[corner as usize])).collect();
    let expected = Mesh::from_indexed(&corners, &indices).unwrap();
    for mesh in [Mesh::from_indexed(&arrays, &indices).unwrap(), Mesh::from_triangles(&triangles).unwrap()] {
        mesh.validate().unwrap();
        assert_eq!((mesh.len(), mesh.bounds()), (expected.len(), expected.bounds()));
        for (index, &triangle) in (0..).zip(&triangles) {
            assert_eq!(mesh.triangle(index).map(<[[f32; 3]; 3]>::from), Some(triangle));
        }
        let mut hits = 0;
        for _ in 0..200 {
            let ray = Ray::segment(random.signed() * 12.0, random.signed() * 12.0).unwrap();
            let (hit, _) = mesh.closest_hit(&ray, Culling::None);
            assert_eq!(hit, expected.closest_hit(&ray, Culling::None).0);
            hits += usize::from(hit.is_some());
        }
        assert!(hits > 50, "{hits}");
    }
    let nan = Mesh::from_indexed(&[[0.0; 3], [1.0, NAN, 0.0], [0.0; 3]], &[0, 1, 2]).unwrap_err();
    assert!(matches!(nan, MeshError::NotFinite { position: 1, axis: 'y', .. }), "{nan}");
    let far = Mesh::from_triangles(&[[[0.0; 3], [0.0; 3], [0.0, 0.0, 2e18]]]).unwrap_err();
    assert!(matches!(far, MeshError::TooFar { position: 2, axis: 'z', .. }), "{far}");
}

#[test]
fn a_matrix_may_be_four_columns() {
    let columns = [[2.0, 0.0, 0.0, 0.1], [0.0, 3.0, 0.25, 0.0], [0.5, 0.0, -1.0, -1.0], [1.0, 2.0, -0.5, 1.0]];
    let matrix = Mat4::from_cols(
        Vec4::from_array(columns[0]),
        Vec4::from_array(columns[1]),
        Vec4::from_array(columns[2]),
        Vec4::from_array(columns[3]),
    );
    for depth in [ClipDepth::ZeroToOne, ClipDepth::NegativeOneToOne] {
        assert_eq!(Frustum::from_view_projection(columns, depth), Frustum::from_view_projection(matrix, depth));
        let mut bad = columns;
        bad[2][1] = NAN;
        let error = Frustum::from_view_projection(bad, depth).unwrap_err();
        assert_eq!(error, Error::NotANumber { field: "matrix" });
    }
}
