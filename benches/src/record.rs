//! Rows of the comparison, as a table for people and as CSV for the record.

use crate::machine::Machine;
use serde::Serialize;
use std::path::Path;

/// One subject's result in one operation.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was done.
    pub operation: String,
    /// What the caches held when a timed block began; empty for what is no time.
    pub caches: &'static str,
    /// On which scene.
    pub scene: String,
    /// With how many objects.
    pub count: usize,
    /// By whom.
    pub subject: String,
    /// Median over the rounds.
    pub value: f64,
    /// Least over the rounds.
    pub least: f64,
    /// What the value is: nanoseconds per object or per question, or bytes per object.
    pub unit: String,
    /// Number of rounds that stand behind it.
    pub rounds: usize,
    /// Answers, equal for all subjects of the row.
    pub answers: u64,
}

/// A table with a line for each operation, scene and count in which `own` took part.
#[must_use]
pub fn table(rows: &[Row], own: &str) -> String {
    let mut text =
        String::from("| operation | scene | count | broadleaf | best peer | | ratio | of the least | unit |\n");
    text.push_str("|---|---|---:|---:|---:|---|---:|---:|---|\n");
    let key = |row: &Row| (row.operation.clone(), row.scene.clone(), row.count);
    let mut keys: Vec<_> = rows.iter().map(key).collect();
    keys.dedup();
    for (operation, scene, count) in keys {
        let of = |row: &&Row| row.operation == operation && row.scene == scene && row.count == count;
        let group: Vec<&Row> = rows.iter().filter(of).collect();
        let Some(mine) = group.iter().find(|row| row.subject == own) else { continue };
        let peers = group.iter().filter(|row| !row.subject.starts_with(own));
        let best = peers.min_by(|a, b| a.value.total_cmp(&b.value));
        let or_dash =
            |number: Option<f64>, digits: usize| number.map_or("–".to_owned(), |number| format!("{number:.digits$}"));
        let ratio = or_dash(best.map(|best| best.value / mine.value), 2);
        let least = or_dash(best.map(|best| best.least / mine.least), 2);
        let (own_value, peer_value) = (or_dash(Some(mine.value), 1), or_dash(best.map(|best| best.value), 1));
        let name = best.map_or("", |row| &row.subject);
        let unit = group.first().map_or("", |row| &row.unit);
        text += &format!(
            "| {operation} | {scene} | {count} | {own_value} | {peer_value} | {name} | {ratio} | {least} | {unit} |\n"
        );
    }
    text
}

/// Work on two trees that share nothing: one after the other, and on two threads at once.
pub(crate) const APART: [&str; 2] = ["one after the other", "at once"];

/// A sentence on how much two threads can gain here, if that was measured.
#[must_use]
pub fn threads_note(rows: &[Row]) -> String {
    let of = |subject: &str| {
        rows.iter().filter(|row| row.operation == "apart" && row.subject == subject).collect::<Vec<_>>()
    };
    let gains = of(APART[0]).iter().zip(of(APART[1])).map(|(one, two)| one.value / two.value).collect::<Vec<_>>();
    if gains.is_empty() {
        return String::new();
    }
    let (low, high) = gains.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &gain| (low.min(gain), high.max(gain)));
    format!(
        "Two trees that share nothing are built and asked {low:.2} to {high:.2} times as fast on two threads: a bound for the rows.\n"
    )
}

/// Every subject's value, for reading beside the table.
#[must_use]
pub fn details(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let Row { operation, scene, count, subject, value, unit, answers, .. } = row;
        format!("{operation:10} {scene:10} {count:>8} {subject:16} {value:>12.1} {unit:12} {answers} answers\n")
    };
    rows.iter().map(line).collect()
}

/// Writes the rows, and the machine into every one of them; the command, which is long, into the first.
///
/// # Errors
/// If the file cannot be written.
pub fn write_csv(path: &Path, machine: &Machine, command: &str, rows: &[Row]) -> Result<(), csv::Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record([
        "operation",
        "caches",
        "scene",
        "count",
        "subject",
        "value",
        "least",
        "unit",
        "rounds",
        "answers",
        "processor",
        "compiler",
        "features",
        "flags",
        "commit",
        "command",
    ])?;
    for (index, row) in rows.iter().enumerate() {
        let Machine { processor, compiler, features, flags, commit } = machine;
        let said = if index == 0 { command } else { "" };
        writer.write_record([
            &row.operation,
            row.caches,
            &row.scene,
            &row.count.to_string(),
            &row.subject,
            &format!("{:.2}", row.value),
            &format!("{:.2}", row.least),
            &row.unit,
            &row.rounds.to_string(),
            &row.answers.to_string(),
            processor,
            compiler,
            features,
            flags,
            commit,
            said,
        ])?;
    }
    writer.flush()?;
    Ok(())
}
