//! New pairs: those of the moved objects that are not in the contact graph.
//!
//! The rules are avian's (`bvh_broad_phase.rs`, avian3d 0.8): every moved collider meets all
//! others; layers interact; the bodies differ; no joint forbids it; the hooks agree; a static
//! collider meets another only if the one that moved is a sensor.

use avian3d::collider_tree::{ColliderTreeProxyFlags, ColliderTreeType};
use avian3d::collision::contact_types::ContactEdgeFlags;
use avian3d::data_structures::pair_key::PairKey;
use avian3d::dynamics::joints::joint_graph::JointGraph;
use avian3d::prelude::*;
use bevy::prelude::*;
use broadleaf::{Handle, Scratch, Threads};

use crate::index::{ColliderIndex, Entry};

/// If at most one object in so many moved, each is asked for its partners; else one pass finds all pairs.
const SHARE_OF_PASS: usize = 14;
/// From so many objects on, the pass runs on threads.
const COUNT_FOR_THREADS: usize = 4096;

/// Two colliders, the one with the lower index first.
pub(crate) type NewPair = [Entry; 2];

/// Fills `found` with the new pairs in canonical order: by the indices of the two entities.
pub(crate) fn collect(index: &mut ColliderIndex, graph: &ContactGraph, joints: &JointGraph, found: &mut Vec<NewPair>) {
    found.clear();
    let mut scratch = std::mem::take(&mut index.scratch);
    find(index, &mut scratch, graph, joints, found);
    index.scratch = scratch;
    let key = |pair: &NewPair| pair.map(|entry| entry.collider.index_u32());
    found.sort_unstable_by_key(key);
    found.dedup_by_key(|pair| key(pair));
}

fn find(
    index: &ColliderIndex,
    scratch: &mut Scratch,
    graph: &ContactGraph,
    joints: &JointGraph,
    found: &mut Vec<NewPair>,
) {
    let moved = &index.moved;
    if let Some(view) = index.view()
        && !moved.handles().is_empty()
    {
        let mut take = |a: Handle, b: Handle| found.extend(new_pair(index, a, b, graph, joints));
        if moved.handles().len() * SHARE_OF_PASS <= view.len() {
            for &a in moved.handles() {
                if let Ok(partners) = view.pairs_of(a) {
                    partners.for_each(|b| take(a, b));
                }
            }
        } else {
            let threads = if view.len() >= COUNT_FOR_THREADS { Threads::Pool } else { Threads::One };
            view.pairs(scratch).threads(threads).for_each(|pair| take(pair.a(), pair.b()));
        }
    }
}

/// The pair of two objects that overlap, if it belongs into the contact graph and is not there.
fn new_pair(index: &ColliderIndex, a: Handle, b: Handle, graph: &ContactGraph, joints: &JointGraph) -> Option<NewPair> {
    let asks = |x: Handle, one: &Entry, other: &Entry| {
        let both_static = one.kind == ColliderTreeType::Static && other.kind == ColliderTreeType::Static;
        index.moved.contains(x) && (!both_static || one.is_sensor())
    };
    let (one, two) = (index.entry(a)?, index.entry(b)?);
    if one.body == two.body || !(asks(a, one, two) || asks(b, two, one)) {
        return None;
    }
    if graph.contains_key(&PairKey::new(one.collider.index_u32(), two.collider.index_u32())) {
        return None;
    }
    if let (Some(body1), Some(body2)) = (one.body, two.body)
        && joints.joints_between(body1, body2).any(|edge| edge.collision_disabled)
    {
        return None;
    }
    let (low, high) = if one.collider.index_u32() < two.collider.index_u32() { (one, two) } else { (two, one) };
    Some([*low, *high])
}

/// Leaves out what the hooks of the user refuse.
pub(crate) fn filter(found: &mut Vec<NewPair>, hooks: &impl CollisionHooks, commands: &mut Commands) {
    found.retain(|[one, two]| {
        !one.flags.union(two.flags).contains(ColliderTreeProxyFlags::CUSTOM_FILTER)
            || hooks.filter_pairs(one.collider, two.collider, commands)
    });
}

/// Adds the pairs to the contact graph.
pub(crate) fn add(found: &[NewPair], graph: &mut ContactGraph) {
    for [one, two] in found {
        let flags = one.flags.union(two.flags);
        let mut edge = ContactEdge::new(one.collider, two.collider);
        (edge.body1, edge.body2) = (one.body, two.body);
        edge.flags.set(ContactEdgeFlags::CONTACT_EVENTS, flags.contains(ColliderTreeProxyFlags::CONTACT_EVENTS));
        graph.add_edge_with(edge, |pair| {
            (pair.body1, pair.body2) = (one.body, two.body);
            let modified = flags.contains(ColliderTreeProxyFlags::MODIFY_CONTACTS);
            pair.flags.set(ContactPairFlags::MODIFY_CONTACTS, modified);
            let solid = !flags.intersects(ColliderTreeProxyFlags::BODY_DISABLED | ColliderTreeProxyFlags::SENSOR);
            pair.flags.set(ContactPairFlags::GENERATE_CONSTRAINTS, solid);
        });
    }
}
