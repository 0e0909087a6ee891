//! Which objects are nearest to a point or a box.

pub(crate) mod ask;
mod many;
mod near;

pub use many::NearestQueries;
pub use near::Neighbor;

use super::filter::object_options;
use super::record::Recorder;
use crate::data::terminals::terminals;
use crate::data::{QueryStats, Sink, View};
use crate::geometry::{Aabb, check_point};
use crate::query::{Accept, DistanceOutput, NoFilter, NoNarrowPhase, Objects, Refine};
use crate::scratch::Scratch;
use crate::{Error, Handle};
use alloc::vec::Vec;
use ask::{NearestAsk, NearestOutput};
use glam::Vec3;

/// What objects may be near to: a point or a box.
pub trait Place: sealed::Sealed {
    /// The box; a point is a box without extent.
    #[doc(hidden)]
    fn aabb(&self) -> Result<Aabb, Error>;

    /// Where the question is recorded.
    #[doc(hidden)]
    fn recorder<'q>(&self) -> Option<&'q Recorder>
    where
        Self: 'q,
    {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for glam::Vec3 {}
    impl Sealed for crate::Aabb {}
    impl<P: Sealed> Sealed for crate::inspect::Recorded<'_, P> {}
}

impl Place for Vec3 {
    #[inline]
    fn aabb(&self) -> Result<Aabb, Error> {
        check_point(*self, ["point.x", "point.y", "point.z"])?;
        Ok(Aabb::new(*self, *self))
    }
}

impl Place for Aabb {
    #[inline]
    fn aabb(&self) -> Result<Aabb, Error> {
        self.check()?;
        Ok(*self)
    }
}

impl<'a> View<'a> {
    /// Asks which objects are nearest to a point or a box, which may be unbounded.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// for step in 0..5 {
    ///     tree.insert(unit.translated(Vec3::X * (3 * step) as f32))?;
    /// }
    /// let view = tree.view();
    ///
    /// let point = Vec3::new(5.5, 0.5, 0.5);
    /// let near = view.nearest(point)?.within(2.0).closest().expect("in reach");
    /// assert_eq!((near.distance, near.position, near.normal), (0.5, Vec3::new(6.0, 0.5, 0.5), Vec3::NEG_X));
    ///
    /// let mut found = Vec::new();
    /// view.nearest(unit)?.k_into(2, &mut found);
    /// assert_eq!(found.iter().map(|near| near.distance).collect::<Vec<_>>(), [0.0, 2.0]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Units:* distances are to the surface of the box or sphere, in world
    /// units, and zero inside. What is so near that the square vanishes in 32
    /// bits counts as touching; what is farther than a float can hold, as infinitely far.
    ///
    /// *Order:* none of distance, unless the option or terminal says so.
    ///
    /// *Cost:* that of the nodes within the bound; `closest` and `k_into` visit
    /// none beyond the objects found.
    ///
    /// # Errors
    /// A point with a coordinate that is not finite; a box that is not legal, as [`Aabb::check`].
    #[inline]
    pub fn nearest(self, to: impl Place + 'a) -> Result<NearestQuery<'a>, Error> {
        let (from, limit) = (to.aabb()?, f32::INFINITY);
        Ok(NearestQuery {
            view: self,
            from,
            objects: Objects::ALL,
            stats: None,
            limit,
            refine: NoNarrowPhase,
            scratch: None,
            recorder: to.recorder(),
        })
    }
}

/// What is near a point or a box; made by [`View::nearest`].
///
/// Its answers are [`Neighbor`]s. `N` and `F` are the closures of `refine` and `filter`.
#[must_use = "a question is asked by its terminal, such as `closest`"]
#[derive(Debug)]
pub struct NearestQuery<'a, N = NoNarrowPhase, F = NoFilter> {
    pub(crate) view: View<'a>,
    pub(crate) from: Aabb,
    pub(crate) objects: Objects<F>,
    pub(crate) stats: Option<&'a mut QueryStats>,
    pub(crate) limit: f32,
    pub(crate) refine: N,
    pub(crate) scratch: Option<&'a mut Scratch>,
    pub(crate) recorder: Option<&'a Recorder>,
}

impl<'a, N: Refine<Neighbor>, F: Accept> NearestQuery<'a, N, F> {
    object_options!();

    /// Only objects that the closure accepts. It is asked about candidates,
    /// some of which may turn out to be too far.
    #[inline]
    pub fn filter<G: FnMut(Handle) -> bool>(self, accept: G) -> NearestQuery<'a, N, G> {
        let Self { view, from, objects, stats, limit, refine, scratch, recorder } = self;
        NearestQuery { view, from, objects: objects.with_accept(accept), stats, limit, refine, scratch, recorder }
    }

    /// A narrow phase: gets each candidate and returns its exact distance, or
    /// `None` to leave it out. A distance beyond the bound, or NaN, is left out;
    /// a negative one counts as zero.
    ///
    /// Position and normal remain those of the candidate. What lies in a box is
    /// no nearer than the box: candidates that are farther than what has been
    /// found so far are not offered.
    #[inline]
    pub fn refine<M: FnMut(&Neighbor) -> Option<f32>>(self, refine: M) -> NearestQuery<'a, M, F> {
        let Self { view, from, objects, stats, limit, scratch, recorder, .. } = self;
        NearestQuery { view, from, objects, stats, limit, refine, scratch, recorder }
    }

    /// No farther than this, in world units; the bound is included. Nothing is
    /// within a negative distance or a NaN.
    #[inline]
    pub fn within(mut self, distance: f32) -> Self {
        self.limit = if distance.is_nan() { -1.0 } else { self.limit.min(distance) };
        self
    }

    /// Answers come in order of distance, then of slot, for as long as the
    /// terminal wants more.
    ///
    /// *Cost:* nodes are visited nearest first, and none beyond the last answer
    /// taken; each node and object on the way goes through a heap in `scratch`.
    /// `collect_into` and `count` want all answers, and sort them instead.
    #[inline]
    pub fn in_order(mut self, scratch: &'a mut Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// The nearest object; of equally near ones, that of the lowest slot.
    #[must_use]
    #[inline]
    pub fn closest(mut self) -> Option<Neighbor> {
        let mut closest = None;
        let wanted = NearestOutput::By(DistanceOutput::Closest(&mut closest));
        let (filter, refine) = (self.objects.filter(), self.refine.as_dyn());
        let Self { view, from, stats, limit, recorder, .. } = self;
        NearestAsk { view, filter, stats, limit, refine, recorder, wanted }.run(&from);
        closest
    }

    /// Clears `found` and fills it with the `k` nearest objects in order of
    /// distance, then of slot.
    ///
    /// *Cost:* allocates nothing if `found` has room for twice `k`, or for all objects.
    #[inline]
    pub fn k_into(mut self, k: usize, found: &mut Vec<Neighbor>) {
        found.clear();
        let (filter, refine, wanted) = (self.objects.filter(), self.refine.as_dyn(), NearestOutput::Count(k, found));
        let Self { view, from, stats, limit, recorder, .. } = self;
        NearestAsk { view, filter, stats, limit, refine, recorder, wanted }.run(&from);
    }

    #[inline]
    fn run<'s>(&'s mut self, sink: Sink<'s, Neighbor>) {
        let Self { view, from, objects, stats, limit, refine, scratch, recorder } = self;
        let wanted = match scratch {
            Some(scratch) => NearestOutput::By(DistanceOutput::InOrder(sink, &mut scratch.order)),
            None => NearestOutput::By(DistanceOutput::All(sink)),
        };
        let (filter, stats, refine) = (objects.filter(), stats.as_deref_mut(), refine.as_dyn());
        NearestAsk { view: *view, filter, stats, limit: *limit, refine, recorder: *recorder, wanted }.run(from);
    }

    terminals!(
        /// *Cost:* up to 64 blocks of eight objects are found before the first answer, unless `in_order` is said; for
        /// one answer, `any` costs less.
        Neighbor
    );
}
