//! Which objects overlap a sphere.

use super::walk::{Found, Question, walk};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Sphere;
use crate::geometry::lanes::{Boxes, LaneMask, SphereQuery, Spheres};
use crate::{Error, Handle};
use alloc::vec::Vec;
use core::ops::ControlFlow;

struct InSphere<F> {
    query: SphereQuery,
    visit: F,
}

impl<F: FnMut(Handle) -> ControlFlow<()>> Question for InSphere<F> {
    type Carry = ();
    type Lanes = ();
    const GATHERED: bool = true;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (self.query.overlaps_boxes(boxes), ())
    }

    #[inline]
    fn carry(&self, (): &(), _: usize) {}

    #[inline]
    fn refine(&self, spheres: &Spheres, _: LaneMask, (): &mut ()) -> LaneMask {
        spheres.overlaps_sphere(&self.query)
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, ()>) -> ControlFlow<()> {
        (self.visit)(object.handle())
    }
}

impl View<'_> {
    /// Visits the objects that overlap a sphere; touching counts. Exact for
    /// boxes and spheres.
    ///
    /// ```
    /// use broadleaf::{Layers, Octree, Sphere, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let barrel = tree.insert(Sphere::new(Vec3::X * 3.0, 1.0))?;
    /// let mut blown = Vec::new();
    /// tree.view().in_sphere(&Sphere::new(Vec3::ZERO, 2.0), Layers::ALL, |handle| {
    ///     blown.push(handle);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(blown, [barrel]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds overlap the sphere.
    ///
    /// # Errors
    /// A sphere that is not legal, as [`Sphere::check`].
    pub fn in_sphere(
        self,
        sphere: &Sphere,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        sphere.check()?;
        Ok(self.in_legal_sphere(sphere, layers, visit))
    }

    pub(super) fn in_legal_sphere(
        self,
        sphere: &Sphere,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> QueryStats {
        walk(self, layers, &mut InSphere { query: SphereQuery::new(sphere), visit })
    }

    /// Fills `found` with the objects that overlap a sphere, as [`View::in_sphere`].
    ///
    /// # Errors
    /// A sphere that is not legal; `found` is then unchanged.
    pub fn in_sphere_into(self, sphere: &Sphere, layers: Layers, found: &mut Vec<Handle>) -> Result<QueryStats, Error> {
        sphere.check()?;
        found.clear();
        Ok(self.in_legal_sphere(sphere, layers, |handle| {
            found.push(handle);
            ControlFlow::Continue(())
        }))
    }
}
