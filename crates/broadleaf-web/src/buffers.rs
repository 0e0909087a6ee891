//! The floats that the page draws.

/// What a buffer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// Of each box that is drawn solid: a matrix of 16 floats, column by column.
    BoxMatrices,
    /// Of each of them: red, green, blue, from 0 to 1, linear.
    BoxColors,
    /// Of each sphere: a matrix.
    SphereMatrices,
    /// Of each of them: a colour.
    SphereColors,
    /// Ends of lines, three floats each: the outlines of objects too large to be drawn solid.
    Outlines,
    /// Ends of lines: the edges of cells.
    Cells,
    /// Of each end: a colour, by the depth of the cell.
    CellColors,
    /// Ends of lines: the edges of the fitted bounds of branches.
    Bounds,
    /// Of each end: a colour.
    BoundColors,
    /// Ends of lines: the edges of buckets.
    Buckets,
    /// Of each end: a colour, the fuller, the farther from the background.
    BucketColors,
    /// Ends of lines: the edges of what has changed since the last frame.
    Changed,
    /// Ends of lines: the cells of the nodes that a question visited.
    Visited,
    /// Ends of lines: the objects that a question tested.
    Tested,
    /// Ends of lines: the objects that a question hit.
    Hit,
    /// Ends of lines: the ray or the box of a question.
    Probe,
    /// Ends of lines: the edges of the picked object and of its neighbours, and lines to them.
    Selected,
    /// Ends of lines: the pairs.
    Pairs,
    /// Ends of lines: the pairs that a budget defers.
    Deferred,
    /// Ends of lines: the pairs that began since flashes were last taken.
    Begun,
    /// Ends of lines: the pairs that ended since flashes were last taken.
    Ended,
    /// Corners of a model's triangles, three floats each.
    Triangles,
}

impl Buffer {
    /// All buffers, by their numbers, with the names that the page knows.
    pub const ALL: [(&'static str, Self); 22] = [
        ("boxMatrices", Self::BoxMatrices),
        ("boxColors", Self::BoxColors),
        ("sphereMatrices", Self::SphereMatrices),
        ("sphereColors", Self::SphereColors),
        ("outlines", Self::Outlines),
        ("cells", Self::Cells),
        ("cellColors", Self::CellColors),
        ("bounds", Self::Bounds),
        ("boundColors", Self::BoundColors),
        ("buckets", Self::Buckets),
        ("bucketColors", Self::BucketColors),
        ("changed", Self::Changed),
        ("visited", Self::Visited),
        ("tested", Self::Tested),
        ("hit", Self::Hit),
        ("probe", Self::Probe),
        ("selected", Self::Selected),
        ("pairs", Self::Pairs),
        ("deferred", Self::Deferred),
        ("begun", Self::Begun),
        ("ended", Self::Ended),
        ("triangles", Self::Triangles),
    ];
}

/// All buffers. Their memory is kept from frame to frame.
#[derive(Debug)]
pub struct Buffers([Vec<f32>; Buffer::ALL.len()]);

impl Default for Buffers {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Vec::new()))
    }
}

impl Buffers {
    /// The floats of a buffer.
    #[must_use]
    pub fn get(&self, buffer: Buffer) -> &[f32] {
        &self.0[buffer as usize]
    }

    /// A buffer to be filled.
    pub(crate) fn of(&mut self, buffer: Buffer) -> &mut Vec<f32> {
        &mut self.0[buffer as usize]
    }

    /// Two buffers to be filled.
    pub(crate) fn two(&mut self, first: Buffer, second: Buffer) -> [&mut Vec<f32>; 2] {
        self.0.get_disjoint_mut([first as usize, second as usize]).expect("two different buffers")
    }

    /// Empties all buffers.
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_list() {
        for (index, (_, buffer)) in Buffer::ALL.into_iter().enumerate() {
            assert_eq!(buffer as usize, index);
        }
    }
}
