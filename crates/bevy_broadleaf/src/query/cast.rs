//! What a ray or a moving shape meets.

use super::options::{EntityFilter, EntityRefine, NoFilter, NoNarrowPhase, Wanted, apply, entity_options};
use super::{Answer, Hit, terminals};
use crate::convert::{BuiltInCast, IntoCast};
use crate::index::SpatialIndex;
use bevy_ecs::prelude::*;
use broadleaf::query::{Accept, Cast, CastQuery, Refine, StartInside};
use broadleaf::{Error, QueryStats, Ray, Scratch};
use core::ops::ControlFlow;

impl SpatialIndex {
    /// Asks what a ray, a moving box or a moving sphere meets: casts of Bevy by value, those of the
    /// library by reference. A [`Cast`] of your own goes to [`cast_many`](Self::cast_many), or to
    /// the library's [`cast`](broadleaf::View::cast) of [`view`](Self::view).
    ///
    /// *Cost:* in proportion to the nodes that the cast meets before its answer.
    ///
    /// # Errors
    /// A cast of Bevy that has no counterpart, such as a number that is not finite.
    pub fn cast<K: IntoCast>(&self, cast: K) -> Result<CastQuestion<'_, K::Cast>, Error> {
        let cast = cast.into_cast()?;
        Ok(CastQuestion {
            index: self,
            wanted: Wanted::default(),
            stats: None,
            limit: cast.reach(),
            cast,
            inside: StartInside::Hit,
            refine: NoNarrowPhase,
            scratch: None,
            accept: NoFilter,
        })
    }
}

/// What a cast meets; made by [`SpatialIndex::cast`].
#[must_use = "a question is asked by its terminal, such as `closest`"]
#[derive(Debug)]
pub struct CastQuestion<'a, C, N = NoNarrowPhase, F = NoFilter> {
    index: &'a SpatialIndex,
    cast: C,
    wanted: Wanted,
    stats: Option<&'a mut QueryStats>,
    limit: f32,
    inside: StartInside,
    refine: N,
    scratch: Option<&'a mut Scratch>,
    accept: F,
}

impl<'a, C: BuiltInCast, N: EntityRefine<C::Hit>, F: EntityFilter> CastQuestion<'a, C, N, F>
where
    C::Hit: Hit,
{
    entity_options!();

    /// Only entities that the closure accepts.
    pub fn filter<G: FnMut(Entity) -> bool>(self, accept: G) -> CastQuestion<'a, C, N, G> {
        let Self { index, cast, wanted, stats, limit, inside, refine, scratch, .. } = self;
        CastQuestion { index, cast, wanted, stats, limit, inside, refine, scratch, accept }
    }

    /// A narrow phase: given an entity whose bounds are met and where, the closure says how far its
    /// exact shape is, or `None` if that is not met.
    pub fn refine<M: FnMut(Entity, &C::Hit) -> Option<f32>>(self, refine: M) -> CastQuestion<'a, C, M, F> {
        let Self { index, cast, wanted, stats, limit, inside, scratch, accept, .. } = self;
        CastQuestion { index, cast, wanted, stats, limit, inside, refine, scratch, accept }
    }

    /// No farther than this.
    pub fn within(mut self, bound: f32) -> Self {
        self.limit = if bound.is_nan() { -1.0 } else { self.limit.min(bound) };
        self
    }

    /// Answers come nearest first.
    pub fn in_order(mut self, scratch: &'a mut Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// The closest entity.
    #[must_use]
    pub fn closest(self) -> Option<(Entity, C::Hit)> {
        let (index, mut closest) = (self.index, None);
        self.run(Terminal::Closest(&mut closest));
        closest.map(|hit: C::Hit| hit.found(index))
    }

    fn ask(self, visit: &mut dyn FnMut((Entity, C::Hit)) -> ControlFlow<()>) {
        let index = self.index;
        self.run(Terminal::Visit(&mut |hit: C::Hit| visit(hit.found(index))));
    }

    /// Chooses by the options which question of the library is asked.
    fn run(self, terminal: Terminal<'_, C::Hit>) {
        let Self { index, cast, wanted, stats, limit, inside, mut refine, scratch, mut accept } = self;
        let mut question = index.view().cast(&cast).within(limit);
        apply!(question, wanted, stats);
        if let Some(scratch) = scratch {
            question = question.in_order(scratch);
        }
        let question = C::starting(question, inside);
        let accept = |handle| wanted.accepts(index, handle, &mut accept);
        let refine = |hit: &C::Hit| refine.distance(index.entity(hit.handle()), hit);
        match (wanted.filters::<F>(), N::REFINES) {
            (false, false) => terminal.ask(question),
            (true, false) => terminal.ask(question.filter(accept)),
            (false, true) => terminal.ask(question.refine(refine)),
            (true, true) => terminal.ask(question.filter(accept).refine(refine)),
        }
    }

    terminals!((Entity, C::Hit));
}

impl<N, F> CastQuestion<'_, Ray, N, F> {
    /// What a start inside an entity counts as.
    pub fn inside(mut self, inside: StartInside) -> Self {
        self.inside = inside;
        self
    }
}

/// What is done with the hits.
enum Terminal<'t, H> {
    Closest(&'t mut Option<H>),
    Visit(&'t mut dyn FnMut(H) -> ControlFlow<()>),
}

impl<H> Terminal<'_, H> {
    fn ask<C: Cast<Hit = H>, N: Refine<H>, F: Accept>(self, question: CastQuery<'_, C, N, F>) {
        match self {
            Self::Closest(closest) => *closest = question.closest(),
            Self::Visit(visit) => {
                let _ = question.try_for_each(visit);
            }
        }
    }
}
