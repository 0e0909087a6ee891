//! All pairs of large scenes by sort and sweep: the exact test of the oracle,
//! on candidates whose intervals on one axis overlap.
//!
//! Objects are sorted along the axis on which they are shortest beside their
//! world. Space is cut into slabs along the axis that comes next in this; an
//! object is in each slab that it reaches into, and a pair counts in the first
//! slab that has both.

use super::exact;
use broadleaf::{Aabb, Object};

/// The number of pairs among the objects.
///
/// *Cost:* the sort, and one test for each two objects of a slab that overlap in x.
#[must_use]
pub fn count_pairs(objects: &[Object]) -> u64 {
    let mut count = 0;
    for_each_pair(objects, |_, _| count += 1);
    count
}

/// The pairs among the objects as indices, the lower first, sorted.
#[must_use]
pub fn pairs(objects: &[Object]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for_each_pair(objects, |a, b| pairs.push((a.min(b), a.max(b))));
    pairs.sort_unstable();
    pairs
}

/// An object's box, its first slab, and its index.
struct Entry {
    aabb: Aabb,
    first_slab: usize,
    index: u32,
}

fn for_each_pair(objects: &[Object], mut visit: impl FnMut(u32, u32)) {
    let [sorted, sliced] = shortest_axes(objects);
    let mut slabs = into_slabs(objects, sliced);
    for (number, slab) in slabs.iter_mut().enumerate() {
        slab.sort_unstable_by(|a, b| a.aabb.min[sorted].total_cmp(&b.aabb.min[sorted]));
        for (position, a) in slab.iter().enumerate() {
            for b in slab[position + 1..].iter().take_while(|b| b.aabb.min[sorted] <= a.aabb.max[sorted]) {
                let here = a.first_slab.max(b.first_slab) == number;
                let near = here && exact::boxes_overlap(&a.aabb, &b.aabb);
                if near && exact::are_pair(&objects[a.index as usize], &objects[b.index as usize]) {
                    visit(a.index, b.index);
                }
            }
        }
    }
}

/// The two axes on which finite boxes are shortest beside the world; in doubt x and z.
fn shortest_axes(objects: &[Object]) -> [usize; 2] {
    let boxes = || objects.iter().map(|object| object.shape.aabb()).filter(|aabb| aabb.extents().is_finite());
    let world = boxes().fold(Aabb::EMPTY, |all, aabb| all.union(&aabb)).extents();
    let share = |axis: usize| boxes().map(|aabb| f64::from(aabb.extents()[axis] / world[axis])).sum::<f64>();
    let mut axes = [0, 2, 1].map(|axis| (share(axis), axis));
    axes.sort_by(|a, b| a.0.total_cmp(&b.0));
    [axes[0].1, axes[1].1]
}

fn into_slabs(objects: &[Object], axis: usize) -> Vec<Vec<Entry>> {
    let count = (objects.len().isqrt() / 8).max(1);
    let centers = objects.iter().map(|object| object.shape.aabb().center()[axis]);
    let (low, high) = centers
        .filter(|z| z.is_finite())
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
    // Any function that never decreases would do; this one fills the slabs evenly.
    let slab_of = |z: f32| {
        let share = (f64::from(z) - f64::from(low)) / (f64::from(high) - f64::from(low));
        slab_number(share, count)
    };
    let mut slabs: Vec<Vec<Entry>> = (0..count).map(|_| Vec::new()).collect();
    for (index, object) in objects.iter().enumerate() {
        let index = u32::try_from(index).expect("at most 2^32 objects");
        let aabb = object.shape.aabb();
        let first_slab = slab_of(aabb.min[axis]);
        for slab in &mut slabs[first_slab..=slab_of(aabb.max[axis])] {
            slab.push(Entry { aabb, first_slab, index });
        }
    }
    slabs
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "clamped to the slabs; NaN, of a world without depth, is slab 0"
)]
fn slab_number(share: f64, count: usize) -> usize {
    (share * count as f64).clamp(0.0, (count - 1) as f64) as usize
}
