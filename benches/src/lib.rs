//! What the benchmarks share: scenes cut into frames and questions, and
//! broadleaf and its peers behind one interface, so that every number stands
//! beside a verified answer.

mod agreement;
pub mod caches;
pub mod cases;
pub mod chart;
pub mod contest;
pub mod events;
pub mod machine;
pub mod measure;
pub mod meshes;
pub mod naive;
pub mod performance;
pub mod questions;
pub mod ready;
pub mod record;
pub mod subjects;
pub mod sweep;
pub mod trace;
