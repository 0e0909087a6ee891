//! What a reader and a writer remember of an object to predict its next shape.

use super::coordinate::Coding;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Shape, Sphere};

/// Keys of a shape: a box's minima and maxima, or a sphere's centre and radius.
pub(super) type Keys = [i64; 6];

/// The last shape of a live object, and how it got there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    pub(super) sphere: bool,
    keys: Keys,
    change: Keys,
    /// The frame of the last change.
    pub(super) frame: u32,
}

/// The number of columns that a shape is in.
pub(super) fn columns(sphere: bool) -> usize {
    if sphere { 4 } else { 6 }
}

impl Motion {
    /// An object about to get its first shape.
    pub(super) fn new(sphere: bool, frame: u32) -> Self {
        Self { sphere, keys: [0; 6], change: [0; 6], frame }
    }

    /// Where the object would be in a frame if it went on as before.
    pub(super) fn prediction(&self, frame: u32) -> Keys {
        if self.frame.checked_add(1) == Some(frame) {
            std::array::from_fn(|i| self.keys[i] + self.change[i])
        } else {
            self.keys
        }
    }

    /// Records the shape of a frame.
    pub(super) fn go(&mut self, keys: Keys, frame: u32, fresh: bool) {
        let change = std::array::from_fn(|i| if fresh { 0 } else { keys[i] - self.keys[i] });
        (self.keys, self.change, self.frame) = (keys, change, frame);
    }
}

/// Differences from a prediction as they are written: maxima relative to minima.
pub(super) fn entries(keys: &Keys, prediction: &Keys, sphere: bool) -> Keys {
    let mut entries = std::array::from_fn(|i| keys[i] - prediction[i]);
    if !sphere {
        (0..3).for_each(|axis| entries[axis + 3] -= entries[axis]);
    }
    entries
}

/// The keys that the entries stand for; `None` on overflow.
pub(super) fn keys_of(mut entries: Keys, prediction: &Keys, sphere: bool) -> Option<Keys> {
    if !sphere {
        for axis in 0..3 {
            entries[axis + 3] = entries[axis + 3].checked_add(entries[axis])?;
        }
    }
    for (entry, prediction) in entries.iter_mut().zip(prediction) {
        *entry = entry.checked_add(*prediction)?;
    }
    Some(entries)
}

/// The coordinates of a shape, in the order of the columns; unused ones are zero.
pub(super) fn coordinates(shape: &Shape) -> [f32; 6] {
    match shape {
        Shape::Aabb(Aabb { min, max }) => [min.x, min.y, min.z, max.x, max.y, max.z],
        Shape::Sphere(Sphere { center, radius }) => [center.x, center.y, center.z, *radius, 0.0, 0.0],
        _ => unreachable!("a shape that is not known here"),
    }
}

/// The shape of the keys; `None` if a key is out of range.
pub(super) fn shape(keys: &Keys, sphere: bool, coding: Coding) -> Option<Shape> {
    let mut values = [0.0; 6];
    for (value, key) in values.iter_mut().zip(keys).take(columns(sphere)) {
        *value = coding.value(*key)?;
    }
    let [a, b, c, d, e, f] = values;
    Some(if sphere {
        Sphere::new(Vec3::new(a, b, c), d).into()
    } else {
        Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)).into()
    })
}
