//! Brings the index up to date with the entities: finds what changed, orders it, applies it.
//!
//! ```text
//! components that changed ─► description ─► differs from the record? ─► sorted by entity ─► tree
//! hooks, removed components ──────┘
//!
//! The index may follow in a schedule that does not run in each frame. Bevy forgets removed components
//! after two frames, so that a system at the end of each frame keeps their entities for it.
//! ```
//!
//! Entities are found in the order of Bevy's tables, hooks run in the order of commands. Sorting
//! by entity makes the sequence of calls on the tree the same for any number of threads.

use crate::components::{OverlapEvents, Sensor, SpatialBounds, SpatialIndexed, SpatialLayers, SpatialStatic};
use crate::index::{Description, Record, SpatialIndex, rank};
use crate::overlaps::Mark;
use crate::settings::SpatialSettings;
use crate::shape::world_shape;
use crate::trace::span;
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::InheritedVisibility;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::GlobalTransform;
use broadleaf::{Handle, Layers, Mobility, Object, Shape, Sphere};
use std::time::Instant;

/// What the index reads of an entity.
#[derive(QueryData)]
pub(crate) struct Source {
    entity: Entity,
    transform: &'static GlobalTransform,
    aabb: Option<&'static Aabb>,
    bounds: Option<&'static SpatialBounds>,
    visibility: Option<&'static InheritedVisibility>,
    layers: Option<&'static SpatialLayers>,
    is_static: Has<SpatialStatic>,
    reports: Has<OverlapEvents>,
    sensor: Has<Sensor>,
}

/// Entities of which something changed that the index reads.
type Changed = Or<(
    bevy_ecs::query::Changed<GlobalTransform>,
    bevy_ecs::query::Changed<Aabb>,
    bevy_ecs::query::Changed<SpatialBounds>,
    bevy_ecs::query::Changed<InheritedVisibility>,
    bevy_ecs::query::Changed<SpatialLayers>,
    Added<SpatialIndexed>,
    Added<SpatialStatic>,
    Added<OverlapEvents>,
    Added<Sensor>,
)>;

/// The entities that are in the index, or should be.
#[derive(SystemParam)]
pub(crate) struct Indexed<'w, 's> {
    changed: Query<'w, 's, Source, (With<SpatialIndexed>, Changed)>,
    all: Query<'w, 's, Source, With<SpatialIndexed>>,
    disabled: Query<'w, 's, Entity, (With<SpatialIndexed>, Added<Disabled>)>,
}

/// Components whose removal changes what the index reads.
#[derive(SystemParam)]
pub(crate) struct Removals<'w, 's> {
    aabbs: RemovedComponents<'w, 's, Aabb>,
    bounds: RemovedComponents<'w, 's, SpatialBounds>,
    visibilities: RemovedComponents<'w, 's, InheritedVisibility>,
    layers: RemovedComponents<'w, 's, SpatialLayers>,
    statics: RemovedComponents<'w, 's, SpatialStatic>,
    events: RemovedComponents<'w, 's, OverlapEvents>,
    sensors: RemovedComponents<'w, 's, Sensor>,
    disabled: RemovedComponents<'w, 's, Disabled>,
}

impl Removals<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let shapes = self.aabbs.read().chain(self.bounds.read()).chain(self.visibilities.read());
        let marks = self.statics.read().chain(self.events.read()).chain(self.sensors.read());
        shapes.chain(self.layers.read()).chain(marks).chain(self.disabled.read())
    }
}

/// Entities of which a component was removed, kept for the next synchronisation.
#[derive(Resource, Debug, Default)]
pub(crate) struct KeptRemovals(Vec<Entity>);

/// Keeps removals at the end of a frame, where the synchronisation may not run in the next two.
pub(crate) fn keep_removals(
    mut removals: Removals,
    indexed: Query<(), With<SpatialIndexed>>,
    mut kept: ResMut<KeptRemovals>,
) {
    let known = kept.0.len();
    kept.0.extend(removals.read().filter(|&entity| indexed.contains(entity)));
    if kept.0.len() > known {
        kept.0.sort_unstable();
        kept.0.dedup();
    }
}

/// Asks the next synchronisation to look at all entities.
#[derive(Resource, Debug, Default)]
pub(crate) struct Resync(pub(crate) bool);

/// Lists of one synchronisation, kept for the next.
#[derive(Default)]
pub(crate) struct Work {
    new: Vec<(Entity, Description)>,
    moved: Vec<(Entity, Handle, Shape)>,
    edited: Vec<(Entity, Description)>,
    left: Vec<Record>,
    handles: Vec<Handle>,
    boxes: Vec<broadleaf::Aabb>,
    balls: Vec<Sphere>,
    objects: Vec<Object>,
}

pub(crate) fn synchronise(
    indexed: Indexed,
    (mut removals, mut kept): (Removals, ResMut<KeptRemovals>),
    settings: Res<SpatialSettings>,
    mut resync: ResMut<Resync>,
    mut index: ResMut<SpatialIndex>,
    mut work: Local<Work>,
) {
    let start = Instant::now();
    let Indexed { changed, all, disabled } = &indexed;
    let (index, work) = (&mut *index, &mut *work);
    index.changes.refused.clear();
    index.state.tree.set_threads(settings.threads);
    index.state.overlaps.set_threads(settings.threads);
    {
        let _span = span!("broadleaf: find changes");
        if resync.0 || settings.is_changed() {
            resync.0 = false;
            removals.read().for_each(drop);
            kept.0.clear();
            all.iter().for_each(|source| work.compare(index, &source, &settings));
            let gone = |record: &&Record| !all.contains(record.entity);
            let gone: Vec<_> = index.records().filter(gone).map(|record| record.entity).collect();
            gone.into_iter().for_each(|entity| index.leave(entity));
        } else {
            changed.iter().for_each(|source| work.compare(index, &source, &settings));
            disabled.iter().for_each(|entity| index.leave(entity));
            for entity in kept.0.drain(..).chain(removals.read()) {
                if let Ok(source) = all.get(entity) {
                    work.compare(index, &source, &settings);
                }
            }
        }
    }
    work.sort(index);
    let _span = span!("broadleaf: apply changes");
    work.apply(index);
    let changes = &index.changes;
    index.report.inserted = changes.inserted.len();
    index.report.moved = changes.moved.len();
    index.report.removed = changes.removed.len();
    index.report.sync = start.elapsed();
}

impl SourceItem<'_, '_> {
    /// What the tree is to be told; `None` if the entity is not to be in it.
    fn description(&self, settings: &SpatialSettings) -> Option<Description> {
        if !settings.index_hidden && self.visibility.is_some_and(|visibility| !visibility.get()) {
            return None;
        }
        Some(Description {
            shape: world_shape(self.transform, self.bounds, self.aabb)?,
            layers: self.layers.map_or(Layers::ALL, |layers| layers.0),
            mobility: if self.is_static { Mobility::Static } else { Mobility::Moving },
            mark: Mark { reports: self.reports, sensor: self.sensor },
        })
    }
}

impl Work {
    /// Lists what differs from what the tree was told.
    #[inline]
    fn compare(&mut self, index: &mut SpatialIndex, source: &SourceItem, settings: &SpatialSettings) {
        let entity = source.entity;
        let Some(description) = source.description(settings) else {
            index.leave(entity);
            return;
        };
        if let Err(error) = description.shape.check() {
            index.changes.refused.push((entity, error));
            return;
        }
        let Some(record) = index.record_mut(entity) else {
            self.new.push((entity, description));
            return;
        };
        self.list_differences(record, description);
    }

    fn list_differences(&mut self, record: &mut Record, description: Description) {
        let (entity, known) = (record.entity, record.description);
        if known.shape != description.shape {
            record.description.shape = description.shape;
            self.moved.push((entity, record.handle, description.shape));
        }
        if (Description { shape: known.shape, ..description }) != known {
            self.edited.push((entity, description));
        }
    }

    /// Orders all lists by entity. An entity may be in one twice, with the same description.
    fn sort(&mut self, index: &mut SpatialIndex) {
        let _span = span!("broadleaf: sort changes");
        let refused = &mut index.changes.refused;
        refused.sort_unstable_by_key(|refused| rank(refused.0));
        refused.dedup_by_key(|refused| refused.0);
        self.new.sort_unstable_by_key(|new| rank(new.0));
        self.new.dedup_by_key(|new| new.0);
        index.take_left(&mut self.left);
        self.left.sort_unstable_by_key(|left| rank(left.entity));
        self.resume(index);
        self.moved.sort_unstable_by_key(|moved| rank(moved.0));
        self.edited.sort_unstable_by_key(|edited| rank(edited.0));
    }

    /// An entity that left and came back between two frames keeps its object, so that its overlaps
    /// neither end nor begin.
    fn resume(&mut self, index: &mut SpatialIndex) {
        let mut left = core::mem::take(&mut self.left);
        let count = left.len();
        left.retain(|record| {
            let found = self.new.binary_search_by_key(&rank(record.entity), |new| rank(new.0));
            if let Ok(at) = found {
                let mut record = *record;
                self.list_differences(&mut record, self.new[at].1);
                index.come_back(record);
            }
            found.is_err()
        });
        if left.len() < count {
            self.new.retain(|(entity, _)| !index.contains(*entity));
        }
        self.left = left;
    }

    /// Tells the tree. Shapes are legal and handles alive, so that nothing is refused.
    fn apply(&mut self, index: &mut SpatialIndex) {
        if !(self.new.is_empty() && self.moved.is_empty() && self.edited.is_empty() && self.left.is_empty()) {
            index.state.overlaps.tree_changed();
        }
        self.remove(index);
        self.reshape(index);
        self.edit(index);
        self.insert(index);
        index.state.tree.view();
    }

    fn remove(&mut self, index: &mut SpatialIndex) {
        self.handles.clear();
        self.handles.extend(self.left.iter().map(|left| left.handle));
        self.handles.iter().for_each(|&handle| index.state.marks.set(handle, Mark::default()));
        let done = index.state.tree.remove_many(&self.handles);
        debug_assert!(done.is_ok(), "{done:?}");
        index.changes.removed.clear();
        index.changes.removed.extend(self.left.drain(..).map(|left| (left.entity, left.handle)));
    }

    fn reshape(&mut self, index: &mut SpatialIndex) {
        let tree = &mut index.state.tree;
        self.handles.clear();
        self.boxes.clear();
        self.balls.clear();
        for (_, handle, shape) in &self.moved {
            if !matches!(shape, Shape::Sphere(_)) {
                self.handles.push(*handle);
                self.boxes.push(shape.aabb());
            }
        }
        let done = tree.update_many(&self.handles, &self.boxes);
        debug_assert!(done.is_ok(), "{done:?}");
        self.handles.clear();
        for (_, handle, shape) in &self.moved {
            if let Shape::Sphere(ball) = shape {
                self.handles.push(*handle);
                self.balls.push(*ball);
            }
        }
        let done = tree.update_many(&self.handles, &self.balls);
        debug_assert!(done.is_ok(), "{done:?}");
        index.changes.moved.clear();
        index.changes.moved.extend(self.moved.drain(..).map(|(entity, ..)| entity));
    }

    /// Layers, mobility, and whose overlaps are reported.
    fn edit(&mut self, index: &mut SpatialIndex) {
        for (entity, new) in self.edited.drain(..) {
            let Some(record) = index.record_mut(entity) else { continue };
            let (handle, old) = (record.handle, record.description);
            record.description = Description { shape: old.shape, ..new };
            let state = &mut index.state;
            let mut done = Ok(());
            if old.layers != new.layers {
                done = done.and(state.tree.set_layers(handle, new.layers));
            }
            if old.mobility != new.mobility {
                done = done.and(state.tree.set_mobility(handle, new.mobility));
            }
            debug_assert!(done.is_ok(), "{done:?}");
            if old.mark != new.mark {
                state.marks.set(handle, new.mark);
                state.overlaps.mark_changed(handle);
            }
        }
    }

    fn insert(&mut self, index: &mut SpatialIndex) {
        self.objects.clear();
        self.objects.extend(self.new.iter().map(|(entity, description)| {
            let Description { shape, layers, mobility, .. } = *description;
            Object { shape, layers, mobility, user_data: entity.to_bits() }
        }));
        self.handles.clear();
        let done = index.state.tree.insert_many(&self.objects, &mut self.handles);
        debug_assert!(done.is_ok(), "{done:?}");
        for (&(entity, description), &handle) in self.new.iter().zip(&self.handles) {
            index.put_record(Record { entity, handle, description });
        }
        index.changes.inserted.clear();
        index.changes.inserted.extend(self.new.drain(..).map(|(entity, _)| entity));
    }
}
