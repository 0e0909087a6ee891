//! A static level with characters that walk, lifts, and crates to push about.

use crate::stage::Stage;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};
use workloads::Random;

const HALF: f32 = 40.0;

pub(crate) fn level() -> Stage {
    let mut stage = Stage::new(4);
    ground(&mut stage);
    let lifts: Vec<_> = (0..12).map(|_| lift(&mut stage)).collect();
    for _ in 0..300 {
        let place = stage.within(Vector::new(HALF - 2.0, 0.0, HALF - 2.0));
        let half = stage.random.between(0.3, 0.6);
        let body = RigidBodyBuilder::dynamic().translation(place + Vector::new(0.0, 9.0, 0.0));
        stage.add(body, ColliderBuilder::cuboid(half, half, half));
    }
    let walkers: Vec<_> = (0..200).map(|_| walker(&mut stage)).collect();
    stage.director = Box::new(move |world, random, step| direct(world, random, step, &walkers, &lifts));
    stage
}

/// The floor, outer walls, and blocks of a size to climb over or to walk round.
fn ground(stage: &mut Stage) {
    stage.block(Vector::new(0.0, -0.5, 0.0), Vector::new(HALF, 0.5, HALF));
    for side in [-HALF, HALF] {
        stage.block(Vector::new(side, 3.0, 0.0), Vector::new(0.5, 3.0, HALF));
        stage.block(Vector::new(0.0, 3.0, side), Vector::new(HALF, 3.0, 0.5));
    }
    for index in 0..400_u16 {
        let place = stage.within(Vector::new(HALF, 0.0, HALF));
        let long = stage.random.between(0.5, 4.0);
        let half = match index % 4 {
            0 => Vector::new(long, 1.5, 0.25),
            1 => Vector::new(0.25, 1.5, long),
            2 => Vector::new(0.4, 4.0, 0.4),
            _ => Vector::new(long, 0.15, long),
        };
        stage.block(place + Vector::new(0.0, half.y, 0.0), half);
    }
}

fn lift(stage: &mut Stage) -> RigidBodyHandle {
    let place = stage.within(Vector::new(HALF, 1.0, HALF)) + Vector::new(0.0, 2.5, 0.0);
    let body = RigidBodyBuilder::kinematic_velocity_based().translation(place);
    stage.add(body, ColliderBuilder::cuboid(1.5, 0.2, 1.5))
}

fn walker(stage: &mut Stage) -> RigidBodyHandle {
    let place = stage.within(Vector::new(HALF - 2.0, 0.0, HALF - 2.0));
    let body =
        RigidBodyBuilder::dynamic().translation(place + Vector::new(0.0, 5.0, 0.0)).lock_rotations().can_sleep(false);
    stage.add(body, ColliderBuilder::capsule_y(0.5, 0.35).friction(0.0))
}

/// Walkers change their minds now and then; lifts go up and down.
fn direct(
    world: &mut PhysicsWorld,
    random: &mut Random,
    step: u32,
    walkers: &[RigidBodyHandle],
    lifts: &[RigidBodyHandle],
) {
    for walker in walkers {
        let body = &mut world.bodies[*walker];
        let fall = body.linvel().y;
        if step == 0 || random.one_in(90) {
            let way = random.direction() * 3.0;
            body.set_linvel(Vector::new(way.x, fall, way.z), true);
        }
    }
    if step.is_multiple_of(120) {
        let speed = if step.is_multiple_of(240) { 0.8 } else { -0.8 };
        for lift in lifts {
            world.bodies[*lift].set_linvel(Vector::new(0.0, speed, 0.0), true);
        }
    }
}
