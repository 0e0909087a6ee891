//! The promises of the crate, a file each, kept through its public interface.

mod arrays;
mod article;
mod batches;
mod budget;
mod builds;
mod bulk;
mod cliffs;
mod contact;
mod crowded;
mod distances;
mod drawing;
mod early_stops;
mod errors;
mod events;
mod far;
mod few_movers;
mod field;
#[cfg(feature = "snapshot")]
mod formats;
mod fresh;
mod frustum;
mod handles;
mod last_bits;
mod margin;
mod mesh;
mod mesh_ends;
mod mesh_placed;
mod mesh_quality;
mod mesh_questions;
mod mesh_sparse;
mod mesh_surfaces;
mod needles;
mod nodes;
mod options;
mod origin;
mod outsized;
mod own_shapes;
mod panics;
mod pinned;
mod pinned_long;
mod pinned_mesh;
mod programs;
mod projections;
mod reuse;
mod rewrites;
#[cfg(feature = "snapshot")]
mod saved;
mod screen_rectangle;
mod segment_ends;
mod shift;
mod sizes;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(feature = "snapshot")]
mod snapshot_of_pairs;
mod state;
mod support;
mod sweeps;
#[cfg(feature = "snapshot")]
mod text;
mod threads;
mod tiny;
mod tracker_filters;
mod trackers;
mod volumes;
mod world;
mod zeros;
