//! Bullet's dynamic AABB tree: one tree of all objects, leaves as large as the boxes, moved one by one, and
//! the step of improvement that Bullet's own broad phase makes each frame. (That keeps what rests in a second tree.)
#![expect(unsafe_code, reason = "the peer is a library of C++; decision 0035")]

use super::{Bodies, Operation, Subject, Tally, World, tally_found, tally_of};
use broadleaf::Aabb;
use std::ffi::c_void;
use std::ptr::{NonNull, null};

/// Above this many objects it takes seconds.
const OBJECTS_MAX: usize = 200_000;

unsafe extern "C" {
    fn peer_bullet_new() -> *mut c_void;
    fn peer_bullet_delete(tree: *mut c_void);
    fn peer_bullet_build(tree: *mut c_void, boxes: *const f32, count: u32);
    fn peer_bullet_optimize(tree: *mut c_void);
    fn peer_bullet_update(tree: *mut c_void, which: *const u32, boxes: *const f32, count: u32);
    fn peer_bullet_pairs(tree: *mut c_void, found: *mut *const u32) -> u32;
    fn peer_bullet_box(tree: *mut c_void, aabb: *const f32, found: *mut *const u32) -> u32;
}

/// A tree, released once, and how many leaves it has.
struct Tree(NonNull<c_void>, u32);

impl Default for Tree {
    fn default() -> Self {
        // SAFETY: takes nothing; the tree is released by `drop` alone.
        Self(NonNull::new(unsafe { peer_bullet_new() }).expect("memory"), 0)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: the tree is this one's own, and nothing uses it any more.
        unsafe { peer_bullet_delete(self.0.as_ptr()) }
    }
}

impl Tree {
    fn build(&mut self, boxes: &[[f32; 6]]) {
        self.1 = u32::try_from(boxes.len()).expect("few boxes");
        // SAFETY: six floats are read for each of so many boxes, and copied.
        unsafe { peer_bullet_build(self.0.as_ptr(), boxes.as_flattened().as_ptr(), self.1) }
    }

    fn optimize(&mut self) {
        // SAFETY: the tree is alive and used by nobody else.
        unsafe { peer_bullet_optimize(self.0.as_ptr()) }
    }

    /// Moves some leaves; `which` are indices of boxes that were built.
    fn update(&mut self, which: &[u32], boxes: &[[f32; 6]]) {
        assert_eq!(which.len(), boxes.len());
        assert!(which.iter().all(|&leaf| leaf < self.1));
        let count = u32::try_from(boxes.len()).expect("few boxes");
        // SAFETY: `count` indices, each of a leaf, and six floats for each are read, and copied.
        unsafe { peer_bullet_update(self.0.as_ptr(), which.as_ptr(), boxes.as_flattened().as_ptr(), count) }
    }

    /// What `find` finds, in the tree's own memory until it is used again.
    fn found(&mut self, find: impl FnOnce(*mut c_void, *mut *const u32) -> u32) -> &[u32] {
        let mut found = null();
        let len = find(self.0.as_ptr(), &raw mut found) as usize;
        if len == 0 {
            return &[];
        }
        // SAFETY: the tree tells where its own list of `len` indices lies, which stays there until the tree is changed.
        unsafe { std::slice::from_raw_parts(found, len) }
    }

    /// All pairs, two indices each.
    fn pairs(&mut self) -> &[u32] {
        // SAFETY: the tree is alive, and `found` may be written.
        self.found(|tree, found| unsafe { peer_bullet_pairs(tree, found) })
    }

    fn in_box(&mut self, aabb: &Aabb) -> &[u32] {
        let sides = sides(aabb);
        // SAFETY: the tree is alive, six floats are read, and `found` may be written.
        self.found(|tree, found| unsafe { peer_bullet_box(tree, sides.as_ptr(), found) })
    }
}

fn sides(aabb: &Aabb) -> [f32; 6] {
    let ([a, b, c], [d, e, f]) = (aabb.min.to_array(), aabb.max.to_array());
    [a, b, c, d, e, f]
}

/// The tree and the caller's buffers.
#[derive(Default)]
pub(super) struct Bullet {
    tree: Tree,
    world: Option<World>,
    boxes: Vec<[f32; 6]>,
    pairs: Vec<(u32, u32)>,
}

impl Bullet {
    fn convert(&mut self, boxes: &[Aabb]) {
        self.boxes.clear();
        self.boxes.extend(boxes.iter().map(sides));
    }
}

impl Subject for Bullet {
    fn name(&self) -> &'static str {
        "Bullet btDbvt"
    }

    fn can(&self, operation: Operation, count: usize) -> bool {
        match operation {
            Operation::Build | Operation::Update | Operation::Pairs | Operation::Frame => count <= OBJECTS_MAX,
            Operation::Box => true,
            _ => false,
        }
    }

    fn build(&mut self, world: &World) {
        self.convert(world.bodies.boxes());
        self.tree.build(&self.boxes);
    }

    fn remember(&mut self, world: &World) {
        self.world = Some(world.clone());
    }

    fn finish_build(&mut self) {
        self.tree.optimize();
    }

    fn update(&mut self, bodies: &Bodies) {
        self.convert(bodies.boxes());
        let Some(world) = &mut self.world else { return };
        world.store(bodies);
        self.tree.update(&world.stepping, &self.boxes);
    }

    fn pairs(&mut self) -> usize {
        self.pairs.clear();
        let Some(world) = &self.world else { return 0 };
        let found = self.tree.pairs().chunks_exact(2).map(|pair| (pair[0], pair[1]));
        self.pairs.extend(found.filter(|&(a, b)| world.wants(a, b)));
        self.pairs.len()
    }

    fn pairs_tally(&self) -> Tally {
        tally_of(&self.pairs)
    }

    fn in_boxes(&mut self, boxes: &[Aabb], mut tally: Option<&mut Tally>) -> usize {
        let mut total = 0;
        for (question, aabb) in boxes.iter().enumerate() {
            let found = self.tree.in_box(aabb);
            total += found.len();
            tally_found(&mut tally, question, found);
        }
        total
    }
}
