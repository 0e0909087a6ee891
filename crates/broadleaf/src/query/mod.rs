//! Questions about single shapes, asked of a [`View`](crate::View). Reads only.

mod aabb;
mod cast;
mod convex;
mod distant;
mod frustum;
mod nearest;
mod nodes;
mod order;
mod point;
mod ray;
mod sphere;
mod sweep;
mod volume;
pub(crate) mod walk;

pub use cast::Inside;
pub use nearest::Neighbor;
pub use order::QueryScratch;
pub use ray::RayHit;
pub use sweep::SweepHit;
