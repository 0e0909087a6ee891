//! Plays frames on a tree: keeps the handle of each scene id.

use crate::frame::Frame;
use crate::oracle::Oracle;
use broadleaf::{Error, Handle, Object, Octree, Shape, SliceError};
use std::collections::{HashMap, HashSet};

/// Applies the frames of a scene or of a trace to a tree.
///
/// A frame is first prepared and then applied, so that a bench can leave the
/// search for handles out of its time.
///
/// ```
/// use broadleaf::Octree;
/// use workloads::{Player, Scene};
///
/// let (mut tree, mut player) = (Octree::default(), Player::new());
/// let mut scene = Scene::by_name("churn", 100, 1).unwrap();
/// player.load(&mut tree, scene.objects())?;
/// for _ in 0..10 {
///     player.play(&mut tree, scene.step())?;
/// }
/// assert_eq!(tree.len(), 100);
/// # Ok::<(), broadleaf::SliceError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Player {
    handles: HashMap<u32, Handle>,
    removed: Vec<Handle>,
    spawned_ids: Vec<u32>,
    spawned: Vec<Object>,
    new_handles: Vec<Handle>,
    moved: Vec<Handle>,
    shapes: Vec<Shape>,
}

/// Why a frame does not follow from the frames before it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// An id is removed that does not live.
    #[error("object {0} vanishes, but is not there")]
    Removed(u32),
    /// An id is moved that does not live.
    #[error("object {0} moves, but is not there")]
    Moved(u32),
    /// An id is spawned that lives already.
    #[error("object {0} appears twice")]
    Spawned(u32),
    /// A shape is not legal.
    #[error("object {0}: {1}")]
    Shape(u32, Error),
}

impl Player {
    /// A player of an empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Inserts the objects of a scene, whose ids are their indices.
    ///
    /// # Errors
    /// The first object that the tree refuses.
    pub fn load(&mut self, tree: &mut Octree, objects: &[Object]) -> Result<(), SliceError> {
        let mut handles = Vec::new();
        tree.insert_many(objects, &mut handles)?;
        self.handles = (0..).zip(handles).collect();
        Ok(())
    }

    /// Checks that a frame removes and moves living ids, spawns new ones, and has legal
    /// shapes. An id may be removed and spawned, or spawned and moved, in one frame.
    ///
    /// # Errors
    /// The first id that is wrong: first of those removed, then of those spawned, then of those moved.
    pub fn check(&self, frame: &Frame) -> Result<(), FrameError> {
        let legal = |id: u32, shape: &Shape| shape.check().map_err(|error| FrameError::Shape(id, error));
        let (mut removed, mut spawned) = (HashSet::new(), HashSet::new());
        for &id in &frame.removed {
            if !self.handles.contains_key(&id) || !removed.insert(id) {
                return Err(FrameError::Removed(id));
            }
        }
        let lives = |id: &u32| self.handles.contains_key(id) && !removed.contains(id);
        for (id, object) in &frame.spawned {
            legal(*id, &object.shape)?;
            if lives(id) || !spawned.insert(*id) {
                return Err(FrameError::Spawned(*id));
            }
        }
        for (id, shape) in &frame.moved {
            if !lives(id) && !spawned.contains(id) {
                return Err(FrameError::Moved(*id));
            }
            legal(*id, shape)?;
        }
        Ok(())
    }

    /// Looks up everything that a frame changes. Ids that do not live are passed over;
    /// one that is spawned and moved by the frame is spawned where it moves to.
    pub fn prepare(&mut self, frame: &Frame) {
        self.removed.clear();
        self.spawned_ids.clear();
        self.spawned.clear();
        self.moved.clear();
        self.shapes.clear();
        self.removed.extend(frame.removed.iter().filter_map(|id| self.handles.get(id)));
        for (id, object) in &frame.spawned {
            self.spawned_ids.push(*id);
            self.spawned.push(*object);
        }
        let removed: HashSet<u32> = frame.removed.iter().copied().collect();
        let mut moved_at_once = Vec::new();
        for (id, shape) in &frame.moved {
            match self.handles.get(id) {
                Some(handle) if !removed.contains(id) => {
                    self.moved.push(*handle);
                    self.shapes.push(*shape);
                }
                _ => moved_at_once.push((*id, *shape)),
            }
        }
        if !moved_at_once.is_empty() {
            let spawned: HashMap<u32, usize> = self.spawned_ids.iter().copied().zip(0..).collect();
            for (id, shape) in moved_at_once {
                if let Some(&index) = spawned.get(&id) {
                    self.spawned[index].shape = shape;
                }
            }
        }
    }

    /// Applies the prepared frame, each kind of change in one call where there is one.
    ///
    /// # Errors
    /// The first change that the tree refuses.
    pub fn apply(&mut self, tree: &mut Octree) -> Result<(), SliceError> {
        for handle in &self.removed {
            tree.remove(*handle);
        }
        tree.insert_many(&self.spawned, &mut self.new_handles)?;
        tree.update_many(&self.moved, &self.shapes)
    }

    /// Remembers the handles of what the applied frame spawned, and forgets what it removed.
    pub fn finish(&mut self, frame: &Frame) {
        for id in &frame.removed {
            self.handles.remove(id);
        }
        let new_handles = self.new_handles.iter().copied();
        self.handles.extend(self.spawned_ids.iter().copied().zip(new_handles));
    }

    /// Prepares, applies and finishes a frame.
    ///
    /// # Errors
    /// The first change that the tree refuses.
    pub fn play(&mut self, tree: &mut Octree, frame: &Frame) -> Result<(), SliceError> {
        self.prepare(frame);
        self.apply(tree)?;
        self.finish(frame);
        Ok(())
    }

    /// Makes the same changes to an oracle, after [`Player::apply`].
    pub fn tell(&self, oracle: &mut Oracle) {
        for handle in &self.removed {
            oracle.remove(*handle);
        }
        for (handle, object) in self.new_handles.iter().zip(&self.spawned) {
            oracle.insert(*handle, *object);
        }
        for (handle, shape) in self.moved.iter().zip(&self.shapes) {
            oracle.update(*handle, *shape);
        }
    }

    /// The handle of an id that lives.
    #[must_use]
    pub fn handle(&self, id: u32) -> Option<Handle> {
        self.handles.get(&id).copied()
    }

    /// The handles and the new shapes of what the prepared frame moves.
    #[must_use]
    pub fn moves(&self) -> (&[Handle], &[Shape]) {
        (&self.moved, &self.shapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Trace, recordings};
    use broadleaf::{Pair, Scratch};

    fn agree(tree: &mut Octree, oracle: &Oracle, scratch: &mut Scratch) {
        assert!(tree.iter().eq(oracle.objects().iter().copied()));
        let mut found = Vec::new();
        tree.view().pairs(scratch).collect_into(&mut found);
        found.sort_unstable();
        let expected = oracle.pairs().into_iter().map(|(a, b)| Pair::new(a, b));
        assert!(found.into_iter().eq(expected));
        tree.validate().unwrap();
    }

    #[test]
    fn scenes_play_like_the_oracle() {
        for name in Scene::NAMES {
            let mut scene = Scene::by_name(name, 400, 2).unwrap();
            let (mut tree, mut player) = (Octree::default(), Player::new());
            let (mut oracle, mut scratch) = (Oracle::new(), Scratch::new());
            player.load(&mut tree, scene.objects()).unwrap();
            tree.iter().for_each(|(handle, object)| oracle.insert(handle, object));
            for _ in 0..30 {
                player.play(&mut tree, scene.step()).unwrap();
                player.tell(&mut oracle);
                agree(&mut tree, &oracle, &mut scratch);
            }
            for (id, object) in (0..).zip(scene.objects()) {
                assert_eq!(tree.get(player.handle(id).unwrap()), Some(*object), "{name}");
            }
        }
    }

    #[test]
    fn recordings_play_like_the_oracle() {
        for name in recordings::NAMES {
            let Trace { frames } = recordings::by_name(name).unwrap();
            let (mut tree, mut player) = (Octree::default(), Player::new());
            let (mut oracle, mut scratch) = (Oracle::new(), Scratch::new());
            for (number, frame) in frames.iter().enumerate() {
                player.play(&mut tree, frame).unwrap();
                player.tell(&mut oracle);
                if number % 60 == 0 {
                    agree(&mut tree, &oracle, &mut scratch);
                }
            }
            agree(&mut tree, &oracle, &mut scratch);
        }
    }
}
