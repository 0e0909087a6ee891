//! Each lane gives the result of the scalar test, bit for bit.

use super::*;
use crate::geometry::{Containment, Frustum, Plane, Ray, overlap};
use crate::{Aabb, Sphere};
use glam::Vec3;

mod columns;
mod volumes;

const ROUNDS: u32 = 4_000;

/// A linear congruential generator.
///
/// *Source:* D. E. Knuth, The Art of Computer Programming, volume 2, 3.3.4 (the multiplier of MMIX).
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 32).expect("32 bits")
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.bits() >> 8) % limit
    }

    /// From -1 to 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    fn signed(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / 8_388_608.0 - 1.0
    }

    /// Ordinary, on a lattice so that values meet, or special.
    fn coordinate(&mut self) -> f32 {
        const SPECIAL: [f32; 14] = [
            0.0,
            -0.0,
            1e-40,
            -1e-40,
            f32::MIN_POSITIVE,
            -f32::MIN_POSITIVE,
            1e-20,
            1e18,
            -1e18,
            1e30,
            -1e30,
            f32::MAX,
            f32::MIN,
            16_777_216.0,
        ];
        match self.below(7) {
            0..=2 => self.signed() * 10.0,
            3..=5 => self.lattice(),
            _ => SPECIAL[self.below(14) as usize],
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "small")]
    fn lattice(&mut self) -> f32 {
        self.below(9) as f32 * 0.5 - 2.0
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.coordinate(), self.coordinate(), self.coordinate())
    }

    /// A finite box: of any extent, or none on some axes.
    fn aabb(&mut self) -> Aabb {
        let (a, mut b) = (self.point(), self.point());
        for axis in 0..3 {
            if self.below(5) == 0 {
                b[axis] = a[axis];
            }
        }
        Aabb::new(a.min(b), a.max(b))
    }

    fn sphere(&mut self) -> Sphere {
        let radius = [0.0, 0.5, 1.0, 1e-40, 1e-20, 1e6, Sphere::RADIUS_MAX][self.below(7) as usize];
        let radius = if self.below(2) == 0 { radius } else { self.signed().abs() * 4.0 };
        Sphere::new(self.point(), radius)
    }

    fn ray(&mut self) -> Ray {
        let mut direction = match self.below(3) {
            // Along an axis, or with a component that is next to nothing.
            0 => {
                const SLIGHT: [f32; 6] = [0.0, -0.0, 1e-40, -1e-20, 1.0, -1.0];
                Vec3::from_array([0; 3].map(|_| SLIGHT[self.below(6) as usize]))
            }
            1 => Vec3::from_array([0; 3].map(|_| self.lattice())),
            _ => Vec3::from_array([0; 3].map(|_| self.signed())),
        };
        if direction == Vec3::ZERO {
            direction = Vec3::NEG_Z;
        }
        let ray = Ray::new(self.point(), direction).expect("finite and directed");
        let reach = [0.0, 1.0, 4.0, 1e30, f32::INFINITY][self.below(5) as usize];
        ray.with_distance_max(reach).expect("not negative")
    }

    fn frustum(&mut self) -> Frustum {
        let planes = [0; 6].map(|_| {
            let axis = [Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::new(-0.0, 0.0, -1.0)][self.below(4) as usize];
            let any = Vec3::new(self.signed(), self.signed(), self.signed());
            let normal = if self.below(2) == 0 { axis } else { any };
            Plane { normal, offset: self.signed() * 8.0 }
        });
        Frustum::from_planes(planes).expect("finite and directed")
    }

    fn boxes(&mut self) -> ([Aabb; WIDTH], Boxes) {
        let each = [0; WIDTH].map(|_| self.aabb());
        let mut boxes = Boxes::EMPTY;
        each.iter().enumerate().for_each(|(lane, aabb)| boxes.set(lane, aabb));
        (each, boxes)
    }

    fn spheres(&mut self) -> ([Sphere; WIDTH], Spheres) {
        let each = [0; WIDTH].map(|_| self.sphere());
        let mut spheres = Spheres::ZERO;
        each.iter().enumerate().for_each(|(lane, sphere)| spheres.set(lane, sphere));
        (each, spheres)
    }
}

/// The lanes whose scalar test says so.
fn lanes_where(mut test: impl FnMut(usize) -> bool) -> LaneMask {
    (0..WIDTH).fold(0, |mask, lane| mask | LaneMask::from(test(lane)) << lane)
}

/// Runs a case many times; checks that it comes out both ways.
fn both_ways(seed: u64, mut case: impl FnMut(&mut Numbers) -> LaneMask) {
    let mut numbers = Numbers(seed);
    let yes: u32 = (0..ROUNDS).map(|_| case(&mut numbers).count_ones()).sum();
    let all = ROUNDS * 8;
    assert!(all / 200 < yes && yes < all - all / 200, "{yes} of {all}");
}

#[test]
fn boxes_and_spheres_are_read_as_they_were_written() {
    let mut numbers = Numbers(1);
    for _ in 0..100 {
        let ((each, boxes), (balls, spheres)) = (numbers.boxes(), numbers.spheres());
        for lane in 0..WIDTH {
            assert_eq!((boxes.get(lane), spheres.get(lane)), (each[lane], balls[lane]));
        }
    }
}

#[test]
fn box_and_box() {
    both_ways(2, |numbers| {
        let ((each, boxes), query) = (numbers.boxes(), numbers.aabb());
        let mask = boxes.overlaps(&BoxQuery::new(&query));
        assert_eq!(mask, lanes_where(|lane| each[lane].overlaps(&query)), "{query:?} {each:?}");
        for (lane, aabb) in each.iter().enumerate() {
            let mask = boxes.overlaps(&BoxQuery::of_lane(&boxes, lane));
            assert_eq!(mask, lanes_where(|other| each[other].overlaps(aabb)));
        }
        mask
    });
}

#[test]
fn box_and_infinite_box() {
    let mut numbers = Numbers(3);
    for _ in 0..ROUNDS {
        let (each, boxes) = numbers.boxes();
        let mut query = numbers.aabb();
        query.min[numbers.below(3) as usize] = f32::NEG_INFINITY;
        query.max[numbers.below(3) as usize] = f32::INFINITY;
        let mask = boxes.overlaps(&BoxQuery::new(&query));
        assert_eq!(mask, lanes_where(|lane| each[lane].overlaps(&query)));
    }
}

#[test]
fn distance_of_a_point_to_a_box() {
    let mut numbers = Numbers(4);
    for _ in 0..ROUNDS {
        let ((each, boxes), point) = (numbers.boxes(), numbers.point());
        let distances = boxes.distance_sq(&point.to_array().map(Lane::splat)).to_array();
        for lane in 0..WIDTH {
            let expected = overlap::aabb_point_distance_sq(&each[lane], point);
            assert_eq!(distances[lane].to_bits(), expected.to_bits(), "{point} {:?}", each[lane]);
        }
    }
}

#[test]
fn sphere_and_boxes() {
    both_ways(5, |numbers| {
        let ((each, boxes), sphere) = (numbers.boxes(), numbers.sphere());
        let mask = SphereQuery::new(&sphere).overlaps_boxes(&boxes);
        assert_eq!(mask, lanes_where(|lane| overlap::aabb_sphere(&each[lane], &sphere)), "{sphere:?} {each:?}");
        mask
    });
}

#[test]
fn box_and_spheres() {
    both_ways(6, |numbers| {
        let ((each, spheres), aabb) = (numbers.spheres(), numbers.aabb());
        let mask = spheres.overlaps_box(&aabb);
        assert_eq!(mask, lanes_where(|lane| overlap::aabb_sphere(&aabb, &each[lane])), "{aabb:?} {each:?}");
        mask
    });
}

#[test]
fn sphere_and_spheres() {
    both_ways(7, |numbers| {
        let ((each, spheres), query) = (numbers.spheres(), numbers.sphere());
        let mask = spheres.overlaps_sphere(&SphereQuery::new(&query));
        assert_eq!(mask, lanes_where(|lane| overlap::sphere_sphere(&each[lane], &query)), "{query:?} {each:?}");
        mask
    });
}

/// Compares what a ray meets and where, bit for bit.
#[track_caller]
fn same_hits(found: (LaneMask, [f32; WIDTH]), expected: impl Fn(usize) -> Option<f32>) -> LaneMask {
    for lane in 0..WIDTH {
        let hit = (found.0 >> lane & 1 == 1).then(|| found.1[lane].to_bits());
        assert_eq!(hit, expected(lane).map(f32::to_bits), "lane {lane}");
    }
    found.0
}

#[test]
fn ray_and_boxes() {
    both_ways(8, |numbers| {
        let ((each, boxes), ray) = (numbers.boxes(), numbers.ray());
        same_hits(RayQuery::boxes_once(&ray, &boxes, ray.distance_max()), |lane| overlap::ray_aabb(&ray, &each[lane]));
        let found = RayQuery::new(&ray).boxes(&boxes, ray.distance_max());
        same_hits(found, |lane| overlap::ray_aabb(&ray, &each[lane]))
    });
}

#[test]
fn segments_and_nearly_parallel_rays_and_boxes() {
    both_ways(12, |numbers| {
        let (each, boxes) = numbers.boxes();
        // Two finite inverses, whose sum is not.
        let slight = Ray::new(each[0].min, Vec3::new(4e-39, 4e-39, -1.0)).expect("finite and directed");
        let segment = Ray::segment(numbers.point(), each[0].max).unwrap_or(slight);
        let mut met = 0;
        for ray in [slight, segment] {
            let half = ray.distance_max() * 0.5;
            for (limit, cut) in [(ray.distance_max(), ray), (half, ray.cut_to(half))] {
                let expected = |lane: usize| overlap::ray_aabb(&cut, &each[lane]);
                same_hits(RayQuery::boxes_once(&ray, &boxes, limit), expected);
                met = same_hits(RayQuery::new(&ray).boxes(&boxes, limit), expected);
            }
        }
        met
    });
}

#[test]
fn ray_and_spheres() {
    both_ways(9, |numbers| {
        let ((each, spheres), ray) = (numbers.spheres(), numbers.ray());
        let found = RayQuery::new(&ray).spheres(&spheres, ray.distance_max());
        same_hits(found, |lane| overlap::ray_sphere(&ray, &each[lane]))
    });
}

#[test]
fn rays_along_faces_and_edges() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let mut boxes = Boxes::EMPTY;
    (0..WIDTH).for_each(|lane| boxes.set(lane, &unit));
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
        for (across, meets) in [(0.0, true), (1.0, true), (0.5, true), (-0.0, true), (-1e-40, false), (1.5, false)] {
            let start = Vec3::select(axis.abs().cmpgt(Vec3::ZERO), axis * -3.0, Vec3::splat(across));
            let ray = Ray::new(start, axis).expect("finite and directed");
            let (mask, _) = RayQuery::new(&ray).boxes(&boxes, ray.distance_max());
            let (mask_once, _) = RayQuery::boxes_once(&ray, &boxes, ray.distance_max());
            let expected = if meets { 0xff } else { 0 };
            assert_eq!((mask, mask_once, overlap::ray_aabb(&ray, &unit).is_some()), (expected, expected, meets));
        }
    }
}

#[test]
fn frustum_and_boxes() {
    both_ways(10, |numbers| {
        let ((each, boxes), frustum) = (numbers.boxes(), numbers.frustum());
        let query = FrustumQuery::new(&frustum);
        let all = query.boxes(&boxes, ALL_PLANES);
        for (lane, aabb) in each.iter().enumerate() {
            let seen = (all.visible >> lane & 1 == 1).then(|| containment(&all, lane));
            assert_eq!(seen, overlap::planes_aabb(frustum.planes(), aabb), "{frustum:?} {aabb:?}");
        }
        for (index, plane) in frustum.planes().iter().enumerate() {
            let one = query.boxes(&boxes, 1 << index);
            let behind = |lane: usize, along| overlap::corner_distance(plane, &each[lane], along) < 0.0;
            assert_eq!(one.visible, lanes_where(|lane| !behind(lane, true)));
            for lane in 0..WIDTH {
                let cut = u8::from(behind(lane, false)) << index;
                assert_eq!((one.planes_of(lane), all.planes_of(lane) & 1 << index), (cut, cut));
            }
        }
        all.visible
    });
}

#[test]
fn frustum_and_spheres() {
    both_ways(11, |numbers| {
        let ((each, spheres), frustum) = (numbers.spheres(), numbers.frustum());
        let lanes = FrustumQuery::new(&frustum).spheres(&spheres);
        for (lane, sphere) in each.iter().enumerate() {
            let seen = (lanes.visible >> lane & 1 == 1).then(|| containment(&lanes, lane));
            assert_eq!(seen, overlap::planes_sphere(frustum.planes(), sphere), "{frustum:?} {sphere:?}");
        }
        lanes.visible
    });
}

fn containment(lanes: &FrustumLanes, lane: usize) -> Containment {
    if lanes.planes_of(lane) == 0 { Containment::Inside } else { Containment::Intersecting }
}

#[test]
fn neighbours_along_the_hilbert_curve_are_neighbours_in_space() {
    let curve = CurveKeys::new(&Aabb::new(Vec3::ZERO, Vec3::splat(511.0)), 9);
    let mut places: Vec<(u32, Vec3)> = Vec::new();
    for row in 0..64 {
        let place = |lane: usize| Vec3::new(lane as f32, (row % 8) as f32, (row / 8) as f32);
        let keys = curve.pile_keys(&Boxes::gather(|lane| Aabb::new(place(lane), place(lane))), Vec3::INFINITY);
        places.extend(keys.into_iter().zip((0..WIDTH).map(place)));
    }
    places.sort_unstable_by_key(|&(key, _)| key);
    for pair in places.windows(2) {
        assert_eq!(pair[1].0, pair[0].0 + 1);
        assert_eq!((pair[1].1 - pair[0].1).abs().element_sum(), 1.0);
    }
}

#[test]
fn keys_of_a_pile_leave_out_the_places_along_long_axes() {
    let curve = CurveKeys::new(&Aabb::new(Vec3::ZERO, Vec3::splat(511.0)), 9);
    let scattered = |lane: usize, axis: usize| 511.0 * ((7 * lane + 3 * axis + 1) as f32 * 0.618).fract();
    for short in 0..3 {
        let (mut long, mut thin) = (Vec3::splat(90.0), Vec3::splat(50.0));
        (long[short], thin[short]) = (f32::INFINITY, 0.1);
        let centers: [Vec3; WIDTH] =
            core::array::from_fn(|lane| Vec3::from_array(core::array::from_fn(|axis| scattered(lane, axis))));
        let boxes = Boxes::gather(|lane| Aabb::new(centers[lane] - thin, centers[lane] + thin));
        let axes = 0b111 & !(1 << short);
        let mut order: Vec<(u32, f32)> =
            curve.pile_keys(&boxes, long).into_iter().zip(centers.map(|center| center[short])).collect();
        assert!(order.iter().all(|(key, _)| key >> 27 == axes));
        order.sort_unstable_by_key(|&(key, _)| key);
        assert!(order.is_sorted_by_key(|&(_, place)| place), "{short}: {order:?}");
    }
}
