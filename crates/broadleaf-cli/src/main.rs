//! `broadleaf`: runs, checks and draws the octree on recorded and synthetic scenes, and on models of triangles.

mod allocations;
mod args;
mod audit;
mod camera;
mod catalog;
mod check;
#[cfg(feature = "compare")]
mod compare;
mod effort;
mod file;
mod format;
mod limits;
mod mesh;
mod picture;
mod question;
mod replay;
mod report;
mod snapshot;
mod source;
mod statistics;
mod view;
mod world;

use anyhow::{Context as _, Result, bail};
use args::{Arguments, Command, Common, DrawArguments};
use clap::Parser as _;
use report::Report;
use serde::Serialize;
use source::Source;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// What the program replays when it is not told what.
const DEFAULT_RECORDING: &str = "pile";
/// Where the picture goes when the program is not told where.
const DEFAULT_PICTURE: &str = "broadleaf.png";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match dispatch(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // Nothing can be done if the error stream is closed.
            let _ = writeln!(std::io::stderr(), "broadleaf: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs the command; whether brute force agreed.
fn dispatch(Arguments { command, common }: Arguments) -> Result<bool> {
    let measures = matches!(command, None | Some(Command::Run(_) | Command::Replay { .. }));
    if common.picture.is_some() && !measures {
        bail!("--picture goes with run and replay; draw has --output, mesh has --out");
    }
    match command {
        None => {
            let picture = common.picture.clone().unwrap_or_else(|| DEFAULT_PICTURE.into());
            measure(Source::recording(DEFAULT_RECORDING)?, &common, Some(&picture))
        }
        Some(Command::Run(scene)) => {
            let frames = usize::try_from(scene.frames).context("too many frames")?;
            let source = Source::scene(&scene.scene, scene.objects, scene.seed, frames)?;
            measure(source, &common, common.picture.as_deref())
        }
        Some(Command::Replay { file }) => measure(Source::open(&file)?, &common, common.picture.as_deref()),
        Some(Command::Check { file }) => {
            let mut source = Source::open(&file)?;
            let verdict = audit::audit(&mut source, common.threads, shows_progress(&common))
                .with_context(|| file.display().to_string())?;
            print(&common, &verdict)?;
            Ok(verdict.is_equal())
        }
        Some(Command::Draw(arguments)) => draw(&arguments, &common),
        Some(Command::Compare(arguments)) => compare(&arguments, &common),
        Some(Command::Mesh(arguments)) => {
            let report = mesh::run(&arguments, &common, shows_progress(&common))?;
            print(&common, &report)?;
            Ok(report.is_equal())
        }
        Some(Command::View(arguments)) => print(&common, &view::write(&arguments)?).map(|()| true),
        Some(Command::Scenes) => print(&common, &catalog::Catalog::new()).map(|()| true),
    }
}

/// Replays the source, draws its busiest frame if asked to, and prints the report.
fn measure(mut source: Source, common: &Common, picture: Option<&Path>) -> Result<bool> {
    let options =
        replay::Options { threads: common.threads, progress: shows_progress(common), keep_busiest: picture.is_some() };
    let outcome = replay::replay(&mut source, options).with_context(|| source.name().to_owned())?;
    if let (Some(path), Some(busiest)) = (picture, &outcome.busiest) {
        picture::write(busiest, source.name(), picture::Size::DEFAULT, path)?;
    }
    let report = Report::new(source.name(), common.threads, outcome, picture);
    print(common, &report)?;
    Ok(report.is_equal())
}

fn draw(arguments: &DrawArguments, common: &Common) -> Result<bool> {
    let wanted = arguments.frame.map(usize::try_from).transpose().context("too many frames")?;
    let (mut source, wanted) = match (&arguments.scene, &arguments.file) {
        (Some(scene), _) => {
            let frame = wanted.unwrap_or(0);
            (Source::scene(scene, arguments.objects, arguments.seed, frame + 1)?, Some(frame))
        }
        (None, Some(file)) => (Source::open(file)?, wanted),
        (None, None) => bail!("name a trace or a scene"),
    };
    if let Some(frame) = wanted.filter(|frame| *frame >= source.frames()) {
        bail!("there is no frame {frame}: {} has {}", source.name(), source.frames());
    }
    let snapshot =
        replay::frame(&mut source, common.threads, wanted, arguments.ask).with_context(|| source.name().to_owned())?;
    picture::write(&snapshot, source.name(), arguments.size, &arguments.output)?;
    let drawn = catalog::Drawn::new(source.name(), &snapshot, &arguments.output);
    print(common, &drawn).map(|()| true)
}

#[cfg(feature = "compare")]
fn compare(arguments: &args::CompareArguments, common: &Common) -> Result<bool> {
    let compared = compare::run(arguments)?;
    print(common, &compared).map(|()| compared.is_equal())
}

#[cfg(not(feature = "compare"))]
fn compare(arguments: &args::CompareArguments, _: &Common) -> Result<bool> {
    bail!(
        "this program was built without the peers; with them: \
         cargo run --release -p broadleaf-cli --features compare -- compare {}",
        arguments.file.display()
    )
}

fn shows_progress(common: &Common) -> bool {
    !common.json && std::io::stderr().is_terminal()
}

/// Prints the result, as JSON if asked for. A reader that has gone away is no error.
fn print(common: &Common, result: &(impl Serialize + Display)) -> Result<()> {
    let text =
        if common.json { serde_json::to_string(result).context("cannot write JSON")? } else { result.to_string() };
    let mut output = std::io::stdout().lock();
    match writeln!(output, "{}", text.trim_end()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("cannot write to the standard output"),
    }
}
