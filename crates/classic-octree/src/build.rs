//! Builds the plain octree, level by level.

use super::{Cell, DEPTH_LIMIT, OctantMesh, OctantPlacement};
use crate::triangle::{is_degenerate, overlaps};
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mesh, shape::Triangle};
use std::collections::VecDeque;

/// Triangles that a leaf holds before it is split.
const LEAF_CAPACITY: usize = 8;
/// A cell is not split if that would refer to its triangles so many times as often.
const COPIES_MAX: usize = 3;
/// No cell is split any more once all refer to triangles so many times as often as there are any.
const REFERENCES_MAX: usize = 12;

/// A cell that is to be filled, and what belongs to it.
struct Task {
    cell: usize,
    depth: u32,
    triangles: Vec<u32>,
}

struct Builder {
    mesh: OctantMesh,
    /// By how much triangles are grown before they are placed.
    margin: f32,
    /// References of leaves made so far and of tasks that wait.
    pending: usize,
}

pub(super) fn build(mesh: &Mesh, placement: OctantPlacement) -> OctantMesh {
    let triangles: Vec<Triangle> = (0..).map_while(|index| mesh.triangle(index)).collect();
    let found: Vec<u32> = (0..).zip(&triangles).filter(|(_, t)| !is_degenerate(t)).map(|(index, _)| index).collect();
    let bounds = mesh.bounds().unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ZERO));
    let half = bounds.half_extents().max_element();
    let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
    // Far above the rounding of a ray that starts within a few times the size of the mesh.
    let margin = (half / 65_536.0 + farthest / 1_048_576.0).max(f32::MIN_POSITIVE);
    let root = Cell { center: bounds.center(), half: half + 2.0 * margin, children: 0, start: 0, len: 0 };
    let mesh = OctantMesh { placement, triangles, references: Vec::new(), cells: vec![root] };
    let mut builder = Builder { mesh, margin, pending: found.len() };
    let mut tasks = VecDeque::from([Task { cell: 0, depth: 0, triangles: found }]);
    while let Some(task) = tasks.pop_front() {
        builder.fill(task, &mut tasks);
    }
    builder.mesh.references.shrink_to_fit();
    builder.mesh.cells.shrink_to_fit();
    builder.mesh
}

impl Builder {
    /// Splits a cell, or makes it a leaf.
    fn fill(&mut self, task: Task, tasks: &mut VecDeque<Task>) {
        let Task { cell, depth, triangles } = task;
        let Some((own, parts)) = self.split(cell, depth, &triangles) else {
            self.hold(cell, &triangles);
            return;
        };
        self.pending += parts.iter().map(Vec::len).sum::<usize>() + own.len();
        self.pending -= triangles.len();
        self.hold(cell, &own);
        let first = self.mesh.cells.len();
        let parent = self.mesh.cells[cell];
        self.mesh.cells[cell].children = number(first);
        for (octant, part) in (0..8).zip(parts) {
            let center = child_center(&parent, octant);
            self.mesh.cells.push(Cell { center, half: parent.half * 0.5, children: 0, start: 0, len: 0 });
            if !part.is_empty() {
                tasks.push_back(Task { cell: first + octant as usize, depth: depth + 1, triangles: part });
            }
        }
    }

    fn hold(&mut self, cell: usize, triangles: &[u32]) {
        let cell = &mut self.mesh.cells[cell];
        cell.start = number(self.mesh.references.len());
        cell.len = number(triangles.len());
        self.mesh.references.extend_from_slice(triangles);
    }

    /// What stays at the cell and what each octant gets; `None` if a split does not serve.
    fn split(&self, cell: usize, depth: u32, triangles: &[u32]) -> Option<(Vec<u32>, [Vec<u32>; 8])> {
        let cell = &self.mesh.cells[cell];
        let too_small = cell.half < 8.0 * self.margin;
        let full = self.mesh.cells.len() > u32::MAX as usize - 8;
        if triangles.len() <= LEAF_CAPACITY || depth >= DEPTH_LIMIT || too_small || full {
            return None;
        }
        let (mut own, mut parts) = (Vec::new(), [const { Vec::new() }; 8]);
        for &index in triangles {
            let triangle = &self.mesh.triangles[index as usize];
            if self.mesh.placement == OctantPlacement::Shared {
                self.share(cell, triangle, |octant: u32| parts[octant as usize].push(index));
            } else if let Some(octant) = self.octant(cell, triangle) {
                parts[octant as usize].push(index);
            } else {
                own.push(index);
            }
        }
        let copies: usize = parts.iter().map(Vec::len).sum();
        let served = match self.mesh.placement {
            OctantPlacement::Shared => {
                let total = self.pending - triangles.len() + copies;
                copies <= COPIES_MAX * triangles.len() && total <= REFERENCES_MAX * self.mesh.triangles.len()
            }
            OctantPlacement::Held | OctantPlacement::Loose => copies > 0,
        };
        served.then_some((own, parts))
    }

    /// Hands out the octants that a triangle overlaps.
    fn share(&self, cell: &Cell, triangle: &Triangle, mut push: impl FnMut(u32)) {
        let aabb = triangle.aabb().expanded(self.margin);
        let (below, above) = (aabb.min.cmplt(cell.center).bitmask(), aabb.max.cmpge(cell.center).bitmask());
        for octant in 0..8_u32 {
            let meets = octant & !above == 0 && !octant & 7 & !below == 0;
            // Only a triangle in several octants may pass one of them by.
            let alone = below & above == 0;
            if meets && (alone || overlaps(triangle, &child_cube(cell, octant).expanded(self.margin))) {
                push(octant);
            }
        }
    }

    /// The octant that contains a triangle.
    fn octant(&self, cell: &Cell, triangle: &Triangle) -> Option<u32> {
        let aabb = triangle.aabb();
        let octant = aabb.center().cmpge(cell.center).bitmask();
        let center = child_center(cell, octant);
        let reach = cell.half * 0.5 * self.mesh.placement.looseness();
        let home = Aabb::from_center_half_extents(center, Vec3::splat(reach));
        home.contains(&aabb.expanded(self.margin)).then_some(octant)
    }
}

fn child_center(cell: &Cell, octant: u32) -> Vec3 {
    let side = |axis: u32| if octant >> axis & 1 == 1 { 0.5 } else { -0.5 };
    cell.center + Vec3::new(side(0), side(1), side(2)) * cell.half
}

fn child_cube(cell: &Cell, octant: u32) -> Aabb {
    Aabb::from_center_half_extents(child_center(cell, octant), Vec3::splat(cell.half * 0.5))
}

/// A place among cells or references.
fn number(index: usize) -> u32 {
    u32::try_from(index).expect("at most twelve references for each of 2^28 triangles")
}
