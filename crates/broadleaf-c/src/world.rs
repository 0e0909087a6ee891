//! Worlds of 64-bit coordinates: shapes as 32-bit ones around an origin, rounded outward.

use crate::border::{Caller, border};
use crate::failure::{Failure, bl_status};
use crate::types::{bl_aabb, bl_sphere, vec3};
use broadleaf::glam::DVec3;
use broadleaf::shape::WorldOrigin;

fn origin(caller: &Caller, origin: *const f64) -> Result<WorldOrigin, Failure> {
    Ok(WorldOrigin::new(point(caller, origin, "origin")?)?)
}

fn point(caller: &Caller, point: *const f64, name: &'static str) -> Result<DVec3, Failure> {
    Ok(DVec3::from_array(*caller.value(point.cast::<[f64; 3]>(), name)?))
}

/// Tells the smallest 32-bit box, relative to an origin, around the 64-bit box from `min` to `max`: no overlap is missed.
///
/// `origin`, `min`, `max`: three doubles each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_world_aabb(
    origin: *const f64,
    min: *const f64,
    max: *const f64,
    aabb: *mut bl_aabb,
) -> bl_status {
    border!(|caller| {
        let (min, max) = (point(caller, min, "min")?, point(caller, max, "max")?);
        let found = self::origin(caller, origin)?.aabb(min, max)?;
        caller.room(aabb, "aabb")?.write(found.into());
        Ok(())
    })
}

/// Tells a 32-bit sphere, relative to an origin, around a 64-bit sphere, for which no overlap is missed.
///
/// `origin`, `center`: three doubles each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_world_sphere(
    origin: *const f64,
    center: *const f64,
    radius: f64,
    sphere: *mut bl_sphere,
) -> bl_status {
    border!(|caller| {
        let found = self::origin(caller, origin)?.sphere(point(caller, center, "center")?, radius)?;
        caller.room(sphere, "sphere")?.write(found.into());
        Ok(())
    })
}

/// Tells a point of the world, three doubles, relative to an origin, three floats; rounded to nearest, so not for
/// bounds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_world_to_local(origin: *const f64, point: *const f64, local: *mut f32) -> bl_status {
    border!(|caller| {
        let found = self::origin(caller, origin)?.to_local(self::point(caller, point, "point")?);
        caller.room(local.cast::<[f32; 3]>(), "local")?.write(found.to_array());
        Ok(())
    })
}

/// Tells a point relative to an origin, three floats, as a point of the world, three doubles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_world_to_world(origin: *const f64, local: *const f32, point: *mut f64) -> bl_status {
    border!(|caller| {
        let local = vec3(*caller.value(local.cast::<[f32; 3]>(), "local")?);
        let found = self::origin(caller, origin)?.to_world(local);
        caller.room(point.cast::<[f64; 3]>(), "point")?.write(found.to_array());
        Ok(())
    })
}

/// Tells the origin after `bl_octree_shift_origin` by the same vector. Objects must then be
/// updated from their 64-bit shapes, for the shift rounds to nearest.
///
/// `origin`, `shifted`: three doubles each. `shift`: three floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_world_shifted(origin: *const f64, shift: *const f32, shifted: *mut f64) -> bl_status {
    border!(|caller| {
        let shift = vec3(*caller.value(shift.cast::<[f32; 3]>(), "shift")?);
        let found = self::origin(caller, origin)?.shifted(shift)?;
        caller.room(shifted.cast::<[f64; 3]>(), "shifted")?.write(found.point().to_array());
        Ok(())
    })
}
