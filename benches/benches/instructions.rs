//! Instruction counts under callgrind, at sizes that end quickly.
//!
//! `cargo bench -p benches --features callgrind --bench instructions`; needs
//! valgrind, and the runner of the same version as the library:
//! `cargo install iai-callgrind-runner --version 0.16.1 --locked`.

#![expect(missing_docs, reason = "the tool's macros make undocumented items")]

use benches::cases::Case;
use benches::events::cases::EventCase;
use benches::events::{EventSubject, Events};
use benches::meshes::MeshSubject;
use benches::meshes::cases::MeshCase;
use benches::ready::prepare;
use benches::subjects::{Broadleaf, Operation, Subject, World};
use broadleaf::glam::Vec3;
use broadleaf::{Octree, Threads};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use std::hint::black_box;

const COUNT: usize = 10_000;

/// A tree that is built and settled, and its case.
struct Ready {
    case: Case,
    tree: Broadleaf,
}

fn ready(scene: &str) -> Ready {
    let case = Case::new(scene, COUNT, 2).expect("a scene of that name");
    let mut tree = Broadleaf::default();
    prepare(&mut tree, &case.world);
    // Warm buffers, so that growing them is not counted.
    tree.pairs();
    Ready { case, tree }
}

fn moved(scene: &str) -> Ready {
    let mut ready = ready(scene);
    ready.tree.update(ready.case.frame(0));
    ready
}

/// Moved, but not yet refitted.
fn stale(scene: &str) -> Ready {
    let mut ready = moved(scene);
    ready.tree.move_only(ready.case.frame(1));
    ready
}

fn empty(scene: &str) -> (World, Broadleaf) {
    (Case::new(scene, COUNT, 1).expect("a scene of that name").world, Broadleaf::default())
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = empty)]
#[bench::mixed(args = ("mixed",), setup = empty)]
fn build((world, mut tree): (World, Broadleaf)) -> (World, Broadleaf) {
    black_box(&mut tree).build(black_box(&world));
    assert_eq!(tree.tree().len(), COUNT);
    (world, tree)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = moved)]
fn rebuild(mut ready: Ready) -> Ready {
    assert_eq!(black_box(&mut ready.tree).rebuild(), COUNT);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = moved)]
#[bench::city(args = ("city",), setup = moved)]
fn update(mut ready: Ready) -> Ready {
    black_box(&mut ready.tree).update(black_box(ready.case.frame(1)));
    assert_eq!(ready.tree.tree().len(), COUNT);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = stale)]
fn refit(mut ready: Ready) -> Ready {
    assert_eq!(black_box(&mut ready.tree).refit(), COUNT);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = ready)]
#[bench::pile(args = ("pile",), setup = ready)]
#[bench::mixed(args = ("mixed",), setup = ready)]
#[bench::spheres(args = ("spheres",), setup = ready)]
fn pairs(mut ready: Ready) -> Ready {
    assert!(black_box(&mut ready.tree).pairs() > 0);
    ready
}

/// A tracker that has followed some frames, so that its buffers are warm.
fn tracked(scene: &str) -> (EventCase, Events) {
    let case = EventCase::new(scene, COUNT).expect("a case of that name");
    let mut tracker = Events::default();
    tracker.load(&case.start);
    for time in 0..4 {
        tracker.frame(case.frame(time));
    }
    (case, tracker)
}

#[library_benchmark]
#[bench::all_moving(args = ("uniform",), setup = tracked)]
#[bench::all_leaping(args = ("leap",), setup = tracked)]
#[bench::tenth_moving(args = ("city",), setup = tracked)]
#[bench::hundred_moving(args = ("movers-100",), setup = tracked)]
#[bench::one_moving(args = ("movers-1",), setup = tracked)]
#[bench::none_moving(args = ("movers-0",), setup = tracked)]
fn events((case, mut tracker): (EventCase, Events)) -> (EventCase, Events) {
    black_box(&mut tracker).frame(black_box(case.frame(4)));
    (case, tracker)
}

/// A question with its answer, from the naive subject.
fn asked(scene: &str, operation: Operation) -> (Ready, usize) {
    let mut naive = benches::subjects::Brute::default();
    let ready = ready(scene);
    naive.build(&ready.case.world);
    let case = &ready.case;
    let answer = match operation {
        Operation::Box => naive.in_boxes(&case.boxes, None),
        Operation::Sphere => naive.in_spheres(&case.spheres, None),
        Operation::Frustum => naive.in_frustums(&case.frustums, None),
        Operation::Nearest => {
            let mut distances = Vec::new();
            naive.nearest(&case.points, &mut distances);
            distances.len()
        }
        Operation::Sweep => {
            let mut distances = Vec::new();
            naive.sweeps(&case.sweeps, &mut distances);
            distances.iter().filter(|distance| distance.is_finite()).count()
        }
        _ => {
            let mut distances = Vec::new();
            naive.rays(&case.rays, &mut distances);
            distances.iter().filter(|distance| distance.is_finite()).count()
        }
    };
    (ready, answer)
}

fn points(scene: &str) -> (Ready, usize) {
    let ready = ready(scene);
    let boxes = ready.case.world.bodies.boxes();
    let around = |&point| boxes.iter().filter(|aabb| aabb.contains_point(point)).count();
    let answer = ready.case.points.iter().map(around).sum();
    (ready, answer)
}

fn all_hits(scene: &str) -> (Ready, usize) {
    let ready = ready(scene);
    let boxes = ready.case.world.bodies.boxes();
    let along = |ray| {
        let slabs = benches::naive::Slabs::new(ray);
        boxes.iter().filter(|aabb| slabs.enter(aabb.min, aabb.max).is_finite()).count()
    };
    let answer = ready.case.rays.iter().map(along).sum();
    (ready, answer)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = points)]
fn at_point((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).at_points(black_box(&ready.case.points)), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Box), setup = asked)]
#[bench::clustered(args = ("clustered", Operation::Box), setup = asked)]
fn in_aabb((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).in_boxes(black_box(&ready.case.boxes), None), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Sphere), setup = asked)]
fn in_sphere((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).in_spheres(black_box(&ready.case.spheres), None), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Frustum), setup = asked)]
fn in_frustum((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).in_frustums(black_box(&ready.case.frustums), None), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Ray), setup = asked)]
#[bench::clustered(args = ("clustered", Operation::Ray), setup = asked)]
#[bench::city(args = ("city", Operation::Ray), setup = asked)]
fn closest_hit((mut ready, answer): (Ready, usize)) -> Ready {
    let mut distances = Vec::with_capacity(ready.case.rays.len());
    black_box(&mut ready.tree).rays(black_box(&ready.case.rays), &mut distances);
    assert_eq!(distances.iter().filter(|distance| distance.is_finite()).count(), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Ray), setup = asked)]
fn any_hit((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).any_hits(black_box(&ready.case.rays)), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = all_hits)]
fn hits((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).all_hits(black_box(&ready.case.rays)), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Nearest), setup = asked)]
fn nearest((mut ready, answer): (Ready, usize)) -> Ready {
    let mut distances = Vec::with_capacity(answer);
    black_box(&mut ready.tree).nearest(black_box(&ready.case.points), &mut distances);
    assert_eq!(distances.len(), answer);
    ready
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Sweep), setup = asked)]
fn first_swept((mut ready, answer): (Ready, usize)) -> Ready {
    let mut distances = Vec::with_capacity(ready.case.sweeps.len());
    black_box(&mut ready.tree).sweeps(black_box(&ready.case.sweeps), &mut distances);
    assert_eq!(distances.iter().filter(|distance| distance.is_finite()).count(), answer);
    ready
}

/// The buffers of a batch are warm.
fn batched(scene: &str, operation: Operation) -> (Ready, usize) {
    let (mut ready, answer) = asked(scene, operation);
    ready.tree.in_boxes_batch(&ready.case.boxes, Threads::One);
    (ready, answer)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Operation::Box), setup = batched)]
fn in_aabbs((mut ready, answer): (Ready, usize)) -> Ready {
    assert_eq!(black_box(&mut ready.tree).in_boxes_batch(black_box(&ready.case.boxes), Threads::One), answer);
    ready
}

/// A tree and one with room for it.
fn twins(scene: &str) -> (Octree, Octree) {
    let mut tree = moved(scene).tree.tree().clone();
    // A tree that has been cloned is as tight as can be.
    tree.view();
    (tree.clone(), tree)
}

fn saved(scene: &str) -> (Octree, Vec<u8>) {
    let (tree, mut bytes) = (twins(scene).0, Vec::new());
    tree.snapshot_into(&mut bytes);
    (tree, bytes)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = twins)]
fn clone_from((tree, mut twin): (Octree, Octree)) -> (Octree, Octree) {
    black_box(&mut twin).clone_from(black_box(&tree));
    assert_eq!(twin.len(), COUNT);
    (tree, twin)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = twins)]
fn state_hash((tree, twin): (Octree, Octree)) -> (Octree, Octree) {
    assert!(black_box(&tree).state_hash() != 0);
    (tree, twin)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = twins)]
#[bench::spheres(args = ("spheres",), setup = twins)]
fn shift((mut tree, twin): (Octree, Octree)) -> (Octree, Octree) {
    black_box(&mut tree).shift_origin(black_box(Vec3::new(1.0, -0.5, 2.0))).expect("a near shift");
    (tree, twin)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = saved)]
fn snapshot_encode((tree, mut bytes): (Octree, Vec<u8>)) -> (Octree, Vec<u8>) {
    black_box(&tree).snapshot_into(black_box(&mut bytes));
    (tree, bytes)
}

#[library_benchmark]
#[bench::uniform(args = ("uniform",), setup = saved)]
fn snapshot_decode((tree, bytes): (Octree, Vec<u8>)) -> (Octree, Vec<u8>, Octree) {
    let restored = Octree::from_snapshot(black_box(&bytes)).expect("a snapshot");
    assert_eq!(restored.len(), COUNT);
    (tree, bytes, restored)
}

/// A mesh, and room for its answers.
fn mesh(model: &str) -> (MeshCase, Vec<f32>) {
    let case = MeshCase::new(model, 10_000, 32);
    let room = Vec::with_capacity(case.coherent.len());
    (case, room)
}

#[library_benchmark]
#[bench::torus(args = ("torus",), setup = mesh)]
#[bench::terrain(args = ("terrain",), setup = mesh)]
fn mesh_build((mut case, room): (MeshCase, Vec<f32>)) -> (MeshCase, Vec<f32>) {
    black_box(&mut case.subject).build(black_box(&case.model));
    (case, room)
}

#[library_benchmark]
#[bench::torus(args = ("torus",), setup = mesh)]
#[bench::terrain(args = ("terrain",), setup = mesh)]
fn mesh_coherent((case, mut room): (MeshCase, Vec<f32>)) -> (MeshCase, Vec<f32>) {
    black_box(&case.subject).closest_hits(black_box(&case.coherent), &mut room);
    (case, room)
}

#[library_benchmark]
#[bench::torus(args = ("torus",), setup = mesh)]
#[bench::terrain(args = ("terrain",), setup = mesh)]
fn mesh_incoherent((case, mut room): (MeshCase, Vec<f32>)) -> (MeshCase, Vec<f32>) {
    black_box(&case.subject).closest_hits(black_box(&case.incoherent), &mut room);
    (case, room)
}

#[library_benchmark]
#[bench::torus(args = ("torus",), setup = mesh)]
fn mesh_closest_point((case, mut room): (MeshCase, Vec<f32>)) -> (MeshCase, Vec<f32>) {
    assert!(black_box(&case.subject).closest_points(black_box(&case.points), &mut room));
    (case, room)
}

library_benchmark_group!(
    name = meshes;
    benchmarks = mesh_build, mesh_coherent, mesh_incoherent, mesh_closest_point
);
library_benchmark_group!(
    name = states;
    benchmarks = clone_from, state_hash, shift, snapshot_encode, snapshot_decode
);
library_benchmark_group!(name = changes; benchmarks = build, rebuild, update, refit);
library_benchmark_group!(name = pair_pass; benchmarks = pairs);
library_benchmark_group!(name = pair_events; benchmarks = events);
library_benchmark_group!(
    name = questions;
    benchmarks = at_point, in_aabb, in_sphere, in_frustum, closest_hit, any_hit, hits, nearest, first_swept, in_aabbs
);

main!(library_benchmark_groups = changes, states, pair_pass, pair_events, questions, meshes);
