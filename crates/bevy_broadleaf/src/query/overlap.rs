//! Which entities overlap a region.

use super::options::{EntityFilter, NoFilter, Wanted, apply, entity_options};
use super::{Answer, terminals};
use crate::convert::IntoRegion;
use crate::index::SpatialIndex;
use bevy_ecs::prelude::*;
use broadleaf::query::{Accept, OverlapQuery, Region, Viewpoint, VisibleObject};
use broadleaf::{Containment, Error, Handle, QueryStats, Scratch};
use core::borrow::Borrow;
use core::marker::PhantomData;
use core::ops::ControlFlow;

impl SpatialIndex {
    /// Asks which entities overlap a region: a point, a box, a sphere or a camera's frustum of
    /// Bevy, or any region of the library by reference. Touching counts.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds overlap the region.
    ///
    /// # Errors
    /// A region that is not legal, as its own `check` or constructor says.
    pub fn overlap<K: IntoRegion>(&self, region: K) -> Result<OverlapQuestion<'_, K::Region, K::Owned>, Error> {
        let region = region.into_region()?;
        Borrow::<K::Region>::borrow(&region).check()?;
        Ok(OverlapQuestion {
            index: self,
            region,
            wanted: Wanted::default(),
            stats: None,
            extra: Extra { viewpoint: None, scratch: None },
            accept: NoFilter,
            answer: PhantomData,
        })
    }
}

/// Which entities overlap a region; made by [`SpatialIndex::overlap`].
#[must_use = "a question is asked by its terminal, such as `for_each`"]
#[derive(Debug)]
pub struct OverlapQuestion<'a, R, O, T = Handle, F = NoFilter> {
    index: &'a SpatialIndex,
    region: O,
    wanted: Wanted,
    stats: Option<&'a mut QueryStats>,
    extra: Extra<'a>,
    accept: F,
    answer: PhantomData<(R, T)>,
}

/// What only some answers need.
#[derive(Debug)]
pub struct Extra<'a> {
    viewpoint: Option<Viewpoint>,
    scratch: Option<&'a mut Scratch>,
}

impl<'a, R: Region, O: Borrow<R>, T: OverlapAnswer, F: EntityFilter> OverlapQuestion<'a, R, O, T, F> {
    entity_options!();

    /// Only entities that the closure accepts. It is asked about candidates, some of which may
    /// turn out not to overlap.
    pub fn filter<G: FnMut(Entity) -> bool>(self, accept: G) -> OverlapQuestion<'a, R, O, T, G> {
        let Self { index, region, wanted, stats, extra, answer, .. } = self;
        OverlapQuestion { index, region, wanted, stats, extra, accept, answer }
    }

    fn answering<U>(self) -> OverlapQuestion<'a, R, O, U, F> {
        let Self { index, region, wanted, stats, extra, accept, .. } = self;
        OverlapQuestion { index, region, wanted, stats, extra, accept, answer: PhantomData }
    }

    fn ask(self, visit: &mut dyn FnMut(T::Found) -> ControlFlow<()>) {
        let Self { index, region, wanted, stats, extra, mut accept, .. } = self;
        // The opening has checked the region.
        let Ok(mut question) = index.view().overlap::<R>(region.borrow()) else { return };
        apply!(question, wanted, stats);
        let mut visit = |answer: T| visit(answer.found(index));
        if wanted.filters::<F>() {
            T::ask(question.filter(|handle| wanted.accepts(index, handle, &mut accept)), extra, &mut visit);
        } else {
            T::ask(question, extra, &mut visit);
        }
    }

    terminals!(T::Found);
}

impl<'a, R: Region, O: Borrow<R>, F: EntityFilter> OverlapQuestion<'a, R, O, Handle, F> {
    /// Tells of each entity whether its bounds lie wholly inside the region.
    pub fn with_containment(self) -> OverlapQuestion<'a, R, O, (Handle, Containment), F> {
        self.answering()
    }

    /// Leaves out what looks too small from a point, and tells of each entity how far it is from
    /// there and whether it lies wholly inside the region.
    pub fn seen_from(mut self, viewpoint: &Viewpoint) -> OverlapQuestion<'a, R, O, VisibleObject, F> {
        self.extra.viewpoint = Some(*viewpoint);
        self.answering()
    }
}

impl<'a, R: Region, O: Borrow<R>, F: EntityFilter> OverlapQuestion<'a, R, O, VisibleObject, F> {
    /// Answers come from near to far.
    pub fn front_to_back(mut self, scratch: &'a mut Scratch) -> Self {
        self.extra.scratch = Some(scratch);
        self
    }
}

/// What is answered of an overlap.
pub trait OverlapAnswer: Answer {
    /// Asks the library.
    #[doc(hidden)]
    fn ask<R: Region, F: Accept>(
        question: OverlapQuery<'_, R, Handle, F>,
        extra: Extra<'_>,
        visit: &mut dyn FnMut(Self) -> ControlFlow<()>,
    );
}

impl OverlapAnswer for Handle {
    fn ask<R: Region, F: Accept>(
        question: OverlapQuery<'_, R, Handle, F>,
        _: Extra<'_>,
        visit: &mut dyn FnMut(Self) -> ControlFlow<()>,
    ) {
        let _ = question.try_for_each(visit);
    }
}

impl OverlapAnswer for (Handle, Containment) {
    fn ask<R: Region, F: Accept>(
        question: OverlapQuery<'_, R, Handle, F>,
        _: Extra<'_>,
        visit: &mut dyn FnMut(Self) -> ControlFlow<()>,
    ) {
        let _ = question.with_containment().try_for_each(visit);
    }
}

impl OverlapAnswer for VisibleObject {
    fn ask<R: Region, F: Accept>(
        question: OverlapQuery<'_, R, Handle, F>,
        extra: Extra<'_>,
        visit: &mut dyn FnMut(Self) -> ControlFlow<()>,
    ) {
        let Extra { viewpoint: Some(viewpoint), scratch } = extra else { return };
        let question = question.seen_from(&viewpoint);
        let _ = match scratch {
            Some(scratch) => question.front_to_back(scratch).try_for_each(visit),
            None => question.try_for_each(visit),
        };
    }
}
