//! avian's own broad phase with new pairs in canonical order: what trajectories are compared with.
//!
//! The order of contacts decides the order of the solver's sums. avian's plugin finds the pairs
//! as ever; then the contact graph is set back, and the new pairs are added by the indices of
//! their entities, with the flags that avian gave them.

use avian3d::collision::contact_types::ContactEdgeFlags;
use avian3d::data_structures::pair_key::PairKey;
use avian3d::prelude::*;
use bevy::prelude::*;

pub(crate) struct CanonicalOrderPlugin;

#[derive(Resource, Default)]
struct Before(ContactGraph);

impl Plugin for CanonicalOrderPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Before>();
        app.add_systems(
            PhysicsSchedule,
            (keep.in_set(BroadPhaseSystems::First), reorder.in_set(BroadPhaseSystems::Last)),
        );
    }
}

fn keep(graph: Res<ContactGraph>, mut before: ResMut<Before>) {
    before.0 = graph.clone();
}

fn reorder(mut graph: ResMut<ContactGraph>, mut before: ResMut<Before>) {
    let key = |pair: &ContactPair| (pair.collider1.index_u32(), pair.collider2.index_u32());
    let is_new = |pair: &&ContactPair| !before.0.contains_key(&PairKey::new(key(pair).0, key(pair).1));
    let mut new: Vec<(ContactPair, bool)> = graph
        .active_pairs()
        .iter()
        .filter(is_new)
        .map(|pair| {
            let (edge, _) = graph.get(pair.collider1, pair.collider2).expect("an edge of each pair");
            (pair.clone(), edge.flags.contains(ContactEdgeFlags::CONTACT_EVENTS))
        })
        .collect();
    for (pair, _) in &mut new {
        if key(pair).0 > key(pair).1 {
            std::mem::swap(&mut pair.collider1, &mut pair.collider2);
            std::mem::swap(&mut pair.body1, &mut pair.body2);
        }
    }
    new.sort_by_key(|(pair, _)| key(pair));
    *graph = std::mem::take(&mut before.0);
    for (pair, events) in new {
        let mut edge = ContactEdge::new(pair.collider1, pair.collider2);
        (edge.body1, edge.body2) = (pair.body1, pair.body2);
        edge.flags.set(ContactEdgeFlags::CONTACT_EVENTS, events);
        graph.add_edge_with(edge, |added| {
            (added.body1, added.body2) = (pair.body1, pair.body2);
            added.flags = pair.flags;
        });
    }
}
