//! Meshes placed among the objects of an octree: many copies, one mesh.

use super::{Culling, Mesh, MeshHit};
use crate::data::ids::{ObjectWord, Row};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, LaneMask, RayQuery, Spheres, WIDTH};
use crate::geometry::{Aabb, Ray, check_point};
use crate::query::walk::{Found, Question, walk};
use crate::{Error, Handle};
use core::ops::ControlFlow;
use glam::{DVec3, Quat, Vec3};

/// Where a mesh stands in the world: scaled, then turned, then moved.
///
/// ```
/// use broadleaf::{Culling, Layers, Mesh, Octree, Placement, Ray, glam::{Quat, Vec3}};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
/// let mut tree = Octree::default();
/// let mut placements = Vec::new();
/// for i in 0..1000 {
///     let placement = Placement::new(Quat::from_rotation_y(i as f32), Vec3::X * (3.0 * i as f32), 2.0)?;
///     let handle = tree.insert(placement.aabb(&mesh.bounds().unwrap()))?;
///     tree.set_user_data(handle, i)?;
///     placements.push(placement);
/// }
/// let view = tree.view();
/// let ray = Ray::new(Vec3::new(300.1, 9.0, 0.1), Vec3::NEG_Y)?;
/// let (hit, _) = view.closest_mesh_hit(&ray, Layers::ALL, Culling::None, |handle| {
///     Some((&mesh, placements[view.user_data(handle)? as usize]))
/// });
/// let (handle, hit) = hit.unwrap();
/// assert_eq!((view.user_data(handle), hit.triangle < 4), (Some(100), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    rotation: Quat,
    translation: Vec3,
    scale: f32,
}

impl Placement {
    /// The smallest scale accepted.
    pub const SCALE_MIN: f32 = 1e-9;
    /// The largest scale accepted.
    pub const SCALE_MAX: f32 = 1e9;

    /// A placement; the rotation need not have length one.
    ///
    /// # Errors
    /// A number that is not finite, a rotation of length zero, or a scale out of range.
    pub fn new(rotation: Quat, translation: Vec3, scale: f32) -> Result<Self, Error> {
        check_point(translation, ["translation.x", "translation.y", "translation.z"])?;
        check_point(rotation.xyz(), ["rotation.x", "rotation.y", "rotation.z"])?;
        check_point(Vec3::splat(rotation.w), ["rotation.w"; 3])?;
        check_point(Vec3::splat(scale), ["scale"; 3])?;
        let (min, max) = (f64::from(Self::SCALE_MIN), f64::from(Self::SCALE_MAX));
        if !(Self::SCALE_MIN..=Self::SCALE_MAX).contains(&scale) {
            return Err(Error::SettingOutOfRange { setting: "scale", value: f64::from(scale), min, max });
        }
        let rotation = rotation.as_dquat();
        let length = rotation.length();
        if length == 0.0 {
            return Err(Error::ZeroDirection);
        }
        Ok(Self { rotation: (rotation / length).as_quat(), translation, scale })
    }

    /// A box in the world around a placed box, a little larger than the
    /// smallest: nothing inside is lost to rounding.
    #[must_use]
    pub fn aabb(&self, bounds: &Aabb) -> Aabb {
        let (low, high) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let corner = |i: u8| DVec3::select(glam::BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), high, low);
        let corners = (0..8).map(|i| self.to_world(corner(i)));
        let (low, high) = corners
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), corner| (low.min(corner), high.max(corner)));
        let margin = DVec3::splat(low.abs().max(high.abs()).max_element() * 1e-6);
        Aabb { min: (low - margin).as_vec3(), max: (high + margin).as_vec3() }
    }

    fn to_world(self, point: DVec3) -> DVec3 {
        self.rotation.as_dquat() * (point * f64::from(self.scale)) + self.translation.as_dvec3()
    }

    /// A ray of the world as the mesh sees it, up to a distance in the world.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    fn to_local(self, ray: &Ray, distance_max: f32) -> Result<Ray, Error> {
        let (back, scale) = (self.rotation.as_dquat().conjugate(), f64::from(self.scale));
        let origin = back * (ray.origin().as_dvec3() - self.translation.as_dvec3()) / scale;
        let direction = back * ray.direction().as_dvec3();
        // A little farther than the nearest hit so far; what is not nearer is sorted out later.
        let reach = f64::from(distance_max) / scale * (1.0 + 1e-6);
        Ray::new(origin.as_vec3(), direction.as_vec3())?.with_distance_max(reach as f32)
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    fn hit_in_world(self, hit: MeshHit) -> MeshHit {
        MeshHit {
            distance: (f64::from(hit.distance) * f64::from(self.scale)) as f32,
            position: self.to_world(hit.position.as_dvec3()).as_vec3(),
            normal: (self.rotation.as_dquat() * hit.normal.as_dvec3()).as_vec3(),
            ..hit
        }
    }
}

struct Instances<F> {
    query: RayQuery,
    ray: Ray,
    culling: Culling,
    meshes: F,
    distance_max: f32,
    best: Option<(Row, Handle, MeshHit)>,
    inner: QueryStats,
}

impl<'m, F: FnMut(Handle) -> Option<(&'m Mesh, Placement)>> Question for Instances<F> {
    /// Where the ray enters the node.
    type Carry = f32;
    type Lanes = [f32; WIDTH];
    const ORDERED: bool = true;

    fn start(&self) -> f32 {
        0.0
    }

    #[inline]
    fn test(&self, boxes: &Boxes, _: f32) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, self.distance_max)
    }

    #[inline]
    fn carry(&self, distances: &[f32; WIDTH], lane: usize) -> f32 {
        distances[lane % WIDTH]
    }

    #[inline]
    fn nearness(&self, distances: &[f32; WIDTH], lane: usize) -> f32 {
        distances[lane % WIDTH]
    }

    #[inline]
    fn is_wanted(&self, distance: f32) -> bool {
        distance <= self.distance_max
    }

    fn refine(&self, spheres: &Spheres, _: LaneMask, _: &mut [f32; WIDTH]) -> LaneMask {
        self.query.spheres(spheres, self.distance_max).0
    }

    fn hit(&mut self, object: Found<'_, [f32; WIDTH]>) -> ControlFlow<()> {
        let (handle, row) = (object.handle(), ObjectWord::row(object.word));
        let Some((mesh, placement)) = (self.meshes)(handle) else { return ControlFlow::Continue(()) };
        // So far away that it cannot be told in 32 bits: nothing to hit.
        let Ok(local) = placement.to_local(&self.ray, self.distance_max) else { return ControlFlow::Continue(()) };
        let (hit, stats) = mesh.closest_hit(&local, self.culling);
        self.inner += stats;
        let Some(hit) = hit.map(|hit| placement.hit_in_world(hit)) else { return ControlFlow::Continue(()) };
        // Of equally near objects the lowest slot wins, whatever the order of visits.
        let wins = match &self.best {
            Some((other, ..)) if hit.distance == self.distance_max => row < *other,
            _ => hit.distance <= self.distance_max,
        };
        if wins {
            self.distance_max = hit.distance;
            self.best = Some((row, handle, hit));
        }
        ControlFlow::Continue(())
    }
}

impl View<'_> {
    /// The nearest triangle that a ray hits within its reach, among meshes
    /// that stand in for objects, and the object it belongs to; distance,
    /// position and normal are the world's.
    ///
    /// `meshes` says which mesh an object is, and where it stands; an object
    /// that is none is passed through. The object's shape must enclose the
    /// placed mesh, as [`Placement::aabb`] does.
    ///
    /// *Cost:* that of the nearest object, plus that of each mesh whose box
    /// the ray enters before the hit. The statistics count both.
    #[must_use]
    pub fn closest_mesh_hit<'m>(
        self,
        ray: &Ray,
        layers: Layers,
        culling: Culling,
        meshes: impl FnMut(Handle) -> Option<(&'m Mesh, Placement)>,
    ) -> (Option<(Handle, MeshHit)>, QueryStats) {
        let mut question = Instances {
            query: RayQuery::new(ray),
            ray: *ray,
            culling,
            meshes,
            distance_max: ray.distance_max(),
            best: None,
            inner: QueryStats::default(),
        };
        let mut stats = walk(self, layers, &mut question);
        stats += question.inner;
        stats.hits = u64::from(question.best.is_some());
        (question.best.map(|(_, handle, hit)| (handle, hit)), stats)
    }
}
