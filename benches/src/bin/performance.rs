//! Writes `docs/performance.md`, its plots and the figures that README and guide
//! quote, from the records of a machine. `cargo xtask performance` runs it.

use benches::performance::{files, stale};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes the page of figures from the newest records.
#[derive(Parser)]
struct Arguments {
    /// The machine's folder in `benches/record`.
    #[arg(long, default_value = "xeon-emerald-rapids-2cores")]
    machine: String,
    /// Writes nothing, and fails if a file is not what the records say.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").components().collect();
    match run(&arguments, &root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, root: &Path) -> Result<(), String> {
    let files = files(root, &arguments.machine)?;
    let stale = stale(&files);
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    if arguments.check {
        println!("{} files, {} of them stale", files.len(), stale.len());
        let names: Vec<String> = stale.into_iter().map(shown).collect();
        return match names.as_slice() {
            [] => Ok(()),
            names => Err(format!("not what the records say: {}; run `cargo xtask performance`", names.join(", "))),
        };
    }
    for path in stale {
        let named = |error: std::io::Error| format!("{}: {error}", path.display());
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(named)?;
        std::fs::write(path, &files[path]).map_err(named)?;
        println!("wrote {}", shown(path));
    }
    Ok(())
}
