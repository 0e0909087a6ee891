//! What went wrong in other broad phases does not go wrong here: a test for
//! each kind of fault that their users reported.

mod pairs;

use crate::support::{agree, cube, oracle_of, pairs, sorted, work};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Error, Handle, Layers, Mobility, Object, Octree, Pair, PairTracker, Ray, Sphere};
use std::collections::BTreeSet;
use workloads::{Player, Random, Scene};

fn unit() -> Aabb {
    cube(0.0, 0.0, 0.0, 1.0)
}

fn loaded(name: &str, count: u32) -> (Scene, Octree, Player) {
    let scene = Scene::by_name(name, count, 6).expect("a scene");
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).expect("legal objects");
    (scene, tree, player)
}

/// Elsewhere the tree grew with every object ever spawned.
#[test]
fn a_tree_does_not_grow_under_spawn_and_despawn() {
    let (mut tree, mut random) = (Octree::default(), Random::new(5));
    let bounds = cube(-200.0, -200.0, -200.0, 400.0);
    let mut place = || Aabb::from_center_half_extents(random.point(&bounds), Vec3::splat(0.5));
    let mut living: Vec<Handle> = (0..500).map(|_| tree.insert(place()).unwrap()).collect();
    let mut after_warm_up = None;
    for round in 0..600 {
        for turn in 0..100 {
            let at = (round * 100 + turn) % living.len();
            tree.remove(living[at]).unwrap();
            living[at] = tree.insert(place()).unwrap();
        }
        tree.view();
        if round == 300 {
            after_warm_up = Some((tree.memory().total(), tree.iter().map(|(handle, _)| handle.slot()).max()));
        }
    }
    let (bytes, slots) = after_warm_up.expect("enough rounds");
    assert_eq!(tree.iter().map(|(handle, _)| handle.slot()).max(), slots, "60,000 spawned, 500 slots");
    // The places are random, so the most crowded frame may be yet to come.
    assert!(tree.memory().total() <= bytes + bytes / 4, "{bytes} bytes became {}", tree.memory().total());
    tree.validate().unwrap();
}

/// Elsewhere objects on layers that ignore each other were listed first and filtered later.
#[test]
fn masks_prune_nodes_and_pairs_of_no_interest_are_not_listed() {
    let (scene, mut tree, _) = loaded("uniform", 8_000);
    let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).collect();
    let middle = scene.bounds().center().x;
    for &handle in &handles {
        let left = tree.get(handle).expect("it lives").shape.aabb().center().x < middle;
        // The left half ignores itself, and is ignored by the right.
        tree.set_layers(handle, Layers { memberships: if left { 1 } else { 2 }, filters: 2 }).unwrap();
    }
    agree_in_pairs(&mut tree);
    let right = Aabb::new(Vec3::new(middle + 4.0, scene.bounds().min.y, scene.bounds().min.z), scene.bounds().max);
    let (mut found, view) = (Vec::new(), tree.view());
    let everything = work(|stats| view.overlap(&right).unwrap().stats(stats).collect_into(&mut found));
    let masked = work(|stats| view.overlap(&right).unwrap().layers(1).stats(stats).collect_into(&mut found));
    assert!(found.is_empty(), "the left half does not reach there");
    assert!(everything.nodes_visited > 50, "{everything:?}");
    assert!(masked.nodes_visited * 8 < everything.nodes_visited, "{masked:?} of {everything:?}");
}

/// Invariants and pairs, beside an oracle of what the tree holds.
#[track_caller]
fn agree_now(tree: &mut Octree) {
    let oracle = oracle_of(tree);
    agree(tree, &oracle);
}

/// Pairs as brute force has them, for worlds too large to validate often.
#[track_caller]
fn agree_in_pairs(tree: &mut Octree) {
    let oracle = oracle_of(tree);
    let expected: Vec<Pair> = oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect();
    assert_eq!(sorted(pairs(tree)), expected);
}

/// Elsewhere a restored world went another way than the one it was taken of.
#[test]
fn a_world_taken_back_goes_the_same_way_again() {
    for name in ["churn", "pile", "mixed", "bullets"] {
        let (mut scene, mut tree, mut player) = loaded(name, 1_500);
        let mut tracker = PairTracker::new();
        for _ in 0..6 {
            tracker.update(tree.changes());
            player.play(&mut tree, scene.step()).expect("a legal frame");
        }
        let kept = (scene.clone(), tree.clone(), player.clone(), tracker.clone());
        let run = |(mut scene, mut tree, mut player, mut tracker): (Scene, Octree, Player, PairTracker)| {
            let mut story = Vec::new();
            for _ in 0..8 {
                let stats = tracker.update(tree.changes());
                story.push((tracker.begun().to_vec(), tracker.ended().to_vec(), pairs(&mut tree), stats));
                player.play(&mut tree, scene.step()).expect("a legal frame");
            }
            (story, tree.counters())
        };
        let first = run((scene, tree, player, tracker));
        assert!(run(kept) == first, "{name}: a copy goes another way");
        assert!(first.0.iter().any(|(begun, ..)| !begun.is_empty()), "{name}");
    }
}

/// Elsewhere an object at NaN, or far out, made the tree panic, at once or frames later.
#[test]
fn far_and_nan_objects_neither_panic_nor_get_lost() {
    let (mut scene, mut tree, mut player) = loaded("uniform", 600);
    let (victim, mut tracker) = (player.handle(3).expect("it lives"), PairTracker::new());
    let far = [1e7, -1e12, 3e30, f32::MAX];
    for (frame, &reach) in far.iter().cycle().take(12).enumerate() {
        let before = tree.get(victim);
        let nan = Aabb::new(Vec3::new(0.0, f32::NAN, 0.0), Vec3::ONE);
        assert!(matches!(tree.update(victim, nan), Err(Error::NotANumber { .. })), "{:?}", tree.update(victim, nan));
        assert!(tree.insert(Sphere::new(Vec3::splat(f32::NAN), 1.0)).is_err());
        assert_eq!(tree.get(victim), before, "refused, and nothing changed");
        let mut step = scene.step().clone();
        step.moved.retain(|(id, _)| *id != 3);
        player.play(&mut tree, &step).expect("a legal frame");
        let away = Aabb::new(Vec3::splat(reach.min(0.9 * reach)), Vec3::splat(reach.max(0.9 * reach)));
        tree.update(victim, away).unwrap();
        let twin = tree.insert(away).unwrap();
        tracker.update(tree.changes());
        assert!(tracker.begun().contains(&Pair::new(victim, twin)), "frame {frame}: at {reach} they still meet");
        agree_now(&mut tree);
        tree.remove(twin);
    }
}

/// Elsewhere a half-space as large as floats go made a step hang, or met nothing.
#[test]
fn a_half_space_meets_what_it_should() {
    for reach in [f32::MAX, f32::INFINITY] {
        let (mut scene, mut tree, mut player) = loaded("pile", 700);
        let level = scene.bounds().center().y;
        let ground = Aabb::new(Vec3::splat(-reach), Vec3::new(reach, level, reach));
        let ground = tree.insert(Object::new(ground).with_mobility(Mobility::Static)).unwrap();
        let mut tracker = PairTracker::new();
        for frame in 0..6 {
            tracker.update(tree.changes());
            let expected = oracle_of(&tree).pairs();
            let known: BTreeSet<_> = tracker.pairs().iter().map(|pair| (pair.a(), pair.b())).collect();
            assert!(known == expected.iter().copied().collect(), "frame {frame}");
            let on_ground = expected.iter().filter(|(a, b)| *a == ground || *b == ground).count();
            assert!((100..700).contains(&on_ground), "{on_ground} objects reach below {level}");
            player.play(&mut tree, scene.step()).expect("a legal frame");
        }
        let down = Ray::new(Vec3::new(-1e4, level + 9.0, 0.0), Vec3::NEG_Y).unwrap();
        let hit = tree.view().cast(&down).closest().expect("the ground is everywhere");
        assert_eq!((hit.handle, hit.distance), (ground, 9.0));
    }
}

/// Elsewhere questions found nothing until the first step had been made.
#[test]
fn a_ray_hits_before_the_first_step() {
    let mut tree = Octree::default();
    let handle = tree.insert(unit()).unwrap();
    let ray = Ray::new(Vec3::new(-2.0, 0.5, 0.5), Vec3::X).unwrap();
    assert_eq!(tree.view().cast(&ray).closest().map(|hit| hit.handle), Some(handle));
    tree.update(handle, unit().translated(Vec3::Y * 5.0)).unwrap();
    assert_eq!(tree.view().cast(&ray).closest(), None, "nor is the old place hit");
}

/// Elsewhere removing object after object corrupted links, some calls later.
#[test]
fn repeated_removals_corrupt_nothing() {
    for (seed, leaf_capacity) in [(1, 64), (2, 1), (3, 8)] {
        let mut random = Random::new(seed);
        let mut tree = Octree::new(Config { leaf_capacity, ..Config::default() }).unwrap();
        let bounds = cube(0.0, 0.0, 0.0, 12.0);
        let mut living: Vec<Handle> = Vec::new();
        for round in 0..60 {
            for _ in 0..random.below(30) {
                let half = Vec3::splat(random.between(0.0, 1.5));
                living.push(tree.insert(Aabb::from_center_half_extents(random.point(&bounds), half)).unwrap());
            }
            if round % 3 == 0 {
                tree.view();
            }
            for _ in 0..random.below(30) {
                if let Some(at) = u32::try_from(living.len()).ok().filter(|len| *len > 0).map(|len| random.below(len)) {
                    let gone = living.swap_remove(at as usize);
                    assert!(tree.remove(gone).is_some());
                    assert!(tree.remove(gone).is_none(), "removed once");
                    tree.validate().unwrap();
                }
            }
            agree_now(&mut tree);
        }
    }
}

/// Elsewhere a rebuild, or each frame's work, allocated its memory anew.
#[test]
fn rebuilds_keep_to_the_memory_they_have() {
    let (mut scene, mut tree, mut player) = loaded("moving", 5_000);
    let mut turn = |tree: &mut Octree| {
        player.play(tree, scene.step()).expect("a legal frame");
        tree.rebuild();
        tree.view();
        tree.memory().total()
    };
    (0..40).for_each(|_| _ = turn(&mut tree));
    let bytes = turn(&mut tree);
    let most = (0..40).map(|_| turn(&mut tree)).max();
    assert!(most <= Some(bytes + bytes / 50), "{bytes} bytes became {most:?}");
}

/// Elsewhere trees that were only ever updated became slow to ask, rays above all.
#[test]
fn a_churned_tree_answers_with_the_work_of_a_new_one() {
    for name in ["churn", "moving", "teleport", "bullets"] {
        let (mut scene, mut tree, mut player) = loaded(name, 4_000);
        for _ in 0..300 {
            player.play(&mut tree, scene.step()).expect("a legal frame");
            tree.view();
        }
        let (boxes, rays) = (scene.query_boxes(300, 1), scene.query_rays(300, 1));
        let effort = |tree: &mut Octree| {
            let (view, mut found, mut effort) = (tree.view(), Vec::new(), [0, 0]);
            for aabb in &boxes {
                let stats = work(|stats| view.overlap(aabb).unwrap().stats(stats).collect_into(&mut found));
                effort[0] += stats.nodes_visited + stats.objects_tested / 8;
            }
            for ray in &rays {
                let stats = work(|stats| _ = view.cast(ray).stats(stats).closest());
                effort[1] += stats.nodes_visited + stats.objects_tested / 8;
            }
            effort
        };
        let churned = effort(&mut tree);
        let mut new = Octree::default();
        new.insert_many(scene.objects(), &mut Vec::new()).unwrap();
        let fresh = effort(&mut new);
        for (churned, fresh) in churned.into_iter().zip(fresh) {
            assert!(churned < fresh * 3 / 2, "{name}: {churned} of work where a new tree has {fresh}");
        }
    }
}

/// Elsewhere a ray without direction panicked, or in a release hit anything.
#[test]
fn a_ray_without_direction_is_refused() {
    for direction in [Vec3::ZERO, Vec3::splat(-0.0), Vec3::splat(f32::NAN), Vec3::INFINITY] {
        assert!(Ray::new(Vec3::ZERO, direction).is_err(), "{direction}");
        assert!(Ray::segment(Vec3::ONE, Vec3::ONE + direction).is_err(), "{direction}");
    }
    // Short is not without: what does not come to zero has a direction.
    assert!(Ray::new(Vec3::ZERO, Vec3::X * f32::MIN_POSITIVE).is_ok());
}

/// Elsewhere an inverted box, as rounding may make of a thin one, failed an assertion.
#[test]
fn an_inverted_box_is_refused_and_a_flat_one_is_not() {
    let mut tree = Octree::default();
    let handle = tree.insert(unit()).unwrap();
    let inverted = Aabb::new(Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 1.0_f32.next_down(), 1.0));
    assert!(tree.update(handle, inverted).is_err() && tree.insert(inverted).is_err());
    assert_eq!(tree.get(handle), Some(Object::new(unit())));
    let flat = Aabb::new(Vec3::new(0.0, 1.0, 0.0), Vec3::ONE);
    let plate = tree.insert(flat).unwrap();
    assert_eq!(pairs(&mut tree), [Pair::new(handle, plate)], "closed boxes touch");
}

/// Points that halve their distance to a corner with each step: as deep as a tree can get.
fn spiral(levels: u16) -> Vec<Aabb> {
    let point = |level: u16, axis: u16| {
        let mut at = Vec3::ZERO;
        at[usize::from(axis)] = 2.0_f32.powi(17 - i32::from(level));
        Aabb::new(at, at)
    };
    (0..levels).flat_map(|level| (0..3).map(move |axis| point(level, axis))).collect()
}

/// Elsewhere deep trees overflowed stacks of fixed size: a crash, or answers missed in silence.
#[test]
fn deep_trees_overflow_no_stack() {
    for leaf_capacity in [1, 64] {
        for looseness in [1.0, 2.0] {
            let config = Config { leaf_capacity, looseness, smallest_cell: 1.0 / 16.0, ..Config::default() };
            let mut tree = Octree::new(config).unwrap();
            let points = spiral(40);
            let handles: Vec<Handle> = points.iter().map(|&point| tree.insert(point).unwrap()).collect();
            // Something that overlaps everything, at every level.
            let whole = tree.insert(Aabb::new(Vec3::ZERO, Vec3::splat(3e5))).unwrap();
            let large: Vec<Handle> =
                (0..20).map(|l| tree.insert(cube(0.0, 0.0, 0.0, 2.0_f32.powi(l))).unwrap()).collect();
            agree_now(&mut tree);
            let (view, mut found) = (tree.view(), Vec::new());
            for (point, handle) in points.iter().zip(&handles) {
                view.overlap(&point.min).unwrap().collect_into(&mut found);
                assert!(found.contains(handle) && found.contains(&whole));
            }
            let along = Ray::new(Vec3::new(-1.0, 0.0, 0.0), Vec3::X).unwrap();
            let mut hits = Vec::new();
            view.cast(&along).collect_into(&mut hits);
            let on_axis = points.iter().filter(|point| point.min.y == 0.0 && point.min.z == 0.0).count();
            assert_eq!(hits.len(), on_axis + 1 + large.len());
        }
    }
}

/// Elsewhere more than a leaf's worth of points in one place, or on one line, split for ever or panicked.
#[test]
fn points_in_one_place_or_on_one_line_are_no_trouble() {
    let on_line = |direction: Vec3| (0..700_u16).map(move |i| direction * f32::from(i / 7)).collect::<Vec<_>>();
    for points in
        [on_line(Vec3::ZERO), on_line(Vec3::X), on_line(Vec3::ONE * 0.001), on_line(Vec3::new(0.0, -1e4, 3.0))]
    {
        for leaf_capacity in [1, 8, 64] {
            let mut tree = Octree::new(Config { leaf_capacity, ..Config::default() }).unwrap();
            let mut handles = Vec::new();
            let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb::new(point, point)).collect();
            tree.insert_many(&boxes, &mut handles).unwrap();
            agree_in_pairs(&mut tree);
            assert!(pairs(&mut tree).len() >= 700 * 3, "seven at each point at least");
            for (handle, point) in handles.iter().zip(points.iter().rev()) {
                tree.update(*handle, Sphere::new(*point, 0.0)).unwrap();
            }
            agree_now(&mut tree);
        }
    }
}

/// Elsewhere the world was as large as it was made, and what left it was lost.
#[test]
fn a_world_grows_by_itself_and_loses_nobody() {
    let (mut tree, mut tracker) = (Octree::default(), PairTracker::new());
    let walkers: Vec<Handle> = (0..50_u8).map(|i| tree.insert(cube(f32::from(i), 0.0, 0.0, 1.0)).unwrap()).collect();
    for frame in 0..40 {
        let spread = 1.6_f32.powi(frame);
        for (i, &handle) in (0_u8..).zip(&walkers) {
            let sign = if i % 2 == 0 { spread } else { -spread };
            tree.update(handle, cube(f32::from(i) * sign, sign, 0.0, 1.0)).unwrap();
        }
        tracker.update(tree.changes());
        assert_eq!(sorted(tracker.pairs().to_vec()), sorted(pairs(&mut tree)), "frame {frame}");
        agree_now(&mut tree);
    }
}
