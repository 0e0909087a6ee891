//! Regions of a caller's own: eight boxes at a time against the region's
//! bounds, and those that pass one by one.

use super::{RegionLanes, aabb_at, containment};
use crate::data::{Location, ObjectWord, View};
use crate::geometry::Containment;
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, Spheres, set_bits};
use crate::query::Region;

/// The tests of a region of a caller's own.
pub(super) struct CallerRegion<'r, R> {
    region: &'r R,
    bounds: BoxQuery,
}

impl<R> Clone for CallerRegion<'_, R> {
    fn clone(&self) -> Self {
        Self { region: self.region, bounds: self.bounds }
    }
}

impl<'r, R: Region> CallerRegion<'r, R> {
    pub(super) fn new(region: &'r R) -> Self {
        Self { region, bounds: BoxQuery::new(&region.bounds()) }
    }
}

impl<R: Region> RegionLanes for CallerRegion<'_, R> {
    /// Whether the node lies wholly inside, and with it all that it holds.
    type Carry = bool;
    /// The lanes that lie wholly inside.
    type Lanes = LaneMask;
    const CONFIRMS: bool = true;

    fn start(&self) -> bool {
        false
    }

    #[inline]
    fn test(&self, boxes: &Boxes, is_inside: bool) -> (LaneMask, LaneMask) {
        if is_inside {
            return (LaneMask::MAX, LaneMask::MAX);
        }
        let (mut mask, mut inside) = (boxes.overlaps(&self.bounds), 0);
        for lane in set_bits(u64::from(mask)) {
            let aabb = boxes.get(lane);
            // Empty lanes overlap unbounded bounds; a region is not asked about them.
            if aabb.min.x > aabb.max.x || !self.region.reaches(&aabb) {
                mask &= !(1 << lane);
            } else if self.region.contains_aabb(&aabb) {
                inside |= 1 << lane;
            }
        }
        (mask, inside)
    }

    #[inline]
    fn test_objects(&self, boxes: &Boxes, is_inside: bool) -> (LaneMask, LaneMask) {
        if is_inside { (LaneMask::MAX, LaneMask::MAX) } else { (boxes.overlaps(&self.bounds), 0) }
    }

    #[inline]
    fn carry(&self, inside: &LaneMask, lane: usize) -> bool {
        inside >> lane & 1 == 1
    }

    fn refine(&self, _: &Spheres, which: LaneMask, _: &mut LaneMask) -> LaneMask {
        which
    }

    #[inline]
    fn confirms(&self, view: View<'_>, word: ObjectWord, at: Location, is_inside: bool) -> bool {
        if is_inside {
            true
        } else if word.has(ObjectWord::SPHERE) {
            self.region.overlaps_sphere(&view.data.blocks.sphere(at))
        } else {
            self.region.overlaps_aabb(&aabb_at(view, at))
        }
    }

    fn containment(&self, view: View<'_>, _: ObjectWord, at: Location, is_inside: bool) -> Containment {
        containment(is_inside || self.region.contains_aabb(&aabb_at(view, at)))
    }

    fn pack(is_inside: bool) -> u8 {
        u8::from(is_inside)
    }

    fn unpack(&self, is_inside: u8) -> bool {
        is_inside != 0
    }
}
