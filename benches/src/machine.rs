//! Where a measurement was taken.

use std::process::Command;

/// Processor, compiler and instruction sets.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The processor's model name, `unknown` if the system does not tell.
    pub processor: String,
    /// The compiler's version line.
    pub compiler: String,
    /// Instruction sets that this binary was compiled for.
    pub features: String,
    /// The flags that the compiler was given by the environment.
    pub flags: &'static str,
    /// The commit that the working tree stands on.
    pub commit: String,
}

impl Machine {
    /// Asks the system.
    #[must_use]
    pub fn here() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find(|line| line.starts_with("model name"));
        Self {
            processor: model
                .and_then(|line| line.split_once(':'))
                .map_or("unknown", |(_, name)| name.trim())
                .to_owned(),
            compiler: output("rustc", &["--version"]),
            features: features(),
            flags: option_env!("RUSTFLAGS").unwrap_or(""),
            commit: output("git", &["rev-parse", "--short", "HEAD"]),
        }
    }
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    output.map_or_else(|| "unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn features() -> String {
    let all = [
        ("sse4.2", cfg!(target_feature = "sse4.2")),
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("fma", cfg!(target_feature = "fma")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let on: Vec<&str> = all.iter().filter_map(|&(name, on)| on.then_some(name)).collect();
    if on.is_empty() { "the target's default".to_owned() } else { on.join(" ") }
}
