//! Measures the plugin beside Bevy's own systems and plain loops; every answer is compared.
//!
//! `cargo run --release --example figures --features picking [-- ROUNDS [THREADS]]`. The least time of
//! all rounds, which other programs on the machine disturb least; what is compared runs by turns in
//! one process.

mod culling;
mod picking;
mod queries;
mod upkeep;

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_broadleaf::BroadleafPlugin;
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::{Visibility, VisibilityClass, VisibilityPlugin};
use bevy_math::{Quat, Vec3};
use bevy_mesh::{Mesh3d, MeshPlugin};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use std::any::TypeId;
use std::time::{Duration, Instant};

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(21);
    println!("{} threads, least of {rounds} rounds, microseconds", threads());
    culling::measure(rounds);
    upkeep::measure(rounds);
    queries::measure(rounds);
    picking::measure(rounds);
}

/// Bevy without a window, with the index.
fn app() -> App {
    let mut app = stock();
    app.add_plugins(BroadleafPlugin::default());
    app
}

/// Threads of Bevy's pool: the second argument, else as many as the machine has.
fn threads() -> usize {
    let given = std::env::args().nth(2).and_then(|threads| threads.parse().ok());
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Bevy without a window.
fn stock() -> App {
    let mut app = App::new();
    let mut task_pool_options = TaskPoolOptions::with_num_threads(threads());
    (task_pool_options.compute.min_threads, task_pool_options.compute.max_threads) = (threads(), threads());
    app.add_plugins((
        TaskPoolPlugin { task_pool_options },
        AssetPlugin::default(),
        MeshPlugin,
        TransformPlugin,
        VisibilityPlugin,
    ));
    app
}

/// The edge of the cube in which so many boxes stand, a unit of length cubed for each eight.
fn edge(count: usize) -> f32 {
    (count as f32).cbrt() * 2.0
}

/// What a box of the scene is made of: turned boxes of many sizes, evenly in a cube.
fn body(number: usize, count: usize) -> (Transform, Aabb, Visibility, VisibilityClass) {
    let random = |salt: u64| {
        let mixed = (number as u64 * 8 + salt + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> 40) as f32 / (1 << 24) as f32
    };
    let at = (Vec3::new(random(0), random(1), random(2)) - 0.5) * edge(count);
    let turn = Quat::from_rotation_y(random(3) * 6.0) * Quat::from_rotation_x(random(4) * 6.0);
    let half = Vec3::splat(0.2 + 0.4 * random(5));
    let mut class = VisibilityClass::default();
    class.push(TypeId::of::<Mesh3d>());
    let transform = Transform::from_translation(at).with_rotation(turn);
    (transform, Aabb::from_min_max(-half, half), Visibility::default(), class)
}

/// How long a call takes, and what it returns.
fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = call();
    (micros(start.elapsed()), result)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn least(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}
