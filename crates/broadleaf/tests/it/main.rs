//! The promises of the crate, a file each, kept through its public interface.

mod article;
mod batches;
mod budget;
mod builds;
mod contact;
mod distances;
mod errors;
mod events;
mod field;
mod frustum;
mod margin;
mod mesh;
mod mesh_ends;
mod mesh_placed;
mod mesh_questions;
mod nodes;
mod origin;
mod pinned;
mod pinned_mesh;
mod programs;
mod rewrites;
mod shift;
mod sizes;
#[cfg(feature = "snapshot")]
mod snapshot;
mod state;
mod support;
mod sweeps;
mod threads;
mod volumes;
mod world;
