//! What changes from one frame to the next.

use broadleaf::{Object, Shape};

/// The changes of one frame, by scene id; to be applied in the order of the fields.
///
/// An id may be removed and spawned again in one frame. Spawned ids are not
/// in `moved`. Each id occurs at most once in each field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// Objects that vanish.
    pub removed: Vec<u32>,
    /// Objects that appear.
    pub spawned: Vec<(u32, Object)>,
    /// Objects that have a new shape.
    pub moved: Vec<(u32, Shape)>,
}

impl Frame {
    /// Empties the frame and keeps its memory.
    pub fn clear(&mut self) {
        self.removed.clear();
        self.spawned.clear();
        self.moved.clear();
    }

    /// Gives back the memory that the changes do not need.
    pub(crate) fn shrink(&mut self) {
        self.removed.shrink_to_fit();
        self.spawned.shrink_to_fit();
        self.moved.shrink_to_fit();
    }

    /// The number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.removed.len() + self.spawned.len() + self.moved.len()
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
