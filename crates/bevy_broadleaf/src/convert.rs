//! Bevy's shapes as those of the library. Vectors pass as arrays, so that the two may use
//! different versions of glam.

use bevy_camera::primitives::Frustum as CameraFrustum;
use bevy_math::{Vec3, Vec3A};
use bevy_shape::{Aabb3d, AabbCast3d, BoundingSphere, BoundingSphereCast, Ray3d, RayCast3d, ViewFrustum};
use broadleaf::query::{Cast, CastQuery, Place, Refine, Region, StartInside};
use broadleaf::shape::Plane;
use broadleaf::{Aabb, Error, Frustum, Ray, Sphere, Sweep, query::Accept};
use core::borrow::Borrow;

pub(crate) fn vector(vector: Vec3) -> broadleaf::glam::Vec3 {
    vector.to_array().into()
}

/// What [`SpatialIndex::overlap`](crate::SpatialIndex::overlap) takes: a point ([`Vec3`]),
/// [`Aabb3d`], [`BoundingSphere`] or a camera's [`Frustum`](CameraFrustum) of Bevy by value, and
/// any [`Region`] of the library or of your own by reference.
pub trait IntoRegion {
    /// The library's region.
    type Region: Region;
    /// The region, or a reference to it.
    type Owned: Borrow<Self::Region>;

    /// Converts.
    ///
    /// # Errors
    /// What has no counterpart in the library.
    fn into_region(self) -> Result<Self::Owned, Error>;
}

impl<'r, R: Region> IntoRegion for &'r R {
    type Region = R;
    type Owned = &'r R;

    fn into_region(self) -> Result<Self::Owned, Error> {
        Ok(self)
    }
}

impl IntoRegion for Vec3 {
    type Region = broadleaf::glam::Vec3;
    type Owned = broadleaf::glam::Vec3;

    fn into_region(self) -> Result<Self::Owned, Error> {
        Ok(vector(self))
    }
}

impl IntoRegion for Aabb3d {
    type Region = Aabb;
    type Owned = Aabb;

    fn into_region(self) -> Result<Aabb, Error> {
        Ok(aabb(&self))
    }
}

impl IntoRegion for BoundingSphere {
    type Region = Sphere;
    type Owned = Sphere;

    fn into_region(self) -> Result<Sphere, Error> {
        Ok(sphere(&self))
    }
}

impl IntoRegion for CameraFrustum {
    type Region = Frustum;
    type Owned = Frustum;

    fn into_region(self) -> Result<Frustum, Error> {
        frustum(&self, true)
    }
}

fn aabb(aabb: &Aabb3d) -> Aabb {
    Aabb::new(aabb.min.to_array(), aabb.max.to_array())
}

fn sphere(ball: &BoundingSphere) -> Sphere {
    Sphere::new(ball.center.to_array(), ball.radius())
}

/// The planes of a camera, without the one at its far end unless that is wanted. For a plane that
/// bounds nothing (of a camera that sees to infinity) stands another one.
///
/// # Errors
/// If no plane bounds anything.
pub(crate) fn frustum(frustum: &CameraFrustum, far_end: bool) -> Result<Frustum, Error> {
    let planes = frustum.half_spaces.map(|half_space| {
        let [x, y, z, w] = half_space.normal_d().to_array();
        Plane::new([x, y, z], w)
    });
    let bounds = |index: usize| {
        let Plane { normal, offset } = planes[index];
        let is_wanted = far_end || index != ViewFrustum::FAR_PLANE_IDX;
        is_wanted && offset.is_finite() && normal.is_finite() && normal.length_squared() > 0.5
    };
    let other = (0..planes.len()).find(|&index| bounds(index)).unwrap_or(0);
    Frustum::from_planes(core::array::from_fn(|index| planes[if bounds(index) { index } else { other }]))
}

/// What [`SpatialIndex::cast`](crate::SpatialIndex::cast) takes: [`Ray3d`], [`RayCast3d`],
/// [`AabbCast3d`], [`BoundingSphereCast`] of Bevy by value; [`Ray`] and [`Sweep`] of the library
/// by reference.
///
/// A moving shape must stop somewhere: casts of Bevy whose `max` is not finite are refused.
pub trait IntoCast {
    /// The library's cast.
    type Cast: BuiltInCast;

    /// Converts.
    ///
    /// # Errors
    /// A number that is not finite, and whatever else the library refuses.
    fn into_cast(self) -> Result<Self::Cast, Error>;
}

/// [`Ray`] and [`Sweep`].
pub trait BuiltInCast: Cast + Copy {
    /// Says what a start inside an entity counts as, if the cast is a ray.
    #[doc(hidden)]
    fn starting<N: Refine<Self::Hit>, F: Accept>(
        question: CastQuery<'_, Self, N, F>,
        _inside: StartInside,
    ) -> CastQuery<'_, Self, N, F> {
        question
    }
}

impl BuiltInCast for Sweep {}

impl BuiltInCast for Ray {
    fn starting<N: Refine<Self::Hit>, F: Accept>(
        question: CastQuery<'_, Self, N, F>,
        inside: StartInside,
    ) -> CastQuery<'_, Self, N, F> {
        question.inside(inside)
    }
}

impl<C: BuiltInCast> IntoCast for &C {
    type Cast = C;

    fn into_cast(self) -> Result<C, Error> {
        Ok(*self)
    }
}

impl IntoCast for Ray3d {
    type Cast = Ray;

    fn into_cast(self) -> Result<Ray, Error> {
        ray(self.origin, *self.direction)
    }
}

impl IntoCast for RayCast3d {
    type Cast = Ray;

    fn into_cast(self) -> Result<Ray, Error> {
        let ray = ray(self.origin.into(), Vec3A::from(self.direction).into())?;
        if self.max == f32::INFINITY || self.max == f32::MAX { Ok(ray) } else { ray.with_distance_max(self.max) }
    }
}

impl IntoCast for AabbCast3d {
    type Cast = Sweep;

    fn into_cast(self) -> Result<Sweep, Error> {
        let (origin, motion) = (vector(self.ray.origin.into()), motion(&self.ray));
        Sweep::aabb(aabb(&self.aabb).translated(origin), motion)
    }
}

impl IntoCast for BoundingSphereCast {
    type Cast = Sweep;

    fn into_cast(self) -> Result<Sweep, Error> {
        let center = self.sphere.center + self.ray.origin;
        Sweep::sphere(Sphere::new(center.to_array(), self.sphere.radius()), motion(&self.ray))
    }
}

fn ray(origin: Vec3, direction: Vec3) -> Result<Ray, Error> {
    Ray::new(origin.to_array(), direction.to_array())
}

fn motion(ray: &RayCast3d) -> [f32; 3] {
    (Vec3A::from(ray.direction) * ray.max).to_array()
}

/// What [`SpatialIndex::nearest`](crate::SpatialIndex::nearest) takes: a point ([`Vec3`]) or
/// [`Aabb3d`] of Bevy, or the library's box by reference.
pub trait IntoPlace {
    /// The library's place.
    type Place: Place + Copy;

    /// Converts.
    fn into_place(self) -> Self::Place;
}

impl IntoPlace for Vec3 {
    type Place = broadleaf::glam::Vec3;

    fn into_place(self) -> Self::Place {
        vector(self)
    }
}

impl IntoPlace for Aabb3d {
    type Place = Aabb;

    fn into_place(self) -> Aabb {
        aabb(&self)
    }
}

impl IntoPlace for &Aabb {
    type Place = Aabb;

    fn into_place(self) -> Aabb {
        *self
    }
}
