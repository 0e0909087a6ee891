//! Where a moving sphere first touches the mesh.

use super::{Mesh, MeshSweepHit, unit_normal};
use crate::Error;
use crate::geometry::triangle::point::{closest_point_f64, corners};
use crate::geometry::triangle::sweep::sphere_triangle;
use crate::geometry::{Sphere, Triangle, check_point};
use glam::Vec3;

impl Mesh {
    /// Where a sphere that moves by `motion` first touches the mesh; of
    /// triangles touched at once, the first of the input.
    ///
    /// # Errors
    /// A sphere that is not legal, or a motion that is not finite.
    pub fn sweep_sphere(&self, sphere: &Sphere, motion: Vec3) -> Result<Option<MeshSweepHit>, Error> {
        sphere.check()?;
        check_point(motion, ["motion.x", "motion.y", "motion.z"])?;
        let (center, radius, path) = (sphere.center.as_dvec3(), f64::from(sphere.radius), motion.as_dvec3());
        let mut best: Option<(f64, u32, Triangle)> = None;
        for (index, triangle) in self.found() {
            let time = sphere_triangle(center, radius, path, &corners(&triangle));
            if let Some(time) = time.filter(|&time| best.is_none_or(|best| time < best.0)) {
                best = Some((time, index, triangle));
            }
        }
        Ok(best.map(|(time, index, triangle)| sweep_hit(sphere, motion, time, index, &triangle)))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
fn sweep_hit(sphere: &Sphere, motion: Vec3, time: f64, index: u32, triangle: &Triangle) -> MeshSweepHit {
    let center = sphere.center.as_dvec3() + motion.as_dvec3() * time;
    let (contact, distance_sq) = closest_point_f64(&corners(triangle), center);
    MeshSweepHit {
        triangle: index,
        time: time as f32,
        distance: (motion.as_dvec3().length() * time) as f32,
        center: center.as_vec3(),
        contact: contact.as_vec3(),
        normal: if distance_sq > 0.0 {
            (center - contact).normalize_or_zero().as_vec3()
        } else {
            unit_normal(triangle)
        },
    }
}
