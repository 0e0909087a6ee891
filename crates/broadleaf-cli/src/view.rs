//! The viewer's page with a file inside: one HTML file to open or to send.
//!
//! The bare page is what `cargo xtask web` makes. A mark in it tells where files
//! go: each is a script element that no browser runs, its bytes as base64.

use crate::args::ViewArguments;
use crate::file;
use crate::format::thousands;
use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use readers::limits::FILE_BYTES_MAX;
use serde::Serialize;
use std::fmt::{self, Display, Write as _};
use std::path::{Path, PathBuf};
use workloads::recordings;

/// The bare page beside the program.
const PAGE: &str = "broadleaf-viewer.html";
/// Where files go.
const MARK: &str = "<!-- FILES -->";

/// A page that was written.
#[derive(Debug, Serialize)]
pub(crate) struct Written {
    name: String,
    page: String,
    bytes: usize,
}

impl Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "wrote {} into {}: {} bytes; open it in a browser", self.name, self.page, thousands(self.bytes))
    }
}

/// A file within the page.
struct Embedded {
    name: String,
    bytes: Vec<u8>,
    /// Whether it only comes with another one, such as a buffer of a glTF document.
    is_beside: bool,
}

/// Reads the file, and writes the page with it. A broken file is refused before anything is written.
pub(crate) fn write(arguments: &ViewArguments) -> Result<Written> {
    let files = read(&arguments.file)?;
    let bare = bare_page(arguments.page.as_deref())?;
    let page = file::read(&bare, FILE_BYTES_MAX)?;
    let page = String::from_utf8(page).ok().filter(|page| page.contains(MARK));
    let page = page.with_context(|| format!("{} is not the viewer's page: it lacks {MARK:?}", bare.display()))?;
    let page = page.replacen(MARK, &elements(&files)?, 1);
    let name = files.first().map_or_else(String::new, |file| file.name.clone());
    let out = arguments.out.clone().unwrap_or_else(|| Path::new(&name).with_extension("html"));
    std::fs::write(&out, &page).with_context(|| format!("cannot write {}", out.display()))?;
    Ok(Written { name, page: out.display().to_string(), bytes: page.len() })
}

/// The files that the page is to hold: a trace as a binary one, a model as it is, with its buffers.
fn read(path: &Path) -> Result<Vec<Embedded>> {
    let name = path.display().to_string();
    if !path.exists()
        && let Some(recording) = recordings::file(&name)
    {
        let (name, bytes) = (format!("{name}.bltrace"), recording.to_vec());
        return Ok(vec![Embedded { name, bytes, is_beside: false }]);
    }
    let bytes = file::read(path, FILE_BYTES_MAX)?;
    let short = path.file_name().map_or(name.clone(), |name| name.to_string_lossy().into_owned());
    if !readers::is_model(&name) {
        let (trace, mut bytes) = (readers::trace(&name, &bytes)?, Vec::new());
        trace.write(&mut bytes).with_context(|| format!("cannot write {name} as a binary trace"))?;
        let name = Path::new(&short).with_extension("bltrace").display().to_string();
        return Ok(vec![Embedded { name, bytes, is_beside: false }]);
    }
    let (directory, mut buffers) = (path.parent().unwrap_or(Path::new("")), Vec::new());
    readers::model(&name, &bytes, &mut |beside, length| {
        let bytes = file::read_start(directory, beside, length)?;
        buffers.push(Embedded { name: beside.display().to_string(), bytes: bytes.clone(), is_beside: true });
        Ok(bytes)
    })?;
    buffers.insert(0, Embedded { name: short, bytes, is_beside: false });
    Ok(buffers)
}

/// The bare page: as asked for, or beside the program, or where the program and the page are built.
fn bare_page(asked: Option<&Path>) -> Result<PathBuf> {
    if let Some(page) = asked {
        return Ok(page.to_owned());
    }
    let program = std::env::current_exe().context("cannot tell where the program is")?;
    let directory = program.parent().unwrap_or(Path::new(""));
    let places = [directory.join(PAGE), directory.join("../web").join(PAGE)];
    let Some(page) = places.iter().find(|page| page.exists()) else {
        bail!(
            "there is no {PAGE} in {}: make it by `cargo xtask web --page` in the project's folder, or name it by --page",
            directory.display()
        )
    };
    Ok(page.clone())
}

/// The script elements of files, and the mark after them.
fn elements(files: &[Embedded]) -> Result<String> {
    let mut elements = String::new();
    for Embedded { name, bytes, is_beside } in files {
        let kind = if *is_beside { "data-beside" } else { "data-first" };
        let name = name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        write!(elements, "<script type=\"application/octet-stream\" data-file=\"{name}\" {kind}>")?;
        BASE64.encode_string(bytes, &mut elements);
        elements.push_str("</script>\n");
    }
    elements.push_str(MARK);
    Ok(elements)
}
