//! The page of figures, its plots, and the figures that other pages quote: all
//! from the records in `benches/record`, so that nothing is typed twice.

mod figures;
mod goals;
mod page;
mod plots;
mod ratios;
mod records;

pub use figures::rewrite;
pub use records::Records;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the page, and its plots and the pages of other machines are, from the root of the workspace.
const PAGE: &str = "docs/performance.md";
const PLOTS: &str = "docs/performance";
/// Where figures are quoted.
const README: &str = "README.md";
const GUIDE: &str = "docs/guide/src";

/// Every file that the records decide, with the text that it should have.
///
/// # Errors
/// A record or page that cannot be read, or a figure that no record has.
pub fn files(root: &Path, machine: &str) -> Result<BTreeMap<PathBuf, String>, String> {
    let records = Records::load(&root.join("benches/record").join(machine))?;
    let mut files = BTreeMap::new();
    for (name, svg) in plots::all(&records)? {
        files.insert(root.join(PLOTS).join(format!("{name}.svg")), svg);
    }
    let others = others(&root.join("benches/record"), machine)?;
    files.insert(root.join(PAGE), page::page(&records, machine, &others));
    for other in others {
        let records = Records::load(&root.join("benches/record").join(&other))?;
        files.insert(root.join(PLOTS).join(format!("{other}.md")), page::page_of_other(&records, &other));
    }
    let mut quoting = vec![root.join(README)];
    if let Ok(folder) = std::fs::read_dir(root.join(GUIDE)) {
        let pages = folder.filter_map(|entry| Some(entry.ok()?.path()));
        quoting.extend(pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    for path in quoting {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = rewrite(&text, &records).map_err(|error| format!("{}: {error}", path.display()))?;
        files.insert(path, text);
    }
    Ok(files)
}

/// The folders of records of other machines.
fn others(folder: &Path, machine: &str) -> Result<Vec<String>, String> {
    let named = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(named)? {
        let entry = entry.map_err(named)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != machine && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The files whose text is another than it should be.
#[must_use]
pub fn stale(files: &BTreeMap<PathBuf, String>) -> Vec<&Path> {
    let is_stale = |(path, text): &(&PathBuf, &String)| std::fs::read_to_string(path).ok().as_ref() != Some(*text);
    files.iter().filter(is_stale).map(|(path, _)| path.as_path()).collect()
}
