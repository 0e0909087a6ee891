//! The terminals of meshes, alone and placed among objects.

use crate::room::Room;
use crate::scan::Answers;
use crate::terminals::{Ask, Terminal};
use broadleaf::glam::{Quat, Vec3};
use broadleaf::mesh::{MeshHit, MeshSweepHit};
use broadleaf::{Aabb, Containment, Handle, Mesh, Octree, Placement, Ray, Sphere, Sweep};
use std::ops::Range;
use workloads::Model;
use workloads::models::rays;

const TRIANGLES: u32 = 400;
const QUESTIONS: usize = 200;
const COPIES: u64 = 5;
const SEED: u64 = 7;

/// A mesh, a tree in which it is placed, questions, and the buffers of a caller.
pub(crate) struct Meshes {
    model: Model,
    mesh: Mesh,
    tree: Octree,
    placements: Vec<Placement>,
    rays: Vec<Ray>,
    sweeps: Vec<Sweep>,
    boxes: Vec<Aabb>,
    spheres: Vec<Sphere>,
    points: Vec<Vec3>,
    /// The questions that are asked.
    asked: Range<usize>,
    triangles: Vec<u32>,
    contained: Vec<(u32, Containment)>,
    hits: Vec<MeshHit>,
    touches: Vec<MeshSweepHit>,
    placed_triangles: Vec<(Handle, u32)>,
    placed_hits: Vec<(Handle, MeshHit)>,
    placed_touches: Vec<(Handle, MeshSweepHit)>,
}

impl Meshes {
    pub(crate) fn new() -> Self {
        let model = Model::by_name("torus", TRIANGLES, SEED).expect("a model of that name");
        let mesh = Mesh::from_indexed(model.positions(), model.indices()).expect("a legal model");
        let bounds = model.bounds();
        let size = bounds.extents().max_element();
        // The copies overlap, so that what is asked about one is asked about others, too.
        let place = |step: u64| {
            let offset = Vec3::new(0.125, 0.25, 0.5) * size * step as f32;
            Placement::new(Quat::IDENTITY, offset, 1.0).expect("a legal placement")
        };
        let placements: Vec<Placement> = (0..COPIES).map(place).collect();
        let mut tree = Octree::default();
        for (step, placement) in (0..).zip(&placements) {
            let handle = tree.insert(placement.aabb(&bounds)).expect("a finite box");
            tree.set_user_data(handle, step).expect("a living object");
        }
        let rays = rays::incoherent(&bounds, QUESTIONS, SEED);
        let around = |ray: &Ray| Aabb::from_center_half_extents(ray.origin(), Vec3::splat(size / 16.0));
        let sweep = |ray: &Ray| Sweep::aabb(around(ray), ray.direction() * size).expect("finite");
        Self {
            sweeps: rays.iter().map(sweep).collect(),
            boxes: rays.iter().map(around).collect(),
            spheres: rays.iter().map(|ray| Sphere::new(ray.origin(), size / 16.0)).collect(),
            points: rays.iter().map(Ray::origin).collect(),
            model,
            mesh,
            tree,
            placements,
            rays,
            asked: 0..QUESTIONS,
            triangles: Vec::new(),
            contained: Vec::new(),
            hits: Vec::new(),
            touches: Vec::new(),
            placed_triangles: Vec::new(),
            placed_hits: Vec::new(),
            placed_touches: Vec::new(),
        }
    }

    pub(crate) fn questions(&self) -> usize {
        self.asked.len()
    }
}

/// The number of answers, found by asking each triangle by itself; `of` says what
/// those about one question count.
pub(crate) fn sum(room: &mut Room, ask: Ask, of: impl Fn(usize) -> usize) -> usize {
    let model = &room.meshes.model;
    let count = u32::try_from(model.len()).expect("a model fits 32 bits");
    let alone = (0..count).map(|index| Mesh::from_triangles(&[model.triangle(index)]).expect("legal"));
    let mut alone: Vec<Mesh> = alone.collect();
    let all = room.meshes.asked.clone();
    let mut answers = 0;
    for question in all.clone() {
        room.meshes.asked = question..question + 1;
        let each = alone.iter_mut().map(|mesh| {
            std::mem::swap(&mut room.meshes.mesh, mesh);
            let answers = ask(room);
            std::mem::swap(&mut room.meshes.mesh, mesh);
            answers
        });
        answers += of(each.sum());
    }
    room.meshes.asked = all;
    answers
}

/// One line for each terminal: its name, what it answers, and what is asked; the
/// last expression is the number of answers.
macro_rules! meshes {
    ($($name:literal, $answers:ident, |$room:ident, $question:ident| $body:expr;)*) => {
        pub(crate) const MESHES: &[Terminal] = &[$(Terminal {
            name: $name,
            answers: Answers::$answers,
            asked: |room| room.meshes.questions(),
            ask: |room| {
                let ($room, mut answers) = (&mut room.meshes, 0);
                for $question in $room.asked.clone() {
                    answers += $body;
                }
                answers
            },
            read: None,
        }),*];
    };
}

/// A question about placed meshes.
macro_rules! placed {
    ($room:expr, |$view:ident| $query:expr) => {{
        let ($view, mesh, placements) = ($room.tree.view(), &$room.mesh, &$room.placements);
        let placed = move |handle: Handle| Some((mesh, placements[usize::try_from($view.user_data(handle)?).ok()?]));
        $query.meshes(placed)
    }};
}

macro_rules! listed {
    ($list:expr, $query:expr) => {{
        $query.collect_into(&mut $list);
        $list.len()
    }};
}

macro_rules! one {
    ($query:expr) => {
        usize::from($query.is_some())
    };
}

meshes! {
    "mesh.overlap(box).collect_into", Triangles, |room, at|
        listed!(room.triangles, room.mesh.overlap(&room.boxes[at]).expect("legal"));
    "mesh.overlap(box).count", Triangles, |room, at| room.mesh.overlap(&room.boxes[at]).expect("legal").count();
    "mesh.overlap(box).any", TrianglesAny, |room, at| one!(room.mesh.overlap(&room.boxes[at]).expect("legal").any());
    "mesh.overlap(sphere).with_containment.collect_into", Triangles, |room, at|
        listed!(room.contained, room.mesh.overlap(&room.spheres[at]).expect("legal").with_containment());
    "mesh.overlap(sphere).with_containment.count", Triangles, |room, at|
        room.mesh.overlap(&room.spheres[at]).expect("legal").with_containment().count();
    "mesh.cast(ray).closest", TrianglesAny, |room, at| one!(room.mesh.cast(&room.rays[at]).closest());
    "mesh.cast(ray).any", TrianglesAny, |room, at| one!(room.mesh.cast(&room.rays[at]).any());
    "mesh.cast(ray).count", Triangles, |room, at| room.mesh.cast(&room.rays[at]).count();
    "mesh.cast(ray).collect_into", Triangles, |room, at| listed!(room.hits, room.mesh.cast(&room.rays[at]));
    "mesh.cast(sweep).closest", TrianglesAny, |room, at| one!(room.mesh.cast(&room.sweeps[at]).closest());
    "mesh.cast(sweep).any", TrianglesAny, |room, at| one!(room.mesh.cast(&room.sweeps[at]).any());
    "mesh.cast(sweep).count", Triangles, |room, at| room.mesh.cast(&room.sweeps[at]).count();
    "mesh.cast(sweep).collect_into", Triangles, |room, at| listed!(room.touches, room.mesh.cast(&room.sweeps[at]));
    "mesh.nearest.closest", MeshPoint, |room, at| one!(room.mesh.nearest(room.points[at]).expect("finite").closest());
    "overlap(box).meshes.collect_into", Triangles, |room, at| listed!(
        room.placed_triangles,
        placed!(room, |view| view.overlap(&room.boxes[at]).expect("legal"))
    );
    "overlap(box).meshes.count", Triangles, |room, at|
        placed!(room, |view| view.overlap(&room.boxes[at]).expect("legal")).count();
    "overlap(box).meshes.any", TrianglesAny, |room, at|
        one!(placed!(room, |view| view.overlap(&room.boxes[at]).expect("legal")).any());
    "cast(ray).meshes.closest", TrianglesAny, |room, at|
        one!(placed!(room, |view| view.cast(&room.rays[at])).closest());
    "cast(ray).meshes.any", TrianglesAny, |room, at| one!(placed!(room, |view| view.cast(&room.rays[at])).any());
    "cast(ray).meshes.count", Triangles, |room, at| placed!(room, |view| view.cast(&room.rays[at])).count();
    "cast(ray).meshes.collect_into", Triangles, |room, at|
        listed!(room.placed_hits, placed!(room, |view| view.cast(&room.rays[at])));
    "cast(sweep).meshes.closest", TrianglesAny, |room, at|
        one!(placed!(room, |view| view.cast(&room.sweeps[at])).closest());
    "cast(sweep).meshes.collect_into", Triangles, |room, at|
        listed!(room.placed_touches, placed!(room, |view| view.cast(&room.sweeps[at])));
    "nearest.meshes.closest", MeshPoint, |room, at|
        one!(placed!(room, |view| view.nearest(room.points[at]).expect("finite")).closest());
}
