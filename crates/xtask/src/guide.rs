//! `cargo xtask guide`: runs the guide's code, draws its pictures, builds the book and checks its links.
//! `cargo xtask pictures`: draws the pictures anew.

use crate::links;
use crate::run::{cargo, output, program, remove_build, root, run, target_dir};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The longest README that is allowed, in lines.
const README_LINES_MAX: usize = 150;
/// The book's table of contents, and the chapters.
const SUMMARY: &str = "docs/SUMMARY.md";
const CHAPTERS: &str = "docs/guide/src";
/// The guide's pictures, and the measurements that the plots among them show.
const PICTURES: &str = "docs/guide/src/pictures";
const MEASUREMENTS: &str = "docs/guide/src/tuning.csv";
/// Stands before each block of shell commands: that they run is checked, not how fast, and compiling takes most of the
/// time. What is not named here is not optimised.
const QUICKLY: &str = r#"cargo() {
  command cargo --config profile.release.opt-level=0 --config profile.release.package.broadleaf.opt-level=1 \
    --config profile.release.package.workloads.opt-level=1 "$@"
}
"#;
/// The README's picture: a frame of a recording, drawn by the program that the README names.
const README_PICTURE: &str = "draw pile --frame 90 --output docs/picture.png --size 1080x540";

/// Draws every picture of the guide and of the README; measures first what plots show, if asked for.
pub(crate) fn pictures(measures: bool) -> Result<(), String> {
    draw(&mut cargo("run --release -p guide --bin pictures --"), &root().join(PICTURES), measures)?;
    run(&mut cargo(&format!("run --release -p broadleaf-cli -- {README_PICTURE}")))
}

/// Draws the guide's pictures; `command` starts the program that does.
fn draw(command: &mut Command, folder: &Path, measures: bool) -> Result<(), String> {
    command.arg(folder).arg(root().join(MEASUREMENTS));
    if measures {
        command.arg("--measure");
    }
    run(command)
}

/// Every check of the guide.
pub(crate) fn check() -> Result<(), String> {
    let readme = read(&root().join("README.md"))?.lines().count();
    if readme > README_LINES_MAX {
        return Err(format!("the README has {readme} lines, more than {README_LINES_MAX}"));
    }
    let chapters = chapters()?;
    check_summary(&chapters)?;
    let Blocks { rust, shell, included } = count_blocks(&chapters)?;
    let ran = run_rust()?;
    if ran != rust {
        return Err(format!("the chapters have {rust} blocks of Rust, but {ran} tests ran"));
    }
    let builds = target_dir("guide");
    for (name, text) in &chapters {
        for (_, block) in blocks(text).into_iter().filter(|(language, _)| language == "sh") {
            println!("    a block of {name}:");
            // Apart, so that nobody takes these programs for those of a release.
            run(Command::new("bash")
                .args(["-euo", "pipefail", "-c", &[QUICKLY, &block].concat()])
                .env("CARGO_TARGET_DIR", &builds)
                .current_dir(root())
                .stdin(Stdio::null()))?;
        }
    }
    remove_build(&builds)?;
    let pictures = compare_pictures()?;
    run(Command::new("mdbook").args(["build", "docs/guide"]).current_dir(root()))?;
    links::check_html(&root().join("book"))?;
    println!("    {} chapters: {ran} blocks of Rust and {shell} of shell commands ran", chapters.len());
    println!("    {included} more are parts of files that other packages test");
    println!("    {pictures} pictures are those that the program draws");
    Ok(())
}

/// The chapters: names and texts.
fn chapters() -> Result<Vec<(String, String)>, String> {
    let named = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok((name, read(&path)?))
    };
    files(&root().join(CHAPTERS), "md")?.into_iter().map(named).collect()
}

/// The book's table of contents names every chapter, and every decision by its title.
fn check_summary(chapters: &[(String, String)]) -> Result<(), String> {
    let summary = read(&root().join(SUMMARY))?;
    let mut lines = Vec::new();
    for path in files(&root().join("docs/decisions"), "md")? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('0') {
            let text = read(&path)?;
            let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
            lines.push(format!("  - [{title}](decisions/{name})"));
        }
    }
    lines.extend(chapters.iter().map(|(name, _)| format!("](guide/src/{name})")));
    let missing: Vec<&String> = lines.iter().filter(|line| !summary.contains(line.as_str())).collect();
    missing.iter().for_each(|line| println!("    {line}"));
    if missing.is_empty() { Ok(()) } else { Err(format!("{SUMMARY} lacks these lines")) }
}

/// How many blocks of code the chapters have: of Rust, of shell commands, and parts of files that other packages test.
#[derive(Debug, Default, PartialEq, Eq)]
struct Blocks {
    rust: usize,
    shell: usize,
    included: usize,
}

/// Language and content of each block of code.
fn blocks(text: &str) -> Vec<(String, String)> {
    let (mut blocks, mut open): (Vec<(String, String)>, bool) = (Vec::new(), false);
    for line in text.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(_), true) => open = false,
            (Some(language), false) => {
                open = true;
                blocks.push((language.to_owned(), String::new()));
            }
            (None, true) => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push_str(line);
                    block.push('\n');
                }
            }
            (None, false) => {}
        }
    }
    blocks
}

/// How many blocks there are of each kind. Text and settings are no code; nothing else is allowed.
fn count_blocks(chapters: &[(String, String)]) -> Result<Blocks, String> {
    let mut count = Blocks::default();
    for (name, text) in chapters {
        for (language, block) in blocks(text) {
            match language.as_str() {
                "rust" => count.rust += 1,
                "sh" => count.shell += 1,
                "rust,ignore" if is_included(&block) => count.included += 1,
                "text" | "toml" => {}
                other => return Err(format!("{name}: a block of code is not run: ```{other}")),
            }
        }
    }
    Ok(count)
}

/// Whether a block is nothing but a part of a file in a package, whose tests compile and run it.
fn is_included(block: &str) -> bool {
    let inside = block.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
    let Some((file, anchor)) = inside.and_then(|inside| inside.rsplit_once(':')) else { return false };
    let text = read(&root().join(CHAPTERS).join(file)).unwrap_or_default();
    file.contains("/crates/") && text.contains(&format!("ANCHOR: {anchor}"))
}

/// Runs the Rust blocks; how many passed. Other packages are named so that nothing is compiled that
/// `cargo test --workspace` has compiled before; their blocks do not run.
fn run_rust() -> Result<usize, String> {
    let printed = output(&mut cargo("test --workspace --doc -- crates/guide/"))?;
    let results = printed.lines().filter(|line| line.starts_with("test result:"));
    results.inspect(|line| println!("    {line}")).map(passed).sum()
}

/// The number of passed tests in a line of results, of which none was left out.
fn passed(line: &str) -> Result<usize, String> {
    let number = |what: &str| {
        let words: Vec<&str> = line.split([' ', ';']).filter(|word| !word.is_empty()).collect();
        words.windows(2).find(|two| two[1] == what).and_then(|two| two[0].parse::<usize>().ok())
    };
    match (number("passed"), number("ignored")) {
        (Some(passed), Some(0)) => Ok(passed),
        _ => Err(format!("tests were left out: {line}")),
    }
}

/// Draws the guide's pictures into the target directory; they are equal to those that are committed. How many there are.
fn compare_pictures() -> Result<usize, String> {
    let (drawn, committed) = (target_dir("guide-pictures"), root().join(PICTURES));
    draw(Command::new(program("pictures")?).current_dir(root()), &drawn, false)?;
    let drawings = files(&drawn, "svg")?;
    for picture in &drawings {
        let name = picture.file_name().unwrap_or_default();
        if std::fs::read(picture).ok() != std::fs::read(committed.join(name)).ok() {
            return Err(format!("{} is not what the program draws: run `cargo xtask pictures`", name.display()));
        }
    }
    if files(&committed, "svg")?.len() != drawings.len() {
        return Err(format!("{PICTURES} has a picture that the program does not draw"));
    }
    Ok(drawings.len())
}

/// The files of a folder with this extension, sorted.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == extension));
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Blocks, blocks, count_blocks, passed};

    #[test]
    fn blocks_have_a_language_and_a_content() {
        let text = "a\n```rust\nlet x = 1;\n```\nb\n```sh\nls\n```\n";
        let expected = [("rust", "let x = 1;\n"), ("sh", "ls\n")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn blocks_that_do_not_run_are_refused() {
        let chapter = |text: &str| [("a.md".to_owned(), text.to_owned())];
        assert_eq!(count_blocks(&chapter("```rust\n```\n")), Ok(Blocks { rust: 1, ..Blocks::default() }));
        assert!(count_blocks(&chapter("```rust,ignore\nlet x = 1;\n```\n")).is_err());
        assert!(count_blocks(&chapter("```rust,no_run\n```\n")).is_err());
        assert!(count_blocks(&chapter("```\n```\n")).is_err());
    }

    #[test]
    fn results_with_ignored_tests_are_refused() {
        let line = "test result: ok. 42 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s";
        assert_eq!(passed(line), Ok(42));
        assert!(passed(&line.replace("0 ignored", "1 ignored")).is_err());
    }
}
