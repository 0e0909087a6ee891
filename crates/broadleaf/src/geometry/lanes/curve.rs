//! Keys of boxes along curves through a static box, eight at a time: a Morton curve for
//! meshes, a Hilbert curve for piles, and coarse cells for the questions of a batch.

use super::keys::spread_bits;
use super::{Boxes, Lane, WIDTH};
use crate::geometry::Aabb;
use glam::Vec3;
use wide::u32x8;

/// Makes the Morton keys of a static box, up to ten bits an axis.
#[derive(Clone, Copy)]
pub(crate) struct CurveKeys {
    /// Twice the lower corner.
    low: [f32; 3],
    scale: f32,
}

impl CurveKeys {
    #[inline]
    pub(crate) fn new(bounds: &Aabb, bits: u32) -> Self {
        let size = (bounds.max - bounds.min).max_element();
        let cells = (1_u32 << bits.min(10)) - 1;
        // Halved: the difference of twice two coordinates.
        #[expect(clippy::cast_precision_loss, reason = "at most ten bits")]
        let scale = (cells as f32 / size).min(f32::MAX) * 0.5;
        Self { low: (bounds.min * 2.0).to_array(), scale }
    }

    /// How many steps the middles of eight boxes are away from the lower side along an axis; a fraction too.
    #[inline]
    fn places(&self, boxes: &Boxes, axis: usize) -> Lane {
        let twice = boxes.column(axis) + boxes.column(axis + 3);
        (twice - Lane::splat(self.low[axis])) * Lane::splat(self.scale)
    }

    /// The keys of the middles of eight boxes; of boxes that lie outside, some keys.
    #[inline]
    pub(crate) fn keys(&self, boxes: &Boxes) -> [u32; WIDTH] {
        let axis = |i: usize| spread_bits(rounded(self.places(boxes, i)));
        (axis(0) | axis(1) << 1_u32 | axis(2) << 2_u32).to_array()
    }

    /// Keys for the order of a pile: the axes along which a box is at least as long as `long`, a bit for each,
    /// above its place along the others, or along all axes if it is long along all. One axis: as it is. Two or
    /// three: along a Hilbert curve of nine bits an axis, which makes no jumps, so that boxes of near keys are
    /// near each other.
    #[inline]
    pub(crate) fn pile_keys(&self, boxes: &Boxes, long: Vec3) -> [u32; WIDTH] {
        let is_long = |i: usize| (boxes.column(i + 3) - boxes.column(i)).simd_ge(Lane::splat(long[i]));
        let [x, y, z] = [0, 1, 2].map(is_long);
        let all = x & y & z;
        let place = |i: usize, is_long: Lane| (all | !is_long) & self.places(boxes, i);
        let places = [place(0, x), place(1, y), place(2, z)];
        // All but one of them are zero.
        let one = rounded((places[0] + places[1] + places[2]) * Lane::splat((1 << 13) as f32)) << 5_u32;
        let are_one = !all & ((x & y) | (y & z) | (z & x));
        let is_one = are_one.to_bits();
        // Mostly a pile holds objects of like proportions: then no box needs the curve, or all do.
        let steps = || places.map(|place| rounded(place) & u32x8::splat(511));
        let curve = if are_one.to_bitmask() == 0xff { u32x8::splat(0) } else { hilbert_keys(steps()) };
        let axes = [x, y, z].map(|is_long| is_long.to_bits() & u32x8::splat(1));
        let axes = axes[0] | axes[1] << 1_u32 | axes[2] << 2_u32;
        (axes << 27_u32 | (is_one & one | !is_one & curve) & u32x8::splat((1 << 27) - 1)).to_array()
    }
}

/// The integers that are nearest to values from 0 to 2^22, in the last 23 bits; above them are others.
#[inline]
fn rounded(value: Lane) -> u32x8 {
    // Where 2^23 is added, the integer part stands in the last bits.
    (value + Lane::splat((1 << 23) as f32)).to_bits()
}

/// The keys of points along a Hilbert curve of nine bits an axis.
///
/// *Source:* J. Skilling, Programming the Hilbert Curve, 2004.
#[inline]
fn hilbert_keys(mut steps: [u32x8; 3]) -> u32x8 {
    for bit in (1..9).rev().map(|place| 1_u32 << place) {
        let below = u32x8::splat(bit - 1);
        for axis in 0..3 {
            let is_set = (steps[axis] & u32x8::splat(bit)).simd_eq(u32x8::splat(bit));
            let exchanged = (steps[0] ^ steps[axis]) & below & !is_set;
            steps[axis] ^= exchanged;
            steps[0] ^= exchanged | is_set & below;
        }
    }
    let [x, y, z] = steps;
    let y = y ^ x;
    let z = z ^ y;
    let mut turned = u32x8::splat(0);
    for bit in (1..9).map(|place| 1_u32 << place) {
        turned ^= (z & u32x8::splat(bit)).simd_eq(u32x8::splat(bit)) & u32x8::splat(bit - 1);
    }
    let [x, y, z] = [x, y, z].map(|steps| spread_bits(steps ^ turned));
    x << 2_u32 | y << 1_u32 | z
}

/// Makes numbers of cells along a Morton curve, 16 an axis, eight at a time.
pub(crate) struct CurveCells {
    low: [Lane; 3],
    scale: [Lane; 3],
}

impl CurveCells {
    /// Cells in all.
    pub(crate) const COUNT: usize = 1 << 12;
    const AXIS: f32 = 16.0;

    pub(crate) fn new(bounds: &Aabb) -> Self {
        let scale = Vec3::splat(Self::AXIS) / (bounds.max - bounds.min);
        Self { low: bounds.min.to_array().map(Lane::splat), scale: scale.to_array().map(Lane::splat) }
    }

    /// The cells of points; what lies outside counts as on the bounds, and
    /// what has no place there as somewhere.
    #[inline]
    pub(crate) fn of(&self, points: &[Vec3; WIDTH]) -> [u32; WIDTH] {
        let axis = |i: usize| {
            let place = (Lane::new(points.map(|point| point[i])) - self.low[i]) * self.scale[i] - Lane::splat(0.5);
            let place = place.fast_max(Lane::splat(0.0)).fast_min(Lane::splat(Self::AXIS - 1.0));
            // Where 2^23 is added, the integer part stands in the last bits.
            let v = (place + Lane::splat((1 << 23) as f32)).to_bits() & u32x8::splat(0xf);
            // The last steps of `spread_bits`: four bits need no more.
            let v = (v | v << 4_u32) & u32x8::splat(0x0c3);
            (v | v << 2_u32) & u32x8::splat(0x249)
        };
        (axis(0) | axis(1) << 1_u32 | axis(2) << 2_u32).to_array()
    }
}
