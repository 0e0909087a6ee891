//! The parametric walk: a cell is known by the distances at which the ray
//! passes its faces, and those of its octants follow by halving. An axis along
//! which the ray runs downward is mirrored by naming octants in reverse.
//!
//! *Source:* J. Revelles, C. Ureña and M. Lastra, An Efficient Parametric
//! Algorithm for Octree Traversal, 2000.

use super::cast::Cast;
use super::loose::{self, Halves};
use super::{Cell, OctantMesh, OctantPlacement, STACK};
use arrayvec::ArrayVec;
use broadleaf::glam::Vec3;
use std::ops::ControlFlow;

/// A cell to visit, and the distances of its near and its far faces.
type Entry = (u32, Vec3, Vec3);

pub(super) fn walk(mesh: &OctantMesh, cast: &mut Cast<'_>) -> ControlFlow<()> {
    let mut stack = ArrayVec::<Entry, STACK>::new();
    let cube = mesh.cell(0).cube(mesh.placement.looseness());
    let (mut near, mut far) = (Vec3::ZERO, Vec3::ZERO);
    for axis in 0..3 {
        (near[axis], far[axis]) = cast.slab(axis, cube.min[axis], cube.max[axis]);
    }
    stack.push((0, near, far));
    while let Some((index, near, far)) = stack.pop() {
        let (enter, exit) = (near.max_element().max(0.0), far.min_element());
        if enter > exit.min(cast.reach()) {
            continue;
        }
        let cell = mesh.cell(index);
        cast.visit(cell)?;
        if cell.is_leaf() {
            continue;
        }
        let first = stack.len();
        let push = |octant: u32, near: Vec3, far: Vec3| {
            if !mesh.cell(cell.children + octant).is_empty() {
                stack.push((cell.children + octant, near, far));
            }
        };
        if mesh.placement == OctantPlacement::Loose {
            pass_loose(cell, cast, near, far, push);
        } else {
            pass(cell, cast, near, far, push);
        }
        // The last pushed is the first visited.
        stack[first..].reverse();
    }
    ControlFlow::Continue(())
}

/// Hands out the octants of a strict cell that the ray passes, in its order.
fn pass(cell: &Cell, cast: &Cast<'_>, near: Vec3, far: Vec3, mut push: impl FnMut(u32, Vec3, Vec3)) {
    let mirror = cast.downward();
    let middle = middles(cell, cast, near, far);
    let enter = near.max_element();
    // An octant by its mirrored name: a bit is set once the middle is behind.
    let mut octant = (0..3).fold(0, |bits, axis| bits | u32::from(middle[axis] < enter) << axis);
    loop {
        let passed = |axis: usize| octant >> axis & 1 == 1;
        let pick = |axis: usize, behind: Vec3, ahead: Vec3| if passed(axis) { behind[axis] } else { ahead[axis] };
        let first = Vec3::new(pick(0, middle, near), pick(1, middle, near), pick(2, middle, near));
        let last = Vec3::new(pick(0, far, middle), pick(1, far, middle), pick(2, far, middle));
        push(octant ^ mirror, first, last);
        let axis = last.min_position();
        if passed(axis) {
            return;
        }
        octant |= 1 << axis;
    }
}

/// Where the ray crosses the middle planes. Along a plane it never does: it
/// stays on its side, and so the crossing lies in the infinite past or future.
fn middles(cell: &Cell, cast: &Cast<'_>, near: Vec3, far: Vec3) -> Vec3 {
    let mut middle = near * 0.5 + far * 0.5;
    for axis in 0..3 {
        if cast.is_parallel(axis) {
            let below = cast.ray.origin()[axis] < cell.center[axis];
            middle[axis] = if below { f32::INFINITY } else { f32::NEG_INFINITY };
        }
    }
    middle
}

/// The same for loose cells, whose children reach from three eighths before
/// the middle of the loose cell to one eighth beyond it. On an axis along which
/// the ray does not run there is nothing to halve, and positions are compared.
fn pass_loose(cell: &Cell, cast: &Cast<'_>, near: Vec3, far: Vec3, mut push: impl FnMut(u32, Vec3, Vec3)) {
    let mirror = cast.downward();
    let (middle, eighth) = (near * 0.5 + far * 0.5, (far - near) * 0.125);
    let (out, over) = (cell.half * 1.5, cell.half * 0.5);
    let range = |axis: usize, upper: bool| {
        let (center, middle, eighth) = (cell.center[axis], middle[axis], eighth[axis]);
        if cast.is_parallel(axis) {
            let (low, high) = if upper { (over, out) } else { (out, over) };
            cast.slab(axis, center - low, center + high)
        } else if upper != (mirror >> axis & 1 == 1) {
            (middle - eighth, middle + eighth * 3.0)
        } else {
            (middle - eighth * 3.0, middle + eighth)
        }
    };
    let reach = cast.reach();
    loose::pass(&Halves::new(range), mirror, 0.0, reach, |octant, _, _| {
        let halves = [0, 1, 2].map(|axis| range(axis, octant >> axis & 1 == 1));
        push(octant, Vec3::from_array(halves.map(|half| half.0)), Vec3::from_array(halves.map(|half| half.1)));
    });
}
