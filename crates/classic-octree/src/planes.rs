//! The splitting-plane walk: a ray that crosses a cell passes at most four of
//! its octants, and where it crosses the three middle planes tells which.

use super::cast::Cast;
use super::loose::{self, Halves};
use super::{Cell, OctantMesh, OctantPlacement, STACK};
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

/// A cell to visit, and the part of the ray within it.
type Entry = (u32, f32, f32);

pub(super) fn walk(mesh: &OctantMesh, cast: &mut Cast<'_>) -> ControlFlow<()> {
    let mut stack = ArrayVec::<Entry, STACK>::new();
    stack.extend(cast.span(mesh.cell(0), mesh.placement.looseness()).map(|(enter, exit)| (0, enter, exit)));
    while let Some((index, enter, exit)) = stack.pop() {
        if enter > cast.reach() {
            continue;
        }
        let cell = mesh.cell(index);
        cast.visit(cell)?;
        if cell.is_leaf() {
            continue;
        }
        let first = stack.len();
        let push = |octant: u32, enter: f32, exit: f32| {
            if !mesh.cell(cell.children + octant).is_empty() {
                stack.push((cell.children + octant, enter, exit));
            }
        };
        if mesh.placement == OctantPlacement::Loose {
            loose::pass(&halves(cell, cast), cast.downward(), enter, exit, push);
        } else {
            pass(cell, cast, enter, exit, push);
        }
        // The last pushed is the first visited.
        stack[first..].reverse();
    }
    ControlFlow::Continue(())
}

/// Hands out the octants of a strict cell that the ray passes between two
/// distances, in the order of the ray.
pub(super) fn pass(cell: &Cell, cast: &Cast<'_>, mut enter: f32, exit: f32, mut push: impl FnMut(u32, f32, f32)) {
    let (origin, direction) = (cast.ray.origin(), cast.ray.direction());
    let mut crossings = cast.crossings(cell.center);
    let mut octant = 0;
    for axis in 0..3 {
        // On which side of the plane the ray is on entry; a plane not ahead is never crossed.
        let ahead = !cast.is_parallel(axis) && crossings[axis] > enter;
        let above =
            if cast.is_parallel(axis) { origin[axis] >= cell.center[axis] } else { (direction[axis] > 0.0) != ahead };
        octant |= u32::from(above) << axis;
        if !ahead {
            crossings[axis] = f32::INFINITY;
        }
    }
    loop {
        let axis = crossings.min_position();
        let next = crossings[axis];
        push(octant, enter, next.min(exit));
        if next > exit || next == f32::INFINITY {
            return;
        }
        crossings[axis] = f32::INFINITY;
        octant ^= 1 << axis;
        enter = next;
    }
}

/// Where the ray passes the loose halves of a cell: the halves overlap, so
/// that each has planes of its own, two an axis.
fn halves(cell: &Cell, cast: &Cast<'_>) -> Halves {
    // A child reaches three quarters of the cell's edge outward, and one quarter beyond the middle.
    let (out, over) = (cell.half * 1.5, cell.half * 0.5);
    Halves::new(|axis, upper| {
        let middle = cell.center[axis];
        if upper { cast.slab(axis, middle - over, middle + out) } else { cast.slab(axis, middle - out, middle + over) }
    })
}
