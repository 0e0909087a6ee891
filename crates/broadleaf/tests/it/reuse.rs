//! What is freed is used again: a world in a steady state keeps its arenas.

use crate::support::{agree, oracle_of};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Handle, Octree, Sphere};
use workloads::{Random, Scene};

/// Frames between two volleys, and after which a bullet is gone.
const PERIOD: usize = 8;
/// Bullets of a volley.
const VOLLEY: usize = 150;

/// Volleys from one muzzle into a cone, through a world at rest.
struct Range {
    tree: Octree,
    /// Each with its place and its way a frame.
    bullets: Vec<(Handle, Vec3, Vec3)>,
    frame: usize,
}

impl Range {
    fn new() -> Self {
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        let scene = Scene::by_name("uniform", 4_000, 8).expect("a scene");
        tree.insert_many(scene.objects(), &mut handles).expect("legal objects");
        Self { tree, bullets: Vec::new(), frame: 0 }
    }

    fn step(&mut self, muzzle: Vec3) {
        if self.frame.is_multiple_of(PERIOD) {
            self.bullets.drain(..).for_each(|(bullet, ..)| _ = self.tree.remove(bullet).expect("it flies"));
            // Each volley is like the one before.
            let mut random = Random::new(5);
            for _ in 0..VOLLEY {
                let way = (Vec3::X + random.signed() * 0.4) * 3.0;
                let at = muzzle + way * 0.1;
                self.bullets.push((self.tree.insert(Sphere::new(at, 0.05)).unwrap(), at, way));
            }
        }
        for (bullet, at, way) in &mut self.bullets {
            *at += *way;
            self.tree.update(*bullet, Sphere::new(*at, 0.05)).unwrap();
        }
        self.tree.view();
        self.tree.validate().unwrap();
        self.frame += 1;
    }
}

#[test]
fn volleys_through_one_place_reuse_nodes_and_blocks() {
    let mut range = Range::new();
    let bounds: Aabb = range.tree.view().bounds().expect("objects");
    let muzzle = bounds.center();
    let none = range.tree.counters();
    assert_eq!((none.nodes_reused, none.blocks_reused), (0, 0));
    (0..40 * PERIOD).for_each(|_| range.step(muzzle));
    let before = range.tree.counters();
    (0..40 * PERIOD).for_each(|_| range.step(muzzle));
    let after = range.tree.counters();
    // Every volley splits buckets where it starts and leaves them to be joined again.
    assert!(after.splits >= before.splits + 20 && after.merges >= before.merges + 20, "{before:?} {after:?}");
    assert!(after.nodes_reused >= before.nodes_reused + 100, "{before:?} {after:?}");
    assert!(after.blocks_reused >= before.blocks_reused + 100, "{before:?} {after:?}");
    // So the arenas stay as large as they are, and nothing is built anew.
    assert_eq!(after.nodes_live + after.nodes_free, before.nodes_live + before.nodes_free);
    assert_eq!(after.blocks_live + after.blocks_free, before.blocks_live + before.blocks_free);
    assert_eq!((after.nodes_peak, after.blocks_peak), (before.nodes_peak, before.blocks_peak));
    assert_eq!(after.rebuilds, before.rebuilds);
    let oracle = oracle_of(&range.tree);
    agree(&mut range.tree, &oracle);
}
