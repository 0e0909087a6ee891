//! Convex regions of any number of planes.

use super::{RegionLanes, WithLanes, compiled_here, containment, tests_by_planes};
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{Boxes, ConvexLanes, LaneMask, Spheres, planes_and_boxes, planes_and_spheres, set_bits};
use crate::geometry::{Aabb, Containment, ConvexRegion, Plane, Sphere};
use crate::query::Region;
use glam::Vec3;

#[derive(Clone, Copy)]
struct Planes<'r>(&'r [Plane]);

/// The planes that cut a node or an object.
#[derive(Clone, Copy)]
struct Cut {
    /// Of the first 64 planes. The contents of a node are in front of the others.
    first: u64,
    /// Whether any plane cuts.
    any: bool,
}

impl RegionLanes for Planes<'_> {
    type Carry = Cut;
    type Lanes = ConvexLanes;
    const IS_DEAR: bool = true;
    const CONFIRMS: bool = false;

    fn start(&self) -> Cut {
        self.unpack(1)
    }

    #[inline]
    fn test(&self, boxes: &Boxes, cut: Cut) -> (LaneMask, ConvexLanes) {
        let lanes = planes_and_boxes(self.0, boxes, cut.first);
        (lanes.visible, lanes)
    }

    #[inline]
    fn carry(&self, lanes: &ConvexLanes, lane: usize) -> Cut {
        Cut { first: lanes.planes_of(lane), any: lanes.is_cut(lane) }
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut ConvexLanes) -> LaneMask {
        // A box inside has a sphere inside; of the others the sphere decides.
        let undecided = set_bits(u64::from(which)).filter(|&lane| lanes.is_cut(lane));
        let undecided = undecided.fold(0, |mask: LaneMask, lane| mask | 1 << lane);
        let tested = planes_and_spheres(self.0, spheres);
        lanes.replace(undecided, &tested);
        tested.visible | !undecided
    }

    #[inline]
    fn containment(&self, _: View<'_>, _: ObjectWord, _: Location, cut: Cut) -> Containment {
        containment(!cut.any)
    }

    #[inline]
    fn pack(cut: Cut) -> u8 {
        u8::from(cut.any)
    }

    /// Which planes cut is lost: all are tested again.
    #[inline]
    fn unpack(&self, any: u8) -> Cut {
        if any == 0 { Cut { first: 0, any: false } } else { Cut { first: u64::MAX, any: true } }
    }
}

/// As with a frustum, an object near an edge of the region may be reported though it lies outside.
impl Region for ConvexRegion {
    tests_by_planes!();

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        then.with(Planes(self.planes()))
    }

    compiled_here!();
}
