//! Programs of flat and long worlds.

use super::{Op, Program};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Object, Shape, Sphere};

impl Program {
    /// The program in a world that is scaled along each axis: what lies in it
    /// and how it moves, though not what is asked. A scale is above zero, and
    /// at most one.
    #[must_use]
    pub fn flattened(mut self, scale: Vec3) -> Self {
        let shape = |shape: &mut Shape| {
            *shape = match *shape {
                Shape::Aabb(aabb) => Aabb::new(aabb.min * scale, aabb.max * scale).into(),
                Shape::Sphere(ball) => Sphere::new(ball.center * scale, ball.radius).into(),
                _ => unreachable!("a shape that is not known here"),
            };
        };
        let object = |object: &mut Object| shape(&mut object.shape);
        for op in &mut self.ops {
            match op {
                Op::Insert(inserted) | Op::InsertCopies(inserted, _) => object(inserted),
                Op::InsertMany(objects) => objects.iter_mut().for_each(object),
                Op::Update(_, updated) => shape(updated),
                Op::UpdateMany(updates) => updates.iter_mut().for_each(|(_, updated)| shape(updated)),
                Op::Nudge(_, offset) | Op::NudgeAll(offset) => *offset *= scale,
                _ => {}
            }
        }
        self
    }
}
