//! What the colours mean, with counts.

use super::canvas::Canvas;
use super::palette::{self, Ink};
use crate::format::{counted, thousands};
use crate::question::{Asked, Shape};
use crate::snapshot::Snapshot;
use broadleaf::{
    Mobility,
    glam::Vec2,
    inspect::{DrawKind, NodeInfo},
    mesh::MeshLeaf,
};
use embedded_graphics::Drawable as _;
use embedded_graphics::geometry::Point;
use embedded_graphics::mono_font::iso_8859_1::{FONT_9X15, FONT_9X15_BOLD};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::text::{Baseline, Text};

const MARGIN: i32 = 24;
const PADDING: i32 = 16;
const LINE: i32 = 21;
const INDENT: i32 = 26;
const GLYPH: i32 = 9;

/// One line: a swatch of colour, if it has one, and a text.
pub(super) struct Row {
    swatch: Option<(Ink, Mark)>,
    text: String,
    bold: bool,
}

/// What a swatch stands for.
enum Mark {
    Cell,
    Object,
}

/// The width in pixels that the legend takes from the left edge.
pub(super) const WIDTH: u32 = 320;

/// Draws the legend into the upper left corner.
pub(super) fn draw(canvas: &mut Canvas, rows: Vec<Row>) {
    let widest = rows.iter().map(|row| row.text.chars().count()).max().unwrap_or(0);
    let width = i32::try_from(widest).unwrap_or(0) * GLYPH + INDENT + 2 * PADDING;
    let height = i32::try_from(rows.len()).unwrap_or(0) * LINE + 2 * PADDING;
    let at = |x: i32, y: i32| Vec2::new(pixels(x), pixels(y));
    let (left, top) = (MARGIN, MARGIN.min(i32::try_from(canvas.height()).unwrap_or(0) / 40));
    let panel = [at(left, top), at(left + width, top), at(left + width, top + height), at(left, top + height)];
    canvas.polygon(&panel, palette::PANEL.with_alpha(0.82), palette::STATIC.with_alpha(0.4), 1.0);
    let mut y = top + PADDING;
    for row in rows {
        let middle = y + LINE / 2 - 2;
        let mut x = left + PADDING;
        if let Some((ink, mark)) = row.swatch {
            match mark {
                Mark::Cell => canvas.line(at(x, middle), at(x + 16, middle), 2.0, ink),
                Mark::Object => {
                    canvas.circle(at(x + 8, middle), 6.0, ink.shaded(0.9), ink.shaded(0.4), 1.0);
                }
            }
            x += INDENT;
        }
        let font: &MonoFont<'_> = if row.bold { &FONT_9X15_BOLD } else { &FONT_9X15 };
        let style =
            MonoTextStyle::new(font, if row.bold { Rgb888::new(240, 244, 252) } else { Rgb888::new(198, 206, 220) });
        let drawn = Text::with_baseline(&row.text, Point::new(x, middle), style, Baseline::Middle).draw(canvas);
        match drawn {
            Ok(_) => {}
            Err(never) => match never {},
        }
        y += LINE;
    }
}

fn text(text: String, bold: bool) -> Row {
    Row { swatch: None, text, bold }
}

/// The rows for a model, and for its leaves if they are shown.
pub(super) fn of_model(name: &str, notes: &[String], leaves: &[MeshLeaf]) -> Vec<Row> {
    let mut rows = vec![text(name.to_owned(), true)];
    rows.extend(notes.iter().map(|note| text(note.clone(), false)));
    if !leaves.is_empty() {
        let depths = || leaves.iter().map(|leaf| leaf.depth);
        rows.push(text(String::new(), false));
        rows.push(text(counted(leaves.len(), "leaf", "leaves"), true));
        depth_rows(&mut rows, depths, thousands(leaves.len()).len());
    }
    rows
}

/// The rows for a frame.
pub(super) fn of_frame(snapshot: &Snapshot, name: &str) -> Vec<Row> {
    let mut rows = vec![
        text(format!("{name}, frame {}", thousands(snapshot.frame)), true),
        text(
            format!("{} objects, {} pairs", thousands(snapshot.objects.len()), thousands(snapshot.pairs.len())),
            false,
        ),
        text(String::new(), false),
        text(String::from("objects"), true),
    ];
    if let Some(asked) = &snapshot.asked {
        rows.truncate(3);
        rows.extend(of_question(asked, snapshot));
        return rows;
    }
    // Numbers stand right-aligned under the largest there can be.
    let digits = thousands(snapshot.objects.len().max(snapshot.cells.len())).len();
    let mut counts = [0_usize; 2 + palette::OVERLAPPING.len()];
    for ((_, object), partners) in snapshot.objects.iter().zip(snapshot.partners()) {
        counts[match (object.mobility, partners) {
            (Mobility::Static, _) => 1 + palette::OVERLAPPING.len(),
            (_, 0) => 0,
            (_, partners) => 1 + palette::overlap_class(partners),
        }] += 1;
    }
    let [one, few, several, many, crowd] = palette::OVERLAPPING;
    let inks = [palette::FREE, one, few, several, many, crowd, palette::STATIC];
    let labels = [
        "overlap nothing",
        "overlap 1",
        "overlap 2 or 3",
        "overlap 4 to 7",
        "overlap 8 to 15",
        "overlap 16 or more",
        "static",
    ];
    for ((count, ink), label) in counts.into_iter().zip(inks).zip(labels) {
        if count > 0 {
            rows.push(Row {
                swatch: Some((ink, Mark::Object)),
                text: format!("{:>digits$} {label}", thousands(count)),
                bold: false,
            });
        }
    }
    rows.push(text(String::new(), false));
    rows.push(text(format!("{} cells", thousands(snapshot.cells.len())), true));
    depth_rows(&mut rows, || snapshot.cells.iter().map(|node| node.depth), digits);
    bounds_rows(&mut rows, &snapshot.cells, digits);
    rows
}

/// The rows for a question: its work beside what there is.
fn of_question(asked: &Asked, snapshot: &Snapshot) -> Vec<Row> {
    let row = |ink, mark, kind, label: &str, all: usize| Row {
        swatch: Some((ink, mark)),
        text: format!("{} {label} of {}", thousands(asked.count(kind)), thousands(all)),
        bold: false,
    };
    let (nodes, objects) = (snapshot.cells.len(), snapshot.objects.len());
    let mut rows = vec![text(format!("what a question asks: {}", asked.name), true)];
    rows.push(row(palette::VISITED, Mark::Cell, DrawKind::Visited, "nodes visited", nodes));
    rows.push(row(palette::TESTED, Mark::Object, DrawKind::Tested, "objects tested", objects));
    rows.push(row(palette::HIT, Mark::Object, DrawKind::Hit, "hits", objects));
    if !matches!(asked.shape, Shape::View) {
        let swatch = Some((palette::ASKED, Mark::Cell));
        rows.push(Row { swatch, text: String::from("what is asked about"), bold: false });
    }
    rows
}

/// What the fitted bounds say: which leaves changed, and how full they are.
fn bounds_rows(rows: &mut Vec<Row>, cells: &[NodeInfo], digits: usize) {
    let leaves: Vec<&NodeInfo> = cells.iter().filter(|node| node.leaf && node.objects > 0).collect();
    let changed = leaves.iter().filter(|node| node.changed).count();
    let sum = |of: fn(&NodeInfo) -> u32| leaves.iter().map(|node| u64::from(of(node))).sum::<u64>();
    let full = 100 * sum(|node| node.objects) / (8 * sum(|node| node.blocks)).max(1);
    rows.push(text(String::new(), false));
    rows.push(text(String::from("fitted bounds of leaves"), true));
    let swatch = |ink| Some((ink, Mark::Cell));
    rows.push(Row {
        swatch: swatch(palette::CHANGED),
        text: format!("{:>digits$} changed", thousands(changed)),
        bold: false,
    });
    let resting = format!("{:>digits$} at rest", thousands(leaves.len() - changed));
    rows.push(Row { swatch: swatch(palette::depth(3).shaded(0.75)), text: resting, bold: false });
    rows.push(text(format!("fainter where blocks have gaps: {full} % full"), false));
}

/// A row for each depth, with the number of cells there.
fn depth_rows<I: Iterator<Item = u32>>(rows: &mut Vec<Row>, depths: impl Fn() -> I, digits: usize) {
    for depth in 0..=depths().max().unwrap_or(0) {
        let count = depths().filter(|other| *other == depth).count();
        if count > 0 {
            let swatch = Some((palette::depth(depth), Mark::Cell));
            rows.push(Row { swatch, text: format!("{:>digits$} at depth {depth}", thousands(count)), bold: false });
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "pixel positions are small")]
fn pixels(at: i32) -> f32 {
    at as f32
}
