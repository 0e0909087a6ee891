//! Shapes: what objects are, and what is asked with.
//!
//! ```
//! use broadleaf::glam::{Quat, Vec3};
//! use broadleaf::{Aabb, Octree, shape::{Capsule, Obb}};
//!
//! let mut tree = Octree::default();
//! let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
//! let plank = Obb::new(Vec3::ZERO, Vec3::new(9.0, 0.1, 0.1), Quat::from_rotation_z(0.5))?;
//! let walker = Capsule::new(Vec3::new(1.5, 0.5, 0.5), Vec3::new(1.5, 3.0, 0.5), 0.5)?;
//! let view = tree.view();
//! assert_eq!((view.overlap(&plank)?.any(), view.overlap(&walker)?.any()), (Some(unit), Some(unit)));
//! # Ok::<(), broadleaf::Error>(())
//! ```
//!
//! | shape | is an object | asks [`View::overlap`](crate::View::overlap) | asks [`View::cast`](crate::View::cast) | asks [`View::nearest`](crate::View::nearest) |
//! |---|---|---|---|---|
//! | `Vec3`, a point | | yes | | yes |
//! | [`Aabb`] | yes | yes | | yes |
//! | [`Sphere`] | yes | yes | | |
//! | [`Frustum`], [`Obb`], [`Capsule`], [`ConvexRegion`] | | yes | | |
//! | [`Ray`], [`Sweep`] | | | yes | |

pub use crate::data::objects::object::{Bounded, Shape};
pub use crate::geometry::{
    Aabb, Capsule, ClipDepth, Containment, ConvexRegion, Frustum, Obb, Plane, Ray, Sphere, Sweep, Triangle,
    ViewProjection, WorldOrigin,
};
