//! The columns that every room works on.

pub(crate) mod handle;
pub(crate) mod object;
