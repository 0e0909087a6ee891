//! The question about a cast: options and terminals.

use crate::Handle;
use crate::data::terminals::terminals;
use crate::data::{QueryStats, Sink, View};
use crate::geometry::Ray;
use crate::query::filter::object_options;
use crate::query::{Accept, Cast, CastAsk, DistanceOutput, NoFilter, NoNarrowPhase, Objects, Refine, StartInside};
use crate::scratch::Scratch;

impl<'a> View<'a> {
    /// Asks what a cast meets: a ray, a moving box or sphere, or a [`Cast`] of
    /// your own. Both ends belong to it, and touching counts.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, Ray, Sphere, Sweep, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let wall = tree.insert(Aabb::new(Vec3::new(6.0, -5.0, -5.0), Vec3::new(7.0, 5.0, 5.0)))?;
    /// let view = tree.view();
    ///
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// let hit = view.cast(&ray).closest().expect("a wall");
    /// assert_eq!((hit.handle, hit.distance, hit.normal), (wall, 6.0, Vec3::NEG_X));
    /// assert!(view.cast(&Ray::segment(Vec3::ZERO, Vec3::Y * 9.0)?).any().is_none());
    ///
    /// let ball = Sweep::sphere(Sphere::new(Vec3::ZERO, 1.0), Vec3::X * 10.0)?;
    /// let hit = view.cast(&ball).closest().expect("the wall is in the way");
    /// assert_eq!((hit.time, hit.position, hit.normal), (0.5, Vec3::X * 6.0, Vec3::NEG_X));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance, unless [`CastQuery::in_order`] is said; the
    /// same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds the cast meets;
    /// [`CastQuery::closest`] visits none beyond the closest hit so far.
    #[inline]
    pub fn cast<C: Cast>(self, cast: &'a C) -> CastQuery<'a, C> {
        let (inside, limit) = (StartInside::Hit, cast.reach());
        CastQuery {
            view: self,
            cast,
            objects: Objects::ALL,
            stats: None,
            limit,
            inside,
            refine: NoNarrowPhase,
            scratch: None,
        }
    }
}

/// What a cast `C` meets; made by [`View::cast`].
///
/// Its answers are of type `C::Hit`: [`RayHit`](super::RayHit) of a ray,
/// [`SweepHit`](super::SweepHit) of a moving shape. `N` and `F` are the closures of
/// `refine` and `filter`.
#[must_use = "a question is asked by its terminal, such as `closest`"]
#[derive(Debug)]
pub struct CastQuery<'a, C, N = NoNarrowPhase, F = NoFilter> {
    pub(crate) view: View<'a>,
    pub(crate) cast: &'a C,
    pub(crate) objects: Objects<F>,
    pub(crate) stats: Option<&'a mut QueryStats>,
    pub(crate) limit: f32,
    pub(crate) inside: StartInside,
    pub(crate) refine: N,
    pub(crate) scratch: Option<&'a mut Scratch>,
}

impl<'a, C: Cast, N: Refine<C::Hit>, F: Accept> CastQuery<'a, C, N, F> {
    object_options!();

    /// Only objects that the closure accepts. It is asked about candidates,
    /// some of which may turn out not to be met.
    #[inline]
    pub fn filter<G: FnMut(Handle) -> bool>(self, accept: G) -> CastQuery<'a, C, N, G> {
        let Self { view, cast, objects, stats, limit, inside, refine, scratch } = self;
        CastQuery { view, cast, objects: objects.with_accept(accept), stats, limit, inside, refine, scratch }
    }

    /// A narrow phase: gets each candidate and returns its exact distance (of a
    /// sweep its time), or `None` if it is no hit. A distance beyond the reach,
    /// or NaN, is no hit; a negative one counts as zero.
    ///
    /// The hit's position and normal remain those of the candidate: where the
    /// cast meets its box or sphere. What lies in a box is met no sooner than
    /// the box: candidates that are farther than the closest hit so far are not offered.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, Ray, glam::Vec3, query::RayHit};
    ///
    /// let mut tree = Octree::default();
    /// let slab = |x: f32| Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 4.0, 1.0, 1.0));
    /// let (ramp, post) = (tree.insert(slab(1.0))?, tree.insert(slab(3.0))?);
    /// // What is in the ramp's box begins farther back.
    /// let exact = |hit: &RayHit| Some(if hit.handle == ramp { 4.5 } else { hit.distance });
    /// let hit = tree.view().cast(&Ray::new(Vec3::ZERO, Vec3::X)?).refine(exact).closest();
    /// assert_eq!(hit.map(|hit| (hit.handle, hit.distance)), Some((post, 3.0)));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    #[inline]
    pub fn refine<M: FnMut(&C::Hit) -> Option<f32>>(self, refine: M) -> CastQuery<'a, C, M, F> {
        let Self { view, cast, objects, stats, limit, inside, scratch, .. } = self;
        CastQuery { view, cast, objects, stats, limit, inside, refine, scratch }
    }

    /// No farther than this, in the unit of the cast: a distance of a ray, in world units;
    /// a time of a [`Sweep`](crate::Sweep), from 0 to 1 for all of its motion. The bound is
    /// included. Nothing is within a negative bound or a NaN.
    #[inline]
    pub fn within(mut self, bound: f32) -> Self {
        let bound = if bound.is_nan() { -1.0 } else { bound };
        // Written so that a reach that is NaN stays NaN: nothing is within it.
        self.limit = if bound < self.limit { bound } else { self.limit };
        self
    }

    /// Answers come in order of distance, then of slot, for as long as the
    /// terminal wants more.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, Ray, Scratch, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// for x in [7.0, 3.0, 5.0] {
    ///     tree.insert(Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 1.0, 1.0, 1.0)))?;
    /// }
    /// // A bullet goes through two walls, not three.
    /// let (mut walls, mut scratch) = (Vec::new(), Scratch::new());
    /// let flow = tree.view().cast(&Ray::new(Vec3::ZERO, Vec3::X)?).in_order(&mut scratch).try_for_each(|hit| {
    ///     walls.push(hit.distance);
    ///     if walls.len() == 2 { ControlFlow::Break("stuck") } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!((walls, flow), (vec![3.0, 5.0], ControlFlow::Break("stuck")));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* nodes are visited nearest first, and none beyond the last answer
    /// taken; each node and object on the way goes through a heap in `scratch`.
    /// `collect_into` and `count` want all answers, and sort them instead.
    #[inline]
    pub fn in_order(mut self, scratch: &'a mut Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// The closest hit; of equally close ones, that of the lowest slot.
    // Always inlined, as is what it calls: so a caller that uses the distance alone does not wait for the normal.
    #[must_use]
    #[inline(always)]
    pub fn closest(self) -> Option<C::Hit> {
        C::closest(self)
    }

    /// Whether there are no options but a limit and layers.
    #[inline]
    pub(super) fn is_plain(&mut self) -> bool {
        self.stats.is_none()
            && self.inside == StartInside::Hit
            && self.refine.as_dyn().is_none()
            && self.objects.is_plain()
    }

    /// The closest hit, whatever the options.
    #[inline(never)]
    pub(super) fn closest_of_any(mut self) -> Option<C::Hit> {
        let mut closest = None;
        let wanted = DistanceOutput::Closest(&mut closest);
        let (filter, refine) = (self.objects.filter(), self.refine.as_dyn());
        let Self { view, cast, limit, inside, .. } = self;
        cast.run(CastAsk { view, filter, stats: self.stats, limit, inside, refine, wanted });
        closest
    }

    #[inline]
    fn run<'s>(&'s mut self, sink: Sink<'s, C::Hit>) {
        let Self { view, cast, objects, stats, limit, inside, refine, scratch } = self;
        let wanted = match scratch {
            Some(scratch) => DistanceOutput::InOrder(sink, &mut scratch.order),
            None => DistanceOutput::All(sink),
        };
        let (filter, stats, refine) = (objects.filter(), stats.as_deref_mut(), refine.as_dyn());
        cast.run(CastAsk { view: *view, filter, stats, limit: *limit, inside: *inside, refine, wanted });
    }

    terminals!(
        /// *Cost:* up to 64 blocks of eight objects are found before the first answer, unless `in_order` is said; for
        /// one answer, `any` costs less.
        C::Hit
    );
}

impl<'a, N: Refine<super::RayHit>, F: Accept> CastQuery<'a, Ray, N, F> {
    /// What an object that contains the ray's origin counts as; [`StartInside::Hit`] unless said.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, Ray, glam::Vec3, query::StartInside};
    ///
    /// let mut tree = Octree::default();
    /// let room = tree.insert(Aabb::new(Vec3::splat(-5.0), Vec3::splat(5.0)))?;
    /// let post = tree.insert(Aabb::new(Vec3::new(2.0, -1.0, -1.0), Vec3::new(3.0, 1.0, 1.0)))?;
    /// let (view, ray) = (tree.view(), Ray::new(Vec3::ZERO, Vec3::X)?);
    ///
    /// let hit = view.cast(&ray).inside(StartInside::Skip).closest();
    /// assert_eq!(hit.map(|hit| (hit.handle, hit.distance)), Some((post, 2.0)));
    /// let hit = view.cast(&ray).inside(StartInside::Exit).exclude(post).closest();
    /// assert_eq!(hit.map(|hit| (hit.handle, hit.distance, hit.normal)), Some((room, 5.0, Vec3::X)));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    #[inline]
    pub fn inside(mut self, inside: StartInside) -> Self {
        self.inside = inside;
        self
    }
}
