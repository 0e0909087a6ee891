//! After warm-up a frame allocates nothing. A binary of one test, so that no
//! other thread's allocations are counted.

use broadleaf::glam::Vec3;
use broadleaf::{
    Aabb, Containment, Counters, Frustum, Handle, Layers, Object, Octree, Pair, PairTracker, Ray, RayHit, Scratch,
    Sphere,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use workloads::{Player, Scene};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const OBJECTS: u32 = 4_000;
/// Much longer than a bullet flies, so that every state of the stream has been seen.
const WARM_UP: usize = 320;
const FRAMES: usize = 200;

/// Heap allocations, reallocations included.
fn allocations(work: impl FnOnce()) -> usize {
    let region = Region::new(ALLOCATOR);
    work();
    let change = region.change();
    change.allocations + change.reallocations
}

/// The questions of a frame, and buffers with room for every answer.
struct Desk {
    boxes: Vec<Aabb>,
    spheres: Vec<Sphere>,
    points: Vec<Vec3>,
    frusta: Vec<Frustum>,
    rays: Vec<Ray>,
    scratch: Scratch,
    tracker: PairTracker,
    pairs: Vec<Pair>,
    found: Vec<Handle>,
    seen: Vec<(Handle, Containment)>,
    hits: Vec<RayHit>,
}

impl Desk {
    fn new(scene: &Scene) -> Self {
        let count = scene.objects().len();
        let mut tracker = PairTracker::new();
        tracker.reserve(count, count * 16);
        Self {
            boxes: scene.query_boxes(20, 1),
            spheres: scene.query_spheres(20, 2),
            points: scene.query_points(20, 3),
            frusta: scene.query_frusta(4, 4),
            rays: scene.query_rays(20, 5),
            scratch: Scratch::new(),
            tracker,
            pairs: Vec::with_capacity(count * 16),
            found: Vec::with_capacity(count),
            seen: Vec::with_capacity(count),
            hits: Vec::with_capacity(count),
        }
    }

    /// Asks everything in every way; the number of results.
    fn ask(&mut self, tree: &mut Octree, subject: Handle) -> u64 {
        let events = self.tracker.update(tree.changes()).hits;
        let view = tree.view();
        let all = Layers::ALL;
        let mut results = events + view.pairs_into(&mut self.scratch, &mut self.pairs).hits;
        for aabb in &self.boxes {
            results += view.in_aabb_into(aabb, all, &mut self.found).expect("a legal box").hits;
        }
        for sphere in &self.spheres {
            results += view.in_sphere_into(sphere, all, &mut self.found).expect("a legal sphere").hits;
        }
        for point in &self.points {
            results += view.at_point_into(*point, all, &mut self.found).expect("a legal point").hits;
        }
        for frustum in &self.frusta {
            results += view.in_frustum_into(frustum, all, &mut self.seen).hits;
        }
        for ray in &self.rays {
            results += view.hits_into(ray, all, &mut self.hits).hits;
            results += view.closest_hit(ray, all).1.hits + view.any_hit(ray, all).1.hits;
        }
        results + view.pairs_of_into(subject, &mut self.found).expect("a living object").hits
    }
}

struct Stage {
    scene: Scene,
    tree: Octree,
    player: Player,
    desk: Desk,
}

impl Stage {
    fn new(name: &str) -> Self {
        let scene = Scene::by_name(name, OBJECTS, 2).expect("a scene");
        let (mut tree, mut player) = (Octree::default(), Player::new());
        player.load(&mut tree, scene.objects()).expect("legal objects");
        Self { desk: Desk::new(&scene), scene, tree, player }
    }

    /// Plays a frame; what the tree allocated for it.
    fn frame(&mut self) -> usize {
        let frame = self.scene.step();
        self.player.prepare(frame);
        let applied = allocations(|| self.player.apply(&mut self.tree).expect("a legal frame"));
        self.player.finish(frame);
        let subject = self.player.handle(17).expect("scenes keep their population");
        let mut results = 0;
        let asked = allocations(|| results = self.desk.ask(&mut self.tree, subject));
        assert!(results > 100, "the questions have answers");
        applied + asked
    }
}

fn the_allocator_counts() {
    let mut kept = Vec::new();
    assert_eq!(allocations(|| kept.push(Box::new(1))), 2);
    assert_eq!(allocations(|| kept.clear()), 0);
}

fn frames_allocate_nothing(name: &str) {
    let mut stage = Stage::new(name);
    for _ in 0..WARM_UP {
        stage.frame();
    }
    let (memory, counters) = (stage.tree.memory(), stage.tree.counters());
    let counts: Vec<usize> = (0..FRAMES).map(|_| stage.frame()).collect();
    let busy: Vec<_> = counts.iter().enumerate().filter(|(_, count)| **count > 0).collect();
    assert!(busy.is_empty(), "{name}: frames that allocated, and how often: {busy:?}");
    assert_eq!(stage.tree.memory(), memory, "{name}");
    if name == "bullets" {
        let after = stage.tree.counters();
        assert!(after.blocks_reused > counters.blocks_reused && after.relocations > counters.relocations);
        assert_eq!(after.nodes_live + after.nodes_free, counters.nodes_live + counters.nodes_free);
        assert_eq!(after.blocks_live + after.blocks_free, counters.blocks_live + counters.blocks_free);
    }
    stage.tree.validate().unwrap();
}

/// Single calls in place of slices, at a constant population.
fn spawning_and_vanishing_allocates_nothing() {
    let scene = Scene::by_name("uniform", OBJECTS, 2).expect("a scene");
    let mut tree = Octree::default();
    let mut handles: Vec<Handle> = scene.objects().iter().map(|object| tree.insert(*object).unwrap()).collect();
    tree.view();
    let mut turn = |count: usize, tree: &mut Octree, offset: usize| {
        for index in 0..count {
            let at = (index * 37 + offset * 11) % handles.len();
            let object: Object = tree.remove(handles[at]).expect("a living object");
            handles[at] = tree.insert(object).expect("a legal object");
        }
        tree.view();
    };
    (0..WARM_UP).for_each(|offset| turn(200, &mut tree, offset));
    let slots = tree.iter().map(|(handle, _)| handle.slot()).max();
    let count = allocations(|| (WARM_UP..WARM_UP + FRAMES).for_each(|offset| turn(200, &mut tree, offset)));
    assert_eq!(count, 0, "spawn and despawn");
    assert_eq!(tree.iter().map(|(handle, _)| handle.slot()).max(), slots, "slots are reused");
}

fn a_frame_without_motion_visits_nothing() {
    for name in ["uniform", "spheres", "city"] {
        let mut stage = Stage::new(name);
        stage.frame();
        let before = stage.tree.counters();
        stage.frame();
        let counters = stage.tree.counters();
        assert!(counters.refits > before.refits, "{name}: motion is counted");
        let count = allocations(|| (0..10).for_each(|_| _ = stage.tree.view()));
        assert_eq!((count, stage.tree.counters()), (0, counters), "{name}: nothing moved, so nothing was done");
        // The shapes that the objects have already are no motion that shows.
        let at_rest: Vec<_> = stage.tree.iter().map(|(handle, object)| (handle, object.shape)).collect();
        let (handles, shapes): (Vec<_>, Vec<_>) = at_rest.into_iter().unzip();
        let count = allocations(|| {
            for _ in 0..10 {
                stage.tree.update_many(&handles, &shapes).expect("legal shapes");
                stage.tree.view();
            }
        });
        let after = Counters { refits: counters.refits, ..stage.tree.counters() };
        assert_eq!((count, after), (0, counters), "{name}: everything stays where it is");
    }
}

/// Questions and the serial pair pass allocate nothing, even the first time, but the pass's working memory.
fn questions_need_no_warm_up() {
    let mut stage = Stage::new("mixed");
    stage.tree.view();
    let subject = stage.player.handle(3).expect("a scene id");
    assert!(allocations(|| _ = stage.desk.ask(&mut stage.tree, subject)) <= 8);
    assert_eq!(allocations(|| _ = stage.desk.ask(&mut stage.tree, subject)), 0);
}

#[test]
fn after_warm_up_nothing_is_allocated() {
    the_allocator_counts();
    for name in Scene::NAMES {
        frames_allocate_nothing(name);
    }
    spawning_and_vanishing_allocates_nothing();
    a_frame_without_motion_visits_nothing();
    questions_need_no_warm_up();
}
