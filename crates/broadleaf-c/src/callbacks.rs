//! Calls into the caller's functions; with `border.rs` the only file with unsafe blocks.
//!
//! All of them run on the calling thread, unless the option
//! `callbacks_on_threads` says that they may run on others.

use crate::mesh::{bl_mesh, bl_placement};
use crate::types::{bl_aabb, bl_entry, bl_handle, bl_hit, bl_pair, bl_sphere};
use std::ffi::c_void;

/// Says whether a question is to consider an object: not zero for yes. It is
/// asked about candidates, some of which may turn out to be no answers.
pub type bl_filter = Option<unsafe extern "C" fn(context: *mut c_void, handle: bl_handle) -> i32>;

/// Says whether a pair counts: not zero for yes.
pub type bl_pair_filter = Option<unsafe extern "C" fn(context: *mut c_void, pair: bl_pair) -> i32>;

/// A narrow phase: gets a candidate and returns its exact distance (of a sweep
/// its time), or NAN if it is no hit. A distance beyond the reach is no hit; a
/// negative one counts as zero. Position and normal remain those of the candidate.
pub type bl_refine = Option<unsafe extern "C" fn(context: *mut c_void, candidate: *const bl_hit) -> f32>;

/// Says whether an object stays in the tree: not zero for yes.
pub type bl_keep = Option<unsafe extern "C" fn(context: *mut c_void, entry: *const bl_entry) -> i32>;

/// Returns the class of an object to a budget: 0 is the most urgent, 255 the least.
pub type bl_class_of = Option<unsafe extern "C" fn(context: *mut c_void, handle: bl_handle) -> u8>;

/// Says which mesh an object is, and where it stands: writes both and returns
/// not zero; or returns zero if the object is no mesh. The mesh must stay
/// until the question has been answered.
pub type bl_meshes = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        handle: bl_handle,
        mesh: *mut *const bl_mesh,
        placement: *mut bl_placement,
    ) -> i32,
>;

/// Gets an answer; returns zero to go on, anything else to stop.
pub type bl_visit_handle = Option<unsafe extern "C" fn(context: *mut c_void, handle: bl_handle) -> i32>;

/// Gets an answer; returns zero to go on, anything else to stop.
pub type bl_visit_visible =
    Option<unsafe extern "C" fn(context: *mut c_void, visible: *const crate::types::bl_visible) -> i32>;

/// Gets an answer; returns zero to go on, anything else to stop.
pub type bl_visit_hit = Option<unsafe extern "C" fn(context: *mut c_void, hit: *const bl_hit) -> i32>;

/// Gets an answer; returns zero to go on, anything else to stop.
pub type bl_visit_pair = Option<unsafe extern "C" fn(context: *mut c_void, pair: bl_pair) -> i32>;

/// Gets an answer; returns zero to go on, anything else to stop.
pub type bl_visit_mesh_hit =
    Option<unsafe extern "C" fn(context: *mut c_void, hit: *const crate::mesh::bl_mesh_hit) -> i32>;

/// Says whether a region of the caller's own has to do with a box: not zero for yes.
pub type bl_test_aabb = Option<unsafe extern "C" fn(context: *mut c_void, aabb: *const bl_aabb) -> i32>;

/// Says whether a region of the caller's own overlaps a sphere: not zero for yes.
pub type bl_test_sphere = Option<unsafe extern "C" fn(context: *mut c_void, sphere: *const bl_sphere) -> i32>;

/// Returns where a cast of the caller's own first meets a box, or NAN if not within `limit`.
pub type bl_meet_aabb = Option<unsafe extern "C" fn(context: *mut c_void, aabb: *const bl_aabb, limit: f32) -> f32>;

/// Returns where a cast of the caller's own first meets a sphere, or NAN if not within `limit`.
pub type bl_meet_sphere =
    Option<unsafe extern "C" fn(context: *mut c_void, sphere: *const bl_sphere, limit: f32) -> f32>;

/// A function of the caller's, and the context that it gets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Callback<F> {
    function: F,
    context: *mut c_void,
}

// SAFETY: callbacks are shared with the threads of the pool only if the option
// `callbacks_on_threads` is set (`Options::may_share`), by which the caller says
// that function and context may be used from any thread, and from several at once.
unsafe impl<F> Sync for Callback<F> {}
// SAFETY: the same.
unsafe impl<F> Send for Callback<F> {}

impl<F> Callback<F> {
    /// The callback, if there is a function.
    pub(crate) fn of(function: Option<F>, context: *mut c_void) -> Option<Self> {
        function.map(|function| Self { function, context })
    }
}

/// A method that calls the function; its arguments are passed as they are, or by their address.
macro_rules! calls {
    ($function:ty, $name:ident ( $($argument:ident : $type:ty => $passed:expr),* ) -> $returns:ty) => {
        impl Callback<$function> {
            #[inline]
            pub(crate) fn $name(&self, $($argument: $type),*) -> $returns {
                // SAFETY: the header says what a function of the caller's is called with,
                // and that it neither throws nor keeps a pointer; addresses are of values on the stack.
                unsafe { (self.function)(self.context, $($passed),*) }
            }
        }
    };
}

type Inner<T> = <T as Unwrap>::Function;

/// The function in one of the types above.
pub(crate) trait Unwrap {
    type Function;
}

impl<F> Unwrap for Option<F> {
    type Function = F;
}

// `bl_filter` and `bl_visit_handle` are one type to Rust, as are `bl_pair_filter` and `bl_visit_pair`.
calls!(Inner<bl_filter>, handle(handle: bl_handle => handle) -> i32);
calls!(Inner<bl_pair_filter>, pair(pair: bl_pair => pair) -> i32);
calls!(Inner<bl_class_of>, class(handle: bl_handle => handle) -> u8);
calls!(Inner<bl_keep>, keeps(entry: &bl_entry => entry) -> i32);
calls!(Inner<bl_visit_visible>, visible(visible: &crate::types::bl_visible => visible) -> i32);
calls!(Inner<bl_visit_hit>, hit(hit: &bl_hit => hit) -> i32);
calls!(Inner<bl_visit_mesh_hit>, mesh_hit(hit: &crate::mesh::bl_mesh_hit => hit) -> i32);
calls!(Inner<bl_test_aabb>, tests_aabb(aabb: &bl_aabb => aabb) -> i32);
calls!(Inner<bl_test_sphere>, tests_sphere(sphere: &bl_sphere => sphere) -> i32);
calls!(Inner<bl_refine>, refine(candidate: &bl_hit => candidate) -> f32);
calls!(Inner<bl_meet_aabb>, meets_aabb(aabb: &bl_aabb => aabb, limit: f32 => limit) -> f32);
calls!(Inner<bl_meet_sphere>, meets_sphere(sphere: &bl_sphere => sphere, limit: f32 => limit) -> f32);
calls!(Inner<bl_meshes>, mesh(handle: bl_handle => handle, mesh: &mut *const bl_mesh => mesh, placement: &mut bl_placement => placement) -> i32);

pub(crate) type FilterCall = Callback<Inner<bl_filter>>;
pub(crate) type PairFilterCall = Callback<Inner<bl_pair_filter>>;
pub(crate) type RefineCall = Callback<Inner<bl_refine>>;
pub(crate) type MeshesCall = Callback<Inner<bl_meshes>>;
pub(crate) type TestAabbCall = Callback<Inner<bl_test_aabb>>;
pub(crate) type TestSphereCall = Callback<Inner<bl_test_sphere>>;
pub(crate) type MeetAabbCall = Callback<Inner<bl_meet_aabb>>;
pub(crate) type MeetSphereCall = Callback<Inner<bl_meet_sphere>>;
