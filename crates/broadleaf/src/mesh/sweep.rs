//! Where a moving sphere first touches the mesh.

use super::columns::Leaf;
use super::walk::{Question, walk};
use super::{Mesh, MeshSweepHit, unit_normal};
use crate::Error;
use crate::data::view::QueryStats;
use crate::geometry::lanes::{Boxes, LaneMask, PaddedRay, WIDTH, set_bits};
use crate::geometry::triangle::point::{closest_point_f64, corners};
use crate::geometry::triangle::sweep::sphere_triangle;
use crate::geometry::{Ray, Sphere, Triangle, check_point};
use core::ops::ControlFlow;
use glam::{DVec3, Vec3};

struct Sweep<'a> {
    /// The path of the middle, among boxes grown by the radius.
    ray: PaddedRay,
    center: DVec3,
    radius: f64,
    motion: DVec3,
    /// How long the motion is, and how much of it is left.
    length: f64,
    distance_max: f32,
    best: Option<(f64, &'a Leaf, usize)>,
}

impl<'a> Question<'a> for Sweep<'a> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.ray.boxes(boxes, self.distance_max)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.distance_max
    }

    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += leaf.len() as u64;
        let (mask, _) = self.test(&leaf.triangles.boxes());
        for lane in set_bits(u64::from(mask & leaf.occupied())) {
            let corners = corners(&leaf.triangles.get(lane));
            let Some(time) = sphere_triangle(self.center, self.radius, self.motion, &corners) else { continue };
            let wins = match self.best {
                Some((best, ..)) if time != best => time < best,
                Some((_, other, at)) => leaf.ids[lane % WIDTH] < other.ids[at % WIDTH],
                None => true,
            };
            if wins {
                self.best = Some((time, leaf, lane));
                #[expect(clippy::cast_possible_truncation, reason = "rounded up")]
                let distance = ((self.length * time) as f32).next_up();
                self.distance_max = distance.min(f32::MAX);
            }
        }
        ControlFlow::Continue(())
    }
}

impl Mesh {
    /// Where a sphere that moves by `motion` first touches the mesh; of
    /// triangles touched at once, the first of the input.
    ///
    /// Start and end of the motion belong to it, and so does a sphere's
    /// surface: touching counts.
    ///
    /// *Cost:* visits nodes nearest first and none beyond the touch.
    ///
    /// # Errors
    /// A sphere that is not legal, or a motion that is not finite.
    ///
    /// ```
    /// use broadleaf::{Mesh, Sphere, glam::Vec3};
    ///
    /// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
    /// let ball = Sphere::new(Vec3::new(0.2, 0.2, 3.0), 1.0);
    /// let (hit, _) = mesh.sweep_sphere(&ball, Vec3::NEG_Z * 4.0)?;
    /// let hit = hit.unwrap();
    /// assert_eq!((hit.time, hit.distance, hit.normal), (0.5, 2.0, Vec3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sweep_sphere(&self, sphere: &Sphere, motion: Vec3) -> Result<(Option<MeshSweepHit>, QueryStats), Error> {
        sphere.check()?;
        check_point(motion, ["motion.x", "motion.y", "motion.z"])?;
        // Without a motion, any direction does: the reach is zero.
        let direction = if motion == Vec3::ZERO { Vec3::X } else { motion };
        let ray = PaddedRay::new(&Ray::new(sphere.center, direction)?, &self.bounds, sphere.radius);
        let length = motion.as_dvec3().length();
        #[expect(clippy::cast_possible_truncation, reason = "rounded up")]
        let distance_max = (length as f32).next_up().min(f32::MAX);
        let mut question = Sweep {
            ray,
            center: sphere.center.as_dvec3(),
            radius: f64::from(sphere.radius),
            motion: motion.as_dvec3(),
            length,
            distance_max,
            best: None,
        };
        let mut stats = walk(self, &mut question);
        stats.hits = u64::from(question.best.is_some());
        let hit = |(time, leaf, lane): (f64, &Leaf, usize)| {
            sweep_hit(sphere, motion, time, leaf.ids[lane % WIDTH], &leaf.triangles.get(lane))
        };
        Ok((question.best.map(hit), stats))
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
