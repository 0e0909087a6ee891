//! A placed mesh answers as its triangles do one by one, moved to the world with 64 bits.

use super::*;
use crate::geometry::triangle::hull::Hull;
use crate::geometry::triangle::overlap::classify_in_planes;
use crate::geometry::triangle::point::{closest_point_f64, corners};
use crate::geometry::triangle::sweep::sphere_triangle;
use crate::geometry::{Capsule, Frustum, Obb, Plane, Sphere, Triangle};
use crate::mesh::query::overlap::{MeshRegion, Solid};
use crate::mesh::query::sweep::{Body, MovingBody};
use alloc::vec::Vec;
use glam::{DVec3, Quat};

/// Seeded numbers from -1 to 1.
struct Random(u32);

impl Random {
    fn one(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(self.0 >> 16).unwrap()) / 32_768.0 - 1.0
    }

    fn point(&mut self, reach: f32) -> Vec3 {
        Vec3::new(self.one(), self.one(), self.one()) * reach
    }

    fn turn(&mut self) -> Quat {
        Quat::from_xyzw(self.one(), self.one(), self.one(), 0.5)
    }

    fn placement(&mut self) -> Placement {
        let scale = 4.0_f32.powf(self.one());
        Placement::new(self.turn(), self.point(100.0), scale).unwrap()
    }
}

/// A placed mesh, and the corners of its triangles in the world.
struct Case {
    mesh: Mesh,
    placement: Placement,
    corners: Vec<[DVec3; 3]>,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let one = |random: &mut Random| {
            let at = random.point(10.0);
            Triangle::new(at + random.point(3.0), at + random.point(3.0), at + random.point(3.0))
        };
        let triangles: Vec<Triangle> = (0..200).map(|_| one(random)).collect();
        let (mesh, placement) = (Mesh::from_triangles(&triangles).unwrap(), random.placement());
        let frame = Frame::new(&placement);
        let in_world = |triangle: &Triangle| corners(triangle).map(|corner| frame.to_world(corner));
        Self { corners: triangles.iter().map(in_world).collect(), mesh, placement }
    }

    fn placed(&self) -> PlacedMesh<'_> {
        PlacedMesh::new(&self.mesh, self.placement).unwrap()
    }

    /// A point in the world near the mesh.
    fn near(&self, random: &mut Random) -> Vec3 {
        self.placement.translation() + random.point(12.0 * self.placement.scale())
    }

    /// Checks a region; how many triangles it has.
    fn check(&self, region: &impl MeshRegion) -> usize {
        let known = region.to_ref().unwrap();
        let classify = |corners: &[DVec3; 3]| match Solid::of(&known) {
            Solid::Aabb(aabb) => Hull::of_aabb(&aabb).classify(corners),
            Solid::Ball(ball) => ball.classify(corners),
            Solid::Planes(planes) => classify_in_planes(corners, &planes),
            Solid::Hull(hull) => hull.classify(corners),
            Solid::Rod(rod) => rod.classify(corners),
        };
        let each = (0_u32..).zip(&self.corners).filter_map(|(index, corners)| Some((index, classify(corners)?)));
        let expected: Vec<(u32, Containment)> = each.collect();
        let (mut found, mut plain, mut stats) = (Vec::new(), Vec::new(), QueryStats::default());
        let _ = self.placed().contained(&known, &mut stats, &mut |one| {
            found.push(one);
            ControlFlow::Continue(())
        });
        let _ = self.placed().overlap(&known, &mut stats, &mut |index| {
            plain.push(index);
            ControlFlow::Continue(())
        });
        assert_eq!(plain, found.iter().map(|(index, _)| *index).collect::<Vec<_>>());
        assert_eq!(stats.hits, 2 * found.len() as u64);
        found.sort_unstable_by_key(|(index, _)| *index);
        // A box that is cut to the mesh still holds what it held but for its own rounding.
        assert_eq!(found, expected, "{known:?}, {:?}", self.placement);
        expected.len()
    }
}

fn frustum(center: Vec3, random: &mut Random, size: f32) -> Frustum {
    let plane = |axis: Vec3, random: &mut Random| {
        let normal = (axis + random.point(0.3)).normalize();
        Plane { normal, offset: size - normal.dot(center) }
    };
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    Frustum::from_planes(axes.map(|axis| plane(axis, random))).unwrap()
}

#[test]
fn regions_find_what_the_triangles_in_the_world_say() {
    let (mut random, mut found) = (Random(5), [0; 5]);
    for _ in 0..20 {
        let case = Case::new(&mut random);
        let size = 3.0 * case.placement.scale();
        for _ in 0..20 {
            let (at, to) = (case.near(&mut random), case.near(&mut random));
            let half = random.point(size).abs();
            found[0] += case.check(&Aabb::new(at - half, at + half));
            found[1] += case.check(&Sphere::new(at, half.x));
            found[2] += case.check(&frustum(at, &mut random, size));
            found[3] += case.check(&Obb::new(at, half, random.turn()).unwrap());
            found[4] += case.check(&Capsule::new(at, to, half.x).unwrap());
        }
    }
    assert!(found.iter().all(|&found| found > 400), "{found:?}");
}

#[test]
fn unbounded_boxes_hold_the_whole_mesh() {
    let mut random = Random(6);
    let case = Case::new(&mut random);
    assert_eq!(case.check(&Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY)), 200);
    let middle = case.placement.translation();
    let known = Aabb::new(Vec3::new(f32::NEG_INFINITY, -1e9, -1e9), Vec3::MAX.with_x(middle.x));
    let below = (0..).zip(&case.corners).filter(|(_, corners)| corners.iter().any(|c| c.x <= f64::from(middle.x)));
    let expected: Vec<u32> = below.map(|(index, _)| index).collect();
    let (mut found, mut stats) = (Vec::new(), QueryStats::default());
    let _ = case.placed().overlap(&known.to_ref().unwrap(), &mut stats, &mut |index| {
        found.push(index);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn sweeps_touch_what_the_triangles_in_the_world_say() {
    let (mut random, mut touched) = (Random(7), [0; 2]);
    for _ in 0..20 {
        let case = Case::new(&mut random);
        for step in 0..40 {
            let (at, to) = (case.near(&mut random), case.near(&mut random));
            let half = random.point(1.5 * case.placement.scale()).abs();
            let sweep = if step % 2 == 0 {
                Sweep::sphere(Sphere::new(at, half.x), to - at).unwrap()
            } else {
                Sweep::aabb(Aabb::new(at - half, at + half), to - at).unwrap()
            };
            let MovingBody { body, motion } = MovingBody::of(&sweep);
            let time = |corners: &[DVec3; 3]| match &body {
                Body::Ball(ball) => sphere_triangle(ball.center, ball.radius, motion, corners),
                Body::Hull(hull) => hull.touches(motion, corners, 1.0),
            };
            let each = (0_u32..).zip(&case.corners).filter_map(|(index, corners)| Some((index, time(corners)?)));
            let expected: Vec<(u32, f64)> = each.collect();
            let (mut all, mut stats) = (Vec::new(), QueryStats::default());
            let _ = case.placed().touches(&sweep, 1.0, &mut stats, &mut |hit| {
                all.push(hit);
                ControlFlow::Continue(())
            });
            all.sort_unstable_by_key(|hit| hit.triangle);
            assert_eq!(all.len(), expected.len(), "{sweep:?}, {:?}", case.placement);
            for (hit, (index, time)) in all.iter().zip(&expected) {
                assert!(hit.triangle == *index && (f64::from(hit.time) - time).abs() < 1e-6, "{hit:?}, {time}");
                let corners = &case.corners[*index as usize];
                let contact = hit.contact.as_dvec3();
                assert!(closest_point_f64(corners, contact).1 < 1e-8, "{hit:?}");
                assert!(*time == 0.0 || hit.normal.as_dvec3().dot(motion) <= 1e-4 * motion.length(), "{hit:?}");
            }
            let first = case.placed().first_touch(&sweep, 1.0, &mut stats);
            assert_eq!(first.map(|hit| hit.time), all.iter().map(|hit| hit.time).reduce(f32::min));
            assert!(first.is_none_or(|first| all.contains(&first)));
            touched[step % 2] += all.len();
        }
    }
    assert!(touched.iter().all(|&touched| touched > 1_000), "{touched:?}");
}

#[test]
fn the_closest_point_is_that_of_the_triangles_in_the_world() {
    let mut random = Random(8);
    for _ in 0..20 {
        let case = Case::new(&mut random);
        for _ in 0..50 {
            let (point, mut stats) = (case.near(&mut random), QueryStats::default());
            let distances = case.corners.iter().map(|corners| closest_point_f64(corners, point.as_dvec3()).1);
            let expected = distances.fold(f64::INFINITY, f64::min).sqrt();
            let closest = case.placed().closest_point(point, f32::INFINITY, &mut stats).unwrap();
            assert!((f64::from(closest.distance) - expected).abs() <= 1e-6 * expected, "{closest:?}, {expected}");
            let at = case.corners[closest.triangle as usize];
            assert!(closest_point_f64(&at, closest.position.as_dvec3()).1 < 1e-8, "{closest:?}");
            assert_eq!(case.placed().closest_point(point, closest.distance * 0.999, &mut stats), None);
        }
    }
}
