//! Plots of what settings cost, from the recorded measurements.

use plotters::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// Points of a line, by its name.
type Lines = BTreeMap<String, Vec<(f64, f64)>>;

/// A chart: which rows of the table it shows, and what its axes say.
struct Chart {
    measure: &'static str,
    title: &'static str,
}

/// A picture: the setting, its charts, whether the horizontal axis is logarithmic, and the default.
struct Picture {
    setting: &'static str,
    charts: &'static [Chart],
    is_logarithmic: bool,
    default: f64,
}

const BUILD: Chart = Chart { measure: "build", title: "build, ns an object" };
const PAIRS: Chart = Chart { measure: "pairs", title: "all pairs, ns an object" };
const BOX: Chart = Chart { measure: "box", title: "box with 30 hits, ns" };
const BYTES: Chart = Chart { measure: "bytes", title: "memory, bytes an object" };
const TESTED: Chart = Chart { measure: "tested", title: "objects tested a frame, per object" };

const PICTURES: [Picture; 5] = [
    Picture { setting: "looseness", charts: &[BUILD, PAIRS, BOX], is_logarithmic: true, default: 3.0 },
    Picture { setting: "smallest_cell", charts: &[BUILD, PAIRS, BOX], is_logarithmic: true, default: 1.0 / 64.0 },
    Picture { setting: "leaf_capacity", charts: &[PAIRS, BOX, BYTES], is_logarithmic: true, default: 64.0 },
    Picture { setting: "depth_limit", charts: &[BUILD, PAIRS, BOX], is_logarithmic: false, default: 21.0 },
    Picture { setting: "margin", charts: &[TESTED], is_logarithmic: false, default: 0.0 },
];

const COLOURS: [RGBColor; 3] = [RGBColor(42, 127, 158), RGBColor(242, 140, 40), RGBColor(90, 79, 207)];
const HEIGHT: u32 = 300;
const WIDTH: u32 = 320;

/// Draws every plot; the names of the files.
pub(crate) fn draw(folder: &Path, table: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for picture in &PICTURES {
        let name = format!("tuning-{}", picture.setting.replace('_', "-"));
        let path = folder.join(&name).with_extension("svg");
        let columns = u32::try_from(picture.charts.len())?;
        let width = if columns == 1 { 2 * WIDTH } else { columns * WIDTH };
        let area = SVGBackend::new(&path, (width, HEIGHT)).into_drawing_area();
        area.fill(&WHITE)?;
        for (part, chart) in area.split_evenly((1, picture.charts.len())).iter().zip(picture.charts) {
            draw_chart(part, picture, chart, &lines(table, picture.setting, chart.measure)?)?;
        }
        area.present()?;
        names.push(name);
    }
    Ok(names)
}

/// The lines of a chart: for each scene, value and number.
fn lines(table: &str, setting: &str, measure: &str) -> Result<Lines, Box<dyn Error>> {
    let mut lines = Lines::new();
    for row in table.lines().filter(|row| !row.starts_with('#')).skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let &[name, value, scene, what, number] = &fields[..] else { return Err(format!("a bad row: {row}").into()) };
        if name == setting && what == measure {
            lines.entry(scene.to_owned()).or_default().push((value.parse()?, number.parse()?));
        }
    }
    if lines.is_empty() {
        return Err(format!("there are no measurements of {setting}, {measure}").into());
    }
    Ok(lines)
}

fn draw_chart<B: DrawingBackend>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    picture: &Picture,
    chart: &Chart,
    lines: &Lines,
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let points = || lines.values().flatten();
    let (left, right) = points().fold((f64::INFINITY, 0.0_f64), |(low, high), &(x, _)| (low.min(x), high.max(x)));
    let top = points().fold(0.0_f64, |high, &(_, y)| high.max(y)) * 1.1;
    let mut builder = ChartBuilder::on(area);
    builder.caption(chart.title, ("sans-serif", 15)).margin(8).x_label_area_size(36).y_label_area_size(44);
    // One chart in two coordinate systems; plotters has a type for each.
    macro_rules! fill {
        ($x:expr, $label:expr) => {{
            let mut on = builder.build_cartesian_2d($x, 0.0..top)?;
            on.configure_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(RGBColor(225, 228, 234))
                .x_desc(picture.setting)
                .x_labels(7)
                .x_label_formatter(&$label)
                .y_labels(6)
                .label_style(("sans-serif", 12))
                .draw()?;
            if (left..=right).contains(&picture.default) {
                let style = RGBColor(160, 165, 175).stroke_width(1);
                on.draw_series(LineSeries::new([(picture.default, 0.0), (picture.default, top)], style))?;
            }
            for ((scene, line), colour) in lines.iter().zip(COLOURS) {
                let style = colour.stroke_width(2);
                on.draw_series(LineSeries::new(line.iter().copied(), style).point_size(2))?
                    .label(scene.as_str())
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], style));
            }
            on.configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .background_style(WHITE.mix(0.8))
                .label_font(("sans-serif", 12))
                .draw()?;
        }};
    }
    if picture.is_logarithmic {
        fill!((left..right).log_scale().base(2.0), |x: &f64| fraction(*x));
    } else {
        fill!(left..right, |x: &f64| format!("{}", (x * 100.0).round() / 100.0));
    }
    Ok(())
}

/// A power of two: as a fraction below 1.
fn fraction(value: f64) -> String {
    if value < 1.0 { format!("1/{:.0}", 1.0 / value) } else { format!("{value:.0}") }
}
