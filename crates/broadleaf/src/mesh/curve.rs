//! Triangles in the order of the Morton curve.

use super::boxes::{Item, Span};
use super::tasks;
use alloc::vec::Vec;
use glam::Vec4;

/// Bits of a key for each axis, at most.
const AXIS_BITS: u32 = 10;

/// Bits of a key for each axis: enough to part the triangles of a surface.
fn axis_bits(triangles: usize) -> u32 {
    (triangles.max(1).ilog2() / 2 + 1).clamp(4, AXIS_BITS)
}

/// A key, and the triangle it belongs to: its place among the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Keyed(u64);

impl Keyed {
    #[inline]
    fn new(key: u32, index: u32) -> Self {
        Self(u64::from(key) << 32 | u64::from(index))
    }

    #[inline]
    pub(super) fn key(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    pub(super) fn index(self) -> usize {
        self.0 as u32 as usize
    }
}

/// The items that hold a triangle, in the order of the curve.
pub(super) fn sorted(items: &[Item], bounds: &Span) -> Vec<Keyed> {
    let size = bounds.edges().truncate().max_element();
    let bits = axis_bits(items.len());
    // Halved first: the difference of twice two coordinates.
    let scale = (((1 << bits) - 1) as f32 / size).min(f32::MAX) * 0.5;
    let low = bounds.low() * 2.0;
    // The order is the same for any number of parts.
    let parts = tasks::map(tasks::parts(items.len()), |chunk| {
        let start = chunk.start;
        let mut keyed = Vec::with_capacity(chunk.len());
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^28 triangles")]
        for (index, item) in (start as u32..).zip(&items[chunk]) {
            if item.count() > 0 {
                keyed.push(Keyed::new(key((item.middle() - low) * scale), index));
            }
        }
        sort(&mut keyed, bits);
        keyed
    });
    merged(parts)
}

/// The key of a place in units of the finest cells. Each coordinate is from 0
/// to 1023; where 2^23 is added, the integer part stands in the last bits.
#[inline]
fn key(place: Vec4) -> u32 {
    let bits = (place + Vec4::splat((1 << 23) as f32)).to_array().map(f32::to_bits);
    spread(bits[0]) | spread(bits[1]) << 1 | spread(bits[2]) << 2
}

/// Moves bit `i` of ten to bit `3 i`.
#[inline]
fn spread(value: u32) -> u32 {
    let v = value & 0x3ff;
    let v = (v | v << 16) & 0x0300_00ff;
    let v = (v | v << 8) & 0x0300_f00f;
    let v = (v | v << 4) & 0x030c_30c3;
    (v | v << 2) & 0x0924_9249
}

/// Values of a digit, of which a key has three.
const VALUES: usize = 1 << AXIS_BITS;

/// Sorts by key, and by index where keys are equal; they come in the order of the index.
fn sort(keyed: &mut Vec<Keyed>, bits: u32) {
    if keyed.len() < 512 {
        keyed.sort_unstable();
        return;
    }
    let mask = (1 << bits) - 1;
    let mut starts = [[0_u32; VALUES]; 3];
    let digit = |keyed: Keyed, place: u32| (keyed.key() >> (bits * place)) as usize & mask;
    for &one in keyed.iter() {
        for place in 0..3_u32 {
            starts[place as usize][digit(one, place) % VALUES] += 1;
        }
    }
    let mut spare = alloc::vec![Keyed::default(); keyed.len()];
    for (place, starts) in (0_u32..).zip(&mut starts) {
        if starts.iter().any(|&count| count as usize == keyed.len()) {
            continue;
        }
        let mut start = 0;
        for count in starts.iter_mut() {
            start += core::mem::replace(count, start);
        }
        for &one in keyed.iter() {
            let next = &mut starts[digit(one, place) % VALUES];
            spare[*next as usize] = one;
            *next += 1;
        }
        core::mem::swap(keyed, &mut spare);
    }
}

/// Merges sorted lists, two and two.
fn merged(mut parts: Vec<Vec<Keyed>>) -> Vec<Keyed> {
    while parts.len() > 1 {
        let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(first) = rest.next() {
            pairs.push((first, rest.next().unwrap_or_default()));
        }
        parts = tasks::map(pairs, |(a, b)| merge(&a, &b));
    }
    parts.pop().unwrap_or_default()
}

fn merge(a: &[Keyed], b: &[Keyed]) -> Vec<Keyed> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let second = b[j] < a[i];
        all.push(if second { b[j] } else { a[i] });
        j += usize::from(second);
        i += usize::from(!second);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}
