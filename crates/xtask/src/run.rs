//! Commands: started at the workspace's root, echoed, without standard input.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// How a step ended, if it did not fail.
pub(crate) enum Outcome {
    /// Everything ran and passed.
    Done,
    /// It cannot run on this machine, and need not.
    Skipped(&'static str),
}

/// The directory of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").components().collect()
}

/// A subdirectory of the target directory, for builds with flags of their own.
pub(crate) fn target_dir(name: &str) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join(name)
}

/// Removes a build that no other step of `.ci/run` uses, where that runs: the disk of its machine may be small.
pub(crate) fn remove_build(directory: &Path) -> Result<(), String> {
    if std::env::var_os("XTASK_REMOVE_BUILDS").is_none() || !directory.exists() {
        return Ok(());
    }
    std::fs::remove_dir_all(directory).map_err(|error| format!("cannot remove {}: {error}", directory.display()))
}

/// A cargo command; `arguments` are separated by spaces.
pub(crate) fn cargo(arguments: &str) -> Command {
    command("cargo", arguments)
}

/// Builds a program of the workspace, and returns its file. It has the features that the workspace's
/// tests have: Cargo unites those of all packages, and of their tests too once a test or an example is
/// named. So nothing is compiled that `cargo test --workspace` has compiled before.
pub(crate) fn program(name: &str) -> Result<PathBuf, String> {
    run(&mut cargo(&format!("build --locked --workspace --bin {name} --example pair_budget")))?;
    Ok(target_dir("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// A cargo command of the nightly toolchain.
pub(crate) fn cargo_nightly(arguments: &str) -> Command {
    command("rustup", &format!("run nightly cargo {arguments}"))
}

fn command(program: &str, arguments: &str) -> Command {
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace()).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs a command to its end; an error names it.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let line = shown(command);
    println!("    $ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` ended with {status}")),
        Err(error) => Err(format!("`{line}` did not start: {error}")),
    }
}

/// Runs commands that keep one processor busy each, as many at a time as there are processors, and prints what each has
/// written when it has ended. The error names the first in the list that failed; all are run.
pub(crate) fn run_side_by_side<const N: usize>(commands: [Command; N]) -> Result<(), String> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = Mutex::new(commands.into_iter().enumerate());
    let ended: [OnceLock<Result<(), String>>; N] = std::array::from_fn(|_| OnceLock::new());
    std::thread::scope(|scope| {
        for _ in 0..workers.min(N) {
            scope.spawn(|| {
                loop {
                    let taken = next.lock().map_or(None, |mut next| next.next());
                    let Some((index, mut command)) = taken else { break };
                    let _ = ended[index].set(run_quietly(&mut command));
                }
            });
        }
    });
    ended.into_iter().try_for_each(|ended| ended.into_inner().unwrap_or_else(|| Err("a command was not run".into())))
}

/// Runs a command to its end, and then prints what it has written; an error names it.
fn run_quietly(command: &mut Command) -> Result<(), String> {
    let line = shown(command);
    println!("    $ {line}");
    let output = command.output().map_err(|error| format!("`{line}` did not start: {error}"))?;
    let written = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    println!("    $ {line}: {}\n{}", output.status, written.concat());
    if output.status.success() { Ok(()) } else { Err(format!("`{line}` ended with {}", output.status)) }
}

/// What cargo tells of the packages, as JSON.
pub(crate) fn metadata(arguments: &str) -> Result<String, String> {
    output(&mut cargo(&format!("metadata --format-version 1 {arguments}")))
}

/// Runs a command to its end and returns what it prints; an error names it.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let line = shown(command);
    println!("    $ {line}");
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("`{line}` did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{line}`: {error}"))
}

/// Whether a command runs and succeeds; its output is dropped.
pub(crate) fn succeeds(program: &str, arguments: &str) -> bool {
    command(program, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn shown(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables = variables.map(|(name, value)| format!("{}='{}'", name.display(), value.display()));
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    variables.chain(words.map(|word| word.display().to_string())).collect::<Vec<_>>().join(" ")
}
