//! The C interface of broadleaf, and the source of its header.
//!
//! `include/broadleaf.h` is made from these files, and says what each function
//! does; `docs/bindings.md` has the table of capabilities. Every exported function opens
//! with the macro of `border.rs`, which with `callbacks.rs` holds all unsafe blocks:
//! what C hands over is checked and borrowed there, and no panic leaves. The other
//! files convert, ask the library, and convert back.
//!
//! | to know | open |
//! |---|---|
//! | how pointers become borrows | `border.rs` |
//! | how the caller's functions are called | `callbacks.rs` |
//! | what is refused, and how that is told | `failure.rs` |
//! | the options of questions | `options.rs` |
//! | a question | the file of its family |
#![expect(non_camel_case_types, reason = "types bear the names that they have in C")]

mod batch;
mod border;
mod budget;
mod callbacks;
mod cast;
mod casts;
mod change;
mod failure;
mod mesh;
mod mesh_questions;
mod nearest;
mod octree;
mod options;
mod overlap;
mod pairs;
mod placed;
mod region;
mod report;
mod scratch;
mod threads;
mod tracker;
mod types;
mod version;
mod world;

pub use batch::*;
pub use budget::*;
pub use callbacks::*;
pub use cast::*;
pub use casts::*;
pub use change::*;
pub use failure::*;
pub use mesh::*;
pub use mesh_questions::*;
pub use nearest::*;
pub use octree::*;
pub use options::*;
pub use overlap::*;
pub use pairs::*;
pub use placed::*;
pub use region::*;
pub use report::*;
pub use scratch::*;
pub use threads::*;
pub use tracker::*;
pub use types::*;
pub use version::*;
pub use world::*;
