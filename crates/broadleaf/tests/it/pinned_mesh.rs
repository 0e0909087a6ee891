//! What meshes answer, in which order and by how much work: one hash a model,
//! the same on every machine.

use crate::pinned::{Hash, expect};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Frustum, Handle, Mesh, Octree, Placement, QueryStats, Ray, Sphere, Sweep,
    mesh::{Culling, MeshHit},
    shape::Plane,
};
use workloads::{Model, Random, models::rays};

/// The hash of each model; as for scenes, changing one needs a sentence in CHANGELOG.md.
pub(crate) const PINNED: [(&str, u64); Model::NAMES.len()] = [
    ("sphere", 0xf08d0211a38d5d01),
    ("torus", 0x096a1e18cfa9d239),
    ("terrain", 0x8376d4a82b253028),
    ("boxes", 0x9510ae7ed7f691ac),
    ("slivers", 0x191e83c3b943fcdc),
];

const TRIANGLES: u32 = 3_000;
const QUESTIONS: usize = 60;

fn add_point(hash: &mut Hash, point: Vec3) {
    hash.add_all(point.to_array().into_iter().map(|number| u64::from(number.to_bits())));
}

fn add_hit(hash: &mut Hash, hit: &MeshHit) {
    hash.add(u64::from(hit.triangle) << 32 | u64::from(hit.distance.to_bits()));
    hash.add(hit.side as u64);
    [hit.position, hit.normal, hit.barycentric].into_iter().for_each(|point| add_point(hash, point));
}

/// Rays of a model, half of them with an end.
fn rays(model: &Model) -> Vec<Ray> {
    let (bounds, mut random) = (model.bounds(), Random::new(2));
    let reach = bounds.extents().max_element() * 0.4;
    let mut all = rays::incoherent(&bounds, QUESTIONS, 1);
    all.extend(rays::at_edges(model, QUESTIONS, 1));
    all.extend(rays::axis_parallel(model, QUESTIONS, 1));
    let short = |ray: &Ray| ray.with_distance_max(random.between(0.0, reach)).expect("a legal reach");
    let short: Vec<Ray> = all.iter().map(short).collect();
    all.into_iter().chain(short).collect()
}

fn add_rays(hash: &mut Hash, mesh: &Mesh, rays: &[Ray]) {
    let mut hits = Vec::new();
    for (ray, culling) in rays.iter().zip([Culling::None, Culling::Back, Culling::Front].into_iter().cycle()) {
        let [mut all, mut closest, mut any] = [QueryStats::default(); 3];
        let ask = || mesh.cast(ray).culling(culling);
        ask().stats(&mut all).collect_into(&mut hits);
        hits.extend(ask().stats(&mut closest).closest());
        hits.extend(ask().stats(&mut any).any());
        [all, closest, any].into_iter().for_each(|stats| hash.add_stats(stats));
        hits.iter().for_each(|hit| add_hit(hash, hit));
    }
}

/// Boxes, spheres, points, moving spheres.
fn add_places(hash: &mut Hash, mesh: &Mesh, bounds: &Aabb) {
    let (mut random, size, mut found) = (Random::new(3), bounds.extents().max_element(), Vec::new());
    for _ in 0..QUESTIONS {
        let (point, other) = (random.point(bounds), random.point(bounds));
        let sphere = Sphere::new(point, size * random.between(0.0, 0.1));
        let [mut near, mut inside, mut swept] = [QueryStats::default(); 3];
        mesh.overlap(&sphere).expect("a legal sphere").stats(&mut near).collect_into(&mut found);
        hash.add_stats(near);
        hash.add_all(found.iter().map(|index| u64::from(*index)));
        let mut work = QueryStats::default();
        mesh.overlap(&sphere.aabb()).expect("a legal box").stats(&mut work).collect_into(&mut found);
        hash.add_stats(work);
        hash.add_all(found.iter().map(|index| u64::from(*index)));
        let mut work = QueryStats::default();
        let nearest = mesh.nearest(point).expect("a legal point").within(size * 0.2).stats(&mut work).closest();
        hash.add_stats(work);
        if let Some(near) = nearest {
            hash.add(u64::from(near.triangle) << 32 | u64::from(near.distance.to_bits()));
            add_point(hash, near.position);
        }
        let is_inside = mesh.nearest(point).expect("a legal point").stats(&mut inside).is_inside();
        hash.add(u64::from(is_inside));
        hash.add_stats(inside);
        let sweep = Sweep::sphere(sphere, other - point).expect("a legal motion");
        let hit = mesh.cast(&sweep).stats(&mut swept).closest();
        hash.add_stats(swept);
        if let Some(hit) = hit {
            hash.add(u64::from(hit.triangle) << 32 | u64::from(hit.time.to_bits()));
            [hit.center, hit.contact, hit.normal].into_iter().for_each(|point| add_point(hash, point));
        }
    }
}

/// What is seen, the leaves, and copies among objects.
fn add_others(hash: &mut Hash, mesh: &Mesh, bounds: &Aabb, rays: &[Ray]) {
    let half = bounds.half_extents() * 0.6;
    let frustum = frustum_around(&Aabb::from_center_half_extents(bounds.min + half, half));
    let mut seen = Vec::new();
    let mut work = QueryStats::default();
    mesh.overlap(&frustum).expect("legal").with_containment().stats(&mut work).collect_into(&mut seen);
    hash.add_stats(work);
    hash.add_all(seen.iter().map(|(index, how)| u64::from(*index) << 1 | *how as u64));
    mesh.leaves(|leaf| {
        hash.add(u64::from(leaf.depth) << 32 | u64::from(leaf.triangles));
        add_point(hash, leaf.bounds.min);
        std::ops::ControlFlow::Continue(())
    });
    let (mut tree, mut random) = (Octree::default(), Random::new(4));
    let placements: Vec<Placement> = (0..30)
        .map(|_| {
            let turn = Quat::from_xyzw(0.25, random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.5);
            Placement::new(turn, random.point(bounds) * 3.0, random.between(0.2, 1.5)).expect("a legal placement")
        })
        .collect();
    for placement in &placements {
        tree.insert(placement.aabb(bounds)).expect("a legal box");
    }
    let view = tree.view();
    let meshes = |handle: Handle| Some((mesh, placements[handle.slot() as usize]));
    let mut hits = Vec::new();
    for ray in rays {
        let mut stats = QueryStats::default();
        view.cast(ray).stats(&mut stats).meshes(meshes).collect_into(&mut hits);
        hash.add_stats(stats);
        let mut stats = QueryStats::default();
        let hit = view.cast(ray).stats(&mut stats).meshes(meshes).closest();
        hash.add_stats(stats);
        for (handle, hit) in hits.iter().copied().chain(hit) {
            hash.add(handle.to_bits());
            add_hit(hash, &hit);
        }
    }
}

/// A box as a frustum, its sides a little tilted.
fn frustum_around(aabb: &Aabb) -> Frustum {
    let plane = |index: usize| {
        let axis = Vec3::AXES[index / 2];
        let (inward, at) = if index.is_multiple_of(2) { (axis, aabb.min) } else { (-axis, aabb.max) };
        let normal = inward + Vec3::new(0.125, -0.0625, 0.25);
        Plane { normal, offset: -normal.dot(at) }
    };
    Frustum::from_planes(std::array::from_fn(plane)).expect("directed planes")
}

pub(crate) fn hash_of(name: &'static str) -> u64 {
    let model = Model::by_name(name, TRIANGLES, 1).expect("a model");
    let mesh = Mesh::from_indexed(model.positions(), model.indices()).expect("a legal model");
    let (mut hash, bounds, rays) = (Hash::new(), model.bounds(), rays(&model));
    add_rays(&mut hash, &mesh, &rays);
    add_places(&mut hash, &mesh, &bounds);
    add_others(&mut hash, &mesh, &bounds, &rays);
    hash.0
}

#[test]
fn answers_of_meshes_are_pinned() {
    expect(PINNED, Model::NAMES.map(|name| (name, hash_of(name))));
}
