//! Splits runs of triangles by the binned surface area heuristic (SAH): a slower build, for faster questions.
//!
//! The cost of a cell is estimated as the number of its leaves times the surface of its box, for
//! random rays meet a box in proportion to its surface. Each run is split where the costs of its
//! parts have the least sum, of all planes between equal bins along each axis:
//!
//! ```text
//! split(run): for each axis: put each triangle into a bin, by its centre
//!                            for each plane between two bins: cost = sum over both sides of
//!                                leaves of the side * surface of the box around the side
//!             part the run at the plane of the least cost
//! ```
//!
//! *Source:* Ingo Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.
//! *Cost:* linear in the triangles of a run; in all, times the depth of the tree.

use super::boxes::{Item, Span};
use super::cells::{Cells, SplitRule};
use super::curve::KeyedTriangle;
use super::source::Source;
use super::tasks;
use crate::data::Threads;
use crate::geometry::lanes::WIDTH;
use alloc::vec::Vec;
use glam::Vec4;

/// Bins along each axis.
const BINS: usize = 16;
/// 1.5 * 2^23: adding it rounds a small float to a whole number, in the lowest bits of the sum.
const ROUNDING: f32 = 12_582_912.0;
/// Splits above a leaf at most, halvings included: so a mesh is no deeper than its traversal allows.
const SPLITS_ABOVE_MAX: u32 = 60;

/// The cells of triangles by the heuristic, and the cell of everything. Puts the triangles into their order.
pub(super) fn cells(source: &impl Source, order: &mut [KeyedTriangle], threads: Threads) -> (Cells, Item) {
    let item = |keyed: &KeyedTriangle| Item::new(&Span::of(&source.get(keyed.index()).aabb()), keyed.id(), 1);
    let parts = tasks::parts(threads, order.len());
    let mut items = tasks::map(threads, parts, |part| order[part].iter().map(item).collect::<Vec<Item>>()).concat();
    let made = Cells::new(&mut items, threads);
    for (place, item) in order.iter_mut().zip(&items) {
        *place = KeyedTriangle::new(0, item.id());
    }
    made
}

/// The triangles whose centres lie in one bin, or in several.
#[derive(Clone, Copy)]
struct Bin {
    span: Span,
    count: usize,
}

impl Bin {
    const EMPTY: Self = Self { span: Span::EMPTY, count: 0 };

    #[inline]
    fn union(&self, other: &Self) -> Self {
        Self { span: self.span.union(&other.span), count: self.count + other.count }
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn cost(&self, scale: f32) -> f32 {
        self.span.scaled_area(scale) * self.count.div_ceil(WIDTH) as f32
    }
}

/// Where a run is split: before a bin of an axis.
struct SplitPlane {
    axis: usize,
    bin: usize,
    cost: f32,
}

/// The bins of a run.
struct Bins {
    low: Vec4,
    scale: Vec4,
}

impl Bins {
    /// Bins over the centres of a run; `None` if all of them are at one place.
    fn new(run: &[Item]) -> Option<Self> {
        let bounds = run.iter().map(|item| item.span().twice_center());
        let (low, high) = bounds
            .fold((Vec4::INFINITY, Vec4::NEG_INFINITY), |(low, high), centre| (low.min(centre), high.max(centre)));
        let extent = (high - low).truncate();
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let scale = (extent.cmpgt(glam::Vec3::ZERO)).any().then_some(BINS as f32 / extent)?;
        Some(Self { low, scale: scale.extend(0.0) })
    }

    /// The bin of a triangle along each axis.
    #[inline(always)]
    fn of(&self, item: &Item) -> [usize; 3] {
        let [x, y, z, _] = ((item.span().twice_center() - self.low) * self.scale).to_array();
        [bin(x), bin(y), bin(z)]
    }

    /// The plane at which the parts of a run cost least.
    fn cheapest(&self, run: &[Item]) -> Option<SplitPlane> {
        let mut bins = [[Bin::EMPTY; BINS]; 3];
        for item in run {
            for (bins, bin) in bins.iter_mut().zip(self.of(item)) {
                bins[bin].span = bins[bin].span.union(item.span());
                bins[bin].count += 1;
            }
        }
        // Areas of boxes that are very large or small would be infinite or zero.
        let scale = bins[0].iter().fold(Span::EMPTY, |all, bin| all.union(&bin.span)).longest_edge().recip();
        let mut best: Option<SplitPlane> = None;
        for (axis, bins) in bins.iter().enumerate() {
            // The cost of all from each bin on.
            let (mut after, mut rest) = ([0.0; BINS], Bin::EMPTY);
            for (cost, bin) in after.iter_mut().zip(bins).rev() {
                rest = rest.union(bin);
                *cost = if rest.count == 0 { f32::INFINITY } else { rest.cost(scale) };
            }
            let mut before = Bin::EMPTY;
            for bin in 1..BINS {
                before = before.union(&bins[bin - 1]);
                let cost = if before.count == 0 { f32::INFINITY } else { before.cost(scale) + after[bin] };
                if cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
                    best = Some(SplitPlane { axis, bin, cost });
                }
            }
        }
        best
    }
}

/// The bin of a place among them.
#[inline(always)]
fn bin(place: f32) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let last = (BINS - 1) as f32;
    ((place - 0.5).min(last) + ROUNDING).to_bits() as usize % BINS
}

impl SplitRule for Item {
    /// At the plane of the least cost. Halved by number: triangles with one centre, and those that lie too deep.
    fn split(run: &mut [Self], depth: u32) -> Option<usize> {
        if depth + run.len().checked_ilog2()? >= SPLITS_ABOVE_MAX {
            return None;
        }
        let bins = Bins::new(run)?;
        let SplitPlane { axis, bin, .. } = bins.cheapest(run)?;
        // A partition without branches: which side a triangle is on cannot be predicted.
        let (low, scale, mut middle) = (bins.low[axis], bins.scale[axis], 0);
        for at in 0..run.len() {
            let item = run[at];
            run.swap(at, middle);
            middle += usize::from(self::bin((item.span().twice_center_along(axis) - low) * scale) < bin);
        }
        Some(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Aabb;
    use glam::Vec3;

    /// Triangles of which each is as far from the origin as all before it together.
    fn doubling() -> Vec<Item> {
        let aabb = |power: i32| Aabb { min: Vec3::splat(2.0_f32.powi(power)), max: Vec3::splat(2.0_f32.powi(power)) };
        (0..30).map(|power| Item::new(&Span::of(&aabb(power)), power.unsigned_abs(), 1)).collect()
    }

    #[test]
    fn a_run_is_split_until_it_lies_too_deep() {
        let mut run = doubling();
        let middle = Item::split(&mut run, 0).unwrap();
        assert!((1..30).contains(&middle));
        let (first, second) = run.split_at(middle);
        assert!(first.iter().all(|first| second.iter().all(|second| first.id() < second.id())));
        assert!(Item::split(&mut run, SPLITS_ABOVE_MAX - 5).is_some());
        assert_eq!(Item::split(&mut run, SPLITS_ABOVE_MAX - 4), None);
    }

    #[test]
    fn triangles_with_one_centre_are_not_split() {
        let mut run = alloc::vec![doubling()[3]; 20];
        assert_eq!(Item::split(&mut run, 0), None);
    }

    #[test]
    fn bins_are_equal() {
        for bin in 0..BINS {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let start = bin as f32;
            assert_eq!((self::bin(start + 0.1), self::bin(start + 0.9)), (bin, bin));
        }
        assert_eq!((self::bin(0.0), self::bin(16.0), self::bin(f32::NAN)), (0, 15, 15));
    }
}
