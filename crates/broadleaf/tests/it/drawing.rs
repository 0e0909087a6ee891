//! What is drawn of a tree and of a question is what the tree and the question say of themselves.

use crate::support::{cube, nodes, populated};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::inspect::{self, DrawKind, Drawing, Recorder};
use broadleaf::query::{Place, Region, Viewpoint};
use broadleaf::shape::{Capsule, Obb, Plane};
use broadleaf::{Aabb, Frustum, Octree, QueryStats, Ray, Scratch, Sphere, Sweep, Threads, View};
use workloads::Random;

/// What a recorder has drawn, counted as statistics count it, and forgotten.
fn take(recorder: &mut Recorder) -> (QueryStats, Vec<Drawing>) {
    let (mut work, mut drawings) = (QueryStats::default(), Vec::new());
    recorder.draw(|drawing| {
        match drawing.kind {
            DrawKind::Visited => work.nodes_visited += 1,
            DrawKind::Tested => work.objects_tested += 1,
            DrawKind::Hit => work.hits += 1,
            kind => panic!("{kind:?} is no record of a question"),
        }
        drawings.push(drawing);
    });
    recorder.clear();
    recorder.draw(|drawing| panic!("{drawing:?} was forgotten"));
    (work, drawings)
}

#[test]
fn nodes_are_drawn_as_they_are_visited() {
    let (mut tree, handles) = populated("uniform", 3000);
    let mut tracker = broadleaf::PairTracker::new();
    tracker.update(tree.changes());
    tree.update(handles[7], cube(1.0, 2.0, 3.0, 0.5)).unwrap();
    let nodes = nodes(&mut tree);
    let mut drawn = Vec::new();
    inspect::draw(tree.view(), |drawing| drawn.push(drawing));
    let of = |kind: DrawKind| drawn.iter().filter(move |drawing| drawing.kind == kind).map(|drawing| drawing.aabb);
    assert!(of(DrawKind::Cell).eq(nodes.iter().map(|node| node.cell)));
    assert!(of(DrawKind::Bounds).eq(nodes.iter().filter(|node| node.objects_below > 0).map(|node| node.bounds)));
    let changed = nodes.iter().filter(|node| node.leaf && node.changed && node.objects > 0).map(|node| node.bounds);
    assert!(of(DrawKind::Changed).eq(changed));
    assert!((1..=3).contains(&of(DrawKind::Changed).count()), "one object has moved");
    assert_eq!(drawn.len(), nodes.len() + of(DrawKind::Bounds).count() + of(DrawKind::Changed).count());
}

#[test]
fn boxes_without_an_end_are_left_out() {
    let mut tree = Octree::default();
    tree.insert(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)).unwrap();
    tree.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    let (mut recorder, view) = (Recorder::new(), tree.view());
    inspect::draw(view, |drawing| assert!(drawing.aabb.max.max_element() < 1e30));
    assert_eq!(view.overlap(&recorder.record(&Vec3::ZERO)).unwrap().count(), 2);
    assert!(take(&mut recorder).1.iter().all(|drawing| drawing.aabb.max.max_element() < 1e30));
}

#[test]
fn lines_are_the_edges_of_a_box() {
    let aabb = Aabb::new(Vec3::new(-1.0, 2.0, 5.0), Vec3::new(4.0, 3.0, 7.0));
    let mut edges: Vec<_> = Drawing { kind: DrawKind::Cell, aabb }.lines().to_vec();
    for [from, to] in &edges {
        let is_corner = |at: &Vec3| (0..3).all(|axis| at[axis] == aabb.min[axis] || at[axis] == aabb.max[axis]);
        assert!(is_corner(from) && is_corner(to));
        assert_eq!((0..3).filter(|&axis| from[axis] != to[axis]).count(), 1);
    }
    edges.sort_by_key(|[from, to]| (from.to_array().map(f32::to_bits), to.to_array().map(f32::to_bits)));
    edges.dedup();
    assert_eq!(edges.len(), 12);
}

/// Everything on or below a height: a region of the caller's.
struct Below(f32);

impl Region for Below {
    fn bounds(&self) -> Aabb {
        Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY.with_y(self.0))
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        aabb.min.y <= self.0
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        sphere.center.y - sphere.radius <= self.0
    }
}

/// A recorded question has the answers and the work of the plain one, and draws that work.
fn compare_region(view: View<'_>, region: &impl Region) -> u64 {
    let (mut recorder, mut scratch) = (Recorder::new(), Scratch::new());
    let (mut plain, mut work) = (QueryStats::default(), QueryStats::default());
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    view.overlap(region).unwrap().stats(&mut plain).collect_into(&mut expected);
    let excluded = expected.first().copied();
    view.overlap(&recorder.record(region)).unwrap().stats(&mut work).collect_into(&mut found);
    assert_eq!((&found, work), (&expected, plain));
    let (drawn, drawings) = take(&mut recorder);
    assert_eq!(drawn, plain);
    let hits = drawings.iter().filter(|drawing| drawing.kind == DrawKind::Hit).map(|drawing| drawing.aabb);
    assert!(hits.eq(expected.iter().map(|&handle| view.fat_shape(handle).unwrap().aabb())));

    // A visitor, an option, what is seen, and a question that ends with its first answer.
    found.clear();
    view.overlap(&recorder.record(region)).unwrap().for_each(|handle| found.push(handle));
    assert_eq!((&found, take(&mut recorder).0), (&expected, plain));
    if let Some(handle) = excluded {
        assert_eq!(view.overlap(&recorder.record(region)).unwrap().exclude(handle).count(), expected.len() - 1);
        assert_eq!(take(&mut recorder).0, QueryStats { hits: plain.hits - 1, ..plain });
    }
    let eye = Viewpoint::new(Vec3::ZERO, 0.0).unwrap();
    let seen = view.overlap(&recorder.record(region)).unwrap().seen_from(&eye).front_to_back(&mut scratch).count();
    assert_eq!((seen, take(&mut recorder).0), (expected.len(), plain));
    assert_eq!(view.overlap(&recorder.record(region)).unwrap().any(), excluded);
    assert_eq!(take(&mut recorder).0.hits, u64::from(excluded.is_some()));
    plain.hits
}

#[test]
fn regions_draw_the_work_of_their_question() {
    for scene in ["uniform", "mixed", "city"] {
        let (mut tree, _) = populated(scene, 2000);
        let view = tree.view();
        let (bounds, mut random, mut hits) = (view.bounds().unwrap(), Random::new(5), 0);
        for _ in 0..8 {
            let at = bounds.center() + random.signed() * bounds.half_extents();
            let size = bounds.half_extents().max_element() * random.between(0.05, 0.6);
            let turn = Quat::from_rotation_y(random.between(0.0, 3.0));
            let planes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z]
                .map(|normal| Plane { normal: turn * normal, offset: size - (turn * normal).dot(at) });
            hits += compare_region(view, &at);
            hits += compare_region(view, &Aabb::from_center_half_extents(at, Vec3::splat(size)));
            hits += compare_region(view, &Sphere::new(at, size));
            hits += compare_region(view, &Frustum::from_planes(planes).unwrap());
            hits += compare_region(view, &Obb::new(at, Vec3::new(size, 1.0, size), turn).unwrap());
            hits += compare_region(view, &Capsule::new(at, at + Vec3::X * size, 0.1 * size).unwrap());
            hits += compare_region(view, &Below(at.y));
        }
        assert!(hits > 100, "{scene}");
    }
}

/// The same of a ray.
fn compare_ray(view: View<'_>, ray: &Ray) -> u64 {
    let (mut recorder, mut scratch) = (Recorder::new(), Scratch::new());
    let (mut plain, mut work) = (QueryStats::default(), QueryStats::default());
    let closest = view.cast(ray).stats(&mut plain).closest();
    assert_eq!(view.cast(&recorder.record(ray)).stats(&mut work).closest(), closest);
    let (drawn, _) = take(&mut recorder);
    // The plain question tests all blocks of a leaf before it looks at the distances.
    assert_eq!((drawn, work.nodes_visited, work.hits), (work, plain.nodes_visited, plain.hits));
    assert!(work.objects_tested <= plain.objects_tested);

    let (mut expected, mut found) = (Vec::new(), Vec::new());
    plain = QueryStats::default();
    view.cast(ray).within(20.0).stats(&mut plain).collect_into(&mut expected);
    view.cast(&recorder.record(ray)).within(20.0).collect_into(&mut found);
    assert_eq!((&found, take(&mut recorder).0), (&expected, plain));

    plain = QueryStats::default();
    let first = view.cast(ray).in_order(&mut scratch).stats(&mut plain).any();
    assert_eq!(view.cast(&recorder.record(ray)).in_order(&mut scratch).any(), first);
    assert_eq!(take(&mut recorder).0, plain);

    // What a narrow phase leaves out is no hit.
    let odd = |handle: broadleaf::Handle| handle.slot() % 2 == 1;
    plain = QueryStats::default();
    let refine = |hit: &broadleaf::RayHit| odd(hit.handle).then_some(hit.distance);
    view.cast(ray).refine(refine).stats(&mut plain).collect_into(&mut expected);
    view.cast(&recorder.record(ray)).refine(refine).collect_into(&mut found);
    assert_eq!((&found, take(&mut recorder).0), (&expected, plain));
    plain.hits
}

#[test]
fn casts_draw_the_work_of_their_question() {
    let (mut tree, _) = populated("mixed", 2000);
    let view = tree.view();
    let (bounds, mut random, mut hits) = (view.bounds().unwrap(), Random::new(6), 0);
    for _ in 0..40 {
        let at = || bounds.center();
        let (from, to) =
            (at() + random.signed() * bounds.half_extents(), at() + random.signed() * bounds.half_extents());
        hits += compare_ray(view, &Ray::new(from, to - from).unwrap());

        let (mut recorder, sweep) = (Recorder::new(), Sweep::sphere(Sphere::new(from, 1.0), to - from).unwrap());
        let mut plain = QueryStats::default();
        let closest = view.cast(&sweep).stats(&mut plain).closest();
        assert_eq!(view.cast(&recorder.record(&sweep)).closest(), closest);
        assert_eq!(take(&mut recorder).0, plain);
    }
    assert!(hits > 40);
}

#[test]
fn batches_draw_the_work_of_all_their_questions() {
    let (mut tree, _) = populated("uniform", 2000);
    let (view, mut recorder, mut random) = (tree.view(), Recorder::new(), Random::new(8));
    let bounds = view.bounds().unwrap();
    let rays: Vec<Ray> =
        std::iter::repeat_with(|| Ray::new(bounds.center(), random.signed()).unwrap()).take(300).collect();
    let recorded: Vec<_> = rays.iter().map(|ray| recorder.record(ray)).collect();
    let (mut plain, mut expected, mut found) =
        (QueryStats::default(), broadleaf::Batch::new(), broadleaf::Batch::new());
    view.cast_many(&rays).stats(&mut plain).collect_into(&mut expected);
    view.cast_many(&recorded).threads(Threads::Pool).collect_into(&mut found);
    drop(recorded);
    assert_eq!(found.answers(), expected.answers());
    assert_eq!(take(&mut recorder).0, plain);
}

/// The same of a place.
fn compare_place(view: View<'_>, place: impl Place + Copy) {
    let (mut recorder, mut scratch) = (Recorder::new(), Scratch::new());
    let (mut plain, mut expected, mut found) = (QueryStats::default(), Vec::new(), Vec::new());
    let closest = view.nearest(place).unwrap().stats(&mut plain).closest();
    assert_eq!(view.nearest(recorder.record(&place)).unwrap().closest(), closest);
    assert_eq!(take(&mut recorder).0, plain);

    plain = QueryStats::default();
    view.nearest(place).unwrap().within(30.0).stats(&mut plain).k_into(9, &mut expected);
    view.nearest(recorder.record(&place)).unwrap().within(30.0).k_into(9, &mut found);
    assert_eq!((&found, take(&mut recorder).0), (&expected, plain));

    plain = QueryStats::default();
    let refine = |near: &broadleaf::Neighbor| (near.handle.slot() % 2 == 1).then_some(near.distance);
    view.nearest(place).unwrap().refine(refine).within(9.0).stats(&mut plain).collect_into(&mut expected);
    view.nearest(recorder.record(&place)).unwrap().refine(refine).within(9.0).collect_into(&mut found);
    assert_eq!((&found, take(&mut recorder).0), (&expected, plain));

    plain = QueryStats::default();
    let first = view.nearest(place).unwrap().in_order(&mut scratch).stats(&mut plain).any();
    assert_eq!(view.nearest(recorder.record(&place)).unwrap().in_order(&mut scratch).any(), first);
    assert_eq!(take(&mut recorder).0, plain);
}

#[test]
fn places_draw_the_work_of_their_question() {
    let (mut tree, _) = populated("mixed", 2000);
    let view = tree.view();
    let (bounds, mut random) = (view.bounds().unwrap(), Random::new(7));
    for _ in 0..40 {
        let at = bounds.center() + random.signed() * bounds.half_extents();
        compare_place(view, at);
        compare_place(view, Aabb::new(at, at + 2.0));
    }
}
