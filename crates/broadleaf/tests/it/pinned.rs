//! Results, their order and the work they take are a function of the calls
//! alone: one hash a scene, the same on every machine.

use crate::support::work;
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Batch, Containment, Handle, Neighbor, Octree, QueryStats, RayHit, Scratch, Sphere, Sweep, Threads,
    query::{SlotSet, StartInside, SweepHit, Viewpoint, VisibleObject},
    shape::{Capsule, ConvexRegion, Obb},
};
use std::ops::ControlFlow;
use workloads::{Player, Scene};

/// The hash of each scene.
///
/// Changing one changes results, their order or their statistics for every
/// user: it needs a sentence in CHANGELOG.md that says what changed and why.
/// A failing test prints the whole table as it should now read.
pub(crate) const PINNED: [(&str, u64); Scene::NAMES.len()] = [
    ("uniform", 0x2e85a889cda19a55),
    ("clustered", 0x3bd325063ba3d854),
    ("mixed", 0xaca0d06cf080d522),
    ("pile", 0xf7756f8b6ee2c8c8),
    ("city", 0xb2ffdd3162e61132),
    ("bullets", 0x2985a51253dca96b),
    ("moving", 0x07c0e9bdc4319da0),
    ("teleport", 0x86136d3a0ad6b7ab),
    ("churn", 0xeef27d8c0571324a),
    ("spheres", 0x04c9b272207f7963),
    ("shapes", 0x201e40e75ca0d25d),
];

/// The hash of each scene under the questions of [`add_more`].
pub(crate) const PINNED_MORE: [(&str, u64); Scene::NAMES.len()] = [
    ("uniform", 0xf543de8e0f7905d8),
    ("clustered", 0xd6841cf4f4fa1ec5),
    ("mixed", 0x32d21674d6b00e19),
    ("pile", 0x4dbc39f41e51bf84),
    ("city", 0x73dd4678c3606a3c),
    ("bullets", 0xe3d8d5141e67e33c),
    ("moving", 0xca8bae230d7049ab),
    ("teleport", 0x86255779f6b936d5),
    ("churn", 0xb6fc9442db3aa50d),
    ("spheres", 0x9e79894f96187a91),
    ("shapes", 0x66797f090e8252fd),
];

/// The hash of each scene under the questions of [`add_rest`].
pub(crate) const PINNED_REST: [(&str, u64); Scene::NAMES.len()] = [
    ("uniform", 0x555d7c946a1198a4),
    ("clustered", 0x8fa3511f085c6f8a),
    ("mixed", 0xc434c7a3d5584a47),
    ("pile", 0xa11637fd892fcb91),
    ("city", 0x02d70c1fb256330e),
    ("bullets", 0xe49a1b012ca2c7db),
    ("moving", 0x1c8bad9407586cc7),
    ("teleport", 0x95d12f9c16cafd0e),
    ("churn", 0xa6fc59c882c67977),
    ("spheres", 0x0fa9736b2ecab559),
    ("shapes", 0xd28606a4651bf1a1),
];

const OBJECTS: u32 = 1_500;
const FRAMES: usize = 12;
const QUESTIONS: usize = 8;

/// FNV-1a over the bytes of each number, lowest first.
///
/// *Source:* G. Fowler, L. Noll, K.-P. Vo, The FNV Non-Cryptographic Hash Algorithm.
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn add_all(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.add(numbers.len() as u64);
        numbers.for_each(|number| self.add(number));
    }

    pub(crate) fn add_stats(&mut self, stats: QueryStats) {
        [stats.nodes_visited, stats.objects_tested, stats.hits].into_iter().for_each(|number| self.add(number));
    }

    /// Adds the work of a question.
    fn add_work(&mut self, ask: impl FnOnce(&mut QueryStats)) {
        self.add_stats(work(ask));
    }

    fn add_vector(&mut self, vector: Vec3) {
        vector.to_array().into_iter().for_each(|number| self.add(number.to_bits().into()));
    }

    /// All that is said of an object at a distance, or at a time.
    fn add_spot(&mut self, handle: Handle, distance: f32, position: Vec3, normal: Vec3) {
        self.add(handle.to_bits());
        self.add(distance.to_bits().into());
        self.add_vector(position);
        self.add_vector(normal);
    }

    fn add_ray_hit(&mut self, hit: &RayHit) {
        self.add_spot(hit.handle, hit.distance, hit.position, hit.normal);
    }

    fn add_sweep_hit(&mut self, hit: &SweepHit) {
        self.add_spot(hit.handle, hit.time, hit.position, hit.normal);
        self.add(hit.distance.to_bits().into());
    }

    fn add_neighbor(&mut self, near: &Neighbor) {
        self.add_spot(near.handle, near.distance, near.position, near.normal);
    }

    /// The answers of a batch, each added by `add`, and which questions they are to.
    fn add_batch<T>(&mut self, batch: &Batch<T>, mut add: impl FnMut(&mut Self, &T)) {
        self.add_all(batch.ranges().iter().map(|range| range.end as u64));
        batch.answers().iter().for_each(|answer| add(self, answer));
    }

    fn add_handles(&mut self, handles: &[Handle]) {
        self.add_all(handles.iter().map(|handle| handle.to_bits()));
    }
}

/// Adds every result of a frame in the order in which the tree gives it, and the work it took.
pub(crate) fn add_frame(hash: &mut Hash, tree: &mut Octree, scene: &Scene, seed: u64) {
    let view = tree.view();
    let (mut pairs, mut found, mut hits, mut seen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    hash.add_work(|stats| view.pairs(&mut Scratch::new()).stats(stats).collect_into(&mut pairs));
    hash.add_all(pairs.iter().map(|pair| pair.a().to_bits().rotate_left(32) ^ pair.b().to_bits()));
    for point in scene.query_points(QUESTIONS, seed) {
        hash.add_work(|stats| view.overlap(&point).unwrap().stats(stats).collect_into(&mut found));
        hash.add_handles(&found);
    }
    for aabb in scene.query_boxes(QUESTIONS, seed) {
        hash.add_work(|stats| view.overlap(&aabb).unwrap().stats(stats).collect_into(&mut found));
        hash.add_handles(&found);
    }
    for sphere in scene.query_spheres(QUESTIONS, seed) {
        hash.add_work(|stats| view.overlap(&sphere).unwrap().stats(stats).collect_into(&mut found));
        hash.add_handles(&found);
    }
    for frustum in scene.query_frusta(QUESTIONS, seed) {
        let ask = |stats: &mut QueryStats| {
            view.overlap(&frustum).unwrap().with_containment().stats(stats).collect_into(&mut seen);
        };
        hash.add_stats(work(ask));
        let inside = |how| u64::from(how == Containment::Inside) << 63;
        hash.add_all(seen.iter().map(|(handle, how)| handle.to_bits() ^ inside(*how)));
    }
    for ray in scene.query_rays(QUESTIONS, seed) {
        hash.add_work(|stats| view.cast(&ray).stats(stats).collect_into(&mut hits));
        hash.add_work(|stats| hits.extend(view.cast(&ray).stats(stats).closest()));
        hash.add_work(|stats| hits.extend(view.cast(&ray).stats(stats).any()));
        for hit in &hits {
            hash.add(hit.handle.to_bits());
            hash.add(hit.distance.to_bits().into());
        }
    }
}

/// Adds the answers of the further questions, and the work they took.
pub(crate) fn add_more(hash: &mut Hash, tree: &mut Octree, scene: &Scene, seed: u64) {
    let view = tree.view();
    let (points, boxes) = (scene.query_points(QUESTIONS, seed), scene.query_boxes(QUESTIONS, seed));
    let (mut near, mut swept, mut found, mut seen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut hits, mut scratch) = (Vec::new(), Scratch::new());
    for (&point, aabb) in points.iter().zip(&boxes) {
        hash.add_work(|stats| view.nearest(point).unwrap().stats(stats).k_into(9, &mut near));
        hash.add_all(
            near.iter().map(|near| near.handle.to_bits() ^ u64::from(near.distance.to_bits()).rotate_left(29)),
        );
        for sweep in [Sweep::aabb(*aabb, point), Sweep::sphere(Sphere::new(point, 0.75), aabb.center() - point)] {
            let sweep = sweep.unwrap();
            hash.add_work(|stats| view.cast(&sweep).stats(stats).in_order(&mut scratch).collect_into(&mut swept));
            hash.add_work(|stats| _ = view.cast(&sweep).stats(stats).closest());
            hash.add_all(swept.iter().map(|hit| hit.handle.to_bits() ^ u64::from(hit.time.to_bits()).rotate_left(29)));
        }
        let turned = Quat::from_xyzw(0.25, -0.5, 0.125, 0.75);
        let obb = Obb::new(aabb.center(), aabb.half_extents(), turned).unwrap();
        hash.add_work(|stats| view.overlap(&obb).unwrap().stats(stats).collect_into(&mut found));
        hash.add_handles(&found);
        let capsule = Capsule::new(point, aabb.center(), 0.5).unwrap();
        hash.add_work(|stats| view.overlap(&capsule).unwrap().stats(stats).collect_into(&mut found));
        hash.add_handles(&found);
    }
    for (frustum, &eye) in scene.query_frusta(2, seed).iter().zip(&points) {
        let from = Viewpoint::new(eye, 0.02).unwrap();
        hash.add_work(|stats| {
            let question = view.overlap(frustum).unwrap().seen_from(&from);
            question.front_to_back(&mut scratch).stats(stats).collect_into(&mut seen);
        });
        hash.add_all(
            seen.iter().map(|seen| seen.handle.to_bits() ^ u64::from(seen.distance.to_bits()).rotate_left(29)),
        );
    }
    for ray in scene.query_rays(QUESTIONS, seed) {
        hash.add_work(|stats| {
            let question = view.cast(&ray).inside(StartInside::Exit).stats(stats);
            question.in_order(&mut scratch).collect_into(&mut hits);
        });
        hash.add_all(hits.iter().map(|hit| hit.handle.to_bits() ^ u64::from(hit.distance.to_bits()).rotate_left(29)));
    }
}

/// Takes two answers, then stops.
fn two<T>(mut add: impl FnMut(T)) -> impl FnMut(T) -> ControlFlow<()> {
    let mut left = 2;
    move |answer| {
        add(answer);
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Adds what is asked near points, boxes and along ways, with every position and normal.
pub(crate) fn add_rest(hash: &mut Hash, tree: &mut Octree, scene: &Scene, seed: u64) {
    let view = tree.view();
    let (points, boxes) = (scene.query_points(QUESTIONS, seed), scene.query_boxes(QUESTIONS, seed));
    let (mut near, mut scratch) = (Vec::new(), Scratch::new());
    for (&point, aabb) in points.iter().zip(&boxes) {
        let mut closest = None;
        hash.add_work(|stats| closest = view.nearest(point).unwrap().stats(stats).closest());
        hash.add_neighbor(&closest.expect("an object"));
        hash.add_work(|stats| view.nearest(*aabb).unwrap().stats(stats).k_into(5, &mut near));
        near.iter().for_each(|near| hash.add_neighbor(near));
        let stats = work(|stats| {
            let question = view.nearest(*aabb).unwrap().within(1e3).stats(stats);
            _ = question.in_order(&mut scratch).try_for_each(two(|near| hash.add_neighbor(&near)));
        });
        hash.add_stats(stats);
        let from = Viewpoint::new(point, 0.0).unwrap();
        let stats = work(|stats| {
            let question = view.overlap(aabb).unwrap().seen_from(&from).front_to_back(&mut scratch);
            _ = question.stats(stats).try_for_each(two(|seen: VisibleObject| {
                let near = view.nearest(point).unwrap().filter(|handle| handle == seen.handle);
                let near = near.closest().expect("an object that was seen");
                assert_eq!(near.distance, seen.distance);
                hash.add_neighbor(&near);
            }));
        });
        hash.add_stats(stats);
        let sweep = Sweep::sphere(Sphere::new(point, 0.75), aabb.center() - point).unwrap();
        let stats = work(|stats| {
            let question = view.cast(&sweep).stats(stats).in_order(&mut scratch);
            _ = question.try_for_each(two(|hit| hash.add_sweep_hit(&hit)));
        });
        hash.add_stats(stats);
        let stats = work(|stats| _ = view.cast(&sweep).stats(stats).try_for_each(two(|hit| hash.add_sweep_hit(&hit))));
        hash.add_stats(stats);
    }
    for ray in scene.query_rays(QUESTIONS, seed) {
        for inside in [StartInside::Hit, StartInside::Skip, StartInside::Exit] {
            let stats = work(|stats| {
                let question = view.cast(&ray).inside(inside).stats(stats).in_order(&mut scratch);
                _ = question.try_for_each(two(|hit| hash.add_ray_hit(&hit)));
            });
            hash.add_stats(stats);
        }
    }
    add_regions(hash, tree, scene, seed);
    add_batches(hash, tree, scene, seed);
}

/// Adds what regions hold, the nodes, and the partners of single objects.
fn add_regions(hash: &mut Hash, tree: &mut Octree, scene: &Scene, seed: u64) {
    let view = tree.view();
    let (mut lying, mut seen, mut found, mut slots) = (Vec::new(), Vec::new(), Vec::new(), SlotSet::new());
    for (frustum, eye) in scene.query_frusta(2, seed).iter().zip(scene.query_points(2, seed)) {
        let region = ConvexRegion::new(&frustum.planes()[1..]).unwrap();
        hash.add_work(|stats| view.overlap(&region).unwrap().with_containment().stats(stats).collect_into(&mut lying));
        let inside = |how| u64::from(how == Containment::Inside) << 63;
        hash.add_all(lying.iter().map(|(handle, how)| handle.to_bits() ^ inside(*how)));
        let from = Viewpoint::new(eye, 0.02).unwrap();
        hash.add_work(|stats| view.overlap(frustum).unwrap().seen_from(&from).stats(stats).collect_into(&mut seen));
        hash.add_all(
            seen.iter().map(|seen| seen.handle.to_bits() ^ u64::from(seen.distance.to_bits()).rotate_left(29)),
        );
        hash.add_work(|stats| view.overlap(frustum).unwrap().stats(stats).slots_into(&mut slots));
        hash.add_all(slots.words().iter().copied());
    }
    view.visit_nodes(|node| {
        [node.cell, node.bounds].into_iter().flat_map(|aabb| [aabb.min, aabb.max]).for_each(|at| hash.add_vector(at));
        [node.depth, node.objects, node.blocks, node.objects_below, node.children]
            .into_iter()
            .for_each(|number| hash.add(number.into()));
        hash.add(u64::from(node.leaf) << 1 | u64::from(node.changed));
        ControlFlow::Continue(())
    });
    let handles: Vec<Handle> = tree.iter().map(|(handle, _)| handle).take(QUESTIONS).collect();
    for handle in handles {
        hash.add_work(|stats| {
            tree.view().pairs_of(handle).expect("a living object").stats(stats).collect_into(&mut found)
        });
        hash.add_handles(&found);
    }
}

/// Adds the answers of every batch, of enough questions to be sorted.
fn add_batches(hash: &mut Hash, tree: &mut Octree, scene: &Scene, seed: u64) {
    const COUNT: usize = 260;
    let (view, threads) = (tree.view(), Threads::Pool);
    let (boxes, balls) = (scene.query_boxes(COUNT, seed), scene.query_spheres(COUNT, seed));
    let (rays, frusta) = (scene.query_rays(COUNT, seed), scene.query_frusta(4, seed));
    let motion = |(ball, aabb): (&Sphere, &Aabb)| Sweep::sphere(*ball, aabb.center() - ball.center);
    let sweeps: Vec<Sweep> = balls.iter().zip(&boxes).map(|both| motion(both).unwrap()).collect();
    let (mut found, mut lying) = (Batch::new(), Batch::new());
    hash.add_work(|stats| view.overlap_many(&boxes).unwrap().threads(threads).stats(stats).collect_into(&mut found));
    hash.add_batch(&found, |hash, handle: &Handle| hash.add(handle.to_bits()));
    hash.add_work(|stats| view.overlap_many(&balls).unwrap().threads(threads).stats(stats).collect_into(&mut found));
    hash.add_batch(&found, |hash, handle| hash.add(handle.to_bits()));
    hash.add_work(|stats| {
        let question = view.overlap_many(&frusta).unwrap().with_containment();
        question.threads(threads).stats(stats).collect_into(&mut lying);
    });
    hash.add_batch(&lying, |hash, (handle, how)| {
        hash.add(handle.to_bits());
        hash.add(u64::from(*how == Containment::Inside));
    });
    let (mut hits, mut hit) = (Batch::new(), Batch::new());
    hash.add_work(|stats| view.cast_many(&rays).threads(threads).stats(stats).collect_into(&mut hits));
    hash.add_batch(&hits, Hash::add_ray_hit);
    hash.add_work(|stats| view.cast_many(&rays).threads(threads).stats(stats).closest_into(&mut hit));
    hash.add_batch(&hit, |hash, hit| hit.iter().for_each(|hit| hash.add_ray_hit(hit)));
    hash.add_work(|stats| view.cast_many(&rays).threads(threads).stats(stats).any_into(&mut hit));
    hash.add_batch(&hit, |hash, hit| hit.iter().for_each(|hit| hash.add_ray_hit(hit)));
    let (mut swept, mut first) = (Batch::new(), Batch::new());
    hash.add_work(|stats| view.cast_many(&sweeps).threads(threads).stats(stats).collect_into(&mut swept));
    hash.add_batch(&swept, Hash::add_sweep_hit);
    hash.add_work(|stats| view.cast_many(&sweeps).threads(threads).stats(stats).closest_into(&mut first));
    hash.add_batch(&first, |hash, hit| hit.iter().for_each(|hit| hash.add_sweep_hit(hit)));
}

/// Adds the answers of a frame to a hash.
pub(crate) type Add = fn(&mut Hash, &mut Octree, &Scene, u64);

fn hash_of(name: &str, add: Add) -> u64 {
    let mut scene = Scene::by_name(name, OBJECTS, 7).expect("a scene");
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).unwrap();
    let mut hash = Hash::new();
    for seed in 0..FRAMES as u64 {
        player.play(&mut tree, scene.step()).unwrap();
        add(&mut hash, &mut tree, &scene, seed);
    }
    hash.0
}

pub(crate) fn compare(pinned: [(&'static str, u64); Scene::NAMES.len()], add: Add) {
    expect(pinned, Scene::NAMES.map(|name| (name, hash_of(name, add))));
}

pub(crate) fn expect<const N: usize>(pinned: [(&'static str, u64); N], now: [(&'static str, u64); N]) {
    let rows: String = now.iter().map(|(name, hash)| format!("    (\"{name}\", 0x{hash:016x}),\n")).collect();
    assert!(
        now == pinned,
        "results, their order or their statistics changed. If that is meant, say what changed and why in CHANGELOG.md, \
         and make the table read\n\n{rows}"
    );
}

#[test]
fn hits_and_pairs_are_pinned() {
    compare(PINNED, add_frame);
}

#[test]
fn answers_at_a_distance_and_in_volumes_are_pinned() {
    compare(PINNED_MORE, add_more);
}

#[test]
fn places_regions_nodes_and_batches_are_pinned() {
    compare(PINNED_REST, add_rest);
}

#[test]
fn the_hash_tells_order() {
    let hash = |numbers: [u64; 2]| {
        let mut hash = Hash::new();
        hash.add_all(numbers.into_iter());
        hash.0
    };
    assert_ne!(hash([1, 2]), hash([2, 1]));
}
