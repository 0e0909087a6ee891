//! Questions about single shapes, asked of a [`View`](crate::View). Reads only.

mod aabb;
mod frustum;
mod nodes;
mod point;
mod ray;
mod sphere;
pub(crate) mod walk;

pub use ray::RayHit;
