//! Points as regions.

use super::aabb::AabbLanes;
use super::{WithLanes, compiled_here};
use crate::Error;
use crate::geometry::{Aabb, Sphere, check_point};
use crate::query::Region;
use glam::Vec3;

impl Region for Vec3 {
    fn bounds(&self) -> Aabb {
        Aabb::new(*self, *self)
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        aabb.contains_point(*self)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        sphere.contains_point(*self)
    }

    #[inline]
    fn check(&self) -> Result<(), Error> {
        check_point(*self, ["point.x", "point.y", "point.z"])
    }

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        // Both tests of a box without extent are those of a point. Those of a
        // sphere of radius zero are not: a tiny distance squared is zero.
        then.with(AabbLanes::new(&self.bounds()))
    }

    compiled_here!();
}
