//! The steps: one function each, in the order in which `ci` runs them.

use crate::api;
use crate::links;
use crate::msrv;
use crate::package;
use crate::performance;
use crate::run::{
    Outcome, cargo, cargo_nightly, metadata, program, remove_build, root, run, run_side_by_side, succeeds, target_dir,
};
use crate::scalar;
use crate::surface;
use crate::unoptimised;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::process::Command;

/// The fuzz targets, the runs of each, and the seconds after which a slow machine stops early.
const FUZZ_TARGETS: [&str; 5] = ["tree_ops", "queries", "pairs", "snapshot", "mesh_build"];
const FUZZ_RUNS: u32 = 1_000;
const FUZZ_SECONDS: u32 = 120;

/// Feature sets of the core crate other than the default; the first is empty.
const FEATURE_SETS: [&str; 6] = ["", "std", "std,parallel", "snapshot", "std,parallel,serde,mint", "tracing"];

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Test,
    Fmt,
    Clippy,
    Doc,
    Links,
    Surface,
    Api,
    Package,
    Figures,
    Msrv,
    Features,
    Glam,
    V3,
    Scalar,
    Benches,
    Fuzz,
    Instructions,
    Unoptimised,
}

impl Step {
    /// Every step, in order.
    pub(crate) const ALL: &'static [Self] = &[
        Self::Test,
        Self::Fmt,
        Self::Clippy,
        Self::Doc,
        Self::Links,
        Self::Surface,
        Self::Api,
        Self::Package,
        Self::Figures,
        Self::Msrv,
        Self::Features,
        Self::Glam,
        Self::V3,
        Self::Scalar,
        Self::Benches,
        Self::Fuzz,
        Self::Instructions,
        Self::Unoptimised,
    ];

    /// The word that names the step on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Doc => "doc",
            Self::Links => "links",
            Self::Surface => "surface",
            Self::Api => "api",
            Self::Package => "package",
            Self::Figures => "figures",
            Self::Msrv => "msrv",
            Self::Features => "features",
            Self::Glam => "glam",
            Self::V3 => "v3",
            Self::Scalar => "scalar",
            Self::Benches => "benches",
            Self::Fuzz => "fuzz",
            Self::Instructions => "instructions",
            Self::Unoptimised => "unoptimised",
        }
    }

    /// What the step checks.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Test => "every test of the workspace",
            Self::Fmt => "formatting",
            Self::Clippy => "lints, warnings denied, in every feature set",
            Self::Doc => "documentation builds without warnings",
            Self::Links => "links of Markdown files and of the library's documentation",
            Self::Surface => "how many methods and types the documentation lists",
            Self::Api => "the listing of the public interface is up to date, and the version covers what changed",
            Self::Package => "the library can be published, in less than a megabyte",
            Self::Figures => "the page of figures and all quoted figures are those of the records",
            Self::Msrv => "no dependency of the library needs a newer Rust than the library promises",
            Self::Features => "the spans of the feature `tracing`",
            Self::Glam => "a crate that takes the library without the standard library, and the oldest glam",
            Self::V3 => "the core crate's unit and integration tests with AVX2 code",
            Self::Scalar => "the core crate's tests without vector instructions",
            Self::Benches => "every bench compiles and runs once",
            Self::Fuzz => "every fuzz target, a fixed number of runs from a fixed seed",
            Self::Instructions => "instruction counts against the recorded ones",
            Self::Unoptimised => "what terminals cost an unoptimised caller, against an optimised one",
        }
    }

    /// Runs the step.
    pub(crate) fn run(self) -> Result<Outcome, String> {
        match self {
            Self::Test => test(),
            Self::Fmt => fmt(),
            Self::Clippy => clippy(),
            Self::Doc => doc(),
            Self::Links => links(),
            Self::Surface => surface(),
            Self::Api => api(),
            Self::Package => package(),
            Self::Figures => figures(),
            Self::Msrv => msrv(),
            Self::Features => features(),
            Self::Glam => glam(),
            Self::V3 => v3(),
            Self::Scalar => scalar(),
            Self::Benches => benches(),
            Self::Fuzz => fuzz(),
            Self::Instructions => instructions(),
            Self::Unoptimised => unoptimised(),
        }
    }
}

impl ValueEnum for Step {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}

fn test() -> Result<Outcome, String> {
    run(&mut cargo("test --workspace"))?;
    Ok(Outcome::Done)
}

fn fmt() -> Result<Outcome, String> {
    run(&mut cargo("fmt --all --check"))?;
    run(&mut cargo("fmt --all --check --manifest-path fuzz/Cargo.toml"))?;
    run(&mut cargo("fmt --check --manifest-path crates/glam-0-33/Cargo.toml"))?;
    Ok(Outcome::Done)
}

fn clippy() -> Result<Outcome, String> {
    run(&mut cargo("clippy --workspace --all-targets -- -D warnings"))?;
    for set in FEATURE_SETS {
        run(&mut cargo(&format!("clippy -p broadleaf --lib --no-default-features --features={set} -- -D warnings")))?;
    }
    Ok(Outcome::Done)
}

fn doc() -> Result<Outcome, String> {
    run(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Outcome::Done)
}

fn links() -> Result<Outcome, String> {
    links::check()?;
    Ok(Outcome::Done)
}

fn surface() -> Result<Outcome, String> {
    surface::check()?;
    Ok(Outcome::Done)
}

fn api() -> Result<Outcome, String> {
    api::check()?;
    Ok(Outcome::Done)
}

fn package() -> Result<Outcome, String> {
    package::check()?;
    Ok(Outcome::Done)
}

fn figures() -> Result<Outcome, String> {
    performance::check()?;
    Ok(Outcome::Done)
}

fn msrv() -> Result<Outcome, String> {
    msrv::check()?;
    Ok(Outcome::Done)
}

/// Only the spans: `clippy` compiles every set of features, and the default set is the `test` step's.
/// Without default features no test of the library itself can run, since what its tests depend on
/// enables them again; the package of the `glam` step does that.
fn features() -> Result<Outcome, String> {
    // With another feature the library and what depends on it are compiled again; without optimisation that takes a
    // third of the time.
    run(cargo("test -p broadleaf --features tracing --test spans").env("CARGO_PROFILE_DEV_OPT_LEVEL", "0"))?;
    Ok(Outcome::Done)
}

/// The package has a lock file of its own, in which Cargo was told to choose the older glam.
fn glam() -> Result<Outcome, String> {
    let directory = target_dir("glam-0-33");
    run(cargo("test --manifest-path crates/glam-0-33/Cargo.toml").env("CARGO_TARGET_DIR", &directory))?;
    remove_build(&directory)?;
    Ok(Outcome::Done)
}

fn v3() -> Result<Outcome, String> {
    if !runs_v3() {
        return Ok(Outcome::Skipped("this processor lacks AVX2 or FMA"));
    }
    let directory = target_dir("v3");
    run(cargo("test -p broadleaf --lib --test it")
        .env("RUSTFLAGS", "-C target-cpu=x86-64-v3")
        .env("CARGO_TARGET_DIR", &directory))?;
    remove_build(&directory)?;
    Ok(Outcome::Done)
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn runs_v3() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2")
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn runs_v3() -> bool {
    false
}

fn scalar() -> Result<Outcome, String> {
    scalar::check()?;
    Ok(Outcome::Done)
}

/// In the profile of tests, so that what the `test` step has compiled is used again. Without the argument `--bench`,
/// which `cargo bench` alone passes, Criterion runs each bench once.
fn benches() -> Result<Outcome, String> {
    let names: String = bench_names()?.iter().map(|name| format!(" --bench {name}")).collect();
    run(&mut cargo(&format!("test --workspace{names}")))?;
    Ok(Outcome::Done)
}

/// The workspace's benches, but those that need a feature: instruction counts have a step of their own.
fn bench_names() -> Result<Vec<String>, String> {
    let metadata = metadata("--locked --no-deps")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let benches = targets.filter(|target| target["kind"][0] == "bench" && target["required-features"].is_null());
    let names: Vec<String> = benches.filter_map(|target| Some(target["name"].as_str()?.to_owned())).collect();
    if names.is_empty() { Err("cargo metadata: no benches".to_owned()) } else { Ok(names) }
}

fn fuzz() -> Result<Outcome, String> {
    if !succeeds("rustup", "run nightly rustc --version") {
        return Err("fuzzing needs a nightly toolchain: run `rustup toolchain install nightly`".into());
    }
    if !succeeds("cargo", "fuzz --version") {
        return Err("fuzzing needs cargo-fuzz: run `cargo install --locked cargo-fuzz`".into());
    }
    run(&mut cargo_nightly("fuzz build"))?;
    run_side_by_side(FUZZ_TARGETS.iter().map(|target| {
        let limits = format!(
            "-seed=1 -runs={FUZZ_RUNS} -max_total_time={FUZZ_SECONDS} -max_len=4096 -len_control=0 -timeout=60 -print_funcs=0"
        );
        cargo_nightly(&format!("fuzz run {target} -- {limits}"))
    }))?;
    remove_build(&root().join("fuzz/target"))?;
    Ok(Outcome::Done)
}

fn instructions() -> Result<Outcome, String> {
    require_valgrind()?;
    if !installed("iai-callgrind-runner") {
        return Err(
            "instruction counts need their runner: run `cargo install --locked iai-callgrind-runner --version 0.16.1`"
                .into(),
        );
    }
    run(&mut cargo("bench -p benches --features callgrind --bench instructions -- --save-summary=json"))?;
    run(Command::new(program("gate")?).current_dir(root()))?;
    Ok(Outcome::Done)
}

fn unoptimised() -> Result<Outcome, String> {
    require_valgrind()?;
    unoptimised::check()?;
    Ok(Outcome::Done)
}

fn require_valgrind() -> Result<(), String> {
    if succeeds("valgrind", "--version") {
        return Ok(());
    }
    Err("instruction counts need valgrind: install your system's package".into())
}

/// Whether a program is on the path; this one answers no question about itself.
fn installed(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}
