//! Colliders that appear, vanish, sleep, and change while the world runs.

use avian3d::prelude::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use crate::contacts::{balls_behind_the_wall, run};
use crate::scenes::{FALLING, FAST, Scene};
use crate::worlds::{Engine, Rank, Spawned, app, spawn};

/// The falling scene with a change of some entities in most frames.
const CHANGES: Scene = Scene { frames: 120, script: change, ..FALLING };

fn change(world: &mut World, frame: u32) {
    let count = world.resource::<Spawned>().0.len();
    let picked = 1 + (frame as usize * 37) % (count - 1);
    let entity = world.resource::<Spawned>().0[picked];
    let Ok(mut entity) = world.get_entity_mut(entity) else { return };
    match frame % 12 {
        0 => entity.despawn(),
        1 => _ = entity.insert(RigidBody::Kinematic),
        2 => _ = entity.insert(ColliderDisabled),
        3 => _ = entity.insert(Sensor),
        4 => _ = entity.insert(Collider::sphere(0.9)),
        5 => _ = entity.insert(RigidBody::Static),
        6 => _ = entity.insert(Position(Vec3::new(0.5, 3.0, 0.5))),
        7 => _ = entity.insert(RigidBodyDisabled),
        8 => _ = entity.remove::<(Sensor, ColliderDisabled, RigidBodyDisabled)>(),
        9 => _ = entity.insert(CollisionLayers::new(LayerMask(2), LayerMask::ALL)),
        10 => {
            let id = entity.id();
            spawn(world, (Collider::cuboid(0.4, 0.4, 0.4), Transform::from_xyz(0.0, 0.8, 0.0), ChildOf(id)));
            let at = Transform::from_xyz(frame as f32 * 0.02 - 1.0, 9.0, 0.3);
            spawn(world, (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at));
        }
        _ => _ = entity.insert(Disabled),
    }
    // Enables and frees again what was switched off some frames ago.
    if frame % 4 == 3 {
        let off: Vec<_> = world
            .query_filtered::<Entity, Or<(With<ColliderDisabled>, With<RigidBodyDisabled>)>>()
            .iter(world)
            .take(2)
            .collect();
        for entity in off {
            world.entity_mut(entity).remove::<(ColliderDisabled, RigidBodyDisabled)>();
        }
    }
}

#[test]
fn colliders_change_while_the_world_runs() {
    let run = run(CHANGES);
    assert!(run.touching_most > 100, "{} pairs touched", run.touching_most);
}

/// Two balls that overlap, at rest, whose joint is removed; then one gets the body it has. Balls
/// beside them touch, and fly on.
const SAME_BODY: Scene = Scene { make: balls_at_rest, frames: 30, script: free_then_set_the_same_body };

fn balls_at_rest(engine: Engine) -> App {
    let mut app = app(engine);
    app.insert_resource(Gravity::ZERO);
    let world = app.world_mut();
    let mut ball = |x: f32, y: f32, speed: f32| {
        let place = (Transform::from_xyz(x, y, 0.0), LinearVelocity(Vec3::X * speed));
        spawn(world, (RigidBody::Dynamic, Collider::sphere(0.5), place))
    };
    let joined = [ball(0.0, 0.0, 0.0), ball(0.9, 0.0, 0.0)];
    for row in 0..3_u16 {
        let y = 3.0 + 2.0 * f32::from(row);
        ball(0.0, y, 2.0);
        ball(1.2, y, -2.0);
    }
    world.spawn((DistanceJoint::new(joined[0], joined[1]).with_limits(0.0, 2.0), JointCollisionDisabled));
    app
}

fn free_then_set_the_same_body(world: &mut World, frame: u32) {
    match frame {
        5 => {
            let joint = world.query_filtered::<Entity, With<DistanceJoint>>().single(world).expect("one joint");
            world.despawn(joint);
        }
        10 => {
            let first = world.resource::<Spawned>().0[0];
            world.entity_mut(first).insert(RigidBody::Dynamic);
        }
        _ => {}
    }
}

/// avian's plugins set the colliders of such a body anew, and new colliders count as moved.
#[test]
fn a_body_that_is_set_again_is_asked_for_its_pairs() {
    let run = run(SAME_BODY);
    let joined = [Rank(0), Rank(1)];
    assert!(run.last.pairs.iter().any(|pair| pair.0 == joined), "{:?}", run.last.pairs);
}

/// The wall of the fast bodies is disabled for a frame before they reach it.
const WALL_DISABLED: Scene = Scene { script: disable_the_wall, ..FAST };

fn disable_the_wall(world: &mut World, frame: u32) {
    let wall = world.resource::<Spawned>().0[0];
    match frame {
        0 => _ = world.entity_mut(wall).insert(RigidBodyDisabled),
        1 => _ = world.entity_mut(wall).remove::<RigidBodyDisabled>(),
        _ => {}
    }
}

/// With its own trees avian marks the wall as disabled when it is enabled, and sweeps nothing
/// against it. The octree reads the wall anew.
#[test]
fn a_body_that_is_enabled_again_stops_bullets() {
    let [stock, ours, queries] = [Engine::Stock, Engine::Broadleaf, Engine::BroadleafQueries].map(|engine| {
        let mut app = (WALL_DISABLED.make)(engine);
        for frame in 0..WALL_DISABLED.frames {
            (WALL_DISABLED.script)(app.world_mut(), frame);
            app.update();
        }
        balls_behind_the_wall(&mut app)
    });
    assert_eq!(stock, ours, "avian's trees are kept");
    assert_eq!(queries, 0);
}
