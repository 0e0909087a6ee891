//! Frusta as regions: planes that a node lies in front of are not tested again below it.

use super::{RegionLanes, WithLanes, compiled_here, containment, tests_by_planes};
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{ALL_PLANES, Boxes, FrustumLanes, FrustumQuery, LaneMask, Spheres, set_bits};
use crate::geometry::{Aabb, Containment, Frustum, Sphere};
use crate::query::Region;
use glam::Vec3;

impl RegionLanes for FrustumQuery {
    /// The planes that cut the node: its contents are in front of the others.
    type Carry = u8;
    type Lanes = FrustumLanes;
    const IS_DEAR: bool = true;
    const CONFIRMS: bool = false;

    fn start(&self) -> u8 {
        ALL_PLANES
    }

    #[inline]
    fn test(&self, boxes: &Boxes, planes: u8) -> (LaneMask, FrustumLanes) {
        let lanes = self.boxes(boxes, planes);
        (lanes.visible, lanes)
    }

    #[inline]
    fn carry(&self, lanes: &FrustumLanes, lane: usize) -> u8 {
        lanes.planes_of(lane)
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut FrustumLanes) -> LaneMask {
        // A box inside has a sphere inside; of the others the sphere decides.
        let undecided = set_bits(u64::from(which)).filter(|&lane| lanes.planes_of(lane) != 0);
        let undecided = undecided.fold(0, |mask: LaneMask, lane| mask | 1 << lane);
        let tested = self.spheres(spheres);
        lanes.replace(undecided, &tested);
        tested.visible | !undecided
    }

    #[inline]
    fn containment(&self, _: View<'_>, _: ObjectWord, _: Location, planes: u8) -> Containment {
        containment(planes == 0)
    }

    #[inline]
    fn pack(planes: u8) -> u8 {
        planes
    }

    #[inline]
    fn unpack(&self, planes: u8) -> u8 {
        planes
    }
}

/// A frustum reports what is not behind any one of its planes: near its edges,
/// an object may be reported though it lies outside, as is usual for culling.
impl Region for Frustum {
    tests_by_planes!();

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        then.with(FrustumQuery::new(self))
    }

    compiled_here!();
}
