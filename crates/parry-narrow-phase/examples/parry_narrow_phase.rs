//! Moves 10,000 shapes of parry, asks both trees the same, checks that the answers are equal,
//! and prints the least times: other programs only add to a time.
//!
//! `cargo run --release --example parry_narrow_phase [-- SHAPES [FRAMES]]`

use std::time::Instant;

use parry_narrow_phase::{BvhWorld, Hit, OctreeWorld, Scene, TouchingPair};
use parry3d::math::{Pose, Vector};
use parry3d::query::Ray;
use parry3d::shape::SharedShape;

/// Times of one row, of the octree and of parry's tree.
#[derive(Default)]
struct Row {
    octree: Vec<f64>,
    bvh: Vec<f64>,
}

impl Row {
    fn print(&self, name: &str, per: usize, unit: &str, answers: usize) {
        let scale = if unit == "ms" { 1e3 } else { 1e6 } / per as f64;
        let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min) * scale;
        let (octree, bvh) = (least(&self.octree), least(&self.bvh));
        println!("| {name} | {octree:.3} {unit} | {bvh:.3} {unit} | {:.2} | {answers} |", bvh / octree);
    }
}

fn timed<T>(times: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    times.push(start.elapsed().as_secs_f64());
    result
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |index, usual| std::env::args().nth(index).map_or(Ok(usual), |text| text.parse::<u32>());
    let (count, frames) = (number(1, 10_000)?, number(2, 60)?);
    let mut scene = Scene::new(count, 7);
    let (mut octree, mut bvh) = (OctreeWorld::new(&scene)?, BvhWorld::new(&scene));
    println!("{count} shapes, {frames} frames, one thread; equal answers\n");
    println!("| question | octree | parry's Bvh | ratio | answers |");
    println!("|---|---:|---:|---:|---:|");

    let [mut broad, mut narrow] = [Row::default(), Row::default()];
    let (mut contacts, mut expected) = (Vec::new(), Vec::new());
    let (mut pairs, mut touching) = (0, 0);
    for frame in 0..frames {
        scene.step();
        // Whoever comes second finds the scene in the cache.
        let mut ask_octree = || -> Result<usize, broadleaf::Error> {
            let pairs = timed(&mut broad.octree, || octree.find_pairs(&scene))?;
            timed(&mut narrow.octree, || octree.contacts(&scene, &mut contacts));
            Ok(pairs)
        };
        let mut ask_bvh = || {
            let pairs = timed(&mut broad.bvh, || bvh.find_pairs(&scene));
            timed(&mut narrow.bvh, || bvh.contacts(&scene, &mut expected));
            pairs
        };
        let (found, same) = if frame % 2 == 0 {
            (ask_octree()?, ask_bvh())
        } else {
            let same = ask_bvh();
            (ask_octree()?, same)
        };
        assert_eq!(found, same, "pairs of frame {frame}");
        sort(&mut contacts);
        sort(&mut expected);
        assert_eq!(contacts, expected, "contacts of frame {frame}");
        (pairs, touching) = (found, contacts.len());
    }
    assert!(touching > 0, "nothing touches");
    broad.print("boxes moved, pairs found", 1, "ms", pairs);
    narrow.print("contacts of the pairs", 1, "ms", touching);

    let questions = questions(&scene, 2000);
    let ball = SharedShape::ball(0.4);
    let reach = scene.half_edge();
    compare(
        "ray",
        &questions,
        |at, to| octree.cast_ray(&scene, &Ray::new(at, to), reach),
        |at, to| bvh.cast_ray(&scene, &Ray::new(at, to), reach),
    );
    let pose = |at| Pose::from_translation(at);
    compare(
        "moving ball",
        &questions,
        |at, to| octree.cast_shape(&scene, &ball, &pose(at), to, reach),
        |at, to| bvh.cast_shape(&scene, &ball, &pose(at), to, reach),
    );
    compare("closest shape", &questions, |at, _| octree.closest(&scene, at), |at, _| bvh.closest(&scene, at));
    let [octree, bvh] = [octree.memory(), bvh.memory()].map(|bytes| bytes as f64 / f64::from(count));
    println!("| memory, a shape | {octree:.0} bytes | {bvh:.0} bytes | {:.2} | |", bvh / octree);
    Ok(())
}

fn sort(contacts: &mut [TouchingPair]) {
    contacts.sort_unstable_by_key(|pair| (pair.a, pair.b));
}

/// Points of the scene's cube, each with a direction of length one.
fn questions(scene: &Scene, count: u32) -> Vec<(Vector, Vector)> {
    // The golden ratio spreads fractions evenly.
    let fraction = |index: u32, step: f32| (index as f32 * step).fract() * 2.0 - 1.0;
    let spread = |index, steps: [f32; 3]| Vector::from_array(steps.map(|step| fraction(index, step)));
    let questions = (1..=count).map(|index| {
        let at = spread(index, [0.618_034, 0.414_213_6, 0.732_050_8]) * scene.half_edge();
        (at, (spread(index, [0.236_068, 0.645_751_3, 0.316_624_8]) + Vector::splat(1e-3)).normalize())
    });
    questions.collect()
}

fn compare(
    name: &str,
    questions: &[(Vector, Vector)],
    mut octree: impl FnMut(Vector, Vector) -> Option<Hit>,
    mut bvh: impl FnMut(Vector, Vector) -> Option<Hit>,
) {
    let (mut row, mut hits) = (Row::default(), 0);
    for _ in 0..9 {
        let answers: Vec<_> = timed(&mut row.octree, || questions.iter().map(|&(at, to)| octree(at, to)).collect());
        let expected: Vec<_> = timed(&mut row.bvh, || questions.iter().map(|&(at, to)| bvh(at, to)).collect());
        // Which of several equally close shapes is named is a matter of the tree.
        let distances = |hits: &[Option<Hit>]| hits.iter().map(|hit| hit.map(|hit| hit.distance)).collect::<Vec<_>>();
        assert_eq!(distances(&answers), distances(&expected), "{name}");
        hits = answers.iter().flatten().count();
    }
    assert!(hits > 0, "{name}: nothing is hit");
    row.print(name, questions.len(), "µs", hits);
}
