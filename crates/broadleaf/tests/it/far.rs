//! A few objects far from all others leave the cells of the others as they are, and what comes between finds a place.

use crate::support::{agree, nodes, oracle_of, pool, work};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Octree, Ray, Scratch, Threads, query::Viewpoint};
use workloads::Random;

/// Unit boxes at such places.
fn boxes(places: impl IntoIterator<Item = Vec3>) -> Vec<Aabb> {
    places.into_iter().map(|place| Aabb::from_center_half_extents(place, Vec3::splat(0.5))).collect()
}

/// Places along a road, across the planes through the origin.
fn road(random: &mut Random, count: usize) -> Vec<Vec3> {
    (0..count).map(|_| random.signed() * Vec3::new(2000.0, 1.0, 1.0)).collect()
}

fn built(boxes: &[Aabb]) -> (Octree, Vec<Handle>) {
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.insert_many(boxes, &mut handles).unwrap();
    tree.validate().unwrap();
    (tree, handles)
}

#[test]
fn a_few_far_objects_cost_the_questions_about_the_others_little() {
    let mut random = Random::new(5);
    let mut world = boxes(road(&mut random, 3000));
    let around: Vec<Aabb> = world.iter().step_by(10).map(|aabb| aabb.expanded(3.0)).collect();
    let visited = |world: &[Aabb]| {
        let (mut tree, _) = built(world);
        let view = tree.view();
        let boxes = work(|stats| around.iter().for_each(|aabb| _ = view.overlap(aabb).unwrap().stats(stats).count()));
        let pairs = work(|stats| _ = view.pairs(&mut Scratch::new()).stats(stats).count());
        (boxes.nodes_visited, pairs.objects_tested)
    };
    let alone = visited(&world);
    for far in [1, 20] {
        world.truncate(3000);
        world.extend(boxes((0..far).map(|_| random.signed() * 1e5)));
        let (nodes, tested) = visited(&world);
        assert!(nodes < 3 * alone.0, "{far} far: a box visits {nodes} nodes, {} without", alone.0);
        assert!(tested < alone.1 * 5 / 4, "{far} far: pairs test {tested} objects, {} without", alone.1);
    }
}

#[test]
fn regression_a_far_object_that_comes_first_does_not_share_an_octant_with_some_of_the_others() {
    let mut random = Random::new(7);
    for _ in 0..100 {
        // A plane, denser along its middle: some of it lies outside what most of a sample spans.
        let size = Vec3::new(random.between(100.0, 900.0), 3.0, random.between(100.0, 900.0));
        let plane = (0..1000).map(|_| random.signed() * size * Vec3::new(random.unit().max(0.5), 1.0, 1.0));
        let mut world = boxes(plane);
        let far = random.signed() * 1e5 + random.signed().signum() * 5e4;
        world.insert(0, boxes([far])[0]);
        let (mut tree, _) = built(&world);
        // Rays that start between the far object and the others, and meet neither.
        let view = tree.view();
        let rays = (0..50).map(|_| Ray::new(far * (0.2 + 0.6 * random.unit()), random.signed().cross(far)).unwrap());
        let rays: Vec<Ray> = rays.collect();
        let visited = work(|stats| rays.iter().for_each(|ray| _ = view.cast(ray).stats(stats).closest()));
        assert_eq!((visited.nodes_visited, visited.hits), (rays.len() as u64, 0), "far at {far}");
    }
}

#[test]
fn a_bulk_build_makes_no_chains_of_branches_with_one_child() {
    let mut random = Random::new(6);
    let groups = |random: &mut Random| {
        let group = [Vec3::ZERO, Vec3::new(9e4, 7.0, -3e3), Vec3::new(9e4, 3e4, 1.0)][random.below(3) as usize];
        group + random.signed() * 20.0
    };
    // Small groups that differ far below where keys end.
    let small = |i: u32, random: &mut Random| {
        let group = Random::new(u64::from(i % 200)).signed() * 9e4;
        Aabb::from_center_half_extents(group + random.signed() * 0.2, Vec3::splat(0.01))
    };
    // So many that threads share a build.
    let worlds = [
        boxes((0..20_000).map(|_| groups(&mut random))),
        boxes(road(&mut random, 20_000).into_iter().chain([Vec3::splat(8e4)])),
        (0..20_000).map(|i| small(i, &mut random)).collect(),
    ];
    for world in worlds {
        let (mut tree, _) = built(&world);
        // Where the keys of a sort end, ten levels down, one branch may have one child; none below it.
        let (mut path, mut single) = (Vec::new(), 0);
        for node in nodes(&mut tree) {
            path.truncate(node.depth as usize);
            let has_one_child = !node.leaf && node.children == 1 && node.objects == 0;
            assert!(!has_one_child || path.last() != Some(&true), "a chain at {:?}", node.cell);
            single += usize::from(has_one_child);
            path.push(has_one_child);
        }
        assert!(single * 4 < tree.counters().nodes_live, "{single} branches have one child");
        pool(2).install(|| {
            let (mut shared, mut handles) = (Octree::default(), Vec::new());
            shared.set_threads(Threads::Pool);
            shared.insert_many(&world, &mut handles).unwrap();
            assert_eq!(shared.state_hash(), tree.state_hash());
            shared.validate().unwrap();
        });
        #[cfg(feature = "snapshot")]
        {
            let mut bytes = Vec::new();
            tree.snapshot_into(&mut bytes);
            assert_eq!(Octree::from_snapshot(&bytes).unwrap().state_hash(), tree.state_hash());
        }
        tree.shift_origin(Vec3::new(40.0, -3.0, 700.0)).unwrap();
        tree.view();
        tree.validate().unwrap();
    }
}

#[test]
fn objects_between_far_groups_find_a_place_and_leave_it() {
    let (low, high) = (Vec3::new(-300.0, 5.0, 1.0), Vec3::new(7e4, -40.0, 9e3));
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let world: Vec<Vec3> = (0..1200).map(|i| [low, high][i % 2] + random.signed() * 12.0).collect();
        let (mut tree, handles) = built(&boxes(world.iter().copied()));
        for frame in 0..12 {
            // Few enough that the tree is not built anew: to places near a group, between both, or beyond them.
            for _ in 0..40 {
                let index = random.below(1200) as usize;
                let reach = [20.0, 60.0, 400.0, 3e3, 9e4][random.below(5) as usize];
                let place = low.lerp(high, random.unit().powi(4)) + random.signed() * reach;
                let place = if random.one_in(2) { world[index] } else { place };
                let size = [0.5, 0.5, 2.0, 90.0][random.below(4) as usize];
                tree.update(handles[index], Aabb::from_center_half_extents(place, Vec3::splat(size))).unwrap();
            }
            let oracle = oracle_of(&tree);
            agree(&mut tree, &oracle);
            assert_eq!(tree.counters().rebuilds, 1, "frame {frame}");
        }
        // And back to where they were, so that what was put between is taken out.
        for (&handle, aabb) in handles.iter().zip(boxes(world.iter().copied())) {
            tree.update(handle, aabb).unwrap();
        }
        let oracle = oracle_of(&tree);
        agree(&mut tree, &oracle);
    }
}

/// The square of a distance from 1.8e19 on is infinite, and nothing is as large.
#[test]
fn regression_what_looks_large_enough_is_seen_at_any_distance() {
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    for distance in [1e3, 1e10, 1e18, 1e20, 1e30] {
        let mut tree = Octree::default();
        let far = Vec3::X * distance;
        tree.insert(Aabb::new(far, far * 1.01)).unwrap();
        tree.validate().unwrap();
        let beyond = distance >= 1.8e19;
        for (size_min, is_seen) in [(0.0, true), (1e-3, true), (0.1, beyond), (1e15, beyond), (f32::MAX, beyond)] {
            let from = Viewpoint::new(Vec3::ZERO, size_min).unwrap();
            let seen = tree.view().overlap(&everywhere).unwrap().seen_from(&from).count();
            assert_eq!(seen == 1, is_seen, "{distance} {size_min}");
        }
    }
}
