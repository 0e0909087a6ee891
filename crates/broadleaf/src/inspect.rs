//! Looking inside a tree: its nodes, its memory, counters, broken invariants.
//!
//! ```
//! use broadleaf::{Aabb, Octree, glam::Vec3};
//! use std::ops::ControlFlow;
//!
//! let mut tree = Octree::default();
//! for step in 0..100 {
//!     tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE).translated(Vec3::X * (2 * step) as f32))?;
//! }
//! let mut deepest = 0;
//! tree.view().visit_nodes(|node| {
//!     deepest = deepest.max(node.depth);
//!     ControlFlow::Continue(())
//! });
//! assert!(deepest > 0 && tree.memory().total() > 0 && tree.counters().nodes_live > 1);
//! assert!(tree.validate().is_ok());
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! | to know | ask |
//! |---|---|
//! | where cells, bounds and objects are | [`View::visit_nodes`](crate::View::visit_nodes) gives [`NodeInfo`] |
//! | how much a question looked at | the option `stats` gives [`QueryStats`] |
//! | bytes by kind | [`Octree::memory`](crate::Octree::memory) gives [`MemoryUse`] |
//! | nodes live, free and reused; objects that no cell holds | [`Octree::counters`](crate::Octree::counters) gives [`Counters`] |
//! | whether every invariant holds | [`Octree::validate`](crate::Octree::validate) gives [`BrokenInvariant`] |
#![cfg_attr(feature = "serde", doc = "| why a snapshot is refused | [`SnapshotError`] |")]

pub use crate::data::report::{Counters, MemoryUse};
#[cfg(feature = "serde")]
pub use crate::data::state::sealed::SnapshotError;
pub use crate::data::state::validate::BrokenInvariant;
pub use crate::data::view::{NodeInfo, QueryStats};
