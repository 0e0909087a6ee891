//! Whole frames, and what they consist of.

use std::time::Instant;

use avian3d::collider_tree::{ColliderTreeDiagnostics, ColliderTrees, MovedProxies};
use avian3d::collision::CollisionDiagnostics;
use avian3d::diagnostics::{PhysicsDiagnostics, PhysicsDiagnosticsSystems};
use avian3d::dynamics::solver::SolverDiagnostics;
use avian3d::prelude::*;
use bevy::prelude::*;
use broadleaf_avian::ColliderIndex;

use crate::ALLOCATOR;
use crate::scenes::Scene;
use crate::worlds::{Engine, Rank};

const ENGINES: [Engine; 3] = [Engine::Stock, Engine::Broadleaf, Engine::BroadleafQueries];

pub(crate) fn print_head() {
    println!(
        "| scene, bodies | engine | pairs | boxes and trees | contacts | solver | rest | frame | processor time | bytes a collider | pairs in the graph |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
}

/// Times of the parts of a frame, of the frame, and of the processor, in milliseconds.
type Parts = [f64; 6];

/// The same frames are run so often: a frame does the same work in each round.
const ROUNDS: usize = 3;

/// Checks the scene, then runs it in all three worlds, a frame of each in turn, from the start in
/// each round. Of each part of each frame the least time of all rounds counts: other programs only
/// add to it. A row shows the means over the frames.
pub(crate) fn compare(scene: &Scene, count: u32) {
    check(scene, count);
    let frames = (400_000 / count as usize).clamp(12, 120);
    // Of each frame, by engine.
    let mut least = vec![ENGINES.map(|_| [f64::INFINITY; 6]); frames];
    let mut ends = Vec::new();
    for _ in 0..ROUNDS {
        let mut apps = ENGINES.map(|engine| measured_app(scene, engine, count));
        for (frame, least) in least.iter_mut().enumerate() {
            // Each goes first in turn.
            for turn in 0..apps.len() {
                let which = (frame + turn) % apps.len();
                let parts = run_frame(&mut apps[which]);
                least[which] = std::array::from_fn(|part| least[which][part].min(parts[part]));
            }
        }
        ends = apps.iter().map(|app| End::of(app.world())).collect();
    }
    // The first frames insert everything.
    let measured = &least[frames / 6..];
    for (which, (engine, end)) in ENGINES.iter().zip(&ends).enumerate() {
        let mean = |part: usize| measured.iter().map(|frame| frame[which][part]).sum::<f64>() / measured.len() as f64;
        let [pairs, trees, contacts, solver, frame, cpu] = std::array::from_fn(mean);
        let rest = frame - pairs - trees - contacts - solver;
        println!(
            "| {}, {} | {engine:?} | {pairs:.3} | {trees:.3} | {contacts:.3} | {solver:.3} | {rest:.3} | {frame:.3} | {cpu:.3} | {} | {} |",
            scene.name, end.bodies, end.bytes, end.pairs,
        );
    }
}

/// What is counted after the last frame.
struct End {
    bodies: usize,
    bytes: usize,
    pairs: usize,
}

impl End {
    fn of(world: &World) -> Self {
        let bodies = world.resource::<crate::worlds::Spawned>().0.len();
        let pairs = world.resource::<ContactGraph>().active_pairs().len();
        Self { bodies, bytes: memory(world) / bodies, pairs }
    }
}

fn measured_app(scene: &Scene, engine: Engine, count: u32) -> App {
    let mut app = scene.app(engine, count);
    // The order that avian's diagnostics plugin gives.
    app.configure_sets(PhysicsSchedule, PhysicsDiagnosticsSystems::Reset.before(PhysicsStepSystems::First));
    app
}

fn run_frame(app: &mut App) -> Parts {
    let (before, start) = (processor_time(), Instant::now());
    app.update();
    let frame = start.elapsed().as_secs_f64() * 1e3;
    let cpu = processor_time() - before;
    let world = app.world();
    let collision = world.resource::<CollisionDiagnostics>();
    let trees = world.resource::<ColliderTreeDiagnostics>();
    let solver = world.resource::<SolverDiagnostics>().timer_paths();
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    let (pairs, contacts) = (ms(collision.broad_phase), ms(collision.narrow_phase));
    let (trees, solver) = (ms(trees.update + trees.optimize), solver.iter().map(|(_, time)| ms(*time)).sum::<f64>());
    [pairs, trees, contacts, solver, frame, cpu]
}

/// Milliseconds that all threads of this process have run so far, which other programs do not add
/// to. Linux counts it; elsewhere it is zero.
fn processor_time() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanoseconds = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads.flatten().filter_map(nanoseconds).sum::<f64>() / 1e6
}

/// Bytes of the trees, and of what is known of their objects.
fn memory(world: &World) -> usize {
    let region = stats_alloc::Region::new(ALLOCATOR);
    let trees = (world.resource::<ColliderTrees>().clone(), world.resource::<MovedProxies>().clone());
    let cloned = region.change();
    let bytes = cloned.bytes_allocated - cloned.bytes_deallocated;
    drop(trees);
    bytes + world.get_resource::<ColliderIndex>().map_or(0, ColliderIndex::memory)
}

/// Runs avian's broad phase, with pairs in canonical order, beside both of ours: poses and pairs are equal.
///
/// Without sweeps: avian sweeps a fast body against obstacles in the order of its tree, and the time
/// of impact depends on that order in its last digits. The tree that holds the obstacles of one step
/// only has another order.
fn check(scene: &Scene, count: u32) {
    let engines = [Engine::StockInOrder, Engine::Broadleaf, Engine::BroadleafQueries];
    let mut apps = engines.map(|engine| {
        let mut app = scene.app(engine, count);
        let world = app.world_mut();
        for body in world.query_filtered::<Entity, With<RigidBody>>().iter(world).collect::<Vec<_>>() {
            world.entity_mut(body).insert(SweptCcd::new().with_filter(CcdFilter::NONE));
        }
        app
    });
    for _ in 0..(200_000 / count).clamp(12, 60) {
        apps.iter_mut().for_each(App::update);
    }
    let [stock, ours, queries] = apps.each_mut().map(state);
    assert!(stock == ours, "{}: broadleaf's world differs", scene.name);
    assert!(stock == queries, "{}: the world with broadleaf's queries differs", scene.name);
    assert!(!stock.1.is_empty(), "{}: there are no pairs", scene.name);
}

type Pose = (Rank, [u32; 7]);

/// Poses bit for bit, and pairs.
fn state(app: &mut App) -> (Vec<Pose>, Vec<[Rank; 2]>) {
    let world = app.world_mut();
    let mut poses: Vec<Pose> = world
        .query::<(&Rank, &Position, &Rotation)>()
        .iter(world)
        .map(|(rank, at, turn)| {
            let ([x, y, z], [i, j, k, w]) = (at.0.to_array(), turn.0.to_array());
            (*rank, [x, y, z, i, j, k, w].map(f32::to_bits))
        })
        .collect();
    poses.sort_unstable();
    let rank = |entity| *world.get::<Rank>(entity).expect("a collider of the scene");
    let pairs = world.resource::<ContactGraph>().active_pairs().iter();
    let mut pairs: Vec<_> = pairs.map(|pair| [rank(pair.collider1), rank(pair.collider2)]).collect();
    pairs.sort_unstable();
    (poses, pairs)
}
