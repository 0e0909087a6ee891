//! Casts at a mesh: rays, and boxes and spheres that move.

use super::sweep::MovingBody;
use crate::data::terminals::terminals;
use crate::data::{QueryStats, Sink};
use crate::geometry::{Ray, Sweep};
use crate::mesh::{Culling, Mesh, MeshHit, MeshSweepHit};

/// What a mesh is cast at: a [`Ray`], which answers with [`MeshHit`], or a
/// [`Sweep`], which answers with [`MeshSweepHit`]. No other type implements it.
///
/// ```
/// use broadleaf::{Mesh, Ray, glam::Vec3, mesh::{MeshCast, MeshCastQuery}};
///
/// fn ask<'a, C: MeshCast>(mesh: &'a Mesh, cast: &'a C, farthest: f32) -> MeshCastQuery<'a, C> {
///     mesh.cast(cast).within(farthest)
/// }
///
/// let mesh = Mesh::from_indexed(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2])?;
/// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
/// assert!(ask(&mesh, &ray, 5.0).any().is_some() && ask(&mesh, &ray, 4.0).any().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MeshCast: sealed::Sealed {
    /// What it hits.
    type Hit;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for crate::geometry::Ray {}
    impl Sealed for crate::geometry::Sweep {}
}

impl MeshCast for Ray {
    type Hit = MeshHit;
}

impl MeshCast for Sweep {
    type Hit = MeshSweepHit;
}

impl Mesh {
    /// Asks what a [`Ray`] hits, or a [`Sweep`] touches: a box or a sphere that moves.
    #[inline]
    pub fn cast<'a, C: MeshCast>(&'a self, cast: &'a C) -> MeshCastQuery<'a, C> {
        MeshCastQuery { mesh: self, cast, culling: Culling::None, within: f32::MAX, stats: None }
    }
}

/// The question what a ray hits of a mesh, or a moving box or sphere touches,
/// made by [`Mesh::cast`].
///
/// *Units:* reach and motion are closed. A segment that ends on a triangle hits
/// it, as near as 32 bits can lead it there; one that starts on a triangle hits
/// it if rounding puts it ahead. A shape that touches at the start does so at
/// time zero; times are exact but for the rounding of 64-bit floats.
///
/// *Order:* leaf by leaf, about from near to far, but not by distance.
///
/// *Cost:* in proportion to the nodes along the way; `closest` visits nodes
/// nearest first and none beyond the hit, `any` ends at the first hit met.
///
/// ```
/// use broadleaf::{Mesh, Ray, Sphere, Sweep, glam::Vec3, mesh::Culling};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
/// let ray = Ray::segment(Vec3::new(0.2, 0.2, 5.0), Vec3::new(0.2, 0.2, 0.0))?;
/// let mut hits = Vec::new();
/// mesh.cast(&ray).collect_into(&mut hits);
/// hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
/// assert_eq!(hits.iter().map(|hit| hit.triangle).collect::<Vec<_>>(), [3, 0]);
/// assert_eq!(mesh.cast(&ray).culling(Culling::Front).closest(), Some(hits[1]));
///
/// let ball = Sweep::sphere(Sphere::new(Vec3::new(0.2, 0.2, -3.0), 1.0), Vec3::Z * 4.0)?;
/// assert_eq!(mesh.cast(&ball).closest().map(|hit| (hit.time, hit.normal)), Some((0.5, Vec3::NEG_Z)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a question does nothing until it ends, as in `.closest()`"]
pub struct MeshCastQuery<'a, C> {
    mesh: &'a Mesh,
    cast: &'a C,
    culling: Culling,
    within: f32,
    stats: Option<&'a mut QueryStats>,
}

impl<'a, C: MeshCast> MeshCastQuery<'a, C> {
    /// Leaves out what is farther: of a ray a distance in world units, of a
    /// sweep a time from 0 to 1. The bound belongs to it; nothing is within a
    /// bound that is negative or NaN.
    #[inline]
    pub fn within(self, bound: f32) -> Self {
        Self { within: bound, ..self }
    }

    /// Adds the work done to `stats`.
    #[inline]
    pub fn stats(self, stats: &'a mut QueryStats) -> Self {
        Self { stats: Some(stats), ..self }
    }
}

impl MeshCastQuery<'_, Ray> {
    /// Which sides of triangles the ray passes through; none if not said.
    #[inline]
    pub fn culling(self, culling: Culling) -> Self {
        Self { culling, ..self }
    }

    /// The nearest triangle hit; of equally near ones, the first of the input.
    #[must_use]
    #[inline]
    pub fn closest(self) -> Option<MeshHit> {
        closest_hit(self.mesh, self.cast, self.culling, self.within, self.stats)
    }

    terminals!(MeshHit);

    fn run(&mut self, sink: Sink<'_, MeshHit>) {
        sink.drive(|visit| {
            let Some(limit) = self.limit() else { return };
            let work = self.mesh.hits_within(self.cast, self.culling, None, limit, visit);
            work.add_to(self.stats.as_deref_mut());
        });
    }

    /// How far the ray is looked along, if at all.
    #[inline]
    fn limit(&self) -> Option<f32> {
        limit_of(self.cast, self.within)
    }
}

/// Compiled here, whatever the settings of the caller's crate; its arguments fit registers.
#[inline(never)]
fn closest_hit(
    mesh: &Mesh,
    ray: &Ray,
    culling: Culling,
    within: f32,
    stats: Option<&mut QueryStats>,
) -> Option<MeshHit> {
    let limit = limit_of(ray, within)?;
    mesh.closest_within(ray, culling, None, limit, stats)
}

#[inline]
fn limit_of(ray: &Ray, within: f32) -> Option<f32> {
    let reach = ray.distance_max();
    if within >= reach {
        Some(reach)
    } else {
        // Adding zero turns a negative zero into a positive one.
        (within >= 0.0).then_some(within + 0.0)
    }
}

impl MeshCastQuery<'_, Sweep> {
    /// The triangle touched first; of those touched at once, the first of the input.
    #[must_use]
    pub fn closest(self) -> Option<MeshSweepHit> {
        let limit = self.limit()?;
        let (touch, work) = MovingBody::of(self.cast).first(self.mesh, limit);
        work.add_to(self.stats);
        touch.map(|touch| touch.hit(self.cast))
    }

    terminals!(MeshSweepHit);

    fn run(&mut self, sink: Sink<'_, MeshSweepHit>) {
        sink.drive(|visit| {
            let Some(limit) = self.limit() else { return };
            let work = MovingBody::of(self.cast).all(self.mesh, limit, &mut |touch| visit(touch.hit(self.cast)));
            work.add_to(self.stats.as_deref_mut());
        });
    }

    /// The part of the motion that is looked at, if any.
    #[inline]
    fn limit(&self) -> Option<f32> {
        (self.within >= 0.0).then(|| self.within.min(1.0) + 0.0)
    }
}
