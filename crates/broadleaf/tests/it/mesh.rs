//! Meshes answer as each triangle does on its own, as the oracle's 64 bits allow,
//! and let no ray slip through.

use crate::support::sorted;
use broadleaf::glam::{DVec3, Mat4, Vec3};
use broadleaf::{
    Aabb, ClipDepth, Containment, Culling, Error, Frustum, Mesh, MeshError, MeshHit, QueryStats, Ray, Side, Sphere,
    Triangle,
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
        let of = |mesh: &Mesh| mesh.closest_hit(ray, culling).0;
        self.each(of).into_iter().map(|(triangle, hit)| MeshHit { triangle, ..hit }).collect()
    }
}

fn all_hits(mesh: &Mesh, ray: &Ray, culling: Culling) -> Vec<MeshHit> {
    let mut hits = Vec::new();
    let stats = mesh.hits_into(ray, culling, &mut hits);
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
                let (hit, stats) = mesh.closest_hit(&ray, culling);
                prop_assert_eq!(hit, nearest);
                prop_assert_eq!(stats.hits, u64::from(hit.is_some()));
                let (any, _) = mesh.any_hit(&ray, culling);
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
            let one = |mesh: &Mesh| (!found(|f| { mesh.in_aabb_into(&aabb, f).unwrap(); }).is_empty()).then_some(());
            let expected: Vec<u32> = singles.each(one).into_iter().map(|(index, ())| index).collect();
            prop_assert_eq!(found(|f| { mesh.in_aabb_into(&aabb, f).unwrap(); }), expected);

            let sphere = Sphere::new(a, radius);
            let one = |mesh: &Mesh| (!found(|f| { mesh.in_sphere_into(&sphere, f).unwrap(); }).is_empty()).then_some(());
            let expected: Vec<u32> = singles.each(one).into_iter().map(|(index, ())| index).collect();
            prop_assert_eq!(found(|f| { mesh.in_sphere_into(&sphere, f).unwrap(); }), expected);

            let near = mesh.closest_point(a, f32::INFINITY).unwrap().0;
            let each = singles.each(|mesh| mesh.closest_point(a, f32::INFINITY).unwrap().0);
            let least = each.iter().map(|(_, point)| point.distance).fold(f32::INFINITY, f32::min);
            prop_assert_eq!(near.map_or(f32::INFINITY, |near| near.distance), least);
            if let Some(near) = near {
                prop_assert_eq!(mesh.closest_point(a, near.distance * 0.5).unwrap().0.is_some(), near.distance == 0.0);
            }

            let hit = mesh.sweep_sphere(&sphere, b - a).unwrap().0;
            let each = singles.each(|mesh| mesh.sweep_sphere(&sphere, b - a).unwrap().0);
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
        let near = mesh.closest_point(from, f32::INFINITY).unwrap().0.unwrap();
        prop_assert!((f64::from(near.distance) - expected).abs() < 1e-4, "{} {expected}", near.distance);
        prop_assert!((near.position.distance(from) - near.distance).abs() < 1e-3);
        let in_sphere = found(|f| { mesh.in_sphere_into(&Sphere::new(from, radius), f).unwrap(); });
        if (expected - f64::from(radius)).abs() > 1e-4 {
            prop_assert_eq!(in_sphere.len(), usize::from(expected < f64::from(radius)));
        }
        if let Some(hit) = mesh.sweep_sphere(&Sphere::new(from, radius), to - from).unwrap().0 {
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
            let (hit, _) = mesh.closest_hit(&ray, Culling::None);
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
        mesh.in_frustum_into(&frustum, &mut seen);
        seen.sort_by_key(|&(index, _)| index);
        let each = Singles::new(&triangles).each(|mesh| {
            let mut seen = Vec::new();
            mesh.in_frustum_into(&frustum, &mut seen);
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
                    let (hit, _) = mesh.closest_hit(&ray, Culling::None);
                    assert!(hit.is_some(), "slipped from {origin} through {target}");
                    let (any, _) = mesh.any_hit(&ray, Culling::Front);
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
            let (hit, _) = mesh.closest_hit(&ray, Culling::None);
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
            assert_eq!(outward.contains(point).unwrap().0, radius < 1.0, "{point}");
            assert_eq!(inward.contains(point).unwrap().0, radius < 1.0, "{point}");
            inside += usize::from(radius < 1.0);
        }
    }
    assert!(inside > 300, "{inside}");
    assert!(outward.contains(positions[5]).unwrap().0, "the surface belongs to the mesh");
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
    assert_eq!(
        found(|f| {
            mesh.in_aabb_into(&everything, f).unwrap();
        }),
        [1, 3]
    );
    let none = Mesh::from_triangles(&[flat, flat]).unwrap();
    assert_eq!((none.bounds(), none.degenerate_count(), none.is_empty()), (None, 2, false));
    let ray = Ray::new(Vec3::Z, Vec3::NEG_Z).unwrap();
    assert_eq!(none.closest_hit(&ray, Culling::None).0, None);
    assert_eq!(none.closest_point(Vec3::ZERO, f32::INFINITY), Ok((None, QueryStats::default())));
    assert!(Mesh::from_triangles::<Triangle>(&[]).unwrap().is_empty());
}

#[test]
fn equal_triangles_fill_leaves_and_the_first_is_hit() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let mesh = Mesh::from_triangles(&[triangle; 5000]).unwrap();
    mesh.validate().unwrap();
    let ray = Ray::new(Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z).unwrap();
    assert_eq!(mesh.closest_hit(&ray, Culling::None).0.map(|hit| hit.triangle), Some(0));
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
    assert!(matches!(mesh.closest_point(nan, 1.0), Err(Error::NotANumber { field: "point.y" })));
    assert!(matches!(mesh.closest_point(Vec3::ZERO, f32::NAN), Err(Error::NotANumber { field: "distance_max" })));
    assert!(matches!(mesh.closest_point(Vec3::ZERO, -1.0), Err(Error::NegativeDistance { .. })));
    assert!(matches!(mesh.contains(nan), Err(Error::NotANumber { field: "point.y" })));
    let ball = Sphere::new(Vec3::ZERO, 1.0);
    assert!(matches!(mesh.sweep_sphere(&ball, nan), Err(Error::NotANumber { field: "motion.y" })));
    assert!(matches!(mesh.sweep_sphere(&Sphere::new(nan, 1.0), Vec3::X), Err(Error::NotANumber { .. })));
    let mut kept = vec![7];
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    assert!(matches!(mesh.in_aabb_into(&inverted, &mut kept), Err(Error::InvertedBounds { .. })));
    let negative = Sphere::new(Vec3::ZERO, -1.0);
    assert!(matches!(mesh.in_sphere_into(&negative, &mut kept), Err(Error::NegativeRadius { .. })));
    assert_eq!(kept, [7], "a refused call changes nothing");
}

#[test]
fn a_mesh_does_not_depend_on_threads() {
    let (positions, indices) = ball(120, |p| p * (1.0 + 0.2 * (p.x * 9.0).sin()));
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Mesh::from_indexed(&positions, &indices).unwrap())
    };
    let one = format!("{:?}", build(1));
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

#[test]
fn visitors_can_stop() {
    let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let mesh = Mesh::from_triangles(&[triangle; 100]).unwrap();
    let mut seen = 0;
    let stats = mesh.in_aabb(&triangle.aabb(), |_| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((seen, stats.unwrap().hits), (3, 3));
    let mut leaves = 0;
    mesh.leaves(|_| {
        leaves += 1;
        ControlFlow::Break(())
    });
    assert_eq!(leaves, 1);
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
