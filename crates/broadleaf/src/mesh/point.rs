//! The closest point, and what lies inside.

use super::{Mesh, MeshPoint};
use crate::Error;
use crate::geometry::triangle::point::closest_point;
use crate::geometry::{Ray, check_point};
use glam::Vec3;

impl Mesh {
    /// The point of the mesh that is closest to `point`, if one is within
    /// `distance_max`; of equally near triangles, the first of the input.
    ///
    /// # Errors
    /// A coordinate that is not finite; a distance that is NaN or negative.
    pub fn closest_point(&self, point: Vec3, distance_max: f32) -> Result<Option<MeshPoint>, Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        check_distance(distance_max)?;
        let mut limit = f64::from(distance_max) * f64::from(distance_max);
        let mut best = None;
        for (index, triangle) in self.found() {
            let (position, distance_sq) = closest_point(&triangle, point);
            if distance_sq <= limit && (best.is_none() || distance_sq < limit) {
                limit = distance_sq;
                best = Some((index, position));
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
        let distance = crate::geometry::float::sqrt_f64(limit) as f32;
        Ok(best.map(|(triangle, position)| MeshPoint { triangle, position: position.as_vec3(), distance }))
    }

    /// Whether a point lies inside a closed mesh.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn contains(&self, point: Vec3) -> Result<bool, Error> {
        check_point(point, ["point.x", "point.y", "point.z"])?;
        let ray = Ray::new(point, Vec3::new(0.577, 0.611, 0.541))?;
        let (hit, _) = self.closest_hit(&ray, super::Culling::None);
        Ok(hit.is_some_and(|hit| hit.side == super::Side::Back))
    }
}

fn check_distance(distance_max: f32) -> Result<(), Error> {
    if distance_max.is_nan() {
        Err(Error::NotANumber { field: "distance_max" })
    } else if distance_max < 0.0 {
        Err(Error::NegativeDistance { distance_max })
    } else {
        Ok(())
    }
}
