//! Shapes to ask with, and answers, as data of serde: loaded bit for bit, and checked.

use crate::support::cube;
use broadleaf::glam::{DVec3, Mat4, Quat, Vec3};
use broadleaf::{
    ClipDepth, Containment, Frustum, Handle, Mesh, Neighbor, Octree, Ray, RayHit, Sphere, Sweep,
    mesh::{Culling, Side},
    query::{StartInside, Viewpoint, VisibleObject},
    shape::{Capsule, ConvexRegion, Obb, Plane, WorldOrigin},
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use workloads::{Model, Random};

/// Saves and loads in a text and a binary format. Equal shapes are saved as
/// equal bytes, which tell every bit.
#[track_caller]
fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    // A ray that is no segment has no end; no number is missing.
    let numbers = text.replace("\"end\":null", "");
    assert!(!numbers.contains("null"), "{text}");
    let bytes = postcard::to_allocvec(value).unwrap();
    let loaded: [T; 2] = [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&bytes).unwrap()];
    for other in loaded {
        assert_eq!(&other, value);
        assert_eq!(postcard::to_allocvec(&other).unwrap(), bytes);
    }
}

fn vector(random: &mut Random, reach: f32) -> Vec3 {
    let mut axis = || (random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0) * reach;
    Vec3::new(axis(), axis(), axis())
}

#[test]
fn shapes_are_loaded_bit_for_bit() {
    let mut random = Random::new(11);
    for turn in 0..500 {
        let reach = [1e-20, 1.0, 300.0, 1e18][turn % 4];
        let (a, b) = (vector(&mut random, reach), vector(&mut random, 1.0));
        let ray = Ray::new(a, b).unwrap();
        survives(&ray);
        survives(&ray.with_distance_max(random.below(900) as f32 / 7.0).unwrap());
        survives(&Ray::segment(a, a * 2.0 + b * 1e-3).unwrap());
        let rotation = Quat::from_xyzw(b.x, b.y, b.z, 0.3);
        survives(&Obb::new(a, vector(&mut random, reach).abs(), rotation).unwrap());
        survives(&Capsule::new(a, b, reach.min(1e17)).unwrap());
        survives(&Sweep::sphere(Sphere::new(a, 0.1), b).unwrap());
        survives(&Sweep::aabb(cube(b.x, b.y, b.z, 0.7), a).unwrap());
        survives(&Viewpoint::new(a, b.x.abs()).unwrap());
        let planes = [(); 6].map(|()| Plane { normal: vector(&mut random, 1.0), offset: b.y });
        survives(&planes[0]);
        survives(&Frustum::from_planes(planes).unwrap());
        survives(&ConvexRegion::new(&planes[..turn % 7]).unwrap());
    }
    let frustum = |far: f32| {
        let matrix = if far.is_finite() {
            Mat4::from_cols_array(&[
                1.0, 0.0, 0.0, 0.0, 0.0, 1.7, 0.0, 0.0, 0.0, 0.0, -1.001, -1.0, 0.0, 0.0, -0.1, 0.0,
            ])
        } else {
            // Depth from one to zero, without an end.
            Mat4::from_cols_array(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.7, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.1, 0.0])
        };
        Frustum::from_view_projection(matrix, ClipDepth::ZeroToOne).unwrap()
    };
    survives(&frustum(100.0));
    survives(&frustum(f32::INFINITY));
    // Beyond 32 bits once the normal has length one.
    let far = Plane { normal: Vec3::X * 1e-30, offset: -1e30 };
    survives(&ConvexRegion::new(&[far]).unwrap());
    assert_eq!(ConvexRegion::new(&[far]).unwrap().planes()[0].offset, f32::NEG_INFINITY);
    survives(&WorldOrigin::new(DVec3::new(1e7 + 0.25, -0.0, -3e200)).unwrap());
    survives(&[ClipDepth::ZeroToOne, ClipDepth::NegativeOneToOne]);
    survives(&[StartInside::Skip, StartInside::Exit]);
    survives(&[Culling::None, Culling::Back, Culling::Front]);
}

#[test]
fn answers_are_loaded_bit_for_bit() {
    let mut tree = Octree::default();
    let handle = tree.insert(cube(3.0, 0.0, 0.0, 1.0)).unwrap();
    tree.insert(Sphere::new(Vec3::splat(9.0), 2.0)).unwrap();
    let view = tree.view();
    let ray = Ray::new(Vec3::new(0.0, 0.3, 0.1), Vec3::new(1.0, 0.1, 0.01)).unwrap();
    survives(&view.cast(&ray).closest().unwrap());
    let sweep = Sweep::sphere(Sphere::new(Vec3::splat(0.1), 0.5), Vec3::X * 7.0).unwrap();
    survives(&view.cast(&sweep).closest().unwrap());
    survives(&view.nearest(Vec3::splat(0.1)).unwrap().closest().unwrap());
    let model = Model::by_name("sphere", 200, 1).unwrap();
    let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
    let center = mesh.bounds().unwrap().center();
    let inward = Ray::new(center + Vec3::new(90.0, 1.0, 2.0), Vec3::NEG_X).unwrap();
    survives(&mesh.cast(&inward).closest().unwrap());
    survives(&mesh.nearest(center).unwrap().closest().unwrap());
    survives(&Side::Back);
    // What a caller's own narrow phase may say.
    let far = f32::INFINITY;
    survives(&RayHit { handle, distance: far, position: Vec3::new(0.0, -far, far), normal: Vec3::ZERO });
    survives(&Neighbor { handle, distance: far, position: Vec3::ONE, normal: Vec3::X });
    survives(&VisibleObject { handle, containment: Containment::Inside, distance: far });
}

/// Loads a text, of which nothing but the last value is wrong.
#[track_caller]
fn is_refused<T: Serialize + DeserializeOwned + Debug>(value: &T, changes: &[(&str, &str, &str)]) {
    let text = serde_json::to_string(value).unwrap();
    assert!(serde_json::from_str::<T>(&text).is_ok());
    for (from, to, why) in changes {
        assert!(text.contains(from), "{text} has no {from}");
        let error = serde_json::from_str::<T>(&text.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(error.contains(why), "{error}, not {why}");
    }
}

#[test]
fn what_no_constructor_makes_is_refused() {
    is_refused(
        &Ray::new(Vec3::ONE, Vec3::Y).unwrap().with_distance_max(5.0).unwrap(),
        &[
            ("[1.0,1.0,1.0]", "[1,\"nan\",1]", "origin.y is not a number"),
            ("[1.0,1.0,1.0]", "[1,1,\"-inf\"]", "origin.z must be finite"),
            ("[0.0,1.0,0.0]", "[0,0,0]", "length zero"),
            ("5.0", "-1", "must not be negative"),
            ("5.0", "\"nan\"", "distance_max is not a number"),
        ],
    );
    let planes = [(); 6].map(|()| Plane { normal: Vec3::X, offset: 2.0 });
    let normal = ("[1.0,0.0,0.0]", "[0,0,0]", "plane 0 has no normal");
    let number = ("2.0", "\"nan\"", "offset is not a number");
    is_refused(&Frustum::from_planes(planes).unwrap(), &[normal, number]);
    is_refused(&ConvexRegion::new(&planes).unwrap(), &[normal, number]);
    is_refused(
        &Obb::new(Vec3::ZERO, Vec3::ONE, Quat::IDENTITY).unwrap(),
        &[
            ("[0.0,0.0,0.0]", "[0,\"inf\",0]", "center.y must be finite"),
            ("[1.0,1.0,1.0]", "[1,-1,1]", "half extent on axis y"),
            ("[1.0,0.0,0.0]", "[1.1,0,0]", "orthonormal"),
            ("[1.0,0.0,0.0]", "[0,0,0]", "orthonormal"),
            ("[1.0,0.0,0.0]", "[-1,0,0]", "right-handed"),
            ("[1.0,0.0,0.0]", "[0,0,1]", "orthonormal"),
            ("[1.0,0.0,0.0]", "[\"nan\",0,0]", "axes.x is not a number"),
        ],
    );
    is_refused(
        &Capsule::new(Vec3::ZERO, Vec3::ONE, 2.0).unwrap(),
        &[("2.0", "-2", "radius must not be negative"), ("[1.0,1.0,1.0]", "[\"inf\",1,1]", "b.x must be finite")],
    );
    is_refused(
        &Sweep::aabb(cube(0.0, 0.0, 0.0, 2.0), Vec3::ONE).unwrap(),
        &[("[2.0,2.0,2.0]", "[2,-2,2]", "inverted"), ("[1.0,1.0,1.0]", "[1,1,\"nan\"]", "motion.z is not a number")],
    );
    is_refused(
        &Sweep::sphere(Sphere::new(Vec3::ZERO, 2.0), Vec3::ONE).unwrap(),
        &[("2.0", "1e19", "radius must be at most")],
    );
    is_refused(&Viewpoint::new(Vec3::ONE, 2.0).unwrap(), &[("2.0", "-2", "size_min must not be negative")]);
    let origin = WorldOrigin::new(DVec3::new(2.0, 0.0, 0.0)).unwrap();
    let bytes = postcard::to_allocvec(&[f64::INFINITY, 0.0, 0.0]).unwrap();
    assert!(postcard::from_bytes::<WorldOrigin>(&bytes).is_err());
    is_refused(&origin, &[("2.0", "null", "invalid type")]);
    is_refused(&Handle::from_bits(3 << 32 | 5).unwrap(), &[("5", "4", "odd")]);
}

#[test]
fn a_direction_that_people_write_need_not_have_length_one() {
    let ray: Ray = serde_json::from_str(r#"{"origin":[0,0,0],"direction":[0,4,0],"distance_max":"inf"}"#).unwrap();
    assert_eq!(ray, Ray::new(Vec3::ZERO, Vec3::Y).unwrap());
    let planes = [Plane { normal: Vec3::X * 4.0, offset: 8.0 }];
    let text = format!(r#"{{"planes":{}}}"#, serde_json::to_string(&planes).unwrap());
    assert_eq!(serde_json::from_str::<ConvexRegion>(&text).unwrap(), ConvexRegion::new(&planes).unwrap());
}
