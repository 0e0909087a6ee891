//! Shapes that keep more than they were made from, as data of serde: what they
//! were made from is saved, and checked as by their constructors when it is
//! loaded. What a constructor made is loaded bit for bit.

use super::frustum::checked;
use super::{Aabb, Capsule, ConvexRegion, Frustum, Obb, Plane, Ray, Sphere, Sweep, WorldOrigin, check_point, floats};
use crate::Error;
use alloc::vec::Vec;
use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// How far rounding takes the length of a vector from one at most.
const LENGTH_ERROR: f64 = f32::EPSILON as f64;
/// How far rounding takes axes from length one, and from a right angle, at most.
const AXES_ERROR: f64 = 1e-6;

/// Whether a vector has length one but for rounding. Such a vector is not
/// divided by its length again: that would change it.
fn is_unit(vector: Vec3) -> bool {
    (vector.as_dvec3().length() - 1.0).abs() <= LENGTH_ERROR
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Ray")]
pub(super) struct SavedRay {
    #[serde(with = "floats")]
    origin: Vec3,
    #[serde(with = "floats")]
    direction: Vec3,
    #[serde(with = "floats")]
    distance_max: f32,
    /// Of a segment, its end as it was given.
    end: Option<Vec3>,
}

impl From<Ray> for SavedRay {
    fn from(ray: Ray) -> Self {
        Self { origin: ray.origin(), direction: ray.direction(), distance_max: ray.distance_max(), end: ray.end() }
    }
}

impl TryFrom<SavedRay> for Ray {
    type Error = Error;

    fn try_from(SavedRay { origin, direction, distance_max, end }: SavedRay) -> Result<Self, Error> {
        if let Some(end) = end {
            // The constructor makes direction and reach of the ends alone.
            return Self::segment(origin, end);
        }
        let ray = Self::new(origin, direction)?.with_distance_max(distance_max)?;
        Ok(if is_unit(direction) { ray.with_direction(direction) } else { ray })
    }
}

/// The plane of a frustum or a convex region. One that a constructor made may
/// lie farther out than 32 bits resolve.
fn restored(plane: &Plane, index: usize) -> Result<Plane, Error> {
    if is_unit(plane.normal) && !plane.offset.is_nan() { Ok(*plane) } else { checked(plane, index) }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Frustum")]
pub(super) struct SavedFrustum {
    planes: [Plane; 6],
}

impl From<Frustum> for SavedFrustum {
    fn from(frustum: Frustum) -> Self {
        Self { planes: *frustum.planes() }
    }
}

impl TryFrom<SavedFrustum> for Frustum {
    type Error = Error;

    fn try_from(SavedFrustum { mut planes }: SavedFrustum) -> Result<Self, Error> {
        for (index, plane) in planes.iter_mut().enumerate() {
            // An end of depth that is infinitely far has no direction.
            let is_far = index >= 4 && plane.normal == Vec3::ZERO && plane.offset >= 0.0 && plane.offset.is_finite();
            if !is_far {
                *plane = restored(plane, index)?;
            }
        }
        Ok(Self::of_unit_planes(planes))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "ConvexRegion")]
pub(super) struct SavedRegion {
    planes: Vec<Plane>,
}

impl From<ConvexRegion> for SavedRegion {
    fn from(region: ConvexRegion) -> Self {
        Self { planes: region.into_planes() }
    }
}

impl TryFrom<SavedRegion> for ConvexRegion {
    type Error = Error;

    fn try_from(SavedRegion { mut planes }: SavedRegion) -> Result<Self, Error> {
        for (index, plane) in planes.iter_mut().enumerate() {
            *plane = restored(plane, index)?;
        }
        Ok(Self::with_planes(planes))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Obb")]
pub(super) struct SavedObb {
    #[serde(with = "floats")]
    center: Vec3,
    #[serde(with = "floats")]
    half_extents: Vec3,
    #[serde(with = "floats")]
    axes: [Vec3; 3],
}

impl From<Obb> for SavedObb {
    fn from(obb: Obb) -> Self {
        Self { center: obb.center(), half_extents: obb.half_extents(), axes: *obb.axes() }
    }
}

impl TryFrom<SavedObb> for Obb {
    type Error = Error;

    fn try_from(SavedObb { center, half_extents, axes }: SavedObb) -> Result<Self, Error> {
        for axis in axes {
            check_point(axis, ["axes.x", "axes.y", "axes.z"])?;
        }
        let [x, y, z] = axes.map(Vec3::as_dvec3);
        let products = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0, x.dot(y), y.dot(z), z.dot(x)];
        let is_orthonormal = products.iter().all(|product| product.abs() <= AXES_ERROR);
        if !is_orthonormal || x.cross(y).dot(z) < 0.0 {
            return Err(Error::AxesNotOrthonormal);
        }
        Self::with_axes(center, half_extents, axes)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Capsule")]
pub(super) struct SavedCapsule {
    #[serde(with = "floats")]
    a: Vec3,
    #[serde(with = "floats")]
    b: Vec3,
    #[serde(with = "floats")]
    radius: f32,
}

impl From<Capsule> for SavedCapsule {
    fn from(capsule: Capsule) -> Self {
        Self { a: capsule.a(), b: capsule.b(), radius: capsule.radius() }
    }
}

impl TryFrom<SavedCapsule> for Capsule {
    type Error = Error;

    fn try_from(SavedCapsule { a, b, radius }: SavedCapsule) -> Result<Self, Error> {
        Self::new(a, b, radius)
    }
}

/// The shape that moves.
#[derive(Serialize, Deserialize)]
enum Body {
    Aabb(Aabb),
    Sphere(Sphere),
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Sweep")]
pub(super) struct SavedSweep {
    shape: Body,
    #[serde(with = "floats")]
    motion: Vec3,
}

impl From<Sweep> for SavedSweep {
    fn from(sweep: Sweep) -> Self {
        let shape = sweep.ball().map_or_else(|| Body::Aabb(sweep.start()), Body::Sphere);
        Self { shape, motion: sweep.motion() }
    }
}

impl TryFrom<SavedSweep> for Sweep {
    type Error = Error;

    fn try_from(SavedSweep { shape, motion }: SavedSweep) -> Result<Self, Error> {
        match shape {
            Body::Aabb(aabb) => Self::aabb(aabb, motion),
            Body::Sphere(sphere) => Self::sphere(sphere, motion),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "WorldOrigin")]
pub(super) struct SavedOrigin {
    point: DVec3,
}

impl From<WorldOrigin> for SavedOrigin {
    fn from(origin: WorldOrigin) -> Self {
        Self { point: origin.point() }
    }
}

impl TryFrom<SavedOrigin> for WorldOrigin {
    type Error = Error;

    fn try_from(SavedOrigin { point }: SavedOrigin) -> Result<Self, Error> {
        Self::new(point)
    }
}
