//! Runs broadleaf's mesh and its peers side by side and prints the record.
//!
//! `cargo run --release -p benches --features peers --bin compare_meshes -- --help`

use benches::caches::Caches;
use benches::machine::Machine;
use benches::measure::{Samples, least, median, placed_pool, rounds, time, time_wall};
use benches::meshes::{BroadleafMesh, Bvh2Mesh, BvhCrateMesh, CwBvhMesh, MeshSubject, ParryMesh, file};
use benches::record::{Row, details, table, write_csv};
use broadleaf::Ray;
use broadleaf::glam::Vec3;
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use workloads::Model;
use workloads::models::rays;

/// Compares broadleaf's mesh with its peers: one process, interleaved rounds, verified answers.
#[derive(Parser)]
struct Arguments {
    /// Models.
    #[arg(long, value_delimiter = ',', default_value = "sphere,torus,terrain,boxes")]
    models: Vec<String>,
    /// Models from OFF files.
    #[arg(long, value_delimiter = ',')]
    files: Vec<PathBuf>,
    /// With how many triangles.
    #[arg(long, value_delimiter = ',', default_value = "100000,1000000")]
    counts: Vec<u32>,
    /// Rounds behind each median.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Rays, and points, of a question.
    #[arg(long, default_value_t = 100_000)]
    rays: u32,
    /// Where to write every subject's result.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Prints every subject's result, not the best peer's alone.
    #[arg(long)]
    details: bool,
}

type Answers = Vec<f32>;

struct Contest<'a> {
    model: &'a Model,
    rounds: usize,
    rows: Vec<Row>,
}

/// Rays that follow a build.
const MILLION: usize = 1_000_000;
/// Answers may differ at edges: of so many one.
const TOLERATED: usize = 2000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One thread, and that is the one whose time is taken.
    if rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().is_err() {
        eprintln!("cannot set up one thread");
        return ExitCode::FAILURE;
    }
    let machine = Machine::here();
    let Machine { processor, compiler, features, commit, .. } = &machine;
    println!("{processor}; {compiler}; {features}; commit {commit}; {} rounds\n", arguments.rounds);
    let mut rows = Vec::new();
    for model in models(&arguments) {
        let found = model.and_then(|model| {
            eprintln!("{}, {} triangles", model.name(), model.len());
            run(&model, &arguments)
        });
        match found {
            Ok(found) => rows.extend(found),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    rows.sort_by_key(|row| OPERATIONS.iter().position(|&operation| operation == row.operation));
    println!("{}", table(&rows, "broadleaf"));
    if arguments.details {
        println!("{}", details(&rows));
    }
    // Where a file lies is nobody's business.
    let plain = |word: String| {
        word.split(',').map(|part| part.rsplit('/').next().unwrap_or(part)).collect::<Vec<_>>().join(",")
    };
    let command = std::env::args().skip(1).map(plain).collect::<Vec<_>>().join(" ");
    if let Some(path) = &arguments.csv
        && let Err(error) = write_csv(path, &machine, &format!("compare_meshes {command}"), &rows)
    {
        eprintln!("cannot write {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The models that were asked for, made one by one.
fn models(arguments: &Arguments) -> impl Iterator<Item = Result<Model, String>> {
    let generated = arguments.models.iter().flat_map(|name| arguments.counts.iter().map(move |&count| (name, count)));
    let made = generated
        .map(|(name, count)| Model::by_name(name, count, 1).ok_or_else(|| format!("there is no model `{name}`")));
    arguments.files.iter().map(|path| file::read_off(path)).chain(made)
}

const OPERATIONS: [&str; 9] = [
    "mesh_build",
    "mesh_build_for_rays",
    "mesh_build_two_threads",
    "mesh_memory",
    "mesh_build_and_rays",
    "mesh_coherent",
    "mesh_incoherent",
    "mesh_shadow",
    "mesh_closest_point",
];

fn run(model: &Model, arguments: &Arguments) -> Result<Vec<Row>, String> {
    let all: Vec<Box<dyn MeshSubject>> = vec![
        Box::new(BroadleafMesh::default()),
        Box::new(BroadleafMesh::fast_only()),
        Box::new(Bvh2Mesh::default()),
        Box::new(CwBvhMesh::default()),
        Box::new(ParryMesh::default()),
        Box::new(BvhCrateMesh::default()),
        #[cfg(feature = "embree")]
        Box::new(benches::meshes::EmbreeMesh::default()),
        #[cfg(all(feature = "tinybvh", target_feature = "avx2"))]
        Box::new(benches::meshes::TinyBvhMesh::default()),
    ];
    let mut subjects: Vec<_> = all.into_iter().filter(|subject| subject.is_patient(model.len())).collect();
    let mut contest = Contest { model, rounds: arguments.rounds, rows: Vec::new() };
    contest.build(&mut subjects);
    contest.own();
    contest.build_for_rays(&mut subjects);
    let bounds = model.bounds();
    let side = f64::from(arguments.rays).sqrt().floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the root of a small number")]
    let coherent = rays::coherent(&bounds, side as u32, side as u32, 3);
    let incoherent = rays::incoherent(&bounds, arguments.rays as usize, 4);
    let points: Vec<Vec3> = incoherent.iter().take(incoherent.len() / 10).map(Ray::origin).collect();
    contest.build_and_rays(&mut subjects, &coherent, &incoherent);
    for subject in &mut subjects {
        subject.build(model);
        subject.finish_build(model);
    }
    let closest = |subject: &dyn MeshSubject, rays: &[Ray], answers: &mut Answers| {
        subject.closest_hits(rays, answers);
        true
    };
    contest.ask("mesh_coherent", &subjects, &coherent, closest)?;
    contest.ask("mesh_incoherent", &subjects, &incoherent, closest)?;
    contest.ask("mesh_shadow", &subjects, &incoherent, |subject, rays, answers| subject.any_hits(rays, answers))?;
    contest.ask("mesh_closest_point", &subjects, &points, |subject, points, answers| {
        subject.closest_points(points, answers)
    })?;
    Ok(contest.rows)
}

impl Contest<'_> {
    fn row(&mut self, operation: &str, subject: &str, samples: &Samples, unit: &str, each: usize, answers: u64) {
        let each = each.max(1) as f64;
        self.rows.push(Row {
            operation: operation.to_owned(),
            caches: Caches::Warm.name(),
            scene: self.model.name().to_owned(),
            count: self.model.len(),
            subject: subject.to_owned(),
            value: median(samples) / each,
            least: least(samples) / each,
            unit: unit.to_owned(),
            rounds: samples.len(),
            answers,
        });
    }

    fn build(&mut self, subjects: &mut [Box<dyn MeshSubject>]) {
        let model = self.model;
        let samples = rounds(subjects.len(), self.rounds, 20.0, |index, _| time(|| subjects[index].build(model)).0);
        for (subject, samples) in subjects.iter().zip(&samples) {
            self.row("mesh_build", subject.name(), samples, "ns/triangle", model.len(), model.len() as u64);
        }
    }

    /// The builds of those that have another for rays.
    fn build_for_rays(&mut self, subjects: &mut [Box<dyn MeshSubject>]) {
        let model = self.model;
        let mut able: Vec<_> =
            subjects.iter_mut().filter_map(|subject| subject.finish_build(model).then_some(subject)).collect();
        let samples = rounds(able.len(), self.rounds, 20.0, |index, _| time(|| able[index].finish_build(model)).0);
        for (subject, samples) in able.iter().zip(&samples) {
            self.row("mesh_build_for_rays", subject.name(), samples, "ns/triangle", model.len(), model.len() as u64);
        }
    }

    /// A build and a million nearest rays, half of each kind; by whichever build of a subject is the better in all.
    fn build_and_rays(&mut self, subjects: &mut [Box<dyn MeshSubject>], coherent: &[Ray], incoherent: &[Ray]) {
        let model = self.model;
        let times = MILLION / (coherent.len() + incoherent.len()).max(1);
        let mut answers = Answers::new();
        let samples = rounds(subjects.len(), self.rounds.min(3), 4.0, |index, _| {
            let subject = &mut subjects[index];
            let mut rays = |subject: &dyn MeshSubject| {
                for _ in 0..times {
                    subject.closest_hits(coherent, &mut answers);
                    subject.closest_hits(incoherent, &mut answers);
                }
            };
            let quick = time(|| {
                subject.build(model);
                rays(subject.as_ref());
            });
            let (slow, finishes) = time(|| {
                let finishes = subject.finish_build(model);
                if finishes {
                    rays(subject.as_ref());
                }
                finishes
            });
            if finishes { quick.0.min(slow) } else { quick.0 }
        });
        for (subject, samples) in subjects.iter().zip(&samples) {
            let samples = samples.iter().map(|sample| sample / 1e6).collect();
            self.row(
                "mesh_build_and_rays",
                subject.name(),
                &samples,
                "ms",
                1,
                (coherent.len() + incoherent.len()) as u64,
            );
        }
    }

    /// What broadleaf alone is asked: memory, and the build on two threads.
    fn own(&mut self) {
        let model = self.model;
        let pool = placed_pool(2);
        let mut own = BroadleafMesh::default();
        let samples: Samples = (0..self.rounds).map(|_| pool.install(|| time_wall(|| own.build(model)).0)).collect();
        self.row("mesh_build_two_threads", own.name(), &samples, "ns/triangle", model.len(), model.len() as u64);
        let fast = own.mesh().memory() as f64;
        own.finish_build(model);
        let high = own.mesh().memory() as f64;
        for (name, bytes) in [(own.name(), high), (BroadleafMesh::fast_only().name(), fast)] {
            self.row("mesh_memory", name, &vec![bytes], "bytes/triangle", model.len(), model.len() as u64);
        }
    }

    fn ask<Q>(
        &mut self,
        operation: &str,
        subjects: &[Box<dyn MeshSubject>],
        questions: &[Q],
        ask: impl Fn(&dyn MeshSubject, &[Q], &mut Answers) -> bool,
    ) -> Result<(), String> {
        let mut expected: Option<Answers> = None;
        let mut able = Vec::new();
        for subject in subjects {
            let mut answers = Answers::new();
            if !ask(subject.as_ref(), questions, &mut answers) {
                continue;
            }
            able.push(subject);
            let expected = expected.get_or_insert_with(|| answers.clone());
            verify(operation, subject.name(), expected, &answers)?;
        }
        let hits = expected.iter().flatten().filter(|distance| distance.is_finite()).count() as u64;
        let mut answers = Answers::new();
        let samples = rounds(able.len(), self.rounds, 20.0, |index, _| {
            time(|| ask(able[index].as_ref(), questions, &mut answers)).0
        });
        for (subject, samples) in able.iter().zip(&samples) {
            self.row(operation, subject.name(), samples, "ns/question", questions.len(), hits);
        }
        Ok(())
    }
}

/// Whether two lists of distances agree, but for a few rays past an edge.
fn verify(operation: &str, subject: &str, expected: &[f32], found: &[f32]) -> Result<(), String> {
    let differ =
        |(a, b): &(&f32, &f32)| a != b && ((*a - *b).abs() > 1e-3 * (1.0 + a.abs()) || a.is_finite() != b.is_finite());
    let wrong = expected.iter().zip(found).filter(differ).count();
    if expected.len() == found.len() && wrong <= expected.len() / TOLERATED {
        Ok(())
    } else {
        Err(format!("{subject} answers {wrong} of {} differently in {operation}", expected.len()))
    }
}
