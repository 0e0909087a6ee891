//! Which objects overlap a region.

pub(super) mod answer;
pub(crate) mod ask;
mod many;
mod slots;
mod visible;

pub use answer::Answer;
pub use many::{BatchAnswer, OverlapQueries};
pub use slots::SlotSet;
pub use visible::{Viewpoint, VisibleObject};

use super::filter::object_options;
use crate::data::terminals::Flow;
use crate::data::{QueryStats, Sink, View};
use crate::query::{Accept, NoFilter, Objects, Region};
use crate::scratch::Scratch;
use crate::{Containment, Error, Handle};
use alloc::vec::Vec;
use ask::{Answers, OverlapAsk};
use core::marker::PhantomData;
use core::ops::ControlFlow;

impl<'a> View<'a> {
    /// Asks which objects overlap a region: a point, a box, a sphere, a frustum,
    /// an oriented box, a capsule, planes, or a [`Region`] of your own. Touching counts.
    ///
    /// ```
    /// use broadleaf::{Aabb, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// let (here, far) = (tree.insert(unit)?, tree.insert(unit.translated(Vec3::X * 9.0))?);
    /// let view = tree.view();
    ///
    /// let room = Aabb::new(Vec3::ONE, Vec3::splat(2.0));
    /// view.overlap(&room)?.for_each(|handle| assert_eq!(handle, here));
    /// assert_eq!(view.overlap(&Vec3::new(9.5, 0.5, 0.5))?.any(), Some(far));
    /// assert_eq!(view.overlap(&room)?.exclude(here).count(), 0);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds overlap the region.
    ///
    /// # Errors
    /// A region that is not legal, as its own `check` or constructor says.
    #[inline]
    pub fn overlap<R: Region>(self, region: &'a R) -> Result<OverlapQuery<'a, R>, Error> {
        region.check()?;
        Ok(OverlapQuery {
            view: self,
            region,
            objects: Objects::ALL,
            stats: None,
            viewpoint: None,
            scratch: None,
            answer: PhantomData,
        })
    }
}

/// Which objects overlap a region `R`; made by [`View::overlap`].
///
/// Its answers are of type `T`: a [`Handle`], a `(Handle, Containment)`, or
/// [`VisibleObject`]. `F` is the closure of `filter`.
#[must_use = "a question is asked by its terminal, such as `for_each`"]
#[derive(Debug)]
pub struct OverlapQuery<'a, R, T = Handle, F = NoFilter> {
    pub(crate) view: View<'a>,
    pub(crate) region: &'a R,
    pub(crate) objects: Objects<F>,
    pub(crate) stats: Option<&'a mut QueryStats>,
    pub(crate) viewpoint: Option<Viewpoint>,
    pub(crate) scratch: Option<&'a mut Scratch>,
    pub(crate) answer: PhantomData<T>,
}

impl<'a, R: Region, T: Answer, F: Accept> OverlapQuery<'a, R, T, F> {
    object_options!();

    /// Only objects that the closure accepts. It is asked about candidates,
    /// some of which may turn out not to overlap.
    #[inline]
    pub fn filter<G: FnMut(Handle) -> bool>(self, accept: G) -> OverlapQuery<'a, R, T, G> {
        self.replace(|objects| objects.with_accept(accept))
    }

    /// Leaves out what looks too small from a point, and tells of each object how far it
    /// is from there and whether it lies wholly inside the region.
    ///
    /// *Cost:* subtrees in which everything looks too small are not entered.
    #[inline]
    pub fn seen_from(mut self, viewpoint: &Viewpoint) -> OverlapQuery<'a, R, VisibleObject, F> {
        self.viewpoint = Some(*viewpoint);
        self.replace(|objects| objects)
    }

    #[inline]
    fn replace<U, G>(self, objects: impl FnOnce(Objects<F>) -> Objects<G>) -> OverlapQuery<'a, R, U, G> {
        let Self { view, region, stats, viewpoint, scratch, .. } = self;
        let objects = objects(self.objects);
        OverlapQuery { view, region, objects, stats, viewpoint, scratch, answer: PhantomData }
    }

    #[inline]
    fn run<'s>(&'s mut self, sink: Sink<'s, T>) {
        let Self { view, region, objects, stats, viewpoint, scratch, .. } = self;
        let answers = T::answers(sink, *viewpoint, scratch.as_deref_mut());
        region.run(OverlapAsk { view: *view, filter: objects.filter(), stats: stats.as_deref_mut(), answers });
    }

    /// Runs with a visitor that is compiled together with the traversal, unless
    /// something is asked for that makes the call of a closure cheap beside it.
    #[inline]
    fn visit(mut self, mut visit: impl FnMut(T) -> ControlFlow<()>) {
        if self.stats.is_some() || self.scratch.is_some() || !self.objects.is_plain() {
            self.run(Sink::Visit(&mut visit));
        } else {
            T::visit(self.view, self.region, &mut self.objects.filter(), self.viewpoint, visit);
        }
    }

    /// Visits every answer.
    #[inline]
    pub fn for_each(self, mut visit: impl FnMut(T)) {
        self.visit(|answer| {
            visit(answer);
            ControlFlow::Continue(())
        });
    }

    /// Visits answers until the visitor stops, and returns what it returned
    /// last: a [`ControlFlow`] or a `Result<(), E>`.
    ///
    /// *Cost:* up to 64 blocks of eight objects are found before the first answer, unless `front_to_back` is said; for
    /// one answer, `any` costs less.
    #[inline]
    pub fn try_for_each<Returned: Flow>(self, mut visit: impl FnMut(T) -> Returned) -> Returned {
        let mut last = Returned::CONTINUE;
        self.visit(|answer| {
            last = visit(answer);
            if last.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        last
    }

    /// Clears `found` and fills it with every answer.
    #[inline]
    pub fn collect_into(mut self, found: &mut Vec<T>) {
        self.run(Sink::List(found));
    }

    /// One answer, whichever comes first; front to back, the nearest.
    #[must_use]
    #[inline]
    pub fn any(mut self) -> Option<T> {
        let mut any = None;
        self.run(Sink::Any(&mut any));
        any
    }

    /// The number of answers.
    #[must_use]
    #[inline]
    pub fn count(mut self) -> usize {
        let mut count = 0;
        self.run(Sink::Count(&mut count));
        count
    }
}

impl<'a, R: Region, F: Accept> OverlapQuery<'a, R, Handle, F> {
    /// Tells of each object whether it lies wholly inside the region. (After
    /// `seen_from` there is no need: a [`VisibleObject`] has its containment.)
    ///
    /// [`Containment::Inside`] is certain; [`Containment::Intersecting`] may
    /// also be said of an object that is inside but for rounding.
    #[inline]
    pub fn with_containment(self) -> OverlapQuery<'a, R, (Handle, Containment), F> {
        self.replace(|objects| objects)
    }

    /// Makes `found` the set of the answers, by slot: for passes over arrays
    /// that are indexed by [`Handle::slot`].
    ///
    /// *Cost:* a word for each 64 slots of the tree beside the question.
    #[inline]
    pub fn slots_into(mut self, found: &mut SlotSet) {
        let (filter, answers) = (self.objects.filter(), Answers::Slots(found));
        self.region.run(OverlapAsk { view: self.view, filter, stats: self.stats, answers });
    }
}

impl<'a, R: Region, F: Accept> OverlapQuery<'a, R, VisibleObject, F> {
    /// Answers come from near to far, of equally far ones the lowest slot
    /// first. The order suits occlusion: an answer may be hidden by earlier ones.
    ///
    /// *Cost:* each node and object on the way goes through a heap in `scratch`.
    #[inline]
    pub fn front_to_back(mut self, scratch: &'a mut Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }
}
