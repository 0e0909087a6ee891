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
    pub(super) fn is_input_order(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Aabb = Aabb { min: Vec3::splat(-8.0), max: Vec3::splat(8.0) };

    fn cells(points: &[Vec3]) -> Vec<u32> {
        let eight = |points: &[Vec3]| core::array::from_fn(|i| points[i.min(points.len() - 1)]);
        let cells = CurveCells::new(&BOUNDS);
        points.chunks(WIDTH).flat_map(|points| cells.of(&eight(points)).into_iter().take(points.len())).collect()
    }

    #[test]
    fn cells_are_numbered_along_a_morton_curve() {
        let bit = |cell: usize, axis: usize| (0..4).fold(0, |part, i| part | (cell >> (3 * i + axis) & 1) << i);
        let middle = |cell: usize| Vec3::from_array([0, 1, 2].map(|axis| bit(cell, axis) as f32 - 7.5));
        let middles: Vec<Vec3> = (0..CurveCells::COUNT).map(middle).collect();
        assert!(cells(&middles).into_iter().map(|cell| cell as usize).eq(0..CurveCells::COUNT));
        // Points outside the bounds are clamped to them.
        assert_eq!(cells(&[Vec3::splat(-1e9), Vec3::splat(f32::INFINITY)]), [0, 0xfff]);
    }

    #[test]
    fn questions_are_asked_by_cell_and_then_by_index() {
        let spots = [-7.5, -1e30, 3.25, 0.0, f32::INFINITY, 7.75, f32::NAN, -0.5, 12.0, 5.5, -3.0];
        let point = |i: usize| Vec3::new(spots[i % 11], spots[i / 3 % 11], spots[i / 7 % 11]);
        for bounds in [BOUNDS, Aabb::new(Vec3::ZERO, Vec3::ZERO), Aabb::new(Vec3::splat(-3e38), Vec3::splat(3e38))] {
            let mut curve = Curve::default();
            for count in [257, 256, 1000, 255, 0, 300] {
                let points: Vec<Vec3> = (0..count).map(point).collect();
                curve.sort(&bounds, points.iter().copied());
                assert_eq!(curve.is_input_order(), count < SORT_MIN);
                assert!((0..count).all(|question| curve.question(curve.place(question)) == question));
                assert!((0..count).all(|place| curve.place(curve.question(place)) == place));
                if bounds == BOUNDS && !curve.is_input_order() {
                    let cells = cells(&points);
                    let key = |place: usize| (cells[curve.question(place)], curve.question(place));
                    assert!((1..count).all(|place| key(place - 1) < key(place)));
                }
            }
            curve.clear();
            assert!(curve.is_input_order() && curve.place(3) == 3);
        }
    }
}
