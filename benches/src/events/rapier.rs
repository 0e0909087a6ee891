//! rapier3d's broad phase by itself, with its own margin.
//!
//! New bounds are handed over with `set_aabb`, as the engine's own pipeline
//! does at the end of a step; so no time goes into colliders. Without a
//! pipeline, `update` itself runs the optimisation that the last one deferred.
//! Movers may collide with anything, static objects with movers alone.

use super::cases::EventFrame;
use super::{EventSubject, IndexPair, Kept, index_pair};
use broadleaf::{Aabb, Mobility, Object};
use rapier3d::dynamics::{IntegrationParameters, IslandManager, RigidBodySet, SoftBodySet};
use rapier3d::geometry::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, BvhOptimizationStrategy, ColliderBuilder, ColliderHandle,
    ColliderPair, ColliderSet, SharedShape,
};
use rapier3d::parry::bounding_volume::Aabb as ParryAabb;
use rapier3d::parry::math::Vector;

/// The skin of the broad phase around each box, at its default unit of length.
const MARGIN: f32 = 0.04;

/// The broad phase and what it needs beside.
pub(super) struct RapierEvents {
    strategy: BvhOptimizationStrategy,
    parameters: IntegrationParameters,
    broad_phase: BroadPhaseBvh,
    colliders: ColliderSet,
    bodies: RigidBodySet,
    soft_bodies: SoftBodySet,
    islands: IslandManager,
    shape: SharedShape,
    handles: Vec<ColliderHandle>,
    removed: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
}

fn convert(aabb: &Aabb) -> ParryAabb {
    ParryAabb { mins: Vector::from(aabb.min.to_array()), maxs: Vector::from(aabb.max.to_array()) }
}

impl RapierEvents {
    pub(super) fn new(strategy: BvhOptimizationStrategy) -> Self {
        Self {
            strategy,
            parameters: IntegrationParameters::default(),
            broad_phase: BroadPhaseBvh::with_optimization_strategy(strategy),
            colliders: ColliderSet::new(),
            bodies: RigidBodySet::new(),
            soft_bodies: SoftBodySet::new(),
            islands: IslandManager::new(),
            shape: SharedShape::ball(0.5),
            handles: Vec::new(),
            removed: Vec::new(),
            events: Vec::new(),
        }
    }

    fn spawn(&mut self, objects: &[Object]) {
        for object in objects {
            let types = match object.mobility {
                Mobility::Static => ActiveCollisionTypes::default(),
                _ => ActiveCollisionTypes::all(),
            };
            // Its shape is never looked at: bounds are set.
            let collider = ColliderBuilder::new(self.shape.clone()).active_collision_types(types);
            let handle = self.colliders.insert(collider);
            self.broad_phase.set_aabb(&self.parameters, handle, convert(&object.shape.aabb()));
            self.handles.push(handle);
        }
    }

    /// Appends the events of what was removed and set.
    fn update(&mut self) {
        let Self { parameters, broad_phase, colliders, bodies, removed, events, .. } = self;
        broad_phase.update(parameters, colliders, bodies, &[], removed, events);
        removed.clear();
    }

    fn index(&self, handle: ColliderHandle) -> u32 {
        // Slots are used again, so the latest with this handle is meant.
        let index = self.handles.iter().rposition(|known| *known == handle).expect("a handle of this world");
        u32::try_from(index).expect("few objects")
    }

    fn pairs(&self, wanted: impl Fn(&BroadPhasePairEvent) -> Option<ColliderPair>) -> Vec<IndexPair> {
        let reuses = self.handles.iter().enumerate().any(|(index, handle)| handle.into_raw_parts().0 as usize != index);
        let index = |handle: ColliderHandle| if reuses { self.index(handle) } else { handle.into_raw_parts().0 };
        let pairs = self.events.iter().filter_map(wanted);
        pairs.map(|pair| index_pair(index(pair.collider1), index(pair.collider2))).collect()
    }
}

impl EventSubject for RapierEvents {
    fn name(&self) -> &'static str {
        if self.strategy == BvhOptimizationStrategy::None { "rapier3d, unoptimised" } else { "rapier3d" }
    }

    fn load(&mut self, objects: &[Object]) {
        *self = Self::new(self.strategy);
        self.spawn(objects);
        self.update();
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.events.clear();
        for &index in &frame.removed {
            let handle = self.handles[index as usize];
            self.colliders.remove(handle, &mut self.islands, &mut self.bodies, &mut self.soft_bodies, false);
            self.removed.push(handle);
        }
        if !frame.removed.is_empty() && !frame.spawned.is_empty() {
            // A slot that is used again must not meet its own removal.
            self.update();
        }
        self.spawn(&frame.spawned);
        for (&index, aabb) in frame.moved.iter().zip(&frame.boxes) {
            self.broad_phase.set_aabb(&self.parameters, self.handles[index as usize], convert(aabb));
        }
        self.update();
        self.events.len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        self.pairs(|event| match event {
            BroadPhasePairEvent::AddPair(pair) => Some(*pair),
            BroadPhasePairEvent::DeletePair(_) => None,
        })
    }

    fn ended(&self) -> Vec<IndexPair> {
        self.pairs(|event| match event {
            BroadPhasePairEvent::AddPair(_) => None,
            BroadPhasePairEvent::DeletePair(pair) => Some(*pair),
        })
    }

    fn kept(&self) -> Kept {
        Kept::UntilLeft(MARGIN)
    }

    fn ends_removed(&self) -> bool {
        false
    }
}
