//! The resource that holds the tree.

use crate::overlaps::{Mark, Marks, Overlaps};
use crate::settings::EventScope;
use bevy_ecs::prelude::*;
use broadleaf::inspect::{BrokenInvariant, Counters, MemoryUse};
use broadleaf::{Error, Handle, Layers, Mobility, Octree, Pair, Shape, View};
use core::time::Duration;

/// The entities with [`SpatialIndexed`](crate::SpatialIndexed), in an octree.
///
/// It changes once a frame, in [`BroadleafSystems::Sync`](crate::BroadleafSystems::Sync); what is
/// asked before is answered as of the last frame. Systems take it as
/// [`SpatialQuery`](crate::SpatialQuery), or as `Res<SpatialIndex>`, which is the same.
#[derive(Resource, Debug, Default)]
pub struct SpatialIndex {
    pub(crate) state: State,
    pub(crate) changes: Changes,
    pub(crate) report: SyncReport,
}

/// What a snapshot saves.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) tree: Octree,
    pub(crate) overlaps: Overlaps,
    /// What the tree was told, by the index of the entity.
    records: Vec<Option<Record>>,
    /// Entities that left the index since the last synchronisation; their objects are still in the tree.
    left: Vec<Record>,
    pub(crate) marks: Marks,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// Takes over everything, without allocation if there is room.
    fn clone_from(&mut self, source: &Self) {
        let Self { tree, overlaps, records, left, marks } = source;
        self.tree.clone_from(tree);
        self.overlaps.clone_from(overlaps);
        self.records.clone_from(records);
        self.left.clone_from(left);
        self.marks.clone_from(marks);
    }
}

/// An entity in the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    pub(crate) entity: Entity,
    pub(crate) handle: Handle,
    pub(crate) description: Description,
}

/// What the components of an entity say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Description {
    pub(crate) shape: Shape,
    pub(crate) layers: Layers,
    pub(crate) mobility: Mobility,
    pub(crate) mark: Mark,
}

/// The entities that the last synchronisation changed, ordered by index.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) inserted: Vec<Entity>,
    pub(crate) moved: Vec<Entity>,
    pub(crate) removed: Vec<(Entity, Handle)>,
    pub(crate) refused: Vec<(Entity, Error)>,
}

/// The work of the last frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncReport {
    /// Entities that came.
    pub inserted: usize,
    /// Entities whose bounds changed.
    pub moved: usize,
    /// Entities that left.
    pub removed: usize,
    /// Overlaps that began and were reported.
    pub began: usize,
    /// Overlaps that ended and were reported.
    pub ended: usize,
    /// The time that the synchronisation took.
    pub sync: Duration,
    /// The time that the events took.
    pub events: Duration,
}

/// The order in which changes are applied: by index, then by generation.
pub(crate) fn rank(entity: Entity) -> u64 {
    u64::from(entity.index_u32()) << 32 | u64::from(entity.generation().to_bits())
}

impl SpatialIndex {
    pub(crate) fn new(tree: Octree) -> Self {
        Self { state: State { tree, ..State::default() }, ..Self::default() }
    }

    /// The tree, for the questions of the library; its user data are the bits of entities.
    ///
    /// ```
    /// # use bevy_broadleaf::SpatialIndex;
    /// # let index = SpatialIndex::default();
    /// use bevy_broadleaf::broadleaf::glam::Vec3;
    /// let view = index.view();
    /// let mut ten_nearest = Vec::new();
    /// view.nearest(Vec3::ZERO)?.k_into(10, &mut ten_nearest);
    /// for near in ten_nearest {
    ///     println!("{:?} is {} away", index.entity(near.handle), near.distance);
    /// }
    /// # Ok::<(), bevy_broadleaf::broadleaf::Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: each synchronisation ends by bringing the tree up to date.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        self.state.tree.try_view().expect("the tree is up to date after each synchronisation")
    }

    /// The entity of a handle, as of the last synchronisation.
    ///
    /// [`Entity::PLACEHOLDER`] if the handle is stale.
    #[inline]
    #[must_use]
    pub fn entity(&self, handle: Handle) -> Entity {
        let bits = self.view().user_data(handle);
        bits.and_then(Entity::try_from_bits).unwrap_or(Entity::PLACEHOLDER)
    }

    /// The handle of an entity; `None` if it is not in the index.
    #[inline]
    #[must_use]
    pub fn handle(&self, entity: Entity) -> Option<Handle> {
        self.record(entity).map(|record| record.handle)
    }

    /// The bounds that the index has of an entity; `None` if it is not in the index.
    #[must_use]
    pub fn bounds(&self, entity: Entity) -> Option<Shape> {
        self.record(entity).map(|record| record.description.shape)
    }

    /// Whether the entity is in the index.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.record(entity).is_some()
    }

    /// Entities in the index.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.tree.len()
    }

    /// Whether no entity is in the index.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A hash of everything in the tree: equal for equal sequences of frames, on any number of threads.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.state.tree.state_hash()
    }

    /// The overlaps that are reported, as of the last synchronisation.
    pub fn overlaps(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> + '_ {
        let entities = move |pair: &Pair| (self.entity(pair.a()), self.entity(pair.b()));
        self.state.overlaps.pairs().iter().map(entities)
    }

    /// The entities that came with the last synchronisation, ordered by index. With
    /// [`moved`](Self::moved) and [`removed`](Self::removed) it is what a renderer has to look at.
    ///
    /// After [`SpatialSnapshot::restore`](crate::SpatialSnapshot::restore) the three describe changes
    /// since the restored frame; see there.
    #[must_use]
    pub fn inserted(&self) -> &[Entity] {
        &self.changes.inserted
    }

    /// The entities whose bounds changed with the last synchronisation, ordered by index.
    #[must_use]
    pub fn moved(&self) -> &[Entity] {
        &self.changes.moved
    }

    /// The entities that left with the last synchronisation, ordered by index.
    pub fn removed(&self) -> impl ExactSizeIterator<Item = Entity> + '_ {
        self.changes.removed.iter().map(|&(entity, _)| entity)
    }

    /// The entities whose new bounds the last synchronisation refused, with the reason, ordered by
    /// index. They stay
    /// in the index with their former bounds, or outside if they had none.
    #[must_use]
    pub fn refused(&self) -> &[(Entity, Error)] {
        &self.changes.refused
    }

    /// The work of the last frame.
    #[must_use]
    pub fn report(&self) -> SyncReport {
        self.report
    }

    /// What the tree has done, and how it stands.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.state.tree.counters()
    }

    /// Bytes allocated by the tree.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        self.state.tree.memory()
    }

    /// Checks every invariant of the tree and that the table of entities fits it; for tests.
    ///
    /// # Errors
    /// The first broken invariant of the tree.
    ///
    /// # Panics
    /// If table and tree differ, which is a bug of this crate.
    pub fn validate(&self) -> Result<(), BrokenInvariant> {
        self.state.tree.validate()?;
        let records = self.records();
        assert_eq!(records.clone().count() + self.state.left.len(), self.len(), "records of all objects");
        for record in records {
            assert_eq!(self.entity(record.handle), record.entity, "the entity of a record");
        }
        let marked = self.records().chain(&self.state.left).filter(|record| record.description.mark.is_set());
        assert_eq!(marked.count(), self.state.marks.len(), "entities that are marked");
        Ok(())
    }

    #[inline]
    pub(crate) fn record(&self, entity: Entity) -> Option<&Record> {
        let record = self.state.records.get(entity.index_u32() as usize)?.as_ref();
        record.filter(|record| record.entity == entity)
    }

    /// The object of an entity, also if it left since the last synchronisation.
    pub(crate) fn object(&self, entity: Entity) -> Option<Handle> {
        let left = || self.state.left.iter().find(|left| left.entity == entity);
        self.record(entity).or_else(left).map(|record| record.handle)
    }

    pub(crate) fn record_mut(&mut self, entity: Entity) -> Option<&mut Record> {
        let record = self.state.records.get_mut(entity.index_u32() as usize)?.as_mut();
        record.filter(|record| record.entity == entity)
    }

    /// One more than the largest index of an entity that has been in the index.
    pub(crate) fn entity_slots(&self) -> usize {
        self.state.records.len()
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> + Clone {
        self.state.records.iter().flatten()
    }

    /// Puts an entity that is new in the tree into the table.
    pub(crate) fn put_record(&mut self, record: Record) {
        let (index, State { records, marks, .. }) = (record.entity.index_u32() as usize, &mut self.state);
        if records.len() <= index {
            records.resize(index + 1, None);
        }
        records[index] = Some(record);
        marks.set(record.handle, record.description.mark);
    }

    /// Whether the object is a sensor.
    #[inline]
    pub(crate) fn is_sensor(&self, handle: Handle) -> bool {
        self.state.marks.of(handle).sensor
    }

    /// Takes an entity out of the table; the next synchronisation takes it out of the tree, unless
    /// it has come back.
    pub(crate) fn leave(&mut self, entity: Entity) {
        if let Some(&record) = self.record(entity) {
            self.state.records[entity.index_u32() as usize] = None;
            self.state.left.push(record);
        }
    }

    /// Puts an entity that left back into the table; its object has been in the tree all the time.
    pub(crate) fn come_back(&mut self, record: Record) {
        self.state.records[record.entity.index_u32() as usize] = Some(record);
    }

    /// Finds which of the overlaps that are reported began and ended.
    pub(crate) fn track(&mut self, scope: EventScope) {
        let State { tree, overlaps, marks, .. } = &mut self.state;
        overlaps.update(tree, marks, scope);
    }

    /// Moves the entities that left since the last synchronisation to a list that is empty.
    pub(crate) fn take_left(&mut self, left: &mut Vec<Record>) {
        core::mem::swap(&mut self.state.left, left);
    }
}
