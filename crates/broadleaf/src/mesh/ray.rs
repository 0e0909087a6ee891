//! What a ray hits: the nearest, any, or all.

use super::columns::Leaf;
use super::walk::{Question, walk};
use super::{Culling, Mesh, MeshHit, Side};
use crate::data::view::QueryStats;
use crate::geometry::lanes::{Boxes, LaneMask, PaddedRay, TriangleRay, WIDTH, set_bits};
use crate::geometry::triangle::ray::{ShearedRay, TriangleHit};
use crate::geometry::{Ray, Triangle};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use glam::Vec3;

/// A ray among the triangles of leaves.
struct Lanes<'r> {
    ray: &'r Ray,
    /// Made at the first leaf: many rays reach none.
    triangles: Option<TriangleRay<'r>>,
    culling: Culling,
    /// How much farther from a triangle the end of the ray may be to lie on it.
    slack: f32,
}

impl<'r> Lanes<'r> {
    #[inline]
    fn new(ray: &'r Ray, culling: Culling, slack: f32) -> Self {
        Self { ray, triangles: None, culling, slack }
    }

    /// The lanes of a leaf that are hit from a side that counts.
    #[inline]
    fn leaf(&mut self, leaf: &Leaf, distance_max: f32) -> (LaneMask, [f32; WIDTH]) {
        let ray = self.triangles.get_or_insert_with(|| TriangleRay::new(ShearedRay::new(self.ray, self.slack)));
        let hits = ray.triangles(&leaf.triangles, distance_max);
        let mask = match self.culling {
            Culling::None => hits.mask,
            Culling::Back => hits.front,
            Culling::Front => hits.mask & !hits.front,
        };
        (mask, hits.distances)
    }
}

/// What leaves look at lies elsewhere, so that the rest may stay in registers.
struct Closest<'a, 'b, 'r> {
    boxes: PaddedRay,
    lanes: &'b mut Lanes<'r>,
    distance_max: f32,
    best: Option<(&'a Leaf, usize)>,
}

impl<'a> Question<'a> for Closest<'a, '_, '_> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.boxes.boxes(boxes, self.distance_max)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.distance_max
    }

    #[inline]
    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += WIDTH as u64;
        let (mask, distances) = self.lanes.leaf(leaf, self.distance_max);
        for lane in set_bits(u64::from(mask)) {
            let distance = distances[lane % WIDTH];
            // Of equally near triangles the first of the input wins, whatever the order of visits.
            let wins = match self.best {
                Some((other, at)) if distance == self.distance_max => leaf.ids[lane % WIDTH] < other.ids[at % WIDTH],
                _ => distance <= self.distance_max,
            };
            if wins {
                self.distance_max = distance;
                self.best = Some((leaf, lane));
            }
        }
        ControlFlow::Continue(())
    }
}

struct Hits<'b, 'r, F> {
    boxes: PaddedRay,
    lanes: &'b mut Lanes<'r>,
    distance_max: f32,
    visit: F,
}

impl<'a, F: FnMut(MeshHit) -> ControlFlow<()>> Question<'a> for Hits<'_, '_, F> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.boxes.boxes(boxes, self.distance_max)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.distance_max
    }

    #[inline]
    fn leaf(&mut self, leaf: &'a Leaf, stats: &mut QueryStats) -> ControlFlow<()> {
        stats.objects_tested += WIDTH as u64;
        let (mask, _) = self.lanes.leaf(leaf, self.distance_max);
        for lane in set_bits(u64::from(mask)) {
            if let Some(hit) = hit_in(self.lanes, leaf, lane, self.distance_max) {
                stats.hits += 1;
                (self.visit)(hit)?;
            }
        }
        ControlFlow::Continue(())
    }
}

fn hit_in(lanes: &Lanes<'_>, leaf: &Leaf, lane: usize, distance_max: f32) -> Option<MeshHit> {
    let triangle = leaf.triangles.get(lane);
    let hit = lanes.triangles?.scalar().hit(&triangle, distance_max)?;
    Some(mesh_hit(leaf.ids[lane % WIDTH], &triangle, &hit))
}

impl Mesh {
    /// The nearest triangle that a ray hits within its reach; of equally near
    /// ones, the first of the input.
    ///
    /// *Units:* the reach is closed: a segment that ends on a triangle hits
    /// it, as near as 32 bits can lead it there. One that starts on a triangle
    /// hits it if rounding puts it ahead.
    ///
    /// *Cost:* visits nodes nearest first and none beyond the hit.
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, culling: Culling) -> (Option<MeshHit>, QueryStats) {
        self.closest_within(ray, culling, 0.0, ray.distance_max())
    }

    /// Some triangle that a ray hits within its reach, end included: enough
    /// for shadows and lines of sight.
    ///
    /// *Cost:* at most that of [`Mesh::hits`]; ends at the first hit met,
    /// often in the leaf that is nearest.
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, culling: Culling) -> (Option<MeshHit>, QueryStats) {
        let mut found = None;
        let stats = self.hits(ray, culling, |hit| {
            found = Some(hit);
            ControlFlow::Break(())
        });
        (found, stats)
    }

    /// Visits every triangle that a ray hits within its reach, end included.
    ///
    /// *Order:* leaf by leaf, about from near to far, but not by distance.
    ///
    /// *Cost:* in proportion to the nodes along the ray.
    pub fn hits(&self, ray: &Ray, culling: Culling, visit: impl FnMut(MeshHit) -> ControlFlow<()>) -> QueryStats {
        self.hits_within(ray, culling, 0.0, visit)
    }

    /// Fills `found` with every triangle that a ray hits within its reach, end
    /// included, in the order of [`Mesh::hits`].
    ///
    /// ```
    /// use broadleaf::{Culling, Mesh, Ray, glam::Vec3};
    ///
    /// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let mesh = Mesh::from_indexed(&corners, &[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])?;
    /// let ray = Ray::segment(Vec3::new(0.2, 0.2, 5.0), Vec3::new(0.2, 0.2, 0.0))?;
    /// let mut hits = Vec::new();
    /// mesh.hits_into(&ray, Culling::None, &mut hits);
    /// hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    /// assert_eq!(hits.iter().map(|hit| hit.triangle).collect::<Vec<_>>(), [3, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hits_into(&self, ray: &Ray, culling: Culling, found: &mut Vec<MeshHit>) -> QueryStats {
        found.clear();
        self.hits(ray, culling, |hit| {
            found.push(hit);
            ControlFlow::Continue(())
        })
    }

    /// The nearest triangle within `limit`, which is at most the ray's reach.
    /// Its end may be `slack` farther from a triangle than rounding explains.
    #[inline]
    pub(super) fn closest_within(
        &self,
        ray: &Ray,
        culling: Culling,
        slack: f32,
        limit: f32,
    ) -> (Option<MeshHit>, QueryStats) {
        let (mut lanes, boxes) = (Lanes::new(ray, culling, slack), PaddedRay::new(ray, &self.bounds, slack));
        let mut question = Closest { boxes, lanes: &mut lanes, distance_max: limit, best: None };
        let mut stats = walk(self, &mut question);
        let (best, distance_max) = (question.best, question.distance_max);
        let hit = best.and_then(|(leaf, lane)| hit_in(&lanes, leaf, lane, distance_max));
        stats.hits = u64::from(hit.is_some());
        (hit, stats)
    }

    /// Visits every triangle that a ray hits, with such a slack at its end.
    #[inline]
    pub(super) fn hits_within(
        &self,
        ray: &Ray,
        culling: Culling,
        slack: f32,
        visit: impl FnMut(MeshHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let (mut lanes, boxes) = (Lanes::new(ray, culling, slack), PaddedRay::new(ray, &self.bounds, slack));
        walk(self, &mut Hits { boxes, lanes: &mut lanes, distance_max: ray.distance_max(), visit })
    }
}

/// What a hit says of the triangle.
pub(super) fn mesh_hit(index: u32, triangle: &Triangle, hit: &TriangleHit) -> MeshHit {
    let [u, v, w] = hit.weights;
    MeshHit {
        triangle: index,
        distance: hit.distance,
        position: triangle.a * u + triangle.b * v + triangle.c * w,
        normal: super::unit_normal(triangle),
        barycentric: Vec3::new(u, v, w),
        side: if hit.front { Side::Front } else { Side::Back },
    }
}
