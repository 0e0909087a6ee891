//! Rays at a mesh: the nearest hit, any hit, or all hits.

use super::sparse::SparseRay;
use super::walk::{Question, descend};
use crate::data::QueryStats;
use crate::geometry::lanes::{Approach, Boxes, LaneMask, PaddedRay, TriangleHits, WIDTH, set_bits};
use crate::geometry::triangle::ray::{ShearedRay, TriangleHit, UnroundedRay};
use crate::geometry::{Ray, Triangle};
use crate::mesh::columns::{Leaf, Node};
use crate::mesh::{Culling, Mesh, MeshHit, Side};
use core::ops::ControlFlow;
use glam::{Vec3, Vec4};

/// The lanes that count, of those hit from the front and from the back: all or none.
///
/// In a place of its own: among what is made at the first leaf, it would be
/// read together with that, and cause a store-forwarding stall.
struct Sides {
    front: LaneMask,
    back: LaneMask,
}

impl Sides {
    #[inline]
    fn new(culling: Culling) -> Self {
        let all_if = |side: Side| if culling.hits(side) { LaneMask::MAX } else { 0 };
        Self { front: all_if(Side::Front), back: all_if(Side::Back) }
    }
}

/// The work of a ray that misses the bounds, or all of the root's children: either counts as one visit.
pub(super) const ROOT_ALONE: QueryStats = QueryStats { nodes_visited: 1, objects_tested: 0, hits: 0 };

/// A ray among the triangles of leaves.
struct Lanes<'b, 'r> {
    ray: &'r Ray,
    /// Made at the first leaf: many rays reach none.
    sheared: Option<ShearedRay<'r>>,
    sides: &'b Sides,
    unrounded: Option<&'r UnroundedRay>,
}

impl<'b, 'r> Lanes<'b, 'r> {
    #[inline]
    fn new(ray: &'r Ray, sides: &'b Sides, unrounded: Option<&'r UnroundedRay>) -> Self {
        Self { ray, sheared: None, sides, unrounded }
    }

    /// Calls back with what is hit in a leaf, and the lanes that are hit from a side that counts.
    #[inline(always)]
    fn leaf<T>(
        &mut self,
        leaf: &Leaf,
        distance_max: f32,
        missed: T,
        hit: impl FnOnce(LaneMask, &TriangleHits) -> T,
    ) -> T {
        let ray = self.sheared.get_or_insert_with(|| ShearedRay::new(self.ray, self.unrounded));
        ray.triangles(&leaf.triangles, distance_max, missed, |hits| {
            hit(hits.mask & (hits.front & self.sides.front | !hits.front & self.sides.back), hits)
        })
    }
}

/// Avoids store-forwarding stalls: fields are read at the width at which they were written.
struct ClosestTriangleHit<'a, 'b, 'r> {
    boxes: &'b PaddedRay,
    lanes: Lanes<'b, 'r>,
    distance_max: f32,
    /// The triangle hit at that distance; beyond all numbers if there is none.
    id: u32,
    best: Option<&'a Leaf>,
    lane: usize,
    weights: Vec4,
    front: bool,
    leaves: u64,
}

impl<'a> Question<'a> for ClosestTriangleHit<'a, '_, '_> {
    #[inline]
    fn test(&self, boxes: &Boxes) -> (LaneMask, [f32; WIDTH]) {
        self.boxes.boxes(boxes, self.distance_max)
    }

    #[inline]
    fn reach(&self) -> f32 {
        self.distance_max
    }

    #[inline(never)]
    fn leaf(&mut self, leaf: &'a Leaf, _: &mut QueryStats) -> ControlFlow<()> {
        self.leaves += 1;
        let Self { lanes, distance_max, id: best_id, best, lane: best_lane, weights, front, .. } = self;
        // The bits of floats that are not negative sort as the floats do. Of equally near
        // triangles the first of the input wins, whatever the order of visits.
        let rank = |distance: f32, id: u32| u64::from(distance.to_bits()) << 32 | u64::from(id);
        lanes.leaf(leaf, *distance_max, (), |mask, hits| {
            for lane in set_bits(u64::from(mask)) {
                let (distance, id) = (hits.distance(lane), leaf.ids[lane % WIDTH]);
                if rank(distance, id) < rank(*distance_max, *best_id) {
                    (*distance_max, *best_id, *best, *best_lane) = (distance, id, Some(leaf), lane);
                    let [u, v, w] = hits.get(lane).weights;
                    (*weights, *front) = (Vec4::new(u, v, w, 0.0), hits.get(lane).front);
                }
            }
        });
        ControlFlow::Continue(())
    }
}

struct AllTriangleHits<'b, 'r, 'v> {
    boxes: &'b PaddedRay,
    lanes: Lanes<'b, 'r>,
    distance_max: f32,
    visit: &'v mut dyn FnMut(MeshHit) -> ControlFlow<()>,
}

impl<'a> Question<'a> for AllTriangleHits<'_, '_, '_> {
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
        self.lanes.leaf(leaf, self.distance_max, ControlFlow::Continue(()), |mask, hits| {
            for lane in set_bits(u64::from(mask)) {
                stats.hits += 1;
                (self.visit)(mesh_hit(leaf.ids[lane % WIDTH], &leaf.triangles.get(lane), &hits.get(lane)))?;
            }
            ControlFlow::Continue(())
        })
    }
}

impl Mesh {
    /// The nearest triangle within `limit`, which is at most the ray's reach;
    /// of a ray that was rounded, what it was before.
    ///
    /// Inlined: most rays are done here, and of most it is known that they were not rounded.
    #[inline(always)]
    pub(in crate::mesh) fn closest_within(
        &self,
        ray: &Ray,
        culling: Culling,
        unrounded: Option<&UnroundedRay>,
        limit: f32,
        stats: Option<&mut QueryStats>,
    ) -> Option<MeshHit> {
        let approach = Approach::new(ray, &self.bounds, unrounded.map_or(0.0, |ray| ray.slack));
        let root = self.nodes.first()?;
        if approach.misses_bounds(limit) {
            ROOT_ALONE.add_to(stats);
            return None;
        }
        let boxes = approach.spread();
        let found = boxes.boxes(&root.bounds, limit);
        if found.0 == 0 {
            ROOT_ALONE.add_to(stats);
            return None;
        }
        if self.sparse {
            let mut work = QueryStats::default();
            let hit = self.closest_in_parts(root, &SparseRay { ray, culling, unrounded }, limit, &mut work);
            work.add_to(stats);
            return hit;
        }
        self.closest_below(root, &found, &boxes, ray, culling, unrounded, limit, stats)
    }

    /// The same below the root, some of whose children the ray may meet.
    ///
    /// Apart, so that rays that meet none are done with soon.
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "what `closest_within` has found out")]
    pub(super) fn closest_below(
        &self,
        root: &Node,
        found: &(LaneMask, [f32; WIDTH]),
        boxes: &PaddedRay,
        ray: &Ray,
        culling: Culling,
        unrounded: Option<&UnroundedRay>,
        limit: f32,
        stats: Option<&mut QueryStats>,
    ) -> Option<MeshHit> {
        let sides = Sides::new(culling);
        let mut question = ClosestTriangleHit {
            boxes,
            lanes: Lanes::new(ray, &sides, unrounded),
            distance_max: limit,
            id: u32::MAX,
            best: None,
            lane: 0,
            weights: Vec4::ZERO,
            front: false,
            leaves: 0,
        };
        let mut work = descend(self, root, found, &mut question);
        let ClosestTriangleHit { distance_max, id, best, lane, weights, front, leaves, .. } = question;
        work.objects_tested = leaves * WIDTH as u64;
        work.hits = u64::from(best.is_some());
        work.add_to(stats);
        let leaf = best?;
        let hit = TriangleHit { distance: distance_max, weights: weights.truncate().to_array(), front };
        Some(mesh_hit(id, &leaf.triangles.get(lane), &hit))
    }

    /// Visits every triangle that a ray hits within `limit`; of a ray that was
    /// rounded, what it was before.
    pub(in crate::mesh) fn hits_within(
        &self,
        ray: &Ray,
        culling: Culling,
        unrounded: Option<&UnroundedRay>,
        limit: f32,
        visit: &mut dyn FnMut(MeshHit) -> ControlFlow<()>,
    ) -> QueryStats {
        let approach = Approach::new(ray, &self.bounds, unrounded.map_or(0.0, |ray| ray.slack));
        let Some(root) = self.nodes.first() else { return QueryStats::default() };
        if approach.misses_bounds(limit) {
            return ROOT_ALONE;
        }
        let (parts, mut stats) = (SparseRay { ray, culling, unrounded }, QueryStats::default());
        let _ = if self.sparse {
            self.hits_in_parts(root, &parts, limit, visit, &mut stats)
        } else {
            self.hits_below(root, &approach, &parts, limit, visit, &mut stats)
        };
        stats
    }

    /// The same below a node, for which the ray is padded.
    #[inline]
    pub(super) fn hits_below(
        &self,
        node: &Node,
        approach: &Approach,
        &SparseRay { ray, culling, unrounded }: &SparseRay<'_>,
        limit: f32,
        visit: &mut dyn FnMut(MeshHit) -> ControlFlow<()>,
        stats: &mut QueryStats,
    ) -> ControlFlow<()> {
        let (boxes, sides) = (approach.spread(), Sides::new(culling));
        let mut flow = ControlFlow::Continue(());
        let mut visit = |hit| {
            flow = visit(hit);
            flow
        };
        let lanes = Lanes::new(ray, &sides, unrounded);
        let question = &mut AllTriangleHits { boxes: &boxes, lanes, distance_max: limit, visit: &mut visit };
        let found = question.test(&node.bounds);
        *stats += descend(self, node, &found, question);
        flow
    }
}

/// The hit of a triangle.
#[inline]
pub(super) fn mesh_hit(index: u32, triangle: &Triangle, hit: &TriangleHit) -> MeshHit {
    let [u, v, w] = hit.weights;
    MeshHit {
        triangle: index,
        distance: hit.distance,
        position: triangle.a * u + triangle.b * v + triangle.c * w,
        normal: crate::mesh::unit_normal(triangle),
        barycentric: Vec3::new(u, v, w),
        side: if hit.front { Side::Front } else { Side::Back },
    }
}
