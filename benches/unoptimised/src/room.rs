//! A tree, questions to it, and the buffers of a caller.

use crate::meshes::Meshes;
use broadleaf::glam::Vec3;
use broadleaf::query::{Neighbor, RayHit, SweepHit};
use broadleaf::{
    Aabb, Batch, Containment, Frustum, Handle, Octree, Pair, Ray, Scratch, Sphere, Sweep,
    query::{SlotSet, Viewpoint, VisibleObject},
};
use workloads::Scene;

const OBJECTS: u32 = 10_000;
const QUESTIONS: usize = 2000;
const FRUSTA: usize = 100;
const SEED: u64 = 2024;

/// Everything that questions need.
pub(crate) struct Room {
    pub(crate) tree: Octree,
    pub(crate) objects: Vec<Aabb>,
    pub(crate) handles: Vec<Handle>,

    pub(crate) points: Vec<Vec3>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) spheres: Vec<Sphere>,
    pub(crate) frusta: Vec<Frustum>,
    pub(crate) rays: Vec<Ray>,
    pub(crate) sweeps: Vec<Sweep>,
    /// Questions about the whole tree are asked so often.
    pub(crate) times: Vec<()>,
    pub(crate) viewpoint: Viewpoint,

    pub(crate) scratch: Scratch,
    pub(crate) found: Vec<Handle>,
    pub(crate) contained: Vec<(Handle, Containment)>,
    pub(crate) seen: Vec<VisibleObject>,
    pub(crate) slots: SlotSet,
    pub(crate) ray_hits: Vec<RayHit>,
    pub(crate) sweep_hits: Vec<SweepHit>,
    pub(crate) near: Vec<Neighbor>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) lists: Batch<Handle>,
    pub(crate) contained_lists: Batch<(Handle, Containment)>,
    pub(crate) closest: Batch<Option<RayHit>>,
    pub(crate) hit_lists: Batch<RayHit>,
    pub(crate) nearest: Batch<Option<Neighbor>>,
    pub(crate) near_lists: Batch<Neighbor>,

    pub(crate) meshes: Meshes,
}

impl Room {
    pub(crate) fn new() -> Self {
        let scene = Scene::by_name("uniform", OBJECTS, SEED).expect("a scene of that name");
        let objects: Vec<Aabb> = scene.objects().iter().map(|object| object.shape.aabb()).collect();
        let (mut tree, mut handles) = (Octree::default(), Vec::new());
        tree.insert_many(&objects, &mut handles).expect("finite boxes");
        let rays = scene.query_rays(QUESTIONS, SEED);
        let sweep = |ray: &Ray| {
            let aabb = Aabb::from_center_half_extents(ray.origin(), Vec3::splat(0.75));
            Sweep::aabb(aabb, ray.direction() * 20.0).expect("finite")
        };
        Self {
            tree,
            objects,
            handles,
            points: scene.query_points(QUESTIONS, SEED),
            boxes: scene.query_boxes(QUESTIONS, SEED),
            spheres: scene.query_spheres(QUESTIONS, SEED),
            frusta: scene.query_frusta(FRUSTA, SEED),
            sweeps: rays.iter().map(sweep).collect(),
            rays,
            times: vec![(); 4],
            viewpoint: Viewpoint::new(Vec3::ZERO, 0.0).expect("finite"),
            scratch: Scratch::new(),
            found: Vec::new(),
            contained: Vec::new(),
            seen: Vec::new(),
            slots: SlotSet::default(),
            ray_hits: Vec::new(),
            sweep_hits: Vec::new(),
            near: Vec::new(),
            pairs: Vec::new(),
            lists: Batch::new(),
            contained_lists: Batch::new(),
            closest: Batch::new(),
            hit_lists: Batch::new(),
            nearest: Batch::new(),
            near_lists: Batch::new(),
            meshes: Meshes::new(),
        }
    }
}
