//! The shapes of blocks: boxes, and the column of spheres, which is made by the first sphere.

use super::Blocks;
use crate::data::{BlockId, Location, ObjectWord};
use crate::geometry::Sphere;
use crate::geometry::lanes::{LaneMask, Shapes, Spheres};

impl Blocks {
    /// The spheres of a block that has any.
    #[inline]
    pub(crate) fn spheres_of(&self, id: BlockId) -> &Spheres {
        &self.spheres[id.0 as usize]
    }

    #[inline]
    pub(crate) fn sphere(&self, at: Location) -> Sphere {
        self.spheres_of(at.block()).get(at.lane())
    }

    /// Writes the sphere of a lane.
    #[inline]
    pub(crate) fn set_sphere(&mut self, at: Location, sphere: &Sphere) {
        self.spheres_mut(at.block()).set(at.lane(), sphere);
    }

    /// Writes whether the object in a lane is a sphere, and which, without negative zeros.
    #[inline(always)]
    pub(crate) fn set_round(&mut self, at: Location, sphere: Option<Sphere>) {
        if let Some(sphere) = &sphere {
            self.set_sphere(at, &sphere.without_negative_zeros());
        }
        // Where there are no spheres, a box stays a box.
        if self.any_spheres() {
            let word = &mut self[at.block()].objects[at.lane()];
            *word = word.with(ObjectWord::SPHERE, sphere.is_some());
        }
    }

    /// The shapes of a block. Lanes of boxes may hold some sphere, and empty lanes count as spheres.
    #[inline]
    pub(crate) fn shapes(&self, id: BlockId) -> Shapes {
        let (block, spheres) = (&self[id], self.spheres.get(id.0 as usize).copied().unwrap_or(Spheres::ZERO));
        Shapes { boxes: block.boxes, spheres, sphere_lanes: block.sphere_lanes() }
    }

    /// Writes the shapes of all objects of a block.
    #[inline(always)]
    pub(crate) fn set_shapes(&mut self, id: BlockId, shapes: &Shapes) {
        if shapes.sphere_lanes != 0 {
            self.set_spheres(id, &shapes.spheres);
        }
        let block = &mut self[id];
        block.boxes = shapes.boxes;
        // An empty lane keeps all bits.
        block.flag_spheres(shapes.sphere_lanes | !block.occupied());
    }

    /// The same of the objects in some lanes.
    #[inline]
    pub(crate) fn blend_shapes(&mut self, id: BlockId, lanes: LaneMask, shapes: &Shapes) {
        let sphere_lanes = lanes & shapes.sphere_lanes;
        if sphere_lanes != 0 {
            let spheres = self.spheres_mut(id);
            *spheres = spheres.blended(sphere_lanes, &shapes.spheres);
        }
        let block = &mut self[id];
        block.boxes = block.boxes.blended(lanes, &shapes.boxes);
        block.flag_spheres(sphere_lanes | block.sphere_lanes() & !lanes);
    }

    /// Writes the spheres of all lanes of a block.
    #[inline]
    pub(crate) fn set_spheres(&mut self, id: BlockId, spheres: &Spheres) {
        *self.spheres_mut(id) = *spheres;
    }

    /// The spheres of a block, made room for if need be.
    #[inline]
    fn spheres_mut(&mut self, id: BlockId) -> &mut Spheres {
        let index = id.0 as usize;
        if self.spheres.len() <= index {
            self.spheres.resize(self.arena.slots().len(), Spheres::ZERO);
        }
        &mut self.spheres[index]
    }

    /// Whether any object is, or has been since the last bulk build, a sphere.
    #[inline]
    pub(crate) fn any_spheres(&self) -> bool {
        !self.spheres.is_empty()
    }
}
