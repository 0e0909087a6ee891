//! Regions that tell which boxes of a tree a question went into.
//!
//! A region of a caller's own is asked about each node that a question may go
//! into. So a region that hands each test on to another one, and keeps the boxes that
//! passed, knows the way that the other one takes. With unbounded bounds it is asked about
//! every lane of a visited node, and the option `filter` about every object of a visited block.

use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Ray, Sphere, query::Region};
use std::cell::RefCell;

/// A region, and the boxes that it reached.
pub(crate) struct TracedRegion<'a, R> {
    region: &'a R,
    reached: &'a RefCell<Vec<Aabb>>,
}

impl<'a, R: Region> TracedRegion<'a, R> {
    pub(crate) fn new(region: &'a R, reached: &'a RefCell<Vec<Aabb>>) -> Self {
        Self { region, reached }
    }
}

impl<R: Region> Region for TracedRegion<'_, R> {
    fn bounds(&self) -> Aabb {
        Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.region.overlaps_aabb(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.region.overlaps_sphere(sphere)
    }

    fn reaches(&self, bounds: &Aabb) -> bool {
        let reaches = self.region.reaches(bounds);
        if reaches {
            self.reached.borrow_mut().push(*bounds);
        }
        reaches
    }
}

/// All that a ray meets.
pub(crate) struct AlongRay(pub(crate) Ray);

impl Region for AlongRay {
    fn bounds(&self) -> Aabb {
        Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        self.0.enter_aabb(aabb).is_some()
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.0.enter_sphere(sphere).is_some()
    }
}
