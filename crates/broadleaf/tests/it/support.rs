//! What several promises need.

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Config, Handle, Layers, Mobility, Object, Octree, Pair, QueryStats, Scratch, Shape, Sphere, inspect::NodeInfo,
};
use std::ops::ControlFlow;
use workloads::oracle::Selection;
use workloads::{Oracle, Random, Scene};

/// A cube by its lower corner and its edge.
pub(crate) fn cube(x: f32, y: f32, z: f32, edge: f32) -> Aabb {
    let min = Vec3::new(x, y, z);
    Aabb::new(min, min + edge)
}

/// A tree that is up to date, with so many objects of a scene.
pub(crate) fn populated(name: &str, count: u32) -> (Octree, Vec<Handle>) {
    let mut tree = Octree::default();
    let mut handles = Vec::new();
    let scene = Scene::by_name(name, count, 8).expect("a scene");
    tree.insert_many(scene.objects(), &mut handles).unwrap();
    tree.view();
    (tree, handles)
}

/// All pairs, in the order of the tree.
pub(crate) fn pairs(tree: &mut Octree) -> Vec<Pair> {
    let mut found = Vec::new();
    tree.view().pairs(&mut Scratch::new()).collect_into(&mut found);
    found
}

/// The work that is added to the statistics handed to a closure.
pub(crate) fn work(ask: impl FnOnce(&mut QueryStats)) -> QueryStats {
    let mut stats = QueryStats::default();
    ask(&mut stats);
    stats
}

/// All nodes, parents before children.
pub(crate) fn nodes(tree: &mut Octree) -> Vec<NodeInfo> {
    let mut nodes = Vec::new();
    tree.view().visit_nodes(|node| {
        nodes.push(node);
        ControlFlow::Continue(())
    });
    nodes
}

/// A pool of so many threads.
pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

/// Sorted, so that it can be compared with the oracle.
pub(crate) fn sorted<T: Ord>(mut found: Vec<T>) -> Vec<T> {
    found.sort_unstable();
    found
}

/// An oracle of the objects that a tree holds.
pub(crate) fn oracle_of(tree: &Octree) -> Oracle {
    let mut oracle = Oracle::new();
    tree.iter().for_each(|(handle, object)| oracle.insert(handle, object));
    oracle
}

/// Checks invariants, objects and pairs.
#[track_caller]
pub(crate) fn agree(tree: &mut Octree, oracle: &Oracle) {
    tree.validate().unwrap();
    assert!(tree.iter().eq(oracle.objects().iter().copied()), "objects differ");
    let expected: Vec<Pair> = oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b)).collect();
    assert_eq!(sorted(pairs(tree)), expected);
    tree.validate().unwrap();
}

/// A visitor that lists answers and stops after so many.
pub(crate) fn listing<T>(list: &mut Vec<T>, count: usize) -> impl FnMut(T) -> ControlFlow<()> + '_ {
    move |answer| {
        list.push(answer);
        if list.len() == count { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The objects of a tree, to be compared before and after.
pub(crate) fn contents(tree: &Octree) -> Vec<(Handle, broadleaf::Object)> {
    tree.iter().collect()
}

/// Boxes and spheres, on a lattice so that they touch, or anywhere; a few that no cell holds.
fn random_shape(random: &mut Random) -> Shape {
    let lattice = random.one_in(2);
    let place = random.signed() * 20.0;
    let place = if lattice { place.round() } else { place };
    let size = [0.0, 0.5, 1.0, 3.0][random.below(4) as usize];
    match random.below(160) {
        0 => Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY.with_y(place.y)).into(),
        1 => Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY).into(),
        2 => Sphere::new(place * 1e9, 1e10).into(),
        choice if choice % 2 == 0 => Sphere::new(place, size).into(),
        _ => Aabb::new(place, place + random.signed().abs() * size).into(),
    }
}

/// A tree that objects were placed in, moved in and removed from, and its
/// oracle: boxes and spheres on several layers, static and moving.
pub(crate) fn random_world(seed: u64, count: usize) -> (Octree, Oracle) {
    let mut random = Random::new(seed);
    let leaf_capacity = [64, 8, 1][random.below(3) as usize];
    let mut tree = Octree::new(Config { leaf_capacity, ..Config::default() }).expect("legal settings");
    let object = |random: &mut Random| {
        let mobility = if random.one_in(3) { Mobility::Static } else { Mobility::Moving };
        let layers = match random.below(3) {
            0 => Layers::ALL,
            _ => Layers { memberships: 1 << random.below(4), filters: random.below(16) },
        };
        Object::new(random_shape(random)).with_mobility(mobility).with_layers(layers)
    };
    let handles: Vec<Handle> = (0..count).map(|_| tree.insert(object(&mut random)).expect("legal")).collect();
    tree.view();
    for &handle in handles.iter().step_by(5) {
        tree.update(handle, random_shape(&mut random)).expect("legal");
    }
    for &handle in handles.iter().skip(1).step_by(9) {
        tree.remove(handle).expect("it lives");
        if random.one_in(2) {
            tree.insert(object(&mut random)).expect("legal");
        }
    }
    tree.view();
    tree.validate().unwrap();
    let oracle = oracle_of(&tree);
    (tree, oracle)
}

/// Selections of objects by each option and by several at once.
pub(crate) fn selections(oracle: &Oracle, random: &mut Random) -> Vec<Selection> {
    let all = Selection::ALL;
    let index = random.below(u32::try_from(oracle.len()).expect("few objects"));
    let exclude = oracle.objects().get(index as usize).map(|(handle, _)| *handle);
    let (layers, only) = (Some(1 << random.below(4)), Some(Mobility::Static));
    vec![
        all,
        Selection { layers, ..all },
        Selection { layers: Some(0), ..all },
        Selection { layers: Some(0b1010), ..all },
        Selection { only, ..all },
        Selection { only: Some(Mobility::Moving), ..all },
        Selection { exclude, ..all },
        Selection { odd: true, ..all },
        Selection { layers: Some(0b11), only, exclude, odd: random.one_in(2) },
    ]
}

/// Asks a query by every terminal, with statistics and without, compares what
/// they say, and returns the answers. The query is written anew for each terminal.
/// Visitors are `dyn`, so that each terminal is compiled once for each type of query.
macro_rules! asked {
    ($query:expr) => {{
        use std::ops::ControlFlow::{Break, Continue};
        let (mut found, mut again) = (Vec::new(), Vec::new());
        $query.collect_into(&mut found);
        // A list that holds something is cleared.
        again.extend(found.first().copied());
        let counted = crate::support::work(|stats| $query.stats(stats).collect_into(&mut again));
        assert_eq!((counted.hits, &again), (found.len() as u64, &found), "collect_into with statistics");
        again.clear();
        $query.for_each(&mut (|answer| again.push(answer)) as &mut dyn FnMut(_));
        assert_eq!(again, found, "for_each");
        again.clear();
        let mut visit = |answer| again.push(answer);
        let counted = crate::support::work(|stats| $query.stats(stats).for_each(&mut visit as &mut dyn FnMut(_)));
        assert_eq!((counted.hits, &again), (found.len() as u64, &found), "for_each with statistics");
        assert_eq!($query.count(), found.len(), "count");
        assert_eq!($query.any(), found.first().copied(), "any");
        for stop in [1, found.len() / 2 + 1, found.len() + 1] {
            again.clear();
            let mut visit = |answer| {
                again.push(answer);
                if again.len() == stop { Break(answer) } else { Continue(()) }
            };
            let visit: &mut dyn FnMut(_) -> std::ops::ControlFlow<_> = &mut visit;
            let flow = $query.try_for_each(visit);
            assert_eq!(again, found[..stop.min(found.len())], "try_for_each until a break");
            assert_eq!(flow, found.get(stop - 1).map_or(Continue(()), |answer| Break(*answer)), "the break");
            again.clear();
            let mut visit = |answer| {
                again.push(answer);
                if again.len() == stop { Err(answer) } else { Ok(()) }
            };
            let mut stats = broadleaf::QueryStats::default();
            let visit: &mut dyn FnMut(_) -> Result<(), _> = &mut visit;
            let result = $query.stats(&mut stats).try_for_each(visit);
            assert_eq!(again, found[..stop.min(found.len())], "try_for_each until an error");
            assert_eq!(result.err(), found.get(stop - 1).copied(), "the error");
        }
        found
    }};
}

/// The same of the objects of a selection.
macro_rules! asked_among {
    ($query:expr, $among:expr) => {{
        let among: workloads::oracle::Selection = $among;
        if among.odd {
            let accepts: &dyn Fn(broadleaf::Handle) -> bool = &|handle| among.accepts(handle);
            crate::support::asked!(workloads::with_options!($query, among).filter(accepts))
        } else {
            crate::support::asked!(workloads::with_options!($query, among))
        }
    }};
}
pub(crate) use asked;
pub(crate) use asked_among;
