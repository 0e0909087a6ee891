//! Volumes, sweeps and distances: lanes say what the scalar tests say, or err
//! on the side that they promise.

use super::*;
use crate::geometry::{Capsule, Obb, Sweep};
use glam::Quat;

fn obb(numbers: &mut Numbers) -> Obb {
    let half = Vec3::from_array([0; 3].map(|_| if numbers.below(4) == 0 { 0.0 } else { numbers.signed().abs() * 4.0 }));
    let rotation = match numbers.below(4) {
        0 => Quat::IDENTITY,
        1 => Quat::from_xyzw(0.0, 0.0, 1.0, 1.0),
        _ => Quat::from_xyzw(numbers.signed(), numbers.signed(), numbers.signed(), numbers.signed() + 0.01),
    };
    Obb::new(numbers.point(), half, rotation).expect("legal")
}

#[test]
fn oriented_box_and_boxes() {
    both_ways(20, |numbers| {
        let ((each, boxes), obb) = (numbers.boxes(), obb(numbers));
        let mask = ObbQuery::new(&obb).boxes(&boxes);
        assert_eq!(mask, lanes_where(|lane| obb.overlaps_aabb(&each[lane])), "{obb:?} {each:?}");
        mask
    });
}

#[test]
fn an_oriented_box_in_a_lane_is_in_the_union() {
    let mut numbers = Numbers(21);
    for _ in 0..ROUNDS {
        let ((each, _), obb) = (numbers.boxes(), obb(&mut numbers));
        let all = each.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
        assert!(obb.overlaps_aabb(&all) || !each.iter().any(|aabb| obb.overlaps_aabb(aabb)), "{obb:?} {each:?}");
    }
}

#[test]
fn capsule_and_boxes() {
    both_ways(22, |numbers| {
        let ((each, boxes), ends) = (numbers.boxes(), [numbers.point(), numbers.point()]);
        let capsule = Capsule::new(ends[0], ends[1], numbers.sphere().radius).expect("legal");
        let mask = CapsuleQuery::new(&capsule).boxes(&boxes);
        let exact = lanes_where(|lane| capsule.overlaps_aabb(&each[lane]));
        assert_eq!(exact & !mask, 0, "{capsule:?} {each:?}");
        exact
    });
}

#[test]
fn sweep_and_boxes() {
    both_ways(23, |numbers| {
        let (each, boxes) = numbers.boxes();
        let motion = if numbers.below(4) == 0 { numbers.ray().direction() * 8.0 } else { numbers.point() };
        let sweep = if numbers.below(2) == 0 {
            Sweep::aabb(numbers.aabb(), motion)
        } else {
            Sweep::sphere(numbers.sphere(), motion)
        };
        let sweep = sweep.expect("legal");
        let limit = [1.0, 1.0, 0.5, 0.0][numbers.below(4) as usize];
        let (mask, times) = SweepQuery::new(&sweep.start(), motion).boxes(&boxes, limit);
        lanes_where(|lane| {
            let time = sweep.time_to_aabb(&each[lane]).filter(|time| *time <= limit);
            if let Some(time) = time {
                let known = mask >> lane & 1 == 1 && times[lane] <= time;
                assert!(known, "{sweep:?} {:?}: {time}, in lanes {}", each[lane], times[lane]);
            }
            time.is_some()
        })
    });
}

#[test]
fn distances_from_a_box() {
    let mut numbers = Numbers(24);
    for _ in 0..ROUNDS {
        let ((each, boxes), (balls, spheres), from) = (numbers.boxes(), numbers.spheres(), numbers.aabb());
        let query = NearQuery::new(&from);
        // A limit that none reaches, so that all are exact.
        let limit = f32::INFINITY;
        let (mask, of_boxes) = query.boxes(&boxes, limit);
        assert_eq!(query.boxes(&boxes, 4.0).0, lanes_where(|lane| of_boxes[lane] <= 4.0));
        let of_spheres = query.spheres(&spheres);
        for lane in 0..WIDTH {
            let of_box = overlap::aabb_distance(&each[lane], &from);
            assert_eq!((of_boxes[lane].to_bits(), mask >> lane & 1 == 1), (of_box.to_bits(), of_box <= limit));
            let of_ball = overlap::aabb_sphere_distance(&from, &balls[lane]);
            assert_eq!(of_spheres[lane].to_bits(), of_ball.to_bits());
        }
    }
}

#[test]
fn planes_and_boxes_and_spheres() {
    both_ways(25, |numbers| {
        let ((each, boxes), (balls, spheres)) = (numbers.boxes(), numbers.spheres());
        // Some beyond the number that is inherited.
        let count = [0, 1, 4, 70][numbers.below(4) as usize];
        let planes: Vec<Plane> = (0..count).map(|_| numbers.frustum().planes()[0]).collect();
        let planes: Vec<Plane> = planes.iter().map(|plane| Plane { offset: plane.offset + 6.0, ..*plane }).collect();
        let lanes = planes_and_boxes(&planes, &boxes, u64::MAX);
        let of_spheres = planes_and_spheres(&planes, &spheres);
        for lane in 0..WIDTH {
            let seen = |lanes: &ConvexLanes| {
                let cut = if lanes.is_cut(lane) { Containment::Intersecting } else { Containment::Inside };
                (lanes.visible >> lane & 1 == 1).then_some(cut)
            };
            assert_eq!(seen(&lanes), overlap::planes_aabb(&planes, &each[lane]));
            assert_eq!(seen(&of_spheres), overlap::planes_sphere(&planes, &balls[lane]));
            if lanes.visible >> lane & 1 == 1 {
                // What a box is in front of, its contents need not be tested against.
                let again = planes_and_boxes(&planes, &boxes, lanes.planes_of(lane));
                assert_eq!(seen(&again), seen(&lanes));
            }
        }
        lanes.visible
    });
}
