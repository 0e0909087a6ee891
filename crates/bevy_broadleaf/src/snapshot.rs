//! Saving and restoring the index, for rollback.

use crate::index::{SpatialIndex, State};
use crate::sync::Resync;
use bevy_ecs::prelude::*;

/// The state of the index at the end of a frame: the tree, the overlaps that were reported, and
/// which entity is which object.
///
/// A program that plays frames again saves its components and this, and later restores both. The
/// next synchronisation then looks at all entities, so that whatever the program did not restore
/// is found; where everything was, the frames are played again bit for bit: the same answers in
/// the same order, the same events, the same [`SpatialIndex::state_hash`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_broadleaf::SpatialSnapshot;
/// # use bevy_broadleaf::SpatialIndex;
/// # let mut world = World::new();
/// # world.init_resource::<SpatialIndex>();
/// let mut snapshot = SpatialSnapshot::default();
/// snapshot.save(&world);
/// // Frames pass. Then, after the transforms have been restored:
/// snapshot.restore(&mut world);
/// ```
///
/// After [`restore`](Self::restore), [`inserted`](SpatialIndex::inserted), [`moved`](SpatialIndex::moved)
/// and [`removed`](SpatialIndex::removed) describe changes since the restored frame, not since the
/// frame before `restore`. What follows them, such as a renderer, must read all entities once.
/// Overlap events that were sent in discarded frames are not taken back; the frames that are played
/// again send their events again.
///
/// A snapshot into which nothing was saved restores nothing.
#[derive(Debug, Clone, Default)]
pub struct SpatialSnapshot {
    state: State,
    is_saved: bool,
}

impl SpatialSnapshot {
    /// Saves the index of a world; without allocation if a snapshot as large was in it. Without
    /// the plugin there is nothing to save.
    ///
    /// *Cost:* that of copying the tree.
    pub fn save(&mut self, world: &World) {
        if let Some(index) = world.get_resource::<SpatialIndex>() {
            self.state.clone_from(&index.state);
            self.is_saved = true;
        }
    }

    /// Makes the index what it was, and has the next synchronisation look at all entities.
    ///
    /// *Cost:* that of copying the tree.
    pub fn restore(&self, world: &mut World) {
        if !self.is_saved {
            return;
        }
        if let Some(mut index) = world.get_resource_mut::<SpatialIndex>() {
            index.state.clone_from(&self.state);
            world.insert_resource(Resync(true));
        }
    }

    /// The hash of the saved tree: [`SpatialIndex::state_hash`].
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.state.tree.state_hash()
    }
}
