//! wip
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
extern crate alloc;

mod config;
mod data;
mod error;
mod geometry;
mod pairs;
mod query;
mod tree;

pub use config::Config;
pub use data::handle::Handle;
pub use data::object::{Bounded, Layers, Mobility, Object, Shape};
pub use data::report::{Counters, MemoryUse};
pub use data::validate::Broken;
pub use data::view::{NodeInfo, QueryStats, View};
pub use error::{Error, SliceError};
pub use geometry::{Aabb, ClipDepth, Containment, Frustum, Plane, Ray, Sphere, Triangle};
pub use glam;
pub use pairs::{Pair, Scratch};
pub use query::RayHit;
pub use tree::Octree;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
