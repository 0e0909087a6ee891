//! Which version this is.

use std::ffi::c_char;

/// First number of the version.
pub const BL_VERSION_MAJOR: u32 = 0;
/// Second number of the version. Before 1.0, one that differs may be another interface.
pub const BL_VERSION_MINOR: u32 = 1;
/// Third number of the version.
pub const BL_VERSION_PATCH: u32 = 0;

/// Returns the version of the library that was linked, as
/// `BL_VERSION_MAJOR << 20 | BL_VERSION_MINOR << 10 | BL_VERSION_PATCH` of its header: compare it with that of the
/// header that was included.
#[unsafe(no_mangle)]
pub extern "C" fn bl_version() -> u32 {
    BL_VERSION_MAJOR << 20 | BL_VERSION_MINOR << 10 | BL_VERSION_PATCH
}

/// Returns the version of the library that was linked, as a text such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn bl_version_text() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
