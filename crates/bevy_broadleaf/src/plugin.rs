//! The plugin, and the labels of its systems.

use crate::events::{OverlapBegan, OverlapEnded, report_overlaps};
use crate::index::SpatialIndex;
use crate::settings::SpatialSettings;
use crate::sync::{KeptRemovals, Resync, keep_removals, synchronise};
use bevy_app::{App, Last, Plugin, PostUpdate};
use bevy_camera::visibility::VisibilitySystems;
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_transform::TransformSystems;
use broadleaf::{Config, Error, Octree};

/// Keeps a [`SpatialIndex`] of all entities with [`SpatialIndexed`](crate::SpatialIndexed).
///
/// ```
/// use bevy_app::{App, Update};
/// use bevy_broadleaf::{BroadleafPlugin, SpatialBounds, SpatialIndexed, SpatialQuery};
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec3;
/// use bevy_transform::TransformPlugin;
/// use bevy_transform::components::Transform;
///
/// let mut app = App::new();
/// app.add_plugins((TransformPlugin, BroadleafPlugin::default())).add_systems(Update, look);
/// app.world_mut().spawn((SpatialIndexed, SpatialBounds::sphere(1.0), Transform::from_xyz(3.0, 0.0, 0.0)));
/// app.update(); // the entity enters the index in `PostUpdate`
/// app.update();
///
/// fn look(spatial: SpatialQuery) -> Result {
///     if let Some((entity, near)) = spatial.nearest(Vec3::ZERO)?.closest() {
///         assert_eq!(near.distance, 2.0);
///         println!("{entity} is nearest");
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct BroadleafPlugin {
    tree: Octree,
    settings: SpatialSettings,
    schedule: Interned<dyn ScheduleLabel>,
}

impl Default for BroadleafPlugin {
    fn default() -> Self {
        Self::with_tree(Octree::default())
    }
}

impl BroadleafPlugin {
    /// With settings of the tree, which stay as they are.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn new(config: Config) -> Result<Self, Error> {
        Octree::new(config).map(Self::with_tree)
    }

    fn with_tree(tree: Octree) -> Self {
        Self { tree, settings: SpatialSettings::default(), schedule: PostUpdate.intern() }
    }

    /// With these settings at the start. They are a resource, and may change at any time.
    #[must_use]
    pub fn with_settings(self, settings: SpatialSettings) -> Self {
        Self { settings, ..self }
    }

    /// In another schedule than [`PostUpdate`], such as `FixedPostUpdate`: there
    /// [`GlobalTransform`](bevy_transform::components::GlobalTransform) is as of the last frame,
    /// unless the program propagates transforms itself;
    /// [`SpatialBounds::World`](crate::SpatialBounds::World) needs none.
    #[must_use]
    pub fn in_schedule(self, schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), ..self }
    }

    /// Whether the index follows the entities in this schedule.
    pub(crate) fn is_in(&self, schedule: impl ScheduleLabel) -> bool {
        self.schedule == schedule.intern()
    }
}

/// Says what a plugin lacks that reads the index.
///
/// # Panics
/// If there is no [`BroadleafPlugin`].
pub(crate) fn require_index(app: &App, plugin: &str) {
    assert!(app.is_plugin_added::<BroadleafPlugin>(), "{plugin} needs BroadleafPlugin: add that to the app as well");
}

/// The systems of the plugin, in this order.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BroadleafSystems {
    /// Brings the index up to date: after transforms, bounds and inherited visibility, before
    /// visibility is checked.
    Sync,
    /// Reports which overlaps began and ended. Observers run when it is over.
    Events,
}

impl Plugin for BroadleafPlugin {
    fn build(&self, app: &mut App) {
        use BroadleafSystems::{Events, Sync};
        let sync = Sync
            .after(TransformSystems::Propagate)
            .after(VisibilitySystems::CalculateBounds)
            .after(VisibilitySystems::VisibilityPropagate)
            .before(VisibilitySystems::CheckVisibility);
        app.insert_resource(SpatialIndex::new(self.tree.clone()))
            .insert_resource(self.settings)
            .init_resource::<Resync>()
            .init_resource::<KeptRemovals>()
            .add_message::<OverlapBegan>()
            .add_message::<OverlapEnded>()
            .configure_sets(self.schedule, (sync, Events.after(Sync)))
            .add_systems(self.schedule, (synchronise.in_set(Sync), report_overlaps.in_set(Events)));
        if !self.is_in(PostUpdate) {
            app.add_systems(Last, keep_removals);
        }
    }
}
