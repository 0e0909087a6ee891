//! Shortens a trace to its first frames, to be kept in the page.
//!
//! `shorten IN.bltrace FRAMES OUT.bltrace`

use anyhow::{Context as _, Result, bail};
use workloads::Trace;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, frames, output] = &arguments[..] else { bail!("shorten IN.bltrace FRAMES OUT.bltrace") };
    let bytes = std::fs::read(input).with_context(|| format!("cannot read {input}"))?;
    let mut trace = Trace::read(bytes.as_slice()).with_context(|| input.clone())?;
    trace.frames.truncate(frames.parse().with_context(|| format!("FRAMES cannot be {frames:?}"))?);
    let mut bytes = Vec::new();
    trace.write(&mut bytes)?;
    std::fs::write(output, bytes).with_context(|| format!("cannot write {output}"))
}
