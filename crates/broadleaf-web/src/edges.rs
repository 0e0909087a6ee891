//! Edges of boxes and lines between points, as pairs of ends.

use broadleaf::Aabb;
use broadleaf::glam::Vec3;

/// Floats of the edges of a box.
pub(crate) const FLOATS_OF_BOX: usize = 12 * FLOATS_OF_LINE;
/// Floats of the ends of a line.
const FLOATS_OF_LINE: usize = 6;

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
        Vec3::new(side(0, min.x, max.x), side(1, min.y, max.y), side(2, min.z, max.z))
    };
    let room = room(lines, FLOATS_OF_BOX);
    for ((from, to), ends) in EDGES.into_iter().zip(room.as_chunks_mut::<FLOATS_OF_LINE>().0) {
        set_line(ends, corner(from), corner(to));
    }
    true
}

/// Adds the edges of a box, and a colour for each end.
pub(crate) fn add_colored_box([lines, colors]: &mut [&mut Vec<f32>; 2], aabb: &Aabb, color: [f32; 3]) {
    if add_box(lines, aabb) {
        for end in room(colors, FLOATS_OF_BOX).as_chunks_mut::<3>().0 {
            *end = color;
        }
    }
}

/// Adds a line.
pub(crate) fn add_line(lines: &mut Vec<f32>, from: Vec3, to: Vec3) {
    if from.is_finite() && to.is_finite() {
        set_line(room(lines, FLOATS_OF_LINE).first_chunk_mut().expect("room for a line"), from, to);
    }
}

/// Room for so many floats more. They are stored one by one: in WebAssembly, to append a
/// short array calls a copy of memory, which costs more than the floats.
fn room(floats: &mut Vec<f32>, count: usize) -> &mut [f32] {
    let length = floats.len();
    floats.resize(length + count, 0.0);
    &mut floats[length..]
}

fn set_line(ends: &mut [f32; FLOATS_OF_LINE], from: Vec3, to: Vec3) {
    for axis in 0..3 {
        ends[axis] = from[axis];
        ends[3 + axis] = to[axis];
    }
}

/// Whether a box can be drawn: finite, and no farther out than floats of a graphics card resolve.
pub(crate) fn is_drawable(aabb: &Aabb) -> bool {
    aabb.min.abs().max(aabb.max.abs()).max_element() < 1e9
}
