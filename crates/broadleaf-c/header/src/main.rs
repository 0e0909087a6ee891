//! Makes `include/broadleaf.h` from the sources of `broadleaf-c`.
//!
//! `cargo run -p header` checks that the committed header is the one that the sources make;
//! with `--write` it writes it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The sources in the order in which the header tells of them.
const SOURCES: [&str; 23] = [
    "version",
    "failure",
    "types",
    "options",
    "scratch",
    "callbacks",
    "octree",
    "change",
    "region",
    "overlap",
    "cast",
    "casts",
    "nearest",
    "batch",
    "pairs",
    "tracker",
    "budget",
    "report",
    "mesh",
    "mesh_questions",
    "placed",
    "world",
    "threads",
];

fn made() -> String {
    let root = root();
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("the settings are legal");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(root.join("src").join(source).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate().expect("the sources are legal").write(&mut header);
    String::from_utf8(header).expect("the header is text")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The first exported function that the header does not declare: its file is not in `SOURCES`.
fn missing(header: &str) -> Option<String> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(root().join("src"))
        .expect("there are sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    sources.sort();
    sources.iter().find_map(|source| {
        let text = std::fs::read_to_string(source).expect("a source can be read");
        let names = text.split("#[unsafe(no_mangle)]\n").skip(1).map(|after| {
            let name = after.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
            name.expect("a function follows").to_owned()
        });
        let mut names = names.collect::<Vec<_>>().into_iter();
        names.find(|name| !header.contains(&format!("{name}(")))
    })
}

fn main() -> ExitCode {
    let path = root().join("include/broadleaf.h");
    let made = made();
    if let Some(name) = missing(&made) {
        eprintln!("{name} is not in the header: is its file in `SOURCES` of header/src/main.rs?");
        return ExitCode::FAILURE;
    }
    if std::env::args().any(|argument| argument == "--write") {
        std::fs::write(&path, made).expect("the header can be written");
        println!("include/broadleaf.h is written");
        return ExitCode::SUCCESS;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    if committed == made {
        println!("include/broadleaf.h is current");
        return ExitCode::SUCCESS;
    }
    let differs = committed.lines().zip(made.lines()).position(|(committed, made)| committed != made);
    let line = differs.unwrap_or(committed.lines().count().min(made.lines().count())) + 1;
    eprintln!("include/broadleaf.h is not current from line {line} on: run `cargo xtask c header`");
    ExitCode::FAILURE
}
