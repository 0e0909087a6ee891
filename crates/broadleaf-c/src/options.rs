//! The options of questions, by name; all zero is all default.

use crate::border::Caller;
use crate::callbacks::{Callback, FilterCall, PairFilterCall, RefineCall, bl_filter, bl_pair_filter, bl_refine};
use crate::failure::Failure;
use crate::scratch::bl_scratch;
use crate::types::{bl_handle, bl_hit, bl_query_stats, bl_threads, choice, handle, threads_choice, vec3};
use broadleaf::mesh::Culling;
use broadleaf::query::{StartInside, Viewpoint};
use broadleaf::{Handle, Mobility, QueryStats, Threads};
use std::ffi::c_void;
use std::ops::ControlFlow;

/// Which objects a question is about: `BL_ONLY_ALL`, `BL_ONLY_STATIC`, `BL_ONLY_MOVING`. It is
/// not a `bl_mobility`: `BL_STATIC` has the value of `BL_ONLY_STATIC`, but `BL_MOVING` that of `BL_ONLY_ALL`.
pub type bl_only = u32;
/// All objects.
pub const BL_ONLY_ALL: bl_only = 0;
/// Static objects.
pub const BL_ONLY_STATIC: bl_only = 1;
/// Moving objects.
pub const BL_ONLY_MOVING: bl_only = 2;

/// What a ray makes of an object that contains its origin: `BL_START_INSIDE_HIT`, `BL_START_INSIDE_SKIP`,
/// `BL_START_INSIDE_EXIT`.
pub type bl_start_inside = u32;
/// A hit at distance zero, with normal zero.
pub const BL_START_INSIDE_HIT: bl_start_inside = 0;
/// No hit, such as of the object that shoots.
pub const BL_START_INSIDE_SKIP: bl_start_inside = 1;
/// A hit where the ray leaves the object, with the outward normal there.
pub const BL_START_INSIDE_EXIT: bl_start_inside = 2;

/// Which sides of triangles a ray passes through: `BL_CULL_NONE`, `BL_CULL_BACK`, `BL_CULL_FRONT`.
pub type bl_culling = u32;
/// None: both sides are hit.
pub const BL_CULL_NONE: bl_culling = 0;
/// Back sides: only front sides are hit, from which the corners run counter-clockwise.
pub const BL_CULL_BACK: bl_culling = 1;
/// Front sides: only back sides are hit.
pub const BL_CULL_FRONT: bl_culling = 2;

/// The options of a question. Zero is the default of each, so
/// `bl_options options = {0};` is all defaults, and so is NULL in place of a pointer
/// to options. Each question says which it takes; an option that is set and
/// does not apply is refused with `BL_STATUS_BAD_VALUE`. `stats`, `scratch`, `context` and
/// `callbacks_on_threads` are never refused: where they do not apply, they are not used.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_options {
    /// Only objects that are a member of one of these layers; zero for all objects.
    pub layers: u32,
    /// Only static objects, or only moving ones.
    pub only: bl_only,
    /// All objects but this one, such as the one that asks; `BL_NO_HANDLE` for none.
    pub exclude: bl_handle,
    /// Not zero: no farther than `within`.
    pub has_within: u32,
    /// How far, of a cast in its own unit; the bound is included. Nothing is within a negative one or NAN.
    pub within: f32,
    /// What a ray makes of an object that contains its origin.
    pub start_inside: bl_start_inside,
    /// Which sides of triangles a ray passes through.
    pub culling: bl_culling,
    /// Not zero: the answers come in order of distance, then of slot. Needs `scratch`.
    pub in_order: u32,
    /// Which threads answer a batch, or find all pairs.
    pub threads: bl_threads,
    /// Not zero: the callbacks of a batch may be called from the threads of
    /// the pool, from several at once. A batch on the pool refuses callbacks without it.
    pub callbacks_on_threads: u32,
    /// The work of the question is added here; NULL counts nothing.
    pub stats: *mut bl_query_stats,
    /// Working memory. Keep one for each thread and hand it in again: once it
    /// has grown, nothing is allocated.
    pub scratch: *mut bl_scratch,
    /// Only objects that the function accepts; NULL for all.
    pub filter: bl_filter,
    /// Only pairs that the function accepts; NULL for all.
    pub pair_filter: bl_pair_filter,
    /// A narrow phase; NULL for none.
    pub refine: bl_refine,
    /// Handed to the functions above.
    pub context: *mut c_void,
}

/// From where a camera looks, and how small is too small.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct bl_viewpoint {
    /// Where the camera is.
    pub eye: [f32; 3],
    /// Objects whose box's diagonal over its distance is below this are left
    /// out. Zero leaves none out; the height of a pixel over the distance of the
    /// picture plane leaves out what is smaller than a pixel.
    pub size_min: f32,
}

impl bl_viewpoint {
    pub(crate) fn read(&self) -> Result<Viewpoint, Failure> {
        Ok(Viewpoint::new(vec3(self.eye), self.size_min)?)
    }
}

/// Options that have been checked.
pub(crate) struct Options<'c> {
    pub(crate) layers: Option<u32>,
    pub(crate) only: Option<Mobility>,
    pub(crate) exclude: Option<Handle>,
    pub(crate) within: Option<f32>,
    pub(crate) start_inside: StartInside,
    pub(crate) culling: Culling,
    pub(crate) in_order: bool,
    pub(crate) threads: Threads,
    pub(crate) filter: Option<FilterCall>,
    pub(crate) pair_filter: Option<PairFilterCall>,
    pub(crate) refine: Option<RefineCall>,
    /// Borrowed when the question has been answered: a callback may ask with the same statistics.
    stats: *mut bl_query_stats,
    caller: &'c Caller,
    scratch: Option<&'c mut bl_scratch>,
    shares_callbacks: bool,
}

impl<'c> Options<'c> {
    /// Checks options, of which those named apply; `stats` and `scratch` always do.
    pub(crate) fn read(caller: &'c Caller, options: *const bl_options, apply: &[&str]) -> Result<Self, Failure> {
        let options = caller.optional(options, "options")?;
        if let Some(options) = options {
            options.check_unused(apply)?;
        }
        let Some(options) = options else {
            return Ok(Self {
                layers: None,
                only: None,
                exclude: None,
                within: None,
                start_inside: StartInside::Hit,
                culling: Culling::None,
                in_order: false,
                threads: Threads::One,
                filter: None,
                pair_filter: None,
                refine: None,
                stats: std::ptr::null_mut(),
                caller,
                scratch: None,
                shares_callbacks: false,
            });
        };
        let only =
            [(BL_ONLY_ALL, None), (BL_ONLY_MOVING, Some(Mobility::Moving)), (BL_ONLY_STATIC, Some(Mobility::Static))];
        let start_inside = [
            (BL_START_INSIDE_HIT, StartInside::Hit),
            (BL_START_INSIDE_SKIP, StartInside::Skip),
            (BL_START_INSIDE_EXIT, StartInside::Exit),
        ];
        let culling = [(BL_CULL_NONE, Culling::None), (BL_CULL_BACK, Culling::Back), (BL_CULL_FRONT, Culling::Front)];
        let exclude = (options.exclude != 0).then(|| handle("exclude", options.exclude)).transpose()?;
        let in_order = options.in_order != 0;
        if in_order && options.scratch.is_null() {
            return Err(Failure::Missing { option: "scratch" });
        }
        if !options.stats.is_null() {
            caller.value_mut(options.stats, "stats")?;
        }
        let scratch = options.scratch;
        let scratch = if scratch.is_null() { None } else { Some(caller.exclusive(scratch, "scratch")?) };
        Ok(Self {
            layers: (options.layers != 0).then_some(options.layers),
            only: choice("only", options.only, &only)?,
            exclude,
            within: (options.has_within != 0).then_some(options.within),
            start_inside: choice("start_inside", options.start_inside, &start_inside)?,
            culling: choice("culling", options.culling, &culling)?,
            in_order,
            threads: threads_choice(options.threads)?,
            filter: Callback::of(options.filter, options.context),
            pair_filter: Callback::of(options.pair_filter, options.context),
            refine: Callback::of(options.refine, options.context),
            stats: options.stats,
            caller,
            scratch,
            shares_callbacks: options.callbacks_on_threads != 0,
        })
    }

    /// Whether callbacks may be called during a batch: on the calling thread they always may.
    pub(crate) fn may_share(&self, any: bool) -> Result<(), Failure> {
        if any && self.threads != Threads::One && !self.shares_callbacks {
            return Err(Failure::Missing { option: "callbacks_on_threads" });
        }
        Ok(())
    }

    /// The working memory, without which the question cannot be asked.
    pub(crate) fn need_scratch(&mut self) -> Result<&'c mut bl_scratch, Failure> {
        self.scratch.take().ok_or(Failure::Missing { option: "scratch" })
    }

    /// The working memory, if order is asked for.
    pub(crate) fn order(&mut self) -> Option<&'c mut bl_scratch> {
        if self.in_order { self.scratch.take() } else { None }
    }

    /// Whether work is to be counted.
    pub(crate) fn counts(&self) -> bool {
        !self.stats.is_null()
    }

    /// Adds work to what the caller counts, if it does.
    pub(crate) fn add(&mut self, work: QueryStats) {
        if self.counts()
            && let Ok(stats) = self.caller.value_mut(self.stats, "stats")
        {
            stats.add(work);
        }
    }
}

impl bl_options {
    /// Refuses options that are set and do not apply.
    fn check_unused(&self, apply: &[&str]) -> Result<(), Failure> {
        let set = [
            ("layers", self.layers != 0),
            ("only", self.only != 0),
            ("exclude", self.exclude != 0),
            ("within", self.has_within != 0),
            ("start_inside", self.start_inside != 0),
            ("culling", self.culling != 0),
            ("in_order", self.in_order != 0),
            ("threads", self.threads != 0),
            ("filter", self.filter.is_some()),
            ("pair_filter", self.pair_filter.is_some()),
            ("refine", self.refine.is_some()),
        ];
        let unused = set.into_iter().find(|(option, is_set)| *is_set && !apply.contains(option));
        unused.map_or(Ok(()), |(option, _)| Err(Failure::Unused { option }))
    }
}

impl FilterCall {
    #[inline]
    pub(crate) fn accepts(&self, handle: Handle) -> bool {
        self.handle(handle.to_bits()) != 0
    }
}

impl RefineCall {
    /// The exact distance of a candidate; `None` if it is no hit.
    pub(crate) fn distance(&self, candidate: impl Into<bl_hit>) -> Option<f32> {
        let distance = self.refine(&candidate.into());
        (!distance.is_nan()).then_some(distance)
    }
}

/// Goes on for zero, stops for anything else.
#[inline]
pub(crate) fn flow(returned: i32) -> ControlFlow<()> {
    if returned == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Sets the options of a question about objects that were asked for.
macro_rules! with_objects {
    ($query:expr, $options:expr) => {{
        let mut query = $query;
        if let Some(layers) = $options.layers {
            query = query.layers(layers);
        }
        if let Some(only) = $options.only {
            query = query.only(only);
        }
        if let Some(handle) = $options.exclude {
            query = query.exclude(handle);
        }
        query
    }};
}
/// Has a question count its work, if the caller wants to know.
macro_rules! with_stats {
    ($query:expr, $options:expr, $work:ident) => {{
        let query = $query;
        if $options.counts() { query.stats(&mut $work) } else { query }
    }};
}
pub(crate) use {with_objects, with_stats};
