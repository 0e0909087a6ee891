//! What C hands over, made into borrows: with `callbacks.rs` the only file with unsafe blocks.
//!
//! The header states what a caller promises of its pointers. Each exported
//! function is `unsafe` for that reason, and opens with [`border!`], which
//! trusts the promise once, for the time of the call, in the form of a
//! [`Caller`]. What can be checked is checked here: NULL, alignment, lengths.
//! No panic leaves: [`run`] catches it and returns a status.

use crate::cast::{bl_caller_cast, bl_cast, bl_ray, bl_segment, bl_sweep_aabb, bl_sweep_sphere};
use crate::failure::{Failure, bl_status, report};
use crate::options::{bl_options, bl_viewpoint};
use crate::region::{bl_caller_region, bl_camera, bl_capsule, bl_convex, bl_obb, bl_plane, bl_region};
use crate::types::bl_visible;
use crate::types::{bl_aabb, bl_contact, bl_entry, bl_hit, bl_object, bl_pair, bl_query_stats, bl_shape, bl_sphere};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The promise of a C caller, for the time of one call.
pub(crate) struct Caller(());

/// Types that any bytes are a value of: numbers, pointers, and structs of these.
///
/// # Safety
/// Every bit pattern of the size of the type is a legal value.
pub(crate) unsafe trait Plain: Copy {}

/// Types that C knows by pointers from this library alone.
pub(crate) trait Opaque {}

macro_rules! plain {
    ($($type:ty),* $(,)?) => {
        // SAFETY: numbers, arrays of numbers, and `repr(C)` structs and unions of
        // numbers, raw pointers and optional function pointers.
        $(unsafe impl Plain for $type {})*
    };
}

plain!(u8, u32, u64, usize, f32, f64, [f32; 2], [f32; 3], [f32; 4], [f32; 6], [[f32; 3]; 3], [f64; 3]);
plain!(bl_aabb, bl_sphere, bl_shape, bl_object, bl_entry, bl_pair, bl_hit, bl_visible, bl_contact, bl_query_stats);
plain!(bl_options, bl_viewpoint);
plain!(crate::octree::bl_config, crate::report::bl_memory, crate::report::bl_counters, crate::report::bl_node);
plain!(bl_region, bl_plane, bl_caller_region, bl_cast, bl_caller_cast, crate::budget::bl_budget_report);
plain!(crate::mesh::bl_mesh_hit, crate::mesh::bl_mesh_triangle, crate::mesh::bl_placement, crate::mesh::bl_mesh_leaf);

/// The body of an exported function: trusts the caller, and runs an expression that ends in a `Result<(), Failure>`.
macro_rules! border {
    (|$caller:ident| $body:expr) => {{
        // SAFETY: exported functions alone say `border!`, and hand over nothing but the
        // pointers that they were called with, that stand in what these lead to, or that
        // the caller's functions return.
        let caller = unsafe { $crate::border::Caller::trust() };
        $crate::border::run(|| {
            let $caller = &caller;
            $body
        })
    }};
}
pub(crate) use border;

/// Runs a call: no panic leaves it, and what is refused becomes a status.
pub(crate) fn run(call: impl FnOnce() -> Result<(), Failure>) -> bl_status {
    // What a panic leaves half changed is the caller's to free, as the status says.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => bl_status::Ok,
        Ok(Err(failure)) => report(&failure),
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            // A payload may panic when it is dropped; what that throws stays.
            if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
                std::mem::forget(second);
            }
            report(&Failure::Panic(text.unwrap_or_else(|| "no message".to_owned())))
        }
    }
}

fn check<T>(pointer: *const T, name: &'static str) -> Result<(), Failure> {
    if pointer.is_null() {
        Err(Failure::NullPointer(name))
    } else if !pointer.is_aligned() {
        Err(Failure::Misaligned { name, align: align_of::<T>() })
    } else {
        Ok(())
    }
}

/// Checks an array, which may be NULL if it is empty; whether it is not.
fn check_array<T>(pointer: *const T, len: usize, name: &'static str) -> Result<bool, Failure> {
    if len == 0 {
        return Ok(false);
    }
    let fits = len.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if !fits {
        return Err(Failure::TooLong(name));
    }
    check(pointer, name).map(|()| true)
}

impl Caller {
    /// Trusts a caller.
    ///
    /// # Safety
    /// Every pointer that is handed to the methods came from the C caller of
    /// the running function, or from a function of that caller's, and keeps what the header says of pointers,
    /// callbacks and threads. If it is not NULL, it leads to a value, or to an array of the length given with it,
    /// that is initialised (or, if it is written only, has room) and alive.
    /// Until the function returns, neither another parameter, nor a callback, nor
    /// another thread writes it, or reads it if it is written here; statistics (`bl_query_stats`) alone may be written
    /// by calls that a callback makes, since they are borrowed only for the moment in which they are added to.
    /// Pointers to opaque types came from the function that makes them, and were not freed.
    pub(crate) unsafe fn trust() -> Self {
        Self(())
    }

    /// A value that is read.
    pub(crate) fn value<T: Plain>(&self, pointer: *const T, name: &'static str) -> Result<&T, Failure> {
        check(pointer, name)?;
        // SAFETY: not NULL and aligned; the rest is the promise of `trust`. Any bytes are a value of a plain type.
        Ok(unsafe { &*pointer })
    }

    /// A value that is read, or NULL.
    pub(crate) fn optional<T: Plain>(&self, pointer: *const T, name: &'static str) -> Result<Option<&T>, Failure> {
        if pointer.is_null() { Ok(None) } else { self.value(pointer, name).map(Some) }
    }

    /// A value that is read and written.
    #[expect(clippy::mut_from_ref, reason = "the borrow comes from the pointer; the caller of `trust` has it alone")]
    pub(crate) fn value_mut<T: Plain>(&self, pointer: *mut T, name: &'static str) -> Result<&mut T, Failure> {
        check(pointer, name)?;
        // SAFETY: not NULL and aligned; the rest is the promise of `trust`. Any bytes are a value of a plain type.
        Ok(unsafe { &mut *pointer })
    }

    /// Room for a value that is written.
    #[expect(clippy::mut_from_ref, reason = "the borrow comes from the pointer; the caller of `trust` has it alone")]
    pub(crate) fn room<T>(&self, pointer: *mut T, name: &'static str) -> Result<&mut MaybeUninit<T>, Failure> {
        check(pointer, name)?;
        // SAFETY: not NULL and aligned; the rest is the promise of `trust`. Nothing is read.
        Ok(unsafe { &mut *pointer.cast::<MaybeUninit<T>>() })
    }

    /// An array that is read. NULL is an array of no elements.
    pub(crate) fn slice<T: Plain>(&self, pointer: *const T, len: usize, name: &'static str) -> Result<&[T], Failure> {
        if !check_array(pointer, len, name)? {
            return Ok(&[]);
        }
        // SAFETY: not NULL, aligned, and no longer than memory; the rest is the promise
        // of `trust`. Any bytes are values of a plain type.
        Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
    }

    /// Boxes as arrays of floats, as the library reads them in place.
    pub(crate) fn boxes(
        &self,
        pointer: *const bl_aabb,
        len: usize,
        name: &'static str,
    ) -> Result<&[[f32; 6]], Failure> {
        const { assert!(size_of::<bl_aabb>() == size_of::<[f32; 6]>()) };
        self.slice(pointer.cast(), len, name)
    }

    /// Spheres as arrays of floats, as the library reads them in place.
    pub(crate) fn spheres(
        &self,
        pointer: *const bl_sphere,
        len: usize,
        name: &'static str,
    ) -> Result<&[[f32; 4]], Failure> {
        const { assert!(size_of::<bl_sphere>() == size_of::<[f32; 4]>()) };
        self.slice(pointer.cast(), len, name)
    }

    /// An array with room for elements. NULL is one without room.
    #[expect(clippy::mut_from_ref, reason = "the borrow comes from the pointer; the caller of `trust` has it alone")]
    pub(crate) fn array<T: Plain>(
        &self,
        pointer: *mut T,
        len: usize,
        name: &'static str,
    ) -> Result<&mut [MaybeUninit<T>], Failure> {
        if !check_array(pointer, len, name)? {
            return Ok(&mut []);
        }
        // SAFETY: not NULL, aligned, and no longer than memory; the rest is the promise of `trust`. Nothing is read.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), len) })
    }

    /// An array to be filled, and where its count goes.
    pub(crate) fn list<T: Plain>(
        &self,
        found: *mut T,
        capacity: usize,
        count: *mut usize,
    ) -> Result<List<'_, T>, Failure> {
        let room = self.array(found, capacity, "found")?;
        Ok(List { room, len: 0, count: self.room(count, "count")? })
    }

    /// An object of this library that is read.
    pub(crate) fn shared<T: Opaque>(&self, pointer: *const T, name: &'static str) -> Result<&T, Failure> {
        check(pointer, name)?;
        // SAFETY: not NULL and aligned; by the promise of `trust` it came from `give`,
        // was not freed, and nobody changes it during the call.
        Ok(unsafe { &*pointer })
    }

    /// An object of this library that is changed.
    #[expect(clippy::mut_from_ref, reason = "the borrow comes from the pointer; the caller of `trust` has it alone")]
    pub(crate) fn exclusive<T: Opaque>(&self, pointer: *mut T, name: &'static str) -> Result<&mut T, Failure> {
        check(pointer, name)?;
        // SAFETY: not NULL and aligned; by the promise of `trust` it came from `give`,
        // was not freed, and no other parameter, callback or thread uses it during the call.
        Ok(unsafe { &mut *pointer })
    }

    /// Hands a new object of this library over to C. Check the place before the object is made.
    pub(crate) fn give<T: Opaque>(&self, place: &mut MaybeUninit<*mut T>, object: T) {
        place.write(Box::into_raw(Box::new(object)));
    }

    /// Frees an object of this library; NULL is none.
    pub(crate) fn free<T: Opaque>(&self, pointer: *mut T, name: &'static str) -> Result<(), Failure> {
        if !pointer.is_null() {
            check(pointer, name)?;
            // SAFETY: not NULL and aligned; by the promise of `trust` it came from `give`, and was not freed before.
            drop(unsafe { Box::from_raw(pointer) });
        }
        Ok(())
    }
}

/// A list that goes into an array of the caller's: what finds no room is counted.
pub(crate) struct List<'c, T> {
    room: &'c mut [MaybeUninit<T>],
    len: usize,
    count: &'c mut MaybeUninit<usize>,
}

impl<T> List<'_, T> {
    #[inline]
    pub(crate) fn push(&mut self, element: T) {
        if let Some(place) = self.room.get_mut(self.len) {
            place.write(element);
        }
        self.len += 1;
    }

    /// Writes the count. A call that gave no room has asked for no more than that.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.count.write(self.len);
        let (needed, capacity) = (self.len, self.room.len());
        if needed > capacity && capacity > 0 { Err(Failure::Truncated { needed, capacity }) } else { Ok(()) }
    }

    pub(crate) fn fill(mut self, elements: impl IntoIterator<Item = T>) -> Result<(), Failure> {
        elements.into_iter().for_each(|element| self.push(element));
        self.finish()
    }
}

/// Readers of the members of a union, for where its kind has been looked at.
macro_rules! members {
    ($holder:ty, $union:ident, $($member:ident: $type:ty),*) => {
        impl $holder {
            $(#[inline]
            pub(crate) fn $member(&self) -> $type {
                // SAFETY: read where the kind says that the caller has written this
                // member, by the promise of `Caller::trust`. Any bytes are a value of it: it is plain.
                unsafe { self.$union.$member }
            })*
        }
    };
}
members!(bl_shape, bounds, aabb: bl_aabb, sphere: bl_sphere);
members!(bl_region, of, point: [f32; 3], aabb: bl_aabb, sphere: bl_sphere, camera: bl_camera, planes: [bl_plane; 6],
    obb: bl_obb, capsule: bl_capsule, convex: bl_convex, own: *const bl_caller_region);
members!(bl_cast, of, ray: bl_ray, segment: bl_segment, sweep_aabb: bl_sweep_aabb, sweep_sphere: bl_sweep_sphere,
    own: *const bl_caller_cast);
