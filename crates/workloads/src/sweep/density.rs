//! The scale at which a scene has as many pairs as it should, and the size of
//! boxes that meet as many objects as they should.
//!
//! Two boxes whose extents grow from fixed centres begin to overlap at one
//! scale, and overlap at every larger one. So the scale for a number of pairs
//! is a quantile of the scales at which pairs begin. They are counted by their
//! leading bits, which order positive numbers, for a sample of the objects
//! against all others; nothing has to be tried again and again.

use super::extents::Extents;
use broadleaf::glam::Vec3;

/// Bits of a scale that are not told apart: less than half a per cent.
const DROPPED: u32 = 15;
/// Scales looked at, unless [`SAMPLES_MIN`] asks for more.
const LOOKS: usize = 40_000_000;
/// Objects of a sample, at least.
const SAMPLES_MIN: usize = 300;

/// The least scale where ordinary objects span the world: there even objects of size zero may have too many pairs.
const SCALE_MIN_SPANNING: f32 = 1e-6;
/// The least scale elsewhere: centres stay finite when the scene is scaled to edges of 1.
const SCALE_MIN: f32 = 1e-20;

/// Counts of scales by their leading bits.
struct Histogram(Vec<u64>);

impl Histogram {
    fn new() -> Self {
        Self(vec![0; 1 << (31 - DROPPED)])
    }

    /// Counts a scale, which is not negative.
    fn add(&mut self, scale: f32) {
        self.0[(scale.to_bits() >> DROPPED) as usize] += 1;
    }

    /// The least scale that so many do not exceed; `None` if there are not as many that are finite.
    fn quantile(&self, number: u64) -> Option<f32> {
        let mut sum = 0;
        for (bits, count) in (0_u32..).zip(&self.0) {
            sum += count;
            if sum >= number {
                return Some(f32::from_bits((bits + 1) << DROPPED)).filter(|scale| scale.is_finite());
            }
        }
        None
    }
}

/// The scale at which two objects begin to overlap: infinite if they never do.
fn meeting(distance: Vec3, fixed: Vec3, growing: Vec3) -> f32 {
    // Zero where nothing grows and nothing has to, infinite where something would have to.
    let gap = (distance.abs() - fixed).max(Vec3::ZERO);
    let scale = Vec3::select(gap.cmpeq(Vec3::ZERO), Vec3::ZERO, gap / growing);
    scale.max_element()
}

/// The scale at which the objects that are no giants have `pairs` pairs each among themselves.
///
/// *Cost:* [`LOOKS`] looks at two objects, or more above 100,000 objects.
pub(super) fn scale_for(pairs: f32, centers: &[Vec3], extents: &[Extents]) -> f32 {
    let ordinary: Vec<usize> = (0..extents.len()).filter(|&index| !extents[index].giant).collect();
    if ordinary.len() < 2 {
        return 1.0;
    }
    let mut histogram = Histogram::new();
    let mut samples = 0_u32;
    for &a in ordinary.iter().step_by(stride(ordinary.len(), ordinary.len())) {
        samples += 1;
        for &b in ordinary.iter().filter(|&&b| b != a) {
            let (x, y) = (&extents[a], &extents[b]);
            histogram.add(meeting(centers[a] - centers[b], x.fixed + y.fixed, x.growing + y.growing));
        }
    }
    // Each pair is met from both sides.
    let wanted = rounded(2.0 * f64::from(pairs) * f64::from(samples));
    let spans = ordinary.iter().any(|&index| extents[index].fixed != Vec3::ZERO);
    let scale_min = if spans { SCALE_MIN_SPANNING } else { SCALE_MIN };
    histogram.quantile(wanted).unwrap_or(1.0).max(scale_min)
}

/// Half the edge of boxes at these places that meet `hits` ordinary objects each on average.
pub(super) fn half_for(hits: f32, places: &[Vec3], centers: &[Vec3], halves: &[Vec3]) -> Option<f32> {
    let mut histogram = Histogram::new();
    let mut samples = 0_u32;
    for &place in places.iter().step_by(stride(places.len(), centers.len())) {
        samples += 1;
        for (&center, &half) in centers.iter().zip(halves) {
            histogram.add(((place - center).abs() - half).max(Vec3::ZERO).max_element());
        }
    }
    histogram.quantile(rounded(f64::from(hits) * f64::from(samples)))
}

/// One in so many is looked at, against so many others.
fn stride(candidates: usize, others: usize) -> usize {
    let samples = (LOOKS / others.max(1)).max(SAMPLES_MIN);
    candidates.div_ceil(samples).max(1)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that is not negative")]
fn rounded(count: f64) -> u64 {
    count.round().max(1.0) as u64
}
