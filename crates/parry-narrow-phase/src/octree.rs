//! The octree as broad phase and caster, with parry's functions as narrow phase.

use broadleaf::{Aabb, Error, Handle, Object, Octree, Pair, Ray, Scratch, Sweep};
use parry3d::math::{Pose, Vector};
use parry3d::shape::SharedShape;

use crate::scene::{Hit, MovingShape, Scene, TouchingPair};

/// The boxes of a scene's shapes in an octree. The slot of an object is the index of its shape.
#[derive(Default)]
pub struct OctreeWorld {
    tree: Octree,
    handles: Vec<Handle>,
    boxes: Vec<Aabb>,
    pairs: Vec<Pair>,
    scratch: Scratch,
}

fn boxes(scene: &Scene) -> impl Iterator<Item = Aabb> {
    (0..scene.len()).map(|shape| {
        let aabb = scene.aabb(shape);
        Aabb::new(aabb.mins.to_array(), aabb.maxs.to_array())
    })
}

impl OctreeWorld {
    /// Builds the octree.
    ///
    /// # Errors
    /// A shape whose box is not legal.
    pub fn new(scene: &Scene) -> Result<Self, Error> {
        let mut world = Self::default();
        for aabb in boxes(scene) {
            world.handles.push(world.tree.insert(Object::new(aabb))?);
        }
        world.tree.view();
        Ok(world)
    }

    // ANCHOR: contacts
    /// Takes over where the shapes are now, and lists the pairs whose boxes overlap.
    ///
    /// # Errors
    /// A shape whose box is not legal.
    pub fn find_pairs(&mut self, scene: &Scene) -> Result<usize, Error> {
        self.boxes.clear();
        self.boxes.extend(boxes(scene));
        self.tree.update_many(&self.handles, &self.boxes).map_err(|error| error.error)?;
        self.tree.view().pairs(&mut self.scratch).collect_into(&mut self.pairs);
        Ok(self.pairs.len())
    }

    /// Asks parry for the contact of each pair found, and fills the list with those that touch.
    pub fn contacts(&self, scene: &Scene, contacts: &mut Vec<TouchingPair>) {
        contacts.clear();
        contacts.extend(self.pairs.iter().filter_map(|pair| scene.contact(pair.a().slot(), pair.b().slot())));
    }
    // ANCHOR_END: contacts

    // ANCHOR: casts
    /// The closest shape that a ray hits: `refine` hands each candidate to parry.
    pub fn cast_ray(&mut self, scene: &Scene, ray: &parry3d::query::Ray, reach: f32) -> Option<Hit> {
        let question = Ray::new(ray.origin.to_array(), ray.dir.to_array()).ok()?.with_distance_max(reach).ok()?;
        let exact = |handle: Handle| scene.ray_distance(handle.slot(), ray, reach);
        let hit = self.tree.view().cast(&question).refine(|hit| exact(hit.handle)).closest()?;
        Some(Hit { shape: hit.handle.slot(), distance: hit.distance })
    }

    /// The closest shape that a moving shape hits: the octree moves its box, parry the shape.
    ///
    /// `direction` is of length one.
    pub fn cast_shape(
        &mut self,
        scene: &Scene,
        shape: &SharedShape,
        from: &Pose,
        direction: Vector,
        reach: f32,
    ) -> Option<Hit> {
        let aabb = shape.compute_aabb(from);
        let aabb = Aabb::new(aabb.mins.to_array(), aabb.maxs.to_array());
        let question = Sweep::aabb(aabb, (direction * reach).to_array()).ok()?;
        let moving = MovingShape { shape, from, direction, reach };
        // A sweep counts in fractions of its motion.
        let exact = |handle: Handle| scene.cast_distance(handle.slot(), &moving).map(|distance| distance / reach);
        let hit = self.tree.view().cast(&question).refine(|hit| exact(hit.handle)).closest()?;
        let shape = hit.handle.slot();
        Some(Hit { shape, distance: scene.cast_distance(shape, &moving)? })
    }

    /// The shape closest to a point.
    pub fn closest(&mut self, scene: &Scene, point: Vector) -> Option<Hit> {
        let exact = |handle: Handle| Some(scene.point_distance(handle.slot(), point));
        let near = self
            .tree
            .view()
            .nearest(broadleaf::glam::Vec3::from(point.to_array()))
            .ok()?
            .refine(|near| exact(near.handle))
            .closest()?;
        Some(Hit { shape: near.handle.slot(), distance: near.distance })
    }
    // ANCHOR_END: casts

    /// Bytes of the octree.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.tree.memory().total()
    }
}
