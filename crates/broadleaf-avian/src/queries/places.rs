//! Point projection and intersection tests.

use std::ops::ControlFlow;

use avian3d::collision::collider::contact_query::intersection_test;
use avian3d::prelude::*;
use avian3d::spatial_query::PointProjection;
use bevy::prelude::*;
use broadleaf::{Handle, query::Region};

use super::OctreeQuery;
use crate::index::box_of;

impl OctreeQuery<'_, '_> {
    /// The point of a collider's surface, or inside where `solid`, that is nearest to `point`.
    #[must_use]
    pub fn project_point(&self, point: Vec3, solid: bool, filter: &SpatialQueryFilter) -> Option<PointProjection> {
        self.project_point_predicate(point, solid, filter, &|_| true)
    }

    /// The same, of colliders that the predicate accepts.
    #[must_use]
    pub fn project_point_predicate(
        &self,
        point: Vec3,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Option<PointProjection> {
        let (mut closest, mut closest_sq) = (None, f32::INFINITY);
        let mut exact = |handle| {
            let entity = self.accepted(handle, filter).filter(|&entity| predicate(entity))?;
            let (at, turn, collider) = self.colliders.get(entity).ok()?;
            let (projection, is_inside) = collider.project_point(at.0, *turn, point, solid);
            let distance_sq = (projection - point).length_squared();
            if distance_sq < closest_sq {
                closest_sq = distance_sq;
                closest = Some(PointProjection { entity, point: projection, is_inside });
            }
            Some(distance_sq.sqrt())
        };
        let nearest = self.index.view()?.nearest(broadleaf::glam::Vec3::from(point.to_array())).ok()?;
        let _ = nearest.layers(filter.mask.0).refine(|near| exact(near.handle)).closest();
        closest
    }

    /// All colliders that contain the point.
    #[must_use]
    pub fn point_intersections(&self, point: Vec3, filter: &SpatialQueryFilter) -> Vec<Entity> {
        gather(|found| self.point_intersections_callback(point, filter, found))
    }

    /// Calls back with each collider that contains the point, until that returns `false`.
    pub fn point_intersections_callback(
        &self,
        point: Vec3,
        filter: &SpatialQueryFilter,
        callback: impl FnMut(Entity) -> bool,
    ) {
        let contains = |handle| {
            let entity = self.accepted(handle, filter)?;
            let (at, turn, collider) = self.colliders.get(entity).ok()?;
            collider.contains_point(at.0, *turn, point).then_some(entity)
        };
        self.each_in(&broadleaf::glam::Vec3::from(point.to_array()), filter.mask, contains, callback);
    }

    /// All colliders whose [`ColliderAabb`] overlaps the box.
    #[must_use]
    pub fn aabb_intersections_with_aabb(&self, aabb: ColliderAabb) -> Vec<Entity> {
        gather(|found| self.aabb_intersections_with_aabb_callback(aabb, found))
    }

    /// Calls back with each collider whose [`ColliderAabb`] overlaps the box, until that returns `false`.
    pub fn aabb_intersections_with_aabb_callback(&self, aabb: ColliderAabb, callback: impl FnMut(Entity) -> bool) {
        // The boxes in the tree are enlarged.
        let overlaps = |handle| {
            let entity = self.index.collider(handle)?;
            self.aabbs.get(entity).is_ok_and(|own| own.intersects(&aabb)).then_some(entity)
        };
        self.each_in(&box_of(&aabb), LayerMask::ALL, overlaps, callback);
    }

    /// All colliders that the shape intersects.
    #[must_use]
    pub fn shape_intersections(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: impl Into<Quat>,
        filter: &SpatialQueryFilter,
    ) -> Vec<Entity> {
        let turn = shape_rotation.into();
        gather(|found| self.shape_intersections_callback(shape, shape_position, turn, filter, found))
    }

    /// Calls back with each collider that the shape intersects, until that returns `false`.
    pub fn shape_intersections_callback(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: impl Into<Quat>,
        filter: &SpatialQueryFilter,
        callback: impl FnMut(Entity) -> bool,
    ) {
        let shape_rotation = shape_rotation.into();
        let intersects = |handle| {
            let entity = self.accepted(handle, filter)?;
            let (at, turn, collider) = self.colliders.get(entity).ok()?;
            let test = intersection_test(collider, at.0, *turn, shape, shape_position, shape_rotation);
            test.is_ok_and(|intersects| intersects).then_some(entity)
        };
        self.each_in(&box_of(&shape.aabb(shape_position, shape_rotation, 0.0)), filter.mask, intersects, callback);
    }

    /// Calls back with what `exact` makes of each object in the region.
    fn each_in(
        &self,
        region: &impl Region,
        layers: LayerMask,
        exact: impl Fn(Handle) -> Option<Entity>,
        mut callback: impl FnMut(Entity) -> bool,
    ) {
        let Some(view) = self.index.view() else { return };
        let Ok(question) = view.overlap(region) else { return };
        let _ = question.layers(layers.0).try_for_each(|handle| match exact(handle) {
            Some(entity) if !callback(entity) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
    }
}

/// A list of all that a query calls back with.
fn gather(query: impl FnOnce(&mut dyn FnMut(Entity) -> bool)) -> Vec<Entity> {
    let mut found = Vec::new();
    query(&mut |entity| {
        found.push(entity);
        true
    });
    found
}
