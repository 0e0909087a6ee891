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
    /// Visits the triangles that overlap a box; both are closed: touching counts.
    ///
    /// *Order:* leaf by leaf, in an order that follows from the mesh and the box alone.
    ///
    /// *Cost:* in proportion to the nodes that the box overlaps.
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

    /// Fills `found` with the triangles that overlap a box, in the order of
    /// [`Mesh::in_aabb`]; touching counts.
    ///
    /// # Errors
    /// A box that is not legal; `found` is then unchanged.
    ///
    /// ```
    /// use broadleaf::{Aabb, Mesh, glam::Vec3};
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE], &[0, 1, 2, 1, 3, 2])?;
    /// let mut found = Vec::new();
    /// mesh.in_aabb_into(&Aabb::new(Vec3::ZERO, Vec3::splat(0.3)), &mut found)?;
    /// assert_eq!(found, [0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_aabb_into(&self, aabb: &Aabb, found: &mut Vec<u32>) -> Result<QueryStats, Error> {
        aabb.check()?;
        found.clear();
        self.in_aabb(aabb, |index| {
            found.push(index);
            ControlFlow::Continue(())
        })
    }

    /// Visits the triangles that overlap a sphere; both are closed: touching counts.
    ///
    /// *Order:* leaf by leaf, in an order that follows from the mesh and the sphere alone.
    ///
    /// *Cost:* in proportion to the nodes that the sphere overlaps.
    ///
    /// # Errors
    /// A sphere that is not legal, as [`Sphere::check`].
    pub fn in_sphere(
        &self,
        sphere: &Sphere,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<QueryStats, Error> {
        sphere.check()?;
        let radius = sphere.radius * GENEROUS + SQUARES_VANISH;
        let query = SphereQuery::new(&Sphere { radius, ..*sphere });
        let exact = |triangle: &Triangle| triangle_sphere(triangle, sphere).then_some(());
        Ok(self.overlapping(|boxes| query.overlaps_boxes(boxes), exact, |index, ()| visit(index)))
    }

    /// Fills `found` with the triangles that overlap a sphere, in the order of
    /// [`Mesh::in_sphere`]; touching counts.
    ///
    /// # Errors
    /// A sphere that is not legal; `found` is then unchanged.
    ///
    /// ```
    /// use broadleaf::{Mesh, Sphere, glam::Vec3};
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
    /// let mut found = Vec::new();
    /// mesh.in_sphere_into(&Sphere::new(Vec3::Z, 1.0), &mut found)?;
    /// assert_eq!(found, [0], "touching counts");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_sphere_into(&self, sphere: &Sphere, found: &mut Vec<u32>) -> Result<QueryStats, Error> {
        sphere.check()?;
        found.clear();
        self.in_sphere(sphere, |index| {
            found.push(index);
            ControlFlow::Continue(())
        })
    }

    /// Visits the triangles that share a point with a frustum, and says of each
    /// whether it lies wholly inside. Both are closed: touching counts.
    ///
    /// *Order:* leaf by leaf, in an order that follows from the mesh and the frustum alone.
    ///
    /// *Cost:* in proportion to the nodes in the frustum.
    pub fn in_frustum(&self, frustum: &Frustum, visit: impl FnMut(u32, Containment) -> ControlFlow<()>) -> QueryStats {
        let far = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        let offset = frustum.planes().iter().fold(far, |most, plane| most.max(plane.offset.abs()));
        let query = FrustumQuery::new(frustum).expanded(offset * (GENEROUS - 1.0));
        let exact = |triangle: &Triangle| triangle_frustum(triangle, frustum);
        self.overlapping(|boxes| query.boxes(boxes, ALL_PLANES).visible, exact, visit)
    }

    /// Fills `found` with the triangles that share a point with a frustum, in
    /// the order of [`Mesh::in_frustum`].
    ///
    /// ```
    /// use broadleaf::{ClipDepth, Containment, Frustum, Mesh, glam::{Mat4, Vec3}};
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 9.0], &[0, 1, 2, 0, 3, 2])?;
    /// let unit_cube = Frustum::from_view_projection(Mat4::from_scale(Vec3::splat(0.5)), ClipDepth::NegativeOneToOne)?;
    /// let mut seen = Vec::new();
    /// mesh.in_frustum_into(&unit_cube, &mut seen);
    /// assert_eq!(seen, [(0, Containment::Inside), (1, Containment::Intersecting)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
/// 2^-72: below this, squares of distances vanish in 32 bits, or lose most of their digits.
const SQUARES_VANISH: f32 = 1.0 / (1_u128 << 72) as f32;

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
