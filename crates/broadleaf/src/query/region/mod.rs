//! Regions: shapes that objects may overlap, built in or a caller's own.
//!
//! A built-in region tests eight boxes at a time ([`RegionLanes`]). It passes these
//! tests on through hidden methods of [`Region`]; their parameters are private types, so
//! that one public trait serves both kinds of regions.

mod aabb;
mod caller;
mod convex;
mod frustum;
mod point;
mod sphere;
mod volume;

use super::overlap::ask::OverlapBatchAsk;
use crate::Error;
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres};
use crate::geometry::{Aabb, Containment, Sphere};
use crate::query::OverlapAsk;
use caller::CallerRegion;

/// A shape that objects may overlap: the region of [`View::overlap`].
///
/// Implemented by `Vec3` (a point), [`Aabb`], [`Sphere`],
/// [`Frustum`](crate::Frustum), [`Obb`](crate::shape::Obb),
/// [`Capsule`](crate::shape::Capsule) and
/// [`ConvexRegion`](crate::shape::ConvexRegion), which test eight objects at
/// a time. Implement it for a shape of your own, whose questions are compiled in your
/// crate, with its settings of optimisation:
///
/// ```
/// use broadleaf::{Aabb, Octree, Sphere, glam::Vec3, query::Region};
///
/// /// Everything on or below a height.
/// struct Below(f32);
///
/// impl Region for Below {
///     fn bounds(&self) -> Aabb {
///         Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY.with_y(self.0))
///     }
///     fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
///         aabb.min.y <= self.0
///     }
///     fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
///         sphere.center.y - sphere.radius <= self.0
///     }
/// }
///
/// let mut tree = Octree::default();
/// let low = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
/// tree.insert(Sphere::new(Vec3::Y * 9.0, 1.0))?;
/// assert_eq!(tree.view().overlap(&Below(2.0))?.any(), Some(low));
/// # Ok::<(), broadleaf::Error>(())
/// ```
///
/// *Cost:* the nodes of the tree are tested against [`Region::bounds`], eight
/// at a time, and those that pass one by one by [`Region::reaches`].
pub trait Region {
    /// A box around the region, in world units; may be unbounded.
    fn bounds(&self) -> Aabb;

    /// Whether the region overlaps an object that is a box; touching counts.
    /// The box has finite coordinates.
    fn overlaps_aabb(&self, aabb: &Aabb) -> bool;

    /// Whether the region overlaps an object that is a sphere; touching counts.
    fn overlaps_sphere(&self, sphere: &Sphere) -> bool;

    /// Whether the region may overlap anything within a box of the tree. May
    /// say yes where the answer is no, never the reverse.
    #[inline]
    fn reaches(&self, bounds: &Aabb) -> bool {
        self.overlaps_aabb(bounds)
    }

    /// Whether a box lies wholly inside the region. May say no where the answer
    /// is yes, never the reverse. What lies in such a box is an answer without further tests.
    #[inline]
    fn contains_aabb(&self, _aabb: &Aabb) -> bool {
        false
    }

    /// Whether the region is legal; asked by the opening of a question.
    ///
    /// # Errors
    /// What is wrong with it.
    #[inline]
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Hands the tests of eight boxes to a continuation.
    #[doc(hidden)]
    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output
    where
        Self: Sized,
    {
        then.with(CallerRegion::new(self))
    }

    /// Runs a question.
    #[doc(hidden)]
    fn run(&self, ask: OverlapAsk<'_>)
    where
        Self: Sized,
    {
        self.with_lanes(ask);
    }

    /// Runs a question about many regions.
    #[doc(hidden)]
    fn run_many(regions: &[Self], ask: OverlapBatchAsk<'_>)
    where
        Self: Sized + Sync,
    {
        ask.run(regions);
    }
}

/// The tests of a region that classifies boxes and spheres by its planes, and has no bounds.
macro_rules! tests_by_planes {
    () => {
        fn bounds(&self) -> Aabb {
            Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)
        }

        fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
            self.classify_aabb(aabb).is_some()
        }

        fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
            self.classify_sphere(sphere).is_some()
        }

        fn contains_aabb(&self, aabb: &Aabb) -> bool {
            self.classify_aabb(aabb) == Some(Containment::Inside)
        }
    };
}
use tests_by_planes;

/// The hidden methods of a built-in region: not generic, so that they are
/// compiled in this crate, once, and optimised even where the caller is not.
macro_rules! compiled_here {
    () => {
        fn run(&self, ask: crate::query::overlap::ask::OverlapAsk<'_>) {
            self.with_lanes(ask);
        }

        fn run_many(regions: &[Self], ask: crate::query::overlap::ask::OverlapBatchAsk<'_>) {
            ask.run(regions);
        }
    };
}
use compiled_here;

/// The tests of a region against eight boxes at a time.
pub trait RegionLanes: Clone {
    /// What the contents of a node inherit from its test.
    type Carry: Copy;
    /// The result of a test of eight boxes beside the mask.
    type Lanes: Copy;
    /// Whether a question of a batch is worth a task of its own.
    const IS_DEAR: bool = false;
    /// Whether [`RegionLanes::confirms`] tests anything.
    const CONFIRMS: bool;

    /// What the root inherits.
    fn start(&self) -> Self::Carry;
    /// Tests eight finite boxes, some of which may be empty lanes.
    fn test(&self, boxes: &Boxes, carry: Self::Carry) -> (LaneMask, Self::Lanes);
    /// The same of objects: at least as generous as [`RegionLanes::confirms`].
    #[inline]
    fn test_objects(&self, boxes: &Boxes, carry: Self::Carry) -> (LaneMask, Self::Lanes) {
        self.test(boxes, carry)
    }
    /// What the contents of a lane inherit.
    fn carry(&self, lanes: &Self::Lanes, lane: usize) -> Self::Carry;
    /// Of the `spheres` among the lanes that passed, those that pass their own test.
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Self::Lanes) -> LaneMask;
    /// The exact test of an object that passed.
    #[inline]
    fn confirms(&self, _view: View<'_>, _word: ObjectWord, _at: Location, _carry: Self::Carry) -> bool {
        true
    }
    /// How an object that passed lies to the region.
    fn containment(&self, view: View<'_>, word: ObjectWord, at: Location, carry: Self::Carry) -> Containment;
    /// What is inherited, in a byte; may lose what only saves tests.
    fn pack(carry: Self::Carry) -> u8;
    /// What is inherited, from a byte.
    fn unpack(&self, carry: u8) -> Self::Carry;
}

/// What is done with the tests of a region.
pub trait WithLanes {
    /// What comes of it.
    type Output;
    /// Does it.
    fn with<L: RegionLanes>(self, lanes: L) -> Self::Output;
}

#[inline]
fn containment(is_inside: bool) -> Containment {
    if is_inside { Containment::Inside } else { Containment::Intersecting }
}

/// The box of an object, finite.
#[inline]
pub(super) fn aabb_at(view: View<'_>, at: Location) -> Aabb {
    view.data.blocks[at.block()].boxes.get(at.lane()).clamped_to_finite()
}
