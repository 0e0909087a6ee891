//! Oriented boxes and capsules as regions: a test of eight boxes at once, and an
//! exact one of each object where the first errs on the side of overlap.

use super::{RegionLanes, WithLanes, aabb_at, compiled_here, containment};
use crate::data::{Location, ObjectWord, View};
use crate::geometry::lanes::{Boxes, CapsuleQuery, LaneMask, ObbQuery, Spheres};
use crate::geometry::{Aabb, Capsule, Containment, Obb, Sphere};
use crate::query::Region;
use glam::Vec3;

/// A shape with a test of eight boxes.
trait Volume: Region + Clone {
    /// The shape as eight boxes are tested against it.
    type Query: Clone;
    /// Whether the test of eight boxes is exact.
    const IS_EXACT: bool;
    fn boxes(query: &Self::Query, boxes: &Boxes) -> LaneMask;
}

impl Volume for Obb {
    type Query = ObbQuery;
    const IS_EXACT: bool = true;

    #[inline]
    fn boxes(query: &ObbQuery, boxes: &Boxes) -> LaneMask {
        query.boxes(boxes)
    }
}

impl Volume for Capsule {
    type Query = CapsuleQuery;
    const IS_EXACT: bool = false;

    #[inline]
    fn boxes(query: &CapsuleQuery, boxes: &Boxes) -> LaneMask {
        query.boxes(boxes)
    }
}

#[derive(Clone)]
struct VolumeLanes<'r, V: Volume> {
    volume: &'r V,
    query: V::Query,
}

impl<V: Volume> RegionLanes for VolumeLanes<'_, V> {
    type Carry = ();
    type Lanes = ();
    const CONFIRMS: bool = true;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (V::boxes(&self.query, boxes), ())
    }

    #[inline]
    fn carry(&self, (): &(), _: usize) {}

    fn refine(&self, _: &Spheres, which: LaneMask, (): &mut ()) -> LaneMask {
        // One by one, with the boxes that need it.
        which
    }

    #[inline]
    fn confirms(&self, view: View<'_>, word: ObjectWord, at: Location, (): ()) -> bool {
        if word.has(ObjectWord::SPHERE) {
            self.volume.overlaps_sphere(&view.data.blocks.sphere(at))
        } else {
            V::IS_EXACT || self.volume.overlaps_aabb(&aabb_at(view, at))
        }
    }

    fn containment(&self, view: View<'_>, _: ObjectWord, at: Location, (): ()) -> Containment {
        containment(self.volume.contains_aabb(&aabb_at(view, at)))
    }

    #[inline]
    fn pack((): ()) -> u8 {
        0
    }

    #[inline]
    fn unpack(&self, _: u8) {}
}

/// The corners of a box.
fn corners(aabb: &Aabb) -> impl Iterator<Item = Vec3> {
    let [min, max] = [aabb.min, aabb.max];
    (0..8).map(move |corner| {
        Vec3::from_array([0, 1, 2].map(|axis| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] }))
    })
}

/// Exact for boxes and spheres, but for rounding.
impl Region for Obb {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        Self::overlaps_aabb(self, aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        Self::overlaps_sphere(self, sphere)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        let inside = |corner: Vec3| {
            let offset = corner - self.center();
            (0..3).all(|axis| offset.dot(self.axes()[axis]).abs() <= self.half_extents()[axis])
        };
        corners(aabb).all(inside)
    }

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        then.with(VolumeLanes { volume: self, query: ObbQuery::new(self) })
    }

    compiled_here!();
}

/// Exact for boxes and spheres.
impl Region for Capsule {
    fn bounds(&self) -> Aabb {
        self.aabb()
    }

    fn overlaps_aabb(&self, aabb: &Aabb) -> bool {
        Self::overlaps_aabb(self, aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        Self::overlaps_sphere(self, sphere)
    }

    fn contains_aabb(&self, aabb: &Aabb) -> bool {
        let point = |at: Vec3| Sphere::new(at, 0.0);
        corners(aabb).all(|corner| Self::overlaps_sphere(self, &point(corner)))
    }

    #[inline]
    fn with_lanes<K: WithLanes>(&self, then: K) -> K::Output {
        then.with(VolumeLanes { volume: self, query: CapsuleQuery::new(self) })
    }

    compiled_here!();
}
