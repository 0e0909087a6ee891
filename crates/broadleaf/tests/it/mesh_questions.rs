//! Questions to a mesh: every option and terminal, every region and cast.

use crate::support::sorted;
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Containment, Error, Mesh, QueryStats, Ray, Sphere, Sweep, Threads,
    mesh::{Culling, MeshRegion},
    shape::{Capsule, Obb, Triangle},
};
use workloads::oracle::mesh::MeshOracle;
use workloads::{Model, Random};

fn torus() -> (Model, Mesh) {
    let model = Model::by_name("torus", 3_000, 1).unwrap();
    let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
    (model, mesh)
}

fn triangles(model: &Model) -> Vec<Triangle> {
    (0..u32::try_from(model.len()).unwrap()).map(|index| model.triangle(index)).collect()
}

/// All terminals of an overlap agree.
fn check_overlap(mesh: &Mesh, region: &impl MeshRegion) -> usize {
    let (mut all, mut with, mut visited) = (vec![7], Vec::new(), Vec::new());
    let [mut counted, mut contained] = [QueryStats::default(); 2];
    mesh.overlap(region).unwrap().stats(&mut counted).collect_into(&mut all);
    mesh.overlap(region).unwrap().stats(&mut contained).with_containment().collect_into(&mut with);
    mesh.overlap(region).unwrap().for_each(|index| visited.push(index));
    assert_eq!((&all, counted.hits), (&visited, all.len() as u64));
    assert_eq!((with.iter().map(|(index, _)| *index).collect::<Vec<_>>(), contained), (visited, counted));
    assert_eq!(mesh.overlap(region).unwrap().count(), all.len());
    assert_eq!(mesh.overlap(region).unwrap().any(), all.first().copied());
    assert_eq!(mesh.overlap(region).unwrap().with_containment().any(), with.first().copied());
    let third = all.get(2).copied();
    let mut seen = 0;
    let stopped = mesh.overlap(region).unwrap().try_for_each(|index| {
        seen += 1;
        if seen == 3 { Err(index) } else { Ok(()) }
    });
    assert_eq!(stopped.err(), third);
    // Statistics add up.
    mesh.overlap(region).unwrap().stats(&mut counted).for_each(|_| ());
    assert_eq!(counted.nodes_visited, 2 * contained.nodes_visited);
    all.len()
}

#[test]
fn every_region_is_answered_by_every_terminal() {
    let (model, mesh) = torus();
    let (bounds, mut random, mut found) = (model.bounds(), Random::new(3), 0);
    for _ in 0..60 {
        let (a, b) = (random.point(&bounds), random.point(&bounds));
        let half = (b - a).abs() * 0.3;
        let turn = Quat::from_xyzw(random.unit(), random.unit(), random.unit(), 0.5);
        found += check_overlap(&mesh, &Aabb::new(a - half, a + half));
        found += check_overlap(&mesh, &Sphere::new(a, half.x));
        found += check_overlap(&mesh, &Obb::new(a, half, turn).unwrap());
        found += check_overlap(&mesh, &Capsule::new(a, b, half.x).unwrap());
    }
    assert!(found > 10_000, "{found}");
    let everything = Obb::new(Vec3::ZERO, Vec3::splat(1e6), Quat::from_rotation_x(0.3)).unwrap();
    assert_eq!(check_overlap(&mesh, &everything), mesh.len() - mesh.degenerate_count());
    let mut inside = 0;
    mesh.overlap(&everything).unwrap().with_containment().for_each(|(_, how)| {
        inside += usize::from(how == Containment::Inside);
    });
    assert_eq!(inside, mesh.len() - mesh.degenerate_count());
}

#[test]
fn an_unturned_oriented_box_finds_what_the_box_finds() {
    let (model, mesh) = torus();
    let (bounds, mut random) = (model.bounds(), Random::new(4));
    for _ in 0..100 {
        let (center, half) = (random.point(&bounds), Vec3::splat(random.between(0.0, 1.0)));
        let aabb = Aabb::new(center - half, center + half);
        let obb = Obb::new(aabb.center(), aabb.half_extents(), Quat::IDENTITY).unwrap();
        let [mut boxed, mut oriented] = [Vec::new(), Vec::new()];
        mesh.overlap(&aabb).unwrap().with_containment().collect_into(&mut boxed);
        mesh.overlap(&obb).unwrap().with_containment().collect_into(&mut oriented);
        assert!(boxed.len().abs_diff(oriented.len()) <= boxed.len() / 20, "{aabb:?}");
    }
}

#[test]
fn volumes_on_models_are_what_the_oracle_says() {
    for name in Model::NAMES {
        let model = Model::by_name(name, 300, 2).unwrap();
        let mesh = Mesh::from_indexed(model.positions(), model.indices()).unwrap();
        let (triangles, bounds, mut random) = (triangles(&model), model.bounds(), Random::new(5));
        let size = bounds.extents().max_element();
        for _ in 0..40 {
            let (from, to) = (random.point(&bounds), random.point(&bounds));
            let ray = Ray::segment(from, to).unwrap();
            MeshOracle::new(&triangles).check(&mesh, &ray, size * random.between(0.0, 0.2)).unwrap();
        }
    }
}

#[test]
fn casts_end_where_they_are_told_to() {
    let (model, mesh) = torus();
    let (bounds, mut random, mut hits) = (model.bounds(), Random::new(6), 0);
    for _ in 0..200 {
        let (from, to) = (random.point(&bounds) * 2.0, random.point(&bounds));
        let Ok(ray) = Ray::new(from, to - from) else { continue };
        for culling in [Culling::None, Culling::Back, Culling::Front] {
            let (mut all, mut near) = (Vec::new(), Vec::new());
            mesh.cast(&ray).culling(culling).collect_into(&mut all);
            let Some(closest) = mesh.cast(&ray).culling(culling).closest() else { continue };
            let farthest = all.iter().map(|hit| hit.distance).fold(0.0, f32::max);
            let half = (closest.distance + farthest) * 0.5;
            mesh.cast(&ray).within(half).culling(culling).collect_into(&mut near);
            all.retain(|hit| hit.distance <= half);
            assert_eq!(near, all);
            assert_eq!(mesh.cast(&ray).culling(culling).within(closest.distance).closest(), Some(closest));
            assert_eq!(mesh.cast(&ray).culling(culling).within(closest.distance.next_down()).any(), None);
            hits += near.len();
        }
        let ball = Sweep::sphere(Sphere::new(from, 0.3), to - from).unwrap();
        let brick = Sweep::aabb(Aabb::from_center_half_extents(from, Vec3::new(0.3, 0.1, 0.2)), to - from).unwrap();
        for sweep in [ball, brick] {
            let (mut all, mut near) = (Vec::new(), Vec::new());
            mesh.cast(&sweep).collect_into(&mut all);
            let Some(first) = mesh.cast(&sweep).closest() else { continue };
            assert_eq!(mesh.cast(&sweep).within(first.time).closest(), Some(first));
            mesh.cast(&sweep).within(0.5).collect_into(&mut near);
            all.retain(|hit| hit.time <= 0.5);
            assert_eq!((mesh.cast(&sweep).within(0.5).count(), &near), (all.len(), &all));
            if first.time > 0.0 {
                assert_eq!(mesh.cast(&sweep).within(first.time.next_down()).any(), None);
            }
            hits += near.len();
        }
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn nothing_is_within_a_bound_that_is_negative_or_no_number() {
    let (_, mesh) = torus();
    let ray = Ray::new(Vec3::splat(-50.0), Vec3::ONE).unwrap();
    let sweep = Sweep::sphere(Sphere::new(Vec3::ZERO, 100.0), Vec3::X).unwrap();
    for bound in [-1.0, f32::NAN, f32::NEG_INFINITY] {
        let mut stats = QueryStats::default();
        assert_eq!(mesh.cast(&ray).within(bound).stats(&mut stats).closest(), None);
        assert_eq!((mesh.cast(&ray).within(bound).count(), mesh.cast(&sweep).within(bound).count()), (0, 0));
        assert_eq!(mesh.cast(&sweep).within(bound).closest(), None);
        assert_eq!(mesh.nearest(Vec3::ZERO).unwrap().within(bound).closest(), None);
        assert_eq!(stats, QueryStats::default());
    }
    assert!(mesh.cast(&sweep).within(-0.0).closest().is_some_and(|hit| hit.time == 0.0));
    assert!(mesh.nearest(Vec3::ZERO).unwrap().within(f32::INFINITY).closest().is_some());
}

#[test]
fn a_box_lands_flat_on_a_floor_and_on_a_ridge() {
    let floor =
        [Vec3::new(-9.0, 0.0, -9.0), Vec3::new(-9.0, 0.0, 9.0), Vec3::new(9.0, 0.0, -9.0), Vec3::new(9.0, 0.0, 9.0)];
    let mesh = Mesh::from_indexed(&floor, &[0, 1, 2, 2, 1, 3]).unwrap();
    let drop = |at: Vec3| Sweep::aabb(Aabb::from_center_half_extents(at, Vec3::ONE), Vec3::NEG_Y * 8.0).unwrap();
    let hit = mesh.cast(&drop(Vec3::new(2.0, 5.0, -3.0))).closest().unwrap();
    assert_eq!((hit.time, hit.distance, hit.center, hit.normal), (0.5, 4.0, Vec3::new(2.0, 1.0, -3.0), Vec3::Y));
    assert!((hit.contact - Vec3::new(2.0, 0.0, -3.0)).abs().max_element() < 1e-6, "{hit:?}");
    let ridge =
        [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(0.0, 0.0, -9.0), Vec3::new(0.0, 0.0, 9.0), Vec3::new(9.0, -9.0, 0.0)];
    let mesh = Mesh::from_indexed(&ridge, &[0, 2, 1, 1, 2, 3]).unwrap();
    let mut hits = Vec::new();
    mesh.cast(&drop(Vec3::new(0.25, 5.0, 0.5))).collect_into(&mut hits);
    assert_eq!(hits.len(), 2);
    for hit in hits {
        assert_eq!((hit.time, hit.normal), (0.5, Vec3::Y));
        assert!((hit.contact - Vec3::new(0.0, 0.0, 0.5)).abs().max_element() < 1e-6, "{hit:?}");
    }
    let sunk = mesh.cast(&drop(Vec3::new(0.0, 0.5, 0.0))).closest().unwrap();
    assert_eq!((sunk.time, sunk.triangle), (0.0, 0));
}

#[test]
fn illegal_regions_and_points_are_named_by_the_opening() {
    let (_, mesh) = torus();
    let nan = Vec3::new(0.0, f32::NAN, 0.0);
    assert!(matches!(mesh.overlap(&Sphere::new(nan, 1.0)), Err(Error::NotANumber { field: "center.y" })));
    assert!(matches!(mesh.overlap(&Aabb::new(Vec3::ONE, Vec3::ZERO)), Err(Error::InvertedBounds { .. })));
    assert!(matches!(mesh.nearest(Vec3::INFINITY), Err(Error::NotFinite { field: "point.x", .. })));
}

#[test]
fn whoever_builds_the_mesh_is_the_same() {
    let (model, one) = torus();
    let big = Model::by_name("terrain", 40_000, 2).unwrap();
    for (model, one) in [(&model, one), (&big, Mesh::from_indexed(big.positions(), big.indices()).unwrap())] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let builder = Mesh::builder().threads(Threads::Pool);
        let many = pool.install(|| builder.from_indexed(model.positions(), model.indices()).unwrap());
        assert!(format!("{one:?}") == format!("{many:?}"));
        let listed = pool.install(|| builder.from_triangles(&triangles(model)).unwrap());
        assert_eq!(sorted((0..9).map(|i| listed.triangle(i).unwrap().a.x.to_bits()).collect::<Vec<_>>()).len(), 9);
        listed.validate().unwrap();
    }
}

#[test]
fn regions_as_large_as_numbers_get_are_answered() {
    let (_, mesh) = torus();
    let all = mesh.len() - mesh.degenerate_count();
    assert_eq!(mesh.overlap(&Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)).unwrap().count(), all);
    assert_eq!(mesh.overlap(&Sphere::new(Vec3::ZERO, Sphere::RADIUS_MAX)).unwrap().count(), all);
    let capsule = Capsule::new(Vec3::splat(-1e30), Vec3::splat(1e30), Sphere::RADIUS_MAX).unwrap();
    assert_eq!(mesh.overlap(&capsule).unwrap().count(), all);
    let far = Obb::new(Vec3::X * 1e37, Vec3::splat(2e37), Quat::IDENTITY).unwrap();
    assert_eq!(mesh.overlap(&far).unwrap().count(), all);
    let wall = Aabb::new(Vec3::new(-1e30, -1e30, -1e30), Vec3::new(1e30, -1e29, 1e30));
    let up = Sweep::aabb(wall, Vec3::Y * 1e30).unwrap();
    assert_eq!(mesh.cast(&up).count(), all);
}
