//! The promises of the crate, a file each, kept through its public interface.

mod article;
mod batches;
mod contact;
mod errors;
mod events;
mod field;
mod frustum;
mod margin;
mod mesh;
mod nodes;
mod origin;
mod pinned;
mod programs;
mod shift;
mod sizes;
mod support;
mod sweeps;
mod threads;
mod volumes;
mod world;
