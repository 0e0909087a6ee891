//! What a bulk build asks of boxes, eight at a time: whether a cell can hold
//! them, where they lie all together, and their keys along the Morton curve.
//!
//! Where a box lies in cells, `data::grid` says of one; results agree bit for bit.

use super::{Boxes, Lane, LaneMask, WIDTH};
use crate::geometry::Aabb;
use glam::{IVec3, Vec3};
use wide::{i32x8, u32x8};

/// Bounds of many boxes, of their centres, their longest edge, and their number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// How many boxes were added in each lane.
    len: u32x8,
    centers: [Lane; 6],
    bounds: [Lane; 6],
    edge: Lane,
}

impl Extent {
    pub(crate) const EMPTY: Self = {
        let (low, high) = (Lane::splat(f32::INFINITY), Lane::splat(f32::NEG_INFINITY));
        let bounds = [low, low, low, high, high, high];
        Self { len: u32x8::splat(0), centers: bounds, bounds, edge: high }
    };

    /// Adds the boxes that are placeable.
    #[inline]
    pub(crate) fn add(&mut self, boxes: &Boxes, reach: f32) {
        let placeable = within_reach(boxes, reach);
        let (low, high) = (Lane::splat(f32::INFINITY), Lane::splat(f32::NEG_INFINITY));
        for i in 0..3 {
            let (center, edge) = center_and_edge(boxes, i);
            self.centers[i] = self.centers[i].fast_min(placeable.select(center, low));
            self.centers[i + 3] = self.centers[i + 3].fast_max(placeable.select(center, high));
            self.bounds[i] = self.bounds[i].fast_min(placeable.select(boxes.column(i), low));
            self.bounds[i + 3] = self.bounds[i + 3].fast_max(placeable.select(boxes.column(i + 3), high));
            self.edge = self.edge.fast_max(placeable.select(edge, high));
        }
        // A mask is all ones where it is set: minus one.
        self.len -= placeable.to_bits();
    }

    /// What bounds the boxes that are placeable.
    pub(crate) fn of(columns: impl Iterator<Item = Boxes>, reach: f32) -> Self {
        let mut extent = Self::EMPTY;
        columns.for_each(|boxes| extent.add(&boxes, reach));
        extent
    }

    /// Adds what another extent has added.
    pub(crate) fn unite(&mut self, other: &Self) {
        for i in 0..3 {
            self.centers[i] = self.centers[i].fast_min(other.centers[i]);
            self.centers[i + 3] = self.centers[i + 3].fast_max(other.centers[i + 3]);
            self.bounds[i] = self.bounds[i].fast_min(other.bounds[i]);
            self.bounds[i + 3] = self.bounds[i + 3].fast_max(other.bounds[i + 3]);
        }
        self.edge = self.edge.fast_max(other.edge);
        self.len += other.len;
    }

    /// How many boxes were added.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len.to_array().iter().map(|&len| len as usize).sum()
    }

    /// Bounds of the centres added.
    #[inline]
    pub(crate) fn centers(&self) -> Aabb {
        Boxes::from_columns(self.centers).union()
    }

    /// Bounds of the boxes added.
    #[inline]
    pub(crate) fn bounds(&self) -> Aabb {
        Boxes::from_columns(self.bounds).union()
    }

    /// The longest edge of the boxes added.
    #[inline]
    pub(crate) fn edge_max(&self) -> f32 {
        self.edge.to_array().into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}

/// How many boxes there are by how far cells must reach to hold them: as far as the farthest coordinate of the
/// centre, and as the longest edge is long.
pub(crate) struct SizeCounts {
    /// By the exponent of that length. What is empty or infinite has the last.
    of_exponents: [usize; 256],
}

impl SizeCounts {
    /// Of no boxes.
    pub(crate) const NONE: Self = Self { of_exponents: [0; 256] };

    /// Counts boxes.
    pub(crate) fn of(columns: impl Iterator<Item = Boxes>) -> Self {
        let mut counts = Self::NONE;
        columns.for_each(|boxes| counts.add(&boxes));
        counts
    }

    /// Counts eight boxes.
    pub(crate) fn add(&mut self, boxes: &Boxes) {
        let (mut size, mut zero) = (Lane::splat(0.0), Lane::splat(0.0));
        for axis in 0..3 {
            let (center, edge) = center_and_edge(boxes, axis);
            size = size.fast_max(center.abs()).fast_max(edge);
            // Of what is empty or infinite, not a number: no comparison keeps that.
            zero += center * Lane::splat(0.0);
        }
        for size in (size + zero).to_array() {
            self.of_exponents[exponent(size)] += 1;
        }
    }

    /// How many are shorter than a power of two.
    pub(crate) fn below(&self, size: f32) -> usize {
        self.of_exponents[..exponent(size)].iter().sum()
    }
}

#[inline]
fn exponent(size: f32) -> usize {
    (size.to_bits() >> 23) as usize & 0xff
}

#[inline]
fn center_and_edge(boxes: &Boxes, axis: usize) -> (Lane, Lane) {
    let (low, high) = (boxes.column(axis), boxes.column(axis + 3));
    ((low + high) * Lane::splat(0.5), high - low)
}

/// The centre of one of eight boxes that lies within bounds: that of lane `from`, modulo eight, or of the next after it
/// in turns.
#[inline]
pub(crate) fn center_within(boxes: &Boxes, bounds: &Aabb, from: u32) -> Option<Vec3> {
    let centers = [0, 1, 2].map(|axis| center_and_edge(boxes, axis).0);
    let is_within = |axis: usize| {
        centers[axis].simd_ge(Lane::splat(bounds.min[axis])) & centers[axis].simd_le(Lane::splat(bounds.max[axis]))
    };
    let lanes = to_lane_mask(is_within(0) & is_within(1) & is_within(2));
    let lane = (from + lanes.rotate_right(from).trailing_zeros()) as usize % WIDTH;
    (lanes != 0).then(|| Vec3::from(centers.map(|centers| centers.as_array()[lane])))
}

#[inline]
fn within_reach(boxes: &Boxes, reach: f32) -> Lane {
    let reach = Lane::splat(reach);
    let axis = |i: usize| {
        let (center, edge) = center_and_edge(boxes, i);
        center.abs().simd_lt(reach) & edge.simd_le(reach)
    };
    axis(0) & axis(1) & axis(2)
}

/// The lanes whose box a cell can hold: centre and edges lie within `reach`.
#[inline]
pub(crate) fn placeable(boxes: &Boxes, reach: f32) -> LaneMask {
    to_lane_mask(within_reach(boxes, reach))
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
fn to_lane_mask(mask: Lane) -> LaneMask {
    mask.to_bitmask() as LaneMask
}

/// Which bits of which coordinates make a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyOrder {
    /// Low bits of each coordinate that are left out.
    floors: [u32; 3],
    /// Where the other bits of each coordinate lie in the key; not worked out if `is_in_turns`.
    axes: [Deposit; 3],
    /// Whether they come from x, y and z in turns: where all cells are cubes.
    is_in_turns: bool,
}

/// The places of ten bits, three apart.
const TURNS: u32 = 0x0924_9249;

impl KeyOrder {
    /// The order that leaves some low bits of each coordinate out, and then puts those that follow at places of the key,
    /// which has at most 30.
    // Always inlined: the code of the caller is prefetched.
    #[inline(always)]
    pub(crate) fn new(floors: [u32; 3], [x, y, z]: [u32; 3]) -> Self {
        let all = x | y | z;
        let is_in_turns = x == TURNS & all && y == TURNS << 1 & all && z == TURNS << 2 & all;
        let axes = if is_in_turns { [Deposit::NONE; 3] } else { Deposit::of_axes([x, y, z]) };
        Self { floors, axes, is_in_turns }
    }

    /// The key of coordinates that are not negative.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "they are not negative")]
    pub(crate) fn key(&self, coordinates: IVec3) -> u32 {
        let coordinates = coordinates.to_array().map(|coordinate| u32x8::splat(coordinate as u32));
        self.keys(coordinates).to_array()[0]
    }

    #[inline(always)]
    fn keys(&self, [x, y, z]: [u32x8; 3]) -> u32x8 {
        let [x_floor, y_floor, z_floor] = self.floors;
        let (x, y, z) = (x >> x_floor, y >> y_floor, z >> z_floor);
        if self.is_in_turns {
            spread_bits(x) | spread_bits(y) << 1_u32 | spread_bits(z) << 2_u32
        } else {
            self.keys_of_boxes([x, y, z])
        }
    }

    /// The keys in an order beside that of most worlds' keys.
    // Not inlined: most worlds need one order.
    #[inline(never)]
    fn keys_apart(&self, coordinates: &[u32x8; 3]) -> u32x8 {
        self.keys(*coordinates)
    }

    /// Where cells are no cubes.
    // Not inlined: else too few registers are left where cells are cubes.
    #[inline(never)]
    fn keys_of_boxes(&self, [x, y, z]: [u32x8; 3]) -> u32x8 {
        self.axes[0].deposited(x) | self.axes[1].deposited(y) | self.axes[2].deposited(z)
    }
}

/// Moves the low bits of eight numbers to the places of a mask, in order; all others are dropped. The instruction `pdep`
/// of BMI2 does so for one number.
///
/// *Source:* H. S. Warren, Hacker's Delight, 2nd edition, section 7-5: expand.
#[derive(Debug, Clone, Copy)]
struct Deposit {
    places: u32,
    /// The places that bits arrive at when some move up by one, by two, by four, by eight and by sixteen.
    arrivals: [u32; 5],
}

impl Deposit {
    const NONE: Self = Self { places: 0, arrivals: [0; 5] };

    // Not inlined: cubes need none of it.
    #[inline(never)]
    fn of_axes([x, y, z]: [u32; 3]) -> [Self; 3] {
        [Self::at(x), Self::at(y), Self::at(z)]
    }

    // Not inlined: else its code would be there three times.
    #[inline(never)]
    fn at(places: u32) -> Self {
        let mut arrivals = [0; 5];
        // As if the bits moved down from their places: by one first.
        let (mut bits, mut free_below) = (places, !places << 1);
        for (step, moved) in (0..).zip(&mut arrivals) {
            // Places with an odd number of free places below; each step halves how many count.
            let odd = (0..5).fold(free_below, |odd, i| odd ^ odd << (1 << i));
            *moved = odd & bits;
            bits = bits ^ *moved | *moved >> (1 << step);
            free_below &= !odd;
        }
        Self { places, arrivals }
    }

    #[inline(always)]
    fn deposited(&self, numbers: u32x8) -> u32x8 {
        let mut moved = numbers;
        for step in (0..5).rev() {
            let arrivals = u32x8::splat(self.arrivals[step]);
            moved ^= (moved ^ moved << (1_u32 << step)) & arrivals;
        }
        moved & u32x8::splat(self.places)
    }
}

/// Makes the Morton keys of one cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyMaker {
    /// Edge of the smallest cell.
    pub(crate) unit: f32,
    /// The cell's lower corner and its edges, in units.
    pub(crate) min: IVec3,
    pub(crate) size: IVec3,
    pub(crate) order: KeyOrder,
}

impl KeyMaker {
    /// The keys of the centres of eight boxes; of lanes that are no placeable
    /// box, some keys.
    #[inline]
    pub(crate) fn keys(&self, boxes: &Boxes) -> [u32; WIDTH] {
        self.order.keys(self.coordinates(boxes)).to_array()
    }

    /// The keys, and those of another order, if there is one; else zeros.
    #[inline(always)]
    pub(crate) fn keys_in(&self, other: Option<&KeyOrder>, boxes: &Boxes) -> [[u32; WIDTH]; 2] {
        let coordinates = self.coordinates(boxes);
        let others = other.map_or(u32x8::splat(0), |other| other.keys_apart(&coordinates));
        [self.order.keys(coordinates), others].map(|keys| keys.to_array())
    }

    /// The coordinates of the centres, in smallest cells from the cell's corner.
    #[inline(always)]
    fn coordinates(&self, boxes: &Boxes) -> [u32x8; 3] {
        let unit = Lane::splat(self.unit);
        let axis = |i: usize| {
            let (center, _) = center_and_edge(boxes, i);
            let places = center / unit;
            let truncated = places.trunc_int();
            let floor = truncated + minus_ones(Lane::from_i32x8(truncated).simd_gt(places));
            let low = Lane::from_i32x8(floor) * unit;
            let high = Lane::from_i32x8(floor + i32x8::splat(1)) * unit;
            let point = floor + minus_ones(low.simd_gt(center)) - minus_ones(high.simd_le(center));
            let offset = (point - i32x8::splat(self.min[i])).max(i32x8::splat(0)).min(i32x8::splat(self.size[i] - 1));
            u32x8::new(offset.to_array().map(i32::cast_unsigned))
        };
        [axis(0), axis(1), axis(2)]
    }
}

/// Minus one where a mask is set.
#[inline]
fn minus_ones(mask: Lane) -> i32x8 {
    i32x8::new(mask.to_bits().to_array().map(u32::cast_signed))
}

/// Moves bit `i` of ten to bit `3 i`.
#[inline]
pub(super) fn spread_bits(value: u32x8) -> u32x8 {
    let v = value & u32x8::splat(0x3ff);
    let v = (v | v << 16_u32) & u32x8::splat(0x0300_00ff);
    let v = (v | v << 8_u32) & u32x8::splat(0x0300_f00f);
    let v = (v | v << 4_u32) & u32x8::splat(0x030c_30c3);
    (v | v << 2_u32) & u32x8::splat(TURNS)
}

/// For each box, the least power of two that is at least `(edge * scale * 1.001 + 4) * inverse_reach`,
/// where `edge` is its longest: its exponent, at most 31.
#[inline]
pub(crate) fn exponents_above(boxes: &Boxes, scale: f32, inverse_reach: f32) -> [u32; WIDTH] {
    let edge = |i: usize| boxes.column(i + 3) - boxes.column(i);
    let size = edge(0).fast_max(edge(1)).fast_max(edge(2)) * Lane::splat(scale);
    let value = (size * Lane::splat(1.001) + Lane::splat(4.0)) * Lane::splat(inverse_reach);
    let bits = value.fast_max(Lane::splat(1.0)).to_bits();
    let fraction = (bits & u32x8::splat(0x007f_ffff)).simd_eq(u32x8::splat(0));
    // A mask is all ones where it is set: minus one.
    let exponent = (bits >> 23_u32) - u32x8::splat(126) + fraction;
    exponent.min(u32x8::splat(31)).to_array()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Numbers;
    use super::*;

    #[test]
    fn bits_are_deposited_in_the_places_of_a_mask() {
        let mut random = Numbers(1);
        let masks = [0, 1, 1 << 29, u32::MAX, (1 << 30) - 1, TURNS, TURNS << 2];
        let random_masks: [u32; 500] = core::array::from_fn(|_| random.bits() & random.bits());
        for mask in masks.into_iter().chain(random_masks) {
            let numbers: [u32; WIDTH] = core::array::from_fn(|_| random.bits());
            let expected = numbers.map(|number| {
                let places = (0..32).filter(|place| mask >> place & 1 == 1);
                places.enumerate().fold(0, |bits, (bit, place)| bits | (number >> bit & 1) << place)
            });
            assert_eq!(Deposit::at(mask).deposited(u32x8::new(numbers)).to_array(), expected, "{mask:032b}");
        }
    }
}
