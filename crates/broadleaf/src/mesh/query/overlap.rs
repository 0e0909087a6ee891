//! Which triangles overlap a region: nodes are tested eight at a time in 32
//! bits, generously, and triangles one by one in 64.

use super::walk::{Question, walk};
use crate::Error;
use crate::data::terminals::terminals;
use crate::data::{QueryStats, Sink};
use crate::geometry::lanes::{
    ALL_PLANES, BoxQuery, Boxes, CapsuleQuery, FrustumQuery, LaneMask, ObbQuery, SphereQuery, WIDTH, set_bits,
};
use crate::geometry::triangle::hull::Hull;
use crate::geometry::triangle::overlap::{
    Ball, Planes, classify_in_aabb, classify_in_planes, planes_of, triangle_aabb,
};
use crate::geometry::triangle::point::corners;
use crate::geometry::triangle::rod::Rod;
use crate::geometry::{Aabb, Capsule, Containment, Frustum, Obb, Plane, Sphere, Triangle};
use crate::mesh::Mesh;
use crate::mesh::columns::Leaf;
use core::ops::ControlFlow;

/// A region that a mesh is asked about: [`Aabb`], [`Sphere`], [`Frustum`],
/// [`Obb`] or [`Capsule`]. No other type implements it.
///
/// ```
/// use broadleaf::{Aabb, Error, Mesh, glam::Vec3, mesh::MeshRegion, shape::Capsule};
///
/// fn is_free(mesh: &Mesh, region: &impl MeshRegion) -> Result<bool, Error> {
///     Ok(mesh.overlap(region)?.any().is_none())
/// }
///
/// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
/// assert!(is_free(&mesh, &Aabb::new(Vec3::splat(0.5), Vec3::ONE))?);
/// assert!(!is_free(&mesh, &Capsule::new(Vec3::Z, Vec3::splat(0.1), 0.2)?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MeshRegion: sealed::Sealed {
    /// The region, if it is legal.
    #[doc(hidden)]
    fn to_ref(&self) -> Result<sealed::RegionRef<'_>, Error>;
}

pub(in crate::mesh) mod sealed {
    //! The regions there are.

    use crate::geometry::{Aabb, Capsule, Frustum, Obb, Sphere};

    pub trait Sealed {}

    /// A legal region, whichever it is.
    #[derive(Debug, Clone, Copy)]
    pub enum RegionRef<'a> {
        /// A finite box.
        Aabb(Aabb),
        Sphere(&'a Sphere),
        Frustum(&'a Frustum),
        Obb(&'a Obb),
        Capsule(&'a Capsule),
    }

    impl Sealed for Aabb {}
    impl Sealed for Sphere {}
    impl Sealed for Frustum {}
    impl Sealed for Obb {}
    impl Sealed for Capsule {}
}

use sealed::RegionRef;

impl MeshRegion for Aabb {
    fn to_ref(&self) -> Result<RegionRef<'_>, Error> {
        self.check()?;
        Ok(RegionRef::Aabb(self.clamped_to_finite()))
    }
}

impl MeshRegion for Sphere {
    fn to_ref(&self) -> Result<RegionRef<'_>, Error> {
        self.check()?;
        Ok(RegionRef::Sphere(self))
    }
}

impl MeshRegion for Frustum {
    fn to_ref(&self) -> Result<RegionRef<'_>, Error> {
        Ok(RegionRef::Frustum(self))
    }
}

impl MeshRegion for Obb {
    fn to_ref(&self) -> Result<RegionRef<'_>, Error> {
        Ok(RegionRef::Obb(self))
    }
}

impl MeshRegion for Capsule {
    fn to_ref(&self) -> Result<RegionRef<'_>, Error> {
        Ok(RegionRef::Capsule(self))
    }
}

impl Mesh {
    /// Asks which triangles share a point with a region: [`Aabb`], [`Sphere`],
    /// [`Frustum`], [`Obb`] or [`Capsule`].
    ///
    /// # Errors
    /// A box or a sphere that is not legal, as [`Aabb::check`] and [`Sphere::check`].
    #[inline]
    pub fn overlap<'a>(&'a self, region: &'a impl MeshRegion) -> Result<MeshOverlapQuery<'a>, Error> {
        Ok(MeshOverlapQuery { mesh: self, region: region.to_ref()?, stats: None })
    }
}

/// The question which triangles of a mesh share a point with a region, made by
/// [`Mesh::overlap`]. It answers with a triangle's place in the input.
///
/// *Units:* region and triangles are closed, so touching counts. Tests are
/// exact but for the rounding of 64-bit floats.
///
/// *Order:* leaf by leaf, in an order that follows from the mesh and the region alone.
///
/// *Cost:* in proportion to the nodes that the region overlaps.
///
/// ```
/// use broadleaf::{Aabb, Mesh, Sphere, glam::Vec3};
///
/// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE], &[0, 1, 2, 1, 3, 2])?;
/// let mut found = Vec::new();
/// mesh.overlap(&Aabb::new(Vec3::ZERO, Vec3::splat(0.3)))?.collect_into(&mut found);
/// assert_eq!(found, [0]);
/// assert_eq!(mesh.overlap(&Sphere::new(Vec3::NEG_Z, 1.0))?.count(), 1, "touching counts");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a question does nothing until it ends, as in `.collect_into(&mut found)`"]
pub struct MeshOverlapQuery<'a> {
    mesh: &'a Mesh,
    region: RegionRef<'a>,
    stats: Option<&'a mut QueryStats>,
}

impl<'a> MeshOverlapQuery<'a> {
    /// Answers with how each triangle lies to the region, too.
    #[inline]
    pub fn with_containment(self) -> MeshContainmentQuery<'a> {
        MeshContainmentQuery(self)
    }

    /// Adds the work done to `stats`.
    #[inline]
    pub fn stats(self, stats: &'a mut QueryStats) -> Self {
        Self { stats: Some(stats), ..self }
    }

    terminals!(u32);

    fn run(&mut self, sink: Sink<'_, u32>) {
        let Self { mesh, region, stats } = self;
        sink.drive(|visit| {
            let work = Solid::of(region).overlapping(mesh, visit);
            work.add_to(stats.as_deref_mut());
        });
    }
}

/// A [`MeshOverlapQuery`] that answers with how each triangle lies to the
/// region, too: `Inside` if all of it does.
///
/// ```
/// use broadleaf::{ClipDepth, Containment, Frustum, Mesh, glam::{Mat4, Vec3}};
///
/// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 9.0], &[0, 1, 2, 0, 3, 2])?;
/// let unit_cube = Frustum::from_view_projection(Mat4::from_scale(Vec3::splat(0.5)), ClipDepth::NegativeOneToOne)?;
/// let mut seen = Vec::new();
/// mesh.overlap(&unit_cube)?.with_containment().collect_into(&mut seen);
/// assert_eq!(seen, [(0, Containment::Inside), (1, Containment::Intersecting)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a question does nothing until it ends, as in `.collect_into(&mut found)`"]
pub struct MeshContainmentQuery<'a>(MeshOverlapQuery<'a>);

impl<'a> MeshContainmentQuery<'a> {
    /// Adds the work done to `stats`.
    #[inline]
    pub fn stats(self, stats: &'a mut QueryStats) -> Self {
        Self(self.0.stats(stats))
    }

    terminals!((u32, Containment));

    fn run(&mut self, sink: Sink<'_, (u32, Containment)>) {
        let MeshOverlapQuery { mesh, region, stats } = &mut self.0;
        sink.drive(|visit| {
            let work = Solid::of(region).classified(mesh, visit);
            work.add_to(stats.as_deref_mut());
        });
    }
}

/// Hands triangles over, one by one, until it breaks.
type Visit<'v, T> = &'v mut dyn FnMut(T) -> ControlFlow<()>;

/// A region as it is tested: the exact shape in 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Solid {
    Aabb(Aabb),
    Ball(Ball),
    Planes(Planes),
    Hull(Hull),
    Rod(Rod),
}

impl Solid {
    /// A region as it is.
    pub(crate) fn of(region: &RegionRef<'_>) -> Self {
        match region {
            RegionRef::Aabb(aabb) => Self::Aabb(*aabb),
            RegionRef::Sphere(sphere) => Self::Ball(Ball::of_sphere(sphere)),
            RegionRef::Frustum(frustum) => Self::Planes(planes_of(frustum)),
            RegionRef::Obb(obb) => Self::Hull(Hull::of_obb(obb)),
            RegionRef::Capsule(capsule) => {
                let [a, b] = [capsule.a(), capsule.b()].map(|end| end.as_dvec3());
                Self::Rod(Rod { a, b, radius: f64::from(capsule.radius()) })
            }
        }
    }

    /// Visits the triangles of a mesh that share a point with the region.
    pub(crate) fn overlapping(&self, mesh: &Mesh, visit: Visit<'_, u32>) -> QueryStats {
        let mut visit = |index: u32, ()| visit(index);
        let yes = |overlaps: bool| overlaps.then_some(());
        match self {
            Self::Aabb(aabb) => self.ask(mesh, |triangle| yes(triangle_aabb(triangle, aabb)), &mut visit),
            Self::Ball(ball) => self.ask(mesh, |triangle| yes(ball.overlaps(&corners(triangle))), &mut visit),
            Self::Planes(planes) => {
                self.ask(mesh, |triangle| yes(classify_in_planes(&corners(triangle), planes).is_some()), &mut visit)
            }
            Self::Hull(hull) => self.ask(mesh, |triangle| yes(hull.overlaps(&corners(triangle))), &mut visit),
            Self::Rod(rod) => self.ask(mesh, |triangle| yes(rod.overlaps(&corners(triangle))), &mut visit),
        }
    }

    /// The same, and how each triangle lies to the region.
    pub(crate) fn classified(&self, mesh: &Mesh, visit: Visit<'_, (u32, Containment)>) -> QueryStats {
        let mut visit = |index: u32, containment: Containment| visit((index, containment));
        match self {
            Self::Aabb(aabb) => self.ask(mesh, |triangle| classify_in_aabb(triangle, aabb), &mut visit),
            Self::Ball(ball) => self.ask(mesh, |triangle| ball.classify(&corners(triangle)), &mut visit),
            Self::Planes(planes) => {
                self.ask(mesh, |triangle| classify_in_planes(&corners(triangle), planes), &mut visit)
            }
            Self::Hull(hull) => self.ask(mesh, |triangle| hull.classify(&corners(triangle)), &mut visit),
            Self::Rod(rod) => self.ask(mesh, |triangle| rod.classify(&corners(triangle)), &mut visit),
        }
    }

    /// Visits the triangles that pass an exact test, in leaves and boxes that the region may overlap.
    fn ask<T>(
        &self,
        mesh: &Mesh,
        exact: impl Fn(&Triangle) -> Option<T>,
        visit: &mut dyn FnMut(u32, T) -> ControlFlow<()>,
    ) -> QueryStats {
        let bounds = &mesh.bounds;
        match self {
            Self::Aabb(aabb) => {
                let query = BoxQuery::new(aabb);
                walk(mesh, &mut Overlapping { test: |boxes: &Boxes| boxes.overlaps(&query), exact, visit })
            }
            Self::Ball(ball) => {
                let query = SphereQuery::new(&wide_sphere(ball));
                walk(mesh, &mut Overlapping { test: |boxes: &Boxes| query.overlaps_boxes(boxes), exact, visit })
            }
            Self::Planes(planes) => {
                let query = wide_frustum(planes, bounds);
                let test = |boxes: &Boxes| query.boxes(boxes, ALL_PLANES).visible;
                walk(mesh, &mut Overlapping { test, exact, visit })
            }
            Self::Hull(hull) => {
                let query = ObbQuery::new(&wide_obb(hull, bounds));
                walk(mesh, &mut Overlapping { test: |boxes: &Boxes| query.boxes(boxes), exact, visit })
            }
            Self::Rod(rod) => {
                let query = CapsuleQuery::new(&wide_capsule(rod));
                walk(mesh, &mut Overlapping { test: |boxes: &Boxes| query.boxes(boxes), exact, visit })
            }
        }
    }
}

/// Tests in 32 bits accept a little more than the exact ones: so much more.
const GENEROUS: f32 = 1.0 + 1.0 / (1 << 19) as f32;
/// The same where a middle with 64 bits is rounded to 32.
const ROUNDED: f32 = 1.0 / (1 << 21) as f32;

#[expect(clippy::cast_possible_truncation, reason = "rounded; what that may lose is added")]
fn wide_sphere(ball: &Ball) -> Sphere {
    let (center, radius) = (ball.center.as_vec3(), ball.radius as f32 * GENEROUS);
    // Nothing is lost of a middle that has 32 bits.
    let lost = if center.as_dvec3() == ball.center { 0.0 } else { center.abs().max_element() * ROUNDED };
    Sphere { center, radius: radius + lost + Sphere::UNDERFLOW_DISTANCE as f32 }
}

#[expect(clippy::cast_possible_truncation, reason = "rounded; what that may lose is added")]
fn wide_frustum(planes: &Planes, bounds: &Aabb) -> FrustumQuery {
    let far = bounds.min.abs().max(bounds.max.abs()).max_element();
    let rounded = planes.map(|(normal, offset)| Plane::new(normal.as_vec3(), offset as f32));
    let offset = rounded.iter().fold(far, |most, plane| most.max(plane.offset.abs()));
    FrustumQuery::new(&Frustum::of_unit_planes(rounded)).expanded(offset * (GENEROUS - 1.0))
}

/// An oriented box around a hull, wider by what 32 bits round off at boxes within `bounds`.
#[expect(clippy::cast_possible_truncation, reason = "rounded; what that may lose is added")]
fn wide_obb(hull: &Hull, bounds: &Aabb) -> Obb {
    let center = hull.center.as_vec3();
    let half = hull.edges.map(|edge| edge.length() as f32);
    let far = bounds.min.abs().max(bounds.max.abs()).max_element() + center.abs().max_element();
    let margin = (far + half[0] + half[1] + half[2]) * (GENEROUS - 1.0) + f32::MIN_POSITIVE;
    Obb::of_unit_axes(center, half.map(|half| half + margin).into(), hull.axes.map(|axis| axis.as_vec3()))
}

#[expect(clippy::cast_possible_truncation, reason = "rounded; what that may lose is added")]
fn wide_capsule(rod: &Rod) -> Capsule {
    let [a, b] = [rod.a, rod.b].map(|end| end.as_vec3());
    let lost = a.abs().max(b.abs()).max_element() * ROUNDED;
    Capsule::unchecked(a, b, rod.radius as f32 * GENEROUS + lost)
}

struct Overlapping<'v, A, B, T> {
    test: A,
    exact: B,
    visit: &'v mut dyn FnMut(u32, T) -> ControlFlow<()>,
}

impl<'a, A, B, T> Question<'a> for Overlapping<'_, A, B, T>
where
    A: Fn(&Boxes) -> LaneMask,
    B: Fn(&Triangle) -> Option<T>,
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
