//! Instruction counts under callgrind, at sizes that end quickly. Questions
//! count their work, by the option `stats`; in rows named `uncounted` they do not.
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
use benches::questions::{Asked, COUNT, Question, Ready, Work, asked};
use benches::subjects::{Broadleaf, Subject, World};
use broadleaf::glam::Vec3;
use broadleaf::{Octree, Threads};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use std::hint::black_box;

fn ready(scene: &str) -> Ready {
    Ready::new(scene, 2)
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
#[bench::city(args = ("city",), setup = ready)]
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

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Point, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Point, Work::Uncounted), setup = asked)]
fn at_point(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_regions(black_box(&asked.ready.case.points), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Box, Work::Counted), setup = asked)]
#[bench::clustered(args = ("clustered", Question::Box, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Box, Work::Uncounted), setup = asked)]
fn in_aabb(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_boxes(black_box(&asked.ready.case.boxes), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Sphere, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Sphere, Work::Uncounted), setup = asked)]
fn in_sphere(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_spheres(black_box(&asked.ready.case.spheres), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Frustum, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Frustum, Work::Uncounted), setup = asked)]
fn in_frustum(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_frustums(black_box(&asked.ready.case.frustums), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Capsule, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Capsule, Work::Uncounted), setup = asked)]
fn in_capsule(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_regions(black_box(&asked.capsules), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::OrientedBox, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::OrientedBox, Work::Uncounted), setup = asked)]
fn in_obb(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_regions(black_box(&asked.oriented_boxes), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Convex, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Convex, Work::Uncounted), setup = asked)]
fn in_convex(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).in_regions(black_box(&asked.convex_regions), None), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Ray, Work::Counted), setup = asked)]
#[bench::clustered(args = ("clustered", Question::Ray, Work::Counted), setup = asked)]
#[bench::city(args = ("city", Question::Ray, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Ray, Work::Uncounted), setup = asked)]
fn closest_hit(mut asked: Asked) -> Asked {
    let mut distances = Vec::with_capacity(asked.ready.case.rays.len());
    black_box(&mut asked.ready.tree).rays(black_box(&asked.ready.case.rays), &mut distances);
    assert_eq!(distances.iter().filter(|distance| distance.is_finite()).count(), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Ray, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Ray, Work::Uncounted), setup = asked)]
fn any_hit(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).any_hits(black_box(&asked.ready.case.rays)), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Hits, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Hits, Work::Uncounted), setup = asked)]
fn hits(mut asked: Asked) -> Asked {
    assert_eq!(black_box(&mut asked.ready.tree).all_hits(black_box(&asked.ready.case.rays)), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Nearest, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Nearest, Work::Uncounted), setup = asked)]
fn nearest(mut asked: Asked) -> Asked {
    let mut distances = Vec::with_capacity(asked.answer);
    black_box(&mut asked.ready.tree).nearest(black_box(&asked.ready.case.points), &mut distances);
    assert_eq!(distances.len(), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Sweep, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Sweep, Work::Uncounted), setup = asked)]
fn first_swept(mut asked: Asked) -> Asked {
    let mut distances = Vec::with_capacity(asked.ready.case.sweeps.len());
    black_box(&mut asked.ready.tree).sweeps(black_box(&asked.ready.case.sweeps), &mut distances);
    assert_eq!(distances.iter().filter(|distance| distance.is_finite()).count(), asked.answer);
    asked
}

#[library_benchmark]
#[bench::uniform(args = ("uniform", Question::Box, Work::Counted), setup = asked)]
#[bench::uniform_uncounted(args = ("uniform", Question::Box, Work::Uncounted), setup = asked)]
fn in_aabbs(mut asked: Asked) -> Asked {
    assert_eq!(
        black_box(&mut asked.ready.tree).in_boxes_batch(black_box(&asked.ready.case.boxes), Threads::One),
        asked.answer
    );
    asked
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
    benchmarks = at_point, in_aabb, in_sphere, in_frustum, in_capsule, in_obb, in_convex, closest_hit, any_hit, hits,
        nearest, first_swept, in_aabbs
);

main!(library_benchmark_groups = changes, states, pair_pass, pair_events, questions, meshes);
