//! The forms of answers of an overlap question, and the question that hands them out in
//! the order of the traversal.

use super::visible::{Viewpoint, VisibleObject, visit_visible};
use crate::data::{Location, ObjectWord, QueryStats, Sink, Take, View};
use crate::geometry::lanes::{Boxes, LaneMask, Spheres, set_bits, set_bits_counted};
use crate::query::region::{RegionLanes, WithLanes};
use crate::query::walk::{FoundObject, Question, walk};
use crate::query::{Answers, Filter, Region};
use crate::scratch::Scratch;
use crate::{Containment, Handle};
use core::marker::PhantomData;
use core::ops::ControlFlow;

/// What an [`OverlapQuery`](crate::query::OverlapQuery) answers: a [`Handle`], a
/// `(Handle, Containment)`, or a [`VisibleObject`]. Nothing else can be.
pub trait Answer: Sized {
    /// What is asked for, without type parameters.
    #[doc(hidden)]
    fn answers<'s>(sink: Sink<'s, Self>, viewpoint: Option<Viewpoint>, scratch: Option<&'s mut Scratch>)
    -> Answers<'s>;

    /// Asks a plain question in the order of the traversal.
    #[doc(hidden)]
    fn visit<R: Region>(
        view: View<'_>,
        region: &R,
        filter: &mut Filter<'_>,
        viewpoint: Option<Viewpoint>,
        visit: impl FnMut(Self) -> ControlFlow<()>,
    );
}

macro_rules! plain_answer {
    ($answer:ty, $variant:ident) => {
        impl Answer for $answer {
            #[inline]
            fn answers<'s>(sink: Sink<'s, Self>, _: Option<Viewpoint>, _: Option<&'s mut Scratch>) -> Answers<'s> {
                Answers::$variant(sink)
            }

            #[inline]
            fn visit<R: Region>(
                view: View<'_>,
                region: &R,
                filter: &mut Filter<'_>,
                _: Option<Viewpoint>,
                visit: impl FnMut(Self) -> ControlFlow<()>,
            ) {
                region.with_lanes(PlainOverlapVisit { view, filter, take: visit, answer: PhantomData::<Self> });
            }
        }
    };
}
plain_answer!(Handle, Handles);
plain_answer!((Handle, Containment), Contained);

impl Answer for VisibleObject {
    #[inline]
    fn answers<'s>(
        sink: Sink<'s, Self>,
        viewpoint: Option<Viewpoint>,
        scratch: Option<&'s mut Scratch>,
    ) -> Answers<'s> {
        Answers::Visible(sink, viewpoint.unwrap_or_default(), scratch)
    }

    #[inline]
    fn visit<R: Region>(
        view: View<'_>,
        region: &R,
        filter: &mut Filter<'_>,
        viewpoint: Option<Viewpoint>,
        visit: impl FnMut(Self) -> ControlFlow<()>,
    ) {
        visit_visible(view, region, filter, &viewpoint.unwrap_or_default(), visit);
    }
}

/// An answer that is made of a handle and its containment.
pub(super) trait FromContainment {
    fn make(handle: Handle, containment: impl FnOnce() -> Containment) -> Self;
}

impl FromContainment for Handle {
    #[inline]
    fn make(handle: Handle, _: impl FnOnce() -> Containment) -> Self {
        handle
    }
}

impl FromContainment for (Handle, Containment) {
    #[inline]
    fn make(handle: Handle, containment: impl FnOnce() -> Containment) -> Self {
        (handle, containment())
    }
}

/// A plain question, once the tests of the region are known.
struct PlainOverlapVisit<'a, 'f, T, S> {
    view: View<'a>,
    filter: &'a mut Filter<'f>,
    take: S,
    answer: PhantomData<T>,
}

impl<T: FromContainment, S: Take<T>> WithLanes for PlainOverlapVisit<'_, '_, T, S> {
    type Output = ();

    #[inline]
    fn with<L: RegionLanes>(self, lanes: L) {
        each::<true, T, _, _>(self.view, self.filter, lanes, self.take);
    }
}

/// Hands out what overlaps a region, in the order of the traversal.
#[inline]
pub(super) fn each<const PLAIN: bool, T: FromContainment, L: RegionLanes, S: Take<T>>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    lanes: L,
    take: S,
) -> QueryStats {
    let mut question = OverlapVisit::<PLAIN, T, L, S> { view, lanes, hits: 0, take, answer: PhantomData };
    let stats = walk(view, filter, &mut question);
    QueryStats { hits: question.hits, ..stats }
}

struct OverlapVisit<'a, const PLAIN: bool, T, L, S> {
    view: View<'a>,
    lanes: L,
    hits: u64,
    take: S,
    answer: PhantomData<T>,
}

impl<const PLAIN: bool, T: FromContainment, L: RegionLanes, S: Take<T>> Question for OverlapVisit<'_, PLAIN, T, L, S> {
    type Carry = L::Carry;
    type Lanes = L::Lanes;
    const PLAIN: bool = PLAIN;
    const ENDS_AT_FIRST: bool = S::ENDS_AT_FIRST;

    #[inline]
    fn start(&self) -> L::Carry {
        self.lanes.start()
    }

    #[inline]
    fn test(&self, boxes: &Boxes, carry: L::Carry) -> (LaneMask, L::Lanes) {
        self.lanes.test(boxes, carry)
    }

    #[inline]
    fn test_objects(&self, boxes: &Boxes, carry: L::Carry) -> (LaneMask, L::Lanes) {
        self.lanes.test_objects(boxes, carry)
    }

    #[inline]
    fn carry(&self, lanes: &L::Lanes, lane: usize) -> L::Carry {
        self.lanes.carry(lanes, lane)
    }

    #[inline]
    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut L::Lanes) -> LaneMask {
        self.lanes.refine(spheres, which, lanes)
    }

    #[inline]
    fn hit(&mut self, object: FoundObject<'_, L::Lanes>) -> ControlFlow<()> {
        let (view, at, word): (View<'_>, Location, ObjectWord) = (self.view, object.at, object.word);
        let carry = self.lanes.carry(object.lanes, at.lane());
        if !self.lanes.confirms(view, word, at, carry) {
            return ControlFlow::Continue(());
        }
        if !PLAIN {
            self.hits += 1;
        }
        self.take.take(T::make(object.handle(), || self.lanes.containment(view, word, at, carry)))
    }

    #[inline(always)]
    fn hit_all<'b>(&mut self, bits: u64, object: impl Fn(usize) -> FoundObject<'b, L::Lanes>) -> ControlFlow<()>
    where
        L::Lanes: 'b,
    {
        if L::CONFIRMS {
            return set_bits(bits).try_for_each(|bit| self.hit(object(bit)));
        }
        let (lanes, view) = (&self.lanes, self.view);
        let answer = |object: FoundObject<'_, L::Lanes>| {
            let carry = || lanes.carry(object.lanes, object.at.lane());
            T::make(object.handle(), || lanes.containment(view, object.word, object.at, carry()))
        };
        self.take.take_all(set_bits_counted(bits).map(|bit| answer(object(bit))), &mut self.hits)
    }
}
