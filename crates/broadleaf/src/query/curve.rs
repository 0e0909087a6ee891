//! The order in which the questions of a batch are asked: along a Morton curve
//! through the tree, so that neighbours find it in the cache.

use crate::geometry::Aabb;
use crate::geometry::lanes::{CurveCells, WIDTH};
use alloc::vec::Vec;
use glam::Vec3;

/// Questions from which on their order is worth a sort.
const SORT_MIN: usize = 256;

/// Which question is asked when.
#[derive(Debug, Clone, Default)]
pub(super) struct Curve {
    /// The question at each place; empty if they are asked as they come.
    order: Vec<u32>,
    /// The place of each question.
    places: Vec<u32>,
    /// Where the questions of each cell go.
    starts: Vec<u32>,
}

impl Curve {
    /// Whether the questions are asked as they come.
    pub(super) fn is_as_given(&self) -> bool {
        self.order.is_empty()
    }

    /// The question at a place of the curve.
    #[inline]
    pub(super) fn question(&self, place: usize) -> usize {
        self.order.get(place).map_or(place, |&question| question as usize)
    }

    /// The place of a question on the curve.
    #[inline]
    pub(super) fn place(&self, question: usize) -> usize {
        self.places.get(question).map_or(question, |&place| place as usize)
    }

    /// Has the questions asked as they come.
    pub(super) fn clear(&mut self) {
        self.order.clear();
        self.places.clear();
    }

    /// Has questions asked by the cells of some bounds that they lie in, and
    /// within a cell by index; as they come if they are too few for that to
    /// gain, or too many to be numbered.
    pub(super) fn sort(&mut self, bounds: &Aabb, points: impl ExactSizeIterator<Item = Vec3>) {
        self.clear();
        let Ok(count) = u32::try_from(points.len()) else { return };
        if points.len() < SORT_MIN {
            return;
        }
        let cells = CurveCells::new(bounds);
        let mut eight = [Vec3::ZERO; WIDTH];
        let mut filled = 0;
        for point in points {
            eight[filled] = point;
            filled += 1;
            if filled == WIDTH {
                self.places.extend_from_slice(&cells.of(&eight));
                filled = 0;
            }
        }
        self.places.extend_from_slice(&cells.of(&eight)[..filled]);
        self.starts.clear();
        self.starts.resize(CurveCells::COUNT, 0);
        for &cell in &self.places {
            self.starts[cell as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += core::mem::replace(start, end);
        }
        self.order.resize(self.places.len(), 0);
        for (question, place) in (0..count).zip(&mut self.places) {
            let start = &mut self.starts[*place as usize];
            *place = *start;
            *start += 1;
            self.order[*place as usize] = question;
        }
    }
}
