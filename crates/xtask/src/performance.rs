//! `cargo xtask performance`: measures, and writes the page of figures.

use crate::run::{self, cargo, output, target_dir};
use clap::{Args, ValueEnum};
use std::process::Command;

/// What is recorded, and where.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Measures everything first, or what is named: some hours on a machine that does nothing else.
    #[arg(long, value_enum, value_delimiter = ',', num_args = 0.., value_name = "WHAT")]
    record: Option<Vec<What>>,
    /// The machine's folder in `benches/record`.
    #[arg(long, default_value = "xeon-emerald-rapids-2cores")]
    machine: String,
    /// Few rounds: to see that all works.
    #[arg(long)]
    quick: bool,
    /// With Embree and Bullet, which need a C and a C++ compiler and the system's libraries (Debian:
    /// libembree-dev, libbullet-dev, and a C++20 compiler for tinybvh).
    #[arg(long)]
    native: bool,
}

/// A record.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The scenes that nobody tuned for, from 100 to 4M objects.
    Sweep,
    /// One parameter varied: what is plotted.
    Series,
    /// All operations on the project's own scenes, events and threads too.
    Scenes,
    /// The same of 100,000 objects, compiled for any processor.
    Default,
    /// Meshes, compiled for newer processors and for any.
    Meshes,
}

/// The flags of the records, but of those compiled for any processor.
const FLAGS: &str = "-C target-cpu=x86-64-v3";

/// Records if asked to, and writes the page.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    if let Some(chosen) = &arguments.record {
        let chosen = if chosen.is_empty() { What::value_variants() } else { chosen };
        for what in chosen {
            what.record(arguments)?;
        }
    }
    page(&["--machine", &arguments.machine])
}

/// Whether page and figures are those of the records.
pub(crate) fn check() -> Result<(), String> {
    page(&["--check"])
}

/// Runs the program that writes and checks the page.
fn page(arguments: &[&str]) -> Result<(), String> {
    run::run(Command::new(run::program("performance")?).args(arguments).current_dir(run::root()))
}

impl What {
    fn record(self, arguments: &Arguments) -> Result<(), String> {
        let day = output(Command::new("date").args(["-u", "+%F"]))?;
        let file = |kind: &str| format!("benches/record/{}/{}-{kind}.csv", arguments.machine, day.trim());
        let few = if arguments.quick { "--quick" } else { "" };
        let rounds = if arguments.quick { "--rounds 3 --questions 500" } else { "" };
        let mesh_rounds = if arguments.quick { "--rounds 1" } else { "" };
        match self {
            Self::Sweep => {
                let csv = file("sweep-x86-64-v3");
                compare(arguments, true, "compare", &format!("sweep --large {few} --csv {csv}"))
            }
            Self::Series => {
                let (csv, all) = (file("series-x86-64-v3"), "number,size-ratio,aspect-ratio,density");
                compare(arguments, true, "compare", &format!("sweep --series {all} {few} --csv {csv}"))
            }
            Self::Scenes => compare(arguments, true, "compare", &format!("{rounds} --csv {}", file("x86-64-v3"))),
            Self::Default => {
                let csv = file("default");
                compare(arguments, false, "compare", &format!("--counts 100000 {rounds} --csv {csv}"))
            }
            Self::Meshes => {
                let csv = file("meshes-x86-64-v3");
                compare(arguments, true, "compare_meshes", &format!("{mesh_rounds} --csv {csv}"))?;
                let csv = file("meshes-default");
                compare(arguments, false, "compare_meshes", &format!("{mesh_rounds} --csv {csv}"))
            }
        }
    }
}

fn compare(arguments: &Arguments, newer: bool, program: &str, rest: &str) -> Result<(), String> {
    let features = if arguments.native { "peers,embree,bullet,tinybvh" } else { "peers" };
    let mut command = cargo(&format!("run --release -p benches --features {features} --bin {program} -- {rest}"));
    if newer {
        command.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", target_dir("v3"));
    }
    run::run(&mut command)
}
