//! A pile, a tower and a drum.

use crate::stage::Stage;
use rapier3d::prelude::{ColliderBuilder, RigidBodyBuilder, Vector};
use std::f32::consts::TAU;

/// Mixed shapes that fall into a bin.
pub(crate) fn pile() -> Stage {
    const BIN: f32 = 9.0;
    let mut stage = Stage::new(1);
    stage.block(Vector::new(0.0, -0.5, 0.0), Vector::new(BIN + 1.0, 0.5, BIN + 1.0));
    for side in [-1.0, 1.0] {
        let out = side * (BIN + 0.5);
        stage.block(Vector::new(out, 5.0, 0.0), Vector::new(0.5, 5.0, BIN + 1.0));
        stage.block(Vector::new(0.0, 5.0, out), Vector::new(BIN + 1.0, 5.0, 0.5));
    }
    for index in 0..3000_u16 {
        let layer = f32::from(index / 121);
        let (row, column) = (f32::from(index % 121 / 11), f32::from(index % 11));
        let jitter = stage.within(Vector::new(0.2, 0.2, 0.2));
        let place = Vector::new((row - 5.0) * 1.5, 1.0 + layer * 1.4, (column - 5.0) * 1.5) + jitter;
        let turn = stage.within(Vector::new(3.0, 3.0, 3.0));
        let size = stage.random.between(0.25, 0.55);
        let collider = match index % 4 {
            0 => ColliderBuilder::ball(size),
            1 => ColliderBuilder::capsule_y(size * 0.6, size * 0.6),
            2 => ColliderBuilder::cylinder(size, size * 0.7),
            _ => ColliderBuilder::cuboid(size, size * 0.7, size * 0.9),
        };
        stage.add(RigidBodyBuilder::dynamic().translation(place).rotation(turn), collider);
    }
    stage
}

/// A round tower of bricks that a heavy ball knocks down.
pub(crate) fn tower() -> Stage {
    const LAYERS: u16 = 60;
    const BRICKS: u16 = 24;
    const RADIUS: f32 = 5.0;
    let mut stage = Stage::new(2);
    stage.block(Vector::new(0.0, -1.0, 0.0), Vector::new(80.0, 1.0, 80.0));
    let half = Vector::new(0.45, 0.25, RADIUS * TAU / f32::from(BRICKS) / 2.0 * 0.86);
    for layer in 0..LAYERS {
        for brick in 0..BRICKS {
            let angle = (f32::from(brick) + f32::from(layer % 2) / 2.0) / f32::from(BRICKS) * TAU;
            let height = half.y + f32::from(layer) * half.y * 2.0;
            let place = Vector::new(angle.cos() * RADIUS, height, angle.sin() * RADIUS);
            let body = RigidBodyBuilder::dynamic().translation(place).rotation(Vector::new(0.0, -angle, 0.0));
            stage.add(body, ColliderBuilder::cuboid(half.x, half.y, half.z));
        }
    }
    let ball =
        RigidBodyBuilder::dynamic().translation(Vector::new(-36.0, 12.0, 1.0)).linvel(Vector::new(40.0, 3.0, 0.0));
    stage.add(ball, ColliderBuilder::ball(2.5).density(12.0));
    stage
}

/// Balls in a drum that turns.
pub(crate) fn drum() -> Stage {
    const RADIUS: f32 = 6.0;
    const LENGTH: f32 = 5.0;
    const PLANKS: u16 = 32;
    let mut stage = Stage::new(3);
    let axle = RigidBodyBuilder::kinematic_velocity_based().angvel(Vector::new(0.0, 0.0, 1.2));
    let axle = stage.world.insert_body(axle);
    let half_width = RADIUS * TAU / f32::from(PLANKS) / 2.0 * 1.1;
    for plank in 0..PLANKS {
        let angle = f32::from(plank) / f32::from(PLANKS) * TAU;
        let out = RADIUS + 0.25;
        // Every fourth plank stands on edge and lifts the balls.
        let depth = if plank % 4 == 0 { 0.8 } else { 0.25 };
        let collider = ColliderBuilder::cuboid(depth, half_width, LENGTH)
            .translation(Vector::new(angle.cos() * out, angle.sin() * out, 0.0))
            .rotation(Vector::new(0.0, 0.0, angle));
        let collider = stage.world.insert_collider(collider, Some(axle));
        stage.colliders.push(collider);
    }
    for side in [-1.0, 1.0] {
        let place = Vector::new(0.0, 0.0, side * (LENGTH + 0.5));
        stage.block(place, Vector::new(RADIUS + 1.0, RADIUS + 1.0, 0.5));
    }
    for index in 0..2000_u16 {
        let (row, column) = (f32::from(index % 13), f32::from(index / 13 % 16));
        let layer = f32::from(index / 208);
        let jitter = stage.within(Vector::new(0.04, 0.04, 0.04));
        let place = Vector::new((row - 6.0) * 0.58, (layer - 4.5) * 0.6, (column - 7.5) * 0.58);
        let radius = stage.random.between(0.2, 0.27);
        let body = RigidBodyBuilder::dynamic().translation(place + jitter);
        stage.add(body, ColliderBuilder::ball(radius));
    }
    stage
}
