//! Questions about meshes that are placed among the objects of a tree.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, MeshesCall, bl_meshes};
use crate::cast::{Way, bl_cast};
use crate::failure::{Failure, bl_status};
use crate::mesh::{bl_mesh_hit, bl_mesh_triangle, bl_placement};
use crate::octree::bl_octree;
use crate::options::{Options, bl_options, with_objects, with_stats};
use crate::region::{Shape, bl_region};
use crate::types::{bl_aabb, containment_number};
use broadleaf::{Aabb, Handle, Mesh, Placement, QueryStats};
use std::cell::RefCell;
use std::ffi::c_void;

const OPTIONS: &[&str] = &["layers", "only", "exclude", "filter"];
const OPTIONS_WITHIN: &[&str] = &["layers", "only", "exclude", "filter", "within"];
const OPTIONS_RAY: &[&str] = &["layers", "only", "exclude", "filter", "within", "culling"];

/// Tells the box in the world around a mesh that is placed: the shape of its
/// object. A little larger than the smallest: nothing inside is lost to rounding.
///
/// `bounds`: what `bl_mesh_bounds` tells.
/// Errors: a placement or a box that is not legal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_placement_aabb(
    placement: *const bl_placement,
    bounds: *const bl_aabb,
    aabb: *mut bl_aabb,
) -> bl_status {
    border!(|caller| {
        let placement = caller.value(placement, "placement")?.read()?;
        let bounds = Aabb::from(*caller.value(bounds, "bounds")?);
        bounds.check()?;
        caller.room(aabb, "aabb")?.write(placement.aabb(&bounds).into());
        Ok(())
    })
}

/// Lists the triangles of placed meshes that share a point with a region: a
/// box, sphere, frustum, oriented box or capsule. The tree must be up to date.
///
/// `meshes`: says which mesh an object is and where it stands. The object's shape
/// must enclose the placed mesh, as the box of `bl_placement_aabb` does.
/// Options: layers, only, exclude, filter, stats.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_overlap_meshes(
    tree: *const bl_octree,
    region: *const bl_region,
    meshes: bl_meshes,
    context: *mut c_void,
    options: *const bl_options,
    found: *mut bl_mesh_triangle,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let meshes = Meshes::new(caller, meshes, context)?;
        let mut options = Options::read(caller, options, OPTIONS)?;
        let view = caller.shared(tree, "tree")?.view()?;
        let given = caller.value(region, "region")?;
        let region = caller.region(given)?;
        let mut work = QueryStats::default();
        macro_rules! ask {
            ($region:expr) => {{
                let query = with_stats!(with_objects!(view.overlap($region)?, options), options, work);
                let filter = options.filter;
                let query = query.filter(move |handle| filter.is_none_or(|filter| filter.accepts(handle)));
                query.with_containment().meshes(|handle| meshes.of(handle)).for_each(
                    |(handle, triangle, containment)| {
                        let containment = containment_number(containment);
                        list.push(bl_mesh_triangle { handle: handle.to_bits(), triangle, containment });
                    },
                );
            }};
        }
        match &region {
            Shape::Aabb(region) => ask!(region),
            Shape::Sphere(region) => ask!(region),
            Shape::Frustum(region) => ask!(region),
            Shape::Obb(region) => ask!(region),
            Shape::Capsule(region) => ask!(region),
            _ => return Err(Failure::BadValue { name: "region.kind", value: given.kind }),
        }
        meshes.finish()?;
        options.add(work);
        list.finish()
    })
}

/// Tells the closest triangle of a placed mesh that a ray hits, or a moving shape touches. The tree must be up to date.
///
/// `meshes`: as `bl_octree_overlap_meshes`; an object that is no mesh is passed through.
/// Options: layers, only, exclude, within, filter, stats; of rays also culling.
/// `hit`: its handle is `BL_NO_HANDLE` if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_meshes_closest(
    tree: *const bl_octree,
    cast: *const bl_cast,
    meshes: bl_meshes,
    context: *mut c_void,
    options: *const bl_options,
    hit: *mut bl_mesh_hit,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(hit, "hit")?;
        let mut closest = bl_mesh_hit::NONE;
        cast_meshes(caller, tree, cast, (meshes, context), options, Wanted::Closest(&mut closest))?;
        place.write(closest);
        Ok(())
    })
}

/// Lists the triangles of placed meshes that a cast meets, not by distance; as `bl_octree_cast_meshes_closest`.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_meshes_all(
    tree: *const bl_octree,
    cast: *const bl_cast,
    meshes: bl_meshes,
    context: *mut c_void,
    options: *const bl_options,
    found: *mut bl_mesh_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let mut take = |hit| list.push(hit);
        cast_meshes(caller, tree, cast, (meshes, context), options, Wanted::Each(&mut take))?;
        list.finish()
    })
}

/// Tells the point of a placed mesh that is closest to a point; to a box, to its middle. The tree must be up to date.
///
/// `meshes`: as `bl_octree_overlap_meshes`; an object that is no mesh has no answer.
/// Options: layers, only, exclude, within, filter, stats.
/// `hit`: its handle is `BL_NO_HANDLE` if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_meshes_closest(
    tree: *const bl_octree,
    place: *const bl_aabb,
    meshes: bl_meshes,
    context: *mut c_void,
    options: *const bl_options,
    hit: *mut bl_mesh_hit,
) -> bl_status {
    border!(|caller| {
        let room = caller.room(hit, "hit")?;
        let mut closest = bl_mesh_hit::NONE;
        nearest_meshes(caller, tree, place, (meshes, context), options, Wanted::Closest(&mut closest))?;
        room.write(closest);
        Ok(())
    })
}

/// Lists the closest point of each placed mesh that is within the bound; as `bl_octree_nearest_meshes_closest`.
///
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_meshes_all(
    tree: *const bl_octree,
    place: *const bl_aabb,
    meshes: bl_meshes,
    context: *mut c_void,
    options: *const bl_options,
    found: *mut bl_mesh_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let mut take = |hit| list.push(hit);
        nearest_meshes(caller, tree, place, (meshes, context), options, Wanted::Each(&mut take))?;
        list.finish()
    })
}

enum Wanted<'t> {
    Closest(&'t mut bl_mesh_hit),
    Each(&'t mut dyn FnMut(bl_mesh_hit)),
}

/// The function that says which mesh an object is, and what was wrong with what it said.
struct Meshes<'c> {
    caller: &'c Caller,
    call: MeshesCall,
    failure: RefCell<Option<Failure>>,
}

impl<'c> Meshes<'c> {
    fn new(caller: &'c Caller, meshes: bl_meshes, context: *mut c_void) -> Result<Self, Failure> {
        let call = Callback::of(meshes, context).ok_or(Failure::NullPointer("meshes"))?;
        Ok(Self { caller, call, failure: RefCell::new(None) })
    }

    fn of(&self, handle: Handle) -> Option<(&'c Mesh, Placement)> {
        let mut placement = bl_placement { rotation: [0.0; 4], translation: [0.0; 3], scale: 0.0 };
        let mut mesh = std::ptr::null();
        if self.call.mesh(handle.to_bits(), &mut mesh, &mut placement) == 0 {
            return None;
        }
        let placed = self.caller.shared(mesh, "mesh").and_then(|mesh| Ok((&mesh.mesh, placement.read()?)));
        placed.map_err(|failure| self.failure.borrow_mut().get_or_insert(failure).clone()).ok()
    }

    fn finish(self) -> Result<(), Failure> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }
}

/// A question that placed meshes answer: rays, sweeps and places have terminals of their own.
macro_rules! ask_placed {
    ($query:expr, $wanted:expr) => {{
        let query = $query;
        let convert = |(handle, hit): (Handle, _)| bl_mesh_hit { handle: handle.to_bits(), ..bl_mesh_hit::from(hit) };
        match $wanted {
            Wanted::Closest(closest) => *closest = query.closest().map_or(bl_mesh_hit::NONE, convert),
            Wanted::Each(take) => query.for_each(|answer| take(convert(answer))),
        }
    }};
}

fn cast_meshes(
    caller: &Caller,
    tree: *const bl_octree,
    cast: *const bl_cast,
    (meshes, context): (bl_meshes, *mut c_void),
    options: *const bl_options,
    wanted: Wanted<'_>,
) -> Result<(), Failure> {
    let meshes = Meshes::new(caller, meshes, context)?;
    let given = caller.value(cast, "cast")?;
    let way = caller.cast(given)?;
    let apply = if matches!(way, Way::Ray(_)) { OPTIONS_RAY } else { OPTIONS_WITHIN };
    let mut options = Options::read(caller, options, apply)?;
    let view = caller.shared(tree, "tree")?.view()?;
    let mut work = QueryStats::default();
    macro_rules! query {
        ($cast:expr) => {{
            let query = with_stats!(with_objects!(view.cast($cast), options), options, work);
            let query = if let Some(within) = options.within { query.within(within) } else { query };
            let filter = options.filter;
            query
                .filter(move |handle| filter.is_none_or(|filter| filter.accepts(handle)))
                .meshes(|handle| meshes.of(handle))
        }};
    }
    match &way {
        Way::Ray(ray) => ask_placed!(query!(ray).culling(options.culling), wanted),
        Way::Sweep(sweep) => ask_placed!(query!(sweep), wanted),
        Way::Own(_) => return Err(Failure::BadValue { name: "cast.kind", value: given.kind }),
    }
    meshes.finish()?;
    options.add(work);
    Ok(())
}

fn nearest_meshes(
    caller: &Caller,
    tree: *const bl_octree,
    place: *const bl_aabb,
    (meshes, context): (bl_meshes, *mut c_void),
    options: *const bl_options,
    wanted: Wanted<'_>,
) -> Result<(), Failure> {
    let meshes = Meshes::new(caller, meshes, context)?;
    let mut options = Options::read(caller, options, OPTIONS_WITHIN)?;
    let view = caller.shared(tree, "tree")?.view()?;
    let place = Aabb::from(*caller.value(place, "place")?);
    let mut work = QueryStats::default();
    let query = with_stats!(with_objects!(view.nearest(place)?, options), options, work);
    let query = if let Some(within) = options.within { query.within(within) } else { query };
    let filter = options.filter;
    let query = query.filter(move |handle| filter.is_none_or(|filter| filter.accepts(handle)));
    ask_placed!(query.meshes(|handle| meshes.of(handle)), wanted);
    meshes.finish()?;
    options.add(work);
    Ok(())
}
