//! What a question visited, tested and hit: nodes as red boxes, tested objects and
//! hits solid, all other objects faint.

use super::canvas::Canvas;
use super::cells::Lines;
use super::palette;
use super::projection::Projection;
use crate::question::{Asked, Shape};
use broadleaf::Aabb;
use broadleaf::inspect::DrawKind;
use std::collections::HashMap;

/// Which objects a question tested or hit, by their boxes.
pub(super) struct Reached(HashMap<[u32; 6], DrawKind>);

impl Reached {
    /// The objects of a question; none if there is none.
    pub(super) fn of(asked: Option<&Asked>) -> Self {
        let mut reached = HashMap::new();
        for drawing in asked.iter().flat_map(|asked| &asked.drawings) {
            let is_known = reached.get(&bits(&drawing.aabb)) == Some(&DrawKind::Hit);
            if drawing.kind != DrawKind::Visited && !is_known {
                reached.insert(bits(&drawing.aabb), drawing.kind);
            }
        }
        Self(reached)
    }

    /// What a question did with the object of a box.
    pub(super) fn kind(&self, aabb: &Aabb) -> Option<DrawKind> {
        self.0.get(&bits(aabb)).copied()
    }
}

fn bits(aabb: &Aabb) -> [u32; 6] {
    // The tree keeps no negative zeros.
    let [a, b, c] = (aabb.min + 0.0).to_array().map(f32::to_bits);
    let [d, e, f] = (aabb.max + 0.0).to_array().map(f32::to_bits);
    [a, b, c, d, e, f]
}

/// Draws the boxes of the nodes that were visited.
pub(super) fn draw_visited(canvas: &mut Canvas, projection: &Projection, asked: &Asked, alpha: f32) {
    let mut lines = Lines::default();
    for drawing in asked.drawings.iter().filter(|drawing| drawing.kind == DrawKind::Visited) {
        lines.add(projection, &drawing.aabb, palette::VISITED.with_alpha(alpha));
    }
    lines.draw(canvas, 1.8);
}

/// Draws what was asked about.
pub(super) fn draw_shape(canvas: &mut Canvas, projection: &Projection, asked: &Asked) {
    match &asked.shape {
        Shape::Segment(from, to) => {
            if let Some((a, b)) = projection.line(*from, *to) {
                canvas.line(a, b, 3.0, palette::ASKED);
            }
        }
        Shape::Box(aabb) => {
            let mut lines = Lines::default();
            lines.add(projection, aabb, palette::ASKED);
            lines.draw(canvas, 3.0);
        }
        Shape::Sphere(sphere) => {
            if let (Some(center), Some(radius)) =
                (projection.point(sphere.center), projection.radius(sphere.center, sphere.radius))
            {
                let clear = palette::ASKED.with_alpha(0.12);
                canvas.circle(center, radius.max(5.0), clear, palette::ASKED, 3.0);
            }
        }
        Shape::View => {}
    }
}
