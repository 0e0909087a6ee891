//! Everything that broadleaf is tried on: seeded scenes and models, recorded traces,
//! operation programs, and the brute-force oracle that knows the answers.

mod camera;
mod frame;
pub mod models;
pub mod oracle;
mod player;
pub mod programs;
pub mod random;
pub mod recordings;
mod scenes;
pub mod sweep;
#[cfg(feature = "snapshot")]
pub mod tamper;
pub mod trace;

pub use frame::Frame;
pub use models::Model;
pub use oracle::Oracle;
pub use player::{FrameError, Player};
pub use programs::Program;
pub use random::Random;
pub use scenes::Scene;
pub use trace::{Trace, TraceError, TraceReader};
