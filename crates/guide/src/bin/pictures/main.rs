//! Draws the pictures of the guide: `cargo xtask pictures`, or this program alone:
//!
//! `cargo run --release -p guide --bin pictures -- FOLDER TUNING.CSV [--measure]`
//!
//! Drawings are of real trees, so they change when the tree changes. Plots of settings show the
//! measurements that TUNING.CSV has; `--measure` makes them anew first, which takes a minute.

mod drawing;
mod hierarchy;
mod layout;
mod measure;
mod pass;
mod plots;
mod questions;
mod worlds;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (paths, measures) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [folder, csv] => ([folder, csv].map(Path::new), false),
        [folder, csv, "--measure"] => ([folder, csv].map(Path::new), true),
        _ => {
            eprintln!("usage: pictures FOLDER TUNING.CSV [--measure]");
            return ExitCode::FAILURE;
        }
    };
    match draw(paths[0], paths[1], measures) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(folder: &Path, csv: &Path, measures: bool) -> Result<(), Box<dyn Error>> {
    if measures {
        std::fs::write(csv, measure::measure()?)?;
    }
    std::fs::create_dir_all(folder)?;
    let drawings = [
        ("world", worlds::world()?),
        ("flat-cells", worlds::flat_cells()?),
        ("question-box", questions::region()?),
        ("question-ray", questions::ray()?),
        ("cells", layout::cells()?),
        ("bucket", layout::bucket()?),
        ("block", layout::block()),
        ("pair-pass", pass::pair_pass()?),
    ];
    for (name, document) in drawings {
        svg::save(folder.join(name).with_extension("svg"), &document)?;
        println!("drew {name}.svg");
    }
    for name in plots::draw(folder, &std::fs::read_to_string(csv)?)? {
        println!("drew {name}.svg");
    }
    Ok(())
}
