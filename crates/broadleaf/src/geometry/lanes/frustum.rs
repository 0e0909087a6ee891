//! One frustum against eight boxes or spheres.

use super::{Boxes, Lane, LaneMask, Spheres};
use crate::geometry::Frustum;
use crate::geometry::lanes::set_bits;

/// Six planes in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct FrustumQuery {
    planes: [PlaneLanes; 6],
}

#[derive(Clone, Copy)]
struct PlaneLanes {
    normal: [Lane; 3],
    offset: Lane,
    /// Columns of the corner farthest along the normal, and of the opposite one.
    along: [usize; 3],
    against: [usize; 3],
}

/// How eight boxes lie to the planes that were tested.
#[derive(Clone, Copy)]
pub(crate) struct FrustumLanes {
    /// Lanes that are behind no plane.
    pub(crate) visible: LaneMask,
    /// For each plane, the lanes that it cuts.
    cut: [LaneMask; 6],
}

/// All six planes.
pub(crate) const ALL_PLANES: u8 = 0b11_1111;

impl FrustumLanes {
    /// The planes that cut a lane: those its contents must still be tested against.
    #[inline]
    pub(crate) fn planes_of(&self, lane: usize) -> u8 {
        let bit = |plane: usize| ((self.cut[plane] >> lane) & 1) << plane;
        bit(0) | bit(1) | bit(2) | bit(3) | bit(4) | bit(5)
    }
}

impl FrustumLanes {
    /// Copies the results of some lanes from `other`.
    pub(crate) fn replace(&mut self, which: LaneMask, other: &Self) {
        for (cut, other) in self.cut.iter_mut().zip(other.cut) {
            *cut = *cut & !which | other & which;
        }
    }
}

impl FrustumQuery {
    pub(crate) fn new(frustum: &Frustum) -> Self {
        let planes = frustum.planes().map(|plane| {
            let n = plane.normal.to_array();
            let column = |axis: usize, along: bool| if (n[axis] >= 0.0) == along { axis + 3 } else { axis };
            PlaneLanes {
                normal: n.map(Lane::splat),
                offset: Lane::splat(plane.offset),
                along: [0, 1, 2].map(|axis| column(axis, true)),
                against: [0, 1, 2].map(|axis| column(axis, false)),
            }
        });
        Self { planes }
    }

    /// The same with every plane moved outward.
    pub(crate) fn expanded(mut self, margin: f32) -> Self {
        for plane in &mut self.planes {
            plane.offset += Lane::splat(margin);
        }
        self
    }

    /// Tests finite boxes against the planes in the set `planes`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn boxes(&self, boxes: &Boxes, planes: u8) -> FrustumLanes {
        let zero = Lane::splat(0.0);
        let mut lanes = FrustumLanes { visible: LaneMask::MAX, cut: [0; 6] };
        for index in set_bits(u64::from(planes & ALL_PLANES)) {
            let plane = &self.planes[index];
            let distance = |columns: &[usize; 3]| {
                let [x, y, z] = [0, 1, 2].map(|axis| plane.normal[axis] * boxes.column(columns[axis] % 6));
                ((x + y) + z) + plane.offset
            };
            lanes.visible &= !(distance(&plane.along).simd_lt(zero).to_bitmask() as LaneMask);
            lanes.cut[index] = distance(&plane.against).simd_lt(zero).to_bitmask() as LaneMask;
        }
        lanes
    }

    /// Tests spheres against all planes.
    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    pub(crate) fn spheres(&self, spheres: &Spheres) -> FrustumLanes {
        let (center, radius) = spheres.columns();
        let mut lanes = FrustumLanes { visible: LaneMask::MAX, cut: [0; 6] };
        for (plane, cut) in self.planes.iter().zip(&mut lanes.cut) {
            let [x, y, z] = [0, 1, 2].map(|axis| plane.normal[axis] * center[axis]);
            let distance = ((x + y) + z) + plane.offset;
            lanes.visible &= !(distance.simd_lt(-radius).to_bitmask() as LaneMask);
            *cut = distance.simd_lt(radius).to_bitmask() as LaneMask;
        }
        lanes
    }
}
