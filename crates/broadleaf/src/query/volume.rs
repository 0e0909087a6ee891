//! Which objects overlap an oriented box or a capsule: a test of eight boxes
//! at once, and an exact one where that errs on the side of overlap.

use super::walk::{Found, Question, walk};
use crate::Handle;
use crate::data::ids::ObjectWord;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::lanes::{Boxes, CapsuleQuery, LaneMask, ObbQuery, Spheres};
use crate::geometry::{Aabb, Capsule, Obb, Sphere};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// A shape to ask about.
trait Volume {
    /// The lanes whose box may overlap.
    fn boxes(&self, boxes: &Boxes) -> LaneMask;
    /// Whether a box that passed overlaps.
    fn confirms(&self, aabb: &Aabb) -> bool;
    /// Whether a sphere overlaps.
    fn overlaps_sphere(&self, sphere: &Sphere) -> bool;
}

struct OrientedBox {
    obb: Obb,
    query: ObbQuery,
}

impl Volume for OrientedBox {
    #[inline]
    fn boxes(&self, boxes: &Boxes) -> LaneMask {
        self.query.boxes(boxes)
    }

    #[inline]
    fn confirms(&self, _: &Aabb) -> bool {
        true
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.obb.overlaps_sphere(sphere)
    }
}

struct CapsuleVolume {
    capsule: Capsule,
    query: CapsuleQuery,
}

impl Volume for CapsuleVolume {
    #[inline]
    fn boxes(&self, boxes: &Boxes) -> LaneMask {
        self.query.boxes(boxes)
    }

    fn confirms(&self, aabb: &Aabb) -> bool {
        self.capsule.overlaps_aabb(aabb)
    }

    fn overlaps_sphere(&self, sphere: &Sphere) -> bool {
        self.capsule.overlaps_sphere(sphere)
    }
}

struct InVolume<'a, V, F> {
    view: View<'a>,
    volume: V,
    hits: u64,
    visit: F,
}

impl<V: Volume, F: FnMut(Handle) -> ControlFlow<()>> Question for InVolume<'_, V, F> {
    type Carry = ();
    type Lanes = ();
    const GATHERED: bool = true;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, ()) {
        (self.volume.boxes(boxes), ())
    }

    #[inline]
    fn carry(&self, (): &(), _: usize) {}

    fn refine(&self, _: &Spheres, which: LaneMask, (): &mut ()) -> LaneMask {
        // One by one, with the boxes that need it.
        which
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, ()>) -> ControlFlow<()> {
        let blocks = &self.view.data.blocks;
        let overlaps = if object.word.has(ObjectWord::SPHERE) {
            self.volume.overlaps_sphere(&blocks.sphere(object.at))
        } else {
            self.volume.confirms(&blocks[object.at.block()].boxes.get(object.at.lane()).clamped_to_finite())
        };
        if overlaps {
            self.hits += 1;
            (self.visit)(object.handle())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl View<'_> {
    fn in_volume(
        self,
        volume: impl Volume,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> QueryStats {
        let mut question = InVolume { view: self, volume, hits: 0, visit };
        let stats = walk(self, layers, &mut question);
        QueryStats { hits: question.hits, ..stats }
    }

    /// Visits the objects that overlap an oriented box; touching counts. Exact
    /// for boxes and spheres, but for rounding.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Obb, Octree, glam::{Quat, Vec3}};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let plank = Obb::new(Vec3::ZERO, Vec3::new(9.0, 0.1, 0.1), Quat::from_rotation_z(0.5))?;
    /// let mut found = Vec::new();
    /// tree.view().in_obb_into(&plank, Layers::ALL, &mut found);
    /// assert_eq!(found, [unit]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds overlap the box:
    /// fifteen axes for each eight, fewer if they are apart.
    pub fn in_obb(self, obb: &Obb, layers: Layers, visit: impl FnMut(Handle) -> ControlFlow<()>) -> QueryStats {
        self.in_volume(OrientedBox { obb: *obb, query: ObbQuery::new(obb) }, layers, visit)
    }

    /// Fills `found` with the objects that overlap an oriented box, as [`View::in_obb`].
    pub fn in_obb_into(self, obb: &Obb, layers: Layers, found: &mut Vec<Handle>) -> QueryStats {
        found.clear();
        self.in_obb(obb, layers, |handle| {
            found.push(handle);
            ControlFlow::Continue(())
        })
    }

    /// Visits the objects that overlap a capsule; touching counts. Exact for boxes and spheres.
    ///
    /// ```
    /// use broadleaf::{Aabb, Capsule, Layers, Octree, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let unit = tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// let mut found = Vec::new();
    /// let walker = Capsule::new(Vec3::new(1.5, 0.5, 0.5), Vec3::new(1.5, 3.0, 0.5), 0.5)?;
    /// tree.view().in_capsule_into(&walker, Layers::ALL, &mut found);
    /// assert_eq!(found, [unit]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds nearly overlap
    /// the capsule; each box that passes is settled in 64 bits.
    pub fn in_capsule(
        self,
        capsule: &Capsule,
        layers: Layers,
        visit: impl FnMut(Handle) -> ControlFlow<()>,
    ) -> QueryStats {
        self.in_volume(CapsuleVolume { capsule: *capsule, query: CapsuleQuery::new(capsule) }, layers, visit)
    }

    /// Fills `found` with the objects that overlap a capsule, as [`View::in_capsule`].
    pub fn in_capsule_into(self, capsule: &Capsule, layers: Layers, found: &mut Vec<Handle>) -> QueryStats {
        found.clear();
        self.in_capsule(capsule, layers, |handle| {
            found.push(handle);
            ControlFlow::Continue(())
        })
    }
}
