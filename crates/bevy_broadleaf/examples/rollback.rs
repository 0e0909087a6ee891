//! Eight frames played again each frame, as where the input of a player across a network comes
//! late: the index goes back with the components, and ends in the same state.
//!
//! `cargo run --release --example rollback [PICTURE.png]`. The picture shows the players' ways:
//! dark as predicted without the late input, bright as corrected; circles are pillars.

mod common;

use bevy_app::App;
use bevy_broadleaf::{BroadleafPlugin, SpatialBounds, SpatialIndex, SpatialIndexed, SpatialSnapshot, SpatialStatic};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use common::picture::Picture;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Frames after which an input is known.
const DELAY: usize = 8;
const FRAMES: usize = 240;

/// A player; the number decides its input.
#[derive(Component, Clone)]
struct Player {
    number: usize,
    heading: Vec3,
}

/// The input of a player in a frame.
fn input(player: usize, frame: usize) -> Vec3 {
    let turn = (frame / 13 * 7 + player * 5) as f32;
    Vec3::new(turn.sin(), 0.0, (turn * 1.3).cos())
}

/// Where all players are and where they head, with the index.
#[derive(Default)]
struct Saved {
    players: Vec<(Entity, Transform, Player)>,
    index: SpatialSnapshot,
}

fn save(app: &mut App, saved: &mut Saved) {
    let mut players = app.world_mut().query::<(Entity, &Transform, &Player)>();
    saved.players.clear();
    saved.players.extend(players.iter(app.world()).map(|(entity, at, player)| (entity, *at, player.clone())));
    saved.index.save(app.world());
}

fn restore(app: &mut App, saved: &Saved) {
    for (entity, at, player) in &saved.players {
        app.world_mut().entity_mut(*entity).insert((*at, player.clone()));
    }
    saved.index.restore(app.world_mut());
}

/// Plays a frame with the inputs that are known when `now` is the newest frame: players walk as
/// they head, but not into each other or into pillars.
fn play(app: &mut App, frame: usize, now: usize) {
    let mut players = app.world_mut().query::<(Entity, &Transform, &Player)>();
    let mut players: Vec<_> =
        players.iter(app.world()).map(|(entity, at, player)| (entity, *at, player.clone())).collect();
    let index = app.world().resource::<SpatialIndex>();
    for (entity, at, player) in &mut players {
        // The first player is at this machine; the others' input comes late.
        if player.number == 0 || frame + DELAY <= now {
            player.heading = input(player.number, frame);
        }
        let next = at.translation + player.heading * 0.12;
        let body = broadleaf::Sphere::new(next.to_array(), 0.5);
        let is_free = index.overlap(&body).is_ok_and(|question| question.exclude(*entity).any().is_none());
        if is_free && next.abs().max_element() < 9.0 {
            at.translation = next;
        }
    }
    for (entity, at, player) in players {
        app.world_mut().entity_mut(entity).insert((at, player));
    }
    app.update();
}

fn world() -> App {
    let mut app = common::headless();
    app.add_plugins(BroadleafPlugin::default());
    for number in 0..25 {
        let at = Transform::from_xyz((number % 5 * 4) as f32 - 8.0, 0.0, (number / 5 * 4) as f32 - 8.0);
        app.world_mut().spawn((SpatialIndexed, SpatialStatic, SpatialBounds::sphere(0.6), at));
    }
    for number in 0..6 {
        let at = Transform::from_xyz(number as f32 * 2.4 - 6.0, 0.0, (number * 5 % 12) as f32 - 6.5);
        app.world_mut().spawn((Player { number, heading: Vec3::ZERO }, SpatialIndexed, SpatialBounds::sphere(0.5), at));
    }
    app.update();
    app
}

fn draw(app: &mut App, picture: &mut Picture, colors: [[u8; 3]; 2]) {
    let mut players = app.world_mut().query::<(&Transform, &Player)>();
    for (at, player) in players.iter(app.world()) {
        let [x, y] = [400.0 + at.translation.x * 42.0, 400.0 + at.translation.z * 42.0];
        picture.square(x, y, 2.0, colors[usize::from(player.number == 0)]);
    }
}

fn main() -> std::io::Result<()> {
    // With late input, played again; and a twin that knows every input at once.
    let (mut app, mut twin) = (world(), world());
    let mut picture = Picture::new(800, 800, [18, 20, 26]);
    let mut pillars = app.world_mut().query_filtered::<&Transform, With<SpatialStatic>>();
    for at in pillars.iter(app.world()) {
        picture.circle(400.0 + at.translation.x * 42.0, 400.0 + at.translation.z * 42.0, 25.0, [90, 90, 100]);
    }
    let mut history: VecDeque<Saved> = VecDeque::new();
    let mut replayed = Duration::ZERO;
    for now in 0..FRAMES + DELAY {
        if history.len() > DELAY {
            // The inputs of the frame that is DELAY old have come.
            let start = Instant::now();
            let saved = history.pop_front().unwrap_or_default();
            restore(&mut app, &saved);
            history.clear();
            for frame in now - DELAY - 1..now {
                let mut saved = Saved::default();
                save(&mut app, &mut saved);
                history.push_back(saved);
                play(&mut app, frame, now);
            }
            history.pop_front();
            replayed += start.elapsed();
        }
        let mut saved = Saved::default();
        save(&mut app, &mut saved);
        history.push_back(saved);
        play(&mut app, now, now);
        draw(&mut app, &mut picture, [[60, 72, 96], [70, 110, 80]]);
    }
    for frame in 0..FRAMES + DELAY {
        play(&mut twin, frame, usize::MAX);
        draw(&mut twin, &mut picture, [[240, 180, 80], [120, 230, 140]]);
    }
    // Once every input is known, both have the same state.
    let oldest = history.pop_front().unwrap_or_default();
    restore(&mut app, &oldest);
    for frame in FRAMES + DELAY - history.len() - 1..FRAMES + DELAY {
        play(&mut app, frame, usize::MAX);
    }
    let places = |app: &mut App| {
        let mut players = app.world_mut().query::<(&Transform, &Player)>();
        players.iter(app.world()).map(|(at, _)| at.translation).collect::<Vec<_>>()
    };
    assert_eq!(places(&mut app), places(&mut twin), "played again, the players stand where they should");
    app.world().resource::<SpatialIndex>().validate().expect("a sound tree");
    println!(
        "{FRAMES} frames, {DELAY} played again in each: {:.0} microseconds",
        replayed.as_secs_f64() * 1e6 / FRAMES as f64
    );
    common::picture_path().map_or(Ok(()), |path| picture.save(&path))
}
