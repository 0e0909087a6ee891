//! Meshes placed among objects are hit as if their triangles stood there.

use broadleaf::glam::{DQuat, DVec3, Quat, Vec3};
use broadleaf::{
    Aabb, Error, Handle, Mesh, Octree, Placement, QueryStats, Ray, Sphere, Sweep,
    mesh::{Culling, MeshHit},
    shape::Triangle,
};
use std::ops::ControlFlow;
use workloads::{Model, Random};

/// Which copy is hit, and where.
type CopyHit = (u64, MeshHit);

/// Copies of one mesh.
struct Copies {
    tree: Octree,
    mesh: Mesh,
    placements: Vec<Placement>,
}

impl Copies {
    fn new(model: &Model, placements: Vec<Placement>) -> Self {
        let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
        let mut tree = Octree::default();
        for (number, placement) in (0..).zip(&placements) {
            let handle = tree.insert(placement.aabb(&mesh.bounds().unwrap())).unwrap();
            tree.set_user_data(handle, number).unwrap();
        }
        Self { tree, mesh, placements }
    }

    fn random(copies: usize, world: f32, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let placement = |_| {
            let turn = Quat::from_xyzw(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.unit(), 0.5);
            Placement::new(turn * 3.0, random.direction() * world * random.unit(), random.between(0.5, 3.5)).unwrap()
        };
        Self::new(&Model::by_name("torus", 400, seed).unwrap(), (0..copies).map(placement).collect())
    }

    /// The corners of a triangle in the world, with 64 bits.
    fn corners(&self, copy: usize, triangle: u32) -> [DVec3; 3] {
        let (placement, triangle) = (&self.placements[copy], self.mesh.triangle(triangle).unwrap());
        let turn: DQuat = placement.rotation().as_dquat().normalize();
        [triangle.a, triangle.b, triangle.c].map(|corner| {
            turn * (corner.as_dvec3() * f64::from(placement.scale())) + placement.translation().as_dvec3()
        })
    }

    /// Every hit, sorted by copy and triangle, and the nearest; checked against each other.
    fn ask(&mut self, ray: &Ray, culling: Culling) -> (Vec<CopyHit>, Option<CopyHit>) {
        let (mesh, placements, view) = (&self.mesh, &self.placements, self.tree.view());
        let meshes = |handle: Handle| Some((mesh, placements[usize::try_from(view.user_data(handle)?).unwrap()]));
        let number = |(handle, hit): (Handle, MeshHit)| (view.user_data(handle).unwrap(), hit);
        let (mut all, mut stats) = (Vec::new(), QueryStats::default());
        view.cast(ray).stats(&mut stats).meshes(meshes).culling(culling).collect_into(&mut all);
        assert_eq!(stats.hits, all.len() as u64);
        assert_eq!(view.cast(ray).meshes(meshes).culling(culling).any(), all.first().copied());
        let mut stats = QueryStats::default();
        let closest = view.cast(ray).stats(&mut stats).meshes(meshes).culling(culling).closest();
        assert_eq!(stats.hits, u64::from(closest.is_some()));
        let mut all: Vec<CopyHit> = all.into_iter().map(number).collect();
        all.sort_by_key(|(copy, hit)| (*copy, hit.triangle));
        (all, closest.map(number))
    }
}

#[test]
fn every_copy_is_hit_as_its_mesh_says() {
    let mut copies = Copies::random(60, 30.0, 5);
    let mut random = Random::new(6);
    let (mut hits, mut several) = (0, 0);
    for step in 0..2_000 {
        let ray = Ray::new(random.direction() * 40.0 * random.unit(), random.direction()).unwrap();
        let ray = if step % 2 == 0 { ray } else { ray.with_distance_max(random.between(0.0, 30.0)).unwrap() };
        let culling = [Culling::None, Culling::Back, Culling::Front][step % 3];
        let (all, closest) = copies.ask(&ray, culling);
        // The least distance; of equals the lowest slot, which the copies are inserted by.
        let nearest = all.iter().map(|(_, hit)| hit.distance).reduce(f32::min);
        assert_eq!(closest.map(|(_, hit)| hit.distance), nearest, "{ray:?}");
        let first = all.iter().find(|(_, hit)| Some(hit.distance) == nearest).map(|(copy, _)| *copy);
        assert_eq!(closest.map(|(copy, _)| copy), first);
        for (copy, hit) in &all {
            let [a, b, c] = copies.corners(usize::try_from(*copy).unwrap(), hit.triangle);
            let normal = (b - a).cross(c - a).normalize();
            let at = ray.at(hit.distance).as_dvec3();
            assert!(normal.dot(at - a).abs() < 1e-4 && hit.position.as_dvec3().distance(at) < 1e-3, "{hit:?}");
            assert!(hit.normal.as_dvec3().distance(normal) < 1e-4 && culling.hits(hit.side));
            assert!(hit.distance <= ray.distance_max());
        }
        hits += all.len();
        several += usize::from(all.len() > 3);
    }
    assert!(hits > 500 && several > 20, "{hits}, {several}");
}

#[test]
fn copies_are_hit_as_one_mesh_of_all_their_triangles() {
    let mut copies = Copies::random(40, 25.0, 8);
    let count = u32::try_from(copies.mesh.len()).unwrap();
    let corners = (0..copies.placements.len()).flat_map(|copy| (0..count).map(move |index| (copy, index)));
    let positions: Vec<Vec3> =
        corners.flat_map(|(copy, index)| copies.corners(copy, index)).map(|corner| corner.as_vec3()).collect();
    let indices: Vec<u32> = (0..u32::try_from(positions.len()).unwrap()).collect();
    let whole = Mesh::from_indexed(&positions, &indices).unwrap();
    let mut random = Random::new(9);
    let mut hits = 0;
    for _ in 0..2_000 {
        let ray = Ray::new(random.direction() * 40.0 * random.unit(), random.direction()).unwrap();
        let expected = whole.cast(&ray).closest();
        let (_, closest) = copies.ask(&ray, Culling::None);
        // The edge of an outline may be missed by either.
        if let Some(((_, hit), expected)) = closest.zip(expected) {
            hits += 1;
            assert!((hit.distance - expected.distance).abs() < 1e-3, "{hit:?} {expected:?}");
        } else {
            assert!(closest.is_none() && expected.is_none(), "{ray:?}");
        }
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn regression_segments_hit_the_placed_triangle_at_their_end() {
    for world in [0.0, 10.0, 5_000.0] {
        let mut copies = Copies::random(20, world, 3);
        let mut random = Random::new(4);
        for step in 0..1_500_usize {
            let (copy, triangle) = (step % 20, random.below(400));
            let [a, b, c] = copies.corners(copy, triangle);
            let (u, v) = (f64::from(random.between(0.1, 0.4)), f64::from(random.between(0.1, 0.4)));
            let end = (a * u + b * v + c * (1.0 - u - v)).as_vec3();
            let Ok(ray) = Ray::segment(end + random.direction() * random.between(0.01, 20.0), end) else { continue };
            let (all, closest) = copies.ask(&ray, Culling::None);
            let slant = (b - a).cross(c - a).normalize().dot(ray.direction().as_dvec3()).abs();
            // Rounding the end beside a triangle that is seen on edge may lead past it.
            if slant > 0.05 {
                let is_hit = all.iter().any(|(of, hit)| (*of, hit.triangle) == (copy as u64, triangle));
                assert!(is_hit && closest.is_some(), "{world}: {triangle} of {copy}, {ray:?}");
            }
            assert!(all.iter().all(|(_, hit)| hit.distance <= ray.distance_max()));
        }
    }
}

#[test]
fn visits_of_copies_can_stop() {
    let placements = (0..30_u8).map(|i| Placement::new(Quat::IDENTITY, Vec3::X * f32::from(i) * 9.0, 1.0).unwrap());
    let mut copies = Copies::new(&Model::by_name("boxes", 12, 1).unwrap(), placements.collect());
    let center = copies.mesh.bounds().unwrap().center() + Vec3::new(0.0, 0.01, 0.02);
    let ray = Ray::new(center - Vec3::X * 100.0, Vec3::X).unwrap();
    assert!(copies.ask(&ray, Culling::None).0.len() >= 60);
    let (mesh, placements, view) = (&copies.mesh, &copies.placements, copies.tree.view());
    let meshes = |handle: Handle| Some((mesh, placements[usize::try_from(view.user_data(handle)?).unwrap()]));
    let (mut seen, mut stats) = (0, QueryStats::default());
    let flow = view.cast(&ray).stats(&mut stats).meshes(meshes).try_for_each(|_| {
        seen += 1;
        if seen == 5 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!(flow, ControlFlow::Break("enough"));
    assert_eq!((seen, stats.hits), (5, 5));
    let none = |_: Handle| None::<(&Mesh, Placement)>;
    assert_eq!(view.cast(&ray).meshes(none).any(), None);
}

/// What each copy answers as a mesh of its own, whose corners are in the world.
#[test]
fn regions_moving_shapes_and_places_ask_every_copy() {
    let mut copies = Copies::random(40, 12.0, 15);
    let worlds: Vec<Mesh> = (0..copies.placements.len())
        .map(|copy| {
            let corners = |triangle| copies.corners(copy, triangle).map(|corner| corner.as_vec3());
            let triangles = (0..u32::try_from(copies.mesh.len()).unwrap()).map(corners);
            Mesh::from_triangles(&triangles.map(|[a, b, c]| Triangle::new(a, b, c)).collect::<Vec<_>>()).unwrap()
        })
        .collect();
    let (mesh, placements, view) = (&copies.mesh, &copies.placements, copies.tree.view());
    let copy = |handle: Handle| usize::try_from(view.user_data(handle).unwrap()).unwrap();
    let meshes = |handle: Handle| Some((mesh, placements[copy(handle)]));
    let mut random = Random::new(16);
    let (mut triangles, mut touches, mut near, mut missed) = (0, 0, 0, 0);
    for step in 0..300 {
        let at = random.signed() * 12.0;
        let ball = Sphere::new(at, random.between(0.1, 3.0));
        let aabb = Aabb::new(at, at + random.between(0.1, 3.0));
        // Triangles that touch but for rounding may differ: few do.
        let mut same = |mut found: Vec<(usize, u32)>, mut expected: Vec<(usize, u32)>| {
            found.sort_unstable();
            expected.sort_unstable();
            missed += usize::from(found != expected);
            triangles += expected.len();
        };
        let mut found = Vec::new();
        view.overlap(&ball).unwrap().meshes(meshes).for_each(|(handle, triangle)| found.push((copy(handle), triangle)));
        let mut expected = Vec::new();
        for (copy, world) in worlds.iter().enumerate() {
            world.overlap(&ball).unwrap().for_each(|triangle| expected.push((copy, triangle)));
        }
        same(found, expected);
        let (mut found, mut stats) = (Vec::new(), QueryStats::default());
        let query = view.overlap(&aabb).unwrap().stats(&mut stats).with_containment().meshes(meshes);
        query.for_each(|(handle, triangle, how)| found.push((copy(handle), triangle * 2 + how as u32)));
        assert_eq!(stats.hits, found.len() as u64);
        let mut expected = Vec::new();
        for (copy, world) in worlds.iter().enumerate() {
            let query = world.overlap(&aabb).unwrap().with_containment();
            query.for_each(|(triangle, how)| expected.push((copy, triangle * 2 + how as u32)));
        }
        same(found, expected);

        let motion = random.signed() * 20.0;
        let sweep = if step % 2 == 0 { Sweep::sphere(ball, motion) } else { Sweep::aabb(aabb, motion) }.unwrap();
        let first = view.cast(&sweep).meshes(meshes).closest();
        let times = worlds.iter().filter_map(|world| world.cast(&sweep).closest()).map(|touch| touch.time);
        let expected = times.min_by(f32::total_cmp);
        let times = (first.map(|(_, touch)| touch.time), expected);
        assert!(
            matches!(times, (None, None)) || matches!(times, (Some(a), Some(b)) if (a - b).abs() < 1e-4),
            "{times:?}"
        );
        let least = {
            let mut least: Option<f32> = None;
            view.cast(&sweep).meshes(meshes).for_each(|(_, touch)| {
                least = Some(least.map_or(touch.time, |time| time.min(touch.time)));
            });
            least
        };
        assert_eq!(least, times.0);
        touches += usize::from(expected.is_some());

        let within = random.between(0.0, 6.0);
        let closest = view.nearest(at).unwrap().within(within).meshes(meshes).closest();
        let distances = worlds.iter().filter_map(|world| world.nearest(at).unwrap().within(within).closest());
        let expected = distances.map(|near| near.distance).min_by(f32::total_cmp);
        let distances = (closest.map(|(_, near)| near.distance), expected);
        assert!(
            matches!(distances, (None, None)) || matches!(distances, (Some(a), Some(b)) if (a - b).abs() < 1e-4),
            "{distances:?}"
        );
        near += usize::from(expected.is_some());
    }
    assert!(triangles > 1_000 && touches > 100 && near > 100 && missed < 8, "{triangles} {touches} {near} {missed}");
}

#[test]
fn placements_are_checked_and_tell_what_they_are() {
    let none = Placement::new(Quat::IDENTITY, Vec3::ZERO, 0.0);
    assert!(matches!(none, Err(Error::SettingOutOfRange { setting: "scale", .. })));
    let nan = Placement::new(Quat::IDENTITY, Vec3::new(0.0, f32::NAN, 0.0), 1.0);
    assert_eq!(nan, Err(Error::NotANumber { field: "translation.y" }));
    let flat = Placement::new(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO, 1.0);
    assert_eq!(flat, Err(Error::DegenerateRotation));
    let placement = Placement::new(Quat::from_xyzw(0.0, 3.0, 0.0, 4.0), Vec3::X, 2.0).unwrap();
    assert_eq!((placement.translation(), placement.scale()), (Vec3::X, 2.0));
    assert!(placement.rotation().abs_diff_eq(Quat::from_xyzw(0.0, 0.6, 0.0, 0.8), 1e-6));
    let mut random = Random::new(7);
    for _ in 0..1_000 {
        let turn = Quat::from_xyzw(random.between(-1.0, 1.0), random.unit(), random.unit(), random.between(0.1, 1.0));
        let placement = Placement::new(turn, random.direction(), 1.0).unwrap();
        let again = Placement::new(placement.rotation(), placement.translation(), placement.scale());
        assert_eq!(again, Ok(placement), "a rotation of length one stays");
    }
}

#[cfg(feature = "serde")]
#[test]
fn placements_come_back_from_data_and_bad_data_is_refused() {
    let placement = Placement::new(Quat::from_xyzw(0.1, 0.7, -0.3, 0.2), Vec3::new(1.0, -2.0, 1e6), 0.3).unwrap();
    let text = serde_json::to_string(&placement).unwrap();
    assert_eq!(serde_json::from_str::<Placement>(&text).unwrap(), placement);
    let bad = text.replace("\"scale\":0.3", "\"scale\":-1.0");
    assert!(bad != text && serde_json::from_str::<Placement>(&bad).is_err());
}
