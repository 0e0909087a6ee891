//! Questions to a tree that is ready, with the answers that a plain scan of
//! all boxes gives: what the instruction counts are taken of.

use crate::cases::Case;
use crate::naive::{MovingBox, Slabs, frustum_touches, sphere_touches};
use crate::ready::prepare;
use crate::subjects::{Broadleaf, NEIGHBORS, Subject};
use broadleaf::{
    Aabb, Threads,
    shape::{Capsule, ConvexRegion, Obb},
};

/// Objects in every scene.
pub const COUNT: usize = 10_000;
/// Regions of kinds whose plain test is slow.
const FEW: usize = 200;

/// Whether questions count their work, by the option `stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// They do.
    Counted,
    /// They do not.
    Uncounted,
}

/// The kinds of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Objects around a point.
    Point,
    /// Objects in a box, one by one or in a batch.
    Box,
    /// Objects in a sphere.
    Sphere,
    /// Objects in a frustum, and how they lie.
    Frustum,
    /// Objects in a capsule.
    Capsule,
    /// Objects in an oriented box.
    OrientedBox,
    /// Objects that are behind none of some planes.
    Convex,
    /// The closest object on a ray, or whether there is one.
    Ray,
    /// All objects on a ray.
    Hits,
    /// The nearest objects to a point.
    Nearest,
    /// The first object that a moving box meets.
    Sweep,
}

/// A tree that is built and ready, and its case.
pub struct Ready {
    /// The case.
    pub case: Case,
    /// The tree.
    pub tree: Broadleaf,
}

impl Ready {
    /// Builds the tree of a scene, with `frames` to play.
    ///
    /// # Panics
    /// If there is no such scene.
    #[must_use]
    pub fn new(scene: &str, frames: usize) -> Self {
        let case = Case::new(scene, COUNT, frames).expect("a scene of that name");
        let mut tree = Broadleaf::default();
        tree.count_work(true);
        prepare(&mut tree, &case.world);
        // Warm buffers, so that growing them is not counted.
        tree.pairs();
        Self { case, tree }
    }
}

/// Questions of one kind to a tree.
pub struct Asked {
    /// The tree and most questions.
    pub ready: Ready,
    /// The number of answers to all of them.
    pub answer: usize,
    /// Capsules, where they are asked about.
    pub capsules: Vec<Capsule>,
    /// Oriented boxes, where they are asked about.
    pub oriented_boxes: Vec<Obb>,
    /// Convex regions, where they are asked about.
    pub convex_regions: Vec<ConvexRegion>,
}

/// Prepares the questions of one kind.
///
/// # Panics
/// If there is no such scene.
#[must_use]
pub fn asked(scene: &str, question: Question, work: Work) -> Asked {
    let mut ready = Ready::new(scene, 2);
    ready.tree.count_work(work == Work::Counted);
    // The buffers of a batch are warm.
    ready.tree.in_boxes_batch(&ready.case.boxes, Threads::One);
    let (mut capsules, mut oriented_boxes, mut convex_regions) = (Vec::new(), Vec::new(), Vec::new());
    let case = &ready.case;
    match question {
        Question::Capsule => capsules.extend(case.capsules().into_iter().take(FEW)),
        Question::OrientedBox => oriented_boxes.extend(case.oriented_boxes().into_iter().take(FEW)),
        Question::Convex => convex_regions.extend(case.convex_regions().into_iter().take(FEW)),
        _ => {}
    }
    let boxes = case.world.bodies.boxes();
    let answer = match question {
        Question::Point => found(&case.points, boxes, |point, aabb| aabb.contains_point(*point)),
        Question::Box => found(&case.boxes, boxes, |query, aabb| query.overlaps(aabb)),
        Question::Sphere => found(&case.spheres, boxes, |sphere, aabb| sphere_touches(sphere, aabb.min, aabb.max)),
        Question::Frustum => found(&case.frustums, boxes, |frustum, aabb| frustum_touches(frustum, aabb.min, aabb.max)),
        Question::Capsule => found(&capsules, boxes, Capsule::overlaps_aabb),
        Question::OrientedBox => found(&oriented_boxes, boxes, Obb::overlaps_aabb),
        Question::Convex => found(&convex_regions, boxes, |region, aabb| region.classify_aabb(aabb).is_some()),
        Question::Ray | Question::Hits => {
            let slabs: Vec<Slabs> = case.rays.iter().map(Slabs::new).collect();
            let meets = |ray: &Slabs, aabb: &Aabb| ray.enter(aabb.min, aabb.max).is_finite();
            if question == Question::Hits { found(&slabs, boxes, meets) } else { met(&slabs, boxes, meets) }
        }
        Question::Nearest => case.points.len() * NEIGHBORS.min(boxes.len()),
        Question::Sweep => {
            let moving: Vec<MovingBox> = case.sweeps.iter().map(MovingBox::new).collect();
            met(&moving, boxes, |moving, aabb| moving.enter(aabb.min, aabb.max).is_finite())
        }
    };
    Asked { ready, answer, capsules, oriented_boxes, convex_regions }
}

/// How many boxes meet each question, in all.
fn found<Q>(questions: &[Q], boxes: &[Aabb], meets: impl Fn(&Q, &Aabb) -> bool) -> usize {
    questions.iter().map(|question| boxes.iter().filter(|aabb| meets(question, aabb)).count()).sum()
}

/// How many questions any box meets.
fn met<Q>(questions: &[Q], boxes: &[Aabb], meets: impl Fn(&Q, &Aabb) -> bool) -> usize {
    questions.iter().filter(|question| boxes.iter().any(|aabb| meets(question, aabb))).count()
}
