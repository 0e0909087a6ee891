//! Bulk builds: making a tree from many objects at once.

pub(super) mod count;
pub(super) mod cut;
mod from_slice;
pub(super) mod gather;
mod parallel;
mod rebuild;
pub(super) mod share;
pub(super) mod sort;
mod source;
mod store;
mod stretch_store;
mod tasks;
