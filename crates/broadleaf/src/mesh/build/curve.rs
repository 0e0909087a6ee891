//! Triangles in the order of the Morton curve.

use super::cells::SplitRule;
use super::source::Source;
use super::{is_degenerate, tasks};
use crate::data::Threads;
use crate::geometry::Aabb;
use crate::geometry::lanes::{Boxes, CurveKeys, LaneMask, Triangles, WIDTH};
use alloc::vec::Vec;
use core::ops::Range;

/// Bits of a key for each axis, at most.
const AXIS_BITS: u32 = 10;

/// Bits of a key for each axis: enough to part the triangles of a surface.
fn axis_bits(triangles: usize) -> u32 {
    (triangles.max(1).ilog2() / 2).clamp(4, AXIS_BITS)
}

/// A key, and the triangle it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct KeyedTriangle(u64);

impl KeyedTriangle {
    #[inline]
    pub(super) fn new(key: u32, index: u32) -> Self {
        Self(u64::from(key) << 32 | u64::from(index))
    }

    #[inline]
    pub(super) fn key(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    pub(super) fn id(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        self.id() as usize
    }
}

impl SplitRule for KeyedTriangle {
    /// Where a run crosses the border of the two halves of its cell; none if all keys are equal.
    fn split(run: &mut [Self], _depth: u32) -> Option<usize> {
        let (first, last) = (run.first()?.key(), run.last()?.key());
        let bit = (first ^ last).checked_ilog2()?;
        let middle = run.partition_point(|keyed| keyed.key() >> bit & 1 == 0);
        // As near to the border as two leaves allow.
        Some(if run.len() <= 2 * WIDTH { middle.clamp(run.len() - WIDTH, WIDTH) } else { middle })
    }
}

/// The triangles that have an area, in the order of the curve. All lie in `bounds`.
pub(super) fn sorted(source: &impl Source, bounds: &Aabb, threads: Threads) -> Vec<KeyedTriangle> {
    let (mut parts, held) = keyed(source, bounds, threads);
    // Positions that belong to no triangle may lie far out.
    let size = |aabb: &Aabb| (aabb.max - aabb.min).max_element();
    if size(&held) < size(bounds) * 0.5 {
        parts = keyed(source, &held, threads).0;
    }
    let bits = 3 * axis_bits(source.len());
    let sorted = tasks::map(threads, parts, |mut keyed| {
        sort(&mut keyed, bits);
        keyed
    });
    merged(sorted, threads)
}

/// The keys of triangles that have an area, in parts, and what they span. The
/// order of the curve is the same for any number of parts.
fn keyed(source: &impl Source, bounds: &Aabb, threads: Threads) -> (Vec<Vec<KeyedTriangle>>, Aabb) {
    let keys = CurveKeys::new(bounds, axis_bits(source.len()));
    let parts = tasks::map(threads, tasks::parts(threads, source.len()), |part| keyed_part(source, part, &keys));
    let held = parts.iter().fold(Aabb::EMPTY, |held, (_, other)| held.union(other));
    (parts.into_iter().map(|(keyed, _)| keyed).collect(), held)
}

fn keyed_part(source: &impl Source, part: Range<usize>, keys: &CurveKeys) -> (Vec<KeyedTriangle>, Aabb) {
    let mut keyed = Vec::with_capacity(part.len());
    let mut held = Boxes::EMPTY;
    let whole = part.start..part.end - part.len() % WIDTH;
    for start in whole.clone().step_by(WIDTH) {
        let triangles = Triangles::gather(|lane| source.get(start + lane));
        add_keyed(&triangles, start, WIDTH, keys, &mut held, &mut keyed);
    }
    if let Some(last) = part.end.checked_sub(1).filter(|_| whole.end < part.end) {
        // Lanes that are left repeat the last triangle.
        let triangles = Triangles::gather(|lane| source.get(last.min(whole.end + lane)));
        add_keyed(&triangles, whole.end, part.end - whole.end, keys, &mut held, &mut keyed);
    }
    (keyed, held.union())
}

/// Adds the keys of the first `len` of triangles, but for those without an area.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^28 triangles")]
fn add_keyed(
    triangles: &Triangles,
    start: usize,
    len: usize,
    keys: &CurveKeys,
    held: &mut Boxes,
    keyed: &mut Vec<KeyedTriangle>,
) {
    let boxes = triangles.boxes();
    let [a, b, c, d, e, f, g, h] = keys.keys(&boxes);
    let at = |lane: u32, key: u32| KeyedTriangle::new(key, start as u32 + lane);
    let found = [at(0, a), at(1, b), at(2, c), at(3, d), at(4, e), at(5, f), at(6, g), at(7, h)];
    let flat = triangles.flat();
    if flat == 0 && len == WIDTH {
        *held = held.united(&boxes);
        keyed.extend_from_slice(&found);
    } else {
        add_some(triangles, flat, &found[..len], held, keyed);
    }
}

/// The same where some lanes seem to have no area, or hold nothing.
#[cold]
fn add_some(
    triangles: &Triangles,
    flat: LaneMask,
    found: &[KeyedTriangle],
    held: &mut Boxes,
    keyed: &mut Vec<KeyedTriangle>,
) {
    let mut boxes = triangles.boxes();
    for lane in 0..WIDTH {
        if flat >> lane & 1 != 0 && is_degenerate(&triangles.get(lane)) {
            boxes.clear(lane);
        } else if let Some(&one) = found.get(lane) {
            keyed.push(one);
        }
    }
    *held = held.united(&boxes);
}

/// Bits of a digit at most: two digits suffice for the keys of 2^18 triangles.
const DIGIT_BITS: u32 = 12;
/// Values of a digit at most.
const VALUES: usize = 1 << DIGIT_BITS;

/// Sorts by keys of so many bits, and by index where keys are equal; they come in the order of the index.
fn sort(keyed: &mut Vec<KeyedTriangle>, bits: u32) {
    if keyed.len() < 512 {
        keyed.sort_unstable();
        return;
    }
    match bits.div_ceil(DIGIT_BITS) {
        1 => sort_by_digits::<1>(keyed, bits),
        2 => sort_by_digits::<2>(keyed, bits),
        _ => sort_by_digits::<3>(keyed, bits),
    }
}

/// Sorts by so many digits, the lowest first.
fn sort_by_digits<const DIGITS: usize>(keyed: &mut Vec<KeyedTriangle>, bits: u32) {
    let width = (bits as usize).div_ceil(DIGITS);
    let mask = (1 << width) - 1;
    let digit = |keyed: KeyedTriangle, place: usize| (keyed.key() >> (width * place)) as usize & mask;
    let mut counts = alloc::vec![[0_u32; DIGITS]; VALUES];
    for &one in keyed.iter() {
        for place in 0..DIGITS {
            counts[digit(one, place) % VALUES][place] += 1;
        }
    }
    let mut spare = alloc::vec![KeyedTriangle::default(); keyed.len()];
    for place in 0..DIGITS {
        let mut start = 0;
        for count in &mut counts[..=mask] {
            start += core::mem::replace(&mut count[place], start);
        }
        for &one in keyed.iter() {
            let next = &mut counts[digit(one, place) % VALUES][place];
            spare[*next as usize] = one;
            *next += 1;
        }
        core::mem::swap(keyed, &mut spare);
    }
}

/// Merges sorted lists, two and two.
fn merged(mut parts: Vec<Vec<KeyedTriangle>>, threads: Threads) -> Vec<KeyedTriangle> {
    while parts.len() > 1 {
        let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(first) = rest.next() {
            pairs.push((first, rest.next().unwrap_or_default()));
        }
        parts = tasks::map(threads, pairs, |(a, b)| merge(&a, &b));
    }
    parts.pop().unwrap_or_default()
}

fn merge(a: &[KeyedTriangle], b: &[KeyedTriangle]) -> Vec<KeyedTriangle> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_number_of_digits_are_sorted() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 2
        };
        for bits in [12, 15, 24, 27, 30] {
            let keys: Vec<u32> = (0..3000).map(|_| random() & ((1 << bits) - 1)).collect();
            let mut keyed: Vec<KeyedTriangle> =
                (0..).zip(&keys).map(|(index, &key)| KeyedTriangle::new(key, index)).collect();
            let mut expected = keyed.clone();
            expected.sort_unstable();
            sort(&mut keyed, bits);
            assert_eq!(keyed, expected, "{bits} bits");
        }
    }
}
