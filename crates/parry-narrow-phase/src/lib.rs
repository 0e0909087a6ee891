//! parry's shapes as the narrow phase of a broadleaf octree, beside parry's own tree.
//!
//! Two worlds answer the same questions about one [`Scene`]: [`OctreeWorld`] keeps the boxes
//! of the shapes in an octree, [`BvhWorld`] in parry's `Bvh`. Both hand candidates to the same
//! functions of parry, so contacts and distances are equal bit for bit.
//!
//! Run `cargo run --release --example parry_narrow_phase` in this folder.
#![forbid(unsafe_code)]

mod bvh;
mod octree;
mod scene;

pub use bvh::BvhWorld;
pub use octree::OctreeWorld;
pub use scene::{Hit, Scene, TouchingPair};
