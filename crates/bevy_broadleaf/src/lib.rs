//! A spatial index for Bevy, without physics: an octree of entities that follows their transforms.
//!
//! ```
//! use bevy_app::{App, Update};
//! use bevy_broadleaf::{BroadleafPlugin, OverlapBegan, Sensor, SpatialBounds, SpatialIndexed, SpatialQuery};
//! use bevy_ecs::prelude::*;
//! use bevy_math::Vec3;
//! use bevy_shape::BoundingSphere;
//! use bevy_transform::{TransformPlugin, components::Transform};
//!
//! fn spawn(mut commands: Commands) {
//!     commands.spawn((SpatialIndexed, SpatialBounds::cuboid([1.0; 3]), Transform::from_xyz(4.0, 0.0, 0.0)));
//!     // A trigger volume.
//!     let zone = commands.spawn((SpatialIndexed, SpatialBounds::sphere(5.0), Sensor)).id();
//!     commands.entity(zone).observe(|began: On<OverlapBegan>| println!("{} enters", began.other));
//! }
//!
//! fn look(spatial: SpatialQuery) -> Result {
//!     let region = BoundingSphere::new(Vec3::ZERO, 3.0);
//!     spatial.overlap(region)?.without_sensors().for_each(|entity| println!("{entity} is here"));
//!     Ok(())
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((TransformPlugin, BroadleafPlugin::default()));
//! app.add_systems(bevy_app::Startup, spawn).add_systems(Update, look);
//! app.update();
//! ```
//!
//! | to | use |
//! |---|---|
//! | have an entity in the index | [`SpatialIndexed`], with Bevy's `Aabb` or [`SpatialBounds`] |
//! | say who overlaps whom; what does not move | [`SpatialLayers`], [`SpatialStatic`] |
//! | ask what overlaps, what a cast meets, what is nearest | [`SpatialQuery`], see [`query`] |
//! | know which overlaps began and ended | [`OverlapEvents`], [`Sensor`]: [`OverlapBegan`], [`OverlapEnded`] |
//! | know what came, moved and left | [`SpatialIndex::inserted`], [`moved`](SpatialIndex::moved), [`removed`](SpatialIndex::removed) |
//! | cull by the index | [`SpatialCullingPlugin`] |
#![cfg_attr(feature = "picking", doc = "| pick with the pointer | [`SpatialPickingPlugin`], [`PickShape`] |")]
#![cfg_attr(feature = "gizmos", doc = "| see the tree | [`SpatialGizmosPlugin`], [`SpatialGizmos`] |")]
//! | measure | [`SpatialDiagnosticsPlugin`], [`SpatialIndex::report`]; the feature `trace` adds spans of `tracing` |
//! | play frames again | [`SpatialSnapshot`] |
//!
//! The library is re-exported as [`broadleaf`]; the vectors in answers are those of `broadleaf::glam`.
//!
//! *Time:* the index changes once a frame, in [`BroadleafSystems::Sync`]: in `PostUpdate`, after
//! transforms and before visibility is checked, unless [`BroadleafPlugin::in_schedule`] says
//! otherwise. A system in `PostUpdate` that is `.after(BroadleafSystems::Sync)` sees this frame.
//! Before that, questions are answered as of the last frame; an entity that was despawned since is
//! still found.
//!
//! *Order:* changes are applied sorted by entity, so answers, events and
//! [`SpatialIndex::state_hash`] do not depend on the number of threads.
//!
//! *Errors:* bounds that are not legal (a NaN in a transform) change nothing: the entity keeps its
//! former bounds, and [`SpatialIndex::refused`] names it and the reason.

mod components;
mod convert;
mod culling;
mod diagnostics;
mod events;
#[cfg(feature = "gizmos")]
mod gizmos;
mod index;
mod overlaps;
#[cfg(feature = "picking")]
mod picking;
mod plugin;
pub mod query;
mod settings;
mod shape;
mod snapshot;
mod sync;
mod trace;

pub use broadleaf;
pub use components::{OverlapEvents, Sensor, SpatialBounds, SpatialIndexed, SpatialLayers, SpatialStatic};
pub use convert::{BuiltInCast, IntoCast, IntoPlace, IntoRegion};
pub use culling::{CullingReport, SpatialCullingPlugin};
pub use diagnostics::SpatialDiagnosticsPlugin;
pub use events::{OverlapBegan, OverlapEnded};
#[cfg(feature = "gizmos")]
pub use gizmos::{SpatialGizmos, SpatialGizmosPlugin, VisitedBy};
pub use index::{SpatialIndex, SyncReport};
#[cfg(feature = "picking")]
pub use picking::{PickHit, PickShape, SpatialPickingPlugin, SpatialPickingSettings};
pub use plugin::{BroadleafPlugin, BroadleafSystems};
#[doc(inline)]
pub use query::{EntityBatch, SpatialQuery};
pub use settings::{EventScope, SpatialSettings};
pub use snapshot::SpatialSnapshot;
