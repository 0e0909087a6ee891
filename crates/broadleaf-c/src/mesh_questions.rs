//! What a mesh is asked.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, bl_visit_mesh_hit};
use crate::cast::{Way, bl_cast};
use crate::failure::{Failure, bl_status};
use crate::mesh::{bl_mesh, bl_mesh_hit, bl_mesh_triangle};
use crate::options::{Options, bl_options, flow, with_stats};
use crate::region::{Shape, bl_region};
use crate::types::{containment_number, vec3};
use broadleaf::mesh::MeshRegion;
use broadleaf::{Containment, Mesh, QueryStats};
use std::ffi::c_void;
use std::ops::ControlFlow;

/// Tells the closest triangle that a ray hits, or a moving box or sphere touches; of equally close
/// ones, the first of the input.
///
/// Options: within, stats; of rays also culling.
/// `hit`: its triangle is `BL_NO_TRIANGLE` if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_cast_closest(
    mesh: *const bl_mesh,
    cast: *const bl_cast,
    options: *const bl_options,
    hit: *mut bl_mesh_hit,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(hit, "hit")?;
        let mut closest = bl_mesh_hit::NONE;
        ask(caller, mesh, cast, options, Wanted::Closest(&mut closest))?;
        place.write(closest);
        Ok(())
    })
}

/// Tells some triangle that a cast meets: enough for shadows and lines of sight. As `bl_mesh_cast_closest`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_cast_any(
    mesh: *const bl_mesh,
    cast: *const bl_cast,
    options: *const bl_options,
    hit: *mut bl_mesh_hit,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(hit, "hit")?;
        let mut any = bl_mesh_hit::NONE;
        let mut take = |hit| {
            any = hit;
            ControlFlow::Break(())
        };
        ask(caller, mesh, cast, options, Wanted::Each(&mut take))?;
        place.write(any);
        Ok(())
    })
}

/// Lists the triangles that a cast meets, not by distance; as `bl_mesh_cast_closest`.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_cast_all(
    mesh: *const bl_mesh,
    cast: *const bl_cast,
    options: *const bl_options,
    found: *mut bl_mesh_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let mut take = |hit| {
            list.push(hit);
            ControlFlow::Continue(())
        };
        ask(caller, mesh, cast, options, Wanted::Each(&mut take))?;
        list.finish()
    })
}

/// Visits the triangles that a cast meets until the visitor stops; as `bl_mesh_cast_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_cast_each(
    mesh: *const bl_mesh,
    cast: *const bl_cast,
    options: *const bl_options,
    visit: bl_visit_mesh_hit,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        let mut take = |hit: bl_mesh_hit| flow(visit.mesh_hit(&hit));
        ask(caller, mesh, cast, options, Wanted::Each(&mut take))
    })
}

/// Lists the triangles that share a point with a region: a box, sphere, frustum, oriented box or capsule.
///
/// Options: stats.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
/// Errors: `BL_STATUS_BAD_VALUE` for a region of another kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_overlap(
    mesh: *const bl_mesh,
    region: *const bl_region,
    options: *const bl_options,
    found: *mut bl_mesh_triangle,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let mut options = Options::read(caller, options, &[])?;
        let mesh = &caller.shared(mesh, "mesh")?.mesh;
        let given = caller.value(region, "region")?;
        let region = caller.region(given)?;
        let mut work = QueryStats::default();
        let take = |(triangle, containment): (u32, Containment)| {
            list.push(bl_mesh_triangle { handle: 0, triangle, containment: containment_number(containment) });
        };
        match &region {
            Shape::Aabb(region) => overlap(mesh, region, &options, &mut work, take)?,
            Shape::Sphere(region) => overlap(mesh, region, &options, &mut work, take)?,
            Shape::Frustum(region) => overlap(mesh, region, &options, &mut work, take)?,
            Shape::Obb(region) => overlap(mesh, region, &options, &mut work, take)?,
            Shape::Capsule(region) => overlap(mesh, region, &options, &mut work, take)?,
            _ => return Err(Failure::BadValue { name: "region.kind", value: given.kind }),
        }
        options.add(work);
        list.finish()
    })
}

fn overlap(
    mesh: &Mesh,
    region: &impl MeshRegion,
    options: &Options<'_>,
    work: &mut QueryStats,
    take: impl FnMut((u32, Containment)),
) -> Result<(), Failure> {
    let query = mesh.overlap(region)?.with_containment();
    let query = if options.counts() { query.stats(work) } else { query };
    query.for_each(take);
    Ok(())
}

/// Tells the point of a mesh that is closest to a point, three floats; of equally near triangles, the first of the
/// input.
///
/// Options: within, stats.
/// `hit`: its triangle is `BL_NO_TRIANGLE` if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_nearest(
    mesh: *const bl_mesh,
    point: *const f32,
    options: *const bl_options,
    hit: *mut bl_mesh_hit,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(hit, "hit")?;
        let mut options = Options::read(caller, options, &["within"])?;
        let mesh = &caller.shared(mesh, "mesh")?.mesh;
        let point = vec3(*caller.value(point.cast::<[f32; 3]>(), "point")?);
        let mut work = QueryStats::default();
        let mut query = mesh.nearest(point)?;
        if let Some(within) = options.within {
            query = query.within(within);
        }
        place.write(with_stats!(query, options, work).closest().map_or(bl_mesh_hit::NONE, Into::into));
        options.add(work);
        Ok(())
    })
}

/// Tells whether a point, three floats, lies inside a closed mesh: 1 if so, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh_is_inside(mesh: *const bl_mesh, point: *const f32, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let mesh = &caller.shared(mesh, "mesh")?.mesh;
        let point = vec3(*caller.value(point.cast::<[f32; 3]>(), "point")?);
        let is_inside = mesh.nearest(point)?.is_inside();
        caller.room(answer, "answer")?.write(u32::from(is_inside));
        Ok(())
    })
}

enum Wanted<'t> {
    Closest(&'t mut bl_mesh_hit),
    Each(&'t mut dyn FnMut(bl_mesh_hit) -> ControlFlow<()>),
}

/// A question about a ray or a sweep: the two have terminals of their own.
macro_rules! ask_mesh {
    ($query:expr, $wanted:expr) => {
        match $wanted {
            Wanted::Closest(closest) => *closest = $query.closest().map_or(bl_mesh_hit::NONE, Into::into),
            Wanted::Each(take) => {
                let _ = $query.try_for_each(|hit| take(hit.into()));
            }
        }
    };
}

fn ask(
    caller: &Caller,
    mesh: *const bl_mesh,
    cast: *const bl_cast,
    options: *const bl_options,
    wanted: Wanted<'_>,
) -> Result<(), Failure> {
    let given = caller.value(cast, "cast")?;
    let way = caller.cast(given)?;
    let apply: &[&str] = if matches!(way, Way::Ray(_)) { &["within", "culling"] } else { &["within"] };
    let mut options = Options::read(caller, options, apply)?;
    let mesh = &caller.shared(mesh, "mesh")?.mesh;
    let within = options.within.unwrap_or(f32::MAX);
    let mut work = QueryStats::default();
    match &way {
        Way::Ray(ray) => {
            let query = mesh.cast(ray).culling(options.culling).within(within);
            ask_mesh!(with_stats!(query, options, work), wanted);
        }
        Way::Sweep(sweep) => {
            let query = mesh.cast(sweep).within(within);
            ask_mesh!(with_stats!(query, options, work), wanted);
        }
        Way::Own(_) => return Err(Failure::BadValue { name: "cast.kind", value: given.kind }),
    }
    options.add(work);
    Ok(())
}
