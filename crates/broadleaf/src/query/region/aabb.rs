//! Boxes as regions.

use super::{RegionLanes, WithLanes, aabb_at, compiled_here, containment};
use crate::Error;
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{BoxQuery, Boxes, LaneMask, Spheres};
use crate::geometry::{Aabb, Containment, Sphere};
use crate::query::Region;

#[derive(Clone)]
pub(super) struct AabbLanes {
    aabb: Aabb,
    query: BoxQuery,
}

impl AabbLanes {
    #[inline]
    pub(super) fn new(aabb: &Aabb) -> Self {
        Self { aabb: *aabb, query: BoxQuery::new(aabb) }
    }
}

impl RegionLanes for AabbLanes {
    type Carry = ();
    type Lanes = ();
    const CONFIRMS: bool = false;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (boxes.overlaps(&self.query), ())
    }

    #[inline]
    fn carry(&self, (): &(), _: usize) {}

    #[inline]
    fn refine(&self, spheres: &Spheres, _: LaneMask, (): &mut ()) -> LaneMask {
        spheres.overlaps_box(&self.aabb)
    }

    #[inline]
    fn containment(&self, view: View<'_>, _: ObjectWord, at: Location, (): ()) -> Containment {
        containment(self.aabb.contains(&aabb_at(view, at)))
    }

    #[inline]
    fn pack((): ()) -> u8 {
        0
    }

    #[inline]
    fn unpack(&self, _: u8) {}
}

impl Region for Aabb {
    fn bounds(&self) -> Aabb {
        *self
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.overlaps(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        Self::overlaps_sphere(self, sphere)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        self.contains(aabb)
    }

    #[inline]
    fn check(&self) -> Result<(), Error> {
        Self::check(self)
    }

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        then.with(AabbLanes::new(self))
    }

    compiled_here!();
}
