//! Colliders that appear, vanish, sleep, and change while the world runs.

use avian3d::prelude::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use crate::contacts::run;
use crate::scenes::{FALLING, Scene};
use crate::worlds::{Spawned, spawn};

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
