//! Which objects are nearest to a point or a box.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, bl_visit_hit};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::options::{Options, bl_options, flow, with_objects, with_stats};
use crate::types::{bl_aabb, bl_hit};
use broadleaf::query::{Accept, NearestQuery, Refine};
use broadleaf::{Aabb, Neighbor, QueryStats};
use std::ffi::c_void;
use std::ops::ControlFlow;

const OPTIONS: &[&str] = &["layers", "only", "exclude", "within", "filter", "refine"];
const OPTIONS_EACH: &[&str] = &["layers", "only", "exclude", "within", "filter", "refine", "in_order"];

/// Tells the object nearest to a box, or to a point, which is a box whose
/// corners are equal; of equally near ones, that of the lowest slot. The tree must be up to date.
///
/// Options: layers, only, exclude, within, filter, refine, stats.
/// `hit`: its handle is `BL_NO_HANDLE` if there is none. Distances are to the surface, and zero inside.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_closest(
    tree: *const bl_octree,
    place: *const bl_aabb,
    options: *const bl_options,
    hit: *mut bl_hit,
) -> bl_status {
    border!(|caller| {
        let room = caller.room(hit, "hit")?;
        let options = Options::read(caller, options, OPTIONS)?;
        let mut closest = None;
        ask(caller, tree, place, options, Wanted::Closest(&mut closest))?;
        room.write(closest.map(Into::into).unwrap_or_default());
        Ok(())
    })
}

/// Lists the `k` objects nearest to a box, in order of distance, then of slot.
///
/// Options: as `bl_octree_nearest_closest`; needs scratch.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_k(
    tree: *const bl_octree,
    place: *const bl_aabb,
    k: usize,
    options: *const bl_options,
    found: *mut bl_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let list = caller.list(found, capacity, count)?;
        let mut options = Options::read(caller, options, OPTIONS)?;
        let neighbors = &mut options.need_scratch()?.neighbors;
        ask(caller, tree, place, options, Wanted::Count(k, neighbors))?;
        list.fill(neighbors.iter().map(|&near| near.into()))
    })
}

/// Lists the objects near a box: all within the bound, or simply all.
///
/// Options: as `bl_octree_nearest_closest`, and in_order.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_all(
    tree: *const bl_octree,
    place: *const bl_aabb,
    options: *const bl_options,
    found: *mut bl_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let mut take = |hit| {
            list.push(hit);
            ControlFlow::Continue(())
        };
        let options = Options::read(caller, options, OPTIONS_EACH)?;
        ask(caller, tree, place, options, Wanted::Each(&mut take))?;
        list.finish()
    })
}

/// Visits the objects near a box until the visitor stops; as
/// `bl_octree_nearest_all`. In order, nothing beyond the last answer taken is visited.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_each(
    tree: *const bl_octree,
    place: *const bl_aabb,
    options: *const bl_options,
    visit: bl_visit_hit,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        let options = Options::read(caller, options, OPTIONS_EACH)?;
        let mut take = |hit: bl_hit| flow(visit.hit(&hit));
        ask(caller, tree, place, options, Wanted::Each(&mut take))
    })
}

enum Wanted<'t> {
    Closest(&'t mut Option<Neighbor>),
    Count(usize, &'t mut Vec<Neighbor>),
    Each(&'t mut dyn FnMut(bl_hit) -> ControlFlow<()>),
}

fn ask(
    caller: &Caller,
    tree: *const bl_octree,
    place: *const bl_aabb,
    mut options: Options<'_>,
    wanted: Wanted<'_>,
) -> Result<(), Failure> {
    let view = caller.shared(tree, "tree")?.view()?;
    let place = Aabb::from(*caller.value(place, "place")?);
    let mut query = with_objects!(view.nearest(place)?, options);
    if let Some(within) = options.within {
        query = query.within(within);
    }
    if let Some(scratch) = options.order() {
        query = query.in_order(&mut scratch.scratch);
    }
    let mut work = QueryStats::default();
    let (refine, filter) = (options.refine, options.filter);
    let exact = move |near: &Neighbor| refine.and_then(|refine| refine.distance(*near));
    let accepts = move |handle| filter.is_none_or(|filter| filter.accepts(handle));
    let query = with_stats!(query, options, work);
    match (refine, filter) {
        (None, None) => run(query, wanted),
        (None, Some(_)) => run(query.filter(accepts), wanted),
        (Some(_), None) => run(query.refine(exact), wanted),
        (Some(_), Some(_)) => run(query.filter(accepts).refine(exact), wanted),
    }
    options.add(work);
    Ok(())
}

fn run<N: Refine<Neighbor>, F: Accept>(query: NearestQuery<'_, N, F>, wanted: Wanted<'_>) {
    match wanted {
        Wanted::Closest(closest) => *closest = query.closest(),
        Wanted::Count(k, found) => query.k_into(k, found),
        Wanted::Each(take) => {
            let _ = query.try_for_each(|near| take(near.into()));
        }
    }
}
