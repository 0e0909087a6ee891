//! The tree's cells and the fitted bounds of its leaves as wireframes,
//! coloured by depth.

use super::canvas::Canvas;
use super::palette::{self, Ink};
use super::projection::{Projection, corners};
use broadleaf::glam::{Vec2, Vec3};
use broadleaf::{Aabb, inspect::NodeInfo};
use std::collections::HashSet;

/// The cells are drawn twice: strongly behind the objects, faintly over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    BehindObjects,
    OverObjects,
}

impl Pass {
    fn alpha(self) -> f32 {
        match self {
            Self::BehindObjects => 0.75,
            Self::OverObjects => 0.4,
        }
    }
}

/// Draws every edge of every cell once, thinly, in the colour of the deepest
/// cell it belongs to; and over them the fitted bounds of the leaves, the
/// stronger the fuller their blocks are, and light where something changed.
pub(super) fn draw(canvas: &mut Canvas, projection: &Projection, cells: &[NodeInfo], pass: Pass, is_faint: bool) {
    let mut order: Vec<&NodeInfo> = cells.iter().filter(|node| node.cell.extents().is_finite()).collect();
    order.sort_by_key(|node| std::cmp::Reverse(node.depth));
    // Where a question is drawn, the cells it left aside stay in the background.
    let alpha = pass.alpha() * if is_faint { 0.35 } else { 1.0 };
    let (mut of_cells, mut of_bounds) = (Lines::default(), Lines::default());
    for node in order {
        of_cells.add(projection, &node.cell, palette::depth(node.depth).with_alpha(alpha * 0.6));
        if node.leaf && node.objects > 0 {
            of_bounds.add(projection, &node.bounds, bounds_ink(node).with_alpha(alpha * fullness(node)));
        }
    }
    of_cells.draw(canvas, 0.9);
    of_bounds.draw(canvas, 1.6);
}

/// How many of the lanes of a node's blocks hold an object, from 0 to 1.
pub(super) fn fullness(node: &NodeInfo) -> f32 {
    let share = f64::from(node.objects) / (8.0 * f64::from(node.blocks.max(1)));
    #[expect(clippy::cast_possible_truncation, reason = "at most one")]
    let share = share.min(1.0) as f32;
    share
}

fn bounds_ink(node: &NodeInfo) -> Ink {
    let ink = palette::depth(node.depth);
    if node.changed { palette::CHANGED.mixed(ink, 0.6) } else { ink.shaded(0.75) }
}

/// Edges that wait to be drawn, each of them once.
#[derive(Default)]
pub(super) struct Lines {
    added: HashSet<([u32; 3], [u32; 3])>,
    lines: Vec<(Vec2, Vec2, Ink)>,
}

impl Lines {
    pub(super) fn add(&mut self, projection: &Projection, aabb: &Aabb, ink: Ink) {
        let corners = corners(aabb);
        for (from, to) in edges() {
            let (from, to) = (corners[from], corners[to]);
            if self.added.insert((bits(from), bits(to)))
                && let Some((a, b)) = projection.line(from, to)
            {
                let fade = (1.6 - projection.depth((from + to) * 0.5) * 0.75).clamp(0.35, 1.0);
                self.lines.push((a, b, ink.faded(fade)));
            }
        }
    }

    /// Deepest last, so that small cells stay legible.
    pub(super) fn draw(self, canvas: &mut Canvas, width: f32) {
        for (from, to, ink) in self.lines.into_iter().rev() {
            canvas.line(from, to, width, ink);
        }
    }
}

/// The twelve edges of a box, as pairs of corner indices.
pub(super) fn edges() -> impl Iterator<Item = (usize, usize)> {
    (0..8_usize).flat_map(|corner| {
        (0..3).filter(move |axis| corner >> axis & 1 == 0).map(move |axis| (corner, corner | 1 << axis))
    })
}

fn bits(point: Vec3) -> [u32; 3] {
    // Adding zero makes the two zeros one.
    (point + 0.0).to_array().map(f32::to_bits)
}
