//! What a camera sees, near to far, without what looks too small, or as a set of slots.

use super::distant::{Answer, Distant, all};
use super::order::{QueryScratch, in_order};
use crate::data::ids::{Location, ObjectWord};
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{
    ALL_PLANES, Boxes, FrustumLanes, FrustumQuery, LaneMask, NearQuery, Spheres, WIDTH, raise, set_bits,
};
use crate::geometry::{Aabb, Containment, Frustum, check_point};
use crate::{Error, Handle};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// From where a camera looks, and how small is too small.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// than a pixel.
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

/// An object that a camera sees.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seen {
    /// The object.
    pub handle: Handle,
    /// How it lies to the frustum.
    pub containment: Containment,
    /// Distance from the eye to the object's surface, in world units; zero from inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
}

struct FromEye {
    frustum: FrustumQuery,
    near: NearQuery,
    eye: [f32; 3],
    size_min_sq: f32,
}

impl FromEye {
    fn new(frustum: &Frustum, from: &Viewpoint) -> Self {
        Self {
            frustum: FrustumQuery::new(frustum),
            near: NearQuery::new(&Aabb::new(from.eye, from.eye)),
            eye: from.eye.to_array(),
            size_min_sq: from.size_min * from.size_min,
        }
    }
}

impl Distant for FromEye {
    /// How the lanes lie to the planes, and how far they are.
    type Lanes = (FrustumLanes, [f32; WIDTH]);

    fn start(&self) -> u8 {
        ALL_PLANES
    }

    #[inline]
    fn test(&self, boxes: &Boxes, planes: u8, limit: f32) -> (LaneMask, Self::Lanes) {
        let lanes = self.frustum.boxes(boxes, planes);
        let (within, distances) = self.near.boxes(boxes, limit);
        (lanes.visible & within & boxes.look_large(self.eye, self.size_min_sq), (lanes, distances))
    }

    #[inline]
    fn carry(&self, lanes: &Self::Lanes, lane: usize) -> u8 {
        lanes.0.planes_of(lane)
    }

    #[inline]
    fn bounds(lanes: &Self::Lanes) -> &[f32; WIDTH] {
        &lanes.1
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut Self::Lanes, _: f32) -> LaneMask {
        raise(&mut lanes.1, which, &self.near.spheres(spheres));
        // A box inside has a sphere inside; of the others the sphere decides.
        let undecided = set_bits(u64::from(which)).filter(|&lane| lanes.0.planes_of(lane) != 0);
        let undecided = undecided.fold(0, |mask: LaneMask, lane| mask | 1 << lane);
        let tested = self.frustum.spheres(spheres);
        lanes.0.replace(undecided, &tested);
        tested.visible | !undecided
    }

    #[inline]
    fn settle(&mut self, _: ObjectWord, _: Location, bound: f32) -> Option<f32> {
        Some(bound)
    }
}

/// A set of objects, as one bit a slot; for passes over arrays that are
/// indexed by [`Handle::slot`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotSet {
    words: Vec<u64>,
}

impl SlotSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the object in a slot is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, slot: u32) -> bool {
        self.words.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// The number of objects in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The slots in the set, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let slots = self.words.iter().zip((0_u32..).step_by(64));
        #[expect(clippy::cast_possible_truncation, reason = "a bit is below 64")]
        slots.flat_map(|(&word, first)| set_bits(word).map(move |bit| first + bit as u32))
    }

    /// The bits, 64 slots a word, the lowest slot in the lowest bit.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    fn clear(&mut self, slots: usize) {
        self.words.clear();
        self.words.resize(slots.div_ceil(64), 0);
    }

    #[inline]
    fn insert(&mut self, slot: u32) {
        if let Some(word) = self.words.get_mut(slot as usize / 64) {
            *word |= 1 << (slot % 64);
        }
    }
}

impl View<'_> {
    /// Visits the objects that [`View::in_frustum`] reports and that do not
    /// look too small from a point, near to far, of equally far ones the lowest
    /// slot first. The order suits occlusion: what comes may be hidden by what came.
    ///
    /// ```
    /// use broadleaf::glam::{Vec3, camera::rh::proj::directx::perspective};
    /// use broadleaf::{Aabb, ClipDepth, Frustum, Layers, Octree, QueryScratch, Viewpoint};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5));
    /// let far = tree.insert(unit.translated(Vec3::NEG_Z * 20.0))?;
    /// let near = tree.insert(unit.translated(Vec3::NEG_Z * 5.0))?;
    /// let speck = tree.insert(unit.translated(Vec3::NEG_Z * 90.0))?;
    ///
    /// let frustum = Frustum::from_view_projection(perspective(1.0, 1.5, 0.1, 100.0), ClipDepth::ZeroToOne)?;
    /// let eye = Viewpoint::new(Vec3::ZERO, 0.05)?;
    /// let mut drawn = Vec::new();
    /// tree.view().in_frustum_from(&frustum, &eye, Layers::ALL, &mut QueryScratch::new(), |seen| {
    ///     drawn.push(seen.handle);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(drawn, [near, far]);
    /// assert!(!drawn.contains(&speck));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::in_frustum`] for what looks large enough; each
    /// node and object on the way goes through a heap.
    pub fn in_frustum_from(
        self,
        frustum: &Frustum,
        from: &Viewpoint,
        layers: Layers,
        scratch: &mut QueryScratch,
        mut visit: impl FnMut(Seen) -> ControlFlow<()>,
    ) -> QueryStats {
        let visit = |answer| visit(self.seen(answer));
        in_order(self, layers, FromEye::new(frustum, from), f32::INFINITY, scratch, visit)
    }

    /// Fills `found` with the objects of [`View::in_frustum_from`], near to far.
    pub fn in_frustum_from_into(
        self,
        frustum: &Frustum,
        from: &Viewpoint,
        layers: Layers,
        scratch: &mut QueryScratch,
        found: &mut Vec<Seen>,
    ) -> QueryStats {
        found.clear();
        self.in_frustum_from(frustum, from, layers, scratch, |seen| {
            found.push(seen);
            ControlFlow::Continue(())
        })
    }

    /// Visits the objects of [`View::in_frustum_from`] in no order of distance.
    ///
    /// ```
    /// use broadleaf::glam::{Vec3, camera::rh::proj::directx::perspective};
    /// use broadleaf::{ClipDepth, Frustum, Layers, Octree, Sphere, Viewpoint};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let house = tree.insert(Sphere::new(Vec3::NEG_Z * 50.0, 5.0))?;
    /// let pebble = tree.insert(Sphere::new(Vec3::NEG_Z * 60.0, 0.01))?;
    /// let frustum = Frustum::from_view_projection(perspective(1.0, 1.5, 0.1, 100.0), ClipDepth::ZeroToOne)?;
    /// let mut drawn = Vec::new();
    /// tree.view().in_frustum_sized(&frustum, &Viewpoint::new(Vec3::ZERO, 0.001)?, Layers::ALL, |seen| {
    ///     drawn.push(seen.handle);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(drawn, [house]);
    /// assert!(!drawn.contains(&pebble));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* that of [`View::in_frustum`]; subtrees in which everything looks
    /// too small are not entered.
    pub fn in_frustum_sized(
        self,
        frustum: &Frustum,
        from: &Viewpoint,
        layers: Layers,
        mut visit: impl FnMut(Seen) -> ControlFlow<()>,
    ) -> QueryStats {
        all(self, layers, FromEye::new(frustum, from), f32::INFINITY, |answer| visit(self.seen(answer)))
    }

    /// Fills `found` with the objects of [`View::in_frustum_sized`].
    pub fn in_frustum_sized_into(
        self,
        frustum: &Frustum,
        from: &Viewpoint,
        layers: Layers,
        found: &mut Vec<Seen>,
    ) -> QueryStats {
        found.clear();
        self.in_frustum_sized(frustum, from, layers, |seen| {
            found.push(seen);
            ControlFlow::Continue(())
        })
    }

    /// Makes `found` the set of the objects that [`View::in_frustum`] reports, by slot.
    ///
    /// *Cost:* that of [`View::in_frustum`], and a word for each 64 slots.
    ///
    /// ```
    /// # use broadleaf::{Aabb, Frustum, Layers, Octree, Plane, SlotSet, glam::Vec3};
    /// let mut tree = Octree::default();
    /// let handle = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let frustum = Frustum::from_planes([Plane { normal: Vec3::X, offset: 5.0 }; 6])?;
    /// let mut visible = SlotSet::new();
    /// tree.view().in_frustum_slots(&frustum, Layers::ALL, &mut visible);
    /// assert!(visible.contains(handle.slot()));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    pub fn in_frustum_slots(self, frustum: &Frustum, layers: Layers, found: &mut SlotSet) -> QueryStats {
        found.clear(self.data.objects.slots_len() as usize);
        self.in_frustum(frustum, layers, |handle, _| {
            found.insert(handle.slot());
            ControlFlow::Continue(())
        })
    }

    fn seen(self, answer: Answer) -> Seen {
        let containment = if answer.carry == 0 { Containment::Inside } else { Containment::Intersecting };
        let handle = self.data.blocks[answer.at.block()].handle(answer.at.lane());
        Seen { handle, containment, distance: answer.distance }
    }
}
