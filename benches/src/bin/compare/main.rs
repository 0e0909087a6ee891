//! Runs broadleaf and its peers side by side and prints the record.
//!
//! `cargo run --release -p benches --features peers --bin compare -- --help`

mod sweep;

use benches::caches::Caches;
use benches::cases::Case;
use benches::contest::Contest;
use benches::events::cases::EventCase;
use benches::machine::Machine;
use benches::ready::prepare;
use benches::record::{Row, details, table, threads_note, write_csv};
use benches::subjects::{Broadleaf, Bvh2, Operation, PLAIN_TREE, Parry, Plain, Rstar, Subject, World};
use clap::{Parser, Subcommand, ValueEnum};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Frame,
    Pairs,
    Update,
    Build,
    Box,
    Sphere,
    Frustum,
    Ray,
    Nearest,
    Sweep,
    Batch,
    Memory,
    Threads,
    Events,
}

impl Choice {
    fn operation(self) -> Option<Operation> {
        Some(match self {
            Self::Frame => Operation::Frame,
            Self::Pairs => Operation::Pairs,
            Self::Update => Operation::Update,
            Self::Build => Operation::Build,
            Self::Box => Operation::Box,
            Self::Sphere => Operation::Sphere,
            Self::Frustum => Operation::Frustum,
            Self::Ray => Operation::Ray,
            Self::Nearest => Operation::Nearest,
            Self::Sweep => Operation::Sweep,
            Self::Batch | Self::Memory | Self::Threads | Self::Events => return None,
        })
    }
}

/// The scenes of the full record; from `rest` on, of events alone.
const SCENES: &str = "uniform,clustered,mixed,pile,city,spheres,\
    rest,leap,recorded-pile,recorded-tower,recorded-drum,recorded-level";

/// Compares broadleaf with its peers: one process, interleaved rounds, verified answers.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// What to measure; everything if not given.
    #[arg(long, value_delimiter = ',', value_enum)]
    operations: Vec<Choice>,
    /// On which scenes.
    #[arg(long, value_delimiter = ',', default_value = SCENES)]
    scenes: Vec<String>,
    /// With how many objects.
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    counts: Vec<usize>,
    /// Rounds behind each median.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Questions of a kind, no two alike: so many that no branch predictor can learn them.
    #[arg(long, default_value_t = 8000)]
    questions: usize,
    /// Asks without a round untimed before: then the tree is where other
    /// subjects' memory was, not where the update of a frame has left it.
    #[arg(long)]
    cold: bool,
    /// Where to write every subject's result.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Prints every subject's result, not the best peer's alone.
    #[arg(long)]
    details: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Runs scenes that nobody tuned for, warm and cold.
    Sweep(sweep::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Command::Sweep(arguments)) = &arguments.command {
        return sweep::run(arguments);
    }
    let machine = Machine::here();
    let Machine { processor, compiler, features, commit, .. } = &machine;
    println!("{processor}; {compiler}; {features}; commit {commit}; {} rounds\n", arguments.rounds);
    let choices = match arguments.operations.as_slice() {
        [] => Choice::value_variants(),
        chosen => chosen,
    };
    let mut rows = Vec::new();
    for scene in &arguments.scenes {
        for &count in &arguments.counts {
            eprintln!("{scene}, {count} objects");
            if choices.contains(&Choice::Events) && (!EventCase::is_recorded(scene) || count == arguments.counts[0]) {
                let Some(case) = EventCase::new(scene, count) else {
                    eprintln!("there is no scene `{scene}`");
                    return ExitCode::FAILURE;
                };
                rows.extend(benches::events::contest::run(&case, arguments.rounds));
            }
            if choices == [Choice::Events] || EventCase::is_special(scene) {
                continue;
            }
            let frames = if count > 300_000 { 4 } else { 12 };
            let Some(case) = Case::with_questions(scene, count, frames, arguments.questions) else {
                eprintln!("there is no scene `{scene}`");
                return ExitCode::FAILURE;
            };
            rows.extend(run(&case, choices, &arguments));
        }
    }
    // Lines of one operation together, in the order of the first case.
    rows.sort_by_key(|row| choices.iter().position(|choice| row.operation.starts_with(&name(*choice))));
    println!("{}", table(&rows, "broadleaf"));
    println!("{}", threads_note(&rows));
    if arguments.details {
        println!("{}", details(&rows));
    }
    if let Some(path) = &arguments.csv
        && let Err(error) = write_csv(path, &machine, &command(), &rows)
    {
        eprintln!("cannot write {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// What this program was called with.
fn command() -> String {
    format!("compare {}", std::env::args().skip(1).collect::<Vec<_>>().join(" "))
}

fn name(choice: Choice) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn run(case: &Case, choices: &[Choice], arguments: &Arguments) -> Vec<Row> {
    let wants = |choice| choices.contains(&choice);
    let operations: Vec<Operation> = choices.iter().filter_map(|choice| choice.operation()).collect();
    let mut rows = Vec::new();
    // First, before anything else has grown the heap.
    if wants(Choice::Memory) {
        rows.extend(memory(case));
    }
    let caches = if arguments.cold { Caches::Shared } else { Caches::Warm };
    let mut contest = Contest::new(case, benches::subjects::all(), &operations, arguments.rounds, caches);
    if wants(Choice::Build) {
        contest.build();
    }
    if case.questions() {
        for choice in [Choice::Box, Choice::Sphere, Choice::Frustum] {
            if let Some(operation) = choice.operation().filter(|_| wants(choice)) {
                contest.questions(operation);
            }
        }
        for choice in [Choice::Ray, Choice::Nearest, Choice::Sweep] {
            if let Some(operation) = choice.operation().filter(|_| wants(choice)) {
                contest.distances(operation);
            }
        }
        if wants(Choice::Batch) {
            contest.batches();
        }
    }
    if wants(Choice::Batch) || wants(Choice::Threads) {
        contest.apart();
    }
    if wants(Choice::Pairs) {
        contest.pairs();
    }
    if wants(Choice::Threads) {
        contest.threads();
        contest.build_threads();
    }
    if wants(Choice::Update) {
        contest.frames(Operation::Update);
    }
    if wants(Choice::Frame) {
        contest.frames(Operation::Frame);
    }
    rows.append(&mut contest.rows);
    rows
}

/// Heap bytes per object that stay allocated after a build, without the caller's list of handles.
fn memory(case: &Case) -> Vec<Row> {
    let row = |subject: &str, bytes: usize| Row {
        operation: "memory".to_owned(),
        caches: "",
        scene: case.scene.clone(),
        count: case.count,
        subject: subject.to_owned(),
        value: bytes as f64 / case.count.max(1) as f64,
        least: bytes as f64 / case.count.max(1) as f64,
        unit: "bytes/object".to_owned(),
        rounds: 1,
        answers: case.count as u64,
    };
    let mut tree = Broadleaf::default();
    let own = kept(&mut tree, &case.world).saturating_sub(tree.outside_bytes());
    vec![
        row("broadleaf", own),
        row("broadleaf, as it reports", tree.tree().memory().total()),
        row("broadleaf, scratch", tree.tree().memory().scratch),
        row("parry3d Bvh", kept(&mut Parry::default(), &case.world)),
        row("rstar", kept(&mut Rstar::default(), &case.world)),
        row("obvhs Bvh2", kept(&mut Bvh2::default(), &case.world)),
        row(PLAIN_TREE, kept(&mut Plain::default(), &case.world)),
    ]
}

fn kept(subject: &mut dyn Subject, world: &World) -> usize {
    let region = Region::new(HEAP);
    subject.build(world);
    let change = region.change();
    let kept = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
    prepare(subject, world);
    kept
}
