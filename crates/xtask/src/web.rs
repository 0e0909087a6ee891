//! `cargo xtask web`: the viewer: its module of WebAssembly, its page, and their tests.
//!
//! The module is built by Debian's Rust, whose package has the sources of the
//! standard library for WebAssembly; no other toolchain is touched.

use crate::run::{cargo, program, root, run, target_dir};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate, in the workspace's directory but not in the workspace.
const CRATE: &str = "crates/broadleaf-web";
/// The page's file.
const PAGE: &str = "broadleaf-viewer.html";
/// Frames of the recorded pile that the page holds.
const PILE_FRAMES: &str = "150";
/// What the module is compiled by; Debian's packages rustc-web, cargo-web, rust-web-src, lld-19.
const TOOLS: [&str; 3] = ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/bin/wasm-ld-19"];
const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the page, and tests it unless only the page is wanted.
pub(crate) fn web(page_only: bool) -> Result<(), String> {
    if let Some(missing) = TOOLS.into_iter().find(|tool| !Path::new(tool).exists()) {
        return Err(format!(
            "{missing} is missing: run `apt-get install rustc-web cargo-web rust-web-src lld-19` on Debian 12"
        ));
    }
    let (module, pinned) = build("simd", "-C target-feature=+simd128", &["broadleaf-web", "broadleaf-web-pinned"])?;
    run(node("npm").args(["ci", "--no-audit", "--no-fund"]))?;
    native(&["build", "--locked", "--bins"])?;
    let page = page(&module)?;
    if page_only {
        return Ok(());
    }
    let (_, plain) = build("plain", "", &["broadleaf-web-pinned"])?;
    for pinned in [&pinned, &plain] {
        run(node("node").arg("../tests/pinned.mjs").arg(pinned))?;
    }
    run(&mut cargo(&format!("fmt --check --all --manifest-path {CRATE}/Cargo.toml")))?;
    native(&["test", "--locked", "--lib"])?;
    native(&["clippy", "--locked", "--all-targets", "--", "-D", "warnings"])?;
    run(node("node").arg("../tests/frame_times.mjs").arg(&module))?;
    run(node("node").arg("../tests/flashes.mjs"))?;
    run(node("node").arg("../tests/pace.mjs"))?;
    let reference = program("broadleaf")?;
    run(node("node")
        .arg("../tests/browser.mjs")
        .arg(page)
        .arg(bin("native"))
        .arg(reference)
        .arg(target_dir("web").join("screenshots")))
}

/// A program of node, started in the folder of the page.
fn node(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root().join(CRATE).join("page"));
    command
}

/// Compiles for WebAssembly with these flags; the viewer's module and the one of the pinned results.
fn build(name: &str, flags: &str, packages: &[&str]) -> Result<(PathBuf, PathBuf), String> {
    let directory = target_dir("web").join(name);
    let [cargo, rustc, linker] = TOOLS;
    let mut command = Command::new(cargo);
    command.current_dir(root().join(CRATE));
    command.args(["build", "--release", "--locked", "--lib", "-Z", "build-std=std,panic_abort", "--target", TARGET]);
    command.args(packages.iter().flat_map(|package| ["-p", package])).arg("--target-dir").arg(&directory);
    // Debian's compiler is a stable one; building the standard library needs its unstable option.
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", rustc).env_remove("RUSTUP_TOOLCHAIN");
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", format!("{flags} -C linker={linker}"));
    run(&mut command)?;
    let built = directory.join(TARGET).join("release");
    Ok((built.join("broadleaf_web.wasm"), built.join("broadleaf_web_pinned.wasm")))
}

/// Runs cargo on the crate, for this machine.
fn native(arguments: &[&str]) -> Result<(), String> {
    let mut command = cargo("");
    command.args(arguments.iter().take_while(|argument| **argument != "--"));
    command.args(["--manifest-path", &format!("{CRATE}/Cargo.toml"), "-p", "broadleaf-web"]);
    command.args(arguments.iter().skip_while(|argument| **argument != "--"));
    run(command.env("CARGO_TARGET_DIR", target_dir("web").join("native")))
}

/// A program of the crate.
fn bin(name: &str) -> PathBuf {
    target_dir("web").join("native/debug").join(name)
}

/// Packs the page, with two recordings inside, and puts a copy beside each build of the program.
fn page(module: &Path) -> Result<PathBuf, String> {
    let (recordings, page) = (root().join("crates/workloads/recordings"), target_dir("web").join(PAGE));
    let (pile, level) = (target_dir("web").join("pile.bltrace"), recordings.join("level.bltrace"));
    run(Command::new(bin("shorten")).arg(recordings.join("pile.bltrace")).arg(PILE_FRAMES).arg(&pile))?;
    let mut pack = node("node");
    pack.arg("build.mjs").arg(module).arg(&page);
    pack.arg(pile)
        .args(["recording: pile", "3000 boxes, balls, capsules and cylinders fall into a bin; the first half"]);
    pack.arg(level).args(["recording: level", "200 characters walk among crates, lifts and static blocks"]);
    run(&mut pack)?;
    for profile in ["debug", "release"] {
        let directory = target_dir(profile);
        if directory.exists() {
            let beside = directory.join(PAGE);
            std::fs::copy(&page, &beside).map_err(|error| format!("{}: {error}", beside.display()))?;
        }
    }
    Ok(page)
}
