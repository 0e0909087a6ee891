//! Which objects overlap a box, near to far.

use super::distant::{Answer, Distant};
use super::nearest::Neighbor;
use super::order::{QueryScratch, in_order};
use crate::Error;
use crate::data::ids::{Location, ObjectWord};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, NearQuery, Spheres, WIDTH, raise};
use crate::geometry::{Aabb, check_point};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

struct InAabbFrom {
    aabb: Aabb,
    query: BoxQuery,
    near: NearQuery,
}

impl Distant for InAabbFrom {
    type Lanes = [f32; WIDTH];

    #[inline]
    fn test(&self, boxes: &Boxes, _: u8, limit: f32) -> (LaneMask, [f32; WIDTH]) {
        let (within, distances) = self.near.boxes(boxes, limit);
        (boxes.overlaps(&self.query) & within, distances)
    }

    #[inline]
    fn bounds(distances: &[f32; WIDTH]) -> &[f32; WIDTH] {
        distances
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH], _: f32) -> LaneMask {
        raise(distances, which, &self.near.spheres(spheres));
        spheres.overlaps_box(&self.aabb)
    }

    #[inline]
    fn settle(&mut self, _: ObjectWord, _: Location, bound: f32) -> Option<f32> {
        Some(bound)
    }
}

impl View<'_> {
    /// Visits the objects that [`View::in_aabb`] reports in order of distance
    /// from a point, then of slot, for as long as the visitor wants more.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, QueryScratch, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let near = tree.insert(unit.translated(Vec3::X * 2.0))?;
    /// let here = tree.insert(unit)?;
    /// let mut order = Vec::new();
    /// let room = Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0));
    /// tree.view().in_aabb_from(&room, Vec3::ZERO, Layers::ALL, &mut QueryScratch::new(), |object| {
    ///     order.push((object.handle, object.distance));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(order, [(here, 0.0), (near, 2.0)]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes nearest first and none beyond the last object
    /// taken; each node and object on the way goes through a heap.
    ///
    /// # Errors
    /// A box that is not legal, as [`Aabb::check`]; a coordinate that is not finite.
    pub fn in_aabb_from(
        self,
        aabb: &Aabb,
        point: Vec3,
        layers: Layers,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(Neighbor) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        check_point(point, ["point.x", "point.y", "point.z"])?;
        let from = Aabb::new(point, point);
        let question = InAabbFrom { aabb: *aabb, query: BoxQuery::new(aabb), near: NearQuery::new(&from) };
        let visit = |answer: Answer| visit(self.neighbor(&from, answer.distance, answer.at));
        Ok(in_order(self, layers, question, f32::INFINITY, scratch, visit))
    }

    /// Fills `found` with the objects of [`View::in_aabb_from`].
    ///
    /// # Errors
    /// As [`View::in_aabb_from`]; `found` is then unchanged.
    pub fn in_aabb_from_into(
        self,
        aabb: &Aabb,
        point: Vec3,
        layers: Layers,
        scratch: &mut QueryScratch,
        found: &mut Vec<Neighbor>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        check_point(point, ["point.x", "point.y", "point.z"])?;
        found.clear();
        self.in_aabb_from(aabb, point, layers, scratch, |neighbor| {
            found.push(neighbor);
            ControlFlow::Continue(())
        })
    }
}
