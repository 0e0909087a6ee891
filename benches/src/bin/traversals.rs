//! The four ways of a ray through a model, side by side.
//!
//! `cargo run --release -p benches --bin traversals` prints the nanoseconds a
//! ray of each way, the least of interleaved rounds, in the
//! thread's own time. With `--once WAY` it casts
//! the rays of one kind at one model a single time, for an instruction counter:
//! the difference between two numbers of rays is the rays' own.

use benches::machine::Machine;
use benches::measure;
use broadleaf::{
    Mesh, Ray,
    mesh::{Culling, MeshHit},
};
use clap::Parser;
use classic_octree::{OctantMesh, OctantPlacement, Traversal, agree};
use std::hint::black_box;
use workloads::{Model, models::rays};

/// The names of the ways, in the order of the columns.
const WAYS: [&str; 6] = ["mesh", "planes", "parametric", "boxes", "planes-held", "planes-loose"];
/// A way that takes so many times as long as the quickest sits out the later rounds.
const PATIENCE: f64 = 50.0;
/// The kinds of rays.
const KINDS: [&str; 2] = ["coherent", "incoherent"];

/// Measures the traversals of triangle models.
#[derive(Parser)]
struct Arguments {
    /// Models to cast rays at.
    #[arg(long, value_delimiter = ',', default_value = "sphere,torus,terrain,boxes,slivers")]
    models: Vec<String>,
    /// Triangles of each model.
    #[arg(long, default_value_t = 100_000)]
    triangles: u32,
    /// Rays of each kind.
    #[arg(long, default_value_t = 40_000)]
    rays: u32,
    /// Interleaved rounds.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Casts the rays once, this way.
    #[arg(long)]
    once: Option<String>,
    /// Kind of the rays that are cast once.
    #[arg(long, default_value = "coherent")]
    kind: String,
}

/// A model as each way knows it.
struct Subject {
    mesh: Mesh,
    plain: Vec<OctantMesh>,
}

impl Subject {
    fn new(model: &Model, ways: &[&str]) -> Self {
        let mesh = Mesh::from_indexed(model.positions(), model.indices()).expect("a model is sound");
        let placements = [
            (OctantPlacement::Shared, ways.iter().any(|way| ["planes", "parametric", "boxes"].contains(way))),
            (OctantPlacement::Held, ways.contains(&"planes-held")),
            (OctantPlacement::Loose, ways.contains(&"planes-loose")),
        ];
        let plain = placements.into_iter().filter(|(_, wanted)| *wanted);
        Self { plain: plain.map(|(placement, _)| OctantMesh::new(&mesh, placement)).collect(), mesh }
    }

    fn closest_hit(&self, way: &str, ray: &Ray) -> Option<MeshHit> {
        let (placement, traversal) = match way {
            "mesh" => return self.mesh.cast(ray).closest(),
            "planes" => (OctantPlacement::Shared, Traversal::Planes),
            "parametric" => (OctantPlacement::Shared, Traversal::Parametric),
            "boxes" => (OctantPlacement::Shared, Traversal::Boxes),
            "planes-held" => (OctantPlacement::Held, Traversal::Planes),
            _ => (OctantPlacement::Loose, Traversal::Planes),
        };
        let plain = self.plain.iter().find(|plain| plain.placement() == placement).expect("built for the way");
        plain.closest_hit(ray, Culling::None, traversal).0
    }

    /// Casts all rays; a sum of the distances.
    fn cast(&self, way: &str, rays: &[Ray]) -> f64 {
        rays.iter().filter_map(|ray| self.closest_hit(way, ray)).map(|hit| f64::from(hit.distance)).sum()
    }
}

fn rays_of(kind: &str, model: &Model, count: u32) -> Vec<Ray> {
    let edge = count.isqrt();
    match kind {
        "coherent" => rays::coherent(&model.bounds(), edge, edge, 1),
        _ => rays::incoherent(&model.bounds(), count as usize, 2),
    }
}

fn main() {
    let arguments = Arguments::parse();
    let model = |name: &str| Model::by_name(name, arguments.triangles, 1).expect("a model of that name");
    if let Some(way) = arguments.once.as_deref() {
        for name in &arguments.models {
            let (model, ways) = (model(name), [way]);
            let rays = rays_of(&arguments.kind, &model, arguments.rays);
            println!("{name}: {}", black_box(Subject::new(&model, &ways).cast(way, black_box(&rays))));
        }
        return;
    }
    let machine = Machine::here();
    println!("{}, {}, {}", machine.processor, machine.compiler, machine.features);
    println!("| model, rays | {} |", WAYS.join(" | "));
    println!("|---|{}", "---|".repeat(WAYS.len()));
    for name in &arguments.models {
        let model = model(name);
        let subject = Subject::new(&model, &WAYS);
        for kind in KINDS {
            let rays = rays_of(kind, &model, arguments.rays);
            let times = compare(&subject, &rays, arguments.rounds);
            let columns: Vec<String> = times.iter().map(|time| format!("{time:.0}")).collect();
            println!("| {name}, {kind} | {} |", columns.join(" | "));
        }
    }
}

/// The least nanoseconds a ray, by way. Every ray's answer is compared first.
#[expect(clippy::cast_precision_loss, reason = "rays are few")]
fn compare(subject: &Subject, rays: &[Ray], rounds: usize) -> Vec<f64> {
    for ray in rays {
        let expected = subject.closest_hit("mesh", ray);
        assert!(WAYS.iter().all(|way| agree(ray, subject.closest_hit(way, ray), expected)), "{ray:?}");
    }
    let samples = measure::rounds(WAYS.len(), rounds, PATIENCE, |way, _| {
        measure::time(|| subject.cast(WAYS[way], black_box(rays))).0 / rays.len() as f64
    });
    samples.iter().map(|samples| measure::least(samples)).collect()
}
