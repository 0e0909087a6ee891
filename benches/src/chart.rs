//! Charts as SVG: lines over a varied parameter, and bars side by side.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// Pixels of one panel, and of the legend beside them.
const PANEL: (u32, u32) = (420, 300);
const LEGEND: u32 = 220;
/// Panels side by side.
const COLUMNS: usize = 3;
/// The library's line is this much wider than the others.
const OWN_WIDTH: u32 = 4;
/// The name of the library's rows.
const OWN: &str = "broadleaf";

/// Colours that can be told apart, also by most who see few colours (Okabe and Ito, 2008), then others.
const COLORS: [RGBColor; 12] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(120, 94, 60),
    RGBColor(150, 150, 150),
    RGBColor(200, 180, 20),
    RGBColor(110, 60, 180),
    RGBColor(40, 40, 40),
    RGBColor(220, 60, 110),
    RGBColor(60, 150, 160),
];
/// The library's own.
const OWN_COLOR: RGBColor = RGBColor(0, 140, 80);

/// What one subject needs, over the varied parameter; or, in a chart of bars, one value.
#[derive(Clone, Debug)]
pub struct Line {
    /// The subject.
    pub name: String,
    /// Parameter and value, both above zero, the parameter ascending.
    pub points: Vec<(f64, f64)>,
}

/// One chart.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is measured, in which unit.
    pub title: String,
    /// What varies.
    pub x: String,
    /// The subjects.
    pub lines: Vec<Line>,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Panels with lines on two logarithmic axes, and one legend.
///
/// # Errors
/// If the chart cannot be drawn.
pub fn lines(panels: &[Panel]) -> Result<String> {
    let names = names(panels);
    draw(panels, |area, panel| {
        let points = panel.lines.iter().flat_map(|line| line.points.iter().copied());
        let (x, y) = points.fold((Range::EMPTY, Range::EMPTY), |(x, y), point| (x.with(point.0), y.with(point.1)));
        let mut chart = ChartBuilder::on(area)
            .caption(&panel.title, ("sans-serif", 16))
            .margin(8)
            .x_label_area_size(34)
            .y_label_area_size(56)
            .build_cartesian_2d(x.padded().log_scale(), y.padded().log_scale())?;
        chart
            .configure_mesh()
            .light_line_style(RGBColor(240, 240, 240))
            .x_desc(&panel.x)
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&|value: &f64| short(*value))
            .y_label_formatter(&|value: &f64| short(*value))
            .draw()?;
        for line in panel.lines.iter().rev() {
            let (color, width) = style(&names, &line.name);
            chart.draw_series(LineSeries::new(line.points.iter().copied(), color.stroke_width(width)))?;
            let dots = line.points.iter().map(|&point| Circle::new(point, width, color.filled()));
            chart.draw_series(dots)?;
        }
        Ok(())
    })
}

/// Panels with a bar for each subject, the shortest first, and one legend. The
/// scale is logarithmic, so what a bar ends at counts, not its length.
///
/// # Errors
/// If the chart cannot be drawn.
pub fn bars(panels: &[Panel]) -> Result<String> {
    let names = names(panels);
    draw(panels, |area, panel| {
        let mut bars: Vec<(&str, f64)> =
            panel.lines.iter().filter_map(|line| Some((line.name.as_str(), line.points.first()?.1))).collect();
        bars.sort_by(|a, b| a.1.total_cmp(&b.1));
        let range = bars.iter().fold(Range::EMPTY, |range, bar| range.with(bar.1)).padded();
        let rows = 0.0..bars.len().max(1) as f64;
        let mut chart = ChartBuilder::on(area)
            .caption(&panel.title, ("sans-serif", 16))
            .margin(8)
            .x_label_area_size(24)
            .y_label_area_size(12)
            .build_cartesian_2d((range.start..range.end * 3.0).log_scale(), rows)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(RGBColor(240, 240, 240))
            .x_labels(5)
            .x_label_formatter(&|value: &f64| short(*value))
            .draw()?;
        for (row, &(name, value)) in bars.iter().enumerate() {
            let (top, color) = ((bars.len() - row) as f64, style(&names, name).0);
            chart.draw_series([Rectangle::new([(range.start, top - 0.85), (value, top - 0.15)], color.filled())])?;
            let font = ("sans-serif", 12).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
            chart.draw_series([Text::new(format!(" {}", short(value)), (value, top - 0.5), font)])?;
        }
        Ok(())
    })
}

/// All subjects, in the order of the panels, the library first.
fn names(panels: &[Panel]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in panels.iter().flat_map(|panel| &panel.lines) {
        if !names.contains(&line.name) {
            names.push(line.name.clone());
        }
    }
    names.sort_by_key(|name| name != OWN);
    names
}

fn style(names: &[String], name: &str) -> (RGBColor, u32) {
    if name == OWN {
        return (OWN_COLOR, OWN_WIDTH);
    }
    let index = names.iter().filter(|other| *other != OWN).position(|other| other == name).unwrap_or(0);
    (COLORS[index % COLORS.len()], 2)
}

/// Draws panels in rows, and the legend at their right.
fn draw(
    panels: &[Panel],
    mut panel: impl FnMut(&DrawingArea<SVGBackend<'_>, Shift>, &Panel) -> Result<()>,
) -> Result<String> {
    let columns = panels.len().clamp(1, COLUMNS);
    let rows = panels.len().div_ceil(columns).max(1);
    let (wide, high) = (u32::try_from(columns)?, u32::try_from(rows)?);
    let (width, height) = (wide * PANEL.0, (high * PANEL.1).max(LEGEND));
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (width + LEGEND, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let (charts, legend) = root.split_horizontally(width);
        for (area, one) in charts.split_evenly((rows, columns)).iter().zip(panels) {
            panel(area, one)?;
        }
        let names = names(panels);
        for (row, name) in (0..).zip(&names) {
            let (color, width) = style(&names, name);
            let y = 40 + 24 * row;
            legend.draw(&PathElement::new([(8, y), (34, y)], color.stroke_width(width)))?;
            let font = ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
            legend.draw(&Text::new(name.clone(), (42, y), font))?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// From the least to the most of some values.
#[derive(Clone, Copy)]
struct Range {
    start: f64,
    end: f64,
}

impl Range {
    const EMPTY: Self = Self { start: f64::INFINITY, end: 0.0 };

    fn with(self, value: f64) -> Self {
        Self { start: self.start.min(value), end: self.end.max(value) }
    }

    /// A little room on both sides; something to draw where there is no value.
    fn padded(self) -> std::ops::Range<f64> {
        if self.end > 0.0 { self.start / 1.3..self.end * 1.3 } else { 1.0..10.0 }
    }
}

/// A number of few digits: 20k, 1.5M, 0.01.
#[must_use]
pub fn short(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 999_500.0 => (value / 1e6, "M"),
        value if value >= 999.5 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let digits = if value >= 99.95 {
        0
    } else if value >= 0.995 {
        1
    } else {
        3
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.01, 1.0, 3.12, 99.96, 100.0, 1000.0, 20_000.0, 1_500_000.0].map(short);
        assert_eq!(shown, ["0.01", "1", "3.1", "100", "100", "1k", "20k", "1.5M"]);
    }

    #[test]
    fn every_subject_is_in_the_legend_and_every_panel_has_its_title() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![(1.0, 2.0), (10.0, 30.0)] };
        let panel = |title: &str, names: &[&str]| Panel {
            title: title.to_owned(),
            x: "objects".to_owned(),
            lines: names.iter().map(|name| line(name)).collect(),
        };
        let panels = [panel("pairs", &["rstar", OWN]), panel("rays", &[OWN, "bvh"]), panel("nothing", &[])];
        for svg in [lines(&panels).unwrap(), bars(&panels).unwrap()] {
            for text in ["pairs", "rays", "nothing", "rstar", "bvh", OWN] {
                assert!(svg.lines().any(|line| line.trim() == text), "{text} is missing");
            }
        }
    }
}
