//! A world of entities that do everything the index follows, at random.

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_broadleaf::{
    BroadleafPlugin, OverlapEvents, Sensor, SpatialBounds, SpatialIndex, SpatialIndexed, SpatialLayers,
    SpatialSettings, SpatialStatic,
};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::{Visibility, VisibilityPlugin};
use bevy_ecs::prelude::*;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_mesh::MeshPlugin;
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

/// Numbers that follow from a seed (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32 % end
    }

    pub(crate) fn within(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * self.below(1 << 20) as f32 / (1 << 20) as f32
    }

    pub(crate) fn vector(&mut self, from: f32, to: f32) -> Vec3 {
        Vec3::new(self.within(from, to), self.within(from, to), self.within(from, to))
    }

    pub(crate) fn transform(&mut self) -> Transform {
        let turns = self.vector(-3.0, 3.0);
        Transform {
            translation: self.vector(-20.0, 20.0),
            rotation: Quat::from_euler(EulerRot::XYZ, turns.x, turns.y, turns.z),
            scale: self.vector(0.5, 1.5),
        }
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

/// An app with the plugin, without rendering.
pub(crate) fn app(settings: SpatialSettings) -> App {
    let mut app = bevy(TaskPoolPlugin::default());
    app.add_plugins(BroadleafPlugin::default().with_settings(settings));
    app
}

/// What the plugin builds on.
pub(crate) fn bevy(pools: TaskPoolPlugin) -> App {
    let mut app = App::new();
    app.add_plugins((pools, AssetPlugin::default(), MeshPlugin, TransformPlugin, VisibilityPlugin));
    app
}

/// The index of an app.
pub(crate) fn index(app: &App) -> &SpatialIndex {
    app.world().resource::<SpatialIndex>()
}

/// Spawns an entity with bounds of some kind.
pub(crate) fn spawn(world: &mut World, random: &mut Random) -> Entity {
    let mut entity = world.spawn((SpatialIndexed, random.transform(), Visibility::default()));
    match random.below(5) {
        0 | 1 => {
            entity.insert(Aabb::from_min_max(random.vector(-2.0, -0.5), random.vector(0.5, 2.0)));
        }
        2 => {
            entity.insert(SpatialBounds::cuboid(random.vector(0.2, 2.0)));
        }
        3 => {
            entity.insert(SpatialBounds::sphere(random.within(0.2, 2.0)));
        }
        _ => {
            let (center, half) = (random.vector(-20.0, 20.0), random.vector(0.2, 2.0));
            let aabb = broadleaf::Aabb::from_center_half_extents(center.to_array(), half.to_array());
            entity.insert(SpatialBounds::World(aabb.into()));
        }
    }
    entity.id()
}

/// Changes an entity at random; may despawn it.
pub(crate) fn disturb(world: &mut World, random: &mut Random, all: &[Entity]) {
    let (entity, other) = (random.pick(all), random.pick(all));
    let Ok(mut entity) = world.get_entity_mut(entity) else { return };
    match random.below(18) {
        0..=4 => {
            entity.insert(random.transform());
        }
        5 => {
            entity.get_mut::<Transform>().into_iter().for_each(|mut at| at.translation += Vec3::splat(0.3));
        }
        6 => {
            entity.insert(random.pick(&[Visibility::Hidden, Visibility::Inherited, Visibility::Visible]));
        }
        7 => {
            entity.insert(SpatialLayers::new(random.below(8), random.below(8)));
        }
        8 => {
            entity.remove::<SpatialLayers>();
        }
        9 => {
            entity.insert(SpatialStatic);
        }
        10 => {
            entity.remove::<SpatialStatic>();
        }
        11 => {
            entity.insert((Sensor, SpatialIndexed));
        }
        12 => {
            entity.remove::<(Sensor, OverlapEvents)>();
        }
        13 => {
            entity.insert(OverlapEvents);
        }
        14 => {
            entity.remove::<SpatialIndexed>();
            if random.below(2) == 0 {
                entity.insert(SpatialIndexed);
            }
        }
        15 => {
            entity.remove::<(SpatialBounds, Aabb)>();
            if random.below(2) == 0 {
                entity.insert(SpatialBounds::sphere(random.within(0.1, 3.0)));
            }
        }
        16 => {
            // A parent is older than its children, so there are no cycles.
            if other < entity.id() {
                entity.insert(ChildOf(other));
            } else {
                entity.remove::<ChildOf>();
            }
        }
        _ => entity.despawn(),
    }
}
