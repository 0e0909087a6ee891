//! The order in which a pile holds its objects: near objects of like proportions are
//! neighbours. `pile.rs` cuts the ordered list into buckets.
//!
//! ```text
//! key(object) =  the axes along which the object is long (3 bits)
//!                the place of its centre along the other axes (27 bits):
//!                  two or three axes:  the position on a Hilbert curve through the
//!                                      box around all centres
//!                  one axis:           the distance from the lower side of that box
//! order(list):   sort by key, with the radix sort of bulk builds;
//!                for each group of equal keys:
//!                    sort by index
//!                    if it is larger than a bucket:  order it by the same rule, in
//!                                                    the box around its own centres
//! ```
//!
//! An object is long along an axis if its edge is at least a quarter of the edge of the
//! box around all centres. Objects that are long along the same axes are kept together,
//! because the box around them encloses little empty space. The box around sticks along x
//! and sticks along y would be a slab, most of it empty. Along an axis on which they are
//! long, most of them overlap, so their places on it are left out, unless they are long
//! along all three.
//!
//! The curve has 512 steps along the longest axis of the box around all centres; for fewer
//! than 256 objects it has 32. If one object lies far from all others, that box is large,
//! and the others may all lie within one step: their curve positions are equal. On a curve
//! through its own box, such a group is ordered at 32 or 512 times the resolution or finer.
//!
//! *Cost:* one sort of integer keys. A crowded group is sorted once more for each factor of
//! 512 (32 for fewer than 256 objects) between the size of the box around all centres and
//! the distances within the group.
//!
//! *Source:* I. Kamel and C. Faloutsos, On Packing R-trees, 1993, for the order along a
//! Hilbert curve.

use crate::data::BUCKET_CAPACITY;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, CurveKeys, Extent, WIDTH};
use crate::tree::build::sort::{Item, sort_by_key};
use alloc::vec::Vec;

/// Bits of the curve position for each axis.
const CURVE_BITS: u32 = 9;

/// An object is long along an axis if its edge is at least this share of the edge of the box around all centres.
const LONG: f32 = 0.25;

/// The boxes of eight items, with finite coordinates: the box of an outsized object may be infinite. In the
/// lanes that are left over, the last of them again.
#[inline]
fn boxes_of(eight: &[Item], aabb: impl Fn(usize) -> Aabb) -> Boxes {
    // Far enough below the largest float that sums and differences of coordinates do not overflow.
    const FAR: f32 = 1e37;
    Boxes::gather(|lane| aabb(eight[lane.min(eight.len() - 1)].index())).clamped(FAR)
}

/// The box around the centres of all items.
fn centers(items: &[Item], aabb: impl Fn(usize) -> Aabb + Copy) -> Aabb {
    let mut extent = Extent::EMPTY;
    items.chunks(WIDTH).for_each(|eight| extent.add(&boxes_of(eight, aabb), f32::INFINITY));
    extent.centers()
}

/// Sorts items into the order in which a pile holds them, and gives them other keys; `aabb` gives the box of the
/// object of an index.
pub(in crate::tree) fn order(items: &mut [Item], spare: &mut Vec<Item>, aabb: impl Fn(usize) -> Aabb + Copy) {
    let bounds = centers(items, aabb);
    order_along_curve(items, spare, aabb, &bounds);
}

/// Lists of fewer items use shorter keys.
const SHORT_KEYS_BELOW: usize = 256;

/// The low bits of a key that are left out where items are few: the sort has less to do. A longer list needs all of
/// them: a group of equal keys is not ordered further where its centres lie far apart along an axis that the keys
/// leave out.
const BITS_LEFT_OUT: u32 = 12;

/// Sorts along the curve through `bounds`, the box around all centres.
fn order_along_curve(items: &mut [Item], spare: &mut Vec<Item>, aabb: impl Fn(usize) -> Aabb + Copy, bounds: &Aabb) {
    let (curve, long) = (CurveKeys::new(bounds, CURVE_BITS), bounds.extents() * LONG);
    let sorted = if items.len() < SHORT_KEYS_BELOW { !0 << BITS_LEFT_OUT } else { !0 };
    for eight in items.chunks_mut(WIDTH) {
        let keys = curve.pile_keys(&boxes_of(eight, aabb), long);
        eight.iter_mut().zip(keys).for_each(|(item, key)| item.set_key(key & sorted));
    }
    sort_by_key(items, spare);
    let size = bounds.extents().max_element();
    for group in items.chunk_by_mut(|a, b| a.key() == b.key()) {
        // By index, so that the order follows from the objects, and not from the order in which they came.
        group.sort_unstable();
        if group.len() > BUCKET_CAPACITY {
            let within = centers(group, aabb);
            // Ends the recursion: centres that coincide cannot be separated, and neither can those of a box
            // that has hardly shrunk, for they have equal curve positions only because of rounding.
            if within.extents().max_element() < size * 0.5 && within.min != within.max {
                order_along_curve(group, spare, aabb, &within);
            }
        }
    }
}
