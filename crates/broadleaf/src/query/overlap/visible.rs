//! Visible objects: what overlaps a region as seen from a viewpoint, near to far,
//! without objects that look too small.

use crate::data::{Location, MapTake, ObjectWord, QueryStats, Sink, Take, View};
use crate::geometry::lanes::{Boxes, LaneMask, NearQuery, Spheres, WIDTH, raise};
use crate::geometry::{Aabb, Containment, check_point};
use crate::query::distance::{AnswerAt, DistanceQuestion, all};
use crate::query::region::{RegionLanes, WithLanes};
use crate::query::walk::best_first::in_order;
use crate::query::{Filter, Region};
use crate::scratch::Scratch;
use crate::{Error, Handle};
use core::ops::ControlFlow;
use glam::Vec3;

/// From where a camera looks, and how small is too small.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "SavedViewpoint", into = "SavedViewpoint")
)]
pub struct Viewpoint {
    eye: Vec3,
    size_min: f32,
}

impl Viewpoint {
    /// Looking from `eye`; objects whose box's diagonal over its distance is
    /// below `size_min` are not seen. Zero leaves none out; the height of a
    /// pixel over the distance of the picture plane leaves out what is smaller
    /// than a pixel. Seen is also what is so far away that the square of the distance is no number of 32
    /// bits: from 1.8e19 units on.
    ///
    /// # Errors
    /// A number that is not finite, or a size below zero.
    pub fn new(eye: Vec3, size_min: f32) -> Result<Self, Error> {
        check_point(eye, ["eye.x", "eye.y", "eye.z"])?;
        check_point(Vec3::splat(size_min), ["size_min"; 3])?;
        if size_min < 0.0 { Err(Error::NegativeSize { size_min }) } else { Ok(Self { eye, size_min }) }
    }
}

/// A viewpoint as it is saved.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Viewpoint")]
struct SavedViewpoint {
    #[serde(with = "crate::geometry::floats")]
    eye: Vec3,
    #[serde(with = "crate::geometry::floats")]
    size_min: f32,
}

#[cfg(feature = "serde")]
impl From<Viewpoint> for SavedViewpoint {
    fn from(Viewpoint { eye, size_min }: Viewpoint) -> Self {
        Self { eye, size_min }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<SavedViewpoint> for Viewpoint {
    type Error = Error;

    fn try_from(SavedViewpoint { eye, size_min }: SavedViewpoint) -> Result<Self, Error> {
        Self::new(eye, size_min)
    }
}

/// An object as seen from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VisibleObject {
    /// The object.
    pub handle: Handle,
    /// How it lies to the region.
    pub containment: Containment,
    /// Distance from the eye to the object's surface, in world units; zero from inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
}

/// The tests of a region, with the distances from an eye.
struct VisibleQuestion<'a, L> {
    view: View<'a>,
    region: L,
    near: NearQuery,
    eye: [f32; 3],
    size_min_sq: f32,
}

impl<'a, L: RegionLanes> VisibleQuestion<'a, L> {
    #[inline]
    fn new(view: View<'a>, region: L, from: &Viewpoint) -> Self {
        let near = NearQuery::new(&Aabb::new(from.eye, from.eye));
        Self { view, region, near, eye: from.eye.to_array(), size_min_sq: from.size_min * from.size_min }
    }

    /// The answer for an object that passed.
    fn answer(view: View<'a>, region: &L, reached: AnswerAt) -> VisibleObject {
        let AnswerAt { word, at, distance, carry } = reached;
        let containment = region.containment(view, word, at, region.unpack(carry));
        VisibleObject { handle: view.handle_at(at), containment, distance }
    }
}

impl<L: RegionLanes> DistanceQuestion for VisibleQuestion<'_, L> {
    /// How the lanes lie to the region, and how far they are.
    type Lanes = (L::Lanes, [f32; WIDTH]);

    fn start(&self) -> u8 {
        L::pack(self.region.start())
    }

    #[inline]
    fn test(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, Self::Lanes) {
        let (mask, lanes) = self.region.test(boxes, self.region.unpack(carry));
        let (within, distances) = self.near.boxes(boxes, limit);
        (mask & within & boxes.look_large(self.eye, self.size_min_sq), (lanes, distances))
    }

    #[inline]
    fn test_objects(&self, boxes: &Boxes, carry: u8, limit: f32) -> (LaneMask, Self::Lanes) {
        let (mask, lanes) = self.region.test_objects(boxes, self.region.unpack(carry));
        let (within, distances) = self.near.boxes(boxes, limit);
        (mask & within & boxes.look_large(self.eye, self.size_min_sq), (lanes, distances))
    }

    #[inline]
    fn carry(&self, lanes: &Self::Lanes, lane: usize) -> u8 {
        L::pack(self.region.carry(&lanes.0, lane))
    }

    #[inline]
    fn bounds(lanes: &Self::Lanes) -> &[f32; WIDTH] {
        &lanes.1
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Self::Lanes, _: f32) -> LaneMask {
        raise(&mut lanes.1, which, &self.near.spheres(spheres));
        self.region.refine(spheres, which, &mut lanes.0)
    }

    #[inline]
    fn exact(&mut self, word: ObjectWord, at: Location, bound: f32, carry: u8) -> Option<f32> {
        self.region.confirms(self.view, word, at, self.region.unpack(carry)).then_some(bound)
    }
}

/// Hands out the visible objects in the order of the traversal.
#[inline]
pub(super) fn visible<L: RegionLanes>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    region: L,
    from: &Viewpoint,
    take: impl Take<VisibleObject>,
) -> QueryStats {
    let question = VisibleQuestion::new(view, region.clone(), from);
    let map = |reached| VisibleQuestion::answer(view, &region, reached);
    all(view, filter, question, f32::INFINITY, MapTake { take, map })
}

/// Hands out the visible objects, near to far.
pub(super) fn visible_in_order<L: RegionLanes>(
    view: View<'_>,
    filter: &mut Filter<'_>,
    region: L,
    from: &Viewpoint,
    scratch: &mut Scratch,
    mut sink: Sink<'_, VisibleObject>,
) -> QueryStats {
    let question = VisibleQuestion::new(view, region.clone(), from);
    let visit = |reached: AnswerAt| sink.take(VisibleQuestion::answer(view, &region, reached));
    in_order(view, filter, question, f32::INFINITY, &mut scratch.order, visit)
}

struct VisitVisible<'a, 'f, V> {
    view: View<'a>,
    filter: &'a mut Filter<'f>,
    from: &'a Viewpoint,
    visit: V,
}

impl<V: FnMut(VisibleObject) -> ControlFlow<()>> WithLanes for VisitVisible<'_, '_, V> {
    type Output = ();

    #[inline]
    fn with<L: RegionLanes>(self, lanes: L) {
        visible(self.view, self.filter, lanes, self.from, self.visit);
    }
}

/// Visits the visible objects in the order of the traversal.
#[inline]
pub(super) fn visit_visible<R: Region>(
    view: View<'_>,
    region: &R,
    filter: &mut Filter<'_>,
    from: &Viewpoint,
    visit: impl FnMut(VisibleObject) -> ControlFlow<()>,
) {
    region.with_lanes(VisitVisible { view, filter, from, visit });
}
