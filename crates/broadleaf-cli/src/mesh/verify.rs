//! A sample of the rays against every triangle.

use super::measure::{Questions, Subjects, Way};
use crate::effort::spread;
use crate::format::counted;
use crate::replay::progress_bar;
use broadleaf::{Aabb, Mesh, Ray, shape::Triangle};
use classic_octree::agree;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::Serialize;
use std::fmt::{self, Display};
use workloads::models::Bracket;

/// Rays of each kind that are compared, at most and at least.
const RAYS_MAX: usize = 200;
const RAYS_MIN: usize = 12;
/// Triangles that are tested for a sample, at most.
const TESTS_MAX: usize = 200_000_000;
/// Differences that are told.
const TOLD: usize = 5;

/// What the comparison found.
#[derive(Debug, Serialize)]
pub(super) struct Verdict {
    rays: usize,
    hits: usize,
    equal: bool,
    differences: Vec<String>,
}

impl Verdict {
    pub(super) fn is_equal(&self) -> bool {
        self.equal
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rays = counted(self.rays, "ray", "rays");
        if self.equal {
            let hits = counted(self.hits, "hit", "hits");
            return write!(f, "checked {rays} ({hits}) of each traversal against brute force: all equal");
        }
        write!(f, "checked {rays} of each traversal against brute force: DIFFERENT")?;
        self.differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

/// Compares the nearest hits of all ways with brute force, and with each other.
pub(super) fn verify(
    subjects: &Subjects<'_>,
    questions: &Questions,
    pool: Option<&ThreadPool>,
    progress: bool,
) -> Verdict {
    let mesh = subjects.mesh;
    let most = (TESTS_MAX / mesh.len().max(1) / 3).clamp(RAYS_MIN, RAYS_MAX);
    let kinds = [&questions.coherent, &questions.incoherent, &questions.shadow];
    let sample: Vec<Ray> = kinds.into_iter().flat_map(|rays| spread(rays, most).copied()).collect();
    let bar = progress_bar("ray", sample.len(), progress);
    let compare = |ray: &Ray| {
        let outcome = compare(subjects, ray);
        bar.inc(1);
        outcome
    };
    let outcomes: Vec<Result<bool, String>> = match pool {
        Some(pool) => pool.install(|| sample.par_iter().map(compare).collect()),
        None => sample.iter().map(compare).collect(),
    };
    bar.finish_and_clear();
    let hits = outcomes.iter().filter(|outcome| **outcome == Ok(true)).count();
    let equal = outcomes.iter().all(Result::is_ok);
    let differences = outcomes.into_iter().filter_map(Result::err).take(TOLD).collect();
    Verdict { rays: sample.len(), hits, equal, differences }
}

/// Whether the ray hits, or what is wrong.
fn compare(subjects: &Subjects<'_>, ray: &Ray) -> Result<bool, String> {
    let bracket = Bracket::new(triangles(subjects.mesh), ray);
    let bounds = subjects.mesh.bounds().unwrap_or(Aabb::EMPTY);
    let size = f64::from(ray.origin().abs().max_element()) + f64::from(bounds.extents().abs().max_element());
    let expected = subjects.closest_hit(Way::Mesh, ray);
    for way in Way::ALL {
        let hit = subjects.closest_hit(way, ray);
        let fault = if !bracket.allows(hit.map(|hit| hit.distance), size * 1e-4) {
            format!("brute force from {} to {}", bracket.least, bracket.most)
        } else if !agree(ray, hit, expected) {
            format!("{} {:?}", Way::Mesh.name(), expected.map(|hit| (hit.triangle, hit.distance)))
        } else {
            continue;
        };
        let found = hit.map(|hit| (hit.triangle, hit.distance));
        return Err(format!("{}: {found:?}, {fault}, of {ray:?}", way.name()));
    }
    Ok(expected.is_some())
}

fn triangles(mesh: &Mesh) -> impl Iterator<Item = Triangle> + '_ {
    (0..).map_while(|index| mesh.triangle(index))
}
