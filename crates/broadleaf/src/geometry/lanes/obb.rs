//! One oriented box against eight boxes.

use super::{BoxQuery, Boxes, Lane, LaneMask};
use crate::geometry::Obb;

/// An oriented box: the box around it, and its slabs.
#[derive(Clone, Copy)]
pub(crate) struct ObbQuery {
    around: BoxQuery,
    obb: Obb,
}

impl ObbQuery {
    pub(crate) fn new(obb: &Obb) -> Self {
        Self { around: BoxQuery::new(&obb.aabb()), obb: *obb }
    }

    /// The lanes whose finite box shares a point with the oriented box.
    #[inline]
    pub(crate) fn boxes(&self, boxes: &Boxes) -> LaneMask {
        let mask = boxes.overlaps(&self.around);
        if mask == 0 { 0 } else { mask & self.slabs(boxes) }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
    fn slabs(&self, boxes: &Boxes) -> LaneMask {
        let center = self.obb.center();
        let [low, high] = [0, 3].map(|first| [0, 1, 2].map(|i| boxes.column(first + i) - Lane::splat(center[i])));
        let mut apart = 0;
        for slab in self.obb.slabs() {
            let normal = slab.normal.to_array();
            let sum = |along: bool| {
                let [x, y, z] = [0, 1, 2].map(|i| {
                    let corner = if (normal[i] >= 0.0) == along { high[i] } else { low[i] };
                    Lane::splat(normal[i]) * corner
                });
                (x + y) + z
            };
            let radius = Lane::splat(slab.radius);
            apart |= (sum(false).simd_gt(radius) | sum(true).simd_lt(-radius)).to_bitmask();
            if apart == 0xff {
                break;
            }
        }
        !apart as LaneMask
    }
}
