//! A scene cut into what a benchmark needs: a world to build, frames to play,
//! questions to ask.

use crate::subjects::{Bodies, World};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::{
    Aabb, Frustum, Ray, Shape, Sphere, Sweep,
    shape::{Capsule, ConvexRegion, Obb, Plane},
};
use workloads::Scene;
use workloads::sweep::{Named, SweepScene};

/// The seed of all scenes.
const SEED: u64 = 2024;
/// Questions of a kind, where a run should be short.
const FEW: usize = 1000;

/// A scene with its frames and questions.
pub struct Case {
    /// The scene's name.
    pub scene: String,
    /// The number of objects.
    pub count: usize,
    /// The objects as they stand before the first frame.
    pub world: World,
    /// The movers' bodies, frame by frame.
    pub frames: Vec<Bodies>,
    /// Boxes to ask about; they meet about 30 objects each in the uniform scene.
    pub boxes: Vec<Aabb>,
    /// Spheres to ask about; they meet as many.
    pub spheres: Vec<Sphere>,
    /// Points to ask about.
    pub points: Vec<Vec3>,
    /// Views.
    pub frustums: Vec<Frustum>,
    /// Rays from anywhere to anywhere.
    pub rays: Vec<Ray>,
    /// Boxes with edges of 1.5 that move by 20 along the rays.
    pub sweeps: Vec<Sweep>,
    /// Whether no step of a frame is longer than a tenth of the mover's shortest edge.
    pub small_steps: bool,
}

impl Case {
    /// Plays `frames` steps of the scene and draws a few questions; `None` if there is no such scene.
    ///
    /// # Panics
    /// If the scene removes or spawns objects, or moves others than those it calls moving.
    #[must_use]
    pub fn new(name: &str, count: usize, frames: usize) -> Option<Self> {
        Self::with_questions(name, count, frames, FEW)
    }

    /// Draws this many questions of each kind; fewer frusta.
    ///
    /// # Panics
    /// As [`Case::new`].
    #[must_use]
    pub fn with_questions(name: &str, count: usize, frames: usize, questions: usize) -> Option<Self> {
        let mut scene = Scene::by_name(name, u32::try_from(count).ok()?, SEED)?;
        let world = World::new(scene.objects());
        let (boxes, spheres) = (scene.query_boxes(questions, SEED), scene.query_spheres(questions, SEED));
        let (points, rays) = (scene.query_points(questions, SEED), scene.query_rays(questions, SEED));
        let frustums = scene.query_frusta((2_000_000 / count.max(1)).clamp(4, 100), SEED);
        let frames = (0..frames).map(|_| motion(&mut scene, &world.movers)).collect();
        let sweeps = rays.iter().map(sweep).collect();
        let scene = name.to_owned();
        let mut case =
            Self { scene, count, world, frames, boxes, spheres, points, frustums, rays, sweeps, small_steps: false };
        case.small_steps = case.has_small_steps();
        Some(case)
    }

    /// A scene of the sweep with a few frames, boxes and rays; no other questions.
    #[must_use]
    pub fn of_sweep(named: &Named, frames: usize, questions: usize) -> Self {
        let mut scene = SweepScene::new(&named.parameters);
        let mut world = World::new(scene.objects());
        world.stepping = scene.movers().to_vec();
        let (boxes, rays) = (scene.query_boxes(questions, SEED), scene.query_rays(questions, SEED));
        let mut case = Self {
            scene: named.name.clone(),
            count: world.objects.len(),
            frames: (0..frames).map(|_| Bodies::new(&scene.step())).collect(),
            world,
            boxes,
            spheres: Vec::new(),
            points: Vec::new(),
            frustums: Vec::new(),
            rays,
            sweeps: Vec::new(),
            small_steps: false,
        };
        case.small_steps = case.has_small_steps();
        let moves =
            |pair: &[Bodies]| pair[0].boxes().iter().zip(pair[1].boxes()).all(|(before, after)| before != after);
        case.world.all_step = case.world.stepping == case.world.movers && case.frames.windows(2).all(moves);
        case
    }

    pub(crate) fn has_small_steps(&self) -> bool {
        let is_small = |(before, after): (&Aabb, &Aabb)| {
            let step = (after.center() - before.center()).length();
            step <= 0.1 * before.extents().min_element()
        };
        self.frames.windows(2).all(|pair| pair[0].boxes().iter().zip(pair[1].boxes()).all(is_small))
    }

    /// The bodies at a point in time: the frames are played forth and back.
    ///
    /// # Panics
    /// If the case has no frames.
    #[must_use]
    pub fn frame(&self, time: usize) -> &Bodies {
        let last = self.frames.len() - 1;
        let turn = if last == 0 { 0 } else { time % (2 * last) };
        &self.frames[turn.min(2 * last - turn)]
    }

    /// A capsule in the middle of each box that is asked about, along a ray.
    ///
    /// # Panics
    /// If a coordinate is not finite.
    #[must_use]
    pub fn capsules(&self) -> Vec<Capsule> {
        let capsule = |(aabb, ray): (&Aabb, &Ray)| {
            let (middle, along) = (aabb.center(), ray.direction() * aabb.half_extents().max_element());
            Capsule::new(middle - along, middle + along, aabb.half_extents().min_element() * 0.5).expect("finite")
        };
        self.boxes.iter().zip(&self.rays).map(capsule).collect()
    }

    /// Each box that is asked about, turned so that its first axis lies along a ray.
    ///
    /// # Panics
    /// If a coordinate is not finite.
    #[must_use]
    pub fn oriented_boxes(&self) -> Vec<Obb> {
        let turned = |(aabb, ray): (&Aabb, &Ray)| {
            let rotation = Quat::from_rotation_arc(Vec3::X, ray.direction());
            Obb::new(aabb.center(), aabb.half_extents(), rotation).expect("finite")
        };
        self.boxes.iter().zip(&self.rays).map(turned).collect()
    }

    /// The oriented boxes by their six planes.
    ///
    /// # Panics
    /// If a coordinate is not finite.
    #[must_use]
    pub fn convex_regions(&self) -> Vec<ConvexRegion> {
        let face = |normal: Vec3, obb: &Obb, half: f32| Plane { normal, offset: half - normal.dot(obb.center()) };
        let faces = |obb: &Obb| {
            let halves = obb.axes().iter().zip(obb.half_extents().to_array());
            let planes: Vec<Plane> =
                halves.flat_map(|(&axis, half)| [face(axis, obb, half), face(-axis, obb, half)]).collect();
            ConvexRegion::new(&planes).expect("six planes")
        };
        self.oriented_boxes().iter().map(faces).collect()
    }

    /// Whether peers, which know boxes alone, give the same answers to questions.
    #[must_use]
    pub fn questions(&self) -> bool {
        self.world.bodies.are_boxes()
    }
}

pub(crate) fn sweep(ray: &Ray) -> Sweep {
    let aabb = Aabb::from_center_half_extents(ray.origin(), Vec3::splat(0.75));
    Sweep::aabb(aabb, ray.direction() * 20.0).expect("finite")
}

fn motion(scene: &mut Scene, movers: &[u32]) -> Bodies {
    let frame = scene.step();
    assert!(frame.removed.is_empty() && frame.spawned.is_empty(), "a scene of constant objects");
    assert!(frame.moved.iter().map(|moved| moved.0).eq(movers.iter().copied()), "every mover moves, in order");
    let shapes: Vec<Shape> = frame.moved.iter().map(|moved| moved.1).collect();
    Bodies::new(&shapes)
}
