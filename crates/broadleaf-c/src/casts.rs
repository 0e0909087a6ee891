//! What a cast meets.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, bl_visit_hit};
use crate::cast::{Way, bl_cast};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::options::{Options, bl_options, flow, with_objects, with_stats};
use crate::types::bl_hit;
use broadleaf::QueryStats;
use broadleaf::query::{Accept, Cast, CastQuery, Refine};
use std::ffi::c_void;
use std::ops::ControlFlow;

const OPTIONS: &[&str] = &["layers", "only", "exclude", "within", "start_inside", "in_order", "filter", "refine"];

/// Tells the closest object that a cast meets; of equally close ones, that of
/// the lowest slot. The tree must be up to date.
///
/// Options: layers, only, exclude, within, filter, refine, stats; of rays also start_inside.
/// `hit`: its handle is `BL_NO_HANDLE` if the cast meets nothing.
/// Cost: in proportion to the nodes that the cast meets; none beyond the hit are visited.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_closest(
    tree: *const bl_octree,
    cast: *const bl_cast,
    options: *const bl_options,
    hit: *mut bl_hit,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(hit, "hit")?;
        place.write(ask(caller, tree, cast, options, Wanted::Closest)?);
        Ok(())
    })
}

/// Tells some object that a cast meets: enough for shadows and lines of sight.
///
/// Options, `hit`: as `bl_octree_cast_closest`, and in_order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_any(
    tree: *const bl_octree,
    cast: *const bl_cast,
    options: *const bl_options,
    hit: *mut bl_hit,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(hit, "hit")?;
        place.write(ask(caller, tree, cast, options, Wanted::Any)?);
        Ok(())
    })
}

/// Lists the objects that a cast meets.
///
/// Options: as `bl_octree_cast_closest`, and in_order.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_all(
    tree: *const bl_octree,
    cast: *const bl_cast,
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
        ask(caller, tree, cast, options, Wanted::Each(&mut take))?;
        list.finish()
    })
}

/// Visits the objects that a cast meets until the visitor stops; as
/// `bl_octree_cast_all`. In order, nothing beyond the last answer taken is visited.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_each(
    tree: *const bl_octree,
    cast: *const bl_cast,
    options: *const bl_options,
    visit: bl_visit_hit,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        let mut take = |hit: bl_hit| flow(visit.hit(&hit));
        ask(caller, tree, cast, options, Wanted::Each(&mut take)).map(drop)
    })
}

enum Wanted<'t> {
    Closest,
    Any,
    Each(&'t mut dyn FnMut(bl_hit) -> ControlFlow<()>),
}

/// Asks; returns the closest hit, or any, if that is wanted.
fn ask(
    caller: &Caller,
    tree: *const bl_octree,
    cast: *const bl_cast,
    options: *const bl_options,
    wanted: Wanted<'_>,
) -> Result<bl_hit, Failure> {
    let way = caller.cast(caller.value(cast, "cast")?)?;
    let mut options = Options::read(caller, options, OPTIONS)?;
    if !matches!(way, Way::Ray(_)) && options.start_inside != Default::default() {
        return Err(Failure::Unused { option: "start_inside" });
    }
    if matches!(wanted, Wanted::Closest) && options.in_order {
        return Err(Failure::Unused { option: "in_order" });
    }
    let view = caller.shared(tree, "tree")?.view()?;
    Ok(match &way {
        Way::Ray(ray) => limited(view.cast(ray).inside(options.start_inside), &mut options, wanted),
        Way::Sweep(sweep) => limited(view.cast(sweep), &mut options, wanted),
        Way::Own(own) => limited(view.cast(own), &mut options, wanted),
    })
}

/// Sets the options that change no type.
fn limited<'a, C: Cast>(query: CastQuery<'a, C>, options: &mut Options<'a>, wanted: Wanted<'_>) -> bl_hit
where
    C::Hit: Copy + Into<bl_hit>,
{
    let mut query = with_objects!(query, options);
    if let Some(within) = options.within {
        query = query.within(within);
    }
    if let Some(scratch) = options.order() {
        query = query.in_order(&mut scratch.scratch);
    }
    let mut work = QueryStats::default();
    let refine = options.refine;
    let exact = move |hit: &C::Hit| refine.and_then(|refine| refine.distance(*hit));
    let filter = options.filter;
    let accepts = move |handle| filter.is_none_or(|filter| filter.accepts(handle));
    let query = with_stats!(query, options, work);
    let hit = match (refine, filter) {
        (None, None) => run(query, wanted),
        (None, Some(_)) => run(query.filter(accepts), wanted),
        (Some(_), None) => run(query.refine(exact), wanted),
        (Some(_), Some(_)) => run(query.filter(accepts).refine(exact), wanted),
    };
    options.add(work);
    hit
}

fn run<C: Cast, N: Refine<C::Hit>, F: Accept>(query: CastQuery<'_, C, N, F>, wanted: Wanted<'_>) -> bl_hit
where
    C::Hit: Into<bl_hit>,
{
    match wanted {
        Wanted::Closest => query.closest().map(Into::into).unwrap_or_default(),
        Wanted::Any => query.any().map(Into::into).unwrap_or_default(),
        Wanted::Each(take) => {
            let _ = query.try_for_each(|hit| take(hit.into()));
            bl_hit::default()
        }
    }
}
