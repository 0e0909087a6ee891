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
//! | the same as boxes for an engine's gizmos | [`draw`] |
//! | what a question visited, tested and hit, as boxes | [`Recorder`] |
//! | how much a question looked at | the option `stats` gives [`QueryStats`] |
//! | bytes by kind | [`Octree::memory`](crate::Octree::memory) gives [`MemoryUse`] |
//! | nodes live, free and reused; objects that no cell holds | [`Octree::counters`](crate::Octree::counters) gives [`Counters`] |
//! | whether every invariant holds | [`Octree::validate`](crate::Octree::validate) gives [`BrokenInvariant`] |
#![cfg_attr(feature = "serde", doc = "| why a snapshot is refused | [`SnapshotError`] |")]
//!
//! # Spans
//!
//! With the feature `tracing`, each step of a frame is a span of the crate of that name,
//! at the level `debug`, with the target `broadleaf`. Fields are counts.
//!
//! | span | around | fields |
//! |---|---|---|
//! | `insert_many`, `update_many` | these calls, of a legal length | `objects` given |
//! | `update` | a view that has something to do | `objects` in the tree, `pending` (inserted), `misplaced` (outside their cell) |
//! | `rebuild` | a bulk build, also inside `update` | `objects` |
//! | `refit` | inside `update` | `nodes` refitted |
//! | `pairs` | [`View::pairs`](crate::View::pairs) | `objects`, `objects_tested`, `pairs` |
//! | `events` | an update of a [`PairTracker`](crate::PairTracker) | `objects`, `pairs` known, `begun`, `ended` |
//! | `batch_order` | the order in which a batch is asked | `questions` |
//! | `batch` | the questions of a batch | `questions`, `answers` |
//!
//! Without the feature nothing of this is compiled.

pub use crate::data::report::{Counters, MemoryUse};
#[cfg(feature = "serde")]
pub use crate::data::state::sealed::SnapshotError;
pub use crate::data::state::validate::BrokenInvariant;
pub use crate::data::view::{NodeInfo, QueryStats};
pub use crate::query::draw::{DrawKind, Drawing, draw};
pub use crate::query::record::{Recorded, Recorder};
