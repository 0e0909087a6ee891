//! Which triangles overlap a box, a sphere, a frustum.

use super::Mesh;
use crate::Error;
use crate::data::view::QueryStats;
use crate::geometry::triangle::overlap::{triangle_aabb, triangle_frustum, triangle_sphere};
use crate::geometry::{Aabb, Containment, Frustum, Sphere, Triangle};
use alloc::vec::Vec;
use core::ops::ControlFlow;

impl Mesh {
    /// Visits the triangles that overlap a box; touching counts.
    ///
    /// # Errors
    /// A box that is not legal, as [`Aabb::check`].
    pub fn in_aabb(&self, aabb: &Aabb, mut visit: impl FnMut(u32) -> ControlFlow<()>) -> Result<QueryStats, Error> {
        aabb.check()?;
        let aabb = aabb.clamped_to_finite();
        Ok(self.overlapping(|triangle| triangle_aabb(triangle, &aabb).then_some(()), |index, ()| visit(index)))
    }

    /// Fills `found` with the triangles that overlap a box; touching counts.
    ///
    /// # Errors
    /// A box that is not legal; `found` is then unchanged.
    pub fn in_aabb_into(&self, aabb: &Aabb, found: &mut Vec<u32>) -> Result<QueryStats, Error> {
        aabb.check()?;
        found.clear();
        self.in_aabb(aabb, |index| {
            found.push(index);
            ControlFlow::Continue(())
        })
    }

    /// Visits the triangles that overlap a sphere; touching counts.
    ///
    /// # Errors
    /// A sphere that is not legal, as [`Sphere::check`].
    pub fn in_sphere(
        &self,
        sphere: &Sphere,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        sphere.check()?;
        Ok(self.overlapping(|triangle| triangle_sphere(triangle, sphere).then_some(()), |index, ()| visit(index)))
    }

    /// Fills `found` with the triangles that overlap a sphere; touching counts.
    ///
    /// # Errors
    /// A sphere that is not legal; `found` is then unchanged.
    pub fn in_sphere_into(&self, sphere: &Sphere, found: &mut Vec<u32>) -> Result<QueryStats, Error> {
        sphere.check()?;
        found.clear();
        self.in_sphere(sphere, |index| {
            found.push(index);
            ControlFlow::Continue(())
        })
    }

    /// Visits the triangles that share a point with a frustum, and says of each whether it lies wholly inside.
    pub fn in_frustum(&self, frustum: &Frustum, visit: impl FnMut(u32, Containment) -> ControlFlow<()>) -> QueryStats {
        self.overlapping(|triangle| triangle_frustum(triangle, frustum), visit)
    }

    /// Fills `found` with the triangles that share a point with a frustum.
    pub fn in_frustum_into(&self, frustum: &Frustum, found: &mut Vec<(u32, Containment)>) -> QueryStats {
        found.clear();
        self.in_frustum(frustum, |index, containment| {
            found.push((index, containment));
            ControlFlow::Continue(())
        })
    }

    fn overlapping<T>(
        &self,
        test: impl Fn(&Triangle) -> Option<T>,
        mut visit: impl FnMut(u32, T) -> ControlFlow<()>,
    ) -> QueryStats {
        let mut stats = QueryStats::default();
        for (index, triangle) in self.found() {
            stats.objects_tested += 1;
            if let Some(found) = test(&triangle) {
                stats.hits += 1;
                if visit(index, found).is_break() {
                    break;
                }
            }
        }
        stats
    }
}
