//! Broad phase and spatial queries of [avian](avian3d), answered by one broadleaf octree.
//!
//! avian finds pairs of colliders, and answers spatial queries, with bounding volume
//! hierarchies of its own, one for each type of body. This crate puts an [`Octree`] in
//! their place. There are two steps, each one line of an app:
//!
//! | line | pairs | spatial queries | avian's trees |
//! |---|---|---|---|
//! | `PhysicsPlugins::default().with_broadleaf()` | octree | avian's `SpatialQuery` | kept |
//! | `PhysicsPlugins::default().with_broadleaf_queries(FixedPostUpdate)` | octree | [`OctreeQuery`], the same methods | empty |
//!
//! ```
//! use avian3d::prelude::*;
//! use bevy::prelude::*;
//! use broadleaf_avian::WithBroadleaf;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, PhysicsPlugins::default().with_broadleaf()));
//! ```
//!
//! *Pairs* are those of [`BvhBroadPhasePlugin`], by the same rules for layers, sensors, joints
//! and hooks. They are added to the [`ContactGraph`] in the order of their entities' indices,
//! so that the order of contacts does not depend on the state of an index.
//!
//! *Spatial queries:* avian's `SpatialQuery` reads avian's trees, and has no trait that
//! another index could implement. [`OctreeQuery`] is a system parameter with the same
//! methods and answers; `RayCaster` and `ShapeCaster` work as before.
//!
//! *Swept collision detection* of fast bodies reads avian's trees too. Where these are not
//! kept, they hold the colliders near fast bodies for the time of that one system.
#![forbid(unsafe_code)]

mod boxes;
mod broad_phase;
mod casters;
mod index;
mod lifecycle;
mod pairs;
mod queries;
mod swept;

pub use broad_phase::BroadleafBroadPhasePlugin;
pub use index::ColliderIndex;
pub use queries::{OctreeQuery, OctreeQueryPlugin};

use avian3d::PhysicsPluginsWithHooks;
use avian3d::prelude::*;
use bevy::app::PluginGroupBuilder;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::ecs::system::SystemParamItem;
use bevy::prelude::*;
#[cfg(doc)]
use broadleaf::Octree;

/// Puts broadleaf into a group of avian's plugins.
pub trait WithBroadleaf: PluginGroup + Sized {
    /// Replaces avian's broad phase. avian's own trees remain, for its spatial queries.
    fn with_broadleaf(self) -> PluginGroupBuilder;

    /// Replaces avian's broad phase and its trees: spatial queries go to [`OctreeQuery`].
    ///
    /// `schedule` is the one that the group's physics runs in: `FixedPostUpdate`, unless the
    /// group was made with [`PhysicsPlugins::new`].
    fn with_broadleaf_queries(self, schedule: impl ScheduleLabel) -> PluginGroupBuilder {
        self.with_broadleaf().disable::<ColliderTreePlugin<Collider>>().add(OctreeQueryPlugin::new(schedule))
    }
}

impl WithBroadleaf for PhysicsPlugins {
    fn with_broadleaf(self) -> PluginGroupBuilder {
        self.build().disable::<BvhBroadPhasePlugin>().add(BroadleafBroadPhasePlugin::<()>::default())
    }
}

impl<H: CollisionHooks + 'static> WithBroadleaf for PhysicsPluginsWithHooks<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn with_broadleaf(self) -> PluginGroupBuilder {
        self.build().disable::<BvhBroadPhasePlugin<H>>().add(BroadleafBroadPhasePlugin::<H>::default())
    }
}
