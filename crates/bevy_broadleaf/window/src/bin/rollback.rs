//! Players across a network, whose inputs come eight frames late. Each frame the simulation goes
//! back to the last frame whose inputs are all known, the index with it, and plays eight again.
//! Bright lines are the ways that are certain, grey ones the guesses that proved wrong.
//!
//! The simulation is a schedule of its own, which runs nine times a frame; the plugin's systems are
//! in it, and bounds are given in world space.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_broadleaf::broadleaf::{Shape, Sphere as Ball};
use bevy_broadleaf::{
    BroadleafPlugin, BroadleafSystems, SpatialBounds, SpatialIndexed, SpatialQuery, SpatialSnapshot, SpatialStatic,
};
use bevy_broadleaf_window::{app, look, material, mesh};
use std::collections::VecDeque;

/// Frames after which an input is known.
const DELAY: usize = 8;

/// A step of the simulation.
#[derive(ScheduleLabel, Debug, Clone, PartialEq, Eq, Hash)]
struct Step;

/// The step that runs, and the newest one there is.
#[derive(Resource, Default)]
struct Clock {
    step: usize,
    newest: usize,
}

/// A player; the number decides its input.
#[derive(Component, Clone)]
struct Player {
    number: usize,
    heading: Vec3,
    at: Vec3,
}

/// Where all players are and where they head, with the index.
#[derive(Default)]
struct Saved {
    players: Vec<(Entity, Player)>,
    index: SpatialSnapshot,
}

/// The last frames, and the ways of players: certain and guessed.
#[derive(Resource, Default)]
struct History {
    saved: VecDeque<Saved>,
    certain: Vec<(usize, Vec3)>,
    guessed: Vec<Vec3>,
}

/// The input of a player in a step.
fn input(player: usize, step: usize) -> Vec3 {
    let turn = (step / 13 * 7 + player * 5) as f32;
    Vec3::new(turn.sin(), 0.0, (turn * 1.3).cos())
}

fn body(at: Vec3) -> Ball {
    Ball::new(at.to_array(), 0.5)
}

/// Players walk as they head, but not into each other or into pillars.
fn walk(mut players: Query<(Entity, &mut Player, &mut SpatialBounds)>, spatial: SpatialQuery, clock: Res<Clock>) {
    for (entity, mut player, mut bounds) in &mut players {
        // The first player is at this machine; the others' input comes late.
        if player.number == 0 || clock.step + DELAY <= clock.newest {
            player.heading = input(player.number, clock.step);
        }
        let next = player.at + player.heading * 0.12;
        let is_free = spatial.overlap(&body(next)).is_ok_and(|question| question.exclude(entity).any().is_none());
        if is_free && next.abs().max_element() < 9.0 {
            player.at = next;
            *bounds = SpatialBounds::World(Shape::Sphere(body(next)));
        }
    }
}

fn save(world: &mut World) -> Saved {
    let mut saved = Saved::default();
    let mut players = world.query::<(Entity, &Player)>();
    saved.players.extend(players.iter(world).map(|(entity, player)| (entity, player.clone())));
    saved.index.save(world);
    saved
}

fn restore(world: &mut World, saved: &Saved) {
    for (entity, player) in &saved.players {
        let bounds = SpatialBounds::World(Shape::Sphere(body(player.at)));
        world.entity_mut(*entity).insert((player.clone(), bounds));
    }
    saved.index.restore(world);
}

fn step(world: &mut World, step: usize) {
    world.resource_mut::<Clock>().step = step;
    world.run_schedule(Step);
}

/// Goes back, plays again, and plays a new step.
fn simulate(world: &mut World) {
    let newest = world.resource::<Clock>().newest;
    world.resource_scope(|world, mut history: Mut<History>| {
        let oldest = newest.saturating_sub(DELAY);
        if history.saved.len() == DELAY
            && let Some(saved) = history.saved.pop_front()
        {
            restore(world, &saved);
            history.saved.clear();
            step(world, oldest);
            let mut players = world.query::<&Player>();
            history.certain.extend(players.iter(world).map(|player| (player.number, player.at)));
            (oldest + 1..newest).for_each(|again| {
                history.saved.push_back(save(world));
                step(world, again);
            });
        }
        history.saved.push_back(save(world));
        step(world, newest);
        let mut players = world.query::<&Player>();
        history.guessed.extend(players.iter(world).map(|player| player.at));
    });
    world.resource_mut::<Clock>().newest += 1;
}

/// Shows the players where they are believed to be.
fn show(mut players: Query<(&Player, &mut Transform)>, history: Res<History>, mut gizmos: Gizmos) {
    for (player, mut at) in &mut players {
        at.translation = player.at;
    }
    let lift = Vec3::Y * 0.05;
    for &at in &history.guessed {
        gizmos.line(at + lift - Vec3::X * 0.04, at + lift + Vec3::X * 0.04, Color::srgb(0.45, 0.5, 0.58));
    }
    for number in 0..6 {
        let color = if number == 0 { Color::srgb(0.4, 0.95, 0.5) } else { Color::srgb(1.0, 0.7, 0.25) };
        let way = history.certain.iter().filter(|(player, _)| *player == number);
        gizmos.linestrip(way.map(|&(_, at)| at + 2.0 * lift), color);
    }
}

fn main() -> AppExit {
    let mut app = app("rollback", 90);
    app.init_schedule(Step).init_resource::<Clock>().init_resource::<History>();
    app.add_plugins(BroadleafPlugin::default().in_schedule(Step));
    app.add_systems(Step, walk.before(BroadleafSystems::Sync));
    app.add_systems(Update, (simulate, show).chain());
    let world = app.world_mut();
    let (pillar, player) = (mesh(world, Cylinder::new(0.6, 1.0)), mesh(world, Sphere::new(0.5)));
    let ground = mesh(world, Plane3d::default().mesh().size(20.0, 20.0));
    let stone = material(world, Color::srgb(0.4, 0.42, 0.48));
    let colors = [Color::srgb(0.3, 0.85, 0.4), Color::srgb(0.95, 0.6, 0.2)].map(|color| material(world, color));
    let floor = material(world, Color::srgb(0.14, 0.16, 0.2));
    world.spawn((Mesh3d(ground), MeshMaterial3d(floor)));
    for number in 0..25 {
        let at = Vec3::new((number % 5 * 4) as f32 - 8.0, 0.0, (number / 5 * 4) as f32 - 8.0);
        let bounds = SpatialBounds::World(Shape::Sphere(Ball::new(at.to_array(), 0.6)));
        let looks =
            (Mesh3d(pillar.clone()), MeshMaterial3d(stone.clone()), Transform::from_translation(at + Vec3::Y * 0.5));
        world.spawn((looks, SpatialIndexed, SpatialStatic, bounds));
    }
    for number in 0..6 {
        let at = Vec3::new(number as f32 * 2.4 - 6.0, 0.0, (number * 5 % 12) as f32 - 6.5);
        let looks = (Mesh3d(player.clone()), MeshMaterial3d(colors[usize::from(number > 0)].clone()));
        let bounds = SpatialBounds::World(Shape::Sphere(body(at)));
        world.spawn((looks, SpatialIndexed, bounds, Player { number, heading: Vec3::ZERO, at }));
    }
    look(world, Vec3::new(0.0, 14.5, 11.0), Vec3::new(0.0, 0.0, 1.0));
    app.run()
}
