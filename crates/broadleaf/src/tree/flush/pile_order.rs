//! The order in which a pile holds its objects: near objects of like proportions are
//! neighbours. `pile.rs` cuts the ordered list into buckets.
//!
//! ```text
//! key(object) =  the axes along which the object is long (3 bits)
//!                the position of its centre on a Hilbert curve through the box
//!                around all centres (30 bits)
//!                its index in the list (31 bits): makes keys distinct
//! order(list):   sort by key;
//!                for each group with equal axes and equal curve position that is
//!                larger than a bucket:  order the group by the same rule, on a curve
//!                                       through the box around its own centres
//! ```
//!
//! An object is long along an axis if its edge is at least a quarter of the edge of the
//! box around all centres. Objects that are long along the same axes are kept together,
//! because the box around them encloses little empty space. The box around sticks along x
//! and sticks along y would be a slab, most of it empty.
//!
//! The curve has 1024 steps along the longest axis of the box around all centres. If one
//! object lies far from all others, that box is large, and the others may all lie within
//! one step: their curve positions are equal. On a curve through its own box, such a group
//! is ordered at 1024 times the resolution or finer.
//!
//! *Cost:* one sort of integer keys. A crowded group is sorted once more for each factor of
//! 1024 between the size of the box around all centres and the distances within the group.
//!
//! *Source:* I. Kamel and C. Faloutsos, On Packing R-trees, 1993, for the order along a
//! Hilbert curve.

use crate::data::BUCKET_CAPACITY;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, CurveKeys, WIDTH};
use glam::Vec3;

/// An object of a pile, or one that is about to be put there, with its sort key.
#[derive(Debug, Clone, Copy)]
pub(in crate::tree) struct Keyed<T> {
    key: u64,
    pub(in crate::tree) object: T,
}

impl<T> Keyed<T> {
    /// The key is zero until [`order`] computes it.
    pub(in crate::tree) fn new(object: T) -> Self {
        Self { key: 0, object }
    }
}

/// The lowest bit of the curve position in a key; below it is the index in the list.
const CURVE_SHIFT: u32 = 31;
/// The lowest bit of the axes in a key.
const AXES_SHIFT: u32 = CURVE_SHIFT + 30;
/// Bits of the curve position for each axis.
const CURVE_BITS: u32 = 10;

/// An object is long along an axis if its edge is at least this share of the edge of the box around all centres.
const LONG: f32 = 0.25;

/// The centre of a box; finite, although the box of an outsized object may be infinite.
fn center(aabb: &Aabb) -> Vec3 {
    // Far enough below the largest float that sums and differences of centres do not overflow.
    const FAR: Vec3 = Vec3::splat(1e37);
    (aabb.min.clamp(-FAR, FAR) + aabb.max.clamp(-FAR, FAR)) * 0.5
}

/// The box around the centres of all objects.
fn centers<T>(objects: &[Keyed<T>], aabb: impl Fn(&T) -> Aabb) -> Aabb {
    let points = objects.iter().map(|object| center(&aabb(&object.object)));
    points.fold(Aabb::EMPTY, |bounds, point| bounds.union(&Aabb::new(point, point)))
}

/// Sorts objects into the order in which a pile holds them; `aabb` gives the box of each.
pub(in crate::tree) fn order<T>(objects: &mut [Keyed<T>], aabb: impl Fn(&T) -> Aabb + Copy) {
    let bounds = centers(objects, aabb);
    let long = bounds.extents() * LONG;
    for object in &mut *objects {
        let axes = aabb(&object.object).extents().cmpge(long).bitmask();
        object.key = u64::from(axes) << AXES_SHIFT;
    }
    order_along_curve(objects, aabb, &bounds);
}

/// Sorts by the axes already in the keys, then along the curve through `bounds`, which contains all centres.
fn order_along_curve<T>(objects: &mut [Keyed<T>], aabb: impl Fn(&T) -> Aabb + Copy, bounds: &Aabb) {
    let curve = CurveKeys::new(bounds, CURVE_BITS);
    for (first, eight) in (0_u64..).step_by(WIDTH).zip(objects.chunks_mut(WIDTH)) {
        // A curve key is that of the middle of a box. A box without extent at the finite centre is passed,
        // because an object's own box may be infinite.
        let point = |object: &Keyed<T>| {
            let center = center(&aabb(&object.object));
            Aabb::new(center, center)
        };
        let keys = curve.hilbert_keys(&Boxes::gather(|lane| eight.get(lane).map_or(Aabb::EMPTY, point)));
        for ((place, object), key) in (first..).zip(eight).zip(keys) {
            // Keeps the axes; replaces the curve position and the index.
            object.key = object.key >> AXES_SHIFT << AXES_SHIFT | u64::from(key) << CURVE_SHIFT | place;
        }
    }
    objects.sort_unstable_by_key(|object| object.key);
    let size = bounds.extents().max_element();
    for run in objects.chunk_by_mut(|a, b| a.key >> CURVE_SHIFT == b.key >> CURVE_SHIFT) {
        if run.len() > BUCKET_CAPACITY {
            let within = centers(run, aabb);
            // Ends the recursion: centres that coincide cannot be separated, and neither can those of a box
            // that has hardly shrunk, for they have equal curve positions only because of rounding.
            if within.extents().max_element() < size * 0.5 && within.min != within.max {
                order_along_curve(run, aabb, &within);
            }
        }
    }
}
