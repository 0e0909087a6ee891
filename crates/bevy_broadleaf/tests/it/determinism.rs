//! One thread and four leave the same tree.

use crate::zoo::{Random, bevy, index, spawn};
use bevy_app::{TaskPoolOptions, TaskPoolPlugin, Update};
use bevy_broadleaf::{BroadleafPlugin, EventScope, OverlapBegan, SpatialIndexed, SpatialLayers, SpatialSettings};
use bevy_camera::visibility::Visibility;
use bevy_ecs::prelude::*;
use bevy_tasks::ComputeTaskPool;
use bevy_transform::components::Transform;
use broadleaf::Threads;
use std::process::Command;

/// Where the parent test says how many threads the child has.
const THREADS: &str = "BEVY_BROADLEAF_TEST_THREADS";

/// Set if the tree is to use rayon's pool beside.
const POOL: &str = "BEVY_BROADLEAF_TEST_POOL";

fn wander(mut all: Query<(Entity, &mut Transform)>, mut frame: Local<u32>) {
    *frame += 1;
    all.par_iter_mut().for_each(|(entity, mut at)| {
        let mut random = Random::new(u64::from(*frame) << 32 | u64::from(entity.index_u32()));
        if random.below(3) == 0 {
            at.translation += random.vector(-1.0, 1.0);
        }
    });
}

/// Components come and go in an order that depends on threads.
fn shuffle(all: Query<(Entity, Has<SpatialIndexed>)>, commands: ParallelCommands, mut frame: Local<u32>) {
    *frame += 1;
    all.par_iter().for_each(|(entity, is_indexed)| {
        let mut random = Random::new(u64::from(*frame) << 32 | u64::from(entity.index_u32()) | 1 << 63);
        commands.command_scope(|mut commands| {
            let mut entity = commands.entity(entity);
            match random.below(12) {
                0 if is_indexed => {
                    entity.remove::<SpatialIndexed>();
                }
                0 | 1 => {
                    entity.insert(SpatialIndexed);
                }
                2 => {
                    entity.insert(SpatialLayers::new(random.below(8) | 1, random.below(8)));
                }
                3 => {
                    entity.insert(random.pick(&[Visibility::Hidden, Visibility::Inherited]));
                }
                _ => {}
            }
        });
    });
}

fn count(mut began: MessageReader<OverlapBegan>, mut hash: ResMut<EventHash>) {
    for OverlapBegan { entity, other } in began.read() {
        let word = u64::from(entity.index_u32()) << 32 | u64::from(other.index_u32());
        hash.0 = (hash.0 ^ word).wrapping_mul(0x0100_0000_01B3);
    }
}

/// Depends on the order of events.
#[derive(Resource, Default)]
struct EventHash(u64);

/// Runs the program on as many threads as the environment says, and prints its hashes.
#[test]
fn one_run() {
    let threads: usize = std::env::var(THREADS).map_or(2, |threads| threads.parse().unwrap());
    let pool = if std::env::var_os(POOL).is_some() { Threads::Pool } else { Threads::One };
    let settings = SpatialSettings { events: EventScope::Everyone, threads: pool, ..SpatialSettings::default() };
    // Bevy starts its pools once in a process: as this says, where the test runs alone.
    let mut task_pool_options = TaskPoolOptions::with_num_threads(threads);
    task_pool_options.compute.min_threads = threads;
    task_pool_options.compute.max_threads = threads;
    let mut app = bevy(TaskPoolPlugin { task_pool_options });
    app.add_plugins(BroadleafPlugin::default().with_settings(settings));
    app.init_resource::<EventHash>().add_systems(Update, (wander, shuffle, count));
    let mut random = Random::new(31);
    (0..2000).for_each(|_| {
        spawn(app.world_mut(), &mut random);
    });
    let mut hashes = Vec::new();
    for _ in 0..12 {
        app.update();
        index(&app).validate().unwrap();
        hashes.push(index(&app).state_hash());
    }
    let events = app.world().resource::<EventHash>().0;
    assert!(index(&app).len() > 500 && events != 0);
    let pool = ComputeTaskPool::get().thread_num();
    println!("threads={pool} hashes={hashes:x?} events={events:x}");
}

#[test]
fn the_tree_is_the_same_for_one_and_four_threads() {
    let run = |threads: &str, pool: bool| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "determinism::one_run", "--nocapture", "--test-threads=1"]).env(THREADS, threads);
        if pool {
            command.env(POOL, "1");
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find_map(|line| line.find("threads=").map(|at| line[at..].to_owned()));
        line.expect("the run prints its hashes")
    };
    let (one, four, pool) = (run("1", false), run("4", false), run("4", true));
    let hashes = |line: &str| line.split_once(' ').map(|(_, hashes)| hashes.to_owned());
    assert_eq!(hashes(&one), hashes(&four));
    assert_eq!(hashes(&one), hashes(&pool));
    assert!(one.starts_with("threads=1 ") && four.starts_with("threads=4 "), "{one} {four}");
}
