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
mod mesh_classic;
mod mesh_ends;
mod mesh_placed;
mod needles;
mod nodes;
mod origin;
mod pinned;
mod pinned_mesh;
mod programs;
mod rewrites;
mod segment_ends;
mod shift;
mod sizes;
#[cfg(feature = "snapshot")]
mod snapshot;
mod state;
mod support;
mod sweeps;
mod threads;
mod tiny;
mod volumes;
mod world;
mod zeros;
