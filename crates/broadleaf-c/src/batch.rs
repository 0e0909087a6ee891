//! Many questions of a kind in one call, also on the threads of the pool.

use crate::border::{Caller, List, border};
use crate::cast::{Way, bl_cast};
use crate::failure::{Failure, bl_status};
use crate::octree::bl_octree;
use crate::options::{Options, bl_options, with_objects, with_stats};
use crate::region::bl_region;
use crate::scratch::{Regions, bl_scratch};
use crate::types::{bl_aabb, bl_handle, bl_hit, bl_visible, containment_number};
use broadleaf::query::{Cast, Region};
use broadleaf::{Aabb, Batch, Containment, Handle, QueryStats, View};
use std::mem::MaybeUninit;

const OPTIONS: &[&str] = &["layers", "only", "exclude", "threads", "filter"];
const OPTIONS_WITHIN: &[&str] = &["layers", "only", "exclude", "threads", "filter", "within"];

/// A question about many places, with its options.
macro_rules! nearest {
    ($view:expr, $places:expr, $options:expr, $terminal:ident($($argument:expr),*)) => {{
        let mut work = QueryStats::default();
        let mut query = with_objects!($view.nearest_many($places)?, $options).threads($options.threads);
        if let Some(within) = $options.within {
            query = query.within(within);
        }
        let query = with_stats!(query, $options, work);
        match $options.filter {
            Some(filter) => query.filter(move |handle| filter.accepts(handle)).$terminal($($argument),*),
            None => query.$terminal($($argument),*),
        }
        $options.add(work);
    }};
}

/// Lists the objects that overlap each of many regions, which are of one kind. The tree must be up to date.
///
/// Options: layers, only, exclude (one object for all questions), threads, filter, stats; needs scratch. A region or a
/// filter of the caller's own on the pool needs callbacks_on_threads.
/// `ends`: an array of `region_count`; the answers to region i end before `found[ends[i]]`, where those to the
/// next begin.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
/// Order: that of the regions, and of one region that of `bl_octree_overlap`, for any number of threads.
/// Errors: the first region that is not legal, with its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_overlap_many(
    tree: *const bl_octree,
    regions: *const bl_region,
    region_count: usize,
    options: *const bl_options,
    ends: *mut usize,
    found: *mut bl_handle,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let (list, ends) = (caller.list(found, capacity, count)?, caller.array(ends, region_count, "ends")?);
        let (view, mut options, scratch) = open(caller, tree, options, OPTIONS)?;
        let bl_scratch { regions: read, batches, .. } = scratch;
        read.read(caller, caller.slice(regions, region_count, "regions")?)?;
        let batch = &mut batches.handles;
        of_kind(read, &mut options, |regions, options| regions.handles(view, options, batch))?;
        finish(batch, ends, list, |handle| handle.to_bits())
    })
}

/// Lists the objects that overlap each of many regions, with how each lies to
/// it; distances are zero. As `bl_octree_overlap_many`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_visible_many(
    tree: *const bl_octree,
    regions: *const bl_region,
    region_count: usize,
    options: *const bl_options,
    ends: *mut usize,
    found: *mut bl_visible,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let (list, ends) = (caller.list(found, capacity, count)?, caller.array(ends, region_count, "ends")?);
        let (view, mut options, scratch) = open(caller, tree, options, OPTIONS)?;
        let bl_scratch { regions: read, batches, .. } = scratch;
        read.read(caller, caller.slice(regions, region_count, "regions")?)?;
        let batch = &mut batches.contained;
        of_kind(read, &mut options, |regions, options| regions.contained(view, options, batch))?;
        finish(batch, ends, list, |&(handle, containment)| {
            let containment = containment_number(containment);
            bl_visible { handle: handle.to_bits(), containment, distance: 0.0 }
        })
    })
}

/// Tells the closest object that each of many casts meets. The tree must be up to date.
///
/// `casts`: all rays and segments, or all sweeps; casts of the caller's own are asked one by one.
/// Options: layers, only, exclude, within, threads, filter, stats; needs scratch.
/// `hits`: an array of `cast_count`; the handle is `BL_NO_HANDLE` where a cast meets nothing.
/// Errors: the first cast that is not legal, with its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_many_closest(
    tree: *const bl_octree,
    casts: *const bl_cast,
    cast_count: usize,
    options: *const bl_options,
    hits: *mut bl_hit,
) -> bl_status {
    border!(|caller| one_each(caller, tree, (casts, cast_count), options, hits, true))
}

/// Tells some object that each of many casts meets. As `bl_octree_cast_many_closest`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_many_any(
    tree: *const bl_octree,
    casts: *const bl_cast,
    cast_count: usize,
    options: *const bl_options,
    hits: *mut bl_hit,
) -> bl_status {
    border!(|caller| one_each(caller, tree, (casts, cast_count), options, hits, false))
}

/// Lists the objects that each of many casts meets, in no order of distance.
///
/// `casts`, options: as `bl_octree_cast_many_closest`. `ends`: as `bl_octree_overlap_many`.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_cast_many_all(
    tree: *const bl_octree,
    casts: *const bl_cast,
    cast_count: usize,
    options: *const bl_options,
    ends: *mut usize,
    found: *mut bl_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let (list, ends) = (caller.list(found, capacity, count)?, caller.array(ends, cast_count, "ends")?);
        let (view, mut options, scratch) = open(caller, tree, options, OPTIONS_WITHIN)?;
        let is_ray = scratch.read_casts(caller, caller.slice(casts, cast_count, "casts")?)?;
        if is_ray {
            all(view, &scratch.rays, &mut options, &mut scratch.batches.rays);
            finish(&scratch.batches.rays, ends, list, |&hit| hit.into())
        } else {
            all(view, &scratch.sweeps, &mut options, &mut scratch.batches.sweeps);
            finish(&scratch.batches.sweeps, ends, list, |&hit| hit.into())
        }
    })
}

/// Tells the object nearest to each of many boxes; points are boxes whose corners are equal.
///
/// Options: layers, only, exclude, within, threads, filter, stats; needs scratch.
/// `hits`: an array of `place_count`; the handle is `BL_NO_HANDLE` where there is none.
/// Errors: the first box that is not legal, with its index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_many_closest(
    tree: *const bl_octree,
    places: *const bl_aabb,
    place_count: usize,
    options: *const bl_options,
    hits: *mut bl_hit,
) -> bl_status {
    border!(|caller| {
        let rooms = caller.array(hits, place_count, "hits")?;
        let (view, mut options, scratch) = open(caller, tree, options, OPTIONS_WITHIN)?;
        scratch.places.clear();
        scratch.places.extend(caller.slice(places, place_count, "places")?.iter().map(|&place| Aabb::from(place)));
        let batch = &mut scratch.batches.neighbor;
        nearest!(view, &scratch.places, options, closest_into(batch));
        fill(rooms, batch.answers());
        Ok(())
    })
}

/// Lists the `k` objects nearest to each of many boxes, in order of distance, then of slot.
///
/// Options: as `bl_octree_nearest_many_closest`. `ends`: as `bl_octree_overlap_many`.
/// `found`, `capacity`, `count`: see "Lists" at the head of this header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_octree_nearest_many_k(
    tree: *const bl_octree,
    places: *const bl_aabb,
    place_count: usize,
    k: usize,
    options: *const bl_options,
    ends: *mut usize,
    found: *mut bl_hit,
    capacity: usize,
    count: *mut usize,
) -> bl_status {
    border!(|caller| {
        let (list, ends) = (caller.list(found, capacity, count)?, caller.array(ends, place_count, "ends")?);
        let (view, mut options, scratch) = open(caller, tree, options, OPTIONS_WITHIN)?;
        scratch.places.clear();
        scratch.places.extend(caller.slice(places, place_count, "places")?.iter().map(|&place| Aabb::from(place)));
        let batch = &mut scratch.batches.neighbors;
        nearest!(view, &scratch.places, options, k_into(k, batch));
        finish(batch, ends, list, |&near| near.into())
    })
}

/// What every batch begins with.
fn open<'c>(
    caller: &'c Caller,
    tree: *const bl_octree,
    options: *const bl_options,
    apply: &[&str],
) -> Result<(View<'c>, Options<'c>, &'c mut bl_scratch), Failure> {
    let mut options = Options::read(caller, options, apply)?;
    options.may_share(options.filter.is_some())?;
    let scratch = options.need_scratch()?;
    Ok((caller.shared(tree, "tree")?.view()?, options, scratch))
}

/// What every batch of lists ends with.
fn finish<T, U>(
    batch: &Batch<T>,
    ends: &mut [MaybeUninit<usize>],
    list: List<'_, U>,
    convert: impl Fn(&T) -> U,
) -> Result<(), Failure> {
    for (end, range) in ends.iter_mut().zip(batch.ranges()) {
        end.write(range.end);
    }
    list.fill(batch.answers().iter().map(convert))
}

fn fill<H: Copy + Into<bl_hit>>(rooms: &mut [MaybeUninit<bl_hit>], answers: &[Option<H>]) {
    for (room, answer) in rooms.iter_mut().zip(answers) {
        room.write(answer.map(Into::into).unwrap_or_default());
    }
}

/// The regions of a batch, of whichever type.
trait AskMany {
    fn handles(&self, view: View<'_>, options: &mut Options<'_>, batch: &mut Batch<Handle>) -> Result<(), Failure>;
    fn contained(
        &self,
        view: View<'_>,
        options: &mut Options<'_>,
        batch: &mut Batch<(Handle, Containment)>,
    ) -> Result<(), Failure>;
}

impl<R: Region + Sync> AskMany for Vec<R> {
    fn handles(&self, view: View<'_>, options: &mut Options<'_>, batch: &mut Batch<Handle>) -> Result<(), Failure> {
        let mut work = QueryStats::default();
        let query = with_objects!(view.overlap_many(self)?, options).threads(options.threads);
        let query = with_stats!(query, options, work);
        match options.filter {
            Some(filter) => query.filter(move |handle| filter.accepts(handle)).collect_into(batch),
            None => query.collect_into(batch),
        }
        options.add(work);
        Ok(())
    }

    fn contained(
        &self,
        view: View<'_>,
        options: &mut Options<'_>,
        batch: &mut Batch<(Handle, Containment)>,
    ) -> Result<(), Failure> {
        let mut work = QueryStats::default();
        let query = with_objects!(view.overlap_many(self)?, options).threads(options.threads).with_containment();
        let query = with_stats!(query, options, work);
        match options.filter {
            Some(filter) => query.filter(move |handle| filter.accepts(handle)).collect_into(batch),
            None => query.collect_into(batch),
        }
        options.add(work);
        Ok(())
    }
}

/// Asks about the regions that were read, which are of one kind; of none at all, too.
fn of_kind(
    regions: &Regions,
    options: &mut Options<'_>,
    ask: impl FnOnce(&dyn AskMany, &mut Options<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Regions { points, boxes, spheres, frusta, obbs, capsules, convex, own } = regions;
    options.may_share(!own.is_empty())?;
    let kinds: [(&dyn AskMany, bool); 7] = [
        (points, points.is_empty()),
        (spheres, spheres.is_empty()),
        (frusta, frusta.is_empty()),
        (obbs, obbs.is_empty()),
        (capsules, capsules.is_empty()),
        (convex, convex.is_empty()),
        (own, own.is_empty()),
    ];
    let kind = kinds.into_iter().find(|(_, is_empty)| !is_empty);
    ask(kind.map_or(boxes, |(regions, _)| regions), options)
}

impl bl_scratch {
    /// Reads casts; whether they are rays.
    fn read_casts(&mut self, caller: &Caller, casts: &[bl_cast]) -> Result<bool, Failure> {
        self.rays.clear();
        self.sweeps.clear();
        for (index, cast) in casts.iter().enumerate() {
            match caller.cast(cast).map_err(|failure| failure.at(index))? {
                Way::Ray(ray) => self.rays.push(ray),
                Way::Sweep(sweep) => self.sweeps.push(sweep),
                Way::Own(_) => return Err(Failure::BadValue { name: "cast.kind", value: cast.kind }.at(index)),
            }
            if !self.rays.is_empty() && !self.sweeps.is_empty() {
                return Err(Failure::MixedKinds { index });
            }
        }
        Ok(self.sweeps.is_empty())
    }
}

fn one_each(
    caller: &Caller,
    tree: *const bl_octree,
    (casts, cast_count): (*const bl_cast, usize),
    options: *const bl_options,
    hits: *mut bl_hit,
    closest: bool,
) -> Result<(), Failure> {
    let rooms = caller.array(hits, cast_count, "hits")?;
    let (view, mut options, scratch) = open(caller, tree, options, OPTIONS_WITHIN)?;
    if scratch.read_casts(caller, caller.slice(casts, cast_count, "casts")?)? {
        one(view, &scratch.rays, &mut options, &mut scratch.batches.ray, closest);
        fill(rooms, scratch.batches.ray.answers());
    } else {
        one(view, &scratch.sweeps, &mut options, &mut scratch.batches.sweep, closest);
        fill(rooms, scratch.batches.sweep.answers());
    }
    Ok(())
}

/// A question about many casts, with its options.
macro_rules! casts {
    ($view:expr, $casts:expr, $options:expr, $query:ident => $terminal:expr) => {{
        let mut work = QueryStats::default();
        let mut query = with_objects!($view.cast_many($casts), $options).threads($options.threads);
        if let Some(within) = $options.within {
            query = query.within(within);
        }
        let $query = with_stats!(query, $options, work);
        match $options.filter {
            Some(filter) => {
                let $query = $query.filter(move |handle| filter.accepts(handle));
                $terminal
            }
            None => $terminal,
        }
        $options.add(work);
    }};
}

fn one<C: Cast + Sync>(
    view: View<'_>,
    casts: &[C],
    options: &mut Options<'_>,
    batch: &mut Batch<Option<C::Hit>>,
    closest: bool,
) where
    C::Hit: Copy + Send + Sync,
{
    casts!(view, casts, options, query => if closest { query.closest_into(batch) } else { query.any_into(batch) });
}

fn all<C: Cast + Sync>(view: View<'_>, casts: &[C], options: &mut Options<'_>, batch: &mut Batch<C::Hit>)
where
    C::Hit: Copy + Send + Sync,
{
    casts!(view, casts, options, query => query.collect_into(batch));
}
