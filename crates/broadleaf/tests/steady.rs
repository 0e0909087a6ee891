//! After warm-up a frame allocates nothing. Only the allocations of the threads
//! that do the work are counted.

mod counting;

use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Batch, Containment, Frustum, Handle, Mobility, Neighbor, Object, Octree, Pair, PairTracker, QueryStats, Ray,
    RayHit, Scratch, Sphere, Sweep, Threads, View,
    inspect::Counters,
    query::{SlotSet, StartInside, SweepHit, Viewpoint, VisibleObject},
    shape::{Capsule, ConvexRegion, Obb},
};
use counting::{allocations, pool};
use workloads::{Player, Scene};

const OBJECTS: u32 = 4_000;
/// Much longer than a bullet flies, so that every state of the stream has been seen.
const WARM_UP: usize = 320;
const FRAMES: usize = 200;

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
    more: More,
}

/// What the further questions need.
struct More {
    sweeps: Vec<Sweep>,
    volumes: Vec<(Obb, Capsule)>,
    regions: Vec<ConvexRegion>,
    order: Scratch,
    near: Vec<Neighbor>,
    swept: Vec<SweepHit>,
    far: Vec<VisibleObject>,
    slots: SlotSet,
    listed: Batch<Handle>,
    closest: Batch<Option<RayHit>>,
    nearest: Batch<Neighbor>,
    /// Enough of them for a batch to be sorted.
    many: Vec<Aabb>,
    many_rays: Vec<Ray>,
}

impl More {
    fn new(scene: &Scene) -> Self {
        let (balls, boxes) = (scene.query_spheres(20, 6), scene.query_boxes(20, 7));
        let sweep = |(ball, aabb): (&Sphere, &Aabb)| Sweep::sphere(*ball, aabb.center() - ball.center).unwrap();
        let volume = |(ball, aabb): (&Sphere, &Aabb)| {
            let obb = Obb::new(ball.center, aabb.half_extents(), Quat::from_xyzw(0.1, 0.5, 0.0, 1.0)).unwrap();
            (obb, Capsule::new(ball.center, aabb.center(), 1.0).unwrap())
        };
        let count = scene.objects().len();
        Self {
            sweeps: balls.iter().zip(&boxes).map(sweep).collect(),
            volumes: balls.iter().zip(&boxes).map(volume).collect(),
            regions: scene.query_frusta(4, 8).iter().map(|f| ConvexRegion::new(f.planes()).unwrap()).collect(),
            order: Scratch::new(),
            near: Vec::with_capacity(count),
            swept: Vec::with_capacity(count),
            far: Vec::with_capacity(count),
            slots: SlotSet::new(),
            listed: Batch::new(),
            closest: Batch::new(),
            nearest: Batch::new(),
            many: scene.query_boxes(400, 9),
            many_rays: scene.query_rays(400, 10),
        }
    }
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
            more: More::new(scene),
        }
    }

    /// Asks everything in every way; the number of results.
    fn ask(&mut self, tree: &mut Octree, subject: Handle) -> u64 {
        let events = self.tracker.update(tree.changes()).hits;
        let (view, mut stats) = (tree.view(), QueryStats::default());
        view.pairs(&mut self.scratch).collect_into(&mut self.pairs);
        let mut results = events + self.pairs.len() as u64;
        for aabb in &self.boxes {
            view.overlap(aabb).expect("a legal box").collect_into(&mut self.found);
            results += self.found.len() as u64;
            view.overlap(aabb).expect("a legal box").stats(&mut stats).collect_into(&mut self.found);
        }
        for sphere in &self.spheres {
            view.overlap(sphere).expect("a legal sphere").collect_into(&mut self.found);
            results += self.found.len() as u64;
        }
        for point in &self.points {
            view.overlap(point).expect("a legal point").for_each(|_| results += 1);
            view.overlap(point).expect("a legal point").exclude(subject).stats(&mut stats).for_each(|_| results += 1);
        }
        for frustum in &self.frusta {
            view.overlap(frustum).expect("a legal frustum").with_containment().collect_into(&mut self.seen);
            results += self.seen.len() as u64;
        }
        for ray in &self.rays {
            view.cast(ray).collect_into(&mut self.hits);
            results += self.hits.len() as u64;
            results += view.cast(ray).closest().map_or(0, |_| 1) + view.cast(ray).any().map_or(0, |_| 1);
            results += view.cast(ray).only(Mobility::Moving).filter(|handle| handle != subject).count() as u64;
        }
        results += self.ask_more(view);
        view.pairs_of(subject).expect("a living object").collect_into(&mut self.found);
        results + self.found.len() as u64 + stats.hits
    }
}

impl Desk {
    /// The further questions, and what needs no working memory of them apart from it.
    fn ask_more(&mut self, view: View<'_>) -> u64 {
        let (more, mut stats) = (&mut self.more, QueryStats::default());
        for &point in &self.points {
            view.nearest(point).expect("a legal point").stats(&mut stats).k_into(10, &mut more.near);
            _ = view.nearest(point).expect("a legal point").within(5.0).stats(&mut stats).closest();
        }
        for sweep in &more.sweeps {
            view.cast(sweep).stats(&mut stats).in_order(&mut more.order).collect_into(&mut more.swept);
            _ = view.cast(sweep).stats(&mut stats).closest();
        }
        for (obb, capsule) in &more.volumes {
            view.overlap(obb).expect("a legal box").stats(&mut stats).collect_into(&mut self.found);
            view.overlap(capsule).expect("a legal capsule").stats(&mut stats).collect_into(&mut self.found);
        }
        for region in &more.regions {
            let question = view.overlap(region).expect("legal planes").with_containment();
            question.stats(&mut stats).collect_into(&mut self.seen);
        }
        for ray in &self.rays {
            let question = view.cast(ray).inside(StartInside::Exit).stats(&mut stats);
            question.in_order(&mut more.order).collect_into(&mut self.hits);
            let question = view.cast(ray).inside(StartInside::Skip).refine(|hit: &RayHit| Some(hit.distance));
            _ = question.stats(&mut stats).closest();
        }
        stats.hits
    }

    /// Those that keep working memory: it grows to what the scene asks for, and no further.
    fn ask_with_memory(&mut self, view: View<'_>) -> u64 {
        let (more, mut stats) = (&mut self.more, QueryStats::default());
        for (frustum, &eye) in self.frusta.iter().zip(&self.points) {
            let from = Viewpoint::new(eye, 0.01).expect("a legal viewpoint");
            let question = view.overlap(frustum).expect("a legal frustum").seen_from(&from);
            question.front_to_back(&mut more.order).stats(&mut stats).collect_into(&mut more.far);
            view.overlap(frustum).expect("a legal frustum").stats(&mut stats).slots_into(&mut more.slots);
        }
        for (ray, &point) in self.rays.iter().zip(&self.points) {
            _ = view.cast(ray).stats(&mut stats).in_order(&mut more.order).any();
            _ = view.nearest(point).expect("a legal point").stats(&mut stats).in_order(&mut more.order).any();
        }
        stats.hits + self.ask_many(view, Threads::One)
    }
}

impl Desk {
    fn ask_many(&mut self, view: View<'_>, threads: Threads) -> u64 {
        let (more, mut stats) = (&mut self.more, QueryStats::default());
        let question = view.overlap_many(&more.many).expect("legal boxes").threads(threads);
        question.stats(&mut stats).collect_into(&mut more.listed);
        view.cast_many(&more.many_rays).threads(threads).stats(&mut stats).closest_into(&mut more.closest);
        let question = view.nearest_many(&more.many).expect("legal boxes").threads(threads);
        question.stats(&mut stats).k_into(3, &mut more.nearest);
        stats.hits
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
        // In another order than that of their slots.
        let (mut handles, mut shapes) = (handles, shapes);
        handles.reverse();
        shapes.reverse();
        let mut turn = || {
            stage.tree.update_many(&handles, &shapes).expect("legal shapes");
            stage.tree.view();
        };
        (0..3).for_each(|_| turn());
        assert_eq!(allocations(|| (0..10).for_each(|_| turn())), 0, "{name}: working memory is kept");
    }
}

/// Questions and the serial pair pass allocate nothing, even the first time, but the pass's
/// working memory, and the tree's log of changes for its first tracker: two lists.
fn questions_need_no_warm_up() {
    let mut stage = Stage::new("mixed");
    stage.tree.view();
    let subject = stage.player.handle(3).expect("a scene id");
    let count = allocations(|| _ = stage.desk.ask(&mut stage.tree, subject));
    assert!(count <= 8 + 2, "{count} allocations");
    assert_eq!(allocations(|| _ = stage.desk.ask(&mut stage.tree, subject)), 0);
    let view = stage.tree.view();
    assert!(stage.desk.ask_with_memory(view) > 100, "the questions have answers");
    assert_eq!(allocations(|| _ = stage.desk.ask_with_memory(view)), 0, "working memory is kept");
}

/// Batches on several threads allocate nothing once they have run in every
/// way; on a thread of the pool, for handing work over to one is rayon's.
fn batches_on_threads_allocate_nothing() {
    let mut stage = Stage::new("uniform");
    stage.tree.view();
    pool(2).install(|| {
        let view = stage.tree.view();
        for _ in 0..50 {
            assert!(stage.desk.ask_many(view, Threads::Pool) > 100, "the questions have answers");
        }
        // Now and then a queue of rayon's grows: ours is what every call has.
        let least = (0..20).map(|_| allocations(|| _ = stage.desk.ask_many(view, Threads::Pool))).min();
        assert_eq!(least, Some(0));
    });
}

/// Bulk builds on several threads, as of worlds that are rebuilt often.
fn builds_on_threads_allocate_nothing() {
    let scene = Scene::by_name("mixed", 20_000, 2).expect("a scene");
    let (mut tree, mut handles) = (Octree::default(), Vec::new());
    tree.set_threads(Threads::Pool);
    pool(2).install(|| {
        let mut build = || {
            tree.clear();
            tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
            tree.rebuild();
        };
        (0..20).for_each(|_| build());
        let least = (0..20).map(|_| allocations(&mut build)).min();
        assert_eq!(least, Some(0));
    });
    assert!(tree.memory().scratch > 0);
    tree.shrink_to_fit();
    assert_eq!(tree.memory().scratch, 0);
}

/// Taking a snapshot into a tree and a tracker that are there, and saving and
/// hashing, allocate nothing once there is room.
fn snapshots_allocate_nothing() {
    let mut stage = Stage::new("mixed");
    let (mut spare, mut bytes) = (Octree::default(), Vec::new());
    let (mut tracker, mut kept) = (PairTracker::new(), PairTracker::new());
    for turn in 0..20 {
        stage.frame();
        tracker.update(stage.tree.changes());
        let count = allocations(|| {
            spare.clone_from(&stage.tree);
            kept.clone_from(&tracker);
        });
        assert!(turn < 10 || count == 0, "{turn}: {count}");
        assert_eq!(allocations(|| assert_eq!(spare.state_hash(), stage.tree.state_hash())), 0);
        let count = allocations(|| spare.snapshot_into(&mut bytes));
        assert!(turn < 10 || count == 0, "{turn}: {count}");
        // Roll back and forth again.
        let count = allocations(|| std::mem::swap(&mut spare, &mut stage.tree));
        assert_eq!(count, 0);
    }
    // Whole cells: everything stays where it is, and no list grows.
    let step = Vec3::new(1.0 / 64.0, 2.0, 0.0);
    stage.tree.shift_origin(step).unwrap();
    stage.tree.view();
    assert_eq!(allocations(|| stage.tree.shift_origin(-step).unwrap()), 0);
    stage.tree.validate().unwrap();
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
    snapshots_allocate_nothing();
    // Last: the pool's threads, once started, allocate now and then by themselves.
    batches_on_threads_allocate_nothing();
    builds_on_threads_allocate_nothing();
}
