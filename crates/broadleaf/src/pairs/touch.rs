//! Whether two objects touch in truth, margins apart.

use crate::data::object::Shape;
use crate::data::view::View;
use crate::geometry::overlap;
use crate::{Error, Handle};

impl View<'_> {
    /// Whether the shapes of two objects touch, as they were last set: where
    /// the tree keeps a [`Margin`](crate::Margin), the exact test that its
    /// pairs still need. Layers and mobility are not asked.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn touches(self, a: Handle, b: Handle) -> Result<bool, Error> {
        let shape = |handle| self.get(handle).map(|object| object.shape).ok_or(Error::StaleHandle { handle });
        Ok(match (shape(a)?, shape(b)?) {
            (Shape::Aabb(a), Shape::Aabb(b)) => a.overlaps(&b),
            (Shape::Sphere(a), Shape::Sphere(b)) => overlap::sphere_sphere(&a, &b),
            (Shape::Aabb(aabb), Shape::Sphere(sphere)) | (Shape::Sphere(sphere), Shape::Aabb(aabb)) => {
                aabb.overlaps(&sphere.aabb()) && overlap::aabb_sphere(&aabb, &sphere)
            }
        })
    }
}
