//! The broad phase: pairs of colliders whose enlarged boxes overlap.

use std::marker::PhantomData;
use std::time::Instant;

use avian3d::collider_tree::{ColliderTrees, MovedProxies};
use avian3d::collision::CollisionDiagnostics;
use avian3d::dynamics::joints::joint_graph::JointGraph;
use avian3d::prelude::*;
use bevy::ecs::system::{StaticSystemParam, SystemParamItem};
use bevy::prelude::*;

use crate::index::ColliderIndex;
use crate::lifecycle::{self, Colliders};
use crate::pairs::{self, NewPair};

/// Replaces [`BvhBroadPhasePlugin`]: finds pairs with an octree, [`ColliderIndex`].
///
/// [`WithBroadleaf::with_broadleaf`](crate::WithBroadleaf::with_broadleaf) puts it in the place of avian's.
///
/// It reads which colliders left their enlarged boxes from avian's [`MovedProxies`], and asks
/// the octree for their pairs.
pub struct BroadleafBroadPhasePlugin<H: CollisionHooks = ()>(PhantomData<H>);

impl<H: CollisionHooks> Default for BroadleafBroadPhasePlugin<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H: CollisionHooks + 'static> Plugin for BroadleafBroadPhasePlugin<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn build(&self, app: &mut App) {
        // Without avian's own trees, these stay empty.
        app.init_resource::<ColliderIndex>().init_resource::<ColliderTrees>().init_resource::<MovedProxies>();
        lifecycle::observe(app);
        app.add_systems(
            PhysicsSchedule,
            (follow_trees, collect_pairs::<H>).chain().in_set(BroadPhaseSystems::CollectCollisions),
        );
        app.add_systems(
            PhysicsSchedule,
            clear_moved.after(PhysicsStepSystems::Finalize).before(PhysicsStepSystems::Last).in_set(ClearMoved),
        );
    }
}

/// Forgets which colliders moved, after their pairs have been found.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClearMoved;

fn clear_moved(mut index: ResMut<ColliderIndex>) {
    index.moved.clear();
}

/// Takes over the colliders that avian's trees list as moved.
fn follow_trees(
    trees: Res<ColliderTrees>,
    moved: Res<MovedProxies>,
    colliders: Colliders,
    mut index: ResMut<ColliderIndex>,
    mut diagnostics: ResMut<CollisionDiagnostics>,
) {
    let start = Instant::now();
    colliders.refresh(&mut index);
    for &key in moved.proxies() {
        if let Some(proxy) = trees.get_proxy(key)
            && let Some(enlarged) = colliders.enlarged(proxy.collider)
        {
            index.stage(proxy.collider, &enlarged);
        }
    }
    index.commit();
    diagnostics.broad_phase += start.elapsed();
}

fn collect_pairs<H: CollisionHooks>(
    mut index: ResMut<ColliderIndex>,
    mut found: Local<Vec<NewPair>>,
    hooks: StaticSystemParam<H>,
    mut commands: Commands,
    mut graph: ResMut<ContactGraph>,
    joints: Res<JointGraph>,
    mut diagnostics: ResMut<CollisionDiagnostics>,
) where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let start = Instant::now();
    pairs::collect(&mut index, &graph, &joints, &mut found);
    pairs::filter(&mut found, &hooks.into_inner(), &mut commands);
    pairs::add(&found, &mut graph);
    diagnostics.broad_phase += start.elapsed();
}
