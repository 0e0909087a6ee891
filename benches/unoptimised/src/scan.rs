//! The number of answers, found by testing every object.

use crate::meshes;
use crate::room::Room;
use crate::terminals::{Ask, NEIGHBORS, REACH};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Ray};

/// Which answers a terminal counts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answers {
    /// The objects at points.
    Point,
    /// The objects in boxes.
    Box,
    /// The boxes that hold any.
    BoxAny,
    /// The objects in spheres.
    Sphere,
    /// The objects in frusta.
    Frustum,
    /// The objects on rays.
    Ray,
    /// The rays that hit anything.
    RayAny,
    /// What moving boxes meet.
    Sweep,
    /// The moving boxes that meet anything.
    SweepAny,
    /// The objects within a distance of points.
    Near,
    /// The points with any so near.
    NearAny,
    /// So many neighbours for each point.
    Neighbors,
    /// One for each point.
    Neighbor,
    /// All pairs, as often as they are asked for.
    Pairs,
    /// One pair each time.
    Pair,
    /// The partners of all objects.
    Partners,
    /// The objects that have partners.
    PartnersAny,
    /// What is found of the triangles of meshes.
    Triangles,
    /// The questions that find any.
    TrianglesAny,
    /// The closest point of a mesh, for each point.
    MeshPoint,
}

impl Answers {
    /// The number.
    pub(crate) fn of(self, room: &mut Room, ask: Ask) -> usize {
        let (all, any) = (std::convert::identity::<usize>, |count: usize| count.min(1));
        match self {
            Self::Triangles => meshes::sum(room, ask, all),
            Self::TrianglesAny => meshes::sum(room, ask, any),
            Self::MeshPoint => room.meshes.questions(),
            Self::Point => sum(room, &room.points, |point, aabb| aabb.contains_point(*point), all),
            Self::Box => sum(room, &room.boxes, |query, aabb| query.overlaps(aabb), all),
            Self::BoxAny => sum(room, &room.boxes, |query, aabb| query.overlaps(aabb), any),
            Self::Sphere => sum(room, &room.spheres, |s, aabb| distance_sq(aabb, s.center) <= s.radius * s.radius, all),
            Self::Frustum => sum(room, &room.frusta, |frustum, aabb| frustum.classify_aabb(aabb).is_some(), all),
            Self::Ray => sum(room, &room.rays, |ray, aabb| meets(ray, aabb, 0.0), all),
            Self::RayAny => sum(room, &room.rays, |ray, aabb| meets(ray, aabb, 0.0), any),
            Self::Sweep => sum(room, &room.rays, swept, all),
            Self::SweepAny => sum(room, &room.rays, swept, any),
            Self::Near => sum(room, &room.points, near, all),
            Self::NearAny => sum(room, &room.points, near, any),
            Self::Neighbors => room.points.len() * NEIGHBORS,
            Self::Neighbor => room.points.len(),
            Self::Pairs => room.times.len() * (sum(room, &room.objects, Aabb::overlaps, all) - room.objects.len()) / 2,
            Self::Pair => room.times.len(),
            Self::Partners => sum(room, &room.objects, Aabb::overlaps, |count| count - 1),
            Self::PartnersAny => sum(room, &room.objects, Aabb::overlaps, |count| (count - 1).min(1)),
        }
    }
}

fn sum<Q>(room: &Room, questions: &[Q], meets: impl Fn(&Q, &Aabb) -> bool, of: impl Fn(usize) -> usize) -> usize {
    questions.iter().map(|question| of(room.objects.iter().filter(|aabb| meets(question, aabb)).count())).sum()
}

fn distance_sq(aabb: &Aabb, point: Vec3) -> f32 {
    let gap = (aabb.min - point).max(point - aabb.max).max(Vec3::ZERO);
    (gap.x * gap.x + gap.y * gap.y) + gap.z * gap.z
}

fn near(point: &Vec3, aabb: &Aabb) -> bool {
    distance_sq(aabb, *point).sqrt() <= REACH
}

/// Whether a ray, as thick as a box of this half extent, meets a box.
fn meets(ray: &Ray, aabb: &Aabb, half: f32) -> bool {
    enters(ray, aabb, half) < f32::INFINITY
}

fn swept(ray: &Ray, aabb: &Aabb) -> bool {
    enters(ray, aabb, 0.75) <= 20.0
}

fn enters(ray: &Ray, aabb: &Aabb, half: f32) -> f32 {
    let inverse = ray.direction().recip();
    let (a, b) = ((aabb.min - half - ray.origin()) * inverse, (aabb.max + half - ray.origin()) * inverse);
    let (enter, exit) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
    if enter <= exit { enter } else { f32::INFINITY }
}
