//! What is wrong with an input is said by a typed value that names it, and a
//! refused call changes nothing.

use crate::support::{contents, cube, pairs};
use broadleaf::glam::{Mat4, Vec3, Vec4};
use broadleaf::{
    Aabb, ClipDepth, Config, Error, Frustum, Handle, Layers, Margin, Mobility, Object, Octree, Ray, shape::Plane,
};
use broadleaf::{Shape, SliceError, Sphere};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

/// A tree with boxes and spheres, in the tree and waiting for their place, and the handles.
fn world() -> (Octree, Vec<Handle>) {
    let mut tree = Octree::default();
    let mut handles = Vec::new();
    for x in [0.0, 0.5, 4.0, 9.0] {
        handles.push(tree.insert(cube(x, 0.0, 0.0, 1.0)).unwrap());
        handles.push(tree.insert(Object::new(Sphere::new(Vec3::splat(x), 1.0)).with_user_data(5)).unwrap());
    }
    tree.view();
    handles.push(tree.insert(cube(2.0, 0.0, 0.0, 3.0)).unwrap());
    (tree, handles)
}

/// Makes a call that is refused, and checks that it left no trace.
#[track_caller]
fn refused<T, E>(call: impl FnOnce(&mut Octree, &[Handle]) -> Result<T, E>) -> E {
    let (mut tree, handles) = world();
    let (before, counters) = (contents(&tree), tree.counters());
    let result = call(&mut tree, &handles);
    assert_eq!(contents(&tree), before);
    assert_eq!(tree.counters(), counters);
    tree.validate().unwrap();
    assert_eq!(pairs(&mut tree), pairs(&mut world().0));
    result.err().expect("a refusal")
}

/// Offers a shape to every call that takes one; they must all say the same.
#[track_caller]
fn shape_error(shape: impl Into<Shape>) -> Error {
    let bad = shape.into();
    let good = Shape::from(cube(7.0, 7.0, 7.0, 1.0));
    let error = bad.check().expect_err("an illegal shape");
    // Not compared by `==`: an error may carry a NaN.
    let same = |other: Error| assert_eq!(other.to_string(), error.to_string());
    same(refused(|tree, _| tree.insert(bad)));
    same(refused(|tree, handles| tree.update(handles[0], bad)));
    same(refused(|tree, handles| tree.update(handles[8], bad)));
    let in_slice = |refusal: SliceError, index| {
        assert_eq!(refusal.index, index);
        same(refusal.error);
    };
    let mut kept = Vec::new();
    in_slice(
        refused(|tree, handles| {
            kept = handles.to_vec();
            tree.insert_many(&[good, good, bad, good], &mut kept)
        }),
        2,
    );
    assert_eq!(kept, world().1, "the buffer of handles is unchanged");
    in_slice(refused(|tree, handles| tree.update_many(&handles[..3], &[good, bad, good])), 1);
    same(refused(|tree, handles| {
        let mut found = handles.to_vec();
        let result = match bad {
            Shape::Aabb(aabb) => tree.view().overlap(&aabb).map(|question| question.collect_into(&mut found)),
            Shape::Sphere(sphere) => tree.view().overlap(&sphere).map(|question| question.collect_into(&mut found)),
            _ => unreachable!("a shape that is not known here"),
        };
        assert_eq!(found, handles, "the buffer of results is unchanged");
        // The view has placed what waited; the counters are compared with a tree that has not.
        *tree = world().0;
        result
    }));
    error
}

fn with(mut point: Vec3, axis: usize, value: f32) -> Vec3 {
    point[axis] = value;
    point
}

#[test]
fn nan_is_named_by_its_field() {
    let unit = cube(0.0, 0.0, 0.0, 1.0);
    for (axis, [min, max, center]) in
        [["min.x", "max.x", "center.x"], ["min.y", "max.y", "center.y"], ["min.z", "max.z", "center.z"]]
            .into_iter()
            .enumerate()
    {
        let low = Aabb::new(with(unit.min, axis, NAN), unit.max);
        assert_eq!(shape_error(low), Error::NotANumber { field: min });
        let high = Aabb::new(unit.min, with(unit.max, axis, NAN));
        assert_eq!(shape_error(high), Error::NotANumber { field: max });
        let ball = Sphere::new(with(Vec3::ONE, axis, NAN), 1.0);
        assert_eq!(shape_error(ball), Error::NotANumber { field: center });
    }
    assert_eq!(shape_error(Sphere::new(Vec3::ONE, NAN)), Error::NotANumber { field: "radius" });
    let flipped = f32::from_bits(NAN.to_bits() | 1 << 31);
    assert_eq!(shape_error(Sphere::new(Vec3::ONE, flipped)), Error::NotANumber { field: "radius" });
}

#[test]
fn inverted_and_infinitely_far_boxes_are_named_by_their_axis() {
    let unit = cube(0.0, 0.0, 0.0, 1.0);
    for (index, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        let inverted = Aabb::new(with(unit.min, index, 1.5), unit.max);
        assert_eq!(shape_error(inverted), Error::InvertedBounds { axis, min: 1.5, max: 1.0 });
        for at in [INF, -INF] {
            let far = Aabb::new(with(unit.min, index, at), with(unit.max, index, at));
            assert_eq!(shape_error(far), Error::BoundsAtInfinity { axis, min: at, max: at });
        }
    }
    assert_eq!(shape_error(Aabb::EMPTY), Error::InvertedBounds { axis: 'x', min: INF, max: -INF });
}

#[test]
fn spheres_must_be_finite_and_of_a_legal_radius() {
    for (axis, field) in ["center.x", "center.y", "center.z"].into_iter().enumerate() {
        for value in [INF, -INF] {
            let ball = Sphere::new(with(Vec3::ONE, axis, value), 1.0);
            assert_eq!(shape_error(ball), Error::NotFinite { field, value });
        }
    }
    let of_radius = |radius| Sphere::new(Vec3::ONE, radius);
    assert_eq!(shape_error(of_radius(-0.5)), Error::NegativeRadius { radius: -0.5 });
    assert_eq!(shape_error(of_radius(-INF)), Error::NegativeRadius { radius: -INF });
    let limit = Sphere::RADIUS_MAX;
    for radius in [limit.next_up(), INF] {
        assert_eq!(shape_error(of_radius(radius)), Error::RadiusTooLarge { radius, limit });
    }
    assert!(of_radius(limit).check().is_ok() && of_radius(0.0).check().is_ok() && of_radius(-0.0).check().is_ok());
}

#[test]
fn points_must_be_finite() {
    for (axis, field) in ["point.x", "point.y", "point.z"].into_iter().enumerate() {
        for (value, error) in [(NAN, Error::NotANumber { field }), (INF, Error::NotFinite { field, value: INF })] {
            let (mut tree, handles) = world();
            let mut found = handles.clone();
            let point = with(Vec3::ONE, axis, value);
            let filled = tree.view().overlap(&point).map(|question| question.collect_into(&mut found));
            assert_eq!(filled, Err(error));
            assert_eq!(found, handles);
            let visited = tree.view().overlap(&point).map(|question| question.for_each(|_| unreachable!("not asked")));
            assert_eq!(visited, Err(error));
            assert_eq!(tree.view().nearest(point).map(|question| question.closest()), Err(error));
        }
    }
}

#[test]
fn rays_need_a_start_a_direction_and_a_reach() {
    for (axis, [origin, direction, from, to]) in [
        ["origin.x", "direction.x", "from.x", "to.x"],
        ["origin.y", "direction.y", "from.y", "to.y"],
        ["origin.z", "direction.z", "from.z", "to.z"],
    ]
    .into_iter()
    .enumerate()
    {
        let bad = with(Vec3::ONE, axis, NAN);
        assert_eq!(Ray::new(bad, Vec3::X), Err(Error::NotANumber { field: origin }));
        assert_eq!(Ray::new(Vec3::ONE, bad), Err(Error::NotANumber { field: direction }));
        assert_eq!(Ray::segment(bad, Vec3::X), Err(Error::NotANumber { field: from }));
        assert_eq!(Ray::segment(Vec3::X, bad), Err(Error::NotANumber { field: to }));
        for value in [INF, -INF] {
            let bad = with(Vec3::ONE, axis, value);
            assert_eq!(Ray::new(bad, Vec3::X), Err(Error::NotFinite { field: origin, value }));
            assert_eq!(Ray::new(Vec3::ONE, bad), Err(Error::NotFinite { field: direction, value }));
            assert_eq!(Ray::segment(bad, Vec3::X), Err(Error::NotFinite { field: from, value }));
            assert_eq!(Ray::segment(Vec3::X, bad), Err(Error::NotFinite { field: to, value }));
        }
    }
    assert_eq!(Ray::new(Vec3::ONE, Vec3::ZERO), Err(Error::ZeroDirection));
    assert_eq!(Ray::new(Vec3::ONE, Vec3::new(-0.0, 0.0, -0.0)), Err(Error::ZeroDirection));
    assert_eq!(Ray::segment(Vec3::ONE, Vec3::ONE), Err(Error::ZeroDirection));
    let ray = Ray::new(Vec3::ZERO, Vec3::new(0.0, 1e-40, 0.0)).expect("short, but a direction");
    assert_eq!(ray.direction(), Vec3::Y);
    assert_eq!(ray.with_distance_max(-1.0), Err(Error::NegativeDistance { distance_max: -1.0 }));
    assert_eq!(ray.with_distance_max(NAN), Err(Error::NotANumber { field: "distance_max" }));
    assert!(ray.with_distance_max(INF).is_ok());
}

#[test]
fn frusta_need_six_directed_planes() {
    let plane = |normal, offset| Plane { normal, offset };
    let cubic = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(|normal| plane(normal, 1.0));
    assert!(Frustum::from_planes(cubic).is_ok());
    for index in 0..6 {
        let replaced = |normal, offset| {
            let mut planes = cubic;
            planes[index] = plane(normal, offset);
            Frustum::from_planes(planes)
        };
        assert_eq!(replaced(Vec3::ZERO, 1.0), Err(Error::DegeneratePlane { index }));
        for (axis, field) in ["normal.x", "normal.y", "normal.z"].into_iter().enumerate() {
            assert_eq!(replaced(with(Vec3::X, axis, NAN), 1.0), Err(Error::NotANumber { field }));
            assert_eq!(replaced(with(Vec3::X, axis, INF), 1.0), Err(Error::NotFinite { field, value: INF }));
        }
        assert_eq!(replaced(Vec3::X, NAN), Err(Error::NotANumber { field: "offset" }));
        assert_eq!(replaced(Vec3::X, -INF), Err(Error::NotFinite { field: "offset", value: -INF }));
    }
    for depth in [ClipDepth::ZeroToOne, ClipDepth::NegativeOneToOne] {
        let of = |matrix| Frustum::from_view_projection(matrix, depth);
        assert_eq!(of(Mat4::ZERO), Err(Error::DegeneratePlane { index: 0 }));
        let nan = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::Z, Vec4::splat(NAN));
        assert_eq!(of(nan), Err(Error::NotANumber { field: "matrix" }));
        let infinite = Mat4::from_cols(Vec4::splat(INF), Vec4::Y, Vec4::Z, Vec4::W);
        assert_eq!(of(infinite), Err(Error::NotFinite { field: "matrix", value: INF }));
        assert!(of(Mat4::IDENTITY).is_ok());
    }
}

#[test]
fn stale_handles_are_refused_everywhere() {
    let (mut tree, handles) = world();
    let handle = handles[3];
    tree.remove(handle).expect("a living object");
    let stale = Err(Error::StaleHandle { handle });
    let before = contents(&tree);
    let shape = Shape::from(cube(0.0, 0.0, 0.0, 1.0));
    assert_eq!(tree.update(handle, shape), stale);
    assert_eq!(tree.set_layers(handle, Layers::NONE), stale);
    assert_eq!(tree.set_mobility(handle, Mobility::Static), stale);
    assert_eq!(tree.set_user_data(handle, 1), stale);
    assert_eq!(tree.remove(handle), None);
    assert_eq!(tree.get(handle), None);
    assert!(!tree.contains(handle));
    let refusal = tree.update_many(&[handles[0], handle], &[shape, shape]).unwrap_err();
    assert_eq!(refusal, SliceError { index: 1, error: Error::StaleHandle { handle } });
    let mut found = handles.clone();
    let view = tree.view();
    assert_eq!(view.pairs_of(handle).map(|question| question.collect_into(&mut found)).err(), stale.err());
    assert_eq!(
        view.pairs_of(handle).map(|question| question.for_each(|_| unreachable!("not asked"))).err(),
        stale.err()
    );
    assert_eq!((view.get(handle), view.user_data(handle)), (None, None));
    assert_eq!(found, handles);
    assert_eq!(contents(&tree), before);
    tree.validate().unwrap();
}

#[test]
fn handles_of_another_tree_are_refused() {
    let (mut large, _) = world();
    let foreign = large.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    let mut small = Octree::default();
    small.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    assert_eq!(small.set_user_data(foreign, 1), Err(Error::StaleHandle { handle: foreign }));
}

#[test]
fn settings_have_ranges() {
    let two_40 = 2.0_f32.powi(40);
    let cases = [
        ("looseness", Config { looseness: 1.0_f32.next_down(), ..Config::default() }),
        ("looseness", Config { looseness: 1_048_577.0, ..Config::default() }),
        ("looseness", Config { looseness: NAN, ..Config::default() }),
        ("smallest_cell", Config { smallest_cell: (1.0 / two_40).next_down(), ..Config::default() }),
        ("smallest_cell", Config { smallest_cell: two_40.next_up(), ..Config::default() }),
        ("smallest_cell", Config { smallest_cell: 0.0, ..Config::default() }),
        ("smallest_cell", Config { smallest_cell: NAN, ..Config::default() }),
        ("smallest_cell", Config { smallest_cell: INF, ..Config::default() }),
        ("leaf_capacity", Config { leaf_capacity: 0, ..Config::default() }),
        ("leaf_capacity", Config { leaf_capacity: 65, ..Config::default() }),
        ("depth_limit", Config { depth_limit: 0, ..Config::default() }),
        ("depth_limit", Config { depth_limit: 22, ..Config::default() }),
        ("margin.absolute", Config { margin: Margin { absolute: -0.1, relative: 0.0 }, ..Config::default() }),
        ("margin.absolute", Config { margin: Margin { absolute: NAN, relative: 0.0 }, ..Config::default() }),
        ("margin.relative", Config { margin: Margin { absolute: 0.0, relative: 1.01 }, ..Config::default() }),
        ("margin.relative", Config { margin: Margin { absolute: 0.0, relative: NAN }, ..Config::default() }),
    ];
    for (name, config) in cases {
        let Err(Error::SettingOutOfRange { setting, value, min, max }) = Octree::new(config).map(|_| ()) else {
            panic!("{config:?} was accepted");
        };
        assert_eq!(setting, name);
        assert!(min < max && !(min <= value && value <= max), "{config:?}");
    }
    for looseness in [1.0, 2.0] {
        for smallest_cell in [1.0 / two_40, two_40] {
            for leaf_capacity in [1, 64] {
                for depth_limit in [1, 21] {
                    let config = Config { looseness, smallest_cell, leaf_capacity, depth_limit, ..Config::default() };
                    assert_eq!(Octree::new(config).expect("the ends of the ranges").config(), config);
                }
            }
        }
    }
}

#[test]
fn update_many_changes_all_or_nothing() {
    let shape = cube(3.0, 3.0, 3.0, 1.0);
    for (count, shapes) in [(2, 3), (3, 2), (0, 1)] {
        let refusal = refused(|tree, handles| tree.update_many(&handles[..count], &vec![shape; shapes]));
        assert_eq!(refusal.error, Error::LengthMismatch { handles: count, shapes });
        assert_eq!(refusal.index, count.min(shapes));
    }
    // Long enough that a call which works in portions has finished some of them.
    let mut tree = Octree::default();
    let mut handles = Vec::new();
    tree.insert_many(&[shape; 200], &mut handles).unwrap();
    tree.view();
    let mut shapes = vec![cube(50.0, 0.0, 0.0, 2.0); 200];
    shapes[199].max.y = NAN;
    let before = contents(&tree);
    let refusal = tree.update_many(&handles, &shapes).unwrap_err();
    assert_eq!(refusal, SliceError { index: 199, error: Error::NotANumber { field: "max.y" } });
    assert_eq!(contents(&tree), before);
    tree.validate().unwrap();
    shapes[199].max.y = 2.0;
    tree.update_many(&handles, &shapes).unwrap();
    assert!(tree.iter().all(|(_, object)| object.shape == Shape::from(shapes[0])));
}

#[test]
fn of_a_handle_given_twice_the_last_shape_stays() {
    let (mut tree, handles) = world();
    let (first, last) = (cube(70.0, 0.0, 0.0, 1.0), cube(0.0, 80.0, 0.0, 1.0));
    tree.update_many(&[handles[0], handles[1], handles[0]], &[first, first, last]).unwrap();
    assert_eq!(tree.get(handles[0]).unwrap().shape, Shape::from(last));
    tree.view();
    tree.validate().unwrap();
}

#[test]
fn messages_say_what_was_wrong() {
    let error = shape_error(Aabb::new(Vec3::new(0.0, 2.0, 0.0), Vec3::ONE));
    assert_eq!(error.to_string(), "inverted bounds on axis y: min 2 > max 1");
    let refusal = SliceError { index: 4, error };
    assert_eq!(refusal.to_string(), "element 4: inverted bounds on axis y: min 2 > max 1");
    let source = std::error::Error::source(&refusal).expect("a source");
    assert_eq!(source.to_string(), error.to_string());
}
