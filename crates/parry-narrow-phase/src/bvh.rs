//! parry's own tree as broad phase and caster: what the octree is compared with.

use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry3d::query::{PointQuery, Ray, RayCast};
use parry3d::shape::SharedShape;

use crate::scene::{Hit, MovingShape, Scene, TouchingPair};

/// The boxes of a scene's shapes in parry's tree. The index of a leaf is that of its shape.
pub struct BvhWorld {
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<(u32, u32)>,
}

impl BvhWorld {
    /// Builds the tree.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let boxes = (0..scene.len()).map(|shape| (shape, scene.aabb(shape)));
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        Self { tree, workspace: BvhWorkspace::default(), pairs: Vec::new() }
    }

    /// Takes over where the shapes are now, and lists the pairs whose boxes overlap. As rapier
    /// does it: leaves are written, the tree is refitted, and optimised a little in each frame.
    pub fn find_pairs(&mut self, scene: &Scene) -> usize {
        for (leaf, shape) in (0..).zip(0..scene.len()) {
            self.tree.insert_or_update_partially(scene.aabb(shape), leaf, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        let Self { tree, workspace, pairs } = self;
        pairs.clear();
        tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
        pairs.len()
    }

    /// Asks parry for the contact of each pair found, and fills the list with those that touch.
    pub fn contacts(&self, scene: &Scene, contacts: &mut Vec<TouchingPair>) {
        contacts.clear();
        contacts.extend(self.pairs.iter().filter_map(|&(a, b)| scene.contact(a, b)));
    }

    /// The closest shape that a ray hits.
    #[must_use]
    pub fn cast_ray(&self, scene: &Scene, ray: &Ray, reach: f32) -> Option<Hit> {
        let hit = self.tree.cast_ray(ray, reach, |leaf, best| scene.ray_distance(leaf, ray, best));
        hit.map(|(shape, distance)| Hit { shape, distance })
    }

    /// The closest shape that a moving shape hits. `direction` is of length one.
    #[must_use]
    pub fn cast_shape(
        &self,
        scene: &Scene,
        shape: &SharedShape,
        from: &Pose,
        direction: Vector,
        reach: f32,
    ) -> Option<Hit> {
        // As parry's shape cast against a compound shape: a ray at the sum of the two boxes.
        let aabb = shape.compute_aabb(from);
        let (shift, margin) = (-aabb.center(), aabb.half_extents());
        let (ray, moving) = (Ray::new(Vector::ZERO, direction), MovingShape { shape, from, direction, reach });
        let hit = self.tree.find_best(
            reach,
            |node: &BvhNode, best| {
                let sum = Aabb::new(node.mins() + shift - margin, node.maxs() + shift + margin);
                sum.cast_local_ray(&ray, best, true).unwrap_or(f32::MAX)
            },
            |leaf, _| scene.cast_distance(leaf, &moving),
        );
        hit.map(|(shape, distance)| Hit { shape, distance })
    }

    /// The shape closest to a point.
    #[must_use]
    pub fn closest(&self, scene: &Scene, point: Vector) -> Option<Hit> {
        let hit = self.tree.find_best(
            f32::MAX,
            |node: &BvhNode, _| node.aabb().distance_to_local_point(point, true),
            |leaf, _| Some(scene.point_distance(leaf, point)),
        );
        hit.map(|(shape, distance)| Hit { shape, distance })
    }

    /// Bytes of the tree.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.tree.total_memory_size()
    }
}
