//! Reading records: of each kind, the newest.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A line of a record.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// What was done.
    pub operation: String,
    /// What the caches held; records from before there was a choice held what the same block left.
    #[serde(default)]
    pub caches: String,
    /// On which scene.
    pub scene: String,
    /// With how many objects.
    pub count: usize,
    /// By whom.
    pub subject: String,
    /// The median.
    pub value: f64,
    /// What the value is.
    pub unit: String,
    /// Rounds behind the median.
    pub rounds: usize,
    /// Where it was measured, and with what.
    pub processor: String,
    compiler: String,
    features: String,
    #[serde(default)]
    flags: String,
    /// Of which commit.
    pub commit: String,
    /// By which command; only the first line says it.
    pub command: String,
}

impl Entry {
    /// Compiler, and what it was told.
    #[must_use]
    pub fn build(&self) -> String {
        let version = self.compiler.split(" (").next().unwrap_or_default();
        let flags = if self.flags.is_empty() { &self.features } else { &self.flags };
        format!("{version}, {flags}")
    }
}

/// A file: one run of a program.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file's name without date and extension.
    pub kind: String,
    /// The day, as the file's name begins.
    pub date: String,
    /// Its lines.
    pub entries: Vec<Entry>,
}

impl Record {
    /// Whether its scenes are those of the sweep.
    #[must_use]
    pub fn is_sweep(&self) -> bool {
        self.kind.starts_with("sweep")
    }

    /// Whether one parameter varies in it.
    #[must_use]
    pub fn is_series(&self) -> bool {
        self.kind.starts_with("series")
    }
}

/// All records of a machine, by kind.
#[derive(Clone, Debug)]
pub struct Records {
    /// The newest of each kind.
    pub records: Vec<Record>,
}

impl Records {
    /// Reads a machine's folder.
    ///
    /// # Errors
    /// A file that cannot be read or is no record, a name without a date, a folder without records.
    pub fn load(folder: &Path) -> Result<Self, String> {
        let named = |what: &dyn std::fmt::Display| format!("{}: {what}", folder.display());
        let mut newest: BTreeMap<String, String> = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(|error| named(&error))? {
            let name = entry.map_err(|error| named(&error))?.file_name().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".csv") else { continue };
            let (date, kind) = dated(stem).ok_or_else(|| named(&format!("{name} begins with no date")))?;
            let known = newest.entry(kind.to_owned()).or_default();
            if known.as_str() < date {
                date.clone_into(known);
            }
        }
        let records: Result<Vec<Record>, String> = newest
            .into_iter()
            .map(|(kind, date)| {
                let entries = read(&folder.join(format!("{date}-{kind}.csv")))?;
                Ok(Record { kind, date, entries })
            })
            .collect();
        let records = records?;
        if records.is_empty() { Err(named(&"there is no record")) } else { Ok(Self { records }) }
    }
}

/// A file's name as date and kind.
fn dated(stem: &str) -> Option<(&str, &str)> {
    let (date, kind) = stem.split_at_checked(10)?;
    let is_date = date.bytes().enumerate().all(|(place, byte)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    Some((date, kind.strip_prefix('-')?)).filter(|_| is_date)
}

fn read(path: &Path) -> Result<Vec<Entry>, String> {
    let named = |error: csv::Error| format!("{}: {error}", path.display());
    let mut entries: Vec<Entry> =
        csv::Reader::from_path(path).map_err(named)?.deserialize().collect::<Result<_, _>>().map_err(named)?;
    for entry in &mut entries {
        if entry.caches.is_empty() && entry.unit.starts_with("ns/") {
            "warm".clone_into(&mut entry.caches);
        }
    }
    if entries.is_empty() { Err(format!("{}: no line", path.display())) } else { Ok(entries) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_date_and_a_kind() {
        assert_eq!(dated("2026-11-22-sweep-x86-64-v3"), Some(("2026-11-22", "sweep-x86-64-v3")));
        for name in ["sweep", "2026-11-22", "2026-11-2a-sweep", "20261-1-22-sweep"] {
            assert_eq!(dated(name), None, "{name}");
        }
    }
}
