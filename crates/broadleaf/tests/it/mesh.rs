//! Meshes answer as each triangle does on its own, as the oracle's 64 bits allow.

use crate::support::sorted;
use broadleaf::glam::{DVec3, Mat4, Vec3};
use broadleaf::{
    Aabb, ClipDepth, Containment, Error, Frustum, Mesh, QueryStats, Ray, Sphere, Sweep,
    mesh::{Culling, MeshError, MeshHit, Side},
    shape::Triangle,
};
use proptest::prelude::*;
use std::ops::ControlFlow;
use workloads::oracle::mesh::MeshOracle;

/// Small numbers that collide often, so that triangles share corners, lie in
/// planes, and degenerate; and now and then one of another size.
fn coordinate(spread: u8) -> BoxedStrategy<f32> {
    match spread % 4 {
        0 => (-4..=4_i8).prop_map(f32::from).boxed(),
        1 => (-10.0..10.0_f32).boxed(),
        2 => prop_oneof![-1e-3..1e-3_f32, -1e4..1e4_f32].boxed(),
        _ => prop_oneof![-1.0..1.0_f32, -1e15..1e15_f32].boxed(),
    }
}

fn point(spread: u8) -> impl Strategy<Value = Vec3> {
    (coordinate(spread), coordinate(spread), coordinate(spread)).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn soup(spread: u8) -> impl Strategy<Value = Vec<Triangle>> {
    let triangle = (point(spread), point(spread), point(spread)).prop_map(|(a, b, c)| Triangle::new(a, b, c));
    prop::collection::vec(triangle, 0..120)
}

/// A ray from anywhere towards anywhere, often along an axis or a plane.
fn ray(spread: u8) -> impl Strategy<Value = Option<Ray>> {
    let direction = prop_oneof![
        (-1..=1_i8, -1..=1_i8, -1..=1_i8).prop_map(|(x, y, z)| Vec3::new(f32::from(x), f32::from(y), f32::from(z))),
        point(1),
    ];
    (point(spread), direction, prop_oneof![Just(f32::MAX), 0.0..20.0_f32])
        .prop_map(|(origin, direction, reach)| Ray::new(origin, direction).ok()?.with_distance_max(reach).ok())
}

/// A mesh of one triangle answers without a tree: the oracle of single triangles.
struct Singles {
    meshes: Vec<(u32, Mesh)>,
}

impl Singles {
    fn new(triangles: &[Triangle]) -> Self {
        let single = |(index, triangle): (u32, &Triangle)| (index, Mesh::from_triangles(&[*triangle]).unwrap());
        Self { meshes: (0..).zip(triangles).map(single).collect() }
    }

    fn each<T>(&self, ask: impl Fn(&Mesh) -> Option<T>) -> Vec<(u32, T)> {
        self.meshes.iter().filter_map(|(index, mesh)| ask(mesh).map(|answer| (*index, answer))).collect()
    }

    fn hits(&self, ray: &Ray, culling: Culling) -> Vec<MeshHit> {
        let of = |mesh: &Mesh| mesh.cast(ray).culling(culling).closest();
        self.each(of).into_iter().map(|(triangle, hit)| MeshHit { triangle, ..hit }).collect()
    }
}

fn all_hits(mesh: &Mesh, ray: &Ray, culling: Culling) -> Vec<MeshHit> {
    let mut hits = Vec::new();
    let mut stats = QueryStats::default();
    mesh.cast(ray).culling(culling).stats(&mut stats).collect_into(&mut hits);
    assert_eq!(stats.hits, hits.len() as u64);
    hits.sort_by_key(|hit| hit.triangle);
    hits
}

fn found(fill: impl FnOnce(&mut Vec<u32>)) -> Vec<u32> {
    let mut found = Vec::new();
    fill(&mut found);
    sorted(found)
}

/// The nearest point of a triangle by another way: minimising along and between edges.
fn distance_to(triangle: &Triangle, point: Vec3) -> f64 {
    let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| corner.as_dvec3());
    let point = point.as_dvec3();
    let normal = (b - a).cross(c - a);
    let edges = [(a, b), (b, c), (c, a)];
    let beside = edges.map(|(from, to)| {
        let along = to - from;
        let part = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (from + along * part).distance(point)
    });
    let over = edges.iter().all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    let least = beside.into_iter().fold(f64::INFINITY, f64::min);
    if over { least.min(((point - a).dot(normal) / normal.length()).abs()) } else { least }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rays_hit_as_each_triangle_says(
        (triangles, rays) in any::<u8>().prop_flat_map(|s| (soup(s), prop::collection::vec(ray(s), 8))),
    ) {
        let mesh = Mesh::from_triangles(&triangles).unwrap();
        mesh.validate().unwrap();
        let (singles, oracle) = (Singles::new(&triangles), MeshOracle::new(&triangles));
        for (radius, ray) in (0_i8..).zip(rays).filter_map(|(radius, ray)| Some((f32::from(radius), ray?))) {
            if let Err(fault) = oracle.check(&mesh, &ray, radius) {
                prop_assert!(false, "{}", fault);
            }
            for culling in [Culling::None, Culling::Back, Culling::Front] {
                let expected = singles.hits(&ray, culling);
                prop_assert_eq!(&all_hits(&mesh, &ray, culling), &expected);
                let nearest = expected.iter().copied().min_by(|a, b| {
                    a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle))
                });
                let mut stats = QueryStats::default();
                let hit = mesh.cast(&ray).stats(&mut stats).culling(culling).closest();
                prop_assert_eq!(hit, nearest);
                prop_assert_eq!(stats.hits, u64::from(hit.is_some()));
                let any = mesh.cast(&ray).culling(culling).any();
                prop_assert_eq!(any.is_some(), hit.is_some());
                prop_assert!(any.is_none_or(|any| expected.contains(&any)));
            }
        }
    }

    #[test]
    fn overlaps_are_those_of_each_triangle(
        (triangles, corners, radius) in any::<u8>().prop_flat_map(|s| {
            (soup(s), prop::collection::vec((point(s), point(s)), 6), prop_oneof![Just(0.0_f32), 0.0..8.0_f32])
        }),
    ) {
        let mesh = Mesh::from_triangles(&triangles).unwrap();
        let singles = Singles::new(&triangles);
        for (a, b) in corners {
            let aabb = Aabb::new(a.min(b), a.max(b));
            let one = |mesh: &Mesh| mesh.overlap(&aabb).unwrap().any().map(|_| ());
            let expected: Vec<u32> = singles.each(one).into_iter().map(|(index, ())| index).collect();
            prop_assert_eq!(found(|f| mesh.overlap(&aabb).unwrap().collect_into(f)), expected);

            let sphere = Sphere::new(a, radius);
            let one = |mesh: &Mesh| mesh.overlap(&sphere).unwrap().any().map(|_| ());
            let expected: Vec<u32> = singles.each(one).into_iter().map(|(index, ())| index).collect();
            prop_assert_eq!(found(|f| mesh.overlap(&sphere).unwrap().collect_into(f)), expected);

            let near = mesh.nearest(a).unwrap().closest();
            let each = singles.each(|mesh| mesh.nearest(a).unwrap().closest());
            let least = each.iter().map(|(_, point)| point.distance).fold(f32::INFINITY, f32::min);
            prop_assert_eq!(near.map_or(f32::INFINITY, |near| near.distance), least);
            if let Some(near) = near {
                let within = mesh.nearest(a).unwrap().within(near.distance * 0.5).closest();
                prop_assert_eq!(within.is_some(), near.distance == 0.0);
            }

            let sweep = Sweep::sphere(sphere, b - a).unwrap();
            let hit = mesh.cast(&sweep).closest();
            let each = singles.each(|mesh| mesh.cast(&sweep).closest());
            let least = each.iter().map(|(_, hit)| hit.time).reduce(f32::min);
            prop_assert_eq!(hit.map(|hit| hit.time), least);
        }
    }

    #[test]
    fn single_triangles_agree_with_plain_geometry(
        (triangle, from, to, radius) in (soup(1).prop_filter_map("one", |s| s.first().copied()), point(1), point(1), 0.1..3.0_f32),
    ) {
        prop_assume!(triangle.scaled_normal().length() > 0.5);
        let mesh = Mesh::from_triangles(&[triangle]).unwrap();
        let expected = distance_to(&triangle, from);
        let near = mesh.nearest(from).unwrap().closest().unwrap();
        prop_assert!((f64::from(near.distance) - expected).abs() < 1e-4, "{} {expected}", near.distance);
        prop_assert!((near.position.distance(from) - near.distance).abs() < 1e-3);
        let in_sphere = found(|f| mesh.overlap(&Sphere::new(from, radius)).unwrap().collect_into(f));
        if (expected - f64::from(radius)).abs() > 1e-4 {
            prop_assert_eq!(in_sphere.len(), usize::from(expected < f64::from(radius)));
        }
        let sweep = Sweep::sphere(Sphere::new(from, radius), to - from).unwrap();
        if let Some(hit) = mesh.cast(&sweep).closest() {
            let touch = distance_to(&triangle, hit.center);
            prop_assert!(hit.time == 0.0 || (touch - f64::from(radius)).abs() < 1e-3, "{touch}");
            prop_assert!((f64::from(hit.contact.distance(hit.center)) - touch).abs() < 1e-3);
        } else {
            for step in 0..=32_u8 {
                let center = from + (to - from) * (f32::from(step) / 32.0);
                prop_assert!(distance_to(&triangle, center) > f64::from(radius) - 1e-3);
            }
        }
        if let Ok(ray) = Ray::segment(from, to) {
            let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| corner.as_dvec3());
            let (o, d) = (from.as_dvec3(), ray.direction().as_dvec3());
            let volume = |p: DVec3, q: DVec3| (p - o).cross(q - o).dot(d);
            let sides = [volume(b, c), volume(c, a), volume(a, b)];
            let sum: f64 = sides.iter().sum();
            let distance = (a - o).dot((b - a).cross(c - a)) / d.dot((b - a).cross(c - a));
            let clear = sides.iter().all(|side| side.abs() > 1e-3)
                && distance.abs() > 1e-3 && (distance - f64::from(ray.distance_max())).abs() > 1e-3;
            let inside = sides.iter().all(|side| side.signum() == sum.signum())
                && distance > 0.0 && distance < f64::from(ray.distance_max());
            let hit = mesh.cast(&ray).closest();
            if clear {
                prop_assert_eq!(hit.is_some(), inside);
            }
            if let (true, Some(hit)) = (clear, hit) {
                prop_assert!((f64::from(hit.distance) - distance).abs() < 1e-3);
                prop_assert!(hit.position.distance(ray.at(hit.distance)) < 1e-3);
                prop_assert!((hit.barycentric.element_sum() - 1.0).abs() < 1e-4);
                prop_assert!((hit.normal.length() - 1.0).abs() < 1e-5);
                let front = hit.normal.dot(ray.direction()) < 0.0;
                prop_assert_eq!(hit.side, if front { Side::Front } else { Side::Back });
            }
        }
    }

    #[test]
    fn frusta_see_what_each_triangle_says(
        (triangles, eye, target) in (soup(1), point(1), point(1)),
    ) {
        prop_assume!(eye.distance(target) > 0.5 && (target - eye).cross(Vec3::Y).length() > 0.1);
        let view = broadleaf::glam::camera::rh::view::look_at_mat4(eye, target, Vec3::Y);
        let projection: Mat4 = broadleaf::glam::camera::rh::proj::directx::perspective(0.8, 1.3, 0.5, 15.0);
        let frustum = Frustum::from_view_projection(projection * view, ClipDepth::ZeroToOne).unwrap();
        let mesh = Mesh::from_triangles(&triangles).unwrap();
        let mut seen = Vec::new();
        mesh.overlap(&frustum).unwrap().with_containment().collect_into(&mut seen);
        seen.sort_by_key(|&(index, _)| index);
        let each = Singles::new(&triangles).each(|mesh| {
            let mut seen = Vec::new();
            mesh.overlap(&frustum).unwrap().with_containment().collect_into(&mut seen);
            seen.first().map(|&(_, containment)| containment)
        });
        prop_assert_eq!(&seen, &each);
        if let Err(fault) = MeshOracle::new(&triangles).in_frustum(&frustum, &seen) {
            prop_assert!(false, "{}", fault);
        }
        // A triangle with a corner well inside is seen.
        for (index, triangle) in (0..).zip(&triangles) {
            let inside = [triangle.a, triangle.b, triangle.c].map(|corner| {
                frustum.planes().iter().all(|plane| plane.normal.dot(corner) + plane.offset > 1e-3)
            });
            let has_area = triangle.scaled_normal().length() > 1e-3;
            if has_area && inside.contains(&true) {
                let containment = if inside == [true; 3] { Containment::Inside } else { Containment::Intersecting };
                prop_assert!(inside != [true; 3] || seen.contains(&(index, containment)));
                prop_assert!(seen.iter().any(|&(seen, _)| seen == index));
            }
        }
    }
}

#[test]
fn degenerate_triangles_are_kept_apart_and_counted() {
    let flat = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::X * 2.0);
    let whole = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let tiny = Triangle::new(Vec3::ZERO, Vec3::X * 1e-25, Vec3::Y * 1e-25);
    let mesh =
        Mesh::from_triangles(&[flat, whole, flat, tiny, Triangle::new(Vec3::ONE, Vec3::ONE, Vec3::ONE)]).unwrap();
    mesh.validate().unwrap();
    assert_eq!((mesh.len(), mesh.degenerate_count()), (5, 3));
    assert_eq!(mesh.bounds(), Some(Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0))));
    assert_eq!(
        (0..6).map(|i| mesh.triangle(i)).collect::<Vec<_>>()[..4],
        [Some(flat), Some(whole), Some(flat), Some(tiny)]
    );
    assert_eq!(mesh.triangle(5), None);
    let everything = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    assert_eq!(found(|f| mesh.overlap(&everything).unwrap().collect_into(f)), [1, 3]);
    let none = Mesh::from_triangles(&[flat, flat]).unwrap();
    assert_eq!((none.bounds(), none.degenerate_count(), none.is_empty()), (None, 2, false));
    let ray = Ray::new(Vec3::Z, Vec3::NEG_Z).unwrap();
    assert_eq!(none.cast(&ray).closest(), None);
    let mut stats = QueryStats::default();
    assert_eq!((none.nearest(Vec3::ZERO).unwrap().stats(&mut stats).closest(), stats), (None, QueryStats::default()));
    assert!(Mesh::from_triangles::<Triangle>(&[]).unwrap().is_empty());
}

#[test]
fn equal_triangles_fill_leaves_and_the_first_is_hit() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let mesh = Mesh::from_triangles(&[triangle; 5000]).unwrap();
    mesh.validate().unwrap();
    let ray = Ray::new(Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z).unwrap();
    assert_eq!(mesh.cast(&ray).closest().map(|hit| hit.triangle), Some(0));
    assert_eq!(all_hits(&mesh, &ray, Culling::None).len(), 5000);
    let mut leaves = (0, 0);
    mesh.leaves(|leaf| {
        leaves = (leaves.0 + 1, leaves.1 + leaf.triangles);
        ControlFlow::Continue(())
    });
    assert_eq!(leaves.1, 5000);
    assert!(leaves.0 <= 1250, "{leaves:?}");
}

#[test]
fn bad_input_is_named() {
    let square = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let refused = |positions: &[Vec3], indices: &[u32]| Mesh::from_indexed(positions, indices).unwrap_err();
    assert_eq!(refused(&square, &[0, 1]), MeshError::IncompleteTriangle { indices: 2 });
    assert_eq!(refused(&square, &[0, 1, 3]), MeshError::IndexOutOfRange { at: 2, index: 3, positions: 3 });
    let infinite = [Vec3::ZERO, Vec3::new(0.0, f32::INFINITY, 0.0)];
    assert_eq!(refused(&infinite, &[]), MeshError::NotFinite { position: 1, axis: 'y', value: f32::INFINITY });
    let nan = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.0, f32::NAN));
    let error = Mesh::from_triangles(&[nan]).unwrap_err();
    assert!(matches!(error, MeshError::NotFinite { position: 2, axis: 'z', .. }), "{error}");
    let far = [Vec3::X * -2e18];
    let limit = Mesh::COORDINATE_MAX;
    assert_eq!(refused(&far, &[]), MeshError::TooFar { position: 0, axis: 'x', value: -2e18, limit });

    let mesh = Mesh::from_indexed(&square, &[0, 1, 2]).unwrap();
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    assert!(matches!(mesh.nearest(nan), Err(Error::NotANumber { field: "point.y" })));
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    assert!(matches!(mesh.overlap(&inverted), Err(Error::InvertedBounds { .. })));
    let negative = Sphere::new(Vec3::ZERO, -1.0);
    assert!(matches!(mesh.overlap(&negative), Err(Error::NegativeRadius { .. })));
}

#[test]
fn visitors_can_stop() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let mesh = Mesh::from_triangles(&[triangle; 100]).unwrap();
    let mut seen = 0;
    let mut stats = QueryStats::default();
    let last = mesh.overlap(&triangle.aabb()).unwrap().stats(&mut stats).try_for_each(|index| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(index) } else { ControlFlow::Continue(()) }
    });
    assert!(last.is_break());
    assert_eq!((seen, stats.hits), (3, 3));
    let mut leaves = 0;
    mesh.leaves(|_| {
        leaves += 1;
        ControlFlow::Break(())
    });
    assert_eq!(leaves, 1);
}
