//! Any number of planes against eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres};
use crate::geometry::Plane;

/// Planes whose cuts are inherited; further ones are always tested.
const INHERITED: usize = 64;

/// How eight boxes lie to the planes that were tested.
#[derive(Clone, Copy)]
pub(crate) struct ConvexLanes {
    /// Lanes that are behind no plane.
    pub(crate) visible: LaneMask,
    /// For each plane that is inherited, the lanes that it cuts.
    cut: [LaneMask; INHERITED],
    /// Lanes that any further plane cuts.
    cut_further: LaneMask,
}

impl ConvexLanes {
    const ALL: Self = Self { visible: LaneMask::MAX, cut: [0; INHERITED], cut_further: 0 };

    /// The inherited planes that cut a lane.
    #[inline]
    pub(crate) fn planes_of(&self, lane: usize) -> u64 {
        self.cut.iter().enumerate().fold(0, |planes, (index, cut)| planes | u64::from(cut >> lane & 1) << index)
    }

    /// Whether any plane cuts a lane.
    #[inline]
    pub(crate) fn is_cut(&self, lane: usize) -> bool {
        (self.cut.iter().fold(self.cut_further, |all, cut| all | cut) >> lane) & 1 == 1
    }

    /// Copies the results of some lanes from `other`.
    pub(crate) fn replace(&mut self, which: LaneMask, other: &Self) {
        for (cut, other) in self.cut.iter_mut().zip(other.cut) {
            *cut = *cut & !which | other & which;
        }
        self.cut_further = self.cut_further & !which | other.cut_further & which;
    }

    fn record(&mut self, index: usize, behind: LaneMask, cut: LaneMask) {
        self.visible &= !behind;
        match self.cut.get_mut(index) {
            Some(lanes) => *lanes = cut,
            None => self.cut_further |= cut,
        }
    }
}

/// Tests finite boxes against the planes of the set `inherited`, and all beyond it.
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn planes_and_boxes(planes: &[Plane], boxes: &Boxes, inherited: u64) -> ConvexLanes {
    let zero = Lane::splat(0.0);
    let mut lanes = ConvexLanes::ALL;
    for (index, plane) in planes.iter().enumerate() {
        if index < INHERITED && inherited >> index & 1 == 0 {
            continue;
        }
        let normal = plane.normal.to_array();
        let distance = |along: bool| {
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let column = if (normal[axis] >= 0.0) == along { axis + 3 } else { axis };
                Lane::splat(normal[axis]) * boxes.column(column)
            });
            ((x + y) + z) + Lane::splat(plane.offset)
        };
        let behind = distance(true).simd_lt(zero).to_bitmask() as LaneMask;
        let cut = distance(false).simd_lt(zero).to_bitmask() as LaneMask;
        lanes.record(index, behind, cut);
        if lanes.visible == 0 {
            break;
        }
    }
    lanes
}

/// Tests spheres against all planes.
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn planes_and_spheres(planes: &[Plane], spheres: &Spheres) -> ConvexLanes {
    let (center, radius) = spheres.columns();
    let mut lanes = ConvexLanes::ALL;
    for (index, plane) in planes.iter().enumerate() {
        let normal = plane.normal.to_array();
        let [x, y, z] = [0, 1, 2].map(|axis| Lane::splat(normal[axis]) * center[axis]);
        let distance = ((x + y) + z) + Lane::splat(plane.offset);
        let behind = distance.simd_lt(-radius).to_bitmask() as LaneMask;
        lanes.record(index, behind, distance.simd_lt(radius).to_bitmask() as LaneMask);
    }
    lanes
}
