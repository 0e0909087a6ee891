//! A dynamic octree and broad phase: boxes and spheres that appear, move and
//! vanish, and every frame the answer to who overlaps whom, what a camera
//! sees, what a ray hits, and what is near.
//!
//! [`Octree`] takes changes; [`Octree::view`] brings it up to date and lends a
//! [`View`], which carries every question and may be copied to other threads.
//! A [`PairTracker`] tells which pairs began and ended. A [`Mesh`] is a static
//! octree of triangles.
//!
//! ```
//! use broadleaf::{Aabb, Octree, Scratch, glam::Vec3};
//!
//! let mut tree = Octree::default();
//! let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
//! let (a, b) = (tree.insert(unit)?, tree.insert(unit.translated(Vec3::X * 3.0))?);
//! let (mut scratch, mut pairs) = (Scratch::new(), Vec::new());
//!
//! tree.view().pairs(&mut scratch).collect_into(&mut pairs);
//! assert!(pairs.is_empty());
//!
//! tree.update(b, unit.translated(Vec3::X))?; // touching counts
//! tree.view().pairs(&mut scratch).collect_into(&mut pairs);
//! assert_eq!((pairs[0].a(), pairs[0].b()), (a, b));
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! *Units and shape:* coordinates are world units; boxes, spheres and planes
//! are closed, so touching counts as overlapping.
//!
//! *Order* of results is a function of the sequence of calls alone: not of
//! threads, instruction set or addresses.
//!
//! *Errors:* what a caller's data can cause is an [`Error`] or `None`, and
//! changes nothing. Memory that runs out ends as it does with a `Vec`.
//!
//! *Features:* `std` and `parallel` (rayon) are on by default; without `std`
//! the crate needs `alloc` alone. `serde` saves and loads, `snapshot` adds a
//! binary form of trees, trackers and budgets, `mint` converts vectors.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
extern crate alloc;

mod config;
mod data;
mod error;
mod geometry;
mod mesh;
mod pairs;
pub mod query;
mod scratch;
mod tree;

pub use config::{Config, Margin};
pub use data::handle::Handle;
pub use data::journal::Changes;
pub use data::object::{Bounded, Layers, Mobility, Object, Shape};
pub use data::report::{Counters, MemoryUse};
#[cfg(feature = "serde")]
pub use data::sealed::SnapshotError;
pub use data::threads::Threads;
pub use data::validate::Broken;
pub use data::view::{NodeInfo, QueryStats, View};
pub use error::{Error, SliceError};
pub use geometry::{
    Aabb, Capsule, ClipDepth, Contact, Containment, ConvexRegion, Frustum, Obb, Plane, Ray, Sphere, Sweep, Triangle,
    WorldOrigin,
};
pub use glam;
pub use mesh::{Culling, Mesh, MeshError, MeshHit, MeshLeaf, MeshPoint, MeshSweepHit, Placement, Side};
pub use mesh::{OctantMesh, OctantPlacement, Traversal};
pub use pairs::{BudgetReport, Pair, PairBudget, PairQuery, PairTracker, PartnerQuery};
pub use query::{Batch, Cast, Flow, Inside, Neighbor, RayHit, Region, Seen, SlotSet, SweepHit, Viewpoint};
pub use scratch::Scratch;
pub use tree::Octree;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
