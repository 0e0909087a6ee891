//! Traces, binary or as CSV.

use anyhow::{Context as _, Result, bail};
use std::path::Path;
use workloads::Trace;

/// The trace in a file of that name: CSV if the name ends in `.csv`, else binary.
///
/// # Errors
/// What is wrong, and in which line or at which byte.
pub fn trace(name: &str, bytes: &[u8]) -> Result<Trace> {
    let is_csv = Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let trace = if is_csv { Trace::read_csv(bytes) } else { Trace::read(bytes) };
    let trace = trace.with_context(|| format!("{name} is not a trace"))?;
    if trace.frames.is_empty() {
        bail!("{name} is not a trace: it has no frames");
    }
    Ok(trace)
}
