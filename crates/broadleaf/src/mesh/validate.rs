//! Validation: checks every invariant of a mesh, and names the one that is broken.

use super::columns::{ChildLink, Leaf, Node};
use super::{DEPTH_MAX, Mesh};
use crate::data::state::validate::BrokenInvariant;
use crate::geometry::Aabb;
use crate::geometry::lanes::WIDTH;

fn ensure(holds: bool, invariant: &'static str, index: usize) -> Result<(), BrokenInvariant> {
    if holds { Ok(()) } else { Err(BrokenInvariant { invariant, index: u32::try_from(index).unwrap_or(u32::MAX) }) }
}

/// How many nodes and leaves were met: each once, in the order of links.
#[derive(Default)]
struct Totals {
    nodes: usize,
    leaves: usize,
    triangles: usize,
}

impl Mesh {
    /// Checks every invariant of the mesh.
    ///
    /// # Errors
    /// The first invariant that does not hold: always a bug of this crate.
    pub fn validate(&self) -> Result<(), BrokenInvariant> {
        let mut totals = Totals::default();
        if let Some(root) = self.nodes.first() {
            let bounds = self.validate_node(root, 0, 0, &mut totals)?;
            ensure(bounds == self.bounds, "the bounds are those of the triangles", 0)?;
        }
        ensure(totals.nodes == self.nodes.len(), "each node is reached once", totals.nodes)?;
        ensure(totals.leaves == self.leaves.len(), "each leaf is reached once", totals.leaves)?;
        let total = totals.triangles + self.degenerate.len();
        ensure(total == self.places.len(), "each triangle is in a leaf, or degenerate", total)?;
        let mut degenerate = 0;
        for (index, &place) in self.places.iter().enumerate() {
            if place & Self::DEGENERATE != 0 {
                let at = (place & !Self::DEGENERATE) as usize;
                ensure(at == degenerate, "degenerate triangles keep the order of the input", index)?;
                degenerate += 1;
            } else {
                let (leaf, lane) = (place as usize / WIDTH, place as usize % WIDTH);
                let id = self.leaves.get(leaf).map(|leaf| leaf.ids[lane] as usize);
                ensure(id == Some(index), "a triangle lies where its place says", index)?;
            }
        }
        let legal = self.degenerate.iter().all(super::build::is_degenerate);
        ensure(legal, "only degenerate triangles are kept apart", 0)
    }

    /// Recursion is as deep as the mesh.
    fn validate_node(
        &self,
        node: &Node,
        index: usize,
        depth: usize,
        totals: &mut Totals,
    ) -> Result<Aabb, BrokenInvariant> {
        ensure(depth < DEPTH_MAX, "no node lies below the depth limit", index)?;
        totals.nodes += 1;
        let mut bounds = Aabb::EMPTY;
        for (lane, &link) in node.links.iter().enumerate() {
            let own = node.bounds.get(lane);
            if link == ChildLink::NONE {
                ensure(own == Aabb::EMPTY, "the box of an empty lane is empty", index)?;
                continue;
            }
            let at = link.index();
            let fitted = if link.is_leaf() {
                let leaf = self.leaves.get(at);
                ensure(leaf.is_some(), "a link to a leaf leads to one", index)?;
                totals.leaves += 1;
                leaf.map_or(Ok(Aabb::EMPTY), |leaf| validate_leaf(leaf, at, totals))?
            } else {
                ensure(at > index, "a child comes after its parent", index)?;
                let child = self.nodes.get(at);
                ensure(child.is_some(), "a link to a node leads to one", index)?;
                child.map_or(Ok(Aabb::EMPTY), |child| self.validate_node(child, at, depth + 1, totals))?
            };
            ensure(own == fitted, "a box is that of the triangles below it", index)?;
            bounds = bounds.union(&fitted);
        }
        Ok(bounds)
    }
}

fn validate_leaf(leaf: &Leaf, index: usize, totals: &mut Totals) -> Result<Aabb, BrokenInvariant> {
    let len = leaf.len();
    ensure(len > 0, "no leaf is empty", index)?;
    let blank = leaf.ids[len..].iter().all(|&id| id == Leaf::NOTHING);
    ensure(blank, "triangles fill the first lanes of a leaf", index)?;
    totals.triangles += len;
    let mut bounds = Aabb::EMPTY;
    for lane in 0..WIDTH {
        let triangle = leaf.triangles.get(lane);
        if lane < len {
            ensure(!super::build::is_degenerate(&triangle), "no leaf holds a degenerate triangle", index)?;
            bounds = bounds.union(&triangle.aabb());
        } else {
            ensure(triangle.a.is_nan() && triangle.c.is_nan(), "a lane that holds nothing is no number", index)?;
        }
    }
    Ok(bounds)
}
