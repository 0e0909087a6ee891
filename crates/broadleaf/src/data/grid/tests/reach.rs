//! The smallest cell, and how far cells reach.

use super::*;
use crate::geometry::lanes::SizeCounts;

#[test]
fn the_smallest_cell_is_doubled_until_few_boxes_are_out_of_reach() {
    let at = |x: f32, edge: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + edge, edge, edge));
    let columns = |boxes: &[Aabb]| -> Vec<Boxes> {
        boxes.chunks(8).map(|eight| Boxes::gather(|lane| eight.get(lane).copied().unwrap_or(Aabb::EMPTY))).collect()
    };
    let grid = Grid::new(1.0 / 64.0, 3.0);
    let infinite = Aabb::new(Vec3::NEG_INFINITY, Vec3::ZERO);
    for (boxes, scale) in [
        (vec![at(0.0, 1.0); 100], 0),
        (vec![at(2.7e5, 1.0); 100], 1),
        (vec![at(-6e5, 1.0); 100], 2),
        (vec![at(0.0, 9e5); 100], 2),
        (vec![infinite; 100], 0),
        (vec![at(1e30, 1e29); 100], 0),
        ([vec![at(0.0, 1.0); 900], vec![at(1e6, 1.0); 64]].concat(), 0),
        ([vec![at(0.0, 1.0); 900], vec![at(1e6, 1.0); 65]].concat(), 2),
        ([vec![at(0.0, 1.0); 900], vec![at(1e6, 1.0); 65], vec![infinite; 900]].concat(), 2),
        ([vec![at(0.0, 1.0); 9000], vec![at(1e6, 1.0); 65]].concat(), 0),
        ([vec![at(1e6, 1.0); 9000], vec![at(1e9, 1.0); 65]].concat(), 2),
        (vec![at(1.8e19, 1.0); 100], 46),
    ] {
        let reaching = grid.reaching_most(&SizeCounts::of(columns(&boxes).into_iter()), 64);
        assert_eq!(reaching.scale, scale, "{:?} and {} more", boxes[0], boxes.len() - 1);
        assert_eq!(reaching.reach(), grid.reach() * 2.0_f32.powi(scale.into()));
        assert_eq!(
            reaching.plain().loose_bounds(Cell::SMALLEST, Span::ONE),
            grid.loose_bounds(Cell::SMALLEST, Span::ONE)
        );
    }
}

#[test]
fn far_objects_are_reached_if_cells_stay_small_beside_the_world() {
    let grid = Grid::new(1.0 / 64.0, 3.0);
    let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
    for (size, far, scale) in [
        (1e5, [1e5, 1e5], 0),
        (1e5, [3e5, 3e5], 1),
        (1e5, [1e7, 3e5], 6),
        (1e5, [6e7, 0.0], 0),
        // The one that is too far does not keep the other out.
        (1e5, [6e7, 3e5], 1),
        (1e5, [1e6, 1e30], 2),
        (1e3, [3e5, 0.0], 0),
        (3e3, [3e5, 0.0], 1),
        (1e5, [1e30, 0.0], 0),
    ] {
        let place = |lane: usize| far.get(lane).copied().unwrap_or(size * lane as f32 / 7.0);
        let boxes = Boxes::gather(|lane| at(place(lane)));
        let sizes = SizeCounts::of([boxes].into_iter());
        let world = Aabb::new(Vec3::ZERO, Vec3::new(size, 0.0, 0.0));
        assert_eq!(grid.reaching_more(&sizes, &world).scale, scale, "{size}, far objects at {far:?}");
    }
    let boxes = Boxes::gather(|lane| at(3e5 * lane as f32));
    let strict = Grid::new(1.0 / 64.0, 1.0);
    let world = Aabb::new(Vec3::ZERO, Vec3::splat(1e5));
    assert_eq!(
        strict.reaching_more(&SizeCounts::of([boxes].into_iter()), &world).scale,
        0,
        "an octant's place is its own"
    );
    assert_eq!(grid.reaching_more(&SizeCounts::of([Boxes::EMPTY].into_iter()), &Aabb::EMPTY).scale, 0);
}

#[cfg(feature = "serde")]
#[test]
fn a_grid_is_restored_with_its_reach_if_that_is_legal() {
    for (base, scales) in [(40, -100..=0), (-40, -20..=80)] {
        let plain = Grid::new(2.0_f32.powi(base), 3.0);
        for scale in i8::MIN..=i8::MAX {
            let restored = plain.restored(&Grid { scale, ..plain });
            assert_eq!(restored.is_some(), scales.contains(&scale), "2^{base}, {scale}");
        }
    }
    let plain = Grid::new(0.5, 3.0);
    for (scale, legal) in [
        (0, true),
        (5, true),
        (41, true),
        (42, false),
        (127, false),
        (-9, true),
        (-59, true),
        (-60, false),
        (-128, false),
    ] {
        let restored = plain.restored(&Grid { scale, ..plain });
        assert_eq!(restored.is_some(), legal, "{scale}");
        if let Some(grid) = restored {
            assert_eq!(grid.reach(), plain.scaled(scale).reach());
        }
    }
}

#[test]
fn the_smallest_cell_is_halved_until_leaves_can_divide() {
    let (grid, leaves) = (Grid::new(1.0 / 64.0, 3.0), 1000.0);
    let at = |low: f32, edge: f32| {
        let bounds = Aabb::new(Vec3::splat(low), Vec3::splat(low + edge));
        grid.resolving(&bounds, &bounds, leaves)
    };
    for (low, edge, scale) in [(0.0, 10.0, 0), (0.0, 9.9, -1), (-0.5, 1.0, -4), (0.0, 1e-6, -24), (0.0, 0.0, 0)] {
        assert_eq!(at(low, edge).scale, scale, "{edge}");
        let parts = at(low, edge).unit * 64.0 / edge;
        assert!(edge == 0.0 || parts <= 0.1, "{parts} of the world in a cell of level 6");
    }
    // Cells reach 64 times as far as what is there.
    assert_eq!((at(2000.0, 1.0).scale, at(4000.0, 1.0).scale, at(5000.0, 1.0).scale), (-2, -1, 0));
    let flat = Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(grid.resolving(&flat, &flat, leaves).scale, -5, "of a plane, the thousandth part is shorter");
    let strict = Grid::new(1.0 / 64.0, 1.0);
    assert_eq!(strict.resolving(&flat, &flat, leaves).scale, 0, "an octant's place is its own");
}
