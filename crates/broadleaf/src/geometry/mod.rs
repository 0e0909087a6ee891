//! Shapes and the tests between them. Knows nothing of trees.
//!
//! Scalar and eight-wide tests use the same operations in the same order, so
//! they agree bit for bit. No test fuses a multiplication with an addition.

pub(crate) mod aabb;
pub(crate) mod arrays;
pub(crate) mod capsule;
pub(crate) mod contact;
pub(crate) mod convex;
pub(crate) mod float;
#[cfg(feature = "serde")]
pub(crate) mod floats;
pub(crate) mod frustum;
pub(crate) mod lanes;
pub(crate) mod obb;
pub(crate) mod origin;
pub(crate) mod overlap;
pub(crate) mod ray;
#[cfg(feature = "serde")]
mod saved;
pub(crate) mod segment;
pub(crate) mod sphere;
pub(crate) mod sweep;
pub(crate) mod triangle;

pub use aabb::Aabb;
pub use arrays::ViewProjection;
pub use capsule::Capsule;
pub use contact::Contact;
pub use convex::ConvexRegion;
pub use frustum::{ClipDepth, Containment, Frustum, Plane};
pub use obb::Obb;
pub use origin::WorldOrigin;
pub use ray::Ray;
pub use sphere::Sphere;
pub use sweep::Sweep;
pub use triangle::Triangle;

use crate::Error;
use glam::Vec3;

/// Checks that a point is finite, and names the coordinate that is not.
pub(crate) fn check_point(point: Vec3, fields: [&'static str; 3]) -> Result<(), Error> {
    for (i, field) in fields.into_iter().enumerate() {
        let value = point[i];
        if value.is_nan() {
            return Err(Error::NotANumber { field });
        }
        if value.is_infinite() {
            return Err(Error::NotFinite { field, value });
        }
    }
    Ok(())
}

/// Checks a distance that must not be negative; it may be infinite.
pub(crate) fn check_distance(distance_max: f32) -> Result<(), Error> {
    if distance_max.is_nan() {
        Err(Error::NotANumber { field: "distance_max" })
    } else if distance_max < 0.0 {
        Err(Error::NegativeDistance { distance_max })
    } else {
        Ok(())
    }
}
