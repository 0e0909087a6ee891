//! The state of a tree as a whole: its hash, its bytes, and the checks of its invariants.

pub(crate) mod hash;
#[cfg(feature = "serde")]
mod restore;
#[cfg(feature = "serde")]
pub(crate) mod sealed;
pub(crate) mod validate;
