//! Which objects overlap a box.

use super::walk::{Found, Question, walk};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Aabb;
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, Spheres};
use crate::{Error, Handle};
use alloc::vec::Vec;
use core::ops::ControlFlow;

struct InAabb<F> {
    aabb: Aabb,
    query: BoxQuery,
    visit: F,
}

impl<F: FnMut(Handle) -> ControlFlow<()>> Question for InAabb<F> {
    type Carry = ();
    type Lanes = ();
    const GATHERED: bool = true;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (boxes.overlaps(&self.query), ())
    }

    #[inline]
    fn carry(&self, (): &(), _: usize) {}

    #[inline]
    fn refine(&self, spheres: &Spheres, _: LaneMask, (): &mut ()) -> LaneMask {
        spheres.overlaps_box(&self.aabb)
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, ()>) -> ControlFlow<()> {
        (self.visit)(object.handle())
    }
}

impl View<'_> {
    /// Visits the objects that overlap a box; touching counts. The box may be
    /// unbounded.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let (here, far) = (tree.insert(unit)?, tree.insert(unit.translated(Vec3::X * 9.0))?);
    /// let mut found = Vec::new();
    /// tree.view().in_aabb(&Aabb::new(Vec3::ONE, Vec3::splat(2.0)), Layers::ALL, |handle| {
    ///     found.push(handle);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(found, [here]);
    /// assert!(!found.contains(&far));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds overlap the box.
    ///
    /// # Errors
    /// A box that is not legal, as [`Aabb::check`].
    pub fn in_aabb(
        self,
        aabb: &Aabb,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        Ok(self.in_legal_aabb(aabb, layers, visit))
    }

    pub(super) fn in_legal_aabb(
        self,
        aabb: &Aabb,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> QueryStats {
        walk(self, layers, &mut InAabb { aabb: *aabb, query: BoxQuery::new(aabb), visit })
    }

    /// Fills `found` with the objects that overlap a box, as [`View::in_aabb`].
    ///
    /// # Errors
    /// A box that is not legal; `found` is then unchanged.
    pub fn in_aabb_into(self, aabb: &Aabb, layers: Layers, found: &mut Vec<Handle>) -> Result<QueryStats, Error> {
        aabb.check()?;
        found.clear();
        Ok(self.in_legal_aabb(aabb, layers, |handle| {
            found.push(handle);
            ControlFlow::Continue(())
        }))
    }
}
