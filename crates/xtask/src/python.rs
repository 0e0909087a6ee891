//! `cargo xtask python`: builds the Python package and tests it.
//!
//! The crate is compiled twice, for every x86-64 and for x86-64-v3, and packed into
//! one wheel. What is tested is that wheel, in virtual environments of its own.

use crate::run::{cargo, remove_build, root, run, target_dir};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate, in the workspace's directory but not in the workspace.
const CRATE: &str = "crates/broadleaf-python";

/// Imports the package and runs the examples of its front page.
const SMOKE: &str = "import broadleaf, doctest; print(broadleaf.LEVEL); assert not doctest.testmod(broadleaf).failed";

/// Builds the wheel, and tests it unless only the wheel is wanted.
pub(crate) fn python(wheel_only: bool) -> Result<(), String> {
    let environment = Environment::new("tools")?;
    environment.pip(&["install", "-q", "-r", "requirements.txt"])?;
    let wheel = wheel(&environment)?;
    println!("    wheel: {}", wheel.display());
    if wheel_only {
        return Ok(());
    }
    lint()?;
    install(&environment, &wheel)?;
    check(&environment, &wheel)?;
    remove_build(&target_dir("python"))
}

/// A virtual environment below the target directory.
struct Environment(PathBuf);

impl Environment {
    /// The environment of this name; made if it is missing.
    fn new(name: &str) -> Result<Self, String> {
        let path = target_dir("python").join(name);
        if !path.join("bin/python").exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&path))?;
        }
        Ok(Self(path))
    }

    /// A new environment of this name.
    fn fresh(name: &str) -> Result<Self, String> {
        let path = target_dir("python").join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Self::new(name)
    }

    /// A Python command, started in the crate.
    fn python(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.interpreter());
        command.args(arguments).current_dir(root().join(CRATE));
        command.env("CARGO_TARGET_DIR", target_dir("python")).env_remove("BROADLEAF_LEVEL");
        command
    }

    fn interpreter(&self) -> PathBuf {
        self.0.join("bin/python")
    }

    fn pip(&self, arguments: &[&str]) -> Result<(), String> {
        run(self.python(&["-m", "pip", "--disable-pip-version-check"]).args(arguments))
    }
}

/// The wheel: with a second module where the processor level is known, as maturin makes it elsewhere.
fn wheel(environment: &Environment) -> Result<PathBuf, String> {
    let baseline = build(environment, "baseline", "")?;
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(baseline);
    }
    let v3 = build(environment, "v3", "-C target-cpu=x86-64-v3")?;
    let wheels = target_dir("python").join("wheels");
    run(environment.python(&["tools/merge_wheels.py"]).args([&baseline, &v3, &wheels]))?;
    only_wheel(&wheels)
}

/// A wheel with one module, compiled with these flags.
fn build(environment: &Environment, name: &str, flags: &str) -> Result<PathBuf, String> {
    let directory = target_dir("python").join("wheels").join(name);
    // Wheels of other versions would be taken for this one.
    let _ = std::fs::remove_dir_all(&directory);
    let mut command = environment.python(&["-m", "maturin", "build", "--release", "--locked", "--interpreter"]);
    command.arg(environment.interpreter()).arg("--out").arg(&directory).env("RUSTFLAGS", flags);
    if !flags.is_empty() {
        command.env("CARGO_TARGET_DIR", target_dir("python").join(name));
    }
    run(&mut command)?;
    only_wheel(&directory)
}

fn only_wheel(directory: &Path) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut wheels = paths.filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheels.next().ok_or_else(|| format!("{}: no wheel", directory.display()))
}

fn lint() -> Result<(), String> {
    let manifest = format!("--manifest-path {CRATE}/Cargo.toml");
    run(&mut cargo(&format!("fmt --check {manifest}")))?;
    let mut clippy = cargo(&format!("clippy --locked --all-targets {manifest} -- -D warnings"));
    run(clippy.env("CARGO_TARGET_DIR", target_dir("python")))
}

/// The wheel in a bare environment, and `pip install .`; that with the interpreter of the
/// wheel, so that what is compiled already stays so.
fn install(environment: &Environment, wheel: &Path) -> Result<(), String> {
    let bare = Environment::fresh("bare")?;
    bare.pip(&["install", "-q", &wheel.display().to_string()])?;
    run(bare.python(&["-c", SMOKE]).current_dir(target_dir("python")))?;
    let source = target_dir("python").join("source");
    let _ = std::fs::remove_dir_all(&source);
    environment.pip(&["install", "-q", "--no-deps", "--target", &source.display().to_string(), "."])?;
    run(environment.python(&["-c", SMOKE]).current_dir(target_dir("python")).env("PYTHONPATH", &source))
}

/// Types, the tests on both levels, and the tutorial.
fn check(environment: &Environment, wheel: &Path) -> Result<(), String> {
    environment.pip(&["install", "-q", "--force-reinstall", "--no-deps", &wheel.display().to_string()])?;
    run(&mut environment.python(&["-m", "mypy", "-p", "broadleaf", "--no-incremental"]))?;
    run(&mut environment.python(&["-m", "mypy", "--no-incremental", "tests", "tools", "bench"]))?;
    run(&mut environment.python(&["-m", "mypy.stubtest", "broadleaf", "--allowlist", "stubtest.allow"]))?;
    for level in ["x86-64-v3", "baseline"] {
        // A processor without AVX2 has one level.
        if level != "baseline" && !crate::steps::runs_v3() {
            continue;
        }
        let mut tests = environment.python(&["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
        run(tests.env("BROADLEAF_LEVEL", level).env("BROADLEAF_WHEEL", wheel))?;
    }
    run(&mut environment.python(&["tools/run_notebook.py", "docs/tutorial.ipynb"]))
}
