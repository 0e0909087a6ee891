//! Spheres as regions.

use super::{RegionLanes, WithLanes, aabb_at, compiled_here, containment};
use crate::Error;
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{Boxes, LaneMask, SphereQuery, Spheres};
use crate::geometry::{Aabb, Containment, Sphere};
use crate::query::Region;

#[derive(Clone)]
struct SphereLanes {
    sphere: Sphere,
    query: SphereQuery,
}

impl RegionLanes for SphereLanes {
    type Carry = ();
    type Lanes = ();
    const CONFIRMS: bool = false;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (self.query.overlaps_boxes(boxes), ())
    }

    #[inline]
    fn carry(&self, (): &(), _: usize) {}

    #[inline]
    fn refine(&self, spheres: &Spheres, _: LaneMask, (): &mut ()) -> LaneMask {
        spheres.overlaps_sphere(&self.query)
    }

    fn containment(&self, view: View<'_>, word: ObjectWord, at: Location, (): ()) -> Containment {
        containment(if word.has(ObjectWord::SPHERE) {
            let other = view.data.blocks.sphere(at);
            other.center.distance(self.sphere.center) + other.radius <= self.sphere.radius
        } else {
            self.sphere.contains_aabb(&aabb_at(view, at))
        })
    }

    #[inline]
    fn pack((): ()) -> u8 {
        0
    }

    #[inline]
    fn unpack(&self, _: u8) {}
}

impl Region for Sphere {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        aabb.overlaps_sphere(self)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.overlaps(sphere)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        let farthest = (aabb.min - self.center).abs().max((aabb.max - self.center).abs());
        farthest.length() <= self.radius
    }

    #[inline]
    fn check(&self) -> Result<(), Error> {
        Self::check(self)
    }

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        then.with(SphereLanes { sphere: *self, query: SphereQuery::new(self) })
    }

    compiled_here!();
}
