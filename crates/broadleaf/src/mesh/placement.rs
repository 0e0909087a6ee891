//! Where meshes stand in the world.

use super::MeshHit;
use crate::Error;
use crate::geometry::triangle::ray::UnroundedRay;
use crate::geometry::{Aabb, Ray, check_point};
use glam::{DVec3, Quat, Vec3};

/// Where a mesh stands in the world: scaled, then turned, then moved.
///
/// ```
/// use broadleaf::{Mesh, Octree, Placement, Ray, glam::{Quat, Vec3}};
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
/// let placed = |handle| Some((&mesh, placements[view.user_data(handle)? as usize]));
/// let (handle, hit) = view.cast(&ray).meshes(placed).closest().unwrap();
/// assert_eq!((view.user_data(handle), hit.triangle < 4), (Some(100), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "SavedPlacement"))]
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
    pub fn new(rotation: Quat, translation: impl Into<Vec3>, scale: f32) -> Result<Self, Error> {
        let translation = translation.into();
        check_point(translation, ["translation.x", "translation.y", "translation.z"])?;
        check_point(rotation.xyz(), ["rotation.x", "rotation.y", "rotation.z"])?;
        check_point(Vec3::splat(rotation.w), ["rotation.w"; 3])?;
        check_point(Vec3::splat(scale), ["scale"; 3])?;
        let (min, max) = (f64::from(Self::SCALE_MIN), f64::from(Self::SCALE_MAX));
        if !(Self::SCALE_MIN..=Self::SCALE_MAX).contains(&scale) {
            return Err(Error::SettingOutOfRange { setting: "scale", value: f64::from(scale), min, max });
        }
        let turn = rotation.as_dquat();
        let length = turn.length();
        if length == 0.0 {
            return Err(Error::DegenerateRotation);
        }
        // What has length one but for rounding stays as it is: a placement made from another is equal to it.
        let is_unit = (length - 1.0).abs() <= f64::from(f32::EPSILON);
        let rotation = if is_unit { rotation } else { (turn / length).as_quat() };
        Ok(Self { rotation, translation, scale })
    }

    /// How the mesh is turned: a rotation of length one.
    #[inline]
    #[must_use]
    pub fn rotation(&self) -> Quat {
        self.rotation
    }

    /// Where the mesh's origin stands.
    #[inline]
    #[must_use]
    pub fn translation(&self) -> Vec3 {
        self.translation
    }

    /// How many times as large the mesh is.
    #[inline]
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
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

    /// A ray of the world as a mesh within `bounds` sees it.
    ///
    /// # Errors
    /// The ray starts so far away that 32 bits cannot represent it.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub(super) fn to_local(self, ray: &Ray, bounds: &Aabb) -> Result<LocalRay, Error> {
        let (turn, scale) = (self.rotation.as_dquat(), f64::from(self.scale));
        // The inverse in 64 bits, too, though the length is one in 32 bits only: a turn by it
        // scales by the length squared.
        let length_sq = turn.length_squared();
        let turned_back = |vector: DVec3| turn.conjugate() * vector / (length_sq * length_sq);
        let to_local = |point: DVec3| turned_back(point - self.translation.as_dvec3()) / scale;
        let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let reach = f64::from(ray.distance_max());
        let mut unrounded = UnroundedRay { origin: to_local(origin), direction: turned_back(direction), slack: 0.0 };
        let local = Ray::new(unrounded.origin.as_vec3(), unrounded.direction.as_vec3())?;
        let local = local.with_distance_max((reach / scale) as f32)?;
        let end = origin + direction * reach;
        let far = end.abs().max(self.translation.as_dvec3().abs()).max_element();
        let slack = (reach + far) * TOUCH / scale;
        // Only what ends near the mesh can end on it.
        let (near, end) = (DVec3::splat(slack), to_local(end));
        let ends_here = end.cmpge(bounds.min.as_dvec3() - near).all() && end.cmple(bounds.max.as_dvec3() + near).all();
        if ends_here {
            unrounded.slack = slack as f32;
        }
        Ok(LocalRay { ray: local, unrounded })
    }

    /// A distance of the world, no less, as the mesh sees it.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub(super) fn distance_to_local(self, distance: f32) -> f32 {
        (f64::from(distance) / f64::from(self.scale) * (1.0 + 1e-6)) as f32
    }

    /// What a ray of the world hits, from what it hits as the mesh sees it.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
    pub(super) fn hit_in_world(self, hit: &MeshHit, ray: &Ray, local: &LocalRay) -> MeshHit {
        let distance = (f64::from(hit.distance) * f64::from(self.scale)) as f32;
        let at_end = hit.distance >= local.ray.distance_max();
        MeshHit {
            distance: if at_end { ray.distance_max() } else { distance.min(ray.distance_max()) },
            position: self.to_world(hit.position.as_dvec3()).as_vec3(),
            normal: (self.rotation.as_dquat() * hit.normal.as_dvec3()).as_vec3(),
            ..*hit
        }
    }
}

/// A ray as a placed mesh sees it.
pub(super) struct LocalRay {
    pub(super) ray: Ray,
    /// What it was before rounding; the slack is how far that may have taken
    /// the end from where it lies in the world.
    pub(super) unrounded: UnroundedRay,
}

/// What a turn, a move and a scale with 32 bits do to a point, as a part of the numbers that enter.
const TOUCH: f64 = 1.0 / (1 << 20) as f64;

/// A placement as data have it.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct SavedPlacement {
    rotation: Quat,
    translation: Vec3,
    scale: f32,
}

#[cfg(feature = "serde")]
impl TryFrom<SavedPlacement> for Placement {
    type Error = Error;

    fn try_from(data: SavedPlacement) -> Result<Self, Error> {
        Self::new(data.rotation, data.translation, data.scale)
    }
}
