//! A backend of Bevy's picking: which entities are under the pointers.

mod narrow;

pub use narrow::{PickHit, PickShape};

use crate::components::Sensor;
use crate::index::SpatialIndex;
use crate::plugin::require_index;
use crate::trace::span;
use bevy_app::{App, Plugin, PreUpdate};
use bevy_asset::{AssetEvent, Assets};
use bevy_camera::Camera;
use bevy_camera::visibility::{RenderLayers, ViewVisibility};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_mesh::Mesh;
use bevy_picking::backend::{PointerHits, ray::RayMap};
use bevy_picking::{Pickable, PickingSystems};
use broadleaf::Scratch;
use core::cell::RefCell;
use core::ops::ControlFlow;
use narrow::{MeshCache, Narrow};

/// Tells Bevy's picking which entities of the index are under the pointers, to the exact shape:
/// the triangles of a mesh, the turned box, or the sphere (see [`PickShape`]).
///
/// It needs Bevy's `DefaultPickingPlugins`, and stands in for its `MeshPickingPlugin`. The index
/// is asked as of the last frame, which is what the user sees.
///
/// # Panics
/// When the app finishes its plugins, if there is no [`BroadleafPlugin`](crate::BroadleafPlugin).
#[derive(Debug, Clone, Copy, Default)]
pub struct SpatialPickingPlugin;

impl Plugin for SpatialPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<SpatialPickingSettings>()
            .init_resource::<MeshCache>()
            .add_systems(PreUpdate, (forget_changed_meshes, find_hits).chain().in_set(PickingSystems::Backend));
    }

    fn finish(&self, app: &mut App) {
        require_index(app, "SpatialPickingPlugin");
    }
}

/// Settings of the picking backend.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpatialPickingSettings {
    /// Whether only entities with [`Pickable`] are picked.
    pub require_markers: bool,
}

/// What is read of an entity that a ray may hit.
#[derive(bevy_ecs::query::QueryData)]
struct Target {
    pickable: Option<&'static Pickable>,
    layers: Option<&'static RenderLayers>,
    visibility: Option<&'static ViewVisibility>,
    is_sensor: Has<Sensor>,
    narrow: Narrow,
}

impl TargetItem<'_, '_> {
    /// Whether a camera may pick the entity: as Bevy's backend for meshes has it. Sensors are
    /// picked only if they are [`Pickable`].
    fn is_wanted(&self, camera: &RenderLayers, settings: &SpatialPickingSettings) -> bool {
        let needs_marker = settings.require_markers || self.is_sensor;
        self.pickable.map_or(!needs_marker, |pickable| pickable.is_hoverable)
            && self.visibility.is_none_or(|visibility| visibility.get())
            && camera.intersects(self.layers.unwrap_or_default())
    }

    /// Whether what lies behind the entity is not picked.
    fn blocks(&self) -> bool {
        self.pickable.is_none_or(|pickable| pickable.should_block_lower)
    }
}

fn forget_changed_meshes(mut changes: MessageReader<AssetEvent<Mesh>>, mut cache: ResMut<MeshCache>) {
    for change in changes.read() {
        if let AssetEvent::Modified { id } | AssetEvent::Removed { id } = change {
            cache.forget(*id);
        }
    }
}

/// What pointers may hit.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    index: Res<'w, SpatialIndex>,
    settings: Res<'w, SpatialPickingSettings>,
    targets: Query<'w, 's, Target>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

/// Working memory, kept for the next frame.
#[derive(Default)]
struct Memory {
    scratch: Scratch,
    /// The exact hits of the entities whose bounds a ray has met so far.
    exact: RefCell<Vec<(Entity, PickHit)>>,
}

fn find_hits(
    scene: Scene,
    rays: Res<RayMap>,
    cameras: Query<(&Camera, Option<&RenderLayers>)>,
    mut cache: ResMut<MeshCache>,
    mut memory: Local<Memory>,
    mut hits: MessageWriter<PointerHits>,
) {
    let _span = span!("broadleaf: picking");
    let Scene { index, settings, targets, meshes } = &scene;
    let Memory { scratch, exact } = &mut *memory;
    for (id, &ray) in rays.iter() {
        let Ok((camera, layers)) = cameras.get(id.camera) else { continue };
        let layers = layers.unwrap_or_default();
        let Ok(question) = index.cast(ray) else { continue };
        exact.get_mut().clear();
        let mut picks = Vec::new();
        let question = question.in_order(scratch);
        let question = question.filter(|entity| targets.get(entity).is_ok_and(|it| it.is_wanted(layers, settings)));
        let question = question.refine(|entity, met| {
            let hit = targets.get(entity).ok()?.narrow.cast(&ray, met, meshes.as_deref(), &mut cache)?;
            exact.borrow_mut().push((entity, hit));
            Some(hit.distance)
        });
        let _ = question.try_for_each(|(entity, _)| {
            if let Some((_, hit)) = exact.borrow().iter().find(|(other, _)| *other == entity) {
                picks.push((entity, hit.data(id.camera)));
            }
            let blocks = targets.get(entity).is_ok_and(|target| target.blocks());
            if blocks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if !picks.is_empty() {
            #[expect(clippy::cast_precision_loss, reason = "orders are small numbers")]
            hits.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}
