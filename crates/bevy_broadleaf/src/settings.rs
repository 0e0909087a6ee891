//! The settings that may change while a program runs.

use bevy_ecs::prelude::*;
use broadleaf::Threads;

/// Settings of the plugin. A change takes effect with the next synchronisation.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpatialSettings {
    /// Whether entities stay in the index while they are hidden, by themselves or by a parent.
    pub index_hidden: bool,
    /// Whose overlaps are reported as events.
    pub events: EventScope,
    /// Who builds the tree and finds all pairs: the calling thread, as it is
    /// unless set, or rayon's pool, which is beside Bevy's. The index is the same.
    pub threads: Threads,
}

/// Whose overlaps are reported as events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EventScope {
    /// Nobody's. The overlaps that were reported before end once.
    Nobody,
    /// Those of entities with [`OverlapEvents`](crate::OverlapEvents) or [`Sensor`](crate::Sensor).
    #[default]
    Marked,
    /// Those of all entities.
    Everyone,
}
