//! Pairs, contacts and poses of the six scenes, bit for bit.

use avian3d::prelude::*;
use broadleaf_avian::ColliderIndex;

use crate::scenes::{self, Scene};
use crate::worlds::{Engine, Spawned, State};
use bevy::prelude::*;

/// What a run has shown, of the app with broadleaf.
pub(crate) struct Run {
    pub(crate) app: App,
    pub(crate) last: State,
    pub(crate) touching_most: usize,
    pub(crate) asleep_most: usize,
}

/// Runs a scene with avian's broad phase and with both of ours, and compares them after each frame.
pub(crate) fn run(scene: Scene) -> Run {
    let engines = [Engine::StockInOrder, Engine::Broadleaf, Engine::BroadleafQueries];
    let mut apps = engines.map(|engine| (scene.make)(engine));
    let first = State::of(&mut apps[0]);
    let (mut last, mut touching_most, mut asleep_most) = (None, 0, 0);
    for frame in 0..scene.frames {
        let states = apps.each_mut().map(|app| {
            (scene.script)(app.world_mut(), frame);
            app.update();
            State::of(app)
        });
        let [stock, ours, queries] = states;
        for (state, engine) in [(&ours, engines[1]), (&queries, engines[2])] {
            assert_eq!(stock.poses, state.poses, "poses of frame {frame}, {engine:?}");
            assert_eq!(stock.pairs, state.pairs, "pairs and contacts of frame {frame}, {engine:?}");
        }
        touching_most = touching_most.max(stock.touching());
        let world = apps[1].world_mut();
        asleep_most = asleep_most.max(world.query_filtered::<(), With<Sleeping>>().iter(world).count());
        last = Some(stock);
    }
    for app in &mut apps[1..] {
        let mut colliders = app.world_mut().query_filtered::<(), (With<ColliderMarker>, Without<ColliderDisabled>)>();
        let count = colliders.iter(app.world()).count();
        let index = app.world().resource::<ColliderIndex>();
        index.tree().validate().expect("a valid tree");
        assert_eq!(index.tree().len(), count);
    }
    let last = last.expect("a scene has frames");
    assert!(touching_most > 0, "nothing ever touched");
    let moved = first.poses.iter().zip(&last.poses).filter(|(before, after)| before != after).count();
    assert!(moved > first.poses.len() / 2, "only {moved} bodies moved");
    let [_, _, app] = apps;
    Run { app, last, touching_most, asleep_most }
}

fn rank(run: &Run, entity: Entity) -> usize {
    let spawned = &run.app.world().resource::<Spawned>().0;
    spawned.iter().position(|&other| other == entity).expect("an entity of the scene")
}

#[test]
fn falling() {
    let run = run(scenes::FALLING);
    assert!(run.touching_most > 300, "{} pairs touched", run.touching_most);
}

#[test]
fn resting_and_sleeping() {
    let run = run(scenes::SLEEPING);
    assert_eq!(run.asleep_most, 75, "all stacks fell asleep");
    let asleep = run.last.pairs.iter().filter(|pair| !pair.2).count();
    assert!(asleep > 0 && asleep < run.last.pairs.len(), "the ball woke some: {asleep} pairs sleep");
}

#[test]
fn fast_bodies() {
    let mut run = run(scenes::FAST);
    assert!(run.touching_most > 10);
    // avian's sweep lets some of the turning bars through, with its own trees too; no ball.
    assert_eq!(balls_behind_the_wall(&mut run.app), 0);
    let trees = run.app.world().resource::<avian3d::collider_tree::ColliderTrees>();
    assert!(trees.iter_trees().all(|tree| tree.proxies.is_empty()), "avian's trees are not kept");
    // It is the sweep that stops them.
    let mut unswept = (scenes::FAST.make)(Engine::Stock);
    let world = unswept.world_mut();
    for ball in world.query_filtered::<Entity, With<scenes::PlainBall>>().iter(world).collect::<Vec<_>>() {
        world.entity_mut(ball).insert(SweptCcd::new().with_filter(CcdFilter::NONE));
    }
    for _ in 0..scenes::FAST.frames {
        unswept.update();
    }
    let behind = balls_behind_the_wall(&mut unswept);
    assert!(behind > 10, "only {behind} balls fly through when none is swept");
}

/// How many of the balls that the scene of fast bodies has flew through the wall.
pub(crate) fn balls_behind_the_wall(app: &mut App) -> usize {
    let world = app.world_mut();
    let mut balls = world.query_filtered::<&Position, With<scenes::PlainBall>>();
    balls.iter(world).filter(|at| at.x >= scenes::WALL).count()
}

#[test]
fn sensors() {
    let mut run = run(scenes::SENSORS);
    let world = run.app.world_mut();
    let seen: Vec<_> = world.query::<&CollidingEntities>().iter(world).map(|seen| seen.len()).collect();
    // Each gate has its post in it, unless both are at rest for ever.
    assert!(seen.iter().sum::<usize>() > 0, "{seen:?}");
    let mut balls = world.query::<(&Position, &RigidBody)>();
    let fell = balls.iter(world).filter(|(at, body)| body.is_dynamic() && at.y < 2.0).count();
    assert!(fell > 32, "only {fell} balls fell through");
}

#[test]
fn joints() {
    let run = run(scenes::JOINTS);
    // Links of a chain have neighbouring ranks; one joint in three lets them collide.
    let neighbours = |a: u32, b: u32| a > 0 && (a - 1) / 6 == (b - 1) / 6 && b - a == 1;
    let mut allowed = 0;
    for ([a, b], ..) in &run.last.pairs {
        let (a, b) = (a.0.min(b.0), a.0.max(b.0));
        if neighbours(a, b) {
            assert_eq!((a - 1) % 6, 2, "links {a} and {b} are joined");
            allowed += 1;
        }
    }
    assert!(allowed > 0, "no joint lets its links collide");
}

#[test]
fn layers_and_hooks() {
    let run = run(scenes::LAYERS);
    let world = run.app.world();
    let mut crossed = 0;
    for ([a, b], ..) in &run.last.pairs {
        let spawned = &world.resource::<Spawned>().0;
        let (a, b) = (spawned[a.0 as usize], spawned[b.0 as usize]);
        if let (Some(one), Some(two)) = (world.get::<scenes::Parity>(a), world.get::<scenes::Parity>(b)) {
            assert!(one.0 % 2 == 0 || two.0 % 2 == 0, "the hook refuses {a} and {b}");
            crossed += u32::from(rank(&run, a) % 3 != rank(&run, b) % 3);
        }
    }
    assert!(crossed > 0, "the teams that joined never met");
}
