//! Reads whole files, no larger than a limit.

use anyhow::{Context as _, Result, ensure};
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

/// The bytes of a file that the caller of the program names: a regular file, or a pipe.
///
/// A device has no end, so none is read. The size of a file is checked before
/// it is read; a pipe is read up to the limit.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    let name = path.display();
    let failed = || format!("cannot read {name}");
    let file = File::open(path).with_context(failed)?;
    let metadata = file.metadata().with_context(failed)?;
    ensure!(metadata.is_file() || is_pipe(&metadata), "cannot read {name}: it is neither a file nor a pipe");
    if metadata.is_file() {
        check_size(metadata.len(), bytes_max).with_context(failed)?;
    }
    read_at_most(file, bytes_max).with_context(failed)
}

/// The first bytes of a regular file in a folder or below it, so many of them,
/// or all if there are fewer.
///
/// Links are followed; what they lead to must be a regular file of that folder, too.
pub(crate) fn read_start(directory: &Path, name: &Path, bytes: u64) -> Result<Vec<u8>> {
    let path = directory.join(name);
    let name = path.display();
    let failed = || format!("cannot read {name}");
    let real = path.canonicalize().with_context(failed)?;
    // The folder of a bare name is empty.
    let real_directory = directory.join(".").canonicalize().with_context(failed)?;
    let shown = (real.display(), real_directory.display());
    ensure!(real.starts_with(&real_directory), "cannot read {name}: a link leads to {}, out of {}", shown.0, shown.1);
    // Asked before it is opened: opening a pipe would wait for its writer.
    let metadata = real.metadata().with_context(failed)?;
    ensure!(metadata.is_file(), "cannot read {name}: it is not a regular file");
    let file = File::open(&real).with_context(failed)?;
    let mut contents = Vec::new();
    file.take(bytes).read_to_end(&mut contents).with_context(failed)?;
    Ok(contents)
}

fn read_at_most(file: File, bytes_max: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more tells that there are too many.
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    check_size(u64::try_from(bytes.len())?, bytes_max)?;
    Ok(bytes)
}

fn check_size(bytes: u64, bytes_max: u64) -> Result<()> {
    ensure!(bytes <= bytes_max, "it has {bytes} bytes or more, the limit is {bytes_max}");
    Ok(())
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_fifo() || metadata.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}
