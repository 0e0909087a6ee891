//! Spatial queries: avian's `SpatialQuery` beside `OctreeQuery`, in worlds that are equal bit for bit.

use std::time::Instant;

use avian3d::prelude::*;
use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use broadleaf_avian::OctreeQuery;

use crate::scenes::Scene;
use crate::worlds::{Engine, Noise, Rank};

const QUESTIONS: usize = 2000;

pub(crate) fn print_head() {
    println!("Microseconds a question, the least of nine rounds:\n");
    println!("| bodies | question | avian | broadleaf | ratio | answers |");
    println!("|---|---|---:|---:|---:|---:|");
}

/// A place and a direction.
type Question = (Vec3, Dir3);
/// A number by which answers are compared: a distance, or a count.
type Answer = Option<f32>;

/// Asks both the same, in turn, and prints a row for each kind of question.
pub(crate) fn compare(scene: &Scene, count: u32) {
    let mut apps = [Engine::StockInOrder, Engine::BroadleafQueries].map(|engine| {
        let mut app = scene.app(engine, count);
        for _ in 0..4 {
            app.update();
        }
        app
    });
    let bodies = apps[0].world_mut().query::<&Rank>().iter(apps[0].world()).count();
    let mut stock = SystemState::<SpatialQuery>::new(apps[0].world_mut());
    let mut ours = SystemState::<OctreeQuery>::new(apps[1].world_mut());
    let stock = stock.get(apps[0].world()).expect("parameters");
    let ours = ours.get(apps[1].world()).expect("parameters");

    let mut noise = Noise::new(5);
    let edge = (count as f32).cbrt() * 2.0;
    let questions: Vec<Question> = (0..QUESTIONS)
        .map(|_| (noise.vector() * edge + Vec3::Y * edge * 0.5, Dir3::new(noise.vector()).unwrap_or(Dir3::X)))
        .collect();
    let all = SpatialQueryFilter::default();
    let reach = ShapeCastConfig::from_max_distance(20.0);
    let (ball, turn) = (Collider::sphere(0.5), Quat::IDENTITY);
    let row = |name: &str, stock: &dyn Fn(Question) -> Answer, ours: &dyn Fn(Question) -> Answer| {
        measure(bodies, name, &questions, stock, ours);
    };
    // The same call of both parameters.
    macro_rules! both {
        ($name:expr, |$query:ident, $at:ident, $to:ident| $call:expr) => {{
            let $query = &stock;
            let one = |($at, $to): Question| -> Answer { $call };
            let $query = &ours;
            let two = |($at, $to): Question| -> Answer { $call };
            row($name, &one, &two);
        }};
    }
    both!("ray, closest, 100 units", |query, at, to| query.cast_ray(at, to, 100.0, true, &all).map(|hit| hit.distance));
    both!("ray, all hits, 100 units", |query, at, to| {
        Some(query.ray_hits(at, to, 100.0, u32::MAX, true, &all).len() as f32)
    });
    both!("moving ball, closest, 20 units", |query, at, to| {
        query.cast_shape(&ball, at, turn, to, &reach, &all).map(|hit| hit.distance)
    });
    both!("point projection", |query, at, _to| {
        query.project_point(at, true, &all).map(|near| near.point.distance(at))
    });
    both!("box of 6 units, all in it", |query, at, _to| {
        Some(query.aabb_intersections_with_aabb(ColliderAabb::new(at, Vec3::splat(3.0))).len() as f32)
    });
}

fn measure(
    bodies: usize,
    name: &str,
    questions: &[Question],
    stock: &dyn Fn(Question) -> Answer,
    ours: &dyn Fn(Question) -> Answer,
) {
    let mut times = [Vec::new(), Vec::new()];
    let mut answered = 0;
    for round in 0..9 {
        let mut answers = [Vec::new(), Vec::new()];
        for turn in 0..2 {
            let which = (round + turn) % 2;
            let ask = if which == 0 { stock } else { ours };
            let start = Instant::now();
            answers[which] = questions.iter().map(|&question| ask(question)).collect();
            times[which].push(start.elapsed().as_secs_f64() * 1e6 / questions.len() as f64);
        }
        assert_eq!(answers[0], answers[1], "{name}");
        answered = answers[0].iter().flatten().count();
    }
    let [stock, ours] = times.map(|times| times.into_iter().fold(f64::INFINITY, f64::min));
    println!("| {bodies} | {name} | {stock:.2} | {ours:.2} | {:.2} | {answered} |", stock / ours);
}
