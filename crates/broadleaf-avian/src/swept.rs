//! The colliders near fast bodies, for avian's swept collision detection.
//!
//! avian sweeps fast bodies against its own trees, which are not kept. Before that system runs,
//! the octree is asked what lies in the way of each fast body, and avian's trees are filled
//! with that alone; afterwards they are emptied again. The condition of a fast body is avian's
//! (`dynamics/ccd/mod.rs`, avian3d 0.8); the boxes asked with are a little larger than avian's.
//!
//! So avian finds the same obstacles, in another order. Its times of impact depend on that order in
//! their last digits: an impact shortens the sweeps against obstacles that come after it.

use std::time::Instant;

use avian3d::collider_tree::{ColliderTreeProxy, ColliderTreeType, ColliderTrees};
use avian3d::dynamics::ccd::CcdFilter;
use avian3d::dynamics::rigid_body::body_size_metrics::BodySizeMetrics;
use avian3d::dynamics::solver::SolverDiagnostics;
use avian3d::dynamics::solver::solver_body::{SolverBodies, SolverBody, SolverBodyIndex};
use avian3d::prelude::*;
use bevy::prelude::*;
use broadleaf::Handle;

use crate::index::{ColliderIndex, Entry, box_of};

type SweptBodies<'w, 's> = Query<
    'w,
    's,
    (
        &'static SolverBodyIndex,
        &'static Position,
        &'static Rotation,
        &'static ComputedCenterOfMass,
        &'static RigidBodyColliders,
        &'static BodySizeMetrics,
        Option<&'static SweptCcd>,
    ),
>;

/// Fills avian's trees with what lies in the way of fast bodies.
#[expect(clippy::too_many_arguments, reason = "parameters of a system")]
pub(crate) fn fill_trees(
    swept: SweptBodies,
    colliders: Query<(&Collider, &Position, &Rotation)>,
    bodies: Res<SolverBodies>,
    index: Res<ColliderIndex>,
    mut trees: ResMut<ColliderTrees>,
    mut near: Local<Vec<Handle>>,
    time: Res<Time>,
    mut diagnostics: ResMut<SolverDiagnostics>,
) {
    let start = Instant::now();
    let Some(view) = index.view() else { return };
    near.clear();
    for (&body, at, turn, center, members, size, ccd) in &swept {
        let Some(body) = bodies.get(body) else { continue };
        let ccd = ccd.copied().unwrap_or_default();
        if !body.flags.is_dynamic() || !is_fast(body, size, &ccd, time.delta_secs()) {
            continue;
        }
        let center = at.0 + turn.0 * center.0;
        for (collider, &at, &turn) in members.iter().filter_map(|member| colliders.get(member).ok()) {
            let end = center + body.delta_position + body.delta_rotation * (at.0 - center);
            let end_turn = (body.delta_rotation * turn.0).normalize();
            let way = box_of(&collider.swept_aabb(at.0, turn, end, end_turn, 0.0));
            // More than what another rounding of the rotation makes.
            let way = way.expanded(1e-3 * (1.0 + way.extents().max_element()));
            let wanted = |handle| index.entry(handle).is_some_and(|entry| filter_of(entry.kind).intersects(ccd.filter));
            if let Ok(question) = view.overlap(&way) {
                question.filter(wanted).for_each(|handle| near.push(handle));
            }
        }
    }
    near.sort_unstable_by_key(|handle| handle.slot());
    near.dedup();
    for &handle in &near {
        if let Some(entry) = index.entry(handle)
            && let Some(object) = view.get(handle)
        {
            let aabb = object.shape.aabb();
            let aabb = ColliderAabb { min: aabb.min.to_array().into(), max: aabb.max.to_array().into() };
            trees.tree_for_type_mut(entry.kind).add_proxy(aabb.into(), proxy(entry));
        }
    }
    diagnostics.swept_ccd += start.elapsed();
}

/// Empties avian's trees.
pub(crate) fn empty_trees(mut trees: ResMut<ColliderTrees>) {
    for tree in trees.iter_trees_mut().filter(|tree| !tree.proxies.is_empty()) {
        *tree = default();
    }
}

/// Whether a body moves so far in a step that avian sweeps it.
fn is_fast(body: &SolverBody, size: &BodySizeMetrics, ccd: &SweptCcd, seconds: f32) -> bool {
    let speed = body.linear_velocity.length() + body.angular_velocity.length() * size.sweep_radius;
    let turned = body.delta_rotation.to_scaled_axis().length() * size.sweep_radius;
    let moved = body.delta_position.length() + turned;
    // A chord is shorter than its arc; the arc, and a little more, leaves no fast body out.
    let motion = moved.max(speed * seconds) * 1.001;
    !ccd.filter.is_empty() && motion > ccd.threshold * size.ccd_thickness
}

fn filter_of(kind: ColliderTreeType) -> CcdFilter {
    match kind {
        ColliderTreeType::Dynamic => CcdFilter::DYNAMIC,
        ColliderTreeType::Kinematic => CcdFilter::KINEMATIC,
        ColliderTreeType::Static => CcdFilter::STATIC,
        ColliderTreeType::Standalone => CcdFilter::STANDALONE,
    }
}

fn proxy(entry: &Entry) -> ColliderTreeProxy {
    let &Entry { collider, body, layers, flags, .. } = entry;
    ColliderTreeProxy { collider, body, layers, flags }
}
