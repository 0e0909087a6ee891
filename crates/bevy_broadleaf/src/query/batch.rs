//! Many questions of a family, asked at once.

use super::Answer;
use super::options::Wanted;
use crate::index::SpatialIndex;
use bevy_ecs::prelude::*;
use broadleaf::query::{
    Batch, BatchAnswer, Cast, CastQueries, NearestQueries, Neighbor, OverlapQueries, Place, Region,
};
use broadleaf::{Containment, Handle, QueryStats, SliceError, Threads};

/// The answers to many questions, in the order of the questions; kept, it needs no allocation.
#[derive(Debug)]
pub struct EntityBatch<T: Answer> {
    batch: Batch<T>,
    found: Vec<T::Found>,
}

impl<T: Answer> Default for EntityBatch<T> {
    fn default() -> Self {
        Self { batch: Batch::new(), found: Vec::new() }
    }
}

impl<T: Answer> EntityBatch<T> {
    /// A batch without answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Questions answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Whether no question was answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// The answers to a question; none if there was no such question.
    #[must_use]
    pub fn of(&self, question: usize) -> &[T::Found] {
        self.batch.ranges().get(question).map_or(&[], |range| &self.found[range.clone()])
    }

    /// All answers, those to the first question first.
    #[must_use]
    pub fn answers(&self) -> &[T::Found] {
        &self.found
    }

    fn fill(&mut self, index: &SpatialIndex, ask: impl FnOnce(&mut Batch<T>)) {
        self.found.clear();
        ask(&mut self.batch);
        self.found.extend(self.batch.answers().iter().map(|answer| answer.found(index)));
    }
}

/// The options of a batch.
macro_rules! batch_options {
    () => {
        super::options::entity_options!();

        /// Who does the work: the calling thread, unless set, or rayon's pool. The answers are the same.
        pub fn threads(mut self, threads: Threads) -> Self {
            self.threads = threads;
            self
        }
    };
}

/// Hands the options to a batch of the library, filters sensors, and asks it.
macro_rules! ask {
    ($batch:expr, $question:expr, $each:ident $terminal:expr) => {{
        let (index, wanted) = ($batch.index, $batch.wanted);
        let mut $each = $question.threads($batch.threads);
        super::options::apply!($each, wanted, $batch.stats);
        if wanted.skips_sensors {
            let $each = $each.filter(|handle| !index.is_sensor(handle));
            $terminal
        } else {
            $terminal
        }
    }};
}

impl SpatialIndex {
    /// [`overlap`](Self::overlap) for many regions of the library, or of your own.
    ///
    /// # Errors
    /// The first region that is not legal, with its index.
    pub fn overlap_many<'a, R: Region + Sync>(&'a self, regions: &'a [R]) -> Result<OverlapBatch<'a, R>, SliceError> {
        let question = self.view().overlap_many(regions)?;
        Ok(OverlapBatch { index: self, question, wanted: Wanted::default(), threads: Threads::One, stats: None })
    }

    /// [`cast`](Self::cast) for many casts of the library, or of your own.
    pub fn cast_many<'a, C: Cast + Sync>(&'a self, casts: &'a [C]) -> CastBatch<'a, C>
    where
        C::Hit: Answer + Send + Sync,
    {
        let question = self.view().cast_many(casts);
        CastBatch { index: self, question, wanted: Wanted::default(), threads: Threads::One, stats: None }
    }

    /// [`nearest`](Self::nearest) for many places of the library.
    ///
    /// # Errors
    /// The first place that is not legal, with its index.
    pub fn nearest_many<'a, P: Place + Sync>(&'a self, places: &'a [P]) -> Result<NearestBatch<'a, P>, SliceError> {
        let question = self.view().nearest_many(places)?;
        Ok(NearestBatch { index: self, question, wanted: Wanted::default(), threads: Threads::One, stats: None })
    }
}

/// What overlaps many regions; made by [`SpatialIndex::overlap_many`].
#[must_use = "a question is asked by its terminal, `collect_into`"]
#[derive(Debug)]
pub struct OverlapBatch<'a, R, T = Handle> {
    index: &'a SpatialIndex,
    question: OverlapQueries<'a, R, T>,
    wanted: Wanted,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
}

impl<'a, R: Region + Sync, T: BatchAnswer + Answer> OverlapBatch<'a, R, T> {
    batch_options!();

    /// Tells of each entity whether its bounds lie wholly inside the region.
    pub fn with_containment(self) -> OverlapBatch<'a, R, (Handle, Containment)> {
        let Self { index, question, wanted, threads, stats } = self;
        OverlapBatch { index, question: question.with_containment(), wanted, threads, stats }
    }

    /// Fills a batch with the answers.
    pub fn collect_into(self, found: &mut EntityBatch<T>) {
        found.fill(self.index, |batch| ask!(self, self.question, question question.collect_into(batch)));
    }
}

/// What many casts meet; made by [`SpatialIndex::cast_many`].
#[must_use = "a question is asked by its terminal, such as `closest_into`"]
#[derive(Debug)]
pub struct CastBatch<'a, C> {
    index: &'a SpatialIndex,
    question: CastQueries<'a, C>,
    wanted: Wanted,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
}

impl<'a, C: Cast + Sync> CastBatch<'a, C>
where
    C::Hit: Answer + Send + Sync,
{
    batch_options!();

    /// No farther than this.
    pub fn within(mut self, bound: f32) -> Self {
        self.question = self.question.within(bound);
        self
    }

    /// Fills a batch with the closest hit of each cast.
    pub fn closest_into(self, found: &mut EntityBatch<Option<C::Hit>>) {
        found.fill(self.index, |batch| ask!(self, self.question, question question.closest_into(batch)));
    }

    /// Fills a batch with one hit of each cast, whichever comes first.
    pub fn any_into(self, found: &mut EntityBatch<Option<C::Hit>>) {
        found.fill(self.index, |batch| ask!(self, self.question, question question.any_into(batch)));
    }

    /// Fills a batch with all hits of each cast.
    pub fn collect_into(self, found: &mut EntityBatch<C::Hit>) {
        found.fill(self.index, |batch| ask!(self, self.question, question question.collect_into(batch)));
    }
}

/// What is nearest to many places; made by [`SpatialIndex::nearest_many`].
#[must_use = "a question is asked by its terminal, such as `closest_into`"]
#[derive(Debug)]
pub struct NearestBatch<'a, P> {
    index: &'a SpatialIndex,
    question: NearestQueries<'a, P>,
    wanted: Wanted,
    threads: Threads,
    stats: Option<&'a mut QueryStats>,
}

impl<'a, P: Place + Sync> NearestBatch<'a, P> {
    batch_options!();

    /// No farther than this.
    pub fn within(mut self, distance: f32) -> Self {
        self.question = self.question.within(distance);
        self
    }

    /// Fills a batch with the nearest entity of each place.
    pub fn closest_into(self, found: &mut EntityBatch<Option<Neighbor>>) {
        found.fill(self.index, |batch| ask!(self, self.question, question question.closest_into(batch)));
    }

    /// Fills a batch with the `k` nearest entities of each place, the nearest first.
    pub fn k_into(self, k: usize, found: &mut EntityBatch<Neighbor>) {
        found.fill(self.index, |batch| ask!(self, self.question, question question.k_into(k, batch)));
    }
}
