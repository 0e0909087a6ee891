//! Which objects overlap each other.

use crate::border::{Caller, border};
use crate::callbacks::{Callback, bl_visit_handle, bl_visit_pair};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::options::{Options, bl_options, flow, with_objects, with_stats};
use crate::types::{bl_contact, bl_handle, bl_pair, handle, pair};
use broadleaf::{Handle, Pair, QueryStats};
use std::ffi::c_void;
use std::ops::ControlFlow;

const OPTIONS: &[&str] = &["threads", "pair_filter"];
const OPTIONS_OF: &[&str] = &["layers", "only", "exclude", "filter"];

/// Lists all overlapping pairs, each once: boxes and spheres exact, touching
/// counts, layers respected, never two static objects. The tree must be up to date.
///
/// Options: threads, pair_filter, stats; needs scratch. The filter runs on the calling thread.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
/// Order: the same for the same sequence of calls, for any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_pairs(
    tree: *const bl_octree,
    options: *const bl_options,
    found: *mut bl_pair,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        all(caller, tree, options, |pair| {
            list.push(pair.into());
            ControlFlow::Continue(())
        })?;
        list.finish()
    })
}

/// Visits all overlapping pairs until the visitor stops, on the calling thread; as `bl_octree_pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_pairs_each(
    tree: *const bl_octree,
    options: *const bl_options,
    visit: bl_visit_pair,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        all(caller, tree, options, |pair| flow(visit.pair(pair.into())))
    })
}

fn all(
    caller: &Caller,
    tree: *const bl_octree,
    options: *const bl_options,
    take: impl FnMut(Pair) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let mut options = Options::read(caller, options, OPTIONS)?;
    let scratch = options.need_scratch()?;
    let view = caller.shared(tree, "tree")?.view()?;
    let mut work = QueryStats::default();
    let query = view.pairs(&mut scratch.scratch).threads(options.threads);
    let query = with_stats!(query, options, work);
    let _ = match options.pair_filter {
        Some(filter) => query.filter(|pair| filter.pair(pair.into()) != 0).try_for_each(take),
        None => query.try_for_each(take),
    };
    options.add(work);
    Ok(())
}

/// Lists the partners of one object: the other sides of its pairs. The tree must be up to date.
///
/// Options: layers, only, exclude, filter, stats.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
/// Errors: `BL_STATUS_STALE_HANDLE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_pairs_of(
    tree: *const bl_octree,
    object: bl_handle,
    options: *const bl_options,
    found: *mut bl_handle,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let mut list = caller.list(found, capacity, count)?;
        of(caller, tree, object, options, |partner| {
            list.push(partner.to_bits());
            ControlFlow::Continue(())
        })?;
        list.finish()
    })
}

/// Visits the partners of one object until the visitor stops; as `bl_octree_pairs_of`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_pairs_of_each(
    tree: *const bl_octree,
    object: bl_handle,
    options: *const bl_options,
    visit: bl_visit_handle,
    context: *mut c_void,
) -> bl_status {
    border!(|caller| {
        let visit = Callback::of(visit, context).ok_or(Failure::NullPointer("visit"))?;
        of(caller, tree, object, options, |partner| flow(visit.handle(partner.to_bits())))
    })
}

fn of(
    caller: &Caller,
    tree: *const bl_octree,
    object: bl_handle,
    options: *const bl_options,
    take: impl FnMut(Handle) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let mut options = Options::read(caller, options, OPTIONS_OF)?;
    let view = caller.shared(tree, "tree")?.view()?;
    let mut work = QueryStats::default();
    let query = with_objects!(view.pairs_of(handle("object", object)?)?, options);
    let query = with_stats!(query, options, work);
    let _ = match options.filter {
        Some(filter) => query.filter(|handle| filter.accepts(handle)).try_for_each(take),
        None => query.try_for_each(take),
    };
    options.add(work);
    Ok(())
}

/// Tells whether `bl_octree_pairs` reports two objects: 1 if so, else 0; 0 if a handle is stale, or a number is no
/// handle. The tree must be up to date.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_is_pair(tree: *const bl_octree, which: bl_pair, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let view = caller.shared(tree, "tree")?.view()?;
        let is = pair(&which).is_ok_and(|pair| view.is_pair(pair));
        caller.room(answer, "answer")?.write(u32::from(is));
        Ok(())
    })
}

/// Tells whether the shapes of two objects overlap as they were last set, without a margin: 1 if so, else 0.
/// The tree must be up to date.
///
/// Errors: `BL_STATUS_STALE_HANDLE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_touches(tree: *const bl_octree, which: bl_pair, answer: *mut u32) -> bl_status {
    border!(|caller| {
        let view = caller.shared(tree, "tree")?.view()?;
        let touches = view.touches(handle("pair.a", which.a)?, handle("pair.b", which.b)?)?;
        caller.room(answer, "answer")?.write(u32::from(touches));
        Ok(())
    })
}

/// Tells how two objects touch: the shortest way to part their shapes as last set. The tree must be up to date.
///
/// The normal points from the object with the lower handle to that with the higher one.
/// `answer`: 1 if they overlap; else 0, and `contact` is not written.
/// Errors: `BL_STATUS_STALE_HANDLE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_contact(
    tree: *const bl_octree,
    which: bl_pair,
    contact: *mut bl_contact,
    answer: *mut u32,
) -> bl_status {
    border!(|caller| {
        let view = caller.shared(tree, "tree")?.view()?;
        let (place, answer) = (caller.room(contact, "contact")?, caller.room(answer, "answer")?);
        let found = view.contact(pair(&which)?)?;
        if let Some(found) = found {
            let (normal, position) = (found.normal.to_array(), found.position.to_array());
            place.write(bl_contact { normal, depth: found.depth, position });
        }
        answer.write(u32::from(found.is_some()));
        Ok(())
    })
}
