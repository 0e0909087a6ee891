//! Which triangles overlap a box, a sphere, a frustum.

use super::Mesh;
use super::columns::Leaf;
use super::walk::{Question, walk};
use crate::Error;
use crate::data::view::QueryStats;
use crate::geometry::lanes::{ALL_PLANES, BoxQuery, Boxes, FrustumQuery, LaneMask, SphereQuery, WIDTH, set_bits};
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
        let query = BoxQuery::new(&aabb);
        let exact = |triangle: &Triangle| triangle_aabb(triangle, &aabb).then_some(());
        Ok(self.overlapping(|boxes| boxes.overlaps(&query), exact, |index, ()| visit(index)))
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
        let query = SphereQuery::new(&Sphere { radius: sphere.radius * GENEROUS, ..*sphere });
        let exact = |triangle: &Triangle| triangle_sphere(triangle, sphere).then_some(());
        Ok(self.overlapping(|boxes| query.overlaps_boxes(boxes), exact, |index, ()| visit(index)))
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
        let far = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        let offset = frustum.planes().iter().fold(far, |most, plane| most.max(plane.offset.abs()));
        let query = FrustumQuery::new(frustum).expanded(offset * (GENEROUS - 1.0));
        let exact = |triangle: &Triangle| triangle_frustum(triangle, frustum);
        self.overlapping(|boxes| query.boxes(boxes, ALL_PLANES).visible, exact, visit)
    }

    /// Fills `found` with the triangles that share a point with a frustum.
    pub fn in_frustum_into(&self, frustum: &Frustum, found: &mut Vec<(u32, Containment)>) -> QueryStats {
        found.clear();
        self.in_frustum(frustum, |index, containment| {
            found.push((index, containment));
            ControlFlow::Continue(())
        })
    }

    /// Visits the triangles that pass the exact test, in leaves and boxes that pass the other.
    fn overlapping<T>(
        &self,
        test: impl Fn(&Boxes) -> LaneMask,
        exact: impl Fn(&Triangle) -> Option<T>,
        visit: impl FnMut(u32, T) -> ControlFlow<()>,
    ) -> QueryStats {
        walk(self, &mut Overlapping { test, exact, visit })
    }
}

/// Tests in 32 bits accept a little more than the exact ones: so much more.
const GENEROUS: f32 = 1.0 + 1.0 / (1 << 19) as f32;

struct Overlapping<A, B, F> {
    test: A,
    exact: B,
    visit: F,
}

impl<'a, A, B, F, T> Question<'a> for Overlapping<A, B, F>
where
    A: Fn(&Boxes) -> LaneMask,
    B: Fn(&Triangle) -> Option<T>,
    F: FnMut(u32, T) -> ControlFlow<()>,
{
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        // All are equally near: they are visited in the order of the tree.
        ((self.test)(boxes), [0.0; WIDTH])
    }

    #[inline]
    fn reach(&self) -> f32 {
        f32::MAX
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let mask = (self.test)(&leaf.triangles.boxes()) & leaf.occupied();
        for lane in set_bits(u64::from(mask)) {
            if let Some(found) = (self.exact)(&leaf.triangles.get(lane)) {
                stats.hits += 1;
                (self.visit)(leaf.ids[lane % WIDTH], found)?;
            }
        }
        ControlFlow::Continue(())
    }
}
