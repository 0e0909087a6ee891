//! Distances of hits are right to 1e-5 of themselves, whatever the shape of
//! the triangle and however flat the ray runs along it.

use broadleaf::glam::{DQuat, DVec3, Quat, Vec3};
use broadleaf::{
    Mesh, Octree, Placement, Ray,
    mesh::{Culling, MeshHit},
    shape::Triangle,
};
use workloads::Random;

const CULLING: Culling = Culling::None;
/// What is promised of distances.
const PROMISED: f64 = 1e-5;
/// Relative errors of the crossings below, at most: they are computed with 64 bits.
const DOUBT: f64 = 1e-7;

/// Where the line of a ray crosses a triangle, with 64 bits.
struct Crossing {
    distance: f64,
    /// Whether the line passes inside.
    is_within: bool,
    /// Of the corners along the ray.
    nearest: f64,
    farthest: f64,
    /// Whether 64 bits are certain of distance and inside.
    is_certain: bool,
}

fn crossing(corners: [DVec3; 3], ray: &Ray) -> Crossing {
    let (origin, direction) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let facing = normal.dot(direction);
    let distance = normal.dot(a - origin) / facing;
    let point = origin + direction * distance;
    let edges = [(a, b), (b, c), (c, a)];
    let parts = edges.map(|(from, to)| (to - from).cross(point - from).dot(normal) / normal.length_squared());
    let longest = edges.map(|(from, to)| from.distance(to)).into_iter().fold(0.0, f64::max);
    let far = longest + distance.abs();
    // Rounding of 2^-53, some times over, in differences of coordinates and in products.
    let doubt = 1e-15 * longest * longest / facing.abs() * far / distance.abs();
    let along = corners.map(|corner| (corner - origin).dot(direction));
    Crossing {
        distance,
        is_within: parts.iter().all(|&part| part > doubt),
        nearest: along.into_iter().fold(f64::INFINITY, f64::min),
        farthest: along.into_iter().fold(f64::NEG_INFINITY, f64::max),
        is_certain: doubt < DOUBT,
    }
}

fn power(random: &mut Random, low: f32, high: f32) -> f32 {
    10_f32.powf(random.between(low, high))
}

/// A triangle about `center` whose shortest edge is `ratio` times shorter than its longest, which is about `size`.
fn needle(center: Vec3, size: f32, ratio: f32, random: &mut Random) -> Triangle {
    let along = random.direction() * size;
    // The short edge at an end, or a corner beside the long edge.
    let base = along * [0.0, 1.0, random.unit()][random.below(3) as usize];
    let start = center - along * random.unit();
    let corners = [start, start + along, start + base + random.direction() * (size / ratio)];
    let first = random.below(3) as usize;
    Triangle::new(corners[first], corners[(first + 1) % 3], corners[(first + 2) % 3])
}

/// A ray at a point of a triangle; every other one nearly runs along it.
fn aimed(corners: [DVec3; 3], size: f64, random: &mut Random) -> Option<Ray> {
    let [a, b, c] = corners;
    let (u, v) = (f64::from(random.unit()), f64::from(random.unit()));
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    let point = a + (b - a) * u + (c - a) * v;
    let mut from = random.direction().as_dvec3();
    if random.one_in(2) {
        let up = (b - a).cross(c - a).try_normalize()?;
        from = (from - up * up.dot(from)).try_normalize()? + up * f64::from(power(random, -3.0, 0.0));
    }
    let start = point + from.normalize() * size * f64::from(power(random, -3.0, 3.0));
    let origin = start.as_vec3();
    Ray::new(origin, (point - origin.as_dvec3()).normalize().as_vec3()).ok()
}

#[derive(Default)]
struct Count {
    compared: u32,
    /// Of triangles that are 10^4 times longer than wide, and of rays that nearly run along.
    thin: u32,
    grazing: u32,
    /// Hits of rays that pass by but for rounding.
    beside: u32,
}

impl Count {
    /// Compares the hit of a triangle.
    fn check(&mut self, corners: [DVec3; 3], ray: &Ray, hit: &MeshHit) {
        let (crossing, at) = (crossing(corners, ray), f64::from(hit.distance));
        let told = || format!("{at} instead of {}, {corners:?}, {ray:?}", crossing.distance);
        let slack = 4e-6 * (crossing.farthest.abs() + crossing.nearest.abs() + corners[0].abs().max_element());
        assert!(at >= crossing.nearest - slack && at <= crossing.farthest + slack, "{}", told());
        if !crossing.is_within {
            self.beside += 1;
            return;
        }
        if !crossing.is_certain {
            return;
        }
        assert!((at - crossing.distance).abs() <= (PROMISED + DOUBT) * crossing.distance, "{}", told());
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        self.compared += 1;
        self.thin += u32::from(normal.length() < 1e-4 * longest * longest);
        self.grazing += u32::from(normal.normalize().dot(ray.direction().as_dvec3()).abs() < 0.01);
    }

    fn assert_many(&self, least: u32) {
        let Self { compared, thin, grazing, beside } = *self;
        assert!(compared > least && thin > least / 10 && grazing > least / 10 && beside > 0, "{self}");
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} compared, {} thin, {} grazing, {} beside", self.compared, self.thin, self.grazing, self.beside)
    }
}

/// A few triangles of all shapes, and their size.
fn triangles(random: &mut Random) -> (Vec<Triangle>, f32) {
    let size = power(random, -6.0, 6.0);
    let center = if random.one_in(2) { Vec3::ZERO } else { random.direction() * size * power(random, -1.0, 3.0) };
    let one = |_| {
        let center = center + random.direction() * size * 0.1;
        let (part, ratio) = (power(random, -1.0, 0.0), power(random, 0.0, 6.0));
        needle(center, size * part, ratio, random)
    };
    ((0..20).map(one).collect(), size)
}

fn corners(triangle: &Triangle) -> [DVec3; 3] {
    [triangle.a, triangle.b, triangle.c].map(|corner| corner.as_dvec3())
}

fn least(hits: &[MeshHit]) -> Option<MeshHit> {
    let order = |a: &&MeshHit, b: &&MeshHit| a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle));
    hits.iter().min_by(order).copied()
}

#[test]
fn regression_distances_at_needle_triangles() {
    let (mut random, mut count, mut hits) = (Random::new(65), Count::default(), Vec::new());
    for _ in 0..600 {
        let (triangles, size) = triangles(&mut random);
        let mesh = Mesh::from_triangles(&triangles).unwrap();
        for target in 0..100 {
            let Some(ray) = aimed(corners(&triangles[target % 20]), f64::from(size), &mut random) else { continue };
            mesh.cast(&ray).culling(CULLING).collect_into(&mut hits);
            for hit in &hits {
                count.check(corners(&triangles[hit.triangle as usize]), &ray, hit);
            }
            assert_eq!(mesh.cast(&ray).culling(CULLING).closest(), least(&hits), "{ray:?}");
            let any = mesh.cast(&ray).culling(CULLING).any();
            assert!(any.map_or(hits.is_empty(), |any| hits.contains(&any)), "{ray:?}");
            // Up to the nearest hit, and no farther: the reach is closed.
            if let Some(nearest) = least(&hits) {
                let within = ray.with_distance_max(nearest.distance).unwrap();
                let closest = mesh.cast(&within).culling(CULLING).closest();
                assert!(closest.is_some_and(|closest| closest.distance <= nearest.distance), "{within:?}");
            }
        }
    }
    count.assert_many(20_000);
}

#[test]
fn regression_the_distance_at_a_needle_a_million_times_as_long_as_wide() {
    let mut random = Random::new(7);
    let (mut count, mut hits) = (Count::default(), Vec::new());
    for _ in 0..200 {
        let along = random.direction() * 1e6;
        let side = along.cross(random.direction()).normalize() * 1.4;
        let triangle = Triangle::new(Vec3::ZERO, along, along + side);
        let mesh = Mesh::from_triangles(&[triangle]).unwrap();
        for _ in 0..100 {
            let Some(ray) = aimed(corners(&triangle), 1e6, &mut random) else { continue };
            mesh.cast(&ray).culling(CULLING).collect_into(&mut hits);
            hits.iter().for_each(|hit| count.check(corners(&triangle), &ray, hit));
        }
    }
    assert!(count.thin > 4_000 && count.beside > 0, "{count}");
}

#[test]
fn regression_distances_at_placed_needle_triangles() {
    let (mut random, mut count, mut hits) = (Random::new(66), Count::default(), Vec::new());
    for _ in 0..300 {
        let (triangles, size) = triangles(&mut random);
        let mesh = Mesh::from_triangles(&triangles).unwrap();
        let scale = power(&mut random, -2.0, 2.0);
        let turn = Quat::from_axis_angle(random.direction().normalize(), random.between(0.0, 6.0));
        let apart = random.direction() * size * scale * power(&mut random, -1.0, 3.0);
        let placement = Placement::new(turn, apart, scale).unwrap();
        let mut tree = Octree::default();
        let object = tree.insert(placement.aabb(&mesh.bounds().unwrap())).unwrap();
        let view = tree.view();
        let (turn, apart, scale) = (turn_of(&placement), placement.translation().as_dvec3(), f64::from(scale));
        let world = |triangle: &Triangle| corners(triangle).map(|corner| turn * (corner * scale) + apart);
        for target in 0..100 {
            let Some(ray) = aimed(world(&triangles[target % 20]), f64::from(size) * scale, &mut random) else {
                continue;
            };
            hits.clear();
            view.cast(&ray).meshes(|_| Some((&mesh, placement))).culling(CULLING).for_each(|(_, hit)| hits.push(hit));
            for hit in &hits {
                count.check(world(&triangles[hit.triangle as usize]), &ray, hit);
            }
            let closest = view.cast(&ray).meshes(|_| Some((&mesh, placement))).culling(CULLING).closest();
            assert_eq!(closest.map(|(_, hit)| hit.distance), least(&hits).map(|hit| hit.distance), "{ray:?}");
            let any = view.cast(&ray).meshes(|_| Some((&mesh, placement))).culling(CULLING).any();
            let is_found = |(handle, hit)| handle == object && hits.contains(&hit);
            assert!(any.map_or(hits.is_empty(), is_found), "{ray:?}");
        }
    }
    count.assert_many(8_000);
}

fn turn_of(placement: &Placement) -> DQuat {
    placement.rotation().as_dquat()
}
