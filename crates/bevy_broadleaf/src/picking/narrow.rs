//! Where a ray hits the exact shape of an entity.

use crate::components::SpatialBounds;
use bevy_asset::{AssetId, Assets};
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_math::{Vec3, Vec3A};
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology, VertexAttributeValues};
use bevy_picking::backend::HitData;
use bevy_platform::collections::HashMap;
use bevy_shape::Ray3d;
use bevy_transform::components::GlobalTransform;
use broadleaf::mesh::Culling;
use broadleaf::{Ray, RayHit, Shape};

/// The shape of an entity that the pointer has to hit. Without it, that of the mesh if there is
/// one, else the box.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PickShape {
    /// What the index keeps: a sphere, or a box along the world's axes.
    Bounds,
    /// The box of [`SpatialBounds::Local`] or Bevy's [`Aabb`], turned as the entity is.
    Box,
    /// The front sides of the triangles of its [`Mesh3d`].
    Mesh,
}

/// Where a ray hits an entity; the extra data of Bevy's [`HitData`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PickHit {
    /// The distance from the ray's origin.
    pub distance: f32,
    /// The point that is hit, in world space.
    pub position: Vec3,
    /// The unit normal of the surface, in world space; zero where the ray starts inside a box or a sphere.
    pub normal: Vec3,
    /// The triangle of the mesh that is hit, by its place in the mesh.
    pub triangle: Option<u32>,
}

impl PickHit {
    pub(super) fn data(self, camera: Entity) -> HitData {
        HitData::new_with_extra(camera, self.distance, Some(self.position), Some(self.normal), self)
    }
}

/// Meshes of Bevy as those of the library, made when a ray first meets the bounds of one;
/// `None` for what has no triangles.
#[derive(Resource, Debug, Default)]
pub(super) struct MeshCache(HashMap<AssetId<Mesh>, Option<broadleaf::Mesh>>);

impl MeshCache {
    pub(super) fn forget(&mut self, id: AssetId<Mesh>) {
        self.0.remove(&id);
    }

    /// The triangles of a mesh; `None` if it is not loaded or has none.
    fn get(&mut self, id: AssetId<Mesh>, meshes: &Assets<Mesh>) -> Option<&broadleaf::Mesh> {
        let mesh = meshes.get(id)?;
        self.0.entry(id).or_insert_with(|| convert(mesh)).as_ref()
    }
}

fn convert(mesh: &Mesh) -> Option<broadleaf::Mesh> {
    let triangles: Vec<[[f32; 3]; 3]> = match mesh.triangles() {
        Ok(triangles) => triangles.map(|triangle| triangle.vertices.map(|corner| corner.to_array())).collect(),
        // Without indices, three positions of a list of triangles are a triangle.
        Err(_) if mesh.primitive_topology() == PrimitiveTopology::TriangleList => {
            match mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()? {
                VertexAttributeValues::Float32x3(positions) => positions.as_chunks::<3>().0.to_vec(),
                _ => return None,
            }
        }
        Err(_) => return None,
    };
    broadleaf::Mesh::from_triangles(&triangles).ok().filter(|mesh| !mesh.is_empty())
}

/// What is read of an entity to find the exact hit.
#[derive(QueryData)]
pub(super) struct Narrow {
    transform: &'static GlobalTransform,
    shape: Option<&'static PickShape>,
    mesh: Option<&'static Mesh3d>,
    aabb: Option<&'static Aabb>,
    bounds: Option<&'static SpatialBounds>,
}

impl NarrowItem<'_, '_> {
    /// Where the ray hits the exact shape, after it has met the bounds.
    pub(super) fn cast(
        &self,
        ray: &Ray3d,
        met: &RayHit,
        meshes: Option<&Assets<Mesh>>,
        cache: &mut MeshCache,
    ) -> Option<PickHit> {
        let by_default = if self.mesh.is_some() { PickShape::Mesh } else { PickShape::Box };
        match (self.shape.copied().unwrap_or(by_default), self.mesh, meshes) {
            (PickShape::Mesh, Some(mesh), Some(meshes)) => self.cast_mesh(ray, cache.get(mesh.id(), meshes)?),
            (PickShape::Box, ..) => match self.local_box() {
                Some(aabb) => self.cast_box(ray, &aabb),
                None => Some(bounds_hit(met)),
            },
            (PickShape::Mesh | PickShape::Bounds, ..) => Some(bounds_hit(met)),
        }
    }

    /// The box of the entity in its own space, if it has one.
    fn local_box(&self) -> Option<broadleaf::Aabb> {
        match (self.bounds, self.aabb) {
            (Some(SpatialBounds::Local(Shape::Aabb(aabb))), _) => Some(*aabb),
            (None, Some(aabb)) => Some(broadleaf::Aabb::new(aabb.min().to_array(), aabb.max().to_array())),
            _ => None,
        }
    }

    /// The ray in the entity's own space; `None` if that is flat.
    fn local_ray(&self, ray: &Ray3d) -> Option<Ray> {
        let local_from_world = self.transform.affine().inverse();
        let origin = local_from_world.transform_point3(ray.origin);
        let direction = local_from_world.transform_vector3(*ray.direction);
        Ray::new(origin.to_array(), direction.to_array()).ok()
    }

    /// A hit in the entity's own space as one in the world.
    fn hit(&self, ray: &Ray3d, position: Vec3, normal: Vec3, triangle: Option<u32>) -> PickHit {
        let affine = self.transform.affine();
        let position = affine.transform_point3(position);
        // Normals turn with the transposed inverse.
        let normal = affine.matrix3.inverse().transpose() * Vec3A::from(normal);
        let distance = (position - ray.origin).dot(*ray.direction).max(0.0);
        PickHit { distance, position, normal: Vec3::from(normal).normalize_or_zero(), triangle }
    }

    fn cast_box(&self, ray: &Ray3d, aabb: &broadleaf::Aabb) -> Option<PickHit> {
        let local = self.local_ray(ray)?;
        let distance = local.enter_aabb(aabb)?;
        if distance == 0.0 {
            // Exactly, which a way through the entity's own space is not.
            return Some(PickHit { distance, position: ray.origin, normal: Vec3::ZERO, triangle: None });
        }
        let position = Vec3::from_array(local.at(distance).to_array());
        let [center, half] = [aabb.center(), aabb.half_extents()].map(|vector| Vec3::from_array(vector.to_array()));
        // The face that is hit is the one nearest to the point, by share of its half extent.
        let share = (position - center) / half.max(Vec3::splat(f32::MIN_POSITIVE));
        let axis = (0..3).max_by(|&a, &b| share[a].abs().total_cmp(&share[b].abs()))?;
        let mut normal = Vec3::ZERO;
        normal[axis] = share[axis].signum();
        Some(self.hit(ray, position, normal, None))
    }

    fn cast_mesh(&self, ray: &Ray3d, mesh: &broadleaf::Mesh) -> Option<PickHit> {
        let local = self.local_ray(ray)?;
        let hit = mesh.cast(&local).culling(Culling::Back).closest()?;
        let [position, normal] = [hit.position, hit.normal].map(|vector| Vec3::from_array(vector.to_array()));
        Some(self.hit(ray, position, normal, Some(hit.triangle)))
    }
}

fn bounds_hit(met: &RayHit) -> PickHit {
    let [position, normal] = [met.position, met.normal].map(|vector| Vec3::from_array(vector.to_array()));
    PickHit { distance: met.distance, position, normal, triangle: None }
}
