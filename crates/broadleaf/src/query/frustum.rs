//! Which objects a camera sees.

use super::walk::{Found, Question, walk};
use crate::Handle;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{ALL_PLANES, Boxes, FrustumLanes, FrustumQuery, LaneMask, Spheres, set_bits};
use crate::geometry::{Containment, Frustum};
use alloc::vec::Vec;
use core::ops::ControlFlow;

struct InFrustum<F> {
    query: FrustumQuery,
    visit: F,
}

impl<F: FnMut(Handle, Containment) -> ControlFlow<()>> Question for InFrustum<F> {
    /// The planes that cut the node: its contents are in front of the others.
    type Carry = u8;
    type Lanes = FrustumLanes;

    fn start(&self) -> u8 {
        ALL_PLANES
    }

    #[inline]
    fn test(&self, boxes: &Boxes, planes: u8) -> (LaneMask, FrustumLanes) {
        let lanes = self.query.boxes(boxes, planes);
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
        let tested = self.query.spheres(spheres);
        lanes.replace(undecided, &tested);
        tested.visible | !undecided
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, FrustumLanes>) -> ControlFlow<()> {
        let cut = object.lanes.planes_of(object.at.lane()) != 0;
        let containment = if cut { Containment::Intersecting } else { Containment::Inside };
        (self.visit)(object.handle(), containment)
    }
}

impl View<'_> {
    /// Visits the objects that are not behind any plane of a frustum, and
    /// says of each whether it lies wholly inside. An object near an edge of
    /// the frustum may be reported though it lies outside, as is usual.
    ///
    /// ```
    /// use broadleaf::glam::{Vec3, camera::rh::proj::directx::perspective};
    /// use broadleaf::{Aabb, ClipDepth, Containment, Frustum, Layers, Octree};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let unit = Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5));
    /// let ahead = tree.insert(unit.translated(Vec3::NEG_Z * 20.0))?;
    /// let behind = tree.insert(unit.translated(Vec3::Z * 20.0))?;
    /// let frustum = Frustum::from_view_projection(perspective(1.0, 1.5, 0.1, 100.0), ClipDepth::ZeroToOne)?;
    /// let mut seen = Vec::new();
    /// tree.view().in_frustum(&frustum, Layers::ALL, |handle, containment| {
    ///     seen.push((handle, containment));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(seen, [(ahead, Containment::Inside)]);
    /// assert!(seen.iter().all(|(handle, _)| *handle != behind));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// Planes are closed: touching one counts as in front of it.
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes that are not behind a plane; one that
    /// is inside of a plane is never tested against it again.
    pub fn in_frustum(
        self,
        frustum: &Frustum,
        layers: Layers,
        visit: impl FnMut(Handle, Containment) -> ControlFlow<()>,
    ) -> QueryStats {
        let mut question = InFrustum { query: FrustumQuery::new(frustum), visit };
        walk(self, layers, &mut question)
    }

    /// Fills `found` with the objects that are not behind any plane of a
    /// frustum, as [`View::in_frustum`].
    pub fn in_frustum_into(
        self,
        frustum: &Frustum,
        layers: Layers,
        found: &mut Vec<(Handle, Containment)>,
    ) -> QueryStats {
        found.clear();
        self.in_frustum(frustum, layers, |handle, containment| {
            found.push((handle, containment));
            ControlFlow::Continue(())
        })
    }
}
