//! The library's tests with the code of `wide` for machines without vector
//! instructions: results are to be the same, bit for bit, as with them.
//!
//! No machine that we build for lacks such instructions, and `wide` chooses by
//! the target's features alone. So the tests are built in a second workspace in
//! the target directory: the same members by links, the same lock file, and a
//! copy of `wide` in which every condition on a target feature is false.

use crate::run::{cargo, metadata, remove_build, root, run, target_dir};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The package that is replaced.
const REPLACED: &str = "wide";
/// What the second workspace shares with the first.
const SHARED: [&str; 2] = ["crates", "benches"];

/// Makes the second workspace and runs the library's tests there.
pub(crate) fn check() -> Result<(), String> {
    let directory = target_dir("scalar");
    let copy = directory.join(REPLACED);
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|error| told("remove", &copy, &error))?;
    }
    let original = source(&metadata("--locked")?, false)?;
    let replaced = copy_scalar(&original, &copy)?;
    println!("    {replaced} conditions on target features are false in {}", copy.display());
    if replaced == 0 {
        return Err(format!("{} has no condition on a target feature", original.display()));
    }
    make_workspace(&directory)?;
    let manifest = format!("--manifest-path {}", directory.join("Cargo.toml").display());
    let used = source(&metadata(&manifest)?, true)?;
    if used.canonicalize().ok() != copy.canonicalize().ok() {
        return Err(format!("the tests would use {}", used.display()));
    }
    // The random programs take minutes without vector instructions. Lints are for the
    // original of what is copied, and nobody debugs this build.
    run(cargo(&format!("test {manifest} -p broadleaf --lib --test it -- --skip programs::"))
        .env("CARGO_TARGET_DIR", directory.join("target"))
        .env("CARGO_PROFILE_DEV_DEBUG", "none")
        .env("RUSTFLAGS", "--cap-lints allow"))?;
    remove_build(&directory.join("target"))
}

/// The root manifest with `wide` replaced, the lock file, links to the members.
fn make_workspace(directory: &Path) -> Result<(), String> {
    let manifest = root().join("Cargo.toml");
    let mut text = fs::read_to_string(&manifest).map_err(|error| told("read", &manifest, &error))?;
    text.push_str(&format!("\n[patch.crates-io]\n{REPLACED} = {{ path = \"{REPLACED}\" }}\n"));
    write(&directory.join("Cargo.toml"), &text)?;
    // Cargo takes the source of the replaced package out of it, and changes nothing else.
    let lock = root().join("Cargo.lock");
    fs::copy(&lock, directory.join("Cargo.lock")).map_err(|error| told("copy", &lock, &error))?;
    for name in SHARED {
        let link = directory.join(name);
        if !link.exists() {
            link_directory(root().join(name), &link).map_err(|error| told("link", &link, &error))?;
        }
    }
    Ok(())
}

#[cfg(windows)]
use std::os::windows::fs::symlink_dir as link_directory;

#[cfg(not(windows))]
use std::os::unix::fs::symlink as link_directory;

/// The directory of the only package named `wide`, which is to be a local one or not.
fn source(metadata: &Value, is_local: bool) -> Result<PathBuf, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let found: Vec<&Value> = packages.filter(|package| package["name"] == REPLACED).collect();
    let [package] = found[..] else {
        return Err(format!("cargo metadata: {} packages named {REPLACED}", found.len()));
    };
    if package["source"].is_null() != is_local {
        return Err(format!("cargo metadata: {REPLACED} comes from {}", package["source"]));
    }
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    manifest.parent().map(Path::to_owned).ok_or_else(|| format!("cargo metadata: {REPLACED} has no manifest"))
}

/// Copies a package's manifest, and its source with all conditions false; their number.
fn copy_scalar(from: &Path, to: &Path) -> Result<usize, String> {
    let [original, copy] = [from, to].map(|package| package.join("src"));
    fs::create_dir_all(&copy).map_err(|error| told("make", &copy, &error))?;
    let manifest = from.join("Cargo.toml");
    fs::copy(&manifest, to.join("Cargo.toml")).map_err(|error| told("copy", &manifest, &error))?;
    let mut replaced = 0;
    for entry in fs::read_dir(&original).map_err(|error| told("list", &original, &error))? {
        let file = entry.map_err(|error| told("list", &original, &error))?.path();
        let text = fs::read_to_string(&file).map_err(|error| told("read", &file, &error))?;
        let (text, count) = without_features(&text).map_err(|why| format!("{}: {why}", file.display()))?;
        replaced += count;
        write(&copy.join(file.file_name().unwrap_or_default()), &text)?;
    }
    Ok(replaced)
}

/// The text with each condition on a target feature replaced by one that is
/// false, `any()`; how many there were. What else speaks of target features is an error.
fn without_features(text: &str) -> Result<(String, usize), String> {
    const NAME: &str = "target_feature";
    let (mut result, mut count, mut rest) = (String::with_capacity(text.len()), 0, text);
    while let Some((before, after)) = rest.split_once(NAME) {
        let value = after.trim_start().strip_prefix('=').and_then(|value| value.trim_start().strip_prefix('"'));
        let Some((_, after)) = value.and_then(|value| value.split_once('"')) else {
            let line = text[..text.len() - after.len()].lines().count();
            return Err(format!("line {line}: `{NAME}` is no condition"));
        };
        result.extend([before, "any()"]);
        (count, rest) = (count + 1, after);
    }
    result.push_str(rest);
    Ok((result, count))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| told("write", file, &error))
}

fn told(verb: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {verb} {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_on_a_target_feature_becomes_false() {
        let text =
            r#"#[cfg(all(target_feature="neon",target_arch="aarch64"))] a #[cfg(not(target_feature = "avx2"))] b"#;
        let expected = r#"#[cfg(all(any(),target_arch="aarch64"))] a #[cfg(not(any()))] b"#;
        assert_eq!(without_features(text), Ok((expected.to_owned(), 2)));
        assert_eq!(without_features("none"), Ok(("none".to_owned(), 0)));
        let attribute = "fn first() {}\n#[target_feature(enable = \"avx2\")]\n";
        assert_eq!(without_features(attribute), Err("line 2: `target_feature` is no condition".to_owned()));
    }
}
