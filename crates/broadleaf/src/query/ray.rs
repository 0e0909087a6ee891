//! What a ray hits: the nearest, any, or all.

use super::walk::{Found, Question, walk};
use crate::Handle;
use crate::data::blocks::Block;
use crate::data::ids::{BlockId, Location, ObjectWord};
use crate::data::levels::Split;
use crate::data::object::Layers;
use crate::data::view::{QueryStats, View};
use crate::geometry::Ray;
use crate::geometry::lanes::{Boxes, LaneMask, NearestLanes, RayQuery, Spheres, WIDTH, first_from, within};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// Where a ray meets an object.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The object.
    pub handle: Handle,
    /// Distance from the ray's origin, in world units; zero if the ray starts inside.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub distance: f32,
    /// The point at that distance; after a narrow phase of the caller's, where
    /// the ray meets the object's box or sphere.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub position: Vec3,
    /// The outward normal of the surface there; zero if the ray starts inside,
    /// or if rounding leaves nothing of a sphere.
    #[cfg_attr(feature = "serde", serde(with = "crate::geometry::floats"))]
    pub normal: Vec3,
}

/// A ray in lanes, and the tests that both ray questions share.
#[derive(Clone, Copy)]
struct Lanes {
    query: RayQuery,
    distance_max: f32,
}

impl Lanes {
    fn new(ray: &Ray) -> Self {
        Self { query: RayQuery::new(ray), distance_max: ray.distance_max() }
    }

    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.query.boxes(boxes, self.distance_max)
    }

    /// Raises the distance of spheres to where the ray meets the sphere itself.
    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH]) -> LaneMask {
        self.query.refine(spheres, which, distances, self.distance_max)
    }
}

struct Hits<'a, F> {
    lanes: Lanes,
    view: View<'a>,
    ray: Ray,
    visit: F,
}

impl<F: FnMut(RayHit) -> ControlFlow<()>> Question for Hits<'_, F> {
    type Carry = ();
    type Lanes = [f32; WIDTH];

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, [f32; WIDTH]) {
        self.lanes.test(boxes)
    }

    #[inline]
    fn carry(&self, _: &[f32; WIDTH], _: usize) {}

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH]) -> LaneMask {
        self.lanes.refine(spheres, which, distances)
    }

    #[inline]
    fn hit(&mut self, object: Found<'_, [f32; WIDTH]>) -> ControlFlow<()> {
        let distance = object.lanes[object.at.lane()];
        (self.visit)(self.view.ray_hit(&self.ray, object.word, object.at, distance))
    }
}

struct Closest {
    lanes: Lanes,
    axes_against: usize,
    nearest: NearestLanes,
}

impl Question for Closest {
    type Carry = ();
    type Lanes = [f32; WIDTH];
    const ORDERED: bool = true;
    const TAKES_BLOCKS: bool = true;

    fn start(&self) {}

    #[inline]
    fn test(&self, boxes: &Boxes, (): ()) -> (LaneMask, [f32; WIDTH]) {
        self.lanes.test(boxes)
    }

    #[inline]
    fn carry(&self, _: &[f32; WIDTH], _: usize) {}

    #[inline]
    fn still(&self, waiting: LaneMask, distances: &[f32; WIDTH]) -> LaneMask {
        waiting & within(distances, self.lanes.distance_max)
    }

    #[inline]
    fn next(&self, waiting: LaneMask, _: &[f32; WIDTH], split: Split) -> usize {
        first_from(waiting, split.octant_towards(self.axes_against))
    }

    fn refine(&self, spheres: &Spheres, which: LaneMask, distances: &mut [f32; WIDTH]) -> LaneMask {
        self.lanes.refine(spheres, which, distances)
    }

    #[inline]
    fn take(&mut self, id: BlockId, block: &Block, passed: LaneMask, distances: &[f32; WIDTH]) {
        // Of equally near objects the lowest slot wins, whatever the order of visits.
        let words = block.objects.map(|word| word.0);
        self.nearest.take(passed, distances, &words, Location::new(id, 0).0);
    }

    #[inline]
    fn taken(&mut self) {
        self.lanes.distance_max = self.nearest.distance();
    }
}

/// The axes along which a direction goes down, one bit each: what lies high along them is met first.
pub(super) fn axes_against(direction: Vec3) -> usize {
    (0..3).fold(0, |axes, axis| axes | usize::from(direction[axis] < 0.0) << axis)
}

impl View<'_> {
    /// The nearest object that a ray hits within its reach; of equally near
    /// ones, that of the lowest slot. A ray that starts inside an object hits
    /// it at distance zero. The ray's end is within its reach.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Ray, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// let wall = tree.insert(Aabb::new(Vec3::new(4.0, -1.0, -1.0), Vec3::new(5.0, 1.0, 1.0)))?;
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
    /// let hit = tree.view().closest_hit(&ray, Layers::ALL).0.expect("a wall");
    /// assert_eq!((hit.handle, hit.distance, hit.normal), (wall, 4.0, Vec3::NEG_X));
    /// assert_eq!(hit.position, ray.at(hit.distance));
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* visits nodes in the order of octants along the ray, and none that
    /// lies beyond the nearest hit so far.
    #[must_use]
    pub fn closest_hit(self, ray: &Ray, layers: Layers) -> (Option<RayHit>, QueryStats) {
        let nearest = NearestLanes::new(ray.distance_max(), ObjectWord::ROW_LIMIT);
        let mut question = Closest { lanes: Lanes::new(ray), axes_against: axes_against(ray.direction()), nearest };
        let mut stats = walk(self, layers, &mut question);
        let (best, distance) = (question.nearest.place().map(Location), question.lanes.distance_max);
        let word = |at: Location| self.data.blocks[at.block()].objects[at.lane()];
        let hit = best.map(|at| self.ray_hit(ray, word(at), at, distance));
        stats.hits = u64::from(hit.is_some());
        (hit, stats)
    }

    /// Some object that a ray hits within its reach, both ends included: enough
    /// for shadows and lines of sight.
    ///
    /// ```
    /// use broadleaf::{Aabb, Layers, Octree, Ray, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// tree.insert(Aabb::new(Vec3::new(4.0, -1.0, -1.0), Vec3::new(5.0, 1.0, 1.0)))?;
    /// let (view, eye) = (tree.view(), Vec3::ZERO);
    /// assert!(view.any_hit(&Ray::segment(eye, Vec3::X * 9.0)?, Layers::ALL).0.is_some());
    /// assert!(view.any_hit(&Ray::segment(eye, Vec3::X * 3.0)?, Layers::ALL).0.is_none());
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Cost:* that of [`View::hits`] until the first.
    #[must_use]
    pub fn any_hit(self, ray: &Ray, layers: Layers) -> (Option<RayHit>, QueryStats) {
        let mut found = None;
        let stats = self.hits(ray, layers, |hit| {
            found = Some(hit);
            ControlFlow::Break(())
        });
        (found, stats)
    }

    /// Visits every object that a ray hits within its reach, both ends included.
    ///
    /// ```
    /// use broadleaf::{Layers, Octree, Ray, Sphere, glam::Vec3};
    /// use std::ops::ControlFlow;
    ///
    /// let mut tree = Octree::default();
    /// let cloud = tree.insert(Sphere::new(Vec3::X * 5.0, 2.0))?;
    /// let mut met = Vec::new();
    /// tree.view().hits(&Ray::new(Vec3::ZERO, Vec3::X)?, Layers::ALL, |hit| {
    ///     met.push((hit.handle, hit.distance));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(met, [(cloud, 3.0)]);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    ///
    /// *Order:* none of distance; the same for the same sequence of calls.
    ///
    /// *Cost:* in proportion to the nodes whose fitted bounds the ray meets.
    pub fn hits(self, ray: &Ray, layers: Layers, visit: impl FnMut(RayHit) -> ControlFlow<()>) -> QueryStats {
        let mut question = Hits { lanes: Lanes::new(ray), view: self, ray: *ray, visit };
        walk(self, layers, &mut question)
    }

    /// Fills `found` with every object that a ray hits within its reach, as [`View::hits`].
    ///
    /// ```
    /// use broadleaf::{Layers, Octree, Ray, Sphere, glam::Vec3};
    ///
    /// let mut tree = Octree::default();
    /// for x in [3.0, 6.0] {
    ///     tree.insert(Sphere::new(Vec3::X * x, 1.0))?;
    /// }
    /// let mut found = Vec::new();
    /// tree.view().hits_into(&Ray::new(Vec3::ZERO, Vec3::X)?.with_distance_max(4.0)?, Layers::ALL, &mut found);
    /// assert_eq!(found.len(), 1);
    /// # Ok::<(), broadleaf::Error>(())
    /// ```
    pub fn hits_into(self, ray: &Ray, layers: Layers, found: &mut Vec<RayHit>) -> QueryStats {
        found.clear();
        self.hits(ray, layers, |hit| {
            found.push(hit);
            ControlFlow::Continue(())
        })
    }

    pub(super) fn ray_hit(self, ray: &Ray, word: ObjectWord, at: Location, distance: f32) -> RayHit {
        let (blocks, block) = (&self.data.blocks, &self.data.blocks[at.block()]);
        let position = ray.at(distance);
        let normal = if distance == 0.0 {
            Vec3::ZERO
        } else if word.has(ObjectWord::SPHERE) {
            blocks.sphere(at).normal_at(position)
        } else {
            ray.entry_normal(&block.boxes.get(at.lane()).clamped_to_finite())
        };
        RayHit { handle: block.handle(at.lane()), distance, position, normal }
    }
}
