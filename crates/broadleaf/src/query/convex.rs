//! Which objects lie in front of any number of planes.

use super::walk::{Found, Question, walk};
use crate::Handle;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, ConvexLanes, LaneMask, Spheres, planes_and_boxes, planes_and_spheres, set_bits};
use crate::geometry::{Containment, ConvexRegion, Plane};
use alloc::vec::Vec;
use core::ops::ControlFlow;

struct InConvex<'a, F> {
    planes: &'a [Plane],
    visit: F,
}

impl<F: FnMut(Handle, Containment) -> ControlFlow<()>> Question for InConvex<'_, F> {
    /// The planes that cut the node: its contents are in front of the others.
    type Carry = u64;
    type Lanes = ConvexLanes;

    fn start(&self) -> u64 {
        u64::MAX
    }

    #[inline]
    fn test(&self, boxes: &Boxes, planes: u64) -> (LaneMask, ConvexLanes) {
        let lanes = planes_and_boxes(self.planes, boxes, planes);
        (lanes.visible, lanes)
    }

    #[inline]
    fn carry(&self, lanes: &ConvexLanes, lane: usize) -> u64 {
        lanes.planes_of(lane)
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, lanes: &mut ConvexLanes) -> LaneMask {
        // A box inside has a sphere inside; of the others the sphere decides.
        let undecided = set_bits(u64::from(which)).filter(|&lane| lanes.is_cut(lane));
        let undecided = undecided.fold(0, |mask: LaneMask, lane| mask | 1 << lane);
        let tested = planes_and_spheres(self.planes, spheres);
        lanes.replace(undecided, &tested);
        tested.visible | !undecided
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, ConvexLanes>) -> ControlFlow<()> {
        let cut = object.lanes.is_cut(object.at.lane());
        let containment = if cut { Containment::Intersecting } else { Containment::Inside };
        (self.visit)(object.handle(), containment)
    }
}

impl View<'_> {
    /// Visits the objects that are not behind any plane of a convex region,
    /// and says of each whether it lies wholly inside. As with a frustum, an
    /// object near an edge of the region may be reported though it lies outside.
    ///
    /// ```
    /// use broadleaf::{Aabb, Containment, ConvexRegion, Layers, Octree, Plane, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let region = ConvexRegion::new(&[Plane { normal: Vec3::ONE, offset: -1.0 }])?;
    /// let mut found = Vec::new();
    /// tree.view().in_convex_into(&region, Layers::ALL, &mut found);
    /// assert_eq!(found, [(unit, Containment::Intersecting)]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// Planes are closed: touching one counts as in front of it.
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes that are not behind a plane, times the
    /// planes that cut them; one that is inside of a plane is not tested against
    /// it again, for the first 64 planes.
    pub fn in_convex(
        self,
        region: &ConvexRegion,
        layers: Layers,
        visit: impl FnMut(Handle, Containment) -> ControlFlow<()>,
    ) -> QueryStats {
        walk(self, layers, &mut InConvex { planes: region.planes(), visit })
    }

    /// Fills `found` with the objects that are not behind any plane of a convex
    /// region, as [`View::in_convex`].
    pub fn in_convex_into(
        self,
        region: &ConvexRegion,
        layers: Layers,
        found: &mut Vec<(Handle, Containment)>,
    ) -> QueryStats {
        found.clear();
        self.in_convex(region, layers, |handle, containment| {
            found.push((handle, containment));
            ControlFlow::Continue(())
        })
    }
}
