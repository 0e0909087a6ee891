//! Triangle meshes: a static octree, built once, then only asked.

mod build;
mod error;
mod hit;
mod overlap;
mod point;
mod ray;
mod sweep;
mod validate;

pub use error::MeshError;
pub use hit::{Culling, MeshHit, MeshLeaf, MeshPoint, MeshSweepHit, Side};

use crate::geometry::{Aabb, Triangle};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A static octree of triangles.
///
/// ```
/// use broadleaf::{Culling, Mesh, Ray, glam::Vec3};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
/// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
/// let (hit, _) = mesh.closest_hit(&ray, Culling::None);
/// let hit = hit.unwrap();
/// assert_eq!(hit.triangle, 3);
/// assert!((hit.distance - 4.4).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    triangles: Vec<Triangle>,
    degenerate: Vec<bool>,
    bounds: Option<Aabb>,
}

impl Mesh {
    /// The largest number of triangles that a mesh holds.
    pub const TRIANGLES_MAX: usize = 1 << 28;
    /// The largest coordinate, so that no product overflows.
    pub const COORDINATE_MAX: f32 = 1e18;

    /// Triangles of the input, degenerate ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether the input held no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Triangles of the input that have no area. No question finds them.
    #[must_use]
    pub fn degenerate_count(&self) -> usize {
        self.degenerate.iter().filter(|&&degenerate| degenerate).count()
    }

    /// The smallest box around the triangles that have an area; `None` if there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.bounds
    }

    /// Bytes on the heap.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.triangles.capacity() * size_of::<Triangle>() + self.degenerate.capacity()
    }

    /// A triangle by its place in the input, degenerate or not.
    #[must_use]
    pub fn triangle(&self, index: u32) -> Option<Triangle> {
        self.triangles.get(index as usize).copied()
    }

    /// Visits the leaves in the order of the tree.
    pub fn leaves(&self, mut visit: impl FnMut(MeshLeaf) -> ControlFlow<()>) {
        if let Some(bounds) = self.bounds {
            let triangles = u32::try_from(self.len() - self.degenerate_count()).unwrap_or(u32::MAX);
            let _ = visit(MeshLeaf { bounds, depth: 0, triangles });
        }
    }

    /// The triangles that questions find, with their place in the input.
    fn found(&self) -> impl Iterator<Item = (u32, &Triangle)> {
        (0_u32..)
            .zip(&self.triangles)
            .zip(&self.degenerate)
            .filter_map(|(item, &degenerate)| (!degenerate).then_some(item))
    }
}

/// The unit normal of a triangle with an area.
fn unit_normal(triangle: &Triangle) -> glam::Vec3 {
    let [a, b, c] = crate::geometry::triangle::point::corners(triangle);
    (b - a).cross(c - a).normalize_or_zero().as_vec3()
}
