//! Which objects contain a point.

use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::{Aabb, check_point};
use crate::{Error, Handle};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

impl View<'_> {
    /// Visits the objects that contain a point, surfaces included.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let room = tree.insert(Aabb::new(Vec3::ZERO, Vec3::splat(4.0)))?;
    /// let mut around = None;
    /// tree.view().at_point(Vec3::splat(4.0), Layers::ALL, |handle| {
    ///     around = Some(handle);
    ///     ControlFlow::Break(()) // one is enough
    /// })?;
    /// assert_eq!(around, Some(room));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order* and *cost:* those of [`View::in_aabb`].
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn at_point(
        self,
        point: Vec3,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        // Both tests of a box without extent are those of a point. Those of a
        // sphere of radius zero are not: a tiny distance squared is zero.
        self.in_aabb(&Aabb::new(point, point), layers, visit)
    }

    /// Fills `found` with the objects that contain a point, as [`View::at_point`].
    ///
    /// # Errors
    /// A coordinate that is not finite; `found` is then unchanged.
    pub fn at_point_into(self, point: Vec3, layers: Layers, found: &mut Vec<Handle>) -> Result<QueryStats, Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        self.in_aabb_into(&Aabb::new(point, point), layers, found)
    }
}
