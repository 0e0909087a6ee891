//! Reads the traces and the models that people bring, from bytes: what the
//! program and the viewer share, so that both say the same of a broken file.
//!
//! An error names the file, the place in it, and what is wrong there. The name
//! of a file tells its format; nothing here opens files.

pub mod limits;
mod model;
mod trace;

pub use model::{Beside, Triangles, is_model, model};
pub use trace::trace;
