//! What a program draws of a tree: boxes with a kind, handed to the caller's closure.

use crate::data::View;
use crate::geometry::Aabb;
use core::ops::ControlFlow;
use glam::Vec3;

/// A box to draw, and what it stands for.
///
/// The box is finite: a box without an end has no place on a screen, so it is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawing {
    /// What the box stands for; mostly drawn in a colour of its own.
    pub kind: DrawKind,
    /// Where it lies.
    pub aabb: Aabb,
}

/// What a box that is drawn stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawKind {
    /// The cell of a node: decides which objects stand there.
    Cell,
    /// The fitted bounds of a node that holds objects: what questions test.
    Bounds,
    /// The fitted bounds of a leaf in which something changed since pair events were last taken.
    Changed,
    /// The fitted bounds of a node that a recorded question visited.
    Visited,
    /// An object that a recorded question tested, eight at a time.
    Tested,
    /// An object that passed all tests of a recorded question.
    Hit,
}

impl Drawing {
    /// The twelve edges of the box, for engines that draw lines alone.
    #[must_use]
    pub fn lines(&self) -> [[Vec3; 2]; 12] {
        let (min, size) = (self.aabb.min, self.aabb.max - self.aabb.min);
        let mut lines = [[min; 2]; 12];
        for (index, line) in lines.iter_mut().enumerate() {
            // Four edges along each axis, from the corners where that axis is low.
            let (axis, corner) = (index / 4, index % 4);
            let mut from = Vec3::ZERO;
            from[(axis + 1) % 3] = if corner & 1 == 0 { 0.0 } else { 1.0 };
            from[(axis + 2) % 3] = if corner & 2 == 0 { 0.0 } else { 1.0 };
            let mut to = from;
            to[axis] = 1.0;
            *line = [min + size * from, min + size * to];
        }
        lines
    }

    /// A drawing, if the box is finite and not empty.
    pub(super) fn of(kind: DrawKind, aabb: Aabb) -> Option<Self> {
        // Questions clamp infinite boxes to the largest finite ones.
        let is_finite = aabb.min.abs().max(aabb.max.abs()).max_element() < f32::MAX;
        (is_finite && aabb.min.cmple(aabb.max).all()).then_some(Self { kind, aabb })
    }
}

/// Draws the nodes of a tree, parents before children: each has a [`DrawKind::Cell`],
/// those with objects [`DrawKind::Bounds`], and changed leaves [`DrawKind::Changed`].
///
/// ```
/// use broadleaf::{Aabb, Octree, glam::Vec3, inspect::{self, DrawKind}};
///
/// let mut tree = Octree::default();
/// for step in 0..100 {
///     tree.insert(Aabb::new(Vec3::ZERO, Vec3::ONE).translated(Vec3::X * (2 * step) as f32))?;
/// }
/// let mut lines = 0; // your engine's gizmos
/// inspect::draw(tree.view(), |drawing| match drawing.kind {
///     DrawKind::Cell => lines += drawing.lines().len(),
///     DrawKind::Changed => assert!(drawing.aabb.max.x <= 199.0),
///     _ => {}
/// });
/// assert!(lines > 12);
/// # Ok::<(), broadleaf::Error>(())
/// ```
///
/// Depth and occupancy are told by [`View::visit_nodes`](crate::View::visit_nodes).
///
/// *Cost:* in proportion to the nodes.
pub fn draw(view: View<'_>, mut draw: impl FnMut(Drawing)) {
    view.visit_nodes(|node| {
        let mut boxes = [(DrawKind::Cell, true, node.cell); 3];
        boxes[1] = (DrawKind::Bounds, node.objects_below > 0, node.bounds);
        boxes[2] = (DrawKind::Changed, node.leaf && node.objects > 0 && node.changed, node.bounds);
        for (kind, is_drawn, aabb) in boxes {
            if is_drawn && let Some(drawing) = Drawing::of(kind, aabb) {
                draw(drawing);
            }
        }
        ControlFlow::Continue(())
    });
}
