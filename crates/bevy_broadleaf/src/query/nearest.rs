//! Which entities are nearest to a point or a box.

use super::options::{EntityFilter, EntityRefine, NoFilter, NoNarrowPhase, Wanted, apply, entity_options};
use super::{Answer, terminals};
use crate::convert::IntoPlace;
use crate::index::SpatialIndex;
use bevy_ecs::prelude::*;
use broadleaf::query::{Accept, NearestQuery, Neighbor, Place, Refine};
use broadleaf::{Error, QueryStats, Scratch};
use core::cell::Cell;
use core::ops::ControlFlow;

thread_local! {
    /// Working memory of [`NearestQuestion::k_into`]: the answers before their entities are named.
    static NEAREST: Cell<Vec<Neighbor>> = const { Cell::new(Vec::new()) };
}

impl SpatialIndex {
    /// Asks which entities are nearest to a point or a box.
    ///
    /// *Cost:* in proportion to the nodes that are nearer than the answer.
    ///
    /// # Errors
    /// A point that is not finite, or a box that is not legal.
    pub fn nearest<K: IntoPlace>(&self, place: K) -> Result<NearestQuestion<'_, K::Place>, Error> {
        let place = place.into_place();
        let _ = self.view().nearest(place)?;
        Ok(NearestQuestion {
            index: self,
            place,
            wanted: Wanted::default(),
            stats: None,
            limit: f32::INFINITY,
            refine: NoNarrowPhase,
            scratch: None,
            accept: NoFilter,
        })
    }
}

/// What is nearest to a place; made by [`SpatialIndex::nearest`].
#[must_use = "a question is asked by its terminal, such as `closest`"]
#[derive(Debug)]
pub struct NearestQuestion<'a, P, N = NoNarrowPhase, F = NoFilter> {
    index: &'a SpatialIndex,
    place: P,
    wanted: Wanted,
    stats: Option<&'a mut QueryStats>,
    limit: f32,
    refine: N,
    scratch: Option<&'a mut Scratch>,
    accept: F,
}

impl<'a, P: Place + Copy, N: EntityRefine<Neighbor>, F: EntityFilter> NearestQuestion<'a, P, N, F> {
    entity_options!();

    /// Only entities that the closure accepts.
    pub fn filter<G: FnMut(Entity) -> bool>(self, accept: G) -> NearestQuestion<'a, P, N, G> {
        let Self { index, place, wanted, stats, limit, refine, scratch, .. } = self;
        NearestQuestion { index, place, wanted, stats, limit, refine, scratch, accept }
    }

    /// A narrow phase: given an entity and how far its bounds are, the closure says how far its
    /// exact shape is, or `None` if it does not count.
    pub fn refine<M: FnMut(Entity, &Neighbor) -> Option<f32>>(self, refine: M) -> NearestQuestion<'a, P, M, F> {
        let Self { index, place, wanted, stats, limit, scratch, accept, .. } = self;
        NearestQuestion { index, place, wanted, stats, limit, refine, scratch, accept }
    }

    /// No farther than this.
    pub fn within(mut self, distance: f32) -> Self {
        self.limit = if distance.is_nan() { -1.0 } else { self.limit.min(distance) };
        self
    }

    /// Answers come nearest first.
    pub fn in_order(mut self, scratch: &'a mut Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// The nearest entity.
    #[must_use]
    pub fn closest(self) -> Option<(Entity, Neighbor)> {
        let (index, mut closest) = (self.index, None);
        self.run(Terminal::Closest(&mut closest));
        closest.map(|near| near.found(index))
    }

    /// Clears `list` and fills it with the `k` nearest entities, the nearest first.
    pub fn k_into(self, k: usize, list: &mut Vec<(Entity, Neighbor)>) {
        let (index, mut nearest) = (self.index, NEAREST.take());
        self.run(Terminal::Count(k, &mut nearest));
        list.clear();
        list.extend(nearest.iter().map(|near| near.found(index)));
        NEAREST.set(nearest);
    }

    fn ask(self, visit: &mut dyn FnMut((Entity, Neighbor)) -> ControlFlow<()>) {
        let index = self.index;
        self.run(Terminal::Visit(&mut |near: Neighbor| visit(near.found(index))));
    }

    fn run(self, terminal: Terminal<'_>) {
        let Self { index, place, wanted, stats, limit, mut refine, scratch, mut accept } = self;
        // The opening has checked the place.
        let Ok(question) = index.view().nearest(place) else { return };
        let mut question = question.within(limit);
        apply!(question, wanted, stats);
        if let Some(scratch) = scratch {
            question = question.in_order(scratch);
        }
        let accept = |handle| wanted.accepts(index, handle, &mut accept);
        let refine = |near: &Neighbor| refine.distance(index.entity(near.handle), near);
        match (wanted.filters::<F>(), N::REFINES) {
            (false, false) => terminal.ask(question),
            (true, false) => terminal.ask(question.filter(accept)),
            (false, true) => terminal.ask(question.refine(refine)),
            (true, true) => terminal.ask(question.filter(accept).refine(refine)),
        }
    }

    terminals!((Entity, Neighbor));
}

/// What is done with the neighbours.
enum Terminal<'t> {
    Closest(&'t mut Option<Neighbor>),
    Count(usize, &'t mut Vec<Neighbor>),
    Visit(&'t mut dyn FnMut(Neighbor) -> ControlFlow<()>),
}

impl Terminal<'_> {
    fn ask<N: Refine<Neighbor>, F: Accept>(self, question: NearestQuery<'_, N, F>) {
        match self {
            Self::Closest(closest) => *closest = question.closest(),
            Self::Count(k, nearest) => question.k_into(k, nearest),
            Self::Visit(visit) => {
                let _ = question.try_for_each(visit);
            }
        }
    }
}
