//! What a user puts on entities.

use crate::index::SpatialIndex;
use bevy_camera::primitives::Aabb;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_math::Vec3;
use bevy_shape::{Aabb3d, BoundingSphere};
use bevy_transform::components::{GlobalTransform, Transform};
use broadleaf::{Layers, Shape, Sphere};

/// Puts an entity into the [`SpatialIndex`].
///
/// Its bounds are those of [`SpatialBounds`], if it has any, else Bevy's [`Aabb`], placed by
/// [`GlobalTransform`]. An entity without either is not in the index, and neither is one that is
/// hidden (see [`SpatialSettings::index_hidden`](crate::SpatialSettings::index_hidden)).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// # use bevy_broadleaf::{Sensor, SpatialBounds, SpatialIndexed, SpatialLayers, SpatialStatic};
/// # let mut world = World::new();
/// world.spawn((SpatialIndexed, SpatialBounds::cuboid([1.0, 2.0, 1.0]), Transform::from_xyz(0.0, 2.0, 0.0)));
/// world.spawn((SpatialIndexed, SpatialBounds::sphere(3.0), Sensor, SpatialLayers::new(0b01, 0b10)));
/// world.spawn((SpatialIndexed, SpatialBounds::cuboid([50.0, 1.0, 50.0]), SpatialStatic));
/// ```
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq)]
#[component(on_remove = leave)]
#[require(Transform, GlobalTransform)]
pub struct SpatialIndexed;

/// Has the next synchronisation remove an entity.
fn leave(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut index) = world.get_resource_mut::<SpatialIndex>() {
        index.leave(context.entity);
    }
}

/// The bounds of an entity, in place of Bevy's [`Aabb`].
#[derive(Component, Debug, Clone, Copy, PartialEq)]
pub enum SpatialBounds {
    /// In the entity's own space; [`GlobalTransform`] places it.
    Local(Shape),
    /// In world space, such as what a simulation has computed.
    World(Shape),
}

impl SpatialBounds {
    /// A box around the entity's origin, by half of its edges.
    #[must_use]
    pub fn cuboid(half_extents: impl Into<Vec3>) -> Self {
        let half = half_extents.into().to_array();
        Self::Local(broadleaf::Aabb::from_center_half_extents([0.0; 3], half).into())
    }

    /// A sphere around the entity's origin.
    #[must_use]
    pub fn sphere(radius: f32) -> Self {
        Self::Local(Sphere::new([0.0; 3], radius).into())
    }
}

impl From<Aabb3d> for SpatialBounds {
    fn from(aabb: Aabb3d) -> Self {
        Self::Local(broadleaf::Aabb::new(aabb.min.to_array(), aabb.max.to_array()).into())
    }
}

impl From<BoundingSphere> for SpatialBounds {
    fn from(ball: BoundingSphere) -> Self {
        Self::Local(Sphere::new(ball.center.to_array(), ball.radius()).into())
    }
}

/// Bevy's bounds, read once: for entities whose [`Aabb`] must not follow their mesh.
impl From<Aabb> for SpatialBounds {
    fn from(aabb: Aabb) -> Self {
        Aabb3d::from(aabb).into()
    }
}

/// Who overlaps whom: two entities do if the memberships of each share a bit with the filters of
/// the other. Questions ask for memberships alone. Without it an entity is on every layer.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpatialLayers(pub Layers);

impl SpatialLayers {
    /// On the layers `memberships`, looking for the layers `filters`.
    #[must_use]
    pub const fn new(memberships: u32, filters: u32) -> Self {
        Self(Layers::new(memberships, filters))
    }
}

/// An entity that does not move: two of them never overlap, and questions may leave them out or
/// ask for them alone. It may still be moved.
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpatialStatic;

/// Reports the entity's overlaps as events: see [`OverlapBegan`](crate::OverlapBegan).
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OverlapEvents;

/// A trigger volume: reports overlaps as [`OverlapEvents`] does, but not with other sensors, and is
/// left out by the option `without_sensors` of every question.
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sensor;
