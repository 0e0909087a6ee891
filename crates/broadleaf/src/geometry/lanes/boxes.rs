//! Eight boxes in columns.

use super::mask::all_bits_in;
use super::prefetch::prefetch;
use super::{Lane, LaneMask, WIDTH};
use crate::geometry::Aabb;
use glam::Vec3;
use wide::f32x4;

/// Eight boxes: min x, y, z, then max x, y, z; 192 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub(crate) struct Boxes {
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    columns: [Lane; 6],
}

/// By how many columns the sides that a ray comes to first lie behind the lower ones: none, or three if it goes
/// backward.
#[inline]
pub(super) fn back(direction: f32) -> usize {
    usize::from(direction < 0.0) * 3
}

/// One box in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct BoxQuery {
    min: [Lane; 3],
    max: [Lane; 3],
}

impl BoxQuery {
    #[inline]
    pub(crate) fn new(aabb: &Aabb) -> Self {
        let (min, max) = (aabb.min, aabb.max);
        Self {
            min: [Lane::splat(min.x), Lane::splat(min.y), Lane::splat(min.z)],
            max: [Lane::splat(max.x), Lane::splat(max.y), Lane::splat(max.z)],
        }
    }

    /// The box in a lane, in all lanes.
    #[inline]
    pub(crate) fn of_lane(boxes: &Boxes, lane: usize) -> Self {
        let at = |column: usize| Lane::splat(boxes.columns[column].as_array()[lane % WIDTH]);
        Self { min: [at(0), at(1), at(2)], max: [at(3), at(4), at(5)] }
    }
}

impl Boxes {
    /// Eight lanes that hold nothing.
    pub(crate) const EMPTY: Self = {
        let (low, high) = (Lane::splat(f32::INFINITY), Lane::splat(f32::NEG_INFINITY));
        Self { columns: [low, low, low, high, high, high] }
    };

    /// Prefetches the columns, of boxes that begin a cache line.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        let [line, _, next, _, last, _] = &self.columns;
        prefetch(line);
        prefetch(next);
        prefetch(last);
    }

    /// Whether a tree accepts all boxes of a list, as [`Aabb::check`].
    #[inline]
    pub(crate) fn all_legal(boxes: &[Aabb]) -> bool {
        let zero = f32x4::splat(0.0);
        let legal = boxes.iter().fold(zero.simd_eq(zero), |legal, Aabb { min, max }| {
            let (min, max) = ([min.x, min.y, min.z, max.x], [max.x, max.y, max.z, max.z]);
            legal & (f32x4::new(max) - f32x4::new(min)).simd_ge(zero)
        });
        legal.to_bitmask() & 0b111 == 0b111
    }

    /// The lanes whose box is longer along some axis than this.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn longer_than(&self, edges: Vec3) -> LaneMask {
        let axis = |i: usize| (self.columns[i + 3] - self.columns[i]).simd_gt(Lane::splat(edges[i]));
        (axis(0) | axis(1) | axis(2)).to_bitmask() as LaneMask
    }

    /// Eight boxes, by their lane.
    #[inline(always)]
    pub(crate) fn gather(mut at: impl FnMut(usize) -> Aabb) -> Self {
        let (low, high) = (four(0, &mut at), four(WIDTH / 2, &mut at));
        Self { columns: core::array::from_fn(|i| joined(low[i], high[i])) }
    }

    /// These boxes, but in some lanes others.
    // In a call of its own it is not made into a store under a mask, which some processors do slowly.
    #[inline(never)]
    pub(crate) fn blended(&self, lanes: LaneMask, others: &Self) -> Self {
        self.selected(all_bits_in(lanes), others)
    }

    /// The same by a mask of lanes.
    #[inline(always)]
    pub(super) fn selected(&self, mask: Lane, others: &Self) -> Self {
        let select = |i: usize| mask.select(others.columns[i], self.columns[i]);
        Self { columns: [select(0), select(1), select(2), select(3), select(4), select(5)] }
    }

    #[inline(always)]
    pub(super) fn from_columns(columns: [Lane; 6]) -> Self {
        Self { columns }
    }

    /// The bits of all sides, a column after the other.
    #[inline]
    pub(crate) fn to_bits(self) -> [u32; 6 * WIDTH] {
        let mut bits = [0; 6 * WIDTH];
        for (place, column) in bits.chunks_exact_mut(WIDTH).zip(&self.columns) {
            place.copy_from_slice(&column.as_array().map(f32::to_bits));
        }
        bits
    }

    /// The box in a lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Aabb {
        let lane = lane % WIDTH;
        let at = |column: usize| self.columns[column].as_array()[lane];
        Aabb { min: Vec3::new(at(0), at(1), at(2)), max: Vec3::new(at(3), at(4), at(5)) }
    }

    /// Writes the box of a lane.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, aabb: &Aabb) {
        let lane = lane % WIDTH;
        for (axis, (low, high)) in aabb.min.to_array().into_iter().zip(aabb.max.to_array()).enumerate() {
            self.columns[axis].as_mut_array()[lane] = low;
            self.columns[axis + 3].as_mut_array()[lane] = high;
        }
    }

    /// Empties a lane.
    #[inline]
    pub(crate) fn clear(&mut self, lane: usize) {
        self.set(lane, &Aabb::EMPTY);
    }

    /// The boxes moved by the opposite of `shift`, each side rounded to nearest.
    #[inline]
    pub(crate) fn shifted(&self, shift: Vec3) -> Self {
        let [x, y, z] = shift.to_array().map(Lane::splat);
        let [min_x, min_y, min_z, max_x, max_y, max_z] = self.columns;
        Self { columns: [min_x - x, min_y - y, min_z - z, max_x - x, max_y - y, max_z - z] }
    }

    /// The boxes with a margin on every side: an absolute part, and a part of the longest edge, if that is finite;
    /// and the same with three margins.
    #[inline]
    pub(crate) fn with_margins(&self, absolute: f32, relative: f32) -> (Self, Self) {
        let mut margin = Lane::splat(absolute);
        // Mostly a margin has no relative part; then no edge is needed.
        if relative != 0.0 {
            let edge = |i: usize| self.columns[i + 3] - self.columns[i];
            let relative = edge(0).fast_max(edge(1)).fast_max(edge(2)) * Lane::splat(relative);
            let is_finite = relative.abs().simd_lt(Lane::splat(f32::INFINITY));
            margin += relative & is_finite;
        }
        let fat = self.grown(margin);
        (fat, fat.grown(margin + margin))
    }

    /// The boxes with every side moved outward, in each lane by a length of its own.
    #[inline]
    fn grown(&self, by: Lane) -> Self {
        let [min_x, min_y, min_z, max_x, max_y, max_z] = self.columns;
        Self { columns: [min_x - by, min_y - by, min_z - by, max_x + by, max_y + by, max_z + by] }
    }

    /// The lanes whose box holds that of the same lane in `others`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn containing(&self, others: &Self) -> LaneMask {
        let low = |i: usize| self.columns[i].simd_le(others.columns[i]);
        let high = |i: usize| self.columns[i].simd_ge(others.columns[i]);
        (((low(0) & low(1)) & (low(2) & high(3))) & (high(4) & high(5))).to_bitmask() as LaneMask
    }

    /// The same boxes without negative zeros: what a tree keeps, so that
    /// [`Boxes::union`] and [`Boxes::united`] never choose between two zeros.
    /// Which of the two an instruction keeps depends on the instruction set.
    #[inline(always)]
    pub(crate) fn without_negative_zeros(self) -> Self {
        // Not `map`, which becomes a call.
        Self { columns: core::array::from_fn(|i| self.columns[i] + Lane::splat(0.0)) }
    }

    /// Whether any side is a negative zero.
    pub(crate) fn has_negative_zero(&self) -> bool {
        self.to_bits().contains(&(-0.0_f32).to_bits())
    }

    /// The lanes with a finite side that is infinite in `moved`.
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn overflowing(&self, moved: &Self) -> LaneMask {
        let infinity = Lane::splat(f32::INFINITY);
        let sides = self.columns.iter().zip(&moved.columns);
        let overflows = |(old, new): (&Lane, &Lane)| old.abs().simd_lt(infinity) & new.abs().simd_ge(infinity);
        sides.map(overflows).fold(0, |mask, lanes| mask | lanes.to_bitmask() as LaneMask)
    }

    /// The boxes with infinite coordinates replaced by the largest finite ones.
    /// Lanes that hold nothing become inverted finite boxes.
    pub(crate) fn clamped_to_finite(&self) -> Self {
        self.clamped(f32::MAX)
    }

    /// The boxes with coordinates beyond `far` of the origin replaced by `far`.
    #[inline]
    pub(crate) fn clamped(&self, far: f32) -> Self {
        let (low, high) = (Lane::splat(-far), Lane::splat(far));
        let clamp = |i: usize| self.columns[i].fast_max(low).fast_min(high);
        // Not a `map`, which would be a call with the columns in memory.
        Self { columns: [clamp(0), clamp(1), clamp(2), clamp(3), clamp(4), clamp(5)] }
    }

    #[inline]
    pub(super) fn column(&self, index: usize) -> Lane {
        self.columns[index]
    }

    /// The sides along an axis, in the order in which a ray comes to them: the lower one first if `back` is
    /// zero, the upper one if it is three. The choice is an address, not a branch.
    #[inline(always)]
    pub(super) fn sides(&self, axis: usize, back: usize) -> [Lane; 2] {
        // Leaves none and three as they are, and tells that no column is out of bounds.
        [self.column(axis + (back & 3)), self.column(axis + (!back & 3))]
    }

    /// The lanes whose box a tree accepts, as [`Aabb::check`].
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn legal(&self) -> LaneMask {
        let edge = |i: usize| (self.columns[i + 3] - self.columns[i]).simd_ge(Lane::splat(0.0));
        (edge(0) & edge(1) & edge(2)).to_bitmask() as LaneMask
    }

    /// The lanes that overlap the query.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn overlaps(&self, query: &BoxQuery) -> LaneMask {
        let [min_x, min_y, min_z, max_x, max_y, max_z] = self.columns;
        // The columns stand second: there an instruction reads them from memory.
        let x = query.max[0].simd_ge(min_x) & query.min[0].simd_le(max_x);
        let y = query.max[1].simd_ge(min_y) & query.min[1].simd_le(max_y);
        let z = query.max[2].simd_ge(min_z) & query.min[2].simd_le(max_z);
        ((x & y) & z).to_bitmask() as LaneMask
    }

    /// Squared distance from a point to each box; that to a lane that holds nothing is infinite.
    #[inline]
    pub(crate) fn distances_sq(&self, point: Vec3) -> [f32; WIDTH] {
        self.distance_sq(&point.to_array().map(Lane::splat)).to_array()
    }

    /// Squared distance from a point to each box.
    #[inline]
    pub(super) fn distance_sq(&self, point: &[Lane; 3]) -> Lane {
        let zero = Lane::splat(0.0);
        let axis = |i: usize| {
            let d = (self.columns[i] - point[i]).fast_max(point[i] - self.columns[i + 3]).fast_max(zero);
            d * d
        };
        (axis(0) + axis(1)) + axis(2)
    }

    /// The sum of the edge lengths of all boxes; lanes that hold nothing count as zero.
    #[inline]
    pub(crate) fn extent_sum(&self) -> f32 {
        let zero = Lane::splat(0.0);
        let axis = |i: usize| (self.columns[i + 3] - self.columns[i]).fast_max(zero);
        ((axis(0) + axis(1)) + axis(2)).to_array().iter().sum()
    }

    /// The smallest box around both, lane by lane.
    #[inline]
    pub(crate) fn united(&self, other: &Self) -> Self {
        let low = |i: usize| self.columns[i].fast_min(other.columns[i]);
        let high = |i: usize| self.columns[i].fast_max(other.columns[i]);
        Self { columns: [low(0), low(1), low(2), high(3), high(4), high(5)] }
    }

    /// The smallest box around all lanes; [`Aabb::EMPTY`] if they hold nothing.
    #[inline]
    pub(crate) fn union(&self) -> Aabb {
        let halves = |column: usize| {
            let [a, b, c, d, e, f, g, h] = *self.columns[column].as_array();
            (f32x4::new([a, b, c, d]), f32x4::new([e, f, g, h]))
        };
        let low = |column: usize| {
            let (a, b) = halves(column);
            a.fast_min(b)
        };
        let high = |column: usize| {
            let (a, b) = halves(column);
            a.fast_max(b)
        };
        let (z, top) = (low(2), high(5));
        let [a, b, c, d] = f32x4::transpose([low(0), low(1), z, z]);
        let low = a.fast_min(b).fast_min(c.fast_min(d)).to_array();
        let [a, b, c, d] = f32x4::transpose([high(3), high(4), top, top]);
        let high = a.fast_max(b).fast_max(c.fast_max(d)).to_array();
        Aabb { min: Vec3::new(low[0], low[1], low[2]), max: Vec3::new(high[0], high[1], high[2]) }
    }
}

/// Eight lanes of four and four.
#[inline(always)]
pub(super) fn joined(low: f32x4, high: f32x4) -> Lane {
    let ([a, b, c, d], [e, f, g, h]) = (low.to_array(), high.to_array());
    Lane::new([a, b, c, d, e, f, g, h])
}

/// The columns of four boxes, from a lane on.
// A function, because a closure of this size becomes a call.
#[inline(always)]
fn four(first: usize, at: &mut impl FnMut(usize) -> Aabb) -> [f32x4; 6] {
    let four = [at(first), at(first + 1), at(first + 2), at(first + 3)];
    let low = four.map(|a| f32x4::new([a.min.x, a.min.y, a.min.z, a.max.x]));
    let high = four.map(|a| f32x4::new([a.min.z, a.max.x, a.max.y, a.max.z]));
    let ([min_x, min_y, min_z, max_x], [_, _, max_y, max_z]) = (f32x4::transpose(low), f32x4::transpose(high));
    [min_x, min_y, min_z, max_x, max_y, max_z]
}
