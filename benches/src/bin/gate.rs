//! Fails if an instruction count has grown by more than 3 % over the baseline.
//!
//! Reads what the last `cargo bench -p benches --features callgrind --bench
//! instructions -- --save-summary=json` left in the target folder, and
//! compares it with `benches/instructions.csv`; `--write` renews that file.
//!
//! The toolchain is the newest stable one, which changes every six weeks, and a
//! new compiler moves counts by itself. So the baseline names its compiler, and
//! the gate says so if it is run with another; the verdict does not change.

use benches::machine::Machine;
use clap::Parser;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Growth above which the gate closes.
const GROWTH_MAX: f64 = 0.03;

/// Compares instruction counts with the baseline.
#[derive(Parser)]
struct Arguments {
    /// Folder of the tool's results.
    #[arg(long)]
    results: Option<PathBuf>,
    /// The baseline.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.csv"))]
    baseline: PathBuf,
    /// Writes the newest counts as the new baseline.
    #[arg(long)]
    write: bool,
}

type Counts = BTreeMap<String, u64>;

/// What the line that names the compiler begins with.
const COMPILER: &str = "# compiler: ";

/// The recorded counts.
struct Baseline {
    /// The version line of the compiler they were taken with; `None` in a file that does not tell.
    compiler: Option<String>,
    counts: Counts,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let results = arguments.results.clone().unwrap_or_else(|| {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        target.join("iai").join("benches").join("instructions")
    });
    let mut newest = Counts::new();
    collect(&results, &mut newest)?;
    if newest.is_empty() {
        return Err(format!("no summaries below {}; run the bench with --save-summary=json", results.display()));
    }
    let compiler = Machine::here().compiler;
    if arguments.write {
        write(&arguments.baseline, &compiler, &newest)?;
        println!("{} counts written to {}", newest.len(), arguments.baseline.display());
        return Ok(true);
    }
    let baseline = read(&arguments.baseline)?;
    if let Some(note) = note(baseline.compiler.as_deref(), &compiler) {
        println!("{note}\n");
    }
    Ok(judge(&baseline.counts, &newest))
}

/// What to know before counts of two compilers are compared.
fn note(before: Option<&str>, now: &str) -> Option<String> {
    match before {
        Some(before) if before == now => None,
        Some(before) => Some(format!(
            "NOTE     the baseline was taken with {before}, but this is {now}.\n         \
             Counts move with the compiler. Take the baseline anew on the commit before\n         \
             your change, in a commit of its own, and compare again."
        )),
        None => Some(format!("NOTE     the baseline does not name its compiler; this is {now}.")),
    }
}

/// Prints a line for each count; whether none has grown too much or is missing.
fn judge(baseline: &Counts, newest: &Counts) -> bool {
    let mut open = true;
    for (name, &count) in newest {
        let Some(&before) = baseline.get(name) else {
            println!("new      {name}: {count}, not in the baseline");
            continue;
        };
        let growth = count as f64 / before.max(1) as f64 - 1.0;
        let verdict = if growth > GROWTH_MAX { "GROWN" } else { "ok" };
        open &= growth <= GROWTH_MAX;
        println!("{verdict:8} {name}: {before} -> {count} ({:+.2} %)", growth * 100.0);
    }
    for name in baseline.keys().filter(|name| !newest.contains_key(*name)) {
        println!("MISSING  {name}");
        open = false;
    }
    if !open {
        println!("\nIf the growth is wanted, renew the baseline: cargo run -p benches --bin gate -- --write");
    }
    open
}

fn collect(folder: &Path, counts: &mut Counts) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            collect(&path, counts)?;
        } else if path.file_name().is_some_and(|name| name == "summary.json") {
            let (name, count) = summary(&path)?;
            counts.insert(name, count);
        }
    }
    Ok(())
}

/// The bench's name and its number of instructions.
fn summary(path: &Path) -> Result<(String, u64), String> {
    let bad = |what: &str| format!("{}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| bad(&error.to_string()))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| bad(&error.to_string()))?;
    let function = json["function_name"].as_str().ok_or_else(|| bad("no function name"))?;
    let id = json["id"].as_str().unwrap_or_default();
    let name = if id.is_empty() { function.to_owned() } else { format!("{function}/{id}") };
    let count = find_instructions(&json["profiles"]).ok_or_else(|| bad("no instruction count"))?;
    Ok((name, count))
}

/// The newest total of the event `Ir`, wherever the tool's version keeps it.
fn find_instructions(value: &Value) -> Option<u64> {
    match value {
        Value::Object(fields) => {
            if let Some(found) = fields.get("Ir").and_then(newest) {
                return Some(found);
            }
            // The total over all parts of the run, if there is one.
            fields.get("total").into_iter().chain(fields.values()).find_map(find_instructions)
        }
        Value::Array(items) => items.iter().find_map(find_instructions),
        _ => None,
    }
}

/// The new side of a metric that may carry an old side for comparison.
fn newest(metric: &Value) -> Option<u64> {
    let sides = metric.get("metrics").unwrap_or(metric);
    let side = sides.get("Left").or_else(|| sides.get("Both").and_then(|both| both.get(0))).unwrap_or(sides);
    side.get("Int").and_then(Value::as_u64).or_else(|| side.as_u64())
}

fn read(path: &Path) -> Result<Baseline, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let compiler = text.lines().find_map(|line| line.strip_prefix(COMPILER)).map(|line| line.trim().to_owned());
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let counts = reader.deserialize().collect::<Result<Counts, _>>();
    Ok(Baseline { compiler, counts: counts.map_err(|error| format!("{}: {error}", path.display()))? })
}

fn write(path: &Path, compiler: &str, counts: &Counts) -> Result<(), String> {
    let bad = |error: csv::Error| format!("{}: {error}", path.display());
    let mut file = std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    writeln!(file, "{COMPILER}{compiler}").map_err(|error| error.to_string())?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(["name", "count"]).map_err(bad)?;
    for (name, count) in counts {
        writer.write_record([name, &count.to_string()]).map_err(bad)?;
    }
    writer.flush().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_names_the_compiler_that_it_was_taken_with() {
        let path = std::env::temp_dir().join(format!("broadleaf-gate-{}.csv", std::process::id()));
        let counts = Counts::from([("pairs/pile".to_owned(), 7), ("update".to_owned(), 9)]);
        write(&path, "rustc 1.95.0 (a 2026-04-14)", &counts).unwrap();
        let named = read(&path).unwrap();
        std::fs::write(&path, "name,count\npairs/pile,7\nupdate,9\n").unwrap();
        let unnamed = read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(named.compiler.as_deref(), Some("rustc 1.95.0 (a 2026-04-14)"));
        assert_eq!(unnamed.compiler, None);
        assert!(named.counts == counts && unnamed.counts == counts);
    }

    #[test]
    fn another_compiler_is_noted() {
        assert_eq!(note(Some("rustc 1.95.0"), "rustc 1.95.0"), None);
        let other = note(Some("rustc 1.95.0"), "rustc 1.96.0").unwrap();
        assert!(other.contains("taken with rustc 1.95.0, but this is rustc 1.96.0"), "{other}");
        assert!(note(None, "rustc 1.96.0").unwrap().contains("does not name its compiler"));
    }
}
