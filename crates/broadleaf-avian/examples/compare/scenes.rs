//! Cubes of edge one, so many that a cube of them has the number of bodies asked for.

use avian3d::prelude::*;
use bevy::prelude::*;

use crate::worlds::{Engine, Noise, app, spawn};

/// A scene that can be of any size.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    gravity: Vec3,
    /// From a cube's middle to the next.
    gap: f32,
    speed: f32,
    /// One cube in so many moves; the others are static.
    moves: u32,
    has_floor: bool,
}

/// The scenes that are measured.
pub(crate) const SCENES: &[Scene] = &[
    Scene { name: "gas", gravity: Vec3::ZERO, gap: 2.0, speed: 16.0, moves: 1, has_floor: false },
    Scene { name: "field", gravity: Vec3::ZERO, gap: 1.3, speed: 16.0, moves: 10, has_floor: false },
    Scene { name: "pile", gravity: Vec3::new(0.0, -9.81, 0.0), gap: 1.08, speed: 0.0, moves: 1, has_floor: true },
];

impl Scene {
    pub(crate) fn app(&self, engine: Engine, count: u32) -> App {
        let (mut app, mut noise) = (app(engine), Noise::new(1));
        app.insert_resource(Gravity(self.gravity));
        let world = app.world_mut();
        let side = (f64::from(count).cbrt().round()) as u32;
        let half = side as f32 * 0.5;
        if self.has_floor {
            let floor = Collider::cuboid(half * 8.0, 1.0, half * 8.0);
            spawn(world, (RigidBody::Static, floor, Transform::from_xyz(0.0, -0.5, 0.0)));
        }
        for index in 0..side.pow(3) {
            let (x, y, z) = (index % side, index / side % side, index / side / side);
            let at = Vec3::new(x as f32 - half, y as f32 + 0.6, z as f32 - half) * self.gap + noise.vector() * 0.05;
            let cube = (Collider::cuboid(1.0, 1.0, 1.0), Transform::from_translation(at));
            if (x + y * 3 + z * 7) % self.moves == 0 {
                let velocity = LinearVelocity(noise.vector() * self.speed);
                spawn(world, (RigidBody::Dynamic, cube, velocity, SleepingDisabled));
            } else {
                spawn(world, (RigidBody::Static, cube));
            }
        }
        app
    }
}
