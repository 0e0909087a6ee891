//! The order in which a pile holds its objects: what is alike and near stands together.
//!
//! ```text
//! key(object) =  the axes along which it is long (3 bits)
//!                the place of its centre on a Hilbert curve through the box
//!                around all centres (30 bits)
//!                its place in the list (31 bits)
//! order(list):   sort by key; order each run with equal first two parts that is
//!                longer than a bucket again, through its own box
//! ```
//!
//! An object is long along an axis if it is not short beside the extent of all
//! centres. Objects that are long along the same axes have bounds that enclose
//! little beside them: sticks along x and sticks along y in one bucket would fill
//! a slab. One object far from all others would leave one step of the curve to
//! the rest: such a run is ordered again, at 1024 times the resolution.
//!
//! *Cost:* a sort by numbers, and another for each factor of 1024 between the
//! distances of what is crowded.

use crate::data::BUCKET_CAPACITY;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, CurveKeys, WIDTH};
use glam::Vec3;

/// What stands in a pile, or is going to, and the key by which it is ordered.
#[derive(Debug, Clone, Copy)]
pub(in crate::tree) struct Keyed<T> {
    key: u64,
    pub(in crate::tree) object: T,
}

impl<T> Keyed<T> {
    pub(in crate::tree) fn new(object: T) -> Self {
        Self { key: 0, object }
    }
}

/// Bits of a key below the place on the curve, and below the axes.
const CURVE_SHIFT: u32 = 31;
const AXES_SHIFT: u32 = CURVE_SHIFT + 30;
/// Bits of the curve for each axis.
const CURVE_BITS: u32 = 10;

/// An edge counts as long if it has at least this share of the extent of all centres.
const LONG: f32 = 0.25;

/// Where an object stands: finite, though its bounds may not be.
fn center(aabb: &Aabb) -> Vec3 {
    const FAR: Vec3 = Vec3::splat(1e37);
    (aabb.min.clamp(-FAR, FAR) + aabb.max.clamp(-FAR, FAR)) * 0.5
}

/// The box around the centres of objects.
fn centers<T>(objects: &[Keyed<T>], aabb: impl Fn(&T) -> Aabb) -> Aabb {
    let points = objects.iter().map(|object| center(&aabb(&object.object)));
    points.fold(Aabb::EMPTY, |bounds, point| bounds.union(&Aabb::new(point, point)))
}

/// Puts objects with such boxes into the order in which a pile holds them.
pub(in crate::tree) fn order<T>(objects: &mut [Keyed<T>], aabb: impl Fn(&T) -> Aabb + Copy) {
    let bounds = centers(objects, aabb);
    let long = bounds.extents() * LONG;
    for object in &mut *objects {
        let axes = aabb(&object.object).extents().cmpge(long).bitmask();
        object.key = u64::from(axes) << AXES_SHIFT;
    }
    order_along_curve(objects, aabb, &bounds);
}

/// Orders objects whose centres lie within `bounds`; those that are long along other axes stay apart.
fn order_along_curve<T>(objects: &mut [Keyed<T>], aabb: impl Fn(&T) -> Aabb + Copy, bounds: &Aabb) {
    let curve = CurveKeys::new(bounds, CURVE_BITS);
    for (first, eight) in (0_u64..).step_by(WIDTH).zip(objects.chunks_mut(WIDTH)) {
        let point = |object: &Keyed<T>| {
            let center = center(&aabb(&object.object));
            Aabb::new(center, center)
        };
        let keys = curve.hilbert_keys(&Boxes::gather(|lane| eight.get(lane).map_or(Aabb::EMPTY, point)));
        for ((place, object), key) in (first..).zip(eight).zip(keys) {
            object.key = object.key >> AXES_SHIFT << AXES_SHIFT | u64::from(key) << CURVE_SHIFT | place;
        }
    }
    objects.sort_unstable_by_key(|object| object.key);
    let size = bounds.extents().max_element();
    for run in objects.chunk_by_mut(|a, b| a.key >> CURVE_SHIFT == b.key >> CURVE_SHIFT) {
        if run.len() > BUCKET_CAPACITY {
            let within = centers(run, aabb);
            // What coincides, but for rounding, stays as it is.
            if within.extents().max_element() < size * 0.5 && within.min != within.max {
                order_along_curve(run, aabb, &within);
            }
        }
    }
}
