//! The naive walk: every octant whose box the ray meets is visited, in the
//! order of the octants, and the nearest hit of all is kept.

use super::cast::Cast;
use super::{OctantMesh, STACK};
use arrayvec::ArrayVec;
use std::ops::ControlFlow;

pub(super) fn walk(mesh: &OctantMesh, cast: &mut Cast<'_>) -> ControlFlow<()> {
    let looseness = mesh.placement.looseness();
    let mut stack = ArrayVec::<u32, STACK>::new();
    stack.push(0);
    while let Some(index) = stack.pop() {
        let cell = mesh.cell(index);
        if cast.ray.enter_aabb(&cell.cube(looseness)).is_none() {
            continue;
        }
        cast.visit(cell)?;
        if !cell.is_leaf() {
            stack.extend((cell.children..cell.children + 8).filter(|child| !mesh.cell(*child).is_empty()));
        }
    }
    ControlFlow::Continue(())
}
