//! Spatial queries answered by the octree, with the methods of avian's `SpatialQuery`.

mod casts;
mod places;

use avian3d::collider_tree::{ColliderTreeDiagnostics, ColliderTreeSystems, ColliderTrees, MovedProxies};
use avian3d::diagnostics::AppDiagnosticsExt;
use avian3d::prelude::*;
use avian3d::spatial_query::SpatialQuerySystems;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use broadleaf::Handle;

use crate::broad_phase::ClearMoved;
use crate::index::ColliderIndex;
use crate::{boxes, casters, swept};

/// Replaces [`ColliderTreePlugin`]: keeps the boxes of colliders, and has the octree answer
/// spatial queries. avian's own trees stay empty.
///
/// Needs [`BroadleafBroadPhasePlugin`](crate::BroadleafBroadPhasePlugin);
/// [`WithBroadleaf::with_broadleaf_queries`](crate::WithBroadleaf::with_broadleaf_queries) adds both.
pub struct OctreeQueryPlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl OctreeQueryPlugin {
    /// Ray and shape casters are served in this schedule, the one that physics runs in.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Plugin for OctreeQueryPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ColliderIndex>().init_resource::<ColliderTrees>().init_resource::<MovedProxies>();
        app.add_observer(boxes::set_first_boxes);
        app.configure_sets(
            PhysicsSchedule,
            ColliderTreeSystems::UpdateAabbs
                .in_set(PhysicsStepSystems::BroadPhase)
                .after(BroadPhaseSystems::First)
                .before(BroadPhaseSystems::CollectCollisions),
        );
        app.add_systems(
            PhysicsSchedule,
            (
                boxes::update_moved.in_set(ColliderTreeSystems::UpdateAabbs),
                swept::fill_trees.after(SolverSystems::Restitution).before(SolverSystems::ContinuousCollision),
                swept::empty_trees.after(SolverSystems::ContinuousCollision).before(SolverSystems::Finalize),
                boxes::update_awake.after(ClearMoved).before(PhysicsStepSystems::Last),
            ),
        );
        app.add_systems(self.schedule, (casters::cast_rays, casters::cast_shapes).after(SpatialQuerySystems));
    }

    fn finish(&self, app: &mut App) {
        // Where avian's own plugin reports how long boxes take.
        app.register_physics_diagnostics::<ColliderTreeDiagnostics>();
    }
}

/// A system parameter for spatial queries: the methods of avian's `SpatialQuery`, answered by
/// the octree.
///
/// The index is as of the end of the last physics step: a collider that was spawned since is
/// not found yet, and one that was removed is not found any more.
///
/// *Order:* of several answers that of the traversal, the same for the same sequence of steps.
/// Of several colliders at the same distance a closest hit names one. A callback that returns
/// `false` ends the query.
///
/// ```
/// # use avian3d::prelude::*;
/// # use bevy::prelude::*;
/// use broadleaf_avian::OctreeQuery;
///
/// fn ground_below(query: OctreeQuery) {
///     let hit = query.cast_ray(Vec3::Y, Dir3::NEG_Y, 100.0, true, &SpatialQueryFilter::default());
///     println!("{hit:?}");
/// }
/// ```
#[derive(SystemParam)]
pub struct OctreeQuery<'w, 's> {
    index: Res<'w, ColliderIndex>,
    colliders: Query<'w, 's, (&'static Position, &'static Rotation, &'static Collider)>,
    aabbs: Query<'w, 's, &'static ColliderAabb>,
}

impl OctreeQuery<'_, '_> {
    /// The index that answers.
    #[must_use]
    pub fn index(&self) -> &ColliderIndex {
        &self.index
    }

    /// The collider of an object, if it is there and is not excluded. Layers are asked of the tree.
    fn accepted(&self, handle: Handle, filter: &SpatialQueryFilter) -> Option<Entity> {
        self.index.collider(handle).filter(|collider| !filter.excluded_entities.contains(collider))
    }
}
