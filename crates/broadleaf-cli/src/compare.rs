//! `broadleaf compare FILE`: this library and its peers on a trace of anyone's.

use crate::args::CompareArguments;
use crate::format::{counted, thousands};
use crate::source::Source;
use anyhow::{Context as _, Result, bail};
use benches::chart::{Line, Panel, bars};
use benches::machine::Machine;
use benches::record::Row;
use benches::trace::Traced;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The name of the library's rows.
const OWN: &str = "broadleaf";
/// What each operation does, in the order of the table.
const OPERATIONS: [(&str, &str); 7] = [
    ("build", "build from scratch"),
    ("frame", "move all that move, list all pairs"),
    ("pairs", "list all pairs"),
    ("box", "objects in a box"),
    ("ray", "nearest object on a ray"),
    ("nearest", "ten nearest objects to a point"),
    ("events", "whole trace: pairs that began and ended"),
];

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    name: String,
    machine: String,
    objects: usize,
    first_frame: usize,
    frames: usize,
    rows: Vec<Row>,
    /// Which subjects do not agree, and where.
    disagreement: Option<String>,
    picture: Option<String>,
}

impl Compared {
    /// Whether all subjects gave the same answers.
    pub(crate) fn is_equal(&self) -> bool {
        self.disagreement.is_none()
    }
}

/// Measures a trace and draws the chart.
pub(crate) fn run(arguments: &CompareArguments) -> Result<Compared> {
    let source = Source::open(&arguments.file)?;
    let Some(frames) = source.trace_frames() else { bail!("{} is no trace", source.name()) };
    let questions = usize::try_from(arguments.questions).context("too many questions")?;
    let traced = Traced::new(source.name(), frames, questions)
        .with_context(|| format!("{} cannot be compared", source.name()))?;
    let Machine { processor, compiler, features, .. } = Machine::here();
    // Subjects that do not agree end the contest with a message.
    let outcome = catch_unwind(AssertUnwindSafe(|| traced.run(usize::from(arguments.rounds))));
    let mut compared = Compared {
        name: source.name().to_owned(),
        machine: format!("{processor}; {compiler}; {features}"),
        objects: traced.case.count,
        first_frame: traced.start,
        frames: traced.case.frames.len(),
        rows: Vec::new(),
        disagreement: None,
        picture: None,
    };
    match outcome {
        Ok(rows) => compared.rows = rows,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            compared.disagreement = Some(text.unwrap_or_else(|| String::from("a subject has failed")));
            return Ok(compared);
        }
    }
    let svg = bars(&panels(&compared.rows)).map_err(|error| anyhow::anyhow!("cannot draw the chart: {error}"))?;
    std::fs::write(&arguments.output, svg).with_context(|| format!("cannot write {}", arguments.output.display()))?;
    compared.picture = Some(arguments.output.display().to_string());
    Ok(compared)
}

/// The rows of each operation, in the order of the table, the quickest first.
fn groups(rows: &[Row]) -> Vec<(&'static str, Vec<&Row>)> {
    let mut by_operation: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by_operation.entry(&row.operation).or_default().push(row);
    }
    let take = |(operation, about)| {
        let mut rows = by_operation.remove(operation)?;
        rows.sort_by(|a, b| a.value.total_cmp(&b.value));
        Some((about, rows))
    };
    OPERATIONS.into_iter().filter_map(take).collect()
}

fn panels(rows: &[Row]) -> Vec<Panel> {
    let line = |row: &&Row| Line { name: row.subject.clone(), points: vec![(1.0, row.value)] };
    let panel = |(about, rows): (&str, Vec<&Row>)| {
        let unit = rows.first().map_or("", |row| &row.unit);
        Panel { title: format!("{about}, {unit}"), x: String::new(), lines: rows.iter().map(line).collect() }
    };
    groups(rows).into_iter().map(panel).collect()
}

impl Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (objects, frames) = (counted(self.objects, "object", "objects"), counted(self.frames, "frame", "frames"));
        writeln!(f, "{}: {objects} that live through {frames} from frame {}, as boxes", self.name, self.first_frame)?;
        writeln!(f, "{}\n", self.machine)?;
        if let Some(disagreement) = &self.disagreement {
            return writeln!(f, "the answers differ: {disagreement}");
        }
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        table.set_header(["operation", "by", "median", "unit", "times broadleaf's", "answers"]);
        for (about, rows) in groups(&self.rows) {
            let own = rows.iter().find(|row| row.subject == OWN).map(|row| row.value);
            for (place, row) in rows.iter().enumerate() {
                let times = own.map_or_else(String::new, |own| format!("{:.2}", row.value / own));
                let about = if place == 0 { about } else { "" };
                let answers = usize::try_from(row.answers).map_or_else(|_| String::new(), thousands);
                table.add_row([about, &row.subject, &format!("{:.1}", row.value), &row.unit, &times, &answers]);
            }
        }
        for column in [2, 4, 5] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(f, "{table}\n\nall answers are equal; medians of processor time, in interleaved rounds")?;
        match &self.picture {
            Some(picture) => writeln!(f, "the chart is in {picture}"),
            None => Ok(()),
        }
    }
}
