//! Edges of boxes and lines between points, as pairs of ends.

use broadleaf::Aabb;
use broadleaf::glam::Vec3;

/// Floats of the edges of a box.
pub(crate) const FLOATS_OF_BOX: usize = 12 * 2 * 3;

/// The twelve edges, as pairs of corners; bit 0 of a corner is x, bit 1 y, bit 2 z.
const EDGES: [(usize, usize); 12] =
    [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)];

/// Adds the edges of a box; a box that is not finite has none. Whether it was added.
pub(crate) fn add_box(lines: &mut Vec<f32>, aabb: &Aabb) -> bool {
    if !is_drawable(aabb) {
        return false;
    }
    let (min, max) = (aabb.min, aabb.max);
    let corner = |index: usize| {
        let side = |bit: usize, low: f32, high: f32| if index >> bit & 1 == 0 { low } else { high };
        [side(0, min.x, max.x), side(1, min.y, max.y), side(2, min.z, max.z)]
    };
    for (from, to) in EDGES {
        lines.extend(corner(from));
        lines.extend(corner(to));
    }
    true
}

/// Adds the edges of a box, and a colour for each end.
pub(crate) fn add_colored_box([lines, colors]: &mut [&mut Vec<f32>; 2], aabb: &Aabb, color: [f32; 3]) {
    if add_box(lines, aabb) {
        for _ in 0..FLOATS_OF_BOX / 3 {
            colors.extend(color);
        }
    }
}

/// Adds a line.
pub(crate) fn add_line(lines: &mut Vec<f32>, from: Vec3, to: Vec3) {
    if from.is_finite() && to.is_finite() {
        lines.extend(from.to_array());
        lines.extend(to.to_array());
    }
}

/// Whether a box can be drawn: finite, and no farther out than floats of a graphics card resolve.
pub(crate) fn is_drawable(aabb: &Aabb) -> bool {
    aabb.min.abs().max(aabb.max.abs()).max_element() < 1e9
}
