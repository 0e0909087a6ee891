//! Batches of casts.

use super::ask::{BatchCastOutput, CastBatchAsk};
use crate::Handle;
use crate::data::{QueryStats, Sink, Threads, View};
use crate::query::batch::{BatchOptions, batch_options};
use crate::query::{AcceptShared, Batch, Cast, CastAsk, DistanceOutput, Filter, NoFilter, Objects, StartInside};
use alloc::vec::Vec;
use glam::Vec3;

impl<'a> View<'a> {
    /// Asks [`View::cast`] of many casts at once, also on threads. The answers
    /// come in the order of the casts.
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Octree, Ray, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let lamp = Vec3::new(0.5, 0.5, 9.0);
    /// let down = Ray::segment(lamp, Vec3::new(0.5, 0.5, -9.0))?;
    /// let rays = [down, Ray::segment(lamp, Vec3::X * 9.0)?];
    /// let mut batch = Batch::new();
    /// tree.view().cast_many(&rays).closest_into(&mut batch);
    /// let hits = batch.answers();
    /// assert_eq!(hits[0].map(|hit| (hit.handle, hit.distance)), Some((unit, 8.0)));
    /// assert!(hits[1].is_none());
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of the single questions, of neighbours after each other.
    #[inline]
    pub fn cast_many<C: Cast + Sync>(self, casts: &'a [C]) -> CastQueries<'a, C> {
        let (objects, threads, limit) = (Objects::ALL, Threads::One, f32::INFINITY);
        CastQueries { view: self, casts, objects, threads, stats: None, limit }
    }
}

/// What each of many casts `C` meets; made by [`View::cast_many`].
#[must_use = "a question is asked by its terminal, such as `closest_into`"]
#[derive(Debug)]
pub struct CastQueries<'a, C, F = NoFilter> {
    view: View<'a>,
    casts: &'a [C],
    objects: Objects<F>,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
    limit: f32,
}

impl<'a, C: Cast + Sync, F: AcceptShared> CastQueries<'a, C, F>
where
    C::Hit: Copy + Send + Sync,
{
    batch_options!();

    /// Only objects that the closure accepts. It is asked about candidates,
    /// some of which may turn out not to be met.
    #[inline]
    pub fn filter<G: Fn(Handle) -> bool + Sync>(self, accept: G) -> CastQueries<'a, C, G> {
        let Self { view, casts, objects, threads, stats, limit } = self;
        CastQueries { view, casts, objects: objects.with_accept(accept), threads, stats, limit }
    }

    /// No farther than this, in the unit of the casts: a distance of rays, in world units;
    /// a time of sweeps, from 0 to 1. The bound is included. Nothing is within a negative
    /// bound or a NaN.
    #[inline]
    pub fn within(mut self, bound: f32) -> Self {
        self.limit = if bound.is_nan() { -1.0 } else { self.limit.min(bound) };
        self
    }

    /// Fills `batch` with the closest hit of each cast.
    #[inline]
    pub fn closest_into(self, batch: &mut Batch<Option<C::Hit>>) {
        self.ask(BatchCastOutput::Closest(batch));
    }

    /// Fills `batch` with some hit of each cast: enough for shadows and lines of sight.
    #[inline]
    pub fn any_into(self, batch: &mut Batch<Option<C::Hit>>) {
        self.ask(BatchCastOutput::Any(batch));
    }

    /// Fills `batch` with all hits of each cast, in no order of distance.
    #[inline]
    pub fn collect_into(self, batch: &mut Batch<C::Hit>) {
        self.ask(BatchCastOutput::All(batch));
    }

    #[inline]
    fn ask(self, wanted: BatchCastOutput<'_, C::Hit>) {
        let options = BatchOptions::new(&self.objects, self.threads, self.stats);
        C::run_many(self.casts, CastBatchAsk { view: self.view, options, limit: self.limit, wanted });
    }
}

impl<H: Copy + Send + Sync> CastBatchAsk<'_, H> {
    /// Asks all questions. Those of built-in casts are compiled in this crate.
    pub(super) fn run<C: Cast<Hit = H> + Sync>(self, casts: &[C]) {
        let Self { view, options, limit, wanted } = self;
        let (shared, threads, stats) = options.split();
        let any = matches!(wanted, BatchCastOutput::Any(_));
        let work = match wanted {
            BatchCastOutput::All(batch) => {
                arrange(batch, view, casts);
                batch.run(casts.len(), threads, |question, found: &mut Vec<H>| {
                    let mut one = shared.one();
                    let (filter, stats) = one.split();
                    ask(&casts[question], view, limit, filter, stats, DistanceOutput::All(Sink::Append(found)));
                    one.work
                })
            }
            BatchCastOutput::Closest(batch) | BatchCastOutput::Any(batch) => {
                arrange(batch, view, casts);
                batch.run_each(casts.len(), threads, None, |question| {
                    let (mut one, mut hit) = (shared.one(), None);
                    let (filter, stats) = one.split();
                    let output =
                        if any { DistanceOutput::All(Sink::Any(&mut hit)) } else { DistanceOutput::Closest(&mut hit) };
                    ask(&casts[question], view, limit, filter, stats, output);
                    (hit, one.work)
                })
            }
        };
        work.add_to(stats);
    }
}

fn ask<'a, C: Cast>(
    cast: &C,
    view: View<'a>,
    limit: f32,
    filter: Filter<'a>,
    stats: Option<&'a mut QueryStats>,
    wanted: DistanceOutput<'a, C::Hit>,
) {
    let reach = cast.reach();
    // Written so that a reach that is NaN stays NaN: nothing is within it.
    let limit = if limit < reach { limit } else { reach };
    cast.run(CastAsk { view, filter, stats, limit, inside: StartInside::Hit, refine: None, wanted });
}

/// Has casts asked by where they start, or by their bounds where they do not say it.
fn arrange<C: Cast, T: Copy + Send + Sync>(batch: &mut Batch<T>, view: View<'_>, casts: &[C]) {
    batch.forget_answers();
    if casts.first().is_some_and(|cast| cast.start().is_some()) {
        batch.arrange(view, casts.iter().map(|cast| cast.start().unwrap_or(Vec3::ZERO)));
    } else {
        batch.arrange_bounds(view, casts.iter().map(Cast::bounds));
    }
}
