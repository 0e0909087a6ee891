//! Batches of questions for nearest objects.

use crate::data::{QueryStats, Threads, View};
use crate::geometry::Aabb;
use crate::query::batch::{BatchOptions, batch_options, check_all};
use crate::query::{
    AcceptShared, Batch, DistanceOutput, NearestAsk, NearestOutput, Neighbor, NoFilter, Objects, Place,
};
use crate::{Handle, SliceError};

impl<'a> View<'a> {
    /// Asks [`View::nearest`] of many points or boxes at once, also on threads.
    /// The answers come in the order of the places.
    ///
    /// ```
    /// use broadleaf::{Aabb, Batch, Octree, Threads, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut batch = Batch::new();
    /// tree.view().nearest_many(&[Vec3::X * 3.0, Vec3::X * 9.0])?.within(5.0).closest_into(&mut batch);
    /// let near = batch.answers();
    /// assert_eq!(near[0].map(|near| (near.handle, near.distance)), Some((unit, 2.0)));
    /// assert!(near[1].is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// *Cost:* that of the single questions, of neighbours after each other.
    ///
    /// # Errors
    /// The first point or box that is not legal.
    #[inline]
    pub fn nearest_many<P: Place + Sync>(self, places: &'a [P]) -> Result<NearestQueries<'a, P>, SliceError> {
        check_all(places, |place| place.aabb().map(drop))?;
        let (objects, threads, limit) = (Objects::ALL, Threads::One, f32::INFINITY);
        Ok(NearestQueries { view: self, places, objects, threads, stats: None, limit })
    }
}

/// What is near each of many places `P`; made by [`View::nearest_many`].
#[must_use = "a question is asked by its terminal, such as `closest_into`"]
#[derive(Debug)]
pub struct NearestQueries<'a, P, F = NoFilter> {
    view: View<'a>,
    places: &'a [P],
    objects: Objects<F>,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
    limit: f32,
}

impl<'a, P: Place + Sync, F: AcceptShared> NearestQueries<'a, P, F> {
    batch_options!();

    /// Only objects that the closure accepts. It is asked about candidates,
    /// some of which may turn out to be too far.
    #[inline]
    pub fn filter<G: Fn(Handle) -> bool + Sync>(self, accept: G) -> NearestQueries<'a, P, G> {
        let Self { view, places, objects, threads, stats, limit } = self;
        NearestQueries { view, places, objects: objects.with_accept(accept), threads, stats, limit }
    }

    /// No farther than this, in world units; the bound is included. Nothing is
    /// within a negative distance or a NaN.
    #[inline]
    pub fn within(mut self, distance: f32) -> Self {
        self.limit = if distance.is_nan() { -1.0 } else { self.limit.min(distance) };
        self
    }

    /// Fills `batch` with the nearest object of each place.
    pub fn closest_into(self, batch: &mut Batch<Option<Neighbor>>) {
        let at = |question: usize| place(&self.places[question]);
        let options = BatchOptions::new(&self.objects, self.threads, self.stats);
        closest_into(self.view, self.places.len(), &at, options, self.limit, batch);
    }

    /// Fills `batch` with the `k` nearest objects of each place, in order of
    /// distance, then of slot.
    pub fn k_into(self, k: usize, batch: &mut Batch<Neighbor>) {
        let at = |question: usize| place(&self.places[question]);
        let options = BatchOptions::new(&self.objects, self.threads, self.stats);
        k_into(self.view, self.places.len(), &at, options, self.limit, k, batch);
    }
}

/// The box of a place that is known to be legal.
fn place(place: &impl Place) -> Aabb {
    place.aabb().unwrap_or(Aabb::new(glam::Vec3::ZERO, glam::Vec3::ZERO))
}

fn closest_into(
    view: View<'_>,
    count: usize,
    at: &(dyn Fn(usize) -> Aabb + Sync),
    options: BatchOptions<'_>,
    limit: f32,
    batch: &mut Batch<Option<Neighbor>>,
) {
    batch.arrange_bounds(view, (0..count).map(at));
    let (shared, threads, stats) = options.split();
    let work = batch.run_each(count, threads, None, |question| {
        let (mut one, mut closest) = (shared.one(), None);
        let (filter, stats) = one.split();
        let wanted = NearestOutput::By(DistanceOutput::Closest(&mut closest));
        NearestAsk { view, filter, stats, limit, refine: None, recorder: None, wanted }.run(&at(question));
        (closest, one.work)
    });
    work.add_to(stats);
}

fn k_into(
    view: View<'_>,
    count: usize,
    at: &(dyn Fn(usize) -> Aabb + Sync),
    options: BatchOptions<'_>,
    limit: f32,
    k: usize,
    batch: &mut Batch<Neighbor>,
) {
    batch.arrange_bounds(view, (0..count).map(at));
    let (shared, threads, stats) = options.split();
    let work = batch.run(count, threads, |question, found| {
        let mut one = shared.one();
        let (filter, stats) = one.split();
        let wanted = NearestOutput::Count(k, found);
        NearestAsk { view, filter, stats, limit, refine: None, recorder: None, wanted }.run(&at(question));
        one.work
    });
    work.add_to(stats);
}
