//! How many rays a second each traversal answers.

use crate::effort;
use crate::limits::RAY_TESTS_MAX;
use crate::replay::progress_bar;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Culling, Mesh, MeshHit, OctantMesh, QueryStats, Ray, Traversal};
use rayon::ThreadPool;
use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use std::time::{Duration, Instant};
use workloads::models::rays;

/// Rays of one task.
const CHUNK: usize = 256;
/// The fastest of so many rounds counts, but no round starts after the time.
const ROUNDS: usize = 3;
const ROUND_TIME: Duration = Duration::from_secs(1);

/// The four ways through a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The mesh's own: eight at a time, the nearest first.
    Mesh,
    /// Through the plain cells.
    Plain(Traversal),
}

impl Way {
    pub(super) const ALL: [Self; 4] =
        [Self::Mesh, Self::Plain(Traversal::Planes), Self::Plain(Traversal::Parametric), Self::Plain(Traversal::Boxes)];

    /// As the report calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mesh => "eight at a time",
            Self::Plain(Traversal::Planes) => "splitting planes",
            Self::Plain(Traversal::Parametric) => "parametric",
            Self::Plain(Traversal::Boxes) => "naive boxes",
        }
    }
}

/// A model as each way knows it.
pub(super) struct Subjects<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) plain: OctantMesh,
}

impl Subjects<'_> {
    pub(super) fn closest_hit(&self, way: Way, ray: &Ray) -> Option<MeshHit> {
        match way {
            Way::Mesh => self.mesh.closest_hit(ray, Culling::None).0,
            Way::Plain(traversal) => self.plain.closest_hit(ray, Culling::None, traversal).0,
        }
    }

    /// Whether there is a closest hit, and how many tests that took.
    fn is_closest_hit(&self, way: Way, ray: &Ray) -> (bool, u64) {
        let (hit, stats) = match way {
            Way::Mesh => self.mesh.closest_hit(ray, Culling::None),
            Way::Plain(traversal) => self.plain.closest_hit(ray, Culling::None, traversal),
        };
        (hit.is_some(), tests(&stats))
    }

    /// Whether there is any hit, and how many tests that took.
    fn is_any_hit(&self, way: Way, ray: &Ray) -> (bool, u64) {
        let (hit, stats) = match way {
            Way::Mesh => self.mesh.any_hit(ray, Culling::None),
            Way::Plain(traversal) => self.plain.any_hit(ray, Culling::None, traversal),
        };
        (hit.is_some(), tests(&stats))
    }
}

fn tests(stats: &QueryStats) -> u64 {
    stats.nodes_visited + stats.objects_tested
}

/// The rays that are cast.
pub(super) struct Questions {
    /// Through the pixels of a picture.
    pub(super) coherent: Vec<Ray>,
    /// From anywhere to anywhere.
    pub(super) incoherent: Vec<Ray>,
    /// From where the coherent ones hit towards a light.
    pub(super) shadow: Vec<Ray>,
}

impl Questions {
    /// About so many rays of each kind; of shadows, as many as there are hits.
    pub(super) fn new(mesh: &Mesh, count: u32) -> Self {
        let bounds = mesh.bounds().unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ZERO));
        let edge = count.isqrt().max(1);
        let coherent = rays::coherent(&bounds, edge, edge, 1);
        let light = bounds.center() + Vec3::new(3.0, 5.0, 2.0) * bounds.half_extents().length();
        let shadow = coherent.iter().filter_map(|ray| {
            let hit = mesh.closest_hit(ray, Culling::None).0?;
            let away = if hit.normal.dot(ray.direction()) < 0.0 { hit.normal } else { -hit.normal };
            Ray::segment(hit.position + away * bounds.half_extents().length() * 1e-4, light).ok()
        });
        let shadow = shadow.collect();
        let incoherent = rays::incoherent(&bounds, usize::try_from(count).unwrap_or(usize::MAX), 2);
        Self { coherent, incoherent, shadow }
    }
}

/// What one way does with each kind of rays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    pub(super) way: Way,
    pub(super) coherent: Rate,
    pub(super) incoherent: Rate,
    pub(super) shadow: Rate,
}

/// Rays a second, and how many of the rays there are were measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub(super) per_second: f64,
    pub(super) measured: usize,
    pub(super) all: usize,
}

/// Measures all ways in turn, round after round.
pub(super) fn measure(
    subjects: &Subjects<'_>,
    questions: &Questions,
    pool: Option<&ThreadPool>,
    progress: bool,
) -> Vec<Rates> {
    let bar = progress_bar("measurement", Way::ALL.len() * 3, progress);
    let rates = Way::ALL.map(|way| {
        let best = |all: &[Ray], ask: &(dyn Fn(&Ray) -> (bool, u64) + Sync)| {
            let tests_max = (all.len() as u64).saturating_mul(RAY_TESTS_MAX);
            let count = effort::cost(all, tests_max, |ray| ask(ray).1).affordable(all.len(), tests_max);
            let rays: Vec<Ray> = effort::spread(all, count).copied().collect();
            let start = Instant::now();
            let mut best = Duration::MAX;
            for round in 0..ROUNDS {
                if round == 0 || start.elapsed() < ROUND_TIME {
                    best = best.min(time(&rays, ask, pool));
                }
            }
            bar.inc(1);
            Rate { per_second: per_second(rays.len(), best), measured: rays.len(), all: all.len() }
        };
        let nearest = |ray: &Ray| subjects.is_closest_hit(way, ray);
        Rates {
            way,
            coherent: best(&questions.coherent, &nearest),
            incoherent: best(&questions.incoherent, &nearest),
            shadow: best(&questions.shadow, &|ray| subjects.is_any_hit(way, ray)),
        }
    });
    bar.finish_and_clear();
    rates.to_vec()
}

/// How long it takes to ask of all rays.
fn time(rays: &[Ray], ask: &(dyn Fn(&Ray) -> (bool, u64) + Sync), pool: Option<&ThreadPool>) -> Duration {
    let count = |rays: &[Ray]| rays.iter().filter(|ray| ask(ray).0).count();
    let start = Instant::now();
    let hits: usize = match pool {
        Some(pool) => pool.install(|| rays.par_chunks(CHUNK).map(count).sum()),
        None => count(rays),
    };
    std::hint::black_box(hits);
    start.elapsed()
}

#[expect(clippy::cast_precision_loss, reason = "rays are few")]
fn per_second(rays: usize, time: Duration) -> f64 {
    rays as f64 / time.as_secs_f64().max(1e-9)
}
