//! The octree of all colliders, and what is known of the collider in each of its slots.
//!
//! Invariants, between systems: the tree is up to date; each object has an entry in its slot,
//! unless it is listed in `removed`; each entry's collider names the object in `handles`.

use avian3d::collider_tree::{ColliderTreeProxyFlags, ColliderTreeType};
use avian3d::prelude::*;
use bevy::prelude::*;
use broadleaf::{Aabb, Handle, Layers, Mobility, Object, Octree, Scratch, View};

/// What is known of a collider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) collider: Entity,
    pub(crate) body: Option<Entity>,
    pub(crate) kind: ColliderTreeType,
    pub(crate) layers: CollisionLayers,
    pub(crate) flags: ColliderTreeProxyFlags,
}

impl Entry {
    pub(crate) fn is_sensor(&self) -> bool {
        self.flags.contains(ColliderTreeProxyFlags::SENSOR)
    }

    fn layers(&self) -> Layers {
        Layers::new(self.layers.memberships.0, self.layers.filters.0)
    }

    /// Two static objects are no pair. A static sensor has pairs with other static colliders.
    fn mobility(&self) -> Mobility {
        if self.kind == ColliderTreeType::Static && !self.is_sensor() { Mobility::Static } else { Mobility::Moving }
    }
}

/// A collider whose components changed, and whether its pairs are to be found anew.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stale {
    pub(crate) collider: Entity,
    pub(crate) moved: bool,
}

/// The octree of all colliders.
///
/// Each object is the enlarged box of a collider ([`EnlargedAabb`](avian3d::collision::collider::EnlargedAabb)).
/// Ask [`ColliderIndex::view`] what [`OctreeQuery`](crate::OctreeQuery) has no method for: frusta,
/// capsules, objects in order of distance.
///
/// A collider whose box is not a number is left out until its box is legal again.
#[derive(Resource, Debug, Default)]
pub struct ColliderIndex {
    tree: Octree,
    /// By slot.
    entries: Vec<Option<Entry>>,
    /// By the index of the collider's entity.
    handles: Vec<Option<Handle>>,
    /// Colliders to read anew before the tree is brought up to date.
    pub(crate) stale: Vec<Stale>,
    /// Objects without an entry: the tree stays up to date until the next commit removes them.
    removed: Vec<Handle>,
    changed: Vec<Handle>,
    boxes: Vec<Aabb>,
    pub(crate) moved: MovedSet,
    pub(crate) scratch: Scratch,
}

/// The objects whose pairs are to be found.
#[derive(Debug, Default)]
pub(crate) struct MovedSet {
    handles: Vec<Handle>,
    /// By slot.
    contained: Vec<bool>,
}

impl MovedSet {
    fn insert(&mut self, handle: Handle) {
        let slot = handle.slot() as usize;
        if self.contained.len() <= slot {
            self.contained.resize(slot + 1, false);
        }
        if !std::mem::replace(&mut self.contained[slot], true) {
            self.handles.push(handle);
        }
    }

    pub(crate) fn contains(&self, handle: Handle) -> bool {
        self.contained.get(handle.slot() as usize).is_some_and(|&contained| contained)
    }

    pub(crate) fn handles(&self) -> &[Handle] {
        &self.handles
    }

    pub(crate) fn clear(&mut self) {
        for handle in self.handles.drain(..) {
            self.contained[handle.slot() as usize] = false;
        }
    }
}

impl ColliderIndex {
    /// The octree, for asking. A collider that was removed since the last physics step may
    /// still be found: [`ColliderIndex::collider`] returns `None` for it.
    ///
    /// Returns `None` only while the index is being changed.
    #[must_use]
    pub fn view(&self) -> Option<View<'_>> {
        self.tree.try_view()
    }

    /// The octree, for reports: memory, counters, invariants.
    #[must_use]
    pub fn tree(&self) -> &Octree {
        &self.tree
    }

    /// The collider of an object; `None` if it has been removed.
    #[must_use]
    pub fn collider(&self, handle: Handle) -> Option<Entity> {
        self.entry(handle).map(|entry| entry.collider)
    }

    /// The object of a collider; `None` if it is not in the index.
    #[must_use]
    pub fn handle(&self, collider: Entity) -> Option<Handle> {
        let handle = (*self.handles.get(collider.index_u32() as usize)?)?;
        (self.entry(handle)?.collider == collider).then_some(handle)
    }

    /// Bytes of memory in use, by the octree and by what is known of its objects.
    #[must_use]
    pub fn memory(&self) -> usize {
        let tree = self.tree.memory();
        tree.total()
            + tree.scratch
            + self.entries.capacity() * size_of::<Option<Entry>>()
            + (self.handles.capacity() + self.changed.capacity()) * size_of::<Option<Handle>>()
            + self.boxes.capacity() * size_of::<Aabb>()
    }

    pub(crate) fn entry(&self, handle: Handle) -> Option<&Entry> {
        self.entries.get(handle.slot() as usize)?.as_ref()
    }

    pub(crate) fn entry_of(&self, collider: Entity) -> Option<&Entry> {
        self.entry(self.handle(collider)?)
    }

    /// Takes a collider in, or changes what is known of it.
    pub(crate) fn set(&mut self, entry: Entry, aabb: &ColliderAabb, moved: bool) {
        let aabb = box_of(aabb);
        if aabb.check().is_err() {
            return self.remove(entry.collider);
        }
        let handle = match self.handle(entry.collider) {
            Some(handle) => {
                self.tree.update(handle, aabb).expect("the handle and the box are legal");
                self.tree.set_layers(handle, entry.layers()).expect("the handle is legal");
                self.tree.set_mobility(handle, entry.mobility()).expect("the handle is legal");
                handle
            }
            None => {
                // A former collider of the same entity index.
                self.forget(entry.collider.index_u32() as usize);
                let object = Object::new(aabb).with_layers(entry.layers()).with_mobility(entry.mobility());
                self.tree.insert(object).expect("the box is legal, and there are fewer than 2^28 colliders")
            }
        };
        *grown(&mut self.entries, handle.slot() as usize) = Some(entry);
        *grown(&mut self.handles, entry.collider.index_u32() as usize) = Some(handle);
        if moved {
            self.moved.insert(handle);
        }
    }

    /// Notes the new box of a collider; it counts as moved. One that is not in the index is
    /// read anew by the next step.
    pub(crate) fn stage(&mut self, collider: Entity, aabb: &ColliderAabb) {
        let aabb = box_of(aabb);
        match self.handle(collider) {
            Some(_) if aabb.check().is_err() => self.remove(collider),
            Some(handle) => {
                self.changed.push(handle);
                self.boxes.push(aabb);
                self.moved.insert(handle);
            }
            None => self.stale.push(Stale { collider, moved: true }),
        }
    }

    /// Takes a collider out. The object is removed by the next commit, and not found until then.
    pub(crate) fn remove(&mut self, collider: Entity) {
        if self.handle(collider).is_some() {
            self.forget(collider.index_u32() as usize);
        }
    }

    fn forget(&mut self, index: usize) {
        let Some(handle) = self.handles.get_mut(index).and_then(Option::take) else { return };
        self.entries[handle.slot() as usize] = None;
        self.removed.push(handle);
    }

    /// Brings the octree up to date.
    pub(crate) fn commit(&mut self) {
        self.tree.update_many(&self.changed, &self.boxes).expect("handles and boxes are legal");
        self.changed.clear();
        self.boxes.clear();
        for handle in self.removed.drain(..) {
            self.tree.remove(handle);
        }
        self.tree.view();
    }
}

/// The element at `index` of a list, which grows to have it.
fn grown<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

/// A box of avian's as one of broadleaf's.
pub(crate) fn box_of(aabb: &ColliderAabb) -> Aabb {
    Aabb::new(aabb.min.to_array(), aabb.max.to_array())
}
