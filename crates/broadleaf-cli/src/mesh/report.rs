//! What came of a model, as a table for people or as JSON for machines.

use super::measure::{Rates, Subjects};
use super::verify::Verdict;
use crate::format::{counted, milliseconds, thousands};
use comfy_table::{Cell, CellAlignment, Table, presets};
use serde::Serialize;
use std::fmt::{self, Display};
use std::path::Path;
use std::time::Duration;

/// The results of `broadleaf mesh`.
#[derive(Debug, Serialize)]
pub(crate) struct MeshReport {
    name: String,
    threads: u16,
    triangles: usize,
    degenerate: usize,
    bounds: Option<[[f32; 3]; 2]>,
    build_milliseconds: f64,
    build_nanoseconds_per_triangle: f64,
    bytes: usize,
    bytes_per_triangle: usize,
    plain_cells: Plain,
    rays_per_second: Vec<Rate>,
    check: Verdict,
    picture: String,
    picture_milliseconds: f64,
    /// The edge of the blocks of pixels that were drawn alike; 1 unless rays were dear.
    picture_block: u32,
    #[serde(skip)]
    build: Duration,
    #[serde(skip)]
    drawing: Duration,
}

/// The plain octree that the classical traversals walk.
#[derive(Debug, Serialize)]
struct Plain {
    build_milliseconds: f64,
    cells: usize,
    references: usize,
    bytes: usize,
}

#[derive(Debug, Serialize)]
struct Rate {
    traversal: &'static str,
    coherent: f64,
    incoherent: f64,
    shadow: f64,
    /// Rays measured of each kind, in the order of the rates, and how many there are.
    rays_measured: [usize; 3],
    rays: [usize; 3],
}

impl MeshReport {
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    pub(super) fn new(
        name: &str,
        threads: u16,
        subjects: &Subjects<'_>,
        build: Duration,
        build_plain: Duration,
        rates: Vec<Rates>,
        check: Verdict,
    ) -> Self {
        let (mesh, plain) = (subjects.mesh, &subjects.plain);
        let count = mesh.len().max(1);
        let rate = |rates: Rates| Rate {
            traversal: rates.way.name(),
            coherent: rates.coherent.per_second.round(),
            incoherent: rates.incoherent.per_second.round(),
            shadow: rates.shadow.per_second.round(),
            rays_measured: [rates.coherent, rates.incoherent, rates.shadow].map(|rate| rate.measured),
            rays: [rates.coherent, rates.incoherent, rates.shadow].map(|rate| rate.all),
        };
        Self {
            name: name.to_owned(),
            threads,
            triangles: mesh.len(),
            degenerate: mesh.degenerate_count(),
            bounds: mesh.bounds().map(|bounds| [bounds.min, bounds.max].map(|corner| corner.to_array())),
            build_milliseconds: in_milliseconds(build),
            build_nanoseconds_per_triangle: (build.as_secs_f64() * 1e9 / count as f64).round(),
            bytes: mesh.memory(),
            bytes_per_triangle: mesh.memory().div_ceil(count),
            plain_cells: Plain {
                build_milliseconds: in_milliseconds(build_plain),
                cells: plain.cell_count(),
                references: plain.reference_count(),
                bytes: plain.memory(),
            },
            rays_per_second: rates.into_iter().map(rate).collect(),
            check,
            picture: String::new(),
            picture_milliseconds: 0.0,
            picture_block: 1,
            build,
            drawing: Duration::ZERO,
        }
    }

    /// Says where the picture is, in blocks of so many pixels, and how long its rays took.
    pub(super) fn drawn(&mut self, path: &Path, block: u32, time: Duration) {
        self.picture_block = block;
        self.picture = path.display().to_string();
        self.picture_milliseconds = in_milliseconds(time);
        self.drawing = time;
    }

    /// Bytes on the heap for each triangle of the input, rounded up.
    pub(crate) fn bytes_per_triangle(&self) -> usize {
        self.bytes_per_triangle
    }

    /// Whether brute force agreed with every ray compared.
    pub(crate) fn is_equal(&self) -> bool {
        self.check.is_equal()
    }
}

impl Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = counted(usize::from(self.threads), "thread", "threads");
        let triangles = counted(self.triangles, "triangle", "triangles");
        writeln!(f, "{}: {triangles}, {} of them degenerate; {threads}", self.name, thousands(self.degenerate))?;
        writeln!(
            f,
            "built in {} ({} ns per triangle), {} bytes per triangle",
            milliseconds(self.build),
            self.build_nanoseconds_per_triangle,
            thousands(self.bytes_per_triangle)
        )?;
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let titles = ["coherent", "incoherent", "shadow"].map(|title| right(title.to_owned()));
        table.set_header(std::iter::once(Cell::new("million rays per second")).chain(titles));
        for Rate { traversal, coherent, incoherent, shadow, .. } in &self.rays_per_second {
            let numbers = [coherent, incoherent, shadow].map(|rate| right(format!("{:.3}", rate / 1e6)));
            table.add_row(std::iter::once(Cell::new(traversal)).chain(numbers));
        }
        writeln!(f, "{table}")?;
        let shares = || self.rays_per_second.iter().flat_map(|rate| rate.rays_measured.iter().zip(&rate.rays));
        if shares().any(|(measured, all)| measured < all) {
            let least = shares().filter(|(measured, all)| measured < all).map(|(measured, _)| *measured).min();
            let least = thousands(least.unwrap_or(0));
            writeln!(f, "fewer rays were measured, {least} at least: a ray meets very many triangles")?;
        }
        writeln!(f, "{}", self.check)?;
        write!(f, "drew {} in {}", self.picture, milliseconds(self.drawing))?;
        match self.picture_block {
            1 => writeln!(f),
            block => writeln!(f, ", in blocks of {block} x {block} pixels: a ray meets very many triangles"),
        }
    }
}

/// Rounded to the microsecond.
fn in_milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
