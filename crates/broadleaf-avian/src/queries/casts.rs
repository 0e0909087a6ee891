//! Casts of rays and shapes.

use std::ops::ControlFlow;

use avian3d::parry::query::{ShapeCastOptions, cast_shapes};
use avian3d::prelude::*;
use bevy::prelude::*;
use broadleaf::{Handle, Ray, Sweep};

use super::OctreeQuery;
use crate::index::box_of;

/// Shape casts go no farther: the time along a cast is a fraction of its reach.
const REACH_MAX: f32 = 1e18;

impl OctreeQuery<'_, '_> {
    /// The closest collider that a ray hits. One that contains the origin is hit there if
    /// `solid`, else where the ray leaves it.
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Option<RayHitData> {
        self.cast_ray_predicate(origin, direction, max_distance, solid, filter, &|_| true)
    }

    /// The same, of colliders that the predicate accepts.
    #[must_use]
    pub fn cast_ray_predicate(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Option<RayHitData> {
        let ray = ray(origin, direction, max_distance)?;
        let mut closest: Option<RayHitData> = None;
        let mut exact = |handle| {
            let entity = self.accepted(handle, filter).filter(|&entity| predicate(entity))?;
            let hit = self.ray_hit(entity, origin, direction, max_distance, solid)?;
            if closest.is_none_or(|closest| hit.distance < closest.distance) {
                closest = Some(hit);
            }
            Some(hit.distance)
        };
        let cast = self.index.view()?.cast(&ray).layers(filter.mask.0);
        let _ = cast.refine(|hit| exact(hit.handle)).closest();
        closest
    }

    /// The colliders that a ray hits, in no order of distance, at most `max_hits`.
    #[must_use]
    pub fn ray_hits(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        max_hits: u32,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Vec<RayHitData> {
        gather(max_hits, |found| self.ray_hits_callback(origin, direction, max_distance, solid, filter, found))
    }

    /// Calls back with each collider that a ray hits, until that returns `false`.
    pub fn ray_hits_callback(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
        filter: &SpatialQueryFilter,
        mut callback: impl FnMut(RayHitData) -> bool,
    ) {
        let (Some(view), Some(ray)) = (self.index.view(), ray(origin, direction, max_distance)) else { return };
        let exact = |handle| self.ray_hit(self.accepted(handle, filter)?, origin, direction, max_distance, solid);
        let _ = view.cast(&ray).layers(filter.mask.0).try_for_each(|hit| go_on(exact(hit.handle), &mut callback));
    }

    /// The closest collider that a moving shape hits.
    #[must_use]
    pub fn cast_shape(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: impl Into<Quat>,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
    ) -> Option<ShapeHitData> {
        self.cast_shape_predicate(shape, origin, shape_rotation, direction, config, filter, &|_| true)
    }

    /// The same, of colliders that the predicate accepts.
    #[must_use]
    #[expect(clippy::too_many_arguments, reason = "the parameters of avian's method")]
    pub fn cast_shape_predicate(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: impl Into<Quat>,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Option<ShapeHitData> {
        let cast = ShapeCast { shape, origin, turn: shape_rotation.into(), direction, config };
        let (sweep, reach) = cast.sweep()?;
        let mut closest: Option<ShapeHitData> = None;
        let mut exact = |handle: Handle| {
            let entity = self.accepted(handle, filter).filter(|&entity| predicate(entity))?;
            let hit = self.shape_hit(entity, &cast)?;
            if closest.is_none_or(|closest| hit.distance < closest.distance) {
                closest = Some(hit);
            }
            Some(hit.distance / reach)
        };
        let question = self.index.view()?.cast(&sweep).layers(filter.mask.0);
        let _ = question.refine(|hit| exact(hit.handle)).closest();
        closest
    }

    /// The colliders that a moving shape hits, in no order of distance, at most `max_hits`.
    #[must_use]
    #[expect(clippy::too_many_arguments, reason = "the parameters of avian's method")]
    pub fn shape_hits(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: impl Into<Quat>,
        direction: Dir3,
        max_hits: u32,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
    ) -> Vec<ShapeHitData> {
        let turn = shape_rotation.into();
        gather(max_hits, |found| self.shape_hits_callback(shape, origin, turn, direction, config, filter, found))
    }

    /// Calls back with each collider that a moving shape hits, until that returns `false`.
    #[expect(clippy::too_many_arguments, reason = "the parameters of avian's method")]
    pub fn shape_hits_callback(
        &self,
        shape: &Collider,
        origin: Vec3,
        shape_rotation: impl Into<Quat>,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
        mut callback: impl FnMut(ShapeHitData) -> bool,
    ) {
        let cast = ShapeCast { shape, origin, turn: shape_rotation.into(), direction, config };
        let (Some(view), Some((sweep, _))) = (self.index.view(), cast.sweep()) else { return };
        let exact = |handle| self.shape_hit(self.accepted(handle, filter)?, &cast);
        let _ = view.cast(&sweep).layers(filter.mask.0).try_for_each(|hit| go_on(exact(hit.handle), &mut callback));
    }

    fn ray_hit(
        &self,
        entity: Entity,
        origin: Vec3,
        direction: Dir3,
        max_distance: f32,
        solid: bool,
    ) -> Option<RayHitData> {
        let (at, turn, collider) = self.colliders.get(entity).ok()?;
        let (distance, normal) = collider.cast_ray(at.0, *turn, origin, *direction, max_distance, solid)?;
        Some(RayHitData { entity, distance, normal })
    }

    fn shape_hit(&self, entity: Entity, cast: &ShapeCast) -> Option<ShapeHitData> {
        let (at, turn, collider) = self.colliders.get(entity).ok()?;
        let pose = |at: Vec3, turn: Quat| avian3d::parry::math::Pose::from_parts(at, turn);
        let (pose1, pose2) = (pose(at.0, turn.0), pose(cast.origin, cast.turn));
        let options = ShapeCastOptions {
            max_time_of_impact: cast.config.max_distance,
            target_distance: cast.config.target_distance,
            stop_at_penetration: !cast.config.ignore_origin_penetration,
            compute_impact_geometry_on_penetration: cast.config.compute_contact_on_penetration,
        };
        let (shape1, shape2) = (collider.shape_scaled().as_ref(), cast.shape.shape_scaled().as_ref());
        let hit = cast_shapes(&pose1, Vec3::ZERO, shape1, &pose2, *cast.direction, shape2, options).ok()??;
        Some(ShapeHitData {
            entity,
            distance: hit.time_of_impact,
            point1: pose1 * hit.witness1,
            point2: pose2 * hit.witness2 + cast.direction * hit.time_of_impact,
            normal1: pose1.rotation * hit.normal1,
            normal2: pose2.rotation * hit.normal2,
        })
    }
}

/// A shape and the way it goes.
struct ShapeCast<'a> {
    shape: &'a Collider,
    origin: Vec3,
    turn: Quat,
    direction: Dir3,
    config: &'a ShapeCastConfig,
}

impl ShapeCast<'_> {
    /// The box around the shape as it moves, and how far that is; `None` if it has no such box.
    fn sweep(&self) -> Option<(Sweep, f32)> {
        let reach = self.config.max_distance.min(REACH_MAX);
        let aabb = box_of(&self.shape.aabb(self.origin, self.turn, 0.0)).expanded(self.config.target_distance);
        let sweep = Sweep::aabb(aabb, (self.direction * reach).to_array()).ok()?;
        // Times are fractions of the reach; that of a cast that does not move is any number.
        Some((sweep, if reach > 0.0 { reach } else { 1.0 }))
    }
}

fn ray(origin: Vec3, direction: Dir3, max_distance: f32) -> Option<Ray> {
    Ray::new(origin.to_array(), direction.to_array()).ok()?.with_distance_max(max_distance).ok()
}

/// Calls back with a hit, if it is one.
fn go_on<H>(hit: Option<H>, callback: &mut impl FnMut(H) -> bool) -> ControlFlow<()> {
    match hit.map(callback) {
        Some(false) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    }
}

/// A list of the first hits that a query calls back with.
fn gather<H>(max_hits: u32, query: impl FnOnce(&mut dyn FnMut(H) -> bool)) -> Vec<H> {
    let mut found = Vec::new();
    query(&mut |hit| {
        let room = found.len() < max_hits as usize;
        if room {
            found.push(hit);
        }
        room
    });
    found
}
