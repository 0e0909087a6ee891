//! The step `unoptimised`: what each terminal costs a caller that is compiled
//! without optimisation, beside one that is compiled with it.
//!
//! The package `benches/unoptimised` asks each terminal in its function `ask`.
//! Callgrind counts the instructions of that function alone, and writes a file
//! each time it returns: one a terminal, in the order of the program's lines.
//! The answers of the optimised caller are compared with those of a plain scan,
//! and the other's with them.

use crate::run::{cargo, output, run, target_dir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many times the instructions of the optimised caller a terminal may take.
const RATIO_MAX: f64 = 1.2;
/// So many more are no fault, whatever the ratio: what it takes to say a question, where
/// its answer takes hardly more.
const FIXED_MAX: f64 = 450.0;
/// The caller is not optimised; the library, which is compiled once for both callers, is.
const UNOPTIMISED: &str = "--config profile.release.package.unoptimised.opt-level=0";
/// The function that is counted.
const ASK: &str = "unoptimised::ask";

/// What one terminal took.
struct Count {
    terminal: String,
    questions: u64,
    answers: u64,
    instructions: u64,
}

/// Counts both callers, prints a table, and fails if a terminal takes too many times as much.
pub(crate) fn check() -> Result<(), String> {
    let (unoptimised, optimised) = (build("unoptimised", UNOPTIMISED)?, build("optimised", "")?);
    if fs::read(&unoptimised).ok() == fs::read(&optimised).ok() {
        return Err(format!("{} is compiled like the optimised caller", unoptimised.display()));
    }
    run(Command::new(&optimised).arg("verify"))?;
    let (optimised, unoptimised) = (counts(&optimised)?, counts(&unoptimised)?);
    println!("{:52} {:>9} {:>12} {:>12} {:>6}", "terminal", "questions", "optimised", "unoptimised", "ratio");
    let mut above = Vec::new();
    for (fast, slow) in optimised.iter().zip(&unoptimised) {
        if (&fast.terminal, fast.answers) != (&slow.terminal, slow.answers) {
            return Err(format!("{} answers {}, {} {}", fast.terminal, fast.answers, slow.terminal, slow.answers));
        }
        let each = |count: &Count| per_question(count.instructions, count.questions);
        let ratio = each(slow) / each(fast);
        let is_above = ratio > RATIO_MAX && each(slow) - each(fast) > FIXED_MAX;
        let mark = match (is_above, ratio > RATIO_MAX) {
            (true, _) => " ABOVE",
            (false, true) => " short",
            (false, false) => "",
        };
        println!(
            "{:52} {:>9} {:>12.0} {:>12.0} {ratio:>6.2}{mark}",
            fast.terminal,
            fast.questions,
            each(fast),
            each(slow)
        );
        if is_above {
            above.push(fast.terminal.as_str());
        }
    }
    println!("instructions are those of one question");
    if above.is_empty() {
        return Ok(());
    }
    Err(format!(
        "an unoptimised caller takes more than {RATIO_MAX} times the instructions, and {FIXED_MAX} more, in {}",
        above.join(", ")
    ))
}

#[expect(clippy::cast_precision_loss, reason = "printed with three digits")]
fn per_question(instructions: u64, questions: u64) -> f64 {
    instructions.max(1) as f64 / questions.max(1) as f64
}

/// Builds a caller with an option of cargo, and copies it to a new folder, since the next build replaces it; the
/// copy's path.
fn build(name: &str, option: &str) -> Result<PathBuf, String> {
    run(&mut cargo(&format!("build -p unoptimised --release {option}")))?;
    let folder = target_dir("callgrind-unoptimised").join(name);
    let file = format!("unoptimised{}", std::env::consts::EXE_SUFFIX);
    let bad = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(bad)?;
    }
    fs::create_dir_all(&folder).map_err(bad)?;
    fs::copy(target_dir("release").join(&file), folder.join(&file)).map_err(bad)?;
    Ok(folder.join(file))
}

/// Runs a caller under callgrind, whose files are written beside it.
fn counts(program: &Path) -> Result<Vec<Count>, String> {
    let counted = program.with_file_name("out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--collect-atstart=no"]);
    valgrind.arg(format!("--toggle-collect={ASK}")).arg(format!("--dump-after={ASK}"));
    valgrind.arg(format!("--callgrind-out-file={}", counted.display())).arg(program);
    let printed = output(&mut valgrind)?;
    printed.lines().enumerate().map(|(index, line)| count(line, &part(&counted, index + 1))).collect()
}

/// The file of a part of callgrind's run; parts are numbered from 1.
fn part(counted: &Path, number: usize) -> PathBuf {
    let mut name = counted.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// A line of the program with the instructions that its part of the run took.
fn count(line: &str, file: &Path) -> Result<Count, String> {
    let unread = || format!("not a line of the caller: {line}");
    let mut fields = line.rsplitn(3, ',');
    let mut number = || fields.next().and_then(|field| field.parse::<u64>().ok()).ok_or_else(unread);
    let (answers, questions) = (number()?, number()?);
    let terminal = fields.next().ok_or_else(unread)?.to_owned();
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let total = text.lines().find_map(|line| line.strip_prefix("summary:").or_else(|| line.strip_prefix("totals:")));
    let instructions = total.and_then(|total| total.trim().parse().ok());
    let instructions = instructions.ok_or_else(|| format!("{}: no total", file.display()))?;
    Ok(Count { terminal, questions, answers, instructions })
}
