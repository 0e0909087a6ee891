//! The plots: cost against what varies, the peers in the same panel.

use super::records::{Entry, Records};
use crate::chart::{Line, Panel, lines};
use crate::sweep::Measure;
use std::collections::BTreeMap;
use workloads::sweep::Series;

/// The measures that are plotted, in the order of the panels.
const PLOTTED: [Measure; 6] =
    [Measure::Build, Measure::Frame, Measure::Events, Measure::Pairs, Measure::Box, Measure::Ray];

/// What a series is called on the axis and in the text.
pub(super) fn title(series: Series) -> &'static str {
    match series {
        Series::Number => "number of objects",
        Series::SizeRatio => "size of the largest object over the smallest",
        Series::AspectRatio => "longest edge of each object over its others",
        Series::Density => "overlapping pairs per object",
    }
}

/// A plot for each series that the records have, by name.
///
/// # Errors
/// If a chart cannot be drawn.
pub(super) fn all(records: &Records) -> Result<Vec<(&'static str, String)>, String> {
    let mut plots = Vec::new();
    for series in Series::ALL {
        let panels = panels(records, series);
        if !panels.is_empty() {
            plots.push((series.name(), lines(&panels).map_err(|error| error.to_string())?));
        }
    }
    Ok(plots)
}

fn panels(records: &Records, series: Series) -> Vec<Panel> {
    let entries = records.records.iter().filter(|record| record.is_series()).flat_map(|record| &record.entries);
    let entries: Vec<(f64, &Entry)> = entries
        .filter(|entry| entry.caches == "warm")
        .filter_map(|entry| {
            let (of, value) = Series::of_scene(&entry.scene)?;
            (of == series).then_some((value, entry))
        })
        .collect();
    let panel = |measure: Measure| {
        let of = entries.iter().filter(|(_, entry)| entry.operation == measure.name());
        let (mut by_subject, mut unit): (BTreeMap<&str, Vec<(f64, f64)>>, _) = (BTreeMap::new(), "");
        for (x, entry) in of {
            // Frames of worlds of different size are compared by what an object costs.
            let per_object = entry.unit == "us/frame";
            let value = if per_object { entry.value * 1000.0 / entry.count as f64 } else { entry.value };
            unit = if per_object { "ns/object" } else { entry.unit.as_str() };
            if value > 0.0 {
                by_subject.entry(&entry.subject).or_default().push((*x, value));
            }
        }
        let line = |(name, mut points): (&str, Vec<(f64, f64)>)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Line { name: name.to_owned(), points }
        };
        let lines: Vec<Line> = by_subject.into_iter().map(line).collect();
        let caption = format!("{}, {unit}", measure.name());
        (!lines.is_empty()).then(|| Panel { title: caption, x: title(series).to_owned(), lines })
    };
    PLOTTED.into_iter().filter_map(panel).collect()
}
