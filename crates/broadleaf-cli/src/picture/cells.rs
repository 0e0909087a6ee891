//! The tree's cells as a wireframe, coloured by depth.

use super::canvas::Canvas;
use super::palette;
use super::projection::{Projection, corners};
use broadleaf::{NodeInfo, glam::Vec3};
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

/// Draws every edge of every cell once, in the colour of the deepest cell it belongs to.
pub(super) fn draw(canvas: &mut Canvas, projection: &Projection, cells: &[NodeInfo], pass: Pass) {
    let mut order: Vec<&NodeInfo> = cells.iter().filter(|node| node.cell.extents().is_finite()).collect();
    order.sort_by_key(|node| std::cmp::Reverse(node.depth));
    let mut drawn = HashSet::new();
    let mut lines = Vec::new();
    for node in order {
        let corners = corners(&node.cell);
        for (from, to) in edges() {
            let (from, to) = (corners[from], corners[to]);
            if drawn.insert((bits(from), bits(to)))
                && let Some((a, b)) = projection.line(from, to)
            {
                let fade = (1.6 - projection.depth((from + to) * 0.5) * 0.75).clamp(0.35, 1.0);
                lines.push((a, b, palette::depth(node.depth).with_alpha(pass.alpha() * fade)));
            }
        }
    }
    // Deepest last, so that small cells stay legible.
    for (from, to, ink) in lines.into_iter().rev() {
        canvas.line(from, to, 1.1, ink);
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
