//! `cargo xtask c`: the C and the C++ interface: built, installed, and tested as a stranger would use it.

use crate::run::{cargo, output, remove_build, root, run, target_dir};
use clap::Subcommand;
use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = "crates/broadleaf-c/Cargo.toml";

/// The one program that does not run under valgrind: it compares times.
const EXAMPLE_WITHOUT_VALGRIND: &str = "bullet_pairs";

/// One task of the interface; all checks if none is given.
#[derive(Subcommand)]
pub(crate) enum Task {
    /// Writes the C header anew from the sources.
    Header,
    /// Builds the library and installs it with headers, CMake and pkg-config files.
    Install {
        /// The directory to install into, such as /usr/local.
        #[arg(long)]
        prefix: PathBuf,
    },
    /// Runs every check: what `cargo xtask c` does.
    Check,
}

impl Task {
    pub(crate) fn run(&self) -> Result<(), String> {
        match self {
            Self::Header => run(&mut in_target(cargo(&format!("run --manifest-path {MANIFEST} -p header -- --write")))),
            Self::Install { prefix } => {
                build()?;
                install(prefix)
            }
            Self::Check => check(),
        }
    }
}

/// All builds of the interface share one directory, apart from the workspace's.
fn in_target(mut command: Command) -> Command {
    command.env("CARGO_TARGET_DIR", target_dir("c"));
    command
}

fn build() -> Result<(), String> {
    run(&mut in_target(cargo(&format!("build --release --locked --manifest-path {MANIFEST}"))))
}

fn check() -> Result<(), String> {
    run(&mut cargo(&format!("fmt --check -p broadleaf-c -p header --manifest-path {MANIFEST}")))?;
    run(&mut in_target(cargo(&format!("run --locked --manifest-path {MANIFEST} -p header"))))?;
    build()?;
    run(&mut in_target(cargo(&format!("test --release --locked --manifest-path {MANIFEST}"))))?;
    run(&mut in_target(cargo(&format!(
        "clippy --release --locked --all-targets --manifest-path {MANIFEST} -- -D warnings"
    ))))?;
    let prefix = target_dir("c").join("prefix");
    if prefix.exists() {
        std::fs::remove_dir_all(&prefix).map_err(|error| format!("{}: {error}", prefix.display()))?;
    }
    install(&prefix)?;
    let plain = programs("plain", &prefix, &[])?;
    valgrind(&plain)?;
    programs("sanitized", &prefix, &["-DBROADLEAF_SANITIZE=ON", "-DBROADLEAF_TARGET=broadleaf::static"])?;
    pkg_config(&prefix)?;
    remove_build(&target_dir("c"))
}

/// Copies libraries, headers, CMake and pkg-config files into a prefix.
fn install(prefix: &Path) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Err("install knows the names that libraries have on Linux; elsewhere link what \
                    `cargo build --release` makes in crates/broadleaf-c"
            .to_owned());
    }
    let version = version()?;
    let short = version.rsplit_once('.').map_or(version.as_str(), |(short, _)| short);
    let (from, built) = (root().join("crates/broadleaf-c"), target_dir("c").join("release"));
    let lib = prefix.join("lib");
    let headers = ["broadleaf.h", "broadleaf.hpp", "broadleaf/octree.hpp", "broadleaf/pairs.hpp", "broadleaf/mesh.hpp"];
    let headers = headers.map(|name| (from.join("include").join(name), prefix.join("include").join(name)));
    let libraries = [
        (built.join("libbroadleaf_c.a"), lib.join("libbroadleaf.a")),
        (built.join("libbroadleaf_c.so"), lib.join(format!("libbroadleaf.so.{version}"))),
    ];
    for (from, to) in headers.into_iter().chain(libraries) {
        create_parent(&to)?;
        std::fs::copy(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
        println!("    {}", to.display());
    }
    link(&lib, &format!("libbroadleaf.so.{version}"), &format!("libbroadleaf.so.{short}"))?;
    link(&lib, &format!("libbroadleaf.so.{short}"), "libbroadleaf.so")?;
    let texts = [
        ("broadleaf-config.cmake", lib.join("cmake/broadleaf/broadleaf-config.cmake")),
        ("broadleaf-config-version.cmake", lib.join("cmake/broadleaf/broadleaf-config-version.cmake")),
        ("broadleaf.pc", lib.join("pkgconfig/broadleaf.pc")),
    ];
    for (name, to) in texts {
        let path = from.join("cmake").join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        create_parent(&to)?;
        let text = text.replace("@VERSION@", &version).replace("@VERSION_SHORT@", short);
        std::fs::write(&to, text).map_err(|error| format!("{}: {error}", to.display()))?;
        println!("    {}", to.display());
    }
    Ok(())
}

fn create_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))
}

/// Makes a symbolic link, in place of one that is there.
#[cfg(unix)]
fn link(directory: &Path, to: &str, name: &str) -> Result<(), String> {
    let path = directory.join(name);
    if path.is_symlink() {
        std::fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    std::os::unix::fs::symlink(to, &path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(not(unix))]
fn link(_: &Path, _: &str, name: &str) -> Result<(), String> {
    Err(format!("{name}: no symbolic links here"))
}

/// The version of the interface, as its manifest says.
fn version() -> Result<String, String> {
    let path = root().join(MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let version = text.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| format!("{}: no version", path.display()))
}

/// Builds examples and tests against the installed library, found by CMake, and runs them; the directory of the programs.
fn programs(name: &str, prefix: &Path, options: &[&str]) -> Result<PathBuf, String> {
    let directory = target_dir("c").join(name);
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(root().join("crates/broadleaf-c/c")).arg("-B").arg(&directory);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).arg("-DCMAKE_BUILD_TYPE=RelWithDebInfo");
    run(configure.args(options))?;
    run(Command::new("cmake").arg("--build").arg(&directory).args(["--parallel", "2"]))?;
    run(Command::new("ctest").arg("--test-dir").arg(&directory).arg("--output-on-failure"))?;
    Ok(directory)
}

/// Runs the programs under valgrind: no error, no leak.
fn valgrind(directory: &Path) -> Result<(), String> {
    let list = output(Command::new("ctest").arg("--test-dir").arg(directory).arg("--show-only"))?;
    let mut names =
        list.lines().filter_map(|line| line.trim_start().strip_prefix("Test ")?.split_once(": ").map(|(_, name)| name));
    let names: Vec<&str> = names.by_ref().filter(|name| *name != EXAMPLE_WITHOUT_VALGRIND).collect();
    if names.is_empty() {
        return Err(format!("{}: ctest lists no programs", directory.display()));
    }
    for name in names {
        let mut command = Command::new("valgrind");
        command.args(["-q", "--error-exitcode=9", "--leak-check=full"]);
        command.args(["--errors-for-leak-kinds=definite,indirect", "--show-leak-kinds=definite,indirect"]);
        run(command.arg(directory.join(name)))?;
    }
    Ok(())
}

/// Builds an example with the flags of pkg-config alone, and runs it.
fn pkg_config(prefix: &Path) -> Result<(), String> {
    let ask = |question: &str| {
        let mut command = Command::new("pkg-config");
        output(command.args([question, "broadleaf"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))
    };
    let (cflags, libs) = (ask("--cflags")?, ask("--libs")?);
    let program = target_dir("c").join("frame_loop_pkg_config");
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-o"]).arg(&program).arg(root().join("crates/broadleaf-c/c/examples/frame_loop.c"));
    run(compile.args(cflags.split_whitespace()).args(libs.split_whitespace()).arg("-lm"))?;
    run(Command::new(program).env("LD_LIBRARY_PATH", prefix.join("lib")))
}
