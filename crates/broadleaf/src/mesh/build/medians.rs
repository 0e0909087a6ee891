//! Triangles that share a key, in an order that parts them in space.
//!
//! The curve cannot tell them apart: they are small beside the bounds of all,
//! or many. Cells halve them by number; so they are sorted such that each half
//! is a half in space:
//!
//! ```text
//! order(run): up to a leaf of them, or all at one place: by index
//!             otherwise: select the median along the longest axis of the centres
//!                        order(first half), order(second half)
//! ```
//!
//! *Source:* Jon L. Bentley, "Multidimensional Binary Search Trees Used for
//! Associative Searching", 1975. O(n log n) in the triangles of a run.

use super::curve::KeyedTriangle;
use super::source::Source;
use super::tasks;
use crate::data::Threads;
use crate::geometry::Aabb;
use crate::geometry::lanes::WIDTH;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// A triangle of a run, and the centre of its box.
struct RunTriangle {
    centre: Vec3,
    keyed: KeyedTriangle,
}

/// Sorts runs of the order, none of which overlap.
pub(super) fn order_runs(source: &impl Source, runs: &[Range<usize>], order: &mut [KeyedTriangle], threads: Threads) {
    let sorted = tasks::map(threads, runs.to_vec(), |run| order_run(source, &order[run]));
    for (run, sorted) in runs.iter().zip(sorted) {
        for (place, one) in order[run.clone()].iter_mut().zip(sorted) {
            *place = one.keyed;
        }
    }
}

fn order_run(source: &impl Source, run: &[KeyedTriangle]) -> Vec<RunTriangle> {
    let centre = |keyed: KeyedTriangle| source.get(keyed.index()).aabb().center();
    let mut run: Vec<RunTriangle> = run.iter().map(|&keyed| RunTriangle { centre: centre(keyed), keyed }).collect();
    halve(&mut run);
    run
}

/// Recursion is as deep as halving goes.
fn halve(run: &mut [RunTriangle]) {
    let bounds = run.iter().fold(Aabb::EMPTY, |bounds, one| bounds.union(&Aabb { min: one.centre, max: one.centre }));
    let size = bounds.max - bounds.min;
    if run.len() <= WIDTH || size == Vec3::ZERO {
        run.sort_unstable_by_key(|one| one.keyed);
        return;
    }
    let axis = size.max_position();
    let middle = run.len() / 2;
    run.select_nth_unstable_by(middle, |a, b| {
        a.centre[axis].total_cmp(&b.centre[axis]).then_with(|| a.keyed.cmp(&b.keyed))
    });
    let (first, second) = run.split_at_mut(middle);
    halve(first);
    halve(second);
}
