//! The plugin against an oracle that looks at every entity.

mod culling;
mod determinism;
mod events;
#[cfg(feature = "gizmos")]
mod gizmos;
mod oracle;
#[cfg(feature = "picking")]
mod picking;
mod plugin;
mod queries;
mod reports;
mod rollback;
mod sync;
mod zoo;
