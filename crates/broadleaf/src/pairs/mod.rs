//! Overlapping pairs, asked of a [`View`](crate::View). Reads only.

mod bucket;
mod of;
mod outside;
mod pair;
mod pass;
mod question;
mod sink;
#[cfg(feature = "parallel")]
mod tasks;

pub use pair::Pair;
pub use question::Scratch;
