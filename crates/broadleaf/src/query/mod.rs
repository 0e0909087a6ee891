//! Questions about single shapes, asked of a [`View`](crate::View). Reads only.

mod aabb;
mod approach;
mod batch;
mod cast;
mod convex;
mod cull;
mod curve;
mod distant;
mod frustum;
mod many;
mod nearest;
mod nearest_aabb;
mod nodes;
mod order;
mod point;
mod ray;
mod sphere;
mod sweep;
mod tasks;
mod volume;
mod waiting;
pub(crate) mod walk;

pub use crate::data::terminals::Flow;
pub use batch::Batch;
pub use cast::Inside;
pub use cull::{Seen, SlotSet, Viewpoint};
pub use nearest::Neighbor;
pub use order::QueryScratch;
pub use ray::RayHit;
pub use sweep::SweepHit;
