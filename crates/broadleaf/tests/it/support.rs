//! What several promises need.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, NodeInfo, Octree, Pair, QueryStats, Scratch};
use std::ops::ControlFlow;
use workloads::Oracle;

/// A cube by its lower corner and its edge.
pub(crate) fn cube(x: f32, y: f32, z: f32, edge: f32) -> Aabb {
    let min = Vec3::new(x, y, z);
    Aabb::new(min, min + edge)
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

/// The objects of a tree, to be compared before and after.
pub(crate) fn contents(tree: &Octree) -> Vec<(Handle, broadleaf::Object)> {
    tree.iter().collect()
}
