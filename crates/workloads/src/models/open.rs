//! Models with an edge: a landscape, and triangles that share nothing.

use super::surface::Surface;
use crate::random::Random;
use broadleaf::Aabb;
use broadleaf::glam::Vec3;

/// Hills of four sizes over a square.
#[expect(clippy::cast_precision_loss, reason = "a side has few vertices")]
pub(super) fn terrain(count: u32, random: &mut Random) -> Surface {
    const EDGE: f32 = 32.0;
    let rows = (count / 2).isqrt().max(1);
    let columns = (count / 2 / rows).max(1);
    let octaves: Vec<Hills> = (0..4).map(|octave| Hills::new(4 << octave, random)).collect();
    let mut surface = Surface::default();
    surface.grid(rows + 1, columns + 1, |row, column| {
        let (x, z) = (column as f32 / columns as f32, row as f32 / rows as f32);
        let height = octaves.iter().rev().fold(0.0, |height, hills| height * 0.5 + hills.height(x, z));
        Vec3::new(x * EDGE, height * 5.0, z * EDGE)
    });
    for row in 0..rows {
        for column in 0..columns {
            let at = row * (columns + 1) + column;
            let below = at + columns + 1;
            surface.quad([at, below, below + 1, at + 1]);
        }
    }
    surface
}

/// Heights on a lattice, smooth in between.
struct Hills {
    cells: u32,
    heights: Vec<f32>,
}

impl Hills {
    fn new(cells: u32, random: &mut Random) -> Self {
        let vertices = (cells + 1) * (cells + 1);
        Self { cells, heights: (0..vertices).map(|_| random.unit()).collect() }
    }

    /// The height at a place, both coordinates from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a lattice has few cells")]
    fn height(&self, x: f32, z: f32) -> f32 {
        let (x, z) = (x * self.cells as f32, z * self.cells as f32);
        let ((column, x), (row, z)) = (self.split(x), self.split(z));
        let at = |row: u32, column: u32| self.heights[(row * (self.cells + 1) + column) as usize];
        let (near, far) =
            (blend(at(row, column), at(row, column + 1), x), blend(at(row + 1, column), at(row + 1, column + 1), x));
        blend(near, far, z)
    }

    /// The lattice cell of a coordinate, and how far into it, smoothed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the number of cells")]
    #[expect(clippy::cast_precision_loss, reason = "a lattice has few cells")]
    fn split(&self, coordinate: f32) -> (u32, f32) {
        let cell = (coordinate as u32).min(self.cells - 1);
        let part = coordinate - cell as f32;
        (cell, part * part * (3.0 - 2.0 * part))
    }
}

fn blend(a: f32, b: f32, part: f32) -> f32 {
    a + (b - a) * part
}

/// Long thin triangles anywhere and every way, one in 64 without an area.
pub(super) fn slivers(count: u32, random: &mut Random) -> Surface {
    let bounds = Aabb::new(Vec3::splat(-10.0), Vec3::splat(10.0));
    let mut surface = Surface::default();
    for index in 0..count.max(1) {
        let start = random.point(&bounds);
        let end = start + random.direction() * random.between(0.2, 4.0);
        let third = if index % 64 == 63 { end } else { blend_points(start, end, random) };
        let corners = [start, end, third].map(|position| surface.vertex(position));
        surface.triangle(corners);
    }
    surface
}

/// A point beside the line from `a` to `b`.
fn blend_points(a: Vec3, b: Vec3, random: &mut Random) -> Vec3 {
    a + (b - a) * random.unit() + random.direction() * random.between(0.001, 0.05)
}
