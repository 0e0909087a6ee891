//! The plugin against an oracle that looks at every entity.

mod culling;
mod determinism;
mod events;
mod oracle;
#[cfg(feature = "picking")]
mod picking;
mod queries;
mod reports;
mod rollback;
mod sync;
mod zoo;
