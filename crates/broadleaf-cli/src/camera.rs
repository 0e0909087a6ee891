//! What each frame asks: a camera that orbits the scene, and rays.

use anyhow::{Context as _, Result};
use broadleaf::{
    ClipDepth, Frustum, Handle, Mobility, Object, Ray,
    glam::{
        Vec3,
        camera::rh::{proj::directx::perspective, view::look_at_mat4},
    },
};
use workloads::Random;

/// Rays cast in each frame.
pub(crate) const RAYS: usize = 300;
/// Frames in which the camera goes round once.
const ORBIT_FRAMES: f32 = 240.0;
/// Vertical field of view in radians.
const FIELD_OF_VIEW: f32 = 0.8;

/// The questions of one frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Questions {
    /// The camera's view.
    pub(crate) frustum: Option<Frustum>,
    /// A third start at the camera, as for picking; the others lie across the scene.
    pub(crate) rays: Vec<Ray>,
}

impl Questions {
    /// Replaces the questions by those of a frame. They depend on the frame's
    /// index and the objects alone.
    pub(crate) fn prepare(&mut self, frame: usize, objects: impl Iterator<Item = (Handle, Object)>) -> Result<()> {
        let (center, radius) = middle(objects);
        let angle = small(frame) / ORBIT_FRAMES * std::f32::consts::TAU;
        let eye = center + Vec3::new(angle.cos() * 1.1, 0.5, angle.sin() * 1.1) * radius;
        let view = look_at_mat4(eye, center, Vec3::Y);
        let projection = perspective(FIELD_OF_VIEW, 16.0 / 9.0, radius * 0.02, radius * 4.0);
        let frustum = Frustum::from_view_projection(projection * view, ClipDepth::ZeroToOne);
        self.frustum = Some(frustum.context("the objects leave no room for a camera")?);
        let mut random = Random::new(u64::try_from(frame).unwrap_or(0));
        self.rays.clear();
        while self.rays.len() < RAYS {
            let ray = if self.rays.len().is_multiple_of(3) {
                Ray::new(eye, center + random.signed() * radius * 0.6 - eye)
            } else {
                Ray::new(center + random.signed() * radius, random.signed())
            };
            // The direction of a random ray may be zero; then the next one serves.
            if let Ok(ray) = ray {
                let ray = ray.with_distance_max(radius * 4.0).context("the objects are too far apart for rays")?;
                self.rays.push(ray);
            }
        }
        Ok(())
    }
}

/// Where the moving objects are (all, if none moves), and how widely they are spread.
fn middle(objects: impl Iterator<Item = (Handle, Object)>) -> (Vec3, f32) {
    let mut sums = [Sums::default(); 2];
    for (_, object) in objects {
        let aabb = object.shape.aabb();
        if aabb.min.abs().max(aabb.max.abs()).max_element() < 1e12 {
            sums[usize::from(object.mobility == Mobility::Moving)].add(aabb.center());
        }
    }
    let [still, moving] = sums;
    if moving.count > 0.0 { moving.middle() } else { still.middle() }
}

#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    sum: [f64; 3],
    sum_sq: f64,
}

impl Sums {
    fn add(&mut self, point: Vec3) {
        self.count += 1.0;
        for (sum, coordinate) in self.sum.iter_mut().zip(point.to_array().map(f64::from)) {
            *sum += coordinate;
            self.sum_sq += coordinate * coordinate;
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a camera need not be exact")]
    fn middle(&self) -> (Vec3, f32) {
        let count = self.count.max(1.0);
        let mean = self.sum.map(|sum| sum / count);
        let variance = self.sum_sq / count - mean.iter().map(|m| m * m).sum::<f64>();
        (Vec3::from_array(mean.map(|m| m as f32)), variance.max(0.0).sqrt().mul_add(2.0, 1.0) as f32)
    }
}

#[expect(clippy::cast_precision_loss, reason = "frame indices are small")]
fn small(frame: usize) -> f32 {
    frame as f32
}
