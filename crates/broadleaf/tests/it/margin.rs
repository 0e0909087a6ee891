//! With a margin, pairs and events are those of the fattened shapes: none
//! that touches in truth is missed, and the tree is left alone while objects
//! stay in their fat bounds.

use crate::support::{oracle_of, pairs, sorted};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Margin, Object, Octree, Pair, PairTracker, Shape, Sphere};
use workloads::{Oracle, Player, Scene};

fn fat_tree(absolute: f32, relative: f32) -> Octree {
    Octree::new(Config { margin: Margin { absolute, relative }, ..Config::default() }).expect("legal settings")
}

/// An oracle of the shapes that the tree keeps; checks each against the shape it is of.
fn kept_oracle(tree: &mut Octree, margin: Margin) -> Oracle {
    let view = tree.view();
    let mut oracle = Oracle::new();
    for (handle, object) in oracle_of_view(view) {
        let kept = view.fat_shape(handle).expect("it lives");
        let (inner, outer) = (object.shape.aabb(), kept.aabb());
        assert!(outer.contains(&inner), "{outer:?} does not hold {inner:?}");
        let edge = inner.extents().max_element();
        let most = 3.001 * (margin.absolute + margin.relative * edge) + 1e-5 * outer.max.abs().max_element();
        let room = (inner.min - outer.min).max(outer.max - inner.max);
        assert!(!edge.is_finite() || room.max_element() <= most, "{outer:?} is too large for {inner:?}");
        oracle.insert(handle, Object { shape: kept, ..object });
    }
    oracle
}

fn oracle_of_view(view: broadleaf::View<'_>) -> Vec<(broadleaf::Handle, Object)> {
    let mut found = Vec::new();
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    view.overlap(&everywhere).expect("a legal box").collect_into(&mut found);
    let mut found: Vec<_> = found.into_iter().map(|handle| (handle, view.get(handle).expect("it lives"))).collect();
    found.sort_unstable_by_key(|(handle, _)| *handle);
    found
}

#[test]
fn pairs_are_those_of_the_fattened_shapes_and_none_that_touches_is_missed() {
    for (name, absolute, relative) in
        [("pile", 0.1, 0.0), ("shapes", 0.05, 0.1), ("mixed", 0.0, 0.125), ("city", 0.3, 0.0)]
    {
        let mut scene = Scene::by_name(name, 700, 8).expect("a scene");
        let (mut tree, mut player) = (fat_tree(absolute, relative), Player::new());
        let (mut tracker, mut known) = (PairTracker::new(), Vec::new());
        player.load(&mut tree, scene.objects()).expect("legal objects");
        for frame in 0..20 {
            tracker.update(tree.changes());
            tree.validate().unwrap();
            let list =
                |oracle: &Oracle| -> Vec<Pair> { oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect() };
            let kept = list(&kept_oracle(&mut tree, Margin { absolute, relative }));
            assert_eq!(sorted(pairs(&mut tree)), kept, "{name}, frame {frame}");
            assert_eq!(sorted(tracker.pairs().to_vec()), kept, "{name}, frame {frame}");
            let begun: Vec<Pair> = kept.iter().filter(|pair| !known.contains(*pair)).copied().collect();
            assert_eq!(sorted(tracker.begun().to_vec()), begun, "{name}, frame {frame}");
            let exact = list(&oracle_of(&tree));
            let view = tree.view();
            let touching = kept.iter().filter(|pair| view.touches(pair.a(), pair.b()).expect("they live"));
            assert_eq!(touching.copied().collect::<Vec<_>>(), exact, "{name}, frame {frame}");
            assert!(exact.len() <= kept.len());
            known = kept;
            player.play(&mut tree, scene.step()).expect("a legal frame");
        }
    }
}

#[test]
fn small_moves_do_not_touch_the_tree() {
    let mut tree = fat_tree(0.5, 0.0);
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let (a, b) = (tree.insert(unit).unwrap(), tree.insert(Sphere::new(Vec3::splat(9.0), 1.0)).unwrap());
    tree.view();
    let refits = tree.counters().refits;
    for step in 0..10 {
        let offset = Vec3::splat(0.02 * step as f32);
        tree.update(a, unit.translated(offset)).unwrap();
        tree.update_many(&[b], &[Sphere::new(Vec3::splat(9.0) + offset, 1.0)]).unwrap();
        tree.update_many(
            &[a, b],
            &[unit.translated(offset).into(), Shape::from(Sphere::new(Vec3::splat(9.0) + offset, 1.0))],
        )
        .unwrap();
        tree.view();
        assert_eq!(tree.get(a).map(|object| object.shape), Some(Shape::Aabb(unit.translated(offset))));
    }
    assert_eq!(tree.counters().refits, refits);
    tree.update(a, unit.translated(Vec3::X)).unwrap();
    tree.view();
    assert!(tree.counters().refits > refits);
}

#[test]
fn one_call_for_all_keeps_the_fat_shapes_that_single_calls_keep() {
    for (name, absolute, relative) in
        [("uniform", 0.1, 0.0), ("city", 0.0, 0.05), ("spheres", 0.02, 0.05), ("shapes", 0.05, 0.1)]
    {
        let scene = Scene::by_name(name, 500, 8).expect("a scene");
        let mut shapes: Vec<Shape> = scene.objects().iter().map(|object| object.shape).collect();
        let (mut together, mut single) = (fat_tree(absolute, relative), fat_tree(absolute, relative));
        let mut handles = Vec::new();
        single.insert_many(&shapes, &mut handles).unwrap();
        together.insert_many(&shapes, &mut handles).unwrap();
        let (mut stayed, mut left) = (0, 0);
        for frame in 0..12 {
            if frame % 2 == 1 {
                // The slots of the handles do not follow each other.
                handles.reverse();
                shapes.reverse();
            }
            for (index, shape) in shapes.iter_mut().enumerate() {
                let step = Vec3::new(0.03, -0.006, 0.015) * (index * index % 5) as f32;
                *shape = match *shape {
                    Shape::Sphere(ball) if index % 50 == frame => ball.aabb().into(),
                    Shape::Sphere(ball) => Sphere::new(ball.center + step, ball.radius).into(),
                    // In the other scenes no box becomes a sphere here, so that trees without spheres are tested too.
                    Shape::Aabb(aabb) if name == "shapes" && index % 50 == frame + 1 => {
                        Sphere::new(aabb.center(), aabb.half_extents().min_element()).into()
                    }
                    other => other.aabb().translated(step).into(),
                };
            }
            if frame == 6 {
                shapes[3] = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY).into();
                shapes[5] = Sphere::new(Vec3::ONE, 0.5).into();
            }
            let kept = |tree: &mut Octree| -> Vec<_> { handles.iter().map(|&h| tree.view().fat_shape(h)).collect() };
            let before = kept(&mut together);
            // All of them, or three fifths: then blocks are given in part.
            let len = handles.len() * if frame % 3 == 2 { 3 } else { 5 } / 5;
            let (given, shapes) = (&handles[..len], &shapes[..len]);
            if shapes.iter().all(|shape| matches!(shape, Shape::Aabb(_))) {
                let boxes: Vec<Aabb> = shapes.iter().map(Shape::aabb).collect();
                together.update_many(given, &boxes).unwrap();
            } else {
                together.update_many(given, shapes).unwrap();
            }
            given.iter().zip(shapes).for_each(|(&handle, &shape)| single.update(handle, shape).unwrap());
            together.validate().unwrap();
            let after = kept(&mut together);
            assert_eq!(after, kept(&mut single), "{name}, frame {frame}");
            for &handle in &handles {
                assert_eq!(together.get(handle), single.get(handle), "{name}, frame {frame}");
            }
            let same = after.iter().zip(&before).filter(|(after, before)| after == before).count();
            (stayed, left) = (stayed + same, left + handles.len() - same);
        }
        assert!(stayed > 500 && left > 500, "{name}: {stayed} stayed, {left} left");
    }
}

#[test]
fn a_shape_that_shrinks_or_changes_kind_is_fattened_anew() {
    let mut tree = fat_tree(0.1, 0.0);
    let handle = tree.insert(Aabb::new(Vec3::splat(-5.0), Vec3::splat(5.0))).unwrap();
    let mut fat_bounds = |shape: Shape| {
        tree.update(handle, shape).unwrap();
        let view = tree.view();
        view.fat_shape(handle).expect("it lives").aabb()
    };
    let small = fat_bounds(Aabb::new(Vec3::ZERO, Vec3::ONE).into());
    assert_eq!(small, Aabb::new(Vec3::splat(-0.1), Vec3::splat(1.1)));
    assert!(fat_bounds(Sphere::new(Vec3::splat(0.5), 0.2).into()).extents().max_element() < 0.61);
    let plane = fat_bounds(Aabb::new(Vec3::NEG_INFINITY, Vec3::new(f32::INFINITY, 0.0, f32::INFINITY)).into());
    assert_eq!((plane.min, plane.max.x, plane.max.y), (Vec3::NEG_INFINITY, f32::INFINITY, 0.1));
    assert_eq!(fat_bounds(Aabb::new(Vec3::ZERO, Vec3::ONE).into()), small);
}

#[test]
fn a_shift_of_the_origin_keeps_shapes_in_their_fat_bounds() {
    for name in ["shapes", "mixed"] {
        let mut scene = Scene::by_name(name, 400, 8).expect("a scene");
        let margin = Margin { absolute: 0.05, relative: 0.05 };
        let (mut tree, mut player) = (fat_tree(margin.absolute, margin.relative), Player::new());
        let mut tracker = PairTracker::new();
        player.load(&mut tree, scene.objects()).expect("legal objects");
        for shift in [Vec3::splat(64.0), Vec3::new(0.3, -7e3, 1e5), Vec3::new(-1e7, 3.3, 0.0), Vec3::splat(1e-3)] {
            tracker.update(tree.changes());
            player.play(&mut tree, scene.step()).expect("a legal frame");
            let before = oracle_of(&tree);
            tree.shift_origin(shift).expect("a shift within reach");
            tree.validate().unwrap();
            for (handle, object) in oracle_of(&tree).objects() {
                let moved = |shape: Shape| match shape {
                    Shape::Aabb(aabb) => Shape::from(aabb.translated(-shift)),
                    Shape::Sphere(ball) => Sphere::new(ball.center - shift, ball.radius).into(),
                    _ => unreachable!("a shape that is not known here"),
                };
                assert_eq!(Some(object.shape), before.get(*handle).map(|object| moved(object.shape)));
            }
            let list =
                |oracle: &Oracle| -> Vec<Pair> { oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect() };
            tracker.update(tree.changes());
            tree.validate().unwrap();
            assert_eq!(sorted(tracker.pairs().to_vec()), list(&kept_oracle(&mut tree, margin)), "{name}, {shift}");
            assert_eq!(tracker.begun().len() + tracker.persisting().count(), tracker.pairs().len());
        }
    }
}
