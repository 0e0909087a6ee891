mod reach;

use super::*;

/// What worlds of different shapes take, in smallest cells.
const WORLDS: [IVec3; 6] = [
    IVec3::ONE,
    IVec3::new(1 << 12, 1 << 12, 16),
    IVec3::new(700, 3, 900),
    IVec3::new(1, 5000, 1),
    IVec3::new(1 << 20, 1 << 9, 1),
    IVec3::new(3, 1, 1 << 24),
];

/// Grids of all widths and many levels, some of them grown.
fn grids(base: f32, looseness: f32) -> impl Iterator<Item = Grid> {
    let shaped = WORLDS.into_iter().map(move |cells| {
        let mut grid = Grid { levels: Levels::fitted(cells), ..Grid::new(base, looseness) };
        if cells.x == 700 {
            let point = Vec3::new(2.0, 1e3, -1e4) * base;
            grid.grow(Cell { min: IVec3::ZERO, level: 3 }, &Aabb::new(point, point));
        }
        grid
    });
    shaped.flat_map(|grid| (0..WIDENING_STEPS * 3).map(move |steps| grid.widened(steps)))
}

/// The cell of a level that a placeable centre lies in, of cells aligned to their edges.
fn cell_of(grid: &Grid, center: Vec3, level: u32) -> Cell {
    let edges = IVec3::from(grid.levels.log2_sizes(level).map(u32::cast_signed));
    Cell { min: (grid.smallest_at(center) >> edges) << edges, level }
}

#[test]
fn keys_are_octants_from_the_top_down() {
    for grid in grids(1.0, 2.0) {
        for center in [Vec3::new(-7.5, 0.5, 7.5), Vec3::new(3.0, -1500.0, 2.5), Vec3::new(100.7, 33.0, -4.0)] {
            for level in [1, 4, 5, 8, 9, 10, 11, 13, 20] {
                let root = cell_of(&grid, center, level);
                let mut cell = root;
                let mut key = 0;
                while cell.level > key_floor(level) {
                    let octant = grid.octant(cell, center);
                    #[expect(clippy::cast_possible_truncation, reason = "an octant")]
                    let bits = octant as u32;
                    key = key << 3 | bits;
                    cell = grid.child(cell, octant);
                    assert!(grid.region(cell, Span::ONE).contains_point(center));
                }
                assert_eq!(grid.morton_key(root, &grid.key_order(root), center), key, "{grid:?} {root:?}");
            }
        }
    }
}

#[test]
fn the_octants_of_a_cell_tile_it_and_spans_are_their_unions() {
    for grid in grids(1.0, 2.0) {
        for level in [1, 2, 5, 6, 9] {
            let cell = cell_of(&grid, Vec3::new(5.0, -77.0, 12_345.0), level);
            let whole = grid.region(cell, Span::ONE);
            for octant in 0..8 {
                let child = grid.child(cell, octant);
                assert!(grid.octant_of(cell, child.min) == octant && grid.is_within(child, cell));
                assert!(!grid.is_within(child, grid.child(cell, octant ^ 1)) && !grid.is_within(cell, child));
            }
            let octants: Vec<Aabb> = (0..8).map(|octant| grid.region(grid.child(cell, octant), Span::ONE)).collect();
            assert_eq!(octants.iter().fold(Aabb::EMPTY, |all, octant| all.union(octant)), whole);
            let volume = |aabb: &Aabb| aabb.extents().as_dvec3().element_product();
            assert_eq!(octants.iter().map(volume).sum::<f64>(), volume(&whole));
            for (a, b) in octants.iter().flat_map(|a| octants.iter().map(move |b| (a, b))) {
                let shared = Aabb { min: a.min.max(b.min), max: a.max.min(b.max) };
                assert!(a == b || (shared.max - shared.min).min_element() <= 0.0, "{grid:?}");
            }
            for (span, base) in [(Span::TWO, 0), (Span::TWO, 6), (Span::FOUR, 0), (Span::FOUR, 4)] {
                let region = grid.region(grid.child(cell, base), span);
                let parts = octants[base..base + span.len()].iter();
                assert_eq!(region, parts.fold(Aabb::EMPTY, |all, octant| all.union(octant)));
            }
        }
    }
}

#[test]
fn regression_centers_just_below_a_boundary_when_scaling_underflows() {
    for grid in grids((1_u64 << 40) as f32, 2.0) {
        assert_eq!(grid.smallest_at(Vec3::splat(-1e-40)), IVec3::splat(-1));
        assert_eq!(grid.smallest_at(Vec3::splat(1e-40)), IVec3::ZERO);
    }
}

#[test]
fn a_center_lies_in_its_smallest_cell_up_to_the_reach() {
    for grid in (0..=u8::MAX).map(|steps| Grid::new(0.25, 2.0).widened(steps)) {
        let mut x = 1e-3;
        while x < grid.reach() {
            for center in [x, -x, x.next_down(), -x.next_down()] {
                let place = grid.smallest_at(Vec3::splat(center));
                let (low, high) = (grid.corner(place).x, grid.corner(place + 1).x);
                assert!(low <= center && center < high, "{center} in {low} to {high}, {grid:?}");
            }
            // Onto boundaries, and then anywhere.
            x = if x.to_bits() & 1 == 0 { grid.corner(grid.smallest_at(Vec3::splat(x)) + 1).x } else { x * 1.037 };
            x = f32::from_bits(x.to_bits() + 1);
        }
    }
}

#[test]
fn even_worlds_of_any_shape_fill_their_leaves_and_their_nodes() {
    for (count, size) in [
        (10_000, Vec3::splat(34.0)),
        (100_000, Vec3::splat(73.7)),
        (100_000, Vec3::new(2408.0, 16.8, 2408.0)),
        (10_000, Vec3::new(761.0, 761.0, 17.0)),
        (30_000, Vec3::new(500.0, 1000.0, 3.0)),
        (1_000, Vec3::new(1e5, 0.0, 0.0)),
        (7_000, Vec3::new(1.0, 20.0, 3e4)),
    ] {
        let centers = Aabb::new(Vec3::ZERO, size);
        let grid = Grid::new(1.0 / 64.0, 2.0).fitted(&centers, count, 44.0);
        let held = |level| {
            let part = (grid.levels.sizes(level).as_vec3() * grid.unit / size).min(Vec3::ONE);
            count as f32 * part.x * part.y * part.z
        };
        let leaf = (0..LEVEL_MAX).take_while(|&level| held(level) <= 44.0).last().unwrap();
        assert!(held(leaf) > 38.0, "{} of {count} in {size}", held(leaf));
        let height = grid.cell_around(&centers).level - leaf;
        let least = (count as f32 / 44.0).log2() / 3.0;
        assert!((height as f32) < least + 1.5, "{height} levels for {least} in {size}");
    }
}

#[test]
fn worlds_that_cannot_be_filled_keep_their_width() {
    let grid = Grid::new(1.0 / 64.0, 2.0);
    let at = |size: f32, count| grid.fitted(&Aabb::new(Vec3::ZERO, Vec3::splat(size)), count, 44.0);
    assert_eq!(at(1e3, 44).widening, 0, "all fit one leaf");
    assert_eq!(at(0.0, 1000).widening, 0, "no cell is small enough");
    let flat = Aabb::new(Vec3::ZERO, Vec3::new(340.0, 340.0, 1.0));
    let strict = Grid::new(1.0, 1.0).fitted(&flat, 10_000, 44.0);
    assert_eq!((strict.widening, strict.levels), (0, Levels::cubes()), "an octant's place is its own");
}

#[cfg(feature = "serde")]
#[test]
fn a_strict_grid_is_restored_with_cubes_alone() {
    let flat = Levels::fitted(IVec3::new(900, 900, 2));
    for (looseness, levels, widening, legal) in [
        (2.0, flat, 77, true),
        (1.0, Levels::cubes(), 0, true),
        (1.0, Levels::cubes(), 1, false),
        (1.0, flat, 0, false),
    ] {
        let (plain, other) = (Grid::new(0.5, looseness), Grid { levels, widening, ..Grid::new(1.0, 1.5) });
        let restored = plain.restored(&other);
        assert_eq!(restored.is_some(), legal);
        if let Some(grid) = restored {
            let cell = Cell { min: IVec3::new(-3, 5, 1 << 20), level: 5 };
            let same = Grid { levels, ..plain }.widened(widening);
            assert_eq!(grid.loose_bounds(cell, Span::TWO), same.loose_bounds(cell, Span::TWO));
        }
    }
}

#[test]
fn cells_with_the_edge_needed_hold_a_box() {
    for grid in grids(0.5, 1.5) {
        for (size, far) in [0.0, 0.3, 1.0, 3.9, 4.0, 100.0, 1e6].into_iter().flat_map(|s| [(s, -7.3), (s, 7e6)]) {
            let mut boxes = Boxes::EMPTY;
            for lane in 0..8 {
                let low = Vec3::splat(far + lane as f32 * 2.1);
                boxes.set(lane, &Aabb::new(low, low + size));
            }
            for (lane, edge) in grid.edges_needed(&boxes).into_iter().enumerate() {
                let aabb = boxes.get(lane);
                for level in (0..=LEVEL_MAX).filter(|&level| grid.longest_edge(level) >= edge) {
                    assert!(grid.holds(cell_of(&grid, aabb.center(), level), &aabb), "{aabb:?} at level {level}");
                }
            }
        }
    }
}

#[test]
fn eight_keys_at_once_are_the_scalar_ones() {
    let mut boxes = Boxes::EMPTY;
    let same = |grid: &Grid, cell: Cell, boxes: &Boxes, lanes: usize| {
        let (keys, order) = (grid.key_maker(cell).keys(boxes), grid.key_order(cell));
        for (lane, key) in keys.into_iter().enumerate().take(lanes) {
            let center = boxes.get(lane).center();
            assert_eq!(key, grid.morton_key(cell, &order, center), "{grid:?} {center:?}");
        }
    };
    for grid in [-40, -2, 0, 40].into_iter().flat_map(|power| grids(2.0_f32.powi(power), 2.0)) {
        let cell = grid.cell_around(&Aabb::new(Vec3::splat(-grid.reach()), Vec3::splat(grid.reach().next_down())));
        let far = IVec3::splat(grid.cells_max() - 1);
        for place in [IVec3::ZERO, IVec3::ONE, IVec3::new(-1, 77, -12_345), far, -far] {
            let boundary = grid.corner(place);
            let beside = |step: fn(f32) -> f32| Vec3::from_array(boundary.to_array().map(step));
            let tiny = Vec3::splat(1e-40);
            let points = [boundary, beside(f32::next_up), beside(f32::next_down), tiny, -tiny, boundary * 0.5];
            for (lane, point) in points.into_iter().enumerate() {
                boxes.set(lane, &Aabb::new(point, point));
            }
            same(&grid, cell, &boxes, points.len());
        }
    }
    for grid in grids(0.25, 2.0) {
        for level in [1, 4, 9, 10, 13] {
            let cell = cell_of(&grid, Vec3::ZERO, level);
            for step in 0..20 {
                for lane in 0..8 {
                    let t = (step * 8 + lane) as f32;
                    let center = Vec3::new((t * 0.77).sin(), (t * 1.31).cos(), (t * 0.13).sin()) * 1023.9;
                    boxes.set(lane, &Aabb::new(center - 0.1, center + 0.1));
                }
                same(&grid, cell, &boxes, 8);
            }
        }
    }
}

#[test]
fn grown_cells_reach_any_box() {
    for looseness in [1.0, 1.25, 2.0] {
        let worlds = if looseness == 1.0 { &WORLDS[..1] } else { &WORLDS };
        for (world, level) in worlds.iter().flat_map(|world| [0, 2, 5].map(|level| (world, level))) {
            for center in [Vec3::new(8e6, -8e6, 3.0), Vec3::new(0.1, 0.1, -7.9e6), Vec3::new(-70.0, 1e4, 0.0)] {
                for half in [Vec3::ONE, Vec3::new(1e-3, 4e6, 12.0), Vec3::splat(4.1e6)] {
                    let mut grid = Grid { levels: Levels::fitted(*world), ..Grid::new(0.5, looseness) };
                    let far = Aabb::from_center_half_extents(center, half);
                    let mut cell = Cell { min: IVec3::ZERO, level };
                    while !grid.holds(cell, &far) {
                        let (parent, octant) = grid.grow(cell, &far);
                        assert_eq!(grid.child(parent, octant), cell);
                        assert!(grid.region(parent, Span::ONE).contains(&grid.region(cell, Span::ONE)));
                        cell = parent;
                    }
                    assert!(cell.level <= LEVEL_MAX);
                    assert!(grid.levels.log2_sizes(LEVEL_MAX).iter().all(|&edge| edge == LEVEL_MAX));
                }
            }
        }
    }
}

/// Where growth did not look how far a cell reached already, one more was needed each time.
#[test]
fn regression_cells_that_grow_towards_one_corner_after_the_other_hold_all_in_the_end() {
    for (world, looseness) in WORLDS.iter().flat_map(|world| [1.0, 1.0001, 2.0].map(|looseness| (world, looseness))) {
        let levels = if looseness == 1.0 { Levels::cubes() } else { Levels::fitted(*world) };
        for (steps, first) in [0, 40, u8::MAX].into_iter().flat_map(|steps| (0..8_u32).map(move |first| (steps, first)))
        {
            let steps = if looseness == 1.0 { 0 } else { steps };
            let mut grid = Grid { levels, ..Grid::new(0.5, looseness) }.widened(steps);
            let mut cell = Cell { min: IVec3::splat(-16), level: 2 };
            for step in 0..24 {
                // Corners in an order of which each step turns back along some axes.
                let corner = (step * 3 + first) % 8;
                let far = |axis: u32| if corner >> axis & 1 == 1 { grid.reach() } else { -grid.reach() };
                let center = Vec3::new(far(0), far(1), far(2)) * if step < 6 { 0.2 } else { 0.999 };
                let half = if step % 3 == 0 { Vec3::ONE } else { Vec3::splat(grid.reach() * 0.499) };
                let aabb = Aabb::from_center_half_extents(center, half);
                assert!(grid.is_placeable(&aabb));
                while !grid.holds(cell, &aabb) {
                    assert!(cell.level < LEVEL_MAX, "{grid:?} {aabb:?}");
                    (cell, _) = grid.grow(cell, &aabb);
                }
            }
        }
    }
}

#[test]
fn a_flat_world_grows_upwards_alone() {
    let mut grid = Grid { levels: Levels::fitted(IVec3::new(1024, 1024, 4)), ..Grid::new(1.0, 2.0) };
    let point = Vec3::new(500.0, 500.0, 30.0);
    let cell = grid.cell_around(&Aabb::new(Vec3::ZERO, Vec3::new(1023.0, 1023.0, 3.0)));
    let sizes = grid.levels.sizes(cell.level);
    assert!(sizes.z < sizes.x);
    let (parent, octant) = grid.grow(cell, &Aabb::new(point, point));
    let grown = grid.levels.sizes(parent.level);
    assert_eq!((grown.x, grown.y), (sizes.x, sizes.y));
    assert_eq!(grid.child(parent, octant), cell);
    assert_eq!(grown.z, 8 * sizes.z);
}

#[test]
fn cell_around_prefers_aligned_cells() {
    let grid = Grid::new(1.0, 1.0);
    let around = |low: f32, high: f32| grid.cell_around(&Aabb::new(Vec3::splat(low), Vec3::splat(high)));
    assert_eq!(around(0.5, 7.5), Cell { min: IVec3::ZERO, level: 3 });
    assert_eq!(around(-50.0, 49.0), Cell { min: IVec3::splat(-64), level: 7 });
    assert_eq!(around(3.5, 3.5), Cell { min: IVec3::splat(3), level: 0 });
}
