//! The scenes that are compared frame by frame.

use avian3d::prelude::*;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use crate::worlds::{Engine, Noise, Spawned, app, app_with, spawn};

/// A scene: how its app is made, and for how many frames it runs.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) make: fn(Engine) -> App,
    pub(crate) frames: u32,
    /// Changes the world before a frame.
    pub(crate) script: fn(&mut World, u32),
}

fn floor(world: &mut World, edge: f32) {
    spawn(world, (RigidBody::Static, Collider::cuboid(edge, 1.0, edge), Transform::from_xyz(0.0, -0.5, 0.0)));
}

fn shape(which: u32) -> Collider {
    match which % 3 {
        0 => Collider::cuboid(1.0, 1.0, 1.0),
        1 => Collider::sphere(0.5),
        _ => Collider::capsule(0.3, 0.6),
    }
}

/// Shapes of three kinds that fall on a floor and onto each other.
pub(crate) const FALLING: Scene = Scene { make: falling, frames: 150, script: |_, _| {} };

fn falling(engine: Engine) -> App {
    let (mut app, mut noise) = (app(engine), Noise::new(1));
    let world = app.world_mut();
    floor(world, 40.0);
    for row in 0..343_u32 {
        let at = Vec3::new((row % 7) as f32, (row / 49) as f32, (row / 7 % 7) as f32) * 1.2 + noise.vector() * 0.2;
        spawn(world, (RigidBody::Dynamic, shape(row), Transform::from_translation(at + Vec3::new(-4.0, 0.9, -4.0))));
    }
    app
}

/// Stacks that come to rest and fall asleep; then a ball wakes some of them.
pub(crate) const SLEEPING: Scene = Scene { make: sleeping, frames: 260, script: drop_ball };
pub(crate) const FRAME_OF_BALL: u32 = 180;

fn sleeping(engine: Engine) -> App {
    let mut app = app(engine);
    let world = app.world_mut();
    floor(world, 40.0);
    for stack in 0..25_u32 {
        for storey in 0..3_u32 {
            let at = Vec3::new((stack % 5) as f32 * 2.0 - 4.0, 0.5 + storey as f32, (stack / 5) as f32 * 2.0 - 4.0);
            spawn(world, (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_translation(at)));
        }
    }
    app
}

fn drop_ball(world: &mut World, frame: u32) {
    if frame == FRAME_OF_BALL {
        let (at, speed) = (Transform::from_xyz(0.3, 6.0, 0.2), LinearVelocity(Vec3::NEG_Y * 12.0));
        spawn(world, (RigidBody::Dynamic, Collider::sphere(0.8), at, speed));
    }
}

/// Bullets that would fly through a thin wall within one frame, turning bars among them.
pub(crate) const FAST: Scene = Scene { make: fast, frames: 60, script: |_, _| {} };
pub(crate) const WALL: f32 = 20.0;

/// A bullet without a component for its collisions: avian sweeps it against what does not move freely.
#[derive(Component)]
pub(crate) struct PlainBall;

fn fast(engine: Engine) -> App {
    let (mut app, mut noise) = (app(engine), Noise::new(3));
    app.insert_resource(Gravity::ZERO);
    let world = app.world_mut();
    let thin = Collider::cuboid(0.05, 60.0, 60.0);
    spawn(world, (RigidBody::Static, thin, Transform::from_xyz(WALL, 0.0, 0.0)));
    spawn(world, (RigidBody::Kinematic, Collider::cuboid(0.05, 4.0, 60.0), Transform::from_xyz(WALL - 6.0, 0.0, 0.0)));
    for bullet in 0..60_u32 {
        let at = Vec3::new(0.0, (bullet / 8) as f32 * 2.0 - 8.0, (bullet % 8) as f32 * 2.0 - 8.0) + noise.vector();
        let speed = LinearVelocity(Vec3::new(300.0 + 100.0 * noise.number(), noise.number(), noise.number()));
        let body = (RigidBody::Dynamic, Transform::from_translation(at), speed);
        let entity = match bullet % 3 {
            0 => spawn(world, (body, Collider::sphere(0.1), PlainBall)),
            1 => spawn(world, (body, Collider::cuboid(0.1, 0.8, 0.1), AngularVelocity(noise.vector() * 30.0))),
            _ => spawn(world, (body, Collider::sphere(0.1), SpeculativeCcd::new(2.0))),
        };
        if bullet % 5 == 3 {
            world.entity_mut(entity).insert(SweptCcd::new().with_filter(CcdFilter::ALL));
        }
    }
    app
}

/// Balls that fall through sensors, some of them static among static colliders.
pub(crate) const SENSORS: Scene = Scene { make: sensors, frames: 120, script: |_, _| {} };

fn sensors(engine: Engine) -> App {
    let (mut app, mut noise) = (app(engine), Noise::new(4));
    let world = app.world_mut();
    floor(world, 40.0);
    for place in 0..16_u32 {
        let at = Vec3::new((place % 4) as f32 * 4.0 - 6.0, 3.0, (place / 4) as f32 * 4.0 - 6.0);
        let gate = (Collider::cuboid(3.0, 1.0, 3.0), Sensor, CollisionEventsEnabled, CollidingEntities::default());
        match place % 3 {
            0 => spawn(world, (gate, RigidBody::Static, Transform::from_translation(at))),
            1 => spawn(world, (gate, RigidBody::Kinematic, Transform::from_translation(at))),
            _ => spawn(world, (gate, Transform::from_translation(at))),
        };
        // A post within the gate, spawned before or after it.
        let post = (RigidBody::Static, Collider::cuboid(0.2, 4.0, 0.2));
        spawn(world, (post, Transform::from_translation(at + Vec3::new(1.2, 0.0, 1.2))));
        for ball in 0..4_u32 {
            let at = at + Vec3::Y * (3.0 + ball as f32 * 1.3) + noise.vector();
            spawn(world, (RigidBody::Dynamic, Collider::sphere(0.4), Transform::from_translation(at)));
        }
    }
    app
}

/// Chains of overlapping links whose joints forbid contacts, above a floor.
pub(crate) const JOINTS: Scene = Scene { make: joints, frames: 120, script: |_, _| {} };

fn joints(engine: Engine) -> App {
    let (mut app, mut noise) = (app(engine), Noise::new(5));
    let world = app.world_mut();
    floor(world, 40.0);
    for chain in 0..12_u32 {
        let start =
            Vec3::new((chain % 4) as f32 * 2.0 - 3.0, 2.0, (chain / 4) as f32 * 3.0 - 3.0) + noise.vector() * 0.3;
        let links: Vec<_> = (0..6_u32)
            .map(|link| {
                let at = start + Vec3::new(0.4, 0.5, 0.1) * link as f32;
                spawn(world, (RigidBody::Dynamic, Collider::sphere(0.45), Transform::from_translation(at)))
            })
            .collect();
        for (pair, ends) in links.windows(2).enumerate() {
            let joint = DistanceJoint::new(ends[0], ends[1]).with_limits(0.5, 0.7);
            // Every third joint lets its links collide.
            if pair % 3 == 2 {
                world.spawn(joint);
            } else {
                world.spawn((joint, JointCollisionDisabled));
            }
        }
    }
    app
}

/// Members of teams that meet only each other, and pairs that a hook refuses.
pub(crate) const LAYERS: Scene = Scene { make: layers, frames: 150, script: change_layers };

/// What a hook goes by: a pair is refused where both numbers are odd.
#[derive(Component)]
pub(crate) struct Parity(pub(crate) u32);

#[derive(SystemParam)]
pub(crate) struct OddPairsRefused<'w, 's> {
    numbers: Query<'w, 's, &'static Parity>,
}

impl CollisionHooks for OddPairsRefused<'_, '_> {
    fn filter_pairs(&self, collider1: Entity, collider2: Entity, _: &mut Commands) -> bool {
        let odd = |entity| self.numbers.get(entity).is_ok_and(|number| number.0 % 2 == 1);
        !(odd(collider1) && odd(collider2))
    }
}

fn layers(engine: Engine) -> App {
    let plugins = PhysicsPlugins::new(PostUpdate).with_collision_hooks::<OddPairsRefused>();
    let (mut app, mut noise) = (app_with(engine, plugins), Noise::new(6));
    let world = app.world_mut();
    floor(world, 40.0);
    for row in 0..216_u32 {
        let at =
            Vec3::new((row % 6) as f32, (row / 36) as f32 + 0.9, (row / 6 % 6) as f32) * 1.1 + noise.vector() * 0.1;
        // The floor is on layer 0, and every team meets it and itself.
        let team = LayerMask(1 << (1 + row % 3));
        let team = CollisionLayers::new(team, team | LayerMask(1));
        let body = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_translation(at));
        spawn(world, (body, team, Parity(row / 3), ActiveCollisionHooks::FILTER_PAIRS));
    }
    app
}

fn change_layers(world: &mut World, frame: u32) {
    if frame == 60 {
        // Two teams join. Those at rest have all their pairs, so one team is pushed.
        let members = world.resource::<Spawned>().0.iter().copied().skip(1).step_by(3).collect::<Vec<_>>();
        for member in members {
            let layers = CollisionLayers::new(LayerMask(0b110), LayerMask(0b111));
            world.entity_mut(member).insert((layers, LinearVelocity(Vec3::X * 3.0)));
        }
    }
}
