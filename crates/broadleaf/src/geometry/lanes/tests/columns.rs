//! Columns of eight: reading, writing, uniting, and what cells hold of them.

use super::*;

#[test]
fn lanes_are_replaced_where_asked() {
    let mut numbers = Numbers(12);
    let query = FrustumQuery::new(&numbers.frustum());
    let ((_, one), (_, other)) = (numbers.boxes(), numbers.boxes());
    let (before, new) = (query.boxes(&one, ALL_PLANES), query.boxes(&other, ALL_PLANES));
    let mut lanes = query.boxes(&one, ALL_PLANES);
    lanes.replace(0b0101_0011, &new);
    for lane in 0..WIDTH {
        let from = if 0b0101_0011 >> lane & 1 == 1 { &new } else { &before };
        assert_eq!(lanes.planes_of(lane), from.planes_of(lane));
    }
}

#[test]
fn words_with_common_bits() {
    both_ways(13, |numbers| {
        let words = [0; WIDTH].map(|_| numbers.bits() & numbers.bits() & numbers.bits());
        let bits = 1 << numbers.below(32) | 1 << numbers.below(32) | 1 << numbers.below(32);
        let mask = any_bit(&words, bits);
        assert_eq!(mask, lanes_where(|lane| words[lane] & bits != 0));
        mask
    });
    assert_eq!(any_bit(&[u32::MAX; WIDTH], 0), 0);
    assert_eq!(any_bit(&[u32::MAX; WIDTH], 1 << 31), 0xff);
}

#[test]
fn words_equal_and_limited() {
    both_ways(27, |numbers| {
        let words = [0; WIDTH].map(|_| [numbers.below(3), u32::MAX - numbers.below(3)][numbers.below(2) as usize]);
        for word in [0, 1, 2, u32::MAX - 2, u32::MAX - 1, u32::MAX] {
            assert_eq!(unequal(&words, word), lanes_where(|lane| words[lane] != word));
            assert_eq!(at_most(&words, word), lanes_where(|lane| words[lane] <= word));
        }
        at_most(&words, 2)
    });
}

#[test]
fn boxes_are_gathered_and_blended() {
    let mut numbers = Numbers(28);
    for _ in 0..ROUNDS {
        let ((each, boxes), (others, _)) = (numbers.boxes(), numbers.boxes());
        assert_eq!(Boxes::gather(|lane| each[lane]).to_bits(), boxes.to_bits());
        let lanes = numbers.bits().to_le_bytes()[0];
        let blended = boxes.blended(lanes, &Boxes::gather(|lane| others[lane]));
        let expected = |lane: usize| if lanes >> lane & 1 == 1 { others[lane] } else { each[lane] };
        assert_eq!(blended.to_bits(), Boxes::gather(expected).to_bits());
    }
}

#[test]
fn the_centre_within_bounds_is_that_of_the_next_lane_in_turns() {
    let (mut numbers, mut found) = (Numbers(30), 0);
    for _ in 0..ROUNDS {
        let ((each, boxes), bounds, from) = (numbers.boxes(), numbers.aabb(), numbers.below(70));
        let centers = (0..WIDTH).map(|lane| each[(from as usize + lane) % WIDTH].center());
        let is_within = |&center: &Vec3| center.cmpge(bounds.min).all() && center.cmple(bounds.max).all();
        let expected: Vec<Vec3> = centers.filter(is_within).collect();
        assert_eq!(center_within(&boxes, &bounds, from), expected.first().copied());
        found += usize::from(expected.len() > 1);
    }
    assert!(found > 100, "{found} with a choice");
}

#[test]
fn a_list_of_boxes_is_legal_if_each_is() {
    let mut numbers = Numbers(29);
    let faults = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
    let mut legal = [0, 0];
    for _ in 0..ROUNDS {
        let (mut boxes, _) = numbers.boxes();
        let (at, axis) = (numbers.below(8) as usize, numbers.below(3) as usize);
        let side = if numbers.below(2) == 0 { &mut boxes[at].min } else { &mut boxes[at].max };
        side[axis] = faults[numbers.below(5) as usize];
        let expected = boxes.iter().all(|aabb| aabb.check().is_ok());
        assert_eq!(Boxes::all_legal(&boxes), expected);
        legal[usize::from(expected)] += 1;
    }
    assert!(legal.iter().all(|&count| count > 100) && Boxes::all_legal(&[]));
}

#[test]
fn union_and_extents() {
    let mut numbers = Numbers(14);
    for _ in 0..ROUNDS {
        let (mut each, mut boxes) = numbers.boxes();
        for (lane, aabb) in each.iter_mut().enumerate() {
            if numbers.below(3) == 0 {
                *aabb = Aabb::EMPTY;
                boxes.clear(lane);
            }
        }
        // By value: of two zeros with different signs either is the lesser.
        assert_eq!(boxes.union(), each.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb)));
        let extent = |aabb: &Aabb| {
            let [x, y, z] = [0, 1, 2].map(|axis| overlap::max(aabb.max[axis] - aabb.min[axis], 0.0));
            (x + y) + z
        };
        let expected: f32 = each.iter().map(extent).sum();
        assert_eq!(boxes.extent_sum().to_bits(), expected.to_bits());
    }
    assert_eq!((Boxes::EMPTY.union(), Boxes::EMPTY.extent_sum()), (Aabb::EMPTY, 0.0));
}

#[test]
fn clamped_boxes_are_finite() {
    let mut numbers = Numbers(15);
    for _ in 0..100 {
        let (mut each, mut boxes) = numbers.boxes();
        for (lane, aabb) in each.iter_mut().enumerate() {
            aabb.min[numbers.below(3) as usize] = f32::NEG_INFINITY;
            aabb.max[numbers.below(3) as usize] = f32::INFINITY;
            boxes.set(lane, aabb);
        }
        let clamped = boxes.clamped_to_finite();
        for (lane, aabb) in each.iter().enumerate() {
            assert_eq!(clamped.get(lane), aabb.clamped_to_finite());
        }
    }
}

/// The edge of a cell, and how many edges an object may be long.
fn random_edges(numbers: &mut Numbers) -> (f32, f32) {
    ([0.5, 1.0, 4.0][numbers.below(3) as usize], [0.0, 0.5, 1.0, 8.0][numbers.below(4) as usize])
}

#[test]
fn loose_cells_hold_what_their_axes_hold() {
    both_ways(16, |numbers| {
        let low = Vec3::from_array([0; 3].map(|_| numbers.lattice()));
        let (edge, edges_max) = random_edges(numbers);
        let (high, edge_max) = (low + edge, edge * edges_max);
        let cell = LooseCell::new(low, high, edge_max, 0.1 * edge_max);
        lanes_where(|_| {
            let min = low + Vec3::from_array([0; 3].map(|_| numbers.lattice() * 0.25 * edge));
            let mut aabb = Aabb::new(min, min + edge * 0.125 * numbers.lattice().abs());
            if numbers.below(8) == 0 {
                aabb = numbers.aabb();
            }
            if numbers.below(16) == 0 {
                aabb.max[numbers.below(3) as usize] = f32::INFINITY;
            }
            let center = aabb.center();
            let expected = (0..3).all(|axis| {
                center[axis] >= low[axis]
                    && center[axis] < high[axis]
                    && (aabb.max[axis] - aabb.min[axis] <= edge_max
                        || aabb.min[axis] >= low[axis] && aabb.max[axis] <= high[axis])
            });
            assert_eq!(cell.holds(&aabb), expected, "{cell:?} {aabb:?}");
            expected
        })
    });
}

#[test]
fn loose_cells_keep_lanes_as_they_keep_boxes() {
    both_ways(16, |numbers| {
        let low = Vec3::from_array([0; 3].map(|_| numbers.lattice()));
        let (edge, edges_max) = random_edges(numbers);
        let cell = LooseCell::new(low, low + edge, edge * edges_max, edge * edges_max.min(1.0) * 0.125);
        let mut boxes = Boxes::EMPTY;
        for lane in 0..WIDTH {
            let min = low + Vec3::from_array([0; 3].map(|_| numbers.lattice() * 0.125 * edge));
            boxes.set(lane, &Aabb::new(min, min + edge * 0.125 * numbers.lattice().abs()));
        }
        let kept = cell.keeps_lanes(&boxes);
        lanes_where(|lane| {
            assert_eq!(kept >> lane & 1 == 1, cell.keeps(&boxes.get(lane)), "{cell:?} {:?}", boxes.get(lane));
            cell.keeps(&boxes.get(lane))
        })
    });
}
