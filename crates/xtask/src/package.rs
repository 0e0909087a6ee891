//! The step `package`: what `cargo publish` would upload.

use crate::run::{cargo, output, run, target_dir};

/// Bytes that the packed library may have.
const BYTES_MAX: u64 = 1_000_000;
/// Files that a package must have.
const NEEDED: [&str; 5] = ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"];

/// Packs the library, compiles what was packed, and checks its size and its files.
pub(crate) fn check() -> Result<(), String> {
    // A change that is being tried out is not committed yet.
    run(&mut cargo("publish --dry-run -p broadleaf --allow-dirty"))?;
    let name = format!("broadleaf-{}.crate", env!("CARGO_PKG_VERSION"));
    // Where a dry run leaves the file depends on the version of Cargo.
    let places = [target_dir("package").join("tmp-crate").join(&name), target_dir("package").join(&name)];
    let packed = places.iter().find(|place| place.exists()).ok_or(format!("no {name} was made"))?;
    let bytes = std::fs::metadata(packed).map_err(|error| format!("{}: {error}", packed.display()))?.len();
    let list = output(&mut cargo("package --list -p broadleaf --allow-dirty"))?;
    let files: Vec<&str> = list.lines().collect();
    println!("{} files, {bytes} of at most {BYTES_MAX} bytes", files.len());
    if bytes > BYTES_MAX {
        return Err(format!("the package has {bytes} bytes: more than {BYTES_MAX}"));
    }
    let missing: Vec<&str> = NEEDED.into_iter().filter(|needed| !files.contains(needed)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("not in the package: {}", missing.join(", "))) }
}
