//! Triangles that are cut by surfaces: a slower build, for faster questions.
//!
//! The cost of a cell is estimated as the number of its leaves times the surface of its box, for
//! random rays meet a box in proportion to its surface. Each run is cut where the costs of its
//! parts have the least sum, of all borders between equal bins along each axis:
//!
//! ```text
//! cut(run): for each axis: put each triangle into a bin, by its centre
//!                          for each border between two bins: cost = sum over both sides of
//!                              leaves of the side * surface of the box around the side
//!           part the run at the border of the least cost
//! ```
//!
//! *Source:* Ingo Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007.
//! *Cost:* linear in the triangles of the run.

use super::boxes::{Item, Span};
use super::cells::{Cells, Divide};
use super::curve::KeyedTriangle;
use super::source::Source;
use super::tasks;
use crate::data::Threads;
use crate::geometry::lanes::WIDTH;
use alloc::vec::Vec;
use glam::Vec4;

/// Bins along each axis.
const BINS: usize = 16;
/// A float that leaves no bits for fractions: what is added to it is rounded to a whole number, in its lowest bits.
const WHOLE: f32 = 8_388_608.0;
/// Cuts above a run from which on it is halved by number: so a mesh is no deeper than its limit allows.
const DEPTH_MAX: u32 = 32;

/// The cells of triangles by surfaces, and the cell of everything. Puts the triangles into their order.
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
    fn cost(&self) -> f32 {
        self.span.area() * self.count.div_ceil(WIDTH) as f32
    }
}

/// Where a run is cut: between two bins of an axis.
struct Border {
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

    /// The border at which the parts of a run cost least.
    fn cheapest(&self, run: &[Item]) -> Option<Border> {
        let mut bins = [[Bin::EMPTY; BINS]; 3];
        for item in run {
            for (bins, bin) in bins.iter_mut().zip(self.of(item)) {
                bins[bin].span = bins[bin].span.union(item.span());
                bins[bin].count += 1;
            }
        }
        let mut best: Option<Border> = None;
        for (axis, bins) in bins.iter().enumerate() {
            // The cost of all from each bin on.
            let (mut after, mut rest) = ([0.0; BINS], Bin::EMPTY);
            for (cost, bin) in after.iter_mut().zip(bins).rev() {
                rest = rest.union(bin);
                *cost = if rest.count == 0 { f32::INFINITY } else { rest.cost() };
            }
            let mut before = Bin::EMPTY;
            for bin in 1..BINS {
                before = before.union(&bins[bin - 1]);
                let cost = if before.count == 0 { f32::INFINITY } else { before.cost() + after[bin] };
                if cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
                    best = Some(Border { axis, bin, cost });
                }
            }
        }
        best
    }
}

/// The bin of a place among them: the nearest whole number.
#[inline(always)]
fn bin(place: f32) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let last = (BINS - 1) as f32;
    (place.min(last) + WHOLE).to_bits() as usize % BINS
}

impl Divide for Item {
    /// Where surfaces say. Halved by number: triangles with one centre, and below [`DEPTH_MAX`] cuts.
    fn cut(run: &mut [Self], depth: u32) -> Option<usize> {
        let halves = run.len() / 2;
        let Some(bins) = Bins::new(run).filter(|_| depth < DEPTH_MAX) else { return Some(halves) };
        let Some(Border { axis, bin, .. }) = bins.cheapest(run) else { return Some(halves) };
        // What lies before the border goes to the front, without a branch that could not be foreseen.
        let (low, scale, mut middle) = (bins.low[axis], bins.scale[axis], 0);
        for at in 0..run.len() {
            let item = run[at];
            run.swap(at, middle);
            middle += usize::from(self::bin((item.span().twice_center_along(axis) - low) * scale) < bin);
        }
        Some(middle)
    }
}
