//! Apps with avian and with broadleaf, and what is compared of them.

use std::time::Duration;

use avian3d::prelude::*;
use bevy::app::PluginGroupBuilder;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use broadleaf_avian::WithBroadleaf;

use crate::reference::CanonicalOrderPlugin;

/// Which broad phase an app has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// avian's own.
    Stock,
    /// avian's own; new pairs are then brought into canonical order.
    StockInOrder,
    /// The octree; avian's trees remain.
    Broadleaf,
    /// The octree, also for spatial queries.
    BroadleafQueries,
}

/// The place of an entity in the order of spawning: equal in all apps, unlike its index.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rank(pub(crate) u32);

/// The entities spawned so far.
#[derive(Resource, Default)]
pub(crate) struct Spawned(pub(crate) Vec<Entity>);

/// Spawns an entity with the next rank.
pub(crate) fn spawn(world: &mut World, bundle: impl Bundle) -> Entity {
    let rank = world.resource::<Spawned>().0.len();
    let entity = world.spawn((bundle, Rank(u32::try_from(rank).expect("few entities")))).id();
    world.resource_mut::<Spawned>().0.push(entity);
    entity
}

/// An empty app with an engine, without hooks.
pub(crate) fn app(engine: Engine) -> App {
    app_with(engine, PhysicsPlugins::new(PostUpdate))
}

/// An empty app with an engine, with the hooks of the plugins.
pub(crate) fn app_with(engine: Engine, physics: impl WithBroadleaf) -> App {
    let physics: PluginGroupBuilder = match engine {
        Engine::Stock => physics.build(),
        Engine::StockInOrder => physics.build().add(CanonicalOrderPlugin),
        Engine::Broadleaf => physics.with_broadleaf(),
        Engine::BroadleafQueries => physics.with_broadleaf_queries(PostUpdate),
    };
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, physics));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(1.0 / 60.0)));
    app.init_resource::<Spawned>();
    app.finish();
    app.cleanup();
    app
}

/// A source of numbers from -0.5 to 0.5; the same in every run.
#[derive(Clone, Copy)]
pub(crate) struct Noise(u32);

impl Noise {
    pub(crate) fn new(seed: u32) -> Self {
        Self(seed.max(1))
    }

    pub(crate) fn number(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / 16_777_216.0 - 0.5
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// All that is compared after each frame.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    /// Position and rotation of each entity, bit for bit.
    pub(crate) poses: Vec<(Rank, [u32; 3], [u32; 4])>,
    /// Each pair in the contact graph: is it touching, awake, what are its contacts.
    pub(crate) pairs: Vec<([Rank; 2], bool, bool, String)>,
}

impl State {
    pub(crate) fn of(app: &mut App) -> Self {
        let world = app.world_mut();
        let mut poses: Vec<_> = world
            .query::<(&Rank, &Position, &Rotation)>()
            .iter(world)
            .map(|(rank, at, turn)| (*rank, at.0.to_array().map(f32::to_bits), turn.0.to_array().map(f32::to_bits)))
            .collect();
        poses.sort_unstable();
        let graph = world.resource::<ContactGraph>();
        let awake = graph.active_pairs().iter().map(|pair| (pair, true));
        let asleep = graph.sleeping_pairs().iter().map(|pair| (pair, false));
        let rank = |entity| *world.get::<Rank>(entity).expect("a collider of the scene");
        let mut pairs: Vec<_> = awake
            .chain(asleep)
            .map(|(pair, awake)| {
                // The shortest text that reads back as the same floats: equal text is equal bits.
                let contacts = format!("{:?}", pair.manifolds);
                ([rank(pair.collider1), rank(pair.collider2)], pair.is_touching(), awake, contacts)
            })
            .collect();
        pairs.sort_unstable();
        Self { poses, pairs }
    }

    pub(crate) fn touching(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.1).count()
    }
}
