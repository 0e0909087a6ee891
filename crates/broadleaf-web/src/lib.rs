//! The viewer's module: scenes, recordings and models in the library, step by
//! step, and what a page needs to draw them.
//!
//! The page sends commands as JSON ([`protocol::Command`]) and reads the answer as
//! JSON; what it draws lies in buffers of floats ([`buffers::Buffer`]). Everything that
//! the page says of a world is computed by the library in that moment.
//!
//! | file | what it does |
//! |---|---|
//! | `exports` | the functions that the page calls; the only file with names for a linker |
//! | `protocol`, `viewer` | the commands, and what each does |
//! | `feed`, `world` | where frames come from, and the frame loop |
//! | `questions`, `traced`, `selection` | ray, box, frustum; the nodes that they visit; the picked object |
//! | `model` | models of triangles |
//! | `draw`, `edges`, `palette`, `buffers` | the buffers |
//! | `clock` | milliseconds, from the page |
#![deny(unsafe_code)]

pub mod buffers;
mod clock;
mod draw;
mod edges;
#[cfg(target_arch = "wasm32")]
mod exports;
mod feed;
mod model;
mod palette;
pub mod protocol;
mod questions;
mod selection;
mod traced;
mod viewer;
mod world;

pub use viewer::Viewer;
