//! Casts: rays and moving shapes, built in or a caller's own.

pub(crate) mod ask;
mod caller;
mod inside;
mod many;
mod query;
mod ray;
mod sweep;

pub use inside::StartInside;
pub use many::CastQueries;
pub use query::CastQuery;
pub use ray::RayHit;
pub use sweep::SweepHit;

use crate::data::View;
use crate::geometry::{Aabb, Sphere};
use crate::query::{Accept, Refine};
use crate::{Handle, Shape};
use ask::{CastAsk, CastBatchAsk, WithTests};
use caller::CallerCast;
use glam::Vec3;

/// Something that starts somewhere and goes some way: the cast of
/// [`View::cast`](crate::View::cast).
///
/// Implemented by [`Ray`](crate::Ray) and [`Sweep`](crate::Sweep), which test
/// eight objects at a time. Implement it for a cast of your own, such as a
/// curve; `examples/own_shapes.rs` follows the ground of a height field. Questions of
/// your own casts are compiled in your crate, with its settings of optimisation.
///
/// *Units:* distances along a cast are its own: world units, or a time. None
/// is negative or NaN.
pub trait Cast {
    /// The type of a hit.
    type Hit;

    /// How far the cast goes; the end belongs to it.
    fn reach(&self) -> f32;

    /// Where the cast first meets a box, if that is at most `limit`: the
    /// distance to an object that is a box, and a lower bound for the contents
    /// of a box of the tree. What is beyond `limit` may be reported or not.
    fn meets_aabb(&self, aabb: &Aabb, limit: f32) -> Option<f32>;

    /// Where the cast first meets a sphere, if that is at most `limit`; no
    /// less than where it meets the box around the sphere.
    fn meets_sphere(&self, sphere: &Sphere, limit: f32) -> Option<f32>;

    /// Makes the hit of an answer; called only for answers and for the candidates of `refine`.
    fn hit(&self, met: &CastHit) -> Self::Hit;

    /// A box around all that the cast can meet; may be unbounded.
    #[inline]
    fn bounds(&self) -> Aabb {
        Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)
    }

    /// Where the cast starts: what batches are sorted by.
    #[doc(hidden)]
    fn start(&self) -> Option<Vec3> {
        None
    }

    /// Hands the tests of eight boxes, and what is said of hits, to a continuation.
    #[doc(hidden)]
    fn with_tests<K: WithTests<Self::Hit>>(&self, view: View<'_>, _limit: f32, _inside: StartInside, then: K)
    where
        Self: Sized,
    {
        CallerCast::with_tests(self, view, then);
    }

    /// Runs a question about the closest hit.
    #[doc(hidden)]
    #[inline]
    fn closest<N: Refine<Self::Hit>, F: Accept>(query: CastQuery<'_, Self, N, F>) -> Option<Self::Hit>
    where
        Self: Sized,
    {
        query.closest_of_any()
    }

    /// Runs a question.
    #[doc(hidden)]
    fn run(&self, ask: CastAsk<'_, Self::Hit>)
    where
        Self: Sized,
    {
        self.with_tests(ask.view, ask.limit, ask.inside, ask);
    }

    /// Runs a question about many casts.
    #[doc(hidden)]
    fn run_many(casts: &[Self], ask: CastBatchAsk<'_, Self::Hit>)
    where
        Self: Sized + Sync,
        Self::Hit: Copy + Send + Sync,
    {
        ask.run(casts);
    }
}

/// Where a cast meets an object: what [`Cast::hit`] makes a hit of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CastHit {
    /// The object.
    pub handle: Handle,
    /// Its shape as the tree keeps it, with finite coordinates.
    pub shape: Shape,
    /// Where the cast meets that shape.
    pub entry: f32,
    /// The same, or what a narrow phase made of it.
    pub distance: f32,
}
