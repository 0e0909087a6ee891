//! The objects nearest to a box.

use super::distant::Answer;
use super::nearest::{Near, Neighbor, nearest};
use super::order::QueryScratch;
use crate::Error;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::{Aabb, check_distance};
use alloc::vec::Vec;
use core::ops::ControlFlow;

impl View<'_> {
    /// Fills `found` with the `count` objects that are nearest to a box, no
    /// farther than `distance_max`, in order of distance, then of slot. Those
    /// that overlap it are at distance zero. The box may be unbounded.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// for x in [2.0, 0.5, 6.0] {
    ///     tree.insert(unit.translated(Vec3::X * x))?;
    /// }
    /// let mut found = Vec::new();
    /// tree.view().nearest_to_aabb_into(&unit, 2, 9.0, Layers::ALL, &mut found)?;
    /// assert_eq!(found.iter().map(|near| near.distance).collect::<Vec<_>>(), [0.0, 1.0]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::nearest_into`].
    ///
    /// # Errors
    /// A box that is not legal, as [`Aabb::check`]; a `distance_max` that is
    /// NaN or negative. `found` is then unchanged.
    pub fn nearest_to_aabb_into(
        self,
        aabb: &Aabb,
        count: usize,
        distance_max: f32,
        layers: Layers,
        found: &mut Vec<Neighbor>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        check_distance(distance_max)?;
        Ok(nearest(self, layers, Near::any(aabb), aabb, distance_max, count, found))
    }

    /// [`View::nearest_to_aabb_into`] with a narrow phase, as [`View::closest_object_where`].
    ///
    /// # Errors
    /// As [`View::nearest_to_aabb_into`]; `found` is then unchanged.
    pub fn nearest_to_aabb_where_into(
        self,
        aabb: &Aabb,
        count: usize,
        distance_max: f32,
        layers: Layers,
        mut refine: impl FnMut(&Neighbor) -> Option<f32>,
        found: &mut Vec<Neighbor>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        check_distance(distance_max)?;
        let refine = |answer: Answer| refine(&self.neighbor(aabb, answer.distance, answer.at));
        Ok(nearest(self, layers, Near::new(aabb, refine), aabb, distance_max, count, found))
    }

    /// Visits the objects within `distance_max` of a box, as [`View::nearest`].
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, QueryScratch, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let beside = tree.insert(unit.translated(Vec3::X * 2.0))?;
    /// let mut first = None;
    /// tree.view().nearest_to_aabb(&unit, 9.0, Layers::ALL, &mut QueryScratch::new(), |near| {
    ///     first = Some((near.handle, near.distance));
    ///     ControlFlow::Break(())
    /// })?;
    /// assert_eq!(first, Some((beside, 1.0)));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`View::nearest_to_aabb_into`].
    pub fn nearest_to_aabb(
        self,
        aabb: &Aabb,
        distance_max: f32,
        layers: Layers,
        scratch: &mut QueryScratch,
        visit: impl FnMut(Neighbor) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        check_distance(distance_max)?;
        Ok(self.nearest_in_order(aabb, Near::any(aabb), distance_max, layers, scratch, visit))
    }

    /// [`View::nearest_to_aabb`] with a narrow phase, as [`View::nearest_where`].
    ///
    /// # Errors
    /// As [`View::nearest_to_aabb_into`].
    pub fn nearest_to_aabb_where(
        self,
        aabb: &Aabb,
        distance_max: f32,
        layers: Layers,
        mut refine: impl FnMut(&Neighbor) -> Option<f32>,
        scratch: &mut QueryScratch,
        visit: impl FnMut(Neighbor) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        aabb.check()?;
        check_distance(distance_max)?;
        let refine = |answer: Answer| refine(&self.neighbor(aabb, answer.distance, answer.at));
        Ok(self.nearest_in_order(aabb, Near::new(aabb, refine), distance_max, layers, scratch, visit))
    }
}
