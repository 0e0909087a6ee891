//! Overlaps that began and ended, as messages and as events on entities.

use crate::components::{OverlapEvents, Sensor};
use crate::index::SpatialIndex;
use crate::settings::{EventScope, SpatialSettings};
use crate::trace::span;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use broadleaf::{Handle, Pair};
use std::time::Instant;

/// Two entities began to overlap.
///
/// Written once for each pair as a message, and triggered on each of the two that has
/// [`OverlapEvents`](crate::OverlapEvents) or [`Sensor`](crate::Sensor) (on both where all overlaps
/// are reported), as the event's `entity`.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_broadleaf::{OverlapBegan, Sensor, SpatialBounds, SpatialIndexed};
/// fn report(mut began: MessageReader<OverlapBegan>) {
///     for OverlapBegan { entity, other } in began.read() {
///         println!("{entity} meets {other}");
///     }
/// }
/// fn spawn(mut commands: Commands) {
///     let door = (SpatialIndexed, SpatialBounds::sphere(2.0), Sensor);
///     commands.spawn(door).observe(|began: On<OverlapBegan>| println!("{} comes near", began.other));
/// }
/// # bevy_ecs::system::assert_is_system(report);
/// # bevy_ecs::system::assert_is_system(spawn);
/// ```
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OverlapBegan {
    /// One of the two; the target of the event.
    pub entity: Entity,
    /// The other.
    pub other: Entity,
}

/// Two entities no longer overlap: one moved, left the index, or changed its layers.
///
/// As [`OverlapBegan`]. An entity that was despawned is named by the message and is no target.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OverlapEnded {
    /// One of the two; the target of the event.
    pub entity: Entity,
    /// The other; it may be despawned.
    pub other: Entity,
}

type Marked = Or<(With<OverlapEvents>, With<Sensor>)>;

/// The entities that events are triggered on.
#[derive(SystemParam)]
pub(crate) struct Targets<'w, 's> {
    all: Query<'w, 's, ()>,
    marked: Query<'w, 's, (), Marked>,
}

impl Targets<'_, '_> {
    fn contain(&self, entity: Entity, scope: EventScope) -> bool {
        if scope == EventScope::Everyone { self.all.contains(entity) } else { self.marked.contains(entity) }
    }
}

/// Finds what began and ended since the last frame, and reports it.
pub(crate) fn report_overlaps(
    settings: Res<SpatialSettings>,
    targets: Targets,
    mut index: ResMut<SpatialIndex>,
    (mut began, mut ended): (MessageWriter<OverlapBegan>, MessageWriter<OverlapEnded>),
    mut commands: Commands,
    mut left: Local<Vec<(Handle, Entity)>>,
) {
    let start = Instant::now();
    let _span = span!("broadleaf: overlap events");
    let index = &mut *index;
    index.track(settings.events);
    let (overlaps, names) = (&index.state.overlaps, Names::new(index, &mut left));
    for (entity, other) in overlaps.ended().iter().map(|pair| names.of(pair)) {
        ended.write(OverlapEnded { entity, other });
        for (entity, other) in [(entity, other), (other, entity)] {
            if targets.contain(entity, settings.events) {
                commands.trigger(OverlapEnded { entity, other });
            }
        }
    }
    for (entity, other) in overlaps.begun().iter().map(|pair| names.of(pair)) {
        began.write(OverlapBegan { entity, other });
        for (entity, other) in [(entity, other), (other, entity)] {
            if targets.contain(entity, settings.events) {
                commands.trigger(OverlapBegan { entity, other });
            }
        }
    }
    (index.report.began, index.report.ended) = (overlaps.begun().len(), overlaps.ended().len());
    index.report.events = start.elapsed();
}

/// The entities of handles, also of those that left with the last synchronisation.
struct Names<'a> {
    index: &'a SpatialIndex,
    /// Ordered by handle.
    left: &'a [(Handle, Entity)],
}

impl<'a> Names<'a> {
    fn new(index: &'a SpatialIndex, left: &'a mut Vec<(Handle, Entity)>) -> Self {
        left.clear();
        left.extend(index.changes.removed.iter().map(|&(entity, handle)| (handle, entity)));
        left.sort_unstable();
        Self { index, left }
    }

    fn of(&self, pair: &Pair) -> (Entity, Entity) {
        (self.entity(pair.a()), self.entity(pair.b()))
    }

    fn entity(&self, handle: Handle) -> Entity {
        let found = self.left.binary_search_by_key(&handle, |left| left.0);
        found.map_or_else(|_| self.index.entity(handle), |at| self.left[at].1)
    }
}
