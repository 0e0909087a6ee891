//! What a replay found, as a table for people or as JSON for machines.

use crate::allocations::Cost;
use crate::camera::RAYS;
use crate::check::Verdict;
use crate::format::{counted, milliseconds, thousands};
use crate::replay::{FrameRecord, Outcome, warm_up};
use crate::statistics::Ranks;
use comfy_table::{Cell, CellAlignment, Table, presets};
use serde::Serialize;
use std::fmt::{self, Display};
use std::path::Path;
use std::time::Duration;

/// The results of a replay.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    name: String,
    frames: usize,
    threads: u16,
    objects: Ranks<usize>,
    pairs: Ranks<usize>,
    begun: Ranks<usize>,
    ended: Ranks<usize>,
    nodes: Ranks<usize>,
    bytes_per_object: Ranks<usize>,
    milliseconds: Times<Ranks<f64>>,
    allocations: Allocations,
    busiest_frame: usize,
    check: Verdict,
    picture: Option<String>,
    #[serde(skip)]
    times: Times<Ranks<Duration>>,
}

/// A value for each part of a frame.
#[derive(Debug, Serialize)]
struct Times<T> {
    update: T,
    pairs: T,
    events: T,
    frustum: T,
    rays: T,
    frame: T,
}

/// Heap allocations of the library in the frames after warm-up.
#[derive(Debug, Serialize)]
struct Allocations {
    warm_up_frames: usize,
    frames: usize,
    total: usize,
    per_frame: Ranks<usize>,
}

impl Report {
    /// Sums up a replay.
    pub(crate) fn new(name: &str, threads: u16, outcome: Outcome, picture: Option<&Path>) -> Self {
        let records = &outcome.records;
        let times = Times {
            update: ranks_of(records, |record| record.update.time),
            pairs: ranks_of(records, |record| record.pairing.time),
            events: ranks_of(records, |record| record.events.time),
            frustum: ranks_of(records, |record| record.frustum.time),
            rays: ranks_of(records, |record| record.rays.time),
            frame: ranks_of(records, |record| parts(record).iter().map(|cost| cost.time).sum()),
        };
        Self {
            name: name.to_owned(),
            frames: records.len(),
            threads,
            objects: ranks_of(records, |record| record.objects),
            pairs: ranks_of(records, |record| record.pairs),
            begun: ranks_of(records, |record| record.begun),
            ended: ranks_of(records, |record| record.ended),
            nodes: ranks_of(records, |record| record.nodes),
            bytes_per_object: ranks_of(records, |record| record.bytes.div_ceil(record.objects.max(1))),
            milliseconds: times.map(Ranks::milliseconds),
            allocations: Allocations::new(records),
            busiest_frame: outcome.busiest_frame,
            check: outcome.verdict,
            picture: picture.map(|path| path.display().to_string()),
            times,
        }
    }

    /// Whether brute force agreed in every frame compared.
    pub(crate) fn is_equal(&self) -> bool {
        self.check.is_equal()
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        table.set_header(
            ["per frame", "median", "p99", "worst"].map(|title| right(title.to_owned(), title != "per frame")),
        );
        let mut row = |title: String, ranks: [String; 3]| {
            table.add_row(std::iter::once(Cell::new(title)).chain(ranks.map(|text| right(text, true))));
        };
        row(String::from("objects"), self.objects.texts(thousands));
        row(String::from("overlapping pairs"), self.pairs.texts(thousands));
        row(String::from("pairs begun"), self.begun.texts(thousands));
        row(String::from("pairs ended"), self.ended.texts(thousands));
        row(String::from("update"), self.times.update.texts(milliseconds));
        row(String::from("find pairs"), self.times.pairs.texts(milliseconds));
        row(String::from("find begun and ended"), self.times.events.texts(milliseconds));
        row(String::from("camera frustum"), self.times.frustum.texts(milliseconds));
        row(format!("{RAYS} closest-hit rays"), self.times.rays.texts(milliseconds));
        row(String::from("all of these"), self.times.frame.texts(milliseconds));
        row(String::from("nodes of the tree"), self.nodes.texts(thousands));
        row(String::from("bytes per object"), self.bytes_per_object.texts(thousands));
        row(String::from("heap allocations"), self.allocations.per_frame.texts(thousands));
        let threads = counted(usize::from(self.threads), "thread", "threads");
        writeln!(f, "{}: {}, {threads}", self.name, counted(self.frames, "frame", "frames"))?;
        writeln!(f, "{table}")?;
        writeln!(f, "{}", self.allocations)?;
        writeln!(f, "{}", self.check)?;
        if let Some(picture) = &self.picture {
            writeln!(f, "drew frame {}, the one with the most pairs, into {picture}", self.busiest_frame)?;
        }
        Ok(())
    }
}

impl Allocations {
    /// Everything after warm-up counts.
    fn new(records: &[FrameRecord]) -> Self {
        let warm_up_frames = warm_up(records.len());
        let counts = || {
            let sum = |record| parts(record).iter().map(|cost| cost.allocations).sum::<usize>();
            records[warm_up_frames..].iter().map(sum)
        };
        Self {
            warm_up_frames,
            frames: records.len() - warm_up_frames,
            total: counts().sum(),
            per_frame: Ranks::of(counts()),
        }
    }
}

impl Display for Allocations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.frames == 0 {
            return write!(f, "too few frames to count heap allocations after warm-up");
        }
        let total = counted(self.total, "heap allocation", "heap allocations");
        let frames = counted(self.frames, "frame", "frames");
        write!(f, "{total} in the {frames} after warm-up ({})", counted(self.warm_up_frames, "frame", "frames"))
    }
}

impl<T: Copy> Times<T> {
    fn map<U>(&self, change: impl Fn(T) -> U) -> Times<U> {
        let Self { update, pairs, events, frustum, rays, frame } = *self;
        Times {
            update: change(update),
            pairs: change(pairs),
            events: change(events),
            frustum: change(frustum),
            rays: change(rays),
            frame: change(frame),
        }
    }
}

impl<T: Copy> Ranks<T> {
    fn texts(self, text: impl Fn(T) -> String) -> [String; 3] {
        [self.median, self.p99, self.worst].map(text)
    }
}

fn parts(record: &FrameRecord) -> [Cost; 5] {
    [record.update, record.pairing, record.events, record.frustum, record.rays]
}

fn ranks_of<T: Copy + Ord + Default>(records: &[FrameRecord], value: impl Fn(&FrameRecord) -> T) -> Ranks<T> {
    Ranks::of(records.iter().map(value))
}

fn right(text: String, is_number: bool) -> Cell {
    Cell::new(text).set_alignment(if is_number { CellAlignment::Right } else { CellAlignment::Left })
}
