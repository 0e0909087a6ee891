//! A dynamic octree and broad phase: boxes and spheres that appear, move and
//! vanish, and every frame the answer to who overlaps whom, what a camera
//! sees, what a ray hits, and what is near.
//!
//! An [`Octree`] takes changes. [`Octree::view`] brings it up to date and lends a
//! [`View`], which carries every question and may be copied to other threads.
//!
//! ```
//! use broadleaf::{Aabb, Octree, Ray, Scratch, Sphere, glam::Vec3};
//!
//! let mut tree = Octree::default();
//! let floor = tree.insert(Aabb::new(Vec3::new(-50.0, -1.0, -50.0), Vec3::new(50.0, 0.0, 50.0)))?;
//! let ball = tree.insert(Sphere::new(Vec3::Y * 5.0, 0.5))?;
//! tree.update(ball, Sphere::new(Vec3::Y * 0.5, 0.5))?; // it lands: touching counts
//!
//! let (view, mut scratch, mut found) = (tree.view(), Scratch::new(), Vec::new());
//! view.pairs(&mut scratch).collect_into(&mut found); // who overlaps whom
//! assert_eq!((found[0].a(), found[0].b()), (floor, ball));
//!
//! let hit = view.cast(&Ray::new(Vec3::Y * 9.0, Vec3::NEG_Y)?).closest(); // what a ray hits
//! assert_eq!(hit.map(|hit| (hit.handle, hit.distance)), Some((ball, 8.0)));
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! # Which question?
//!
//! A question is an opening, options by name in any order (but for those that the page of [`query`] names), and
//! one terminal named as in [`Iterator`].
//!
//! | to know | ask |
//! |---|---|
//! | what overlaps a point, box, sphere, frustum, oriented box, capsule, planes | [`View::overlap`] |
//! | what a ray, a moving box or a moving sphere meets | [`View::cast`] |
//! | what is nearest to a point or a box | [`View::nearest`] |
//! | the same of thousands at once, also on threads | [`View::overlap_many`], [`View::cast_many`], [`View::nearest_many`] |
//! | all overlapping pairs; those of one object | [`View::pairs`], [`View::pairs_of`] |
//! | which pairs began and ended since the last frame | [`PairTracker`] |
//! | the same of triangles | [`Mesh::overlap`], [`Mesh::cast`], [`Mesh::nearest`] |
//!
//! ```
//! # use broadleaf::{Aabb, Frustum, Mobility, Octree, Ray, Scratch, glam::Vec3, query::Viewpoint, shape::Plane};
//! # let mut tree = Octree::default();
//! # let me = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
//! # let frustum = Frustum::from_planes([Plane { normal: Vec3::X, offset: 9.0 }; 6])?;
//! # let (eye, ray, point) = (Viewpoint::new(Vec3::ZERO, 0.01)?, Ray::new(Vec3::ZERO, Vec3::X)?, Vec3::ZERO);
//! # const ENEMIES: u32 = 1; const SOLID: u32 = 2;
//! # let (mut scratch, mut drawn, mut items, mut pairs) = (Scratch::new(), Vec::new(), Vec::new(), Vec::new());
//! # let (view, room) = (tree.view(), Aabb::new(Vec3::ZERO, Vec3::splat(9.0)));
//! // Regions.
//! view.overlap(&room)?.layers(ENEMIES).for_each(|handle| println!("{handle:?}"));
//! let crowded = view.overlap(&point)?.exclude(me).count() > 20;
//! view.overlap(&frustum)?.seen_from(&eye).front_to_back(&mut scratch).collect_into(&mut drawn);
//! // Casts.
//! let hit = view.cast(&ray).layers(SOLID).closest();
//! let lit = view.cast(&ray).only(Mobility::Static).any().is_none();
//! let exact = view.cast(&ray).refine(|hit| Some(hit.distance)).closest(); // your narrow phase
//! // Places.
//! let near = view.nearest(point)?.within(5.0).exclude(me).closest();
//! view.nearest(point)?.k_into(8, &mut items);
//! view.nearest(point)?.in_order(&mut scratch).for_each(|near| println!("{}", near.distance));
//! // Pairs.
//! view.pairs(&mut scratch).collect_into(&mut pairs);
//! let joined = view.pairs(&mut scratch).filter(|pair| pair.a() == me).count();
//! let touching = view.pairs_of(me)?.any().is_some();
//! # let _ = (crowded, hit, lit, exact, near, joined, touching);
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! The types that every program names stand here. The others stand in modules by
//! subject: [`shape`], [`query`], [`pairs`], [`mesh`], [`inspect`].
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
//! *Threads:* nothing runs on other threads unless [`Threads::Pool`] is set.
//!
//! *Features:* `std` and `parallel` (rayon) are on by default; without `std`
//! the crate needs `alloc` alone. `serde` saves and loads, `snapshot` adds a
//! binary form of trees, trackers and budgets, `mint` converts vectors, `tracing`
//! opens spans ([`inspect`] lists them).
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
extern crate alloc;

mod config;
mod data;
mod error;
mod geometry;
pub mod inspect;
pub mod mesh;
pub mod pairs;
pub mod query;
mod scratch;
pub mod shape;
mod spans;
mod tree;

pub use config::{Config, Margin};
pub use data::objects::handle::Handle;
pub use data::objects::object::{Layers, Mobility, Object, Shape};
pub use data::threads::Threads;
pub use data::view::{QueryStats, View};
pub use error::{Error, SliceError};
pub use geometry::{Aabb, ClipDepth, Containment, Frustum, Ray, Sphere, Sweep};
pub use glam;
#[doc(inline)]
pub use mesh::{Mesh, Placement};
#[doc(inline)]
pub use pairs::{Pair, PairTracker};
#[doc(inline)]
pub use query::{Batch, Neighbor, RayHit};
pub use scratch::Scratch;
pub use tree::Octree;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
