//! Results, their order and the work they take are a function of the calls
//! alone: one hash a scene, the same on every machine.

use broadleaf::{Containment, Handle, Layers, Octree, QueryStats, Scratch};
use workloads::{Player, Scene};

/// The hash of each scene.
///
/// Changing one changes results, their order or their statistics for every
/// user: it needs a sentence in CHANGELOG.md that says what changed and why.
/// A failing test prints the whole table as it should now read.
const PINNED: [(&str, u64); Scene::NAMES.len()] = [
    ("uniform", 0xd7fc681974b02b01),
    ("clustered", 0x6e560251ad5f12e1),
    ("mixed", 0x26aff8565628d32a),
    ("pile", 0xc3aa480ada38d262),
    ("city", 0x7ad15dc280e80047),
    ("bullets", 0x622fcd9c554934b3),
    ("moving", 0x0b81e5327db301e7),
    ("teleport", 0xcd96b4242b208a4c),
    ("churn", 0x3a7948e20063f0a9),
    ("spheres", 0x94c136144ac2c6ad),
    ("shapes", 0xb57a58a5b642dcbe),
];

const OBJECTS: u32 = 1_500;
const FRAMES: usize = 12;
const QUESTIONS: usize = 8;

/// FNV-1a over the bytes of each number, lowest first.
///
/// *Source:* G. Fowler, L. Noll, K.-P. Vo, The FNV Non-Cryptographic Hash Algorithm.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn add_all(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.add(numbers.len() as u64);
        numbers.for_each(|number| self.add(number));
    }

    fn add_stats(&mut self, stats: QueryStats) {
        [stats.nodes_visited, stats.objects_tested, stats.hits].into_iter().for_each(|number| self.add(number));
    }

    fn add_handles(&mut self, handles: &[Handle]) {
        self.add_all(handles.iter().map(|handle| handle.to_bits()));
    }
}

/// Adds every result of a frame in the order in which the tree gives it, and the work it took.
fn add_frame(hash: &mut Hash, tree: &mut Octree, scene: &Scene, seed: u64) {
    let view = tree.view();
    let (mut pairs, mut found, mut hits, mut seen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    hash.add_stats(view.pairs_into(&mut Scratch::new(), &mut pairs));
    hash.add_all(pairs.iter().map(|pair| pair.a().to_bits().rotate_left(32) ^ pair.b().to_bits()));
    for point in scene.query_points(QUESTIONS, seed) {
        hash.add_stats(view.at_point_into(point, Layers::ALL, &mut found).expect("a legal point"));
        hash.add_handles(&found);
    }
    for aabb in scene.query_boxes(QUESTIONS, seed) {
        hash.add_stats(view.in_aabb_into(&aabb, Layers::ALL, &mut found).expect("a legal box"));
        hash.add_handles(&found);
    }
    for sphere in scene.query_spheres(QUESTIONS, seed) {
        hash.add_stats(view.in_sphere_into(&sphere, Layers::ALL, &mut found).expect("a legal sphere"));
        hash.add_handles(&found);
    }
    for frustum in scene.query_frusta(QUESTIONS, seed) {
        hash.add_stats(view.in_frustum_into(&frustum, Layers::ALL, &mut seen));
        let inside = |how| u64::from(how == Containment::Inside) << 63;
        hash.add_all(seen.iter().map(|(handle, how)| handle.to_bits() ^ inside(*how)));
    }
    for ray in scene.query_rays(QUESTIONS, seed) {
        hash.add_stats(view.hits_into(&ray, Layers::ALL, &mut hits));
        for (hit, stats) in [view.closest_hit(&ray, Layers::ALL), view.any_hit(&ray, Layers::ALL)] {
            hits.extend(hit);
            hash.add_stats(stats);
        }
        for hit in &hits {
            hash.add(hit.handle.to_bits());
            hash.add(hit.distance.to_bits().into());
        }
    }
}

fn hash_of(name: &str) -> u64 {
    let mut scene = Scene::by_name(name, OBJECTS, 7).expect("a scene");
    let (mut tree, mut player) = (Octree::default(), Player::new());
    player.load(&mut tree, scene.objects()).expect("legal objects");
    let mut hash = Hash::new();
    for seed in 0..FRAMES as u64 {
        player.play(&mut tree, scene.step()).expect("a legal frame");
        add_frame(&mut hash, &mut tree, &scene, seed);
    }
    hash.0
}

#[test]
fn hits_and_pairs_are_pinned() {
    let now = Scene::NAMES.map(|name| (name, hash_of(name)));
    let rows: String = now.iter().map(|(name, hash)| format!("    (\"{name}\", 0x{hash:016x}),\n")).collect();
    assert!(
        now == PINNED,
        "results, their order or their statistics changed. If that is meant, say what changed and why in CHANGELOG.md, \
         and make the table read\n\n{rows}"
    );
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
