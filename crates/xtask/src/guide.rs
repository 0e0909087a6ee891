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
/// Files of other packages that the chapters quote; the tests of these packages compile and run them.
const QUOTED_FILES: [&str; 2] = ["crates/broadleaf-avian/tests/it/lines.rs", "crates/parry-narrow-phase/src/octree.rs"];
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
    let parts = quotable_parts()?;
    let Blocks { rust, shell, quoted } = count_blocks(&chapters, &parts)?;
    if quoted != parts.len() {
        return Err(format!("{quoted} blocks are quoted, but the quoted files have {} parts", parts.len()));
    }
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
    println!("    {quoted} more are quoted from files that other packages test");
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

/// How many blocks of code the chapters have: of Rust, of shell commands, and quoted from files of other packages.
#[derive(Debug, Default, PartialEq, Eq)]
struct Blocks {
    rust: usize,
    shell: usize,
    quoted: usize,
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

/// How many blocks there are of each kind; `parts` are those that may be quoted. Text and settings are no code; nothing
/// else is allowed.
fn count_blocks(chapters: &[(String, String)], parts: &[String]) -> Result<Blocks, String> {
    let mut count = Blocks::default();
    for (name, text) in chapters {
        for (language, block) in blocks(text) {
            match language.as_str() {
                "rust" => count.rust += 1,
                "sh" => count.shell += 1,
                "rust,ignore" if parts.contains(&block) => count.quoted += 1,
                "rust,ignore" => {
                    let begin = block.lines().next().unwrap_or_default();
                    return Err(format!("{name}: a block of code is neither run nor a part of a quoted file: {begin}"));
                }
                "text" | "toml" => {}
                other => return Err(format!("{name}: a block of code is not run: ```{other}")),
            }
        }
    }
    Ok(count)
}

/// The parts of all files that the chapters quote.
fn quotable_parts() -> Result<Vec<String>, String> {
    let mut parts = Vec::new();
    for file in QUOTED_FILES {
        let found = anchored_parts(&read(&root().join(file))?);
        parts.extend(found.map_err(|error| format!("{file}: {error}"))?);
    }
    Ok(parts)
}

/// The parts of a file that stand between `// ANCHOR: name` and `// ANCHOR_END: name`, without the indentation that all
/// their lines have in common. None stands within another.
fn anchored_parts(text: &str) -> Result<Vec<String>, String> {
    let (mut parts, mut open): (Vec<String>, Option<(&str, Vec<&str>)>) = (Vec::new(), None);
    for line in text.lines() {
        let words = line.trim();
        if let Some(name) = words.strip_prefix("// ANCHOR: ") {
            if let Some((outer, _)) = open {
                return Err(format!("the part `{outer}` has no end before `{name}` begins"));
            }
            open = Some((name, Vec::new()));
        } else if let Some((name, mut lines)) = open.take() {
            if words.strip_prefix("// ANCHOR_END: ") == Some(name) {
                parts.push(without_indentation(&lines));
            } else {
                lines.push(line);
                open = Some((name, lines));
            }
        }
    }
    match open {
        Some((name, _)) => Err(format!("the part `{name}` has no end")),
        None => Ok(parts),
    }
}

/// Lines as one text, without the indentation that they have in common.
fn without_indentation(lines: &[&str]) -> String {
    let indentation = |line: &&str| line.len() - line.trim_start().len();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or_default();
    lines.iter().flat_map(|line| [line.get(common..).unwrap_or_default(), "\n"]).collect()
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
    use super::{Blocks, anchored_parts, blocks, count_blocks, passed};

    /// A chapter of this text.
    fn chapter(text: &str) -> [(String, String); 1] {
        [("a.md".to_owned(), text.to_owned())]
    }

    #[test]
    fn blocks_have_a_language_and_a_content() {
        let text = "a\n```rust\nlet x = 1;\n```\nb\n```sh\nls\n```\n";
        let expected = [("rust", "let x = 1;\n"), ("sh", "ls\n")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn blocks_that_do_not_run_are_refused() {
        let count = |text: &str| count_blocks(&chapter(text), &[]);
        assert_eq!(count("```rust\n```\n"), Ok(Blocks { rust: 1, ..Blocks::default() }));
        assert!(count("```rust,ignore\nlet x = 1;\n```\n").is_err());
        assert!(count("```rust,no_run\n```\n").is_err());
        assert!(count("```\n```\n").is_err());
    }

    #[test]
    fn parts_of_a_file_lose_their_common_indentation() {
        let file = "\
mod m {
    // ANCHOR: one
    if x {

        y();
    }
    // ANCHOR_END: one
    z();
    // ANCHOR: two
    w();
    // ANCHOR_END: two
}
";
        let parts = ["if x {\n\n    y();\n}\n", "w();\n"].map(str::to_owned);
        assert_eq!(anchored_parts(file), Ok(parts.to_vec()));
    }

    #[test]
    fn parts_without_an_end_are_refused() {
        assert!(anchored_parts("// ANCHOR: a\nx();\n").is_err());
        assert!(anchored_parts("// ANCHOR: a\n// ANCHOR: b\nx();\n// ANCHOR_END: b\n// ANCHOR_END: a\n").is_err());
    }

    #[test]
    fn quoted_blocks_that_differ_from_their_file_are_refused() {
        let file = "    // ANCHOR: a\n    let x = 1;\n    let y = 2;\n    // ANCHOR_END: a\n";
        let parts = anchored_parts(file).expect("a part with an end");
        let count = |block: &str| count_blocks(&chapter(&format!("```rust,ignore\n{block}```\n")), &parts);
        assert_eq!(count("let x = 1;\nlet y = 2;\n"), Ok(Blocks { quoted: 1, ..Blocks::default() }));
        assert!(count("let x = 1;\nlet y = 3;\n").is_err());
        assert!(count("let x = 1;\n").is_err());
    }

    #[test]
    fn results_with_ignored_tests_are_refused() {
        let line = "test result: ok. 42 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s";
        assert_eq!(passed(line), Ok(42));
        assert!(passed(&line.replace("0 ignored", "1 ignored")).is_err());
    }
}
