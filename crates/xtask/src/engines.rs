//! `cargo xtask engines`: the packages that connect broadleaf with an engine: builds and tests them.
//!
//! Each has a lock file of its own and stands outside the workspace, since engines bring
//! hundreds of packages. All are built in one directory, so that they share what they can.

use crate::run::{cargo, remove_build, run, target_dir};

/// A package that connects broadleaf with an engine.
struct Package {
    /// Its directory, from the workspace's root.
    path: &'static str,
    /// Arguments of `clippy` and `test`, such as features.
    arguments: &'static str,
}

/// The packages, in the order in which they are built. To add one, add a line.
const PACKAGES: &[Package] = &[
    Package { path: "crates/bevy_broadleaf", arguments: "--ignore-rust-version --all-features" },
    Package { path: "crates/broadleaf-avian", arguments: "--ignore-rust-version" },
    Package { path: "crates/parry-narrow-phase", arguments: "" },
];

/// Checks the format of the packages, lints and tests them: those whose paths end
/// with one of the names, or all if there is no name.
pub(crate) fn engines(names: &[String]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| !PACKAGES.iter().any(|package| package.path.ends_with(*name))) {
        let paths: Vec<_> = PACKAGES.iter().map(|package| package.path).collect();
        return Err(format!("no package is called {unknown}; there are {}", paths.join(", ")));
    }
    let wanted = |package: &&Package| names.is_empty() || names.iter().any(|name| package.path.ends_with(name));
    PACKAGES.iter().filter(wanted).try_for_each(Package::check)?;
    // Not a directory that somebody has named.
    remove_build(&target_dir("engines"))
}

impl Package {
    fn check(&self) -> Result<(), String> {
        println!("==> {}", self.path);
        self.cargo("fmt --check", "")?;
        self.cargo("test --locked", self.arguments)?;
        self.cargo("clippy --locked --all-targets", &format!("{} -- -D warnings", self.arguments))
    }

    /// Runs cargo without debug information, which is most of what these builds write.
    fn cargo(&self, task: &str, arguments: &str) -> Result<(), String> {
        let mut command = cargo(&format!("{task} --manifest-path {}/Cargo.toml {arguments}", self.path));
        command.env("CARGO_TARGET_DIR", directory()).env("CARGO_PROFILE_DEV_DEBUG", "0");
        run(command.env("CARGO_INCREMENTAL", "0"))
    }
}

/// The target directory of these packages: `ENGINES_TARGET_DIR`, else one below the workspace's.
fn directory() -> std::path::PathBuf {
    std::env::var_os("ENGINES_TARGET_DIR").map_or_else(|| target_dir("engines"), Into::into)
}
