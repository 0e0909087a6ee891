//! With [`Config::strict`], objects lie where the classic octree puts them: in
//! the smallest octant that fully contains them; a lone object is not divided
//! further, nor is the smallest region; no child is empty.

use crate::support::{cube, nodes, pairs};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Config, Handle, Mobility, Object, Octree, Pair, Sphere, inspect::NodeInfo};
use std::collections::HashMap;
use workloads::{Random, Scene};

fn strict() -> Octree {
    Octree::new(Config::strict()).expect("legal settings")
}

/// The edge of a node's cell, which must be a cube.
#[track_caller]
fn edge(node: &NodeInfo) -> f32 {
    let extents = node.cell.extents();
    assert_eq!(extents, Vec3::splat(extents.x), "a cell is a cube");
    extents.x
}

/// What an object shows, its box, and the lower corner and the edge of the cell that the rule gives it.
type Row = (&'static str, Aabb, (f32, f32, f32), f32);

/// Objects below a root from 0 to 16 on each axis.
fn scene() -> Vec<Row> {
    let wide = Aabb::new(Vec3::new(7.5, 1.0, 1.0), Vec3::new(8.5, 2.0, 2.0));
    let astride = Aabb::new(Vec3::new(3.0, 5.0, 5.0), Vec3::new(5.0, 6.0, 6.0));
    vec![
        ("too large for any octant", cube(2.0, 2.0, 2.0, 12.0), (0.0, 0.0, 0.0), 16.0),
        ("small, but across the middle of the root", wide, (0.0, 0.0, 0.0), 16.0),
        ("alone in the last octant: not divided further", cube(12.0, 12.0, 12.0, 0.5), (8.0, 8.0, 8.0), 8.0),
        ("across the middle of the first octant", astride, (0.0, 0.0, 0.0), 8.0),
        ("with others in the first octant", cube(1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 4.0),
        ("beside it, in the next octant", cube(5.0, 1.0, 1.0, 1.0), (4.0, 0.0, 0.0), 4.0),
        ("as large as its octant, touching its faces", cube(0.0, 8.0, 0.0, 8.0), (0.0, 8.0, 0.0), 8.0),
        ("one of two in a smallest region", cube(9.125, 1.125, 1.125, 0.125), (9.0, 1.0, 1.0), 1.0),
        ("the other of the two", cube(9.5, 1.5, 1.5, 0.25), (9.0, 1.0, 1.0), 1.0),
    ]
}

/// The cells of the scene that hold no object themselves, between those that do.
const BETWEEN: [((f32, f32, f32), f32); 3] = [((8.0, 0.0, 0.0), 8.0), ((8.0, 0.0, 0.0), 4.0), ((8.0, 0.0, 0.0), 2.0)];

#[test]
fn a_hand_written_scene_lies_as_in_the_article() {
    let mut tree = strict();
    let scene = scene();
    for (_, aabb, ..) in &scene {
        tree.insert(*aabb).unwrap();
    }
    let nodes = nodes(&mut tree);
    assert_eq!(nodes[0].cell, cube(0.0, 0.0, 0.0, 16.0), "the root is a power-of-two cube around everything");
    for (name, _, (x, y, z), edge) in &scene {
        let cell = cube(*x, *y, *z, *edge);
        let expected = scene.iter().filter(|(_, _, corner, other)| (corner, other) == (&(*x, *y, *z), edge)).count();
        let node = nodes.iter().find(|node| node.cell == cell);
        let node = node.unwrap_or_else(|| panic!("{name}: no cell {cell:?} among {nodes:#?}"));
        assert_eq!(node.objects as usize, expected, "{name}");
    }
    for ((x, y, z), edge) in BETWEEN {
        let node = nodes.iter().find(|node| node.cell == cube(x, y, z, edge)).expect("a cell on the way");
        assert!(node.objects == 0 && !node.leaf);
    }
    // Root, first octant with two below it, the two lone octants, and the way to the smallest region.
    let held: u32 = nodes.iter().map(|node| node.objects).sum();
    assert_eq!((nodes.len(), held as usize), (1 + 3 + 2 + BETWEEN.len() + 1, scene.len()));
    tree.validate().unwrap();
}

#[test]
fn a_lone_object_does_not_subdivide() {
    let mut tree = strict();
    let lone = tree.insert(cube(3.25, 3.25, 3.25, 0.5)).unwrap();
    let far = tree.insert(cube(100.0, 100.0, 100.0, 0.5)).unwrap();
    let leaves = |tree: &mut Octree| nodes(tree).iter().filter(|node| node.leaf).map(edge).collect::<Vec<_>>();
    assert_eq!(leaves(&mut tree), [64.0, 64.0], "each has one of the root's octants to itself");
    let near = tree.insert(cube(4.25, 3.25, 3.25, 0.5)).unwrap();
    assert_eq!(leaves(&mut tree), [4.0, 4.0, 64.0], "divided until the two are apart");
    tree.remove(near).unwrap();
    assert_eq!(leaves(&mut tree), [64.0, 64.0], "and joined again");
    tree.remove(far).unwrap();
    assert_eq!(leaves(&mut tree), [128.0], "the root is not divided for a lone object");
    tree.remove(lone).unwrap();
    assert!(nodes(&mut tree).is_empty());
}

/// The rule, written down once more: the nodes in a cell with these objects.
fn rule(cell: Aabb, depth: u32, objects: &[Aabb], out: &mut Vec<(Aabb, u32, usize, bool)>) {
    let half = cell.extents().x / 2.0;
    let middle = cell.center();
    let mut octants: [Vec<Aabb>; 8] = Default::default();
    let mut own = 0;
    let divides = objects.len() > 1 && half >= 1.0;
    for object in objects {
        let above = object.center().cmpge(middle);
        let corner = cell.min + Vec3::select(above, Vec3::splat(half), Vec3::ZERO);
        let octant = Aabb::new(corner, corner + half);
        if divides && octant.contains(object) {
            octants[above.bitmask() as usize].push(*object);
        } else {
            own += 1;
        }
    }
    out.push((cell, depth, own, octants.iter().all(Vec::is_empty)));
    for (octant, objects) in octants.iter().enumerate().filter(|(_, objects)| !objects.is_empty()) {
        let bit = |axis: usize| if octant >> axis & 1 == 1 { half } else { 0.0 };
        let corner = cell.min + Vec3::new(bit(0), bit(1), bit(2));
        rule(Aabb::new(corner, corner + half), depth + 1, objects, out);
    }
}

#[track_caller]
fn obeys_the_rule(tree: &mut Octree) {
    tree.validate().unwrap();
    let nodes = nodes(tree);
    let objects: Vec<Aabb> = tree.iter().map(|(_, object)| object.shape.aabb()).collect();
    let root = nodes.first().map(|node| node.cell);
    let mut expected = Vec::new();
    if let Some(root) = root {
        rule(root, 0, &objects, &mut expected);
    }
    let found: Vec<_> = nodes.iter().map(|node| (node.cell, node.depth, node.objects as usize, node.leaf)).collect();
    assert_eq!(found, expected);
    for node in &nodes {
        let edge = edge(node);
        assert!(edge >= 1.0 && edge.log2().fract() == 0.0, "cells are powers of two, none below the smallest region");
    }
}

#[test]
fn trees_obey_the_rule_while_their_objects_move() {
    for (name, step) in [("mixed", 0.7), ("shapes", 2.0), ("pile", 0.1)] {
        let scene = Scene::by_name(name, 120, 4).expect("a scene");
        let (mut tree, mut random) = (strict(), Random::new(9));
        let mut handles: Vec<Handle> = Vec::new();
        for object in scene.objects() {
            handles.push(tree.insert(*object).unwrap());
            obeys_the_rule(&mut tree);
        }
        for _ in 0..60 {
            for (handle, object) in handles.iter().zip(scene.objects()) {
                if random.one_in(3) {
                    let moved = object.shape.aabb().translated(random.signed() * step);
                    tree.update(*handle, moved).unwrap();
                }
            }
            obeys_the_rule(&mut tree);
        }
        for handle in handles {
            tree.remove(handle).unwrap();
            obeys_the_rule(&mut tree);
        }
    }
}

#[test]
fn a_moving_object_meets_what_is_held_above_it() {
    let mut tree = strict();
    let fixed = |aabb: Aabb| Object::new(aabb).with_mobility(Mobility::Static);
    // Across the middle of the root, so held by the root; it reaches into the first octant.
    let wall = tree.insert(fixed(Aabb::new(Vec3::new(1.0, 1.0, 1.0), Vec3::new(15.0, 2.0, 2.0)))).unwrap();
    let post = tree.insert(fixed(cube(1.0, 1.0, 1.0, 1.0))).unwrap();
    let ball = tree.insert(Sphere::new(Vec3::new(2.25, 2.25, 1.5), 0.5)).unwrap();
    let far = tree.insert(fixed(cube(14.0, 14.0, 14.0, 1.0))).unwrap();
    let held_by_root = nodes(&mut tree)[0];
    assert_eq!((held_by_root.objects, held_by_root.leaf), (1, false), "the wall alone lies in the root");

    let found: HashMap<Pair, ()> = pairs(&mut tree).into_iter().map(|pair| (pair, ())).collect();
    let expected = HashMap::from([(Pair::new(wall, ball), ()), (Pair::new(post, ball), ())]);
    assert_eq!(found, expected, "wall and post overlap too, but neither moves");

    let mut partners = Vec::new();
    tree.view().pairs_of(wall).unwrap().collect_into(&mut partners);
    assert_eq!(partners, [ball]);
    tree.set_mobility(wall, Mobility::Moving).unwrap();
    assert_eq!(pairs(&mut tree).len(), 3, "once it moves, the wall meets the post");
    tree.set_mobility(wall, Mobility::Static).unwrap();
    tree.remove(ball).unwrap();
    assert!(pairs(&mut tree).is_empty() && tree.contains(far));
}
