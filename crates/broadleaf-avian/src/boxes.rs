//! The boxes of colliders, where avian's own trees are not kept.
//!
//! The formulas are avian's (`collider_tree/update.rs`, avian3d 0.8), so that the boxes are
//! equal bit for bit: before a step those of colliders that the user moved, after it those of
//! awake bodies. A box grows by a margin where its collider leaves it, and only then counts as moved.

use std::time::Instant;

use avian3d::collider_tree::{ColliderTreeDiagnostics, ColliderTreeType};
use avian3d::collision::collider::{ColliderAabbMargin, EnlargedAabb};
use avian3d::dynamics::solver::PhysicsLengthUnit;
use avian3d::dynamics::solver::solver_body::SolverBodyIndex;
use avian3d::prelude::*;
use avian3d::schedule::LastPhysicsTick;
use bevy::ecs::system::{SystemChangeTick, SystemParam};
use bevy::prelude::*;
use bevy::utils::Parallel;

use crate::index::ColliderIndex;
use crate::lifecycle::Colliders;

/// What boxes grow by, and where the changed ones are gathered.
#[derive(SystemParam)]
pub(crate) struct Growth<'w, 's> {
    narrow_phase: Res<'w, NarrowPhaseConfig>,
    length_unit: Res<'w, PhysicsLengthUnit>,
    changed: Local<'s, Parallel<Vec<(Entity, ColliderAabb)>>>,
    sorted: Local<'s, Vec<(Entity, ColliderAabb)>>,
}

impl Growth<'_, '_> {
    /// The distance at which the narrow phase predicts contacts.
    fn tolerance(&self) -> f32 {
        self.length_unit.0 * self.narrow_phase.contact_tolerance
    }

    fn margin_of(&self, collider: &Collider) -> ColliderAabbMargin {
        let context = ColliderContext::new(Entity::PLACEHOLDER, &());
        ColliderAabbMargin::from_bounding_radius(collider.bounding_radius_with_context(context), self.length_unit.0)
    }

    /// Hands the changed boxes to the index, in the order of their entities.
    fn stage(&mut self, index: &mut ColliderIndex) {
        self.changed.drain_into(&mut self.sorted);
        self.sorted.sort_unstable_by_key(|(collider, _)| *collider);
        for (collider, aabb) in self.sorted.drain(..) {
            index.stage(collider, &aabb);
        }
        index.commit();
    }
}

type BoxComponents = (
    Entity,
    Ref<'static, Collider>,
    Ref<'static, Position>,
    Ref<'static, Rotation>,
    Option<&'static CollisionMargin>,
    &'static mut ColliderAabb,
    &'static mut EnlargedAabb,
    &'static mut ColliderAabbMargin,
);

/// Gives a new collider its first boxes.
pub(crate) fn set_first_boxes(trigger: On<Add<Collider>>, mut colliders: Query<BoxComponents>, growth: Growth) {
    if let Ok((_, collider, at, turn, gap, mut aabb, mut enlarged, mut margin)) = colliders.get_mut(trigger.entity) {
        *aabb = collider.aabb(at.0, *turn, growth.tolerance() + gap.map_or(0.0, |gap| gap.0));
        *margin = growth.margin_of(&collider);
        enlarged.update(&aabb, margin.0);
    }
}

/// Before a step: the boxes of colliders that were moved since the last one.
pub(crate) fn update_moved(
    mut boxes: ParamSet<(Colliders, Query<BoxComponents, Without<ColliderDisabled>>)>,
    mut growth: Growth,
    mut index: ResMut<ColliderIndex>,
    mut diagnostics: ResMut<ColliderTreeDiagnostics>,
    last_tick: Res<LastPhysicsTick>,
    system_tick: SystemChangeTick,
) {
    let start = Instant::now();
    boxes.p0().refresh(&mut index);
    let (known, tolerance) = (&*index, growth.tolerance());
    let is_new =
        |changed: bevy::ecs::change_detection::Tick| changed.is_newer_than(last_tick.0, system_tick.this_run());
    boxes.p1().par_iter_mut().for_each_init(
        || growth.changed.borrow_local_mut(),
        |changed, (entity, collider, at, turn, gap, mut aabb, mut enlarged, mut margin)| {
            let reshaped = is_new(collider.last_changed());
            if !is_new(at.last_changed()) && !is_new(turn.last_changed()) && !reshaped {
                return;
            }
            *aabb = collider.aabb(at.0, *turn, tolerance + gap.map_or(0.0, |gap| gap.0));
            if reshaped {
                *margin = growth.margin_of(&collider);
            }
            let margin = match known.entry_of(entity).map(|entry| entry.kind) {
                Some(ColliderTreeType::Dynamic | ColliderTreeType::Kinematic) => margin.0,
                Some(ColliderTreeType::Static | ColliderTreeType::Standalone) | None => tolerance,
            };
            if enlarged.update(&aabb, margin) {
                changed.push((entity, enlarged.get()));
            }
        },
    );
    growth.stage(&mut index);
    diagnostics.update += start.elapsed();
}

type AwakeBodies<'w, 's> = Query<
    'w,
    's,
    (
        &'static Position,
        &'static ComputedCenterOfMass,
        &'static LinearVelocity,
        &'static AngularVelocity,
        Option<&'static SpeculativeCcd>,
    ),
    With<SolverBodyIndex>,
>;

/// After a step: the boxes of awake bodies.
pub(crate) fn update_awake(
    bodies: AwakeBodies,
    mut boxes: Query<(BoxComponents, &ColliderOf), Without<ColliderDisabled>>,
    mut growth: Growth,
    time: Res<Time>,
    mut index: ResMut<ColliderIndex>,
    mut diagnostics: ResMut<ColliderTreeDiagnostics>,
) {
    let start = Instant::now();
    let (known, tolerance, seconds) = (&*index, growth.tolerance(), time.delta_secs());
    boxes.par_iter_mut().for_each_init(
        || growth.changed.borrow_local_mut(),
        |changed, ((entity, collider, at, turn, gap, mut aabb, mut enlarged, mut margin), of)| {
            if known.entry_of(entity).is_some_and(|entry| entry.kind == ColliderTreeType::Static) {
                return;
            }
            let Ok((body_at, center, velocity, spin, speculative)) = bodies.get(of.body) else { return };
            let grown = tolerance + gap.map_or(0.0, |gap| gap.0);
            *aabb = match speculative {
                None => collider.aabb(at.0, *turn, grown),
                Some(speculative) => {
                    let velocity = velocity.0 + spin.0.cross((at.0 - body_at.0) - center.0);
                    let motion = (velocity * seconds).clamp_length_max(speculative.max_distance);
                    let end_turn = normalized(Quat::from_scaled_axis(spin.0 * seconds) * turn.0);
                    collider.swept_aabb(at.0, *turn, at.0 + motion, end_turn, grown)
                }
            };
            if collider.is_changed() {
                *margin = growth.margin_of(&collider);
            }
            if enlarged.update(&aabb, margin.0) {
                changed.push((entity, enlarged.get()));
            }
        },
    );
    growth.stage(&mut index);
    diagnostics.update += start.elapsed();
}

/// A rotation of nearly length one, by avian's formula: one step towards the exact root.
fn normalized(turn: Quat) -> Quat {
    turn * (0.5 * (3.0 - turn.length_squared()))
}
