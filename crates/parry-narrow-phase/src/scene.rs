//! Shapes that fly about in a box, and what is asked of a pair or of one of them.

use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::{Pose, Vector};
use parry3d::query::{Contact, Ray, ShapeCastOptions, cast_shapes, contact};
use parry3d::shape::SharedShape;

/// Shapes and where they are.
#[derive(Clone)]
pub struct Scene {
    shapes: Vec<SharedShape>,
    poses: Vec<Pose>,
    velocities: Vec<Vector>,
    spins: Vec<Vector>,
    half_edge: f32,
    /// How far apart two shapes may be and still have a contact.
    prediction: f32,
}

/// Two shapes, the lower index first, and where they touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TouchingPair {
    /// The first shape.
    pub a: u32,
    /// The second shape.
    pub b: u32,
    /// parry's contact of the two.
    pub contact: Contact,
}

/// The closest shape, and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The shape.
    pub shape: u32,
    /// World units along the cast, or from the point.
    pub distance: f32,
}

/// Numbers from -0.5 to 0.5; the same in every run.
struct Noise(u32);

impl Noise {
    fn number(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / 16_777_216.0 - 0.5
    }

    fn vector(&mut self) -> Vector {
        Vector::new(self.number(), self.number(), self.number())
    }
}

impl Scene {
    /// So many balls, boxes, capsules, cylinders and cones, each in about four units of volume.
    #[must_use]
    pub fn new(count: u32, seed: u32) -> Self {
        let mut noise = Noise(seed.max(1));
        let half_edge = (count as f32 * 4.0).cbrt() * 0.5;
        let mut scene = Self {
            shapes: Vec::new(),
            poses: Vec::new(),
            velocities: Vec::new(),
            spins: Vec::new(),
            half_edge,
            prediction: 0.02,
        };
        for index in 0..count {
            let size = 0.5 + 0.3 * noise.number();
            scene.shapes.push(match index % 5 {
                0 => SharedShape::ball(size),
                1 => SharedShape::cuboid(size, size * 0.7, size * 0.9),
                2 => SharedShape::capsule_y(size * 0.6, size * 0.5),
                3 => SharedShape::cylinder(size * 0.8, size * 0.6),
                _ => SharedShape::cone(size, size * 0.7),
            });
            scene.poses.push(Pose::new(noise.vector() * (2.0 * half_edge), noise.vector() * 6.0));
            scene.velocities.push(noise.vector() * 0.2);
            scene.spins.push(noise.vector() * 0.1);
        }
        scene
    }

    /// Moves every shape by one frame; at the walls they turn back.
    pub fn step(&mut self) {
        let moving = self.poses.iter_mut().zip(&mut self.velocities).zip(&self.spins);
        for ((pose, velocity), &spin) in moving {
            pose.translation += *velocity;
            pose.rotation = (Pose::new(Vector::ZERO, spin).rotation * pose.rotation).normalize();
            for axis in 0..3 {
                if pose.translation[axis].abs() > self.half_edge {
                    velocity[axis] = -velocity[axis].abs() * pose.translation[axis].signum();
                }
            }
        }
    }

    /// The number of shapes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there is no shape.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Half the edge of the cube that the shapes stay in.
    #[must_use]
    pub fn half_edge(&self) -> f32 {
        self.half_edge
    }

    /// The box of a shape, grown so that two overlap where there can be a contact.
    #[must_use]
    pub fn aabb(&self, shape: usize) -> Aabb {
        self.shapes[shape].compute_aabb(&self.poses[shape]).loosened(self.prediction * 0.5)
    }

    /// parry's contact of two shapes.
    #[must_use]
    pub fn contact(&self, a: u32, b: u32) -> Option<TouchingPair> {
        let (a, b) = (a.min(b), a.max(b));
        let (one, two) = (a as usize, b as usize);
        let (shape1, shape2) = (self.shapes[one].as_ref(), self.shapes[two].as_ref());
        let contact = contact(&self.poses[one], shape1, &self.poses[two], shape2, self.prediction).ok()??;
        Some(TouchingPair { a, b, contact })
    }

    /// parry's distance along a ray.
    #[must_use]
    pub fn ray_distance(&self, shape: u32, ray: &Ray, reach: f32) -> Option<f32> {
        self.shapes[shape as usize].cast_ray(&self.poses[shape as usize], ray, reach, true)
    }

    /// parry's distance that a shape goes before it hits.
    pub(crate) fn cast_distance(&self, shape: u32, moving: &MovingShape) -> Option<f32> {
        let (pose, target) = (&self.poses[shape as usize], self.shapes[shape as usize].as_ref());
        let options = ShapeCastOptions::with_max_time_of_impact(moving.reach);
        let MovingShape { shape, from, direction, .. } = moving;
        let hit = cast_shapes(from, *direction, shape.as_ref(), pose, Vector::ZERO, target, options).ok()??;
        Some(hit.time_of_impact)
    }

    /// parry's distance from a point; zero inside.
    #[must_use]
    pub fn point_distance(&self, shape: u32, point: Vector) -> f32 {
        self.shapes[shape as usize].distance_to_point(&self.poses[shape as usize], point, true)
    }
}

/// A shape that moves along a direction of length one.
pub(crate) struct MovingShape<'a> {
    pub(crate) shape: &'a SharedShape,
    pub(crate) from: &'a Pose,
    pub(crate) direction: Vector,
    pub(crate) reach: f32,
}
