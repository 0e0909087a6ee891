//! x
#![allow(missing_docs, dead_code)]
mod components;
mod convert;
mod events;
mod index;
mod query;
mod settings;
mod shape;
mod sync;
mod trace;
pub use components::*;
pub use convert::*;
pub use events::*;
pub use index::*;
pub use query::*;
pub use settings::*;
