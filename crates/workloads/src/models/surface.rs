//! A surface under construction: vertices, triangles, and the split that
//! brings them to a wanted number without opening an edge.

use crate::random::Random;
use broadleaf::glam::Vec3;

/// Positions and three indices a triangle.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Surface {
    pub(super) positions: Vec<Vec3>,
    pub(super) indices: Vec<u32>,
}

impl Surface {
    /// The number of triangles.
    pub(super) fn len(&self) -> usize {
        self.indices.len() / 3
    }

    /// Adds a vertex; its index.
    pub(super) fn vertex(&mut self, position: Vec3) -> u32 {
        let index = u32::try_from(self.positions.len()).expect("a model has fewer vertices than 2^32");
        self.positions.push(position);
        index
    }

    /// Adds a triangle, counter-clockwise seen from the front.
    pub(super) fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        self.indices.extend([a, b, c]);
    }

    /// Adds two triangles; the corners go round counter-clockwise.
    pub(super) fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.indices.extend([a, b, c, a, c, d]);
    }

    /// Adds vertices in rows, `columns` of them `rows` times.
    pub(super) fn grid(&mut self, rows: u32, columns: u32, mut position: impl FnMut(u32, u32) -> Vec3) {
        for row in 0..rows {
            for column in 0..columns {
                self.vertex(position(row, column));
            }
        }
    }

    /// Splits triangles taken at random into three, until there are `count`,
    /// or one less. Edges shared by two triangles stay so.
    pub(super) fn split_up_to(&mut self, count: u32, random: &mut Random) {
        while !self.indices.is_empty() && self.len() + 2 <= count as usize {
            let len = u32::try_from(self.len()).expect("less than `count`");
            let at = 3 * random.below(len) as usize;
            let [a, b, c] = [0, 1, 2].map(|corner| self.indices[at + corner]);
            let sum = [a, b, c].iter().fold(Vec3::ZERO, |sum, index| sum + self.positions[*index as usize]);
            let middle = self.vertex(sum / 3.0);
            self.indices[at + 2] = middle;
            self.indices.extend([b, c, middle, c, a, middle]);
        }
    }
}
