//! Adding objects: they join the pending chain, and the next view places them.
//! Many objects into an empty tree are built into it at once (`build/from_slice.rs`).

use super::Octree;
use crate::data::{Entry, Layers, Mobility, Object, ObjectWord, Row, Shape};
use crate::spans::span;
use crate::{Aabb, Error, Handle, SliceError, Sphere};
use alloc::vec::Vec;
use core::any::TypeId;
use glam::Vec3;

impl Octree {
    /// Queues an object and returns its handle at once; the next
    /// [`view`](Octree::view) places it.
    ///
    /// *Cost:* constant, but for memory that grows as a `Vec` does; placing is
    /// in proportion to the depth.
    ///
    /// # Errors
    /// A box or sphere that is not legal, or [`Error::TooManyObjects`].
    pub fn insert(&mut self, object: impl Into<Object>) -> Result<Handle, Error> {
        let object = object.into();
        object.shape.check()?;
        self.queue(&object)
    }

    /// Adds many objects; `handles` is cleared and filled in their order. They
    /// are queued, or the tree is built from them at once if it is empty.
    /// Objects, shapes, or arrays of floats as for [`Octree::update_many`].
    ///
    /// *Cost:* linear; on several threads if [`set_threads`](Octree::set_threads) says so.
    /// Where many are queued, the next view builds the tree anew. Objects of a type of
    /// the caller's are converted once, before anything is changed, into working memory.
    ///
    /// # Errors
    /// The first object that is not legal, with its index: then none is inserted.
    ///
    /// # Panics
    /// Only if a conversion does: then nothing is changed.
    pub fn insert_many<O: Into<Object> + Copy + Sync>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
    ) -> Result<(), SliceError> {
        if converts_alike::<O>() {
            return self.insert_alike(objects, handles);
        }
        let is_first_world = self.is_empty() && self.counters.rebuilds == 0;
        let mut converted = core::mem::take(&mut self.converted);
        converted.clear();
        converted.extend(objects.iter().map(|&object| object.into()));
        let result = self.insert_alike(&converted, handles);
        // As for the scratch of a bulk build: only a tree that is filled again keeps it.
        if !is_first_world {
            self.converted = converted;
        }
        result
    }

    /// [`Octree::insert_many`] of objects whose conversion gives the same each time, and never panics.
    fn insert_alike<O: Into<Object> + Copy + Sync>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
    ) -> Result<(), SliceError> {
        let _span = span!("insert_many", objects = objects.len());
        let limit = ObjectWord::ROW_LIMIT as usize;
        // Objects with a margin are not kept as they lie in the caller's slice.
        if self.is_empty() && !self.data.fat.has_margin() && (1..=limit).contains(&objects.len()) {
            Self::prefetch_code_of_build::<O>(objects.len());
            return self.build_from_slice(objects, handles);
        }
        self.queue_many(objects, handles)
    }

    /// [`Octree::insert_many`] where the tree is not built from the slice: it has objects or a margin, or the slice is
    /// empty or beyond the limit.
    #[inline(never)]
    fn queue_many<O: Into<Object> + Copy>(
        &mut self,
        objects: &[O],
        handles: &mut Vec<Handle>,
    ) -> Result<(), SliceError> {
        let limit = ObjectWord::ROW_LIMIT as usize;
        for (index, &object) in objects.iter().enumerate() {
            object.into().shape.check().map_err(|error| SliceError { index, error })?;
        }
        if objects.len() > limit - self.len() {
            return Err(SliceError { index: limit - self.len(), error: Error::TooManyObjects { limit } });
        }
        handles.clear();
        handles.reserve(objects.len());
        self.data.objects.reserve_rows(objects.len());
        self.data.blocks.reserve(objects.len() / 8 + 1);
        // Retired slots may leave too few rows.
        let mut guard = InsertGuard { tree: self, handles, undo: Undo::Remove };
        for (index, &object) in objects.iter().enumerate() {
            let handle = guard.tree.queue(&object.into()).map_err(|error| SliceError { index, error })?;
            guard.handles.push(handle);
        }
        guard.undo = Undo::Nothing;
        Ok(())
    }

    #[inline(always)]
    fn queue(&mut self, object: &Object) -> Result<Handle, Error> {
        let (row, handle) = self.data.objects.allocate(object.layers.filters, object.user_data)?;
        self.data.interactions.add(object.layers);
        if self.data.fat.has_margin() {
            let shape = self.data.fat.fatten(row, object.shape.without_negative_zeros());
            self.data.push_pending(&entry_of(row, &Object { shape, ..*object }));
            return Ok(handle);
        }
        self.data.push_pending(&entry_of(row, object));
        Ok(handle)
    }
}

/// Whether `O` is a type of this crate or an array. Their conversions are pure, so they
/// may be run several times; no converted copy is needed.
#[inline]
fn converts_alike<O>() -> bool {
    let own = [
        TypeId::of::<Object>(),
        TypeId::of::<Shape>(),
        TypeId::of::<Aabb>(),
        TypeId::of::<Sphere>(),
        TypeId::of::<[f32; 6]>(),
        TypeId::of::<[f32; 4]>(),
    ];
    own.contains(&typeid::of::<O>())
}

/// Guards an insertion of many objects: if the call ends early, by an error or a panic,
/// dropping the guard takes out again what has been inserted.
pub(super) struct InsertGuard<'a> {
    pub(super) tree: &'a mut Octree,
    pub(super) handles: &'a mut Vec<Handle>,
    pub(super) undo: Undo,
}

/// How objects are taken out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undo {
    /// All objects are in the tree.
    Nothing,
    /// Each is removed by its handle.
    Remove,
    /// The tree was empty, and its rows, nodes and blocks are not consistent now: all are cleared.
    Clear,
}

impl Drop for InsertGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.undo != Undo::Nothing {
            self.roll_back();
        }
    }
}

impl InsertGuard<'_> {
    /// Takes out what has been inserted.
    #[cold]
    fn roll_back(&mut self) {
        match self.undo {
            Undo::Nothing => return,
            Undo::Remove => self.handles.iter().for_each(|&handle| _ = self.tree.remove(handle)),
            Undo::Clear => self.tree.clear(),
        }
        self.handles.clear();
    }
}

/// An object as a lane holds it, without negative zeros.
#[inline(always)]
pub(super) fn entry_of(row: Row, object: &Object) -> Entry {
    let shape = object.shape.without_negative_zeros();
    let (sphere, is_sphere) = match shape {
        Shape::Sphere(sphere) => (sphere, true),
        Shape::Aabb(_) => (Sphere::new(Vec3::ZERO, 0.0), false),
    };
    let word = ObjectWord(row.0)
        .with(ObjectWord::SPHERE, is_sphere)
        .with(ObjectWord::STATIC, object.mobility == Mobility::Static)
        .with(ObjectWord::LAYERED, object.layers != Layers::ALL);
    Entry { aabb: shape.aabb(), word, memberships: object.layers.memberships, sphere, unreported: true }
}
