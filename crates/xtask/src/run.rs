//! Commands: started at the workspace's root, echoed, without standard input.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

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
/// written when it has ended. A processor whose command has failed takes no other; the error names that command.
pub(crate) fn run_side_by_side<I: Iterator<Item = Command> + Send>(commands: I) -> Result<(), String> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let commands = Mutex::new(commands);
    let next = || commands.lock().map_err(|error| error.to_string()).map(|mut commands| commands.next());
    let work = || {
        while let Some(mut command) = next()? {
            run_quietly(&mut command)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())))
    })
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

/// What cargo tells of the packages.
pub(crate) fn metadata(arguments: &str) -> Result<Value, String> {
    let text = output(&mut cargo(&format!("metadata --format-version 1 {arguments}")))?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn commands_side_by_side_fail_if_one_does() {
        let all = |programs: &'static [&str]| run_side_by_side(programs.iter().map(Command::new));
        assert_eq!(all(&["true"; 9]), Ok(()));
        assert!(all(&["true", "true", "false", "true", "true"]).unwrap_err().contains("`false` ended with"));
        assert!(all(&["true", "no-such-program"]).unwrap_err().contains("did not start"));
    }
}
