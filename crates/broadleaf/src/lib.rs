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
//! tree.view().pairs_into(&mut scratch, &mut pairs);
//! assert!(pairs.is_empty());
//!
//! tree.update(b, unit.translated(Vec3::X))?; // touching counts
//! tree.view().pairs_into(&mut scratch, &mut pairs);
//! assert_eq!((pairs[0].a(), pairs[0].b()), (a, b));
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! *Units and shape:* coordinates are world units; boxes, spheres and planes
//! are closed, so touching counts as overlapping.
//!
//! *Vectors* are those of [`glam`], 0.33.11 to 0.34, as the lock file has it.
//! None is needed: constructors take `[f32; 3]` for a point or a direction, trees
//! `[f32; 6]` for a box and `[f32; 4]` for a sphere, cameras `[[f32; 4]; 4]` for a
//! matrix; other arguments take `array.into()`, and `to_array()` gives the
//! floats of any vector that is handed out.
//!
//! ```
//! use broadleaf::{Layers, Octree, Ray};
//!
//! let (mut tree, mut handles) = (Octree::default(), Vec::new());
//! tree.insert_many(&[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [4.0, 0.0, 0.0, 5.0, 1.0, 1.0]], &mut handles)?;
//! let (hit, _) = tree.view().closest_hit(&Ray::new([9.0, 0.5, 0.5], [-1.0, 0.0, 0.0])?, Layers::ALL);
//! let hit = hit.unwrap();
//! assert_eq!((hit.handle, hit.distance, hit.position.to_array()), (handles[1], 4.0, [5.0, 0.5, 0.5]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
mod query;
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
    ViewProjection, WorldOrigin,
};
pub use glam;
pub use mesh::{Culling, Mesh, MeshError, MeshHit, MeshLeaf, MeshPoint, MeshSweepHit, Placement, Side};
pub use mesh::{OctantMesh, OctantPlacement, Traversal};
pub use pairs::{BudgetReport, Pair, PairBudget, PairTracker, Scratch};
pub use query::{Batch, Flow, Inside, Neighbor, QueryScratch, RayHit, Seen, SlotSet, SweepHit, Viewpoint};
pub use tree::Octree;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
