//! The sweep: `compare sweep`.

use benches::caches::Flush;
use benches::cases::Case;
use benches::machine::Machine;
use benches::record::{Row, details, write_csv};
use benches::sweep::{COUNT, Effort, Measure, drawn, large, losses, run as run_scene, standard, summary};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use workloads::sweep::{Named, Series, seed_from_hash};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Build,
    Frame,
    Events,
    Pairs,
    Box,
    Ray,
    Memory,
}

/// A parameter that scenes vary.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Varied {
    Number,
    SizeRatio,
    AspectRatio,
    Density,
}

impl Varied {
    fn series(self) -> Series {
        match self {
            Self::Number => Series::Number,
            Self::SizeRatio => Series::SizeRatio,
            Self::AspectRatio => Series::AspectRatio,
            Self::Density => Series::Density,
        }
    }
}

impl Choice {
    fn measure(self) -> Measure {
        match self {
            Self::Build => Measure::Build,
            Self::Frame => Measure::Frame,
            Self::Events => Measure::Events,
            Self::Pairs => Measure::Pairs,
            Self::Box => Measure::Box,
            Self::Ray => Measure::Ray,
            Self::Memory => Measure::Memory,
        }
    }
}

/// What to sweep over: the fixed scenes and small worlds, unless said otherwise.
#[derive(Args)]
pub(crate) struct Arguments {
    /// So many scenes drawn from the seed, besides.
    #[arg(long, default_value_t = 0, requires = "seed")]
    draws: u32,
    /// The hash of a commit that the draws come from: that before the measured one, so that nobody picks them.
    #[arg(long)]
    seed: Option<String>,
    /// A million and four million objects beside two peers, besides.
    #[arg(long)]
    large: bool,
    /// In place of all these, the scene `even` with one parameter varied: what is plotted.
    #[arg(long, value_delimiter = ',', value_enum, conflicts_with_all = ["draws", "large"])]
    series: Vec<Varied>,
    /// Scenes of these names alone.
    #[arg(long = "scene", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Scenes with this many objects alone.
    #[arg(long = "count", value_delimiter = ',')]
    counts: Vec<usize>,
    /// These operations alone.
    #[arg(long = "operation", value_delimiter = ',', value_enum)]
    operations: Vec<Choice>,
    /// Three rounds and few questions: to see that all works.
    #[arg(long)]
    quick: bool,
    /// Rounds behind each median.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Questions of a kind, no two alike: so many that no branch predictor can learn them. A cold block asks 200 of them.
    #[arg(long, default_value_t = 8000)]
    questions: usize,
    /// Where to write every subject's result, after every scene.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Prints every subject's result.
    #[arg(long)]
    details: bool,
    /// Prints the scenes and what they are made of, and measures nothing.
    #[arg(long)]
    list: bool,
}

impl Arguments {
    /// The scenes that are asked for; `None` if the seed is no hash.
    fn list_scenes(&self) -> Option<Vec<Named>> {
        let mut scenes = match self.series.as_slice() {
            [] => standard(),
            varied => varied.iter().flat_map(|varied| varied.series().scenes(COUNT)).collect(),
        };
        if let Some(hash) = &self.seed {
            scenes.extend(drawn(self.draws, seed_from_hash(hash)?));
        }
        if self.large {
            scenes.extend(large());
        }
        scenes.retain(|named| {
            let has_count = self.counts.contains(&(named.parameters.count as usize));
            (self.scenes.is_empty() || self.scenes.contains(&named.name)) && (self.counts.is_empty() || has_count)
        });
        Some(scenes)
    }

    fn effort(&self) -> Effort {
        if self.quick {
            Effort { rounds: 3, questions: 100 }
        } else {
            Effort { rounds: self.rounds, questions: self.questions }
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let Some(scenes) = arguments.list_scenes() else {
        eprintln!("the seed is no hash of at least 16 hexadecimal digits");
        return ExitCode::FAILURE;
    };
    if scenes.is_empty() {
        eprintln!("there is no such scene; `--list` prints all");
        return ExitCode::FAILURE;
    }
    if arguments.list {
        scenes.iter().for_each(|Named { name, parameters }| println!("{name}: {parameters:?}"));
        return ExitCode::SUCCESS;
    }
    let (machine, flush, effort) = (Machine::here(), Flush::default(), arguments.effort());
    let Machine { processor, compiler, features, flags, commit } = &machine;
    println!("{processor}; {compiler}; {features}; RUSTFLAGS `{flags}`; commit {commit}");
    println!("{} rounds; {} questions; {}\n", effort.rounds, effort.questions, flush.note());
    let measures: Vec<Measure> = match arguments.operations.as_slice() {
        [] => Measure::ALL.into(),
        chosen => chosen.iter().map(|choice| choice.measure()).collect(),
    };
    let command = format!("{} ({})", super::command(), flush.note());
    let mut rows: Vec<Row> = Vec::new();
    for (number, named) in scenes.iter().enumerate() {
        eprintln!("{}/{}: {}, {} objects", number + 1, scenes.len(), named.name, named.parameters.count);
        let case = Case::of_sweep(named, benches::sweep::FRAMES, effort.questions);
        if measures.contains(&Measure::Memory) {
            rows.extend(super::memory(&case));
        }
        rows.extend(run_scene(&case, &measures, effort, &flush));
        if let Some(path) = &arguments.csv
            && let Err(error) = write_csv(path, &machine, &command, &rows)
        {
            eprintln!("cannot write {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    println!("{}\n{}", summary(&rows), losses(&rows));
    if arguments.details {
        println!("{}", details(&rows));
    }
    ExitCode::SUCCESS
}
