//! Starting the program and looking at what it leaves behind.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The program, ready for arguments.
pub(crate) fn broadleaf() -> Command {
    Command::new(env!("CARGO_BIN_EXE_broadleaf"))
}

/// A directory that vanishes with its value.
pub(crate) fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// What a finished program said.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Run {
    /// Runs the program to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the program starts");
        Self {
            status: output.status.code().expect("an exit status"),
            output: String::from_utf8(output.stdout).expect("UTF-8"),
            errors: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// A trace of boxes that roll into each other.
pub(crate) fn write_csv(directory: &Path, name: &str, frames: u32, boxes: u32) -> PathBuf {
    let mut text = String::from("frame,id,min_x,min_y,min_z,max_x,max_y,max_z\n");
    for frame in 0..frames {
        for id in 0..boxes {
            let x = f64::from(id) * 1.2 - f64::from(frame * id) * 0.05;
            let z = f64::from(id % 4) * 0.5;
            writeln!(text, "{frame},{id},{x},0,{z},{},1,{}", x + 1.0, z + 1.0).expect("a string takes all");
        }
    }
    let path = directory.join(name);
    fs::write(&path, text).expect("written");
    path
}

/// Checks that a file is a PNG of that size with more than a background in it.
pub(crate) fn assert_picture(path: &Path, size: (u32, u32)) {
    let picture = tiny_skia::Pixmap::load_png(path).expect("a PNG file");
    assert_eq!((picture.width(), picture.height()), size);
    let mut colors: Vec<_> = picture.pixels().iter().map(|pixel| (pixel.red(), pixel.green(), pixel.blue())).collect();
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 200, "only {} colours", colors.len());
}
