//! What a mesh must answer: every triangle is asked every question, with 64
//! bits, and by other ways than the library's.
//!
//! Near an edge, or along a triangle, rounding decides; so of each triangle it
//! is known whether it is found *surely*, *possibly* or not at all. Answers
//! must hold all of the first and nothing of the last.

mod overlap;
mod point;
mod ray;
mod sweep;
mod volumes;

use broadleaf::glam::{DVec3, Quat, Vec3};
use broadleaf::{
    Aabb, Mesh, Ray, Sphere, Sweep,
    mesh::Culling,
    shape::{Capsule, Obb, Triangle},
};

/// Triangles that are asked one by one.
#[derive(Debug, Clone, Copy)]
pub struct MeshOracle<'a> {
    triangles: &'a [Triangle],
}

/// What is wrong with an answer.
pub type Verdict = Result<(), String>;

/// The part of a triangle's size below which its height is no height: no question surely finds it.
const THIN: f64 = 1e-6;

impl<'a> MeshOracle<'a> {
    /// An oracle of triangles in the order of the mesh's input.
    #[must_use]
    pub fn new(triangles: &'a [Triangle]) -> Self {
        Self { triangles }
    }

    /// Checks what a mesh says of a ray, of its start, and of a ball there that moves along it.
    ///
    /// # Errors
    /// The first answer that cannot be right.
    ///
    /// # Panics
    /// If the mesh refuses a question; the radius must be legal.
    pub fn check(&self, mesh: &Mesh, ray: &Ray, radius: f32) -> Verdict {
        for culling in [Culling::None, Culling::Back, Culling::Front] {
            let mut all = Vec::new();
            let ask = || mesh.cast(ray).culling(culling);
            ask().collect_into(&mut all);
            self.hits(ray, culling, &all)?;
            self.closest_hit(ray, &all, ask().closest())?;
            let any = ask().any();
            ensure(any.is_none_or(|any| all.contains(&any)) && any.is_some() != all.is_empty(), || {
                format!("any hit {any:?} of {all:?}")
            })?;
        }
        let (from, motion) = (ray.origin(), ray.direction() * ray.distance_max().min(1e6));
        let (ball, mut found) = (Sphere::new(from, radius), Vec::new());
        mesh.overlap(&ball).expect("a legal sphere").collect_into(&mut found);
        self.in_sphere(&ball, &found)?;
        let aabb = ball.aabb();
        mesh.overlap(&aabb).expect("a legal box").collect_into(&mut found);
        self.in_aabb(&aabb, &found)?;
        for limit in [f32::INFINITY, radius] {
            let nearest = mesh.nearest(from).expect("a legal point").within(limit);
            self.closest_point(from, limit, nearest.closest())?;
        }
        self.contains(from, mesh.nearest(from).expect("a legal point").is_inside())?;
        let sweep = Sweep::sphere(ball, motion).expect("a legal motion");
        self.sweep_sphere(&ball, motion, mesh.cast(&sweep).closest())?;
        self.volumes(mesh, &ball, motion)
    }

    /// Checks what a mesh says of an oriented box, a capsule and a moving box
    /// that follow from a ball and its motion.
    fn volumes(&self, mesh: &Mesh, ball: &Sphere, motion: Vec3) -> Verdict {
        let half = Vec3::new(1.0, 0.5, 0.25) * ball.radius;
        let aside = motion.normalize_or_zero();
        let turn = Quat::from_xyzw(aside.x, aside.y, aside.z, 0.75);
        let mut found = Vec::new();
        let obb = Obb::new(ball.center, half, turn).expect("a legal box");
        mesh.overlap(&obb).expect("a legal box").with_containment().collect_into(&mut found);
        self.in_obb(&obb, &found)?;
        let capsule = Capsule::new(ball.center, ball.center + motion, ball.radius).expect("a legal capsule");
        mesh.overlap(&capsule).expect("a legal capsule").with_containment().collect_into(&mut found);
        self.in_capsule(&capsule, &found)?;
        let aabb = Aabb::new(ball.center - half, ball.center + half);
        let (sweep, mut hits) = (Sweep::aabb(aabb, motion).expect("a legal motion"), Vec::new());
        mesh.cast(&sweep).collect_into(&mut hits);
        self.sweep_aabb(&aabb, motion, &hits)?;
        let first = hits.iter().map(|hit| hit.time).reduce(f32::min);
        let closest = mesh.cast(&sweep).closest();
        ensure(closest.map(|hit| hit.time) == first && closest.is_none_or(|hit| hits.contains(&hit)), || {
            format!("first {closest:?} of {hits:?}")
        })
    }

    /// The triangles with their numbers.
    fn each(&self) -> impl Iterator<Item = (u32, [DVec3; 3])> + 'a {
        (0..).zip(self.triangles).map(|(index, triangle)| (index, corners(triangle)))
    }

    fn get(&self, index: u32) -> Result<[DVec3; 3], String> {
        self.triangles.get(index as usize).map(corners).ok_or(format!("there is no triangle {index}"))
    }

    /// Checks a list of triangles against which are found, `Some(true)` if surely.
    fn check_found(&self, found: &[u32], ask: impl Fn(&[DVec3; 3]) -> Option<bool>) -> Verdict {
        let mut sorted = found.to_vec();
        sorted.sort_unstable();
        ensure(sorted.windows(2).all(|two| two[0] < two[1]), || format!("found twice: {sorted:?}"))?;
        for (index, triangle) in self.each() {
            let is_found = sorted.binary_search(&index).is_ok();
            let fits = match ask(&triangle) {
                Some(true) => is_found || is_thin(&triangle),
                Some(false) => true,
                None => !is_found,
            };
            ensure(fits, || format!("triangle {index} found: {is_found}, {triangle:?}"))?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(fault()) }
}

fn corners(triangle: &Triangle) -> [DVec3; 3] {
    [triangle.a, triangle.b, triangle.c].map(|corner| corner.as_dvec3())
}

fn edges(&[a, b, c]: &[DVec3; 3]) -> [(DVec3, DVec3); 3] {
    [(b, c), (c, a), (a, b)]
}

/// Along the normal, twice the area long.
fn scaled_normal(&[a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

fn is_thin(triangle: &[DVec3; 3]) -> bool {
    let longest = edges(triangle).map(|(from, to)| from.distance_squared(to)).into_iter().fold(0.0, f64::max);
    scaled_normal(triangle).length() <= THIN * longest
}

/// Below this, floats of 32 bits lose digits: no size counts for less.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// The distance of the farthest corner.
fn farthest(triangle: &[DVec3; 3], point: DVec3) -> f64 {
    triangle.iter().map(|corner| corner.distance(point)).fold(LEAST, f64::max)
}

/// The largest coordinate.
fn extent(triangle: &[DVec3; 3]) -> f64 {
    triangle.iter().map(|corner| corner.abs().max_element()).fold(LEAST, f64::max)
}

/// The distance of a point: over the face, or beside it to the nearest edge.
fn distance(triangle: &[DVec3; 3], point: DVec3) -> f64 {
    let normal = scaled_normal(triangle);
    let beside = edges(triangle).map(|(from, to)| {
        let along = to - from;
        let part = (point - from).dot(along) / along.length_squared();
        (from + along * if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }).distance(point)
    });
    let least = beside.into_iter().fold(f64::INFINITY, f64::min);
    let is_over = |(from, to): (DVec3, DVec3)| (to - from).cross(point - from).dot(normal) >= 0.0;
    if is_thin(triangle) || !edges(triangle).into_iter().all(is_over) {
        return least;
    }
    least.min((point - triangle[0]).dot(normal.normalize()).abs())
}
