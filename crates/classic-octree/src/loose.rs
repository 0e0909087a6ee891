//! Which loose octants a ray passes. They overlap, so it may be all eight.

use broadleaf::glam::Vec3;

/// The distances at which a ray enters and leaves the lower and the upper
/// half of a cell, by axis.
pub(super) struct Halves {
    enter: [Vec3; 2],
    exit: [Vec3; 2],
}

impl Halves {
    /// From the distances of each axis' lower and upper half.
    pub(super) fn new(mut half: impl FnMut(usize, bool) -> (f32, f32)) -> Self {
        let (mut enter, mut exit) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2]);
        for axis in 0..3 {
            for upper in [false, true] {
                (enter[usize::from(upper)][axis], exit[usize::from(upper)][axis]) = half(axis, upper);
            }
        }
        Self { enter, exit }
    }

    /// The distances at which the ray enters and leaves an octant.
    fn octant(&self, octant: u32) -> (f32, f32) {
        let pick = |of: &[Vec3; 2], axis: usize| of[(octant >> axis & 1) as usize][axis];
        let (enter, exit) = (&self.enter, &self.exit);
        (pick(enter, 0).max(pick(enter, 1)).max(pick(enter, 2)), pick(exit, 0).min(pick(exit, 1)).min(pick(exit, 2)))
    }
}

/// Hands out the octants that the ray passes between two distances, no octant
/// before one that it enters earlier on every axis. `downward` are the axes
/// along which it comes from the upper half.
pub(super) fn pass(halves: &Halves, downward: u32, enter: f32, exit: f32, mut push: impl FnMut(u32, f32, f32)) {
    for step in [0, 1, 2, 4, 3, 5, 6, 7] {
        let octant = step ^ downward;
        let (first, last) = halves.octant(octant);
        let (first, last) = (first.max(enter), last.min(exit));
        if first <= last {
            push(octant, first, last);
        }
    }
}
