//! `cargo xtask ci [STEP...]`: the one door for checks; other commands: interfaces and packages beside the library.
//!
//! What a step runs is in `steps`, how it is run and reported in `run`.

mod api;
mod c;
mod engines;
mod guide;
mod links;
mod msrv;
mod package;
mod performance;
mod python;
mod run;
mod scalar;
mod steps;
mod surface;
mod unoptimised;
mod web;

use clap::{Parser, Subcommand};
use run::Outcome;
use std::process::ExitCode;
use std::time::Instant;
use steps::Step;

/// Development tasks of the broadleaf workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs the checks: the given steps in the given order, or all of them.
    Ci {
        /// The steps to run; all of them if none is given.
        #[arg(value_enum)]
        steps: Vec<Step>,
        /// Runs the remaining steps after one has failed.
        #[arg(long)]
        keep_going: bool,
    },
    /// The C and the C++ interface: builds and tests it, writes its header, installs it.
    C {
        /// What to do; every check if nothing is said.
        #[command(subcommand)]
        task: Option<c::Task>,
    },
    /// Writes docs/performance.md, its plots and all quoted figures from the newest records.
    Performance(performance::Arguments),
    /// The library's public interface, as a listing that is kept in the repository.
    Api {
        /// Compares with the listing of a revision, and says whether the version covers the difference.
        #[arg(long, value_name = "REVISION")]
        against: Option<String>,
    },
    /// Builds the Python package as one wheel and tests it.
    Python {
        /// Only builds the wheel.
        #[arg(long)]
        wheel: bool,
    },
    /// Runs the guide's code, compares its pictures with what is drawn, builds the book, checks its links.
    Guide,
    /// Draws the pictures of the guide and of the README.
    Pictures {
        /// Measures anew what the plots of settings show.
        #[arg(long)]
        measure: bool,
    },
    /// Builds and tests the packages that connect broadleaf with an engine.
    Engines {
        /// The packages, by the last part of their paths; all of them if none is given.
        names: Vec<String>,
    },
    /// Builds the viewer's module and page and tests them.
    Web {
        /// Only builds the page.
        #[arg(long)]
        page: bool,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Ci { steps, keep_going } => ci(if steps.is_empty() { Step::ALL } else { &steps }, keep_going),
        Task::C { task } => report("c", || task.unwrap_or(c::Task::Check).run()),
        Task::Performance(arguments) => report("performance", || performance::run(&arguments)),
        Task::Api { against: None } => report("api", api::write),
        Task::Api { against: Some(revision) } => report("api", || api::against(&revision)),
        Task::Python { wheel } => report("python", || python::python(wheel)),
        Task::Guide => report("guide", guide::check),
        Task::Pictures { measure } => report("pictures", || guide::pictures(measure)),
        Task::Engines { names } => report("engines", || engines::engines(&names)),
        Task::Web { page } => report("web", || web::web(page)),
    }
}

/// Runs a task, and tells how it ended.
fn report(name: &str, task: impl FnOnce() -> Result<(), String>) -> ExitCode {
    let start = Instant::now();
    let outcome = task();
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(()) => {
            println!("{name}: passed in {seconds:.1} s");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("{name}: FAILED after {seconds:.1} s: {why}");
            ExitCode::FAILURE
        }
    }
}

fn ci(steps: &[Step], keep_going: bool) -> ExitCode {
    let start = Instant::now();
    let mut failed = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        println!("==> [{}/{}] {}: {}", index + 1, steps.len(), step.name(), step.about());
        let step_start = Instant::now();
        let outcome = step.run();
        let seconds = step_start.elapsed().as_secs_f64();
        match outcome {
            Ok(Outcome::Done) => println!("<== {} passed in {seconds:.1} s", step.name()),
            Ok(Outcome::Skipped(why)) => println!("<== {} skipped: {why}", step.name()),
            Err(why) => {
                println!("<== {} FAILED after {seconds:.1} s: {why}", step.name());
                failed.push(step.name());
                if !keep_going {
                    break;
                }
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if failed.is_empty() {
        println!("ci: every step passed in {seconds:.1} s");
        ExitCode::SUCCESS
    } else {
        println!("ci: FAILED after {seconds:.1} s: {}", failed.join(", "));
        ExitCode::FAILURE
    }
}
