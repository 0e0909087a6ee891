//! Which objects overlap a region.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, bl_visit_handle, bl_visit_visible};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::options::{Options, bl_options, bl_viewpoint, flow, with_objects, with_stats};
use crate::region::{bl_region, with_region};
use crate::types::{BL_NO_HANDLE, bl_handle, bl_visible, containment_number};
use broadleaf::query::{Accept, OverlapQuery, Region, Viewpoint};
use broadleaf::{Containment, Handle, QueryStats, View};
use std::ffi::c_void;
use std::ops::ControlFlow;

const OPTIONS: &[&str] = &["layers", "only", "exclude", "filter"];
const OPTIONS_VISIBLE: &[&str] = &["layers", "only", "exclude", "filter", "in_order"];

/// Lists the objects that overlap a region. The tree must be up to date.
///
/// Options: layers, only, exclude, filter, stats.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
/// Order: none of distance; the same for the same sequence of calls.
/// Cost: in proportion to the nodes whose fitted bounds overlap the region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_overlap(
    tree: *const bl_octree,
    region: *const bl_region,
    options: *const bl_options,
    found: *mut bl_handle,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        let mut take = |handle: Handle| {
            list.push(handle.to_bits());
            ControlFlow::Continue(())
        };
        handles(caller, tree, region, options, Wanted::Each(&mut take))?;
        list.finish()
    })
}

/// Visits the objects that overlap a region until the visitor stops; as `bl_octree_overlap`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_overlap_each(
    tree: *const bl_octree,
    region: *const bl_region,
    options: *const bl_options,
    visit: bl_visit_handle,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        handles(caller, tree, region, options, Wanted::Each(&mut |handle| flow(visit.handle(handle.to_bits()))))
    })
}

/// Tells some object that overlaps a region; `BL_NO_HANDLE` if none does. As `bl_octree_overlap`, but ends early.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_overlap_any(
    tree: *const bl_octree,
    region: *const bl_region,
    options: *const bl_options,
    found: *mut bl_handle,
) -> bl_status {
    border!(|caller| {
        let place = caller.room(found, "found")?;
        let mut any = None;
        handles(caller, tree, region, options, Wanted::Any(&mut any))?;
        place.write(any.map_or(BL_NO_HANDLE, Handle::to_bits));
        Ok(())
    })
}

/// Lists the objects that overlap a region, with how each lies to it, and how far it is from a viewpoint.
///
/// `viewpoint`: objects that look too small from there are left out; NULL leaves none out, and distances are zero.
/// Options: layers, only, exclude, filter, stats; with a viewpoint also in_order: near to far, of equally far
/// ones the lowest slot first.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_visible(
    tree: *const bl_octree,
    region: *const bl_region,
    viewpoint: *const bl_viewpoint,
    options: *const bl_options,
    found: *mut bl_visible,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        visible(caller, tree, region, viewpoint, options, &mut |visible| {
            list.push(visible);
            ControlFlow::Continue(())
        })?;
        list.finish()
    })
}

/// Visits the objects that overlap a region until the visitor stops; as `bl_octree_visible`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_visible_each(
    tree: *const bl_octree,
    region: *const bl_region,
    viewpoint: *const bl_viewpoint,
    options: *const bl_options,
    visit: bl_visit_visible,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        visible(caller, tree, region, viewpoint, options, &mut |visible| flow(visit.visible(&visible)))
    })
}

/// Marks the objects that overlap a region, as one bit a slot: bit `s % 64` of
/// word `s / 64` for slot s; for passes over columns of the caller's.
///
/// Options: as `bl_octree_overlap`; needs scratch.
/// `words`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_overlap_slots(
    tree: *const bl_octree,
    region: *const bl_region,
    options: *const bl_options,
    words: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let list = caller.list(words, capacity, count)?;
        let mut options = Options::read(caller, options, OPTIONS)?;
        let slots = &mut options.need_scratch()?.slots;
        let view = caller.shared(tree, "tree")?.view()?;
        let region = caller.region(caller.value(region, "region")?)?;
        with_region!(&region, region => {
            let mut work = QueryStats::default();
            let query = with_stats!(with_objects!(view.overlap(region)?, options), options, work);
            match options.filter {
                Some(filter) => query.filter(|handle| filter.accepts(handle)).slots_into(slots),
                None => query.slots_into(slots),
            }
            options.add(work);
        });
        list.fill(slots.words().iter().copied())
    })
}

type Take<'t, T> = &'t mut dyn FnMut(T) -> ControlFlow<()>;

fn handles(
    caller: &Caller,
    tree: *const bl_octree,
    region: *const bl_region,
    options: *const bl_options,
    wanted: Wanted<'_>,
) -> Result<(), Failure> {
    let mut options = Options::read(caller, options, OPTIONS)?;
    let view = caller.shared(tree, "tree")?.view()?;
    let region = caller.region(caller.value(region, "region")?)?;
    with_region!(&region, region => {
        let mut work = QueryStats::default();
        let query = with_stats!(with_objects!(view.overlap(region)?, options), options, work);
        match options.filter {
            Some(filter) => wanted.take(query.filter(|handle| filter.accepts(handle))),
            None => wanted.take(query),
        }
        options.add(work);
    });
    Ok(())
}

/// Which objects are wanted, and where they go.
enum Wanted<'t> {
    Each(Take<'t, Handle>),
    Any(&'t mut Option<Handle>),
}

impl Wanted<'_> {
    fn take<R: Region, F: Accept>(self, query: OverlapQuery<'_, R, Handle, F>) {
        match self {
            Self::Each(take) => _ = query.try_for_each(take),
            Self::Any(any) => *any = query.any(),
        }
    }
}

fn visible(
    caller: &Caller,
    tree: *const bl_octree,
    region: *const bl_region,
    viewpoint: *const bl_viewpoint,
    options: *const bl_options,
    take: Take<'_, bl_visible>,
) -> Result<(), Failure> {
    let viewpoint = caller.optional(viewpoint, "viewpoint")?.map(bl_viewpoint::read).transpose()?;
    let apply = if viewpoint.is_some() { OPTIONS_VISIBLE } else { OPTIONS };
    let mut options = Options::read(caller, options, apply)?;
    let view = caller.shared(tree, "tree")?.view()?;
    let region = caller.region(caller.value(region, "region")?)?;
    with_region!(&region, region => match viewpoint {
        Some(viewpoint) => seen(view, region, &viewpoint, &mut options, take),
        None => contained(view, region, &mut options, take),
    })
}

fn contained<R: Region>(
    view: View<'_>,
    region: &R,
    options: &mut Options<'_>,
    take: Take<'_, bl_visible>,
) -> Result<(), Failure> {
    let mut work = QueryStats::default();
    let query = with_stats!(with_objects!(view.overlap(region)?, options), options, work).with_containment();
    let take = |(handle, containment): (Handle, Containment)| {
        let containment = containment_number(containment);
        take(bl_visible { handle: handle.to_bits(), containment, distance: 0.0 })
    };
    let _ = match options.filter {
        Some(filter) => query.filter(|handle| filter.accepts(handle)).try_for_each(take),
        None => query.try_for_each(take),
    };
    options.add(work);
    Ok(())
}

fn seen<R: Region>(
    view: View<'_>,
    region: &R,
    viewpoint: &Viewpoint,
    options: &mut Options<'_>,
    take: Take<'_, bl_visible>,
) -> Result<(), Failure> {
    let mut work = QueryStats::default();
    let scratch = options.order();
    let query = with_stats!(with_objects!(view.overlap(region)?, options), options, work).seen_from(viewpoint);
    let query = if let Some(scratch) = scratch { query.front_to_back(&mut scratch.scratch) } else { query };
    // Whatever the name of the type: a handle, its containment and its distance.
    macro_rules! ask {
        ($query:expr) => {
            $query.try_for_each(|object| {
                let containment = containment_number(object.containment);
                take(bl_visible { handle: object.handle.to_bits(), containment, distance: object.distance })
            })
        };
    }
    let _ = match options.filter {
        Some(filter) => ask!(query.filter(|handle| filter.accepts(handle))),
        None => ask!(query),
    };
    options.add(work);
    Ok(())
}
