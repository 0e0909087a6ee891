//! Casts as C describes them.

use crate::border::Caller;
use crate::callbacks::{Callback, MeetAabbCall, MeetSphereCall, bl_meet_aabb, bl_meet_sphere};
use crate::failure::Failure;
use crate::types::{bl_aabb, bl_hit, bl_sphere};
use broadleaf::query::{Cast, CastHit, SweepHit};
use broadleaf::{Aabb, Neighbor, Ray, RayHit, Sphere, Sweep};
use std::ffi::c_void;

/// The kind of a cast; each names the member of `bl_cast_of` that it reads.
pub type bl_cast_kind = u32;
/// `ray`: a half-line.
pub const BL_CAST_RAY: bl_cast_kind = 0;
/// `segment`.
pub const BL_CAST_SEGMENT: bl_cast_kind = 1;
/// `sweep_aabb`: a box that moves.
pub const BL_CAST_SWEEP_AABB: bl_cast_kind = 2;
/// `sweep_sphere`: a sphere that moves.
pub const BL_CAST_SWEEP_SPHERE: bl_cast_kind = 3;
/// `own`: a cast of the caller's own.
pub const BL_CAST_OWN: bl_cast_kind = 4;

/// A half-line with a reach.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_ray {
    /// Where it starts.
    pub origin: [f32; 3],
    /// Where it goes; need not have length one.
    pub direction: [f32; 3],
    /// How far, in world units; INFINITY for as far as there is.
    pub distance_max: f32,
}

/// A segment; both ends belong to it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_segment {
    /// Where it starts.
    pub from: [f32; 3],
    /// Where it ends; not where it starts.
    pub to: [f32; 3],
}

/// A box that moves without turning, from time 0 to time 1.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_sweep_aabb {
    /// At the start.
    pub aabb: bl_aabb,
    /// From the start to the end; zero is legal.
    pub motion: [f32; 3],
}

/// A sphere that moves, from time 0 to time 1.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_sweep_sphere {
    /// At the start.
    pub sphere: bl_sphere,
    /// From the start to the end; zero is legal.
    pub motion: [f32; 3],
}

/// A cast of the caller's own, such as a curve. Distances along it are its own: world units, or a time.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_caller_cast {
    /// How far it goes; the end belongs to it.
    pub reach: f32,
    /// A box around all that it can meet; may be unbounded.
    pub bounds: bl_aabb,
    /// Where it first meets a box: the distance to an object, and a lower bound for the contents of a box of the tree.
    pub meets_aabb: bl_meet_aabb,
    /// Where it first meets a sphere; no less than where it meets the box around it.
    pub meets_sphere: bl_meet_sphere,
    /// Handed to the functions above.
    pub context: *mut c_void,
}

/// What a cast is, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub union bl_cast_of {
    /// A half-line.
    pub ray: bl_ray,
    /// A segment.
    pub segment: bl_segment,
    /// A box that moves.
    pub sweep_aabb: bl_sweep_aabb,
    /// A sphere that moves.
    pub sweep_sphere: bl_sweep_sphere,
    /// A cast of the caller's own.
    pub own: *const bl_caller_cast,
}

/// What starts somewhere and goes some way. Both ends belong to it; touching counts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct bl_cast {
    /// Which member of `of` it is.
    pub kind: bl_cast_kind,
    /// The cast.
    pub of: bl_cast_of,
}

/// A cast that was read, and is legal.
pub(crate) enum Way {
    Ray(Ray),
    Sweep(Sweep),
    Own(OwnCast),
}

impl Caller {
    /// Reads a cast.
    pub(crate) fn cast(&self, cast: &bl_cast) -> Result<Way, Failure> {
        Ok(match cast.kind {
            BL_CAST_RAY => {
                let ray = cast.ray();
                Way::Ray(Ray::new(ray.origin, ray.direction)?.with_distance_max(ray.distance_max)?)
            }
            BL_CAST_SEGMENT => Way::Ray(Ray::segment(cast.segment().from, cast.segment().to)?),
            BL_CAST_SWEEP_AABB => Way::Sweep(Sweep::aabb(cast.sweep_aabb().aabb.into(), cast.sweep_aabb().motion)?),
            BL_CAST_SWEEP_SPHERE => {
                Way::Sweep(Sweep::sphere(cast.sweep_sphere().sphere.into(), cast.sweep_sphere().motion)?)
            }
            BL_CAST_OWN => Way::Own(OwnCast::read(self.value(cast.own(), "cast.of.own")?)?),
            kind => return Err(Failure::BadValue { name: "cast.kind", value: kind }),
        })
    }
}

/// A cast of the caller's own.
pub(crate) struct OwnCast {
    reach: f32,
    bounds: Aabb,
    meets_aabb: MeetAabbCall,
    meets_sphere: MeetSphereCall,
}

impl OwnCast {
    fn read(cast: &bl_caller_cast) -> Result<Self, Failure> {
        let bounds = Aabb::from(cast.bounds);
        bounds.check()?;
        if cast.reach.is_nan() {
            return Err(broadleaf::Error::NotANumber { field: "reach" }.into());
        }
        let needed = |name| Failure::NullPointer(name);
        Ok(Self {
            reach: cast.reach,
            bounds,
            meets_aabb: Callback::of(cast.meets_aabb, cast.context).ok_or(needed("meets_aabb"))?,
            meets_sphere: Callback::of(cast.meets_sphere, cast.context).ok_or(needed("meets_sphere"))?,
        })
    }
}

/// The distance that a function of the caller's returns: none for NaN, and none below zero.
fn distance(returned: f32) -> Option<f32> {
    (!returned.is_nan()).then(|| returned.max(0.0))
}

impl Cast for OwnCast {
    type Hit = bl_hit;

    fn reach(&self) -> f32 {
        self.reach
    }

    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32> {
        distance(self.meets_aabb.meets_aabb(&(*aabb).into(), limit))
    }

    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32> {
        distance(self.meets_sphere.meets_sphere(&(*sphere).into(), limit))
    }

    fn hit(&self, met: &CastHit) -> bl_hit {
        bl_hit { handle: met.handle.to_bits(), time: met.distance, distance: met.distance, ..bl_hit::default() }
    }

    fn bounds(&self) -> Aabb {
        self.bounds
    }
}

impl From<RayHit> for bl_hit {
    fn from(hit: RayHit) -> Self {
        Self {
            handle: hit.handle.to_bits(),
            time: hit.distance,
            distance: hit.distance,
            position: hit.position.to_array(),
            normal: hit.normal.to_array(),
        }
    }
}

impl From<SweepHit> for bl_hit {
    fn from(hit: SweepHit) -> Self {
        Self {
            handle: hit.handle.to_bits(),
            time: hit.time,
            distance: hit.distance,
            position: hit.position.to_array(),
            normal: hit.normal.to_array(),
        }
    }
}

impl From<Neighbor> for bl_hit {
    fn from(near: Neighbor) -> Self {
        Self {
            handle: near.handle.to_bits(),
            time: near.distance,
            distance: near.distance,
            position: near.position.to_array(),
            normal: near.normal.to_array(),
        }
    }
}
