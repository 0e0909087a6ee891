//! Traces as CSV, for people to bring their own.

use super::Trace;
use super::error::{Place, TraceError};
use super::limits::{self, CHANGES_MAX, FRAMES_MAX, OBJECTS_MAX};
use crate::frame::Frame;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Object, Shape};
use csv_core::ReadRecordResult;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::str::FromStr;

const COLUMNS: [&str; 8] = ["frame", "id", "min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];

/// One line.
struct Row {
    frame: u64,
    id: u32,
    shape: Shape,
}

pub(super) fn read(input: impl Read) -> Result<Trace, TraceError> {
    let mut input = BufReader::new(input);
    let (mut bytes, mut fields) = (Vec::new(), Fields::new());
    let (mut number, mut first) = (0, true);
    let mut frames = Frames::default();
    while input.read_until(b'\n', &mut bytes)? > 0 {
        number += 1;
        let text = bytes.trim_ascii();
        if !text.is_empty() && !text.starts_with(b"#") {
            let done = fields.split(text).and_then(|()| {
                if std::mem::take(&mut first) && fields.is_header() {
                    fields.check_header()
                } else {
                    frames.add(&fields.row()?)
                }
            });
            done.map_err(|what| Place::Line(number).is_wrong(what))?;
            frames.check(Place::Line(number))?;
        }
        bytes.clear();
    }
    frames.finish();
    frames.check(Place::Line(number))?;
    Ok(frames.trace)
}

/// The fields of a line.
struct Fields {
    // The parser under the `csv` crate, which says exactly which line it is in.
    parser: csv_core::Reader,
    text: Vec<u8>,
    ends: [usize; COLUMNS.len() + 1],
    count: usize,
}

impl Fields {
    fn new() -> Self {
        let ends = [0; COLUMNS.len() + 1];
        Self { parser: csv_core::Reader::new(), text: Vec::new(), ends, count: 0 }
    }

    fn split(&mut self, line: &[u8]) -> Result<(), String> {
        self.parser.reset();
        self.text.resize(line.len().max(1), 0);
        let (mut read, mut written, mut ended) = (0, 0, 0);
        loop {
            // An empty input is the parser's end of the file, here of the line.
            let (ends, rest) = (&mut self.ends[ended..], &line[read..]);
            let (result, r, w, e) = self.parser.read_record(rest, &mut self.text[written..], ends);
            (read, written, ended) = (read + r, written + w, ended + e);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record | ReadRecordResult::End => break,
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    return Err(format!("more than the {} columns that are due", COLUMNS.len()));
                }
            }
        }
        self.count = ended;
        if ended == COLUMNS.len() {
            Ok(())
        } else if self.is_header() {
            self.check_header()
        } else {
            Err(format!("{ended} columns where {} are due", COLUMNS.len()))
        }
    }

    fn get(&self, column: usize) -> &[u8] {
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text[start..self.ends[column]].trim_ascii()
    }

    fn is_header(&self) -> bool {
        self.count > 0 && self.get(0) == COLUMNS[0].as_bytes()
    }

    fn check_header(&self) -> Result<(), String> {
        let names = (0..self.count).map(|column| self.get(column));
        let same = names.eq(COLUMNS.map(str::as_bytes));
        same.then_some(()).ok_or_else(|| format!("the header must be {}", COLUMNS.join(",")))
    }

    fn row(&self) -> Result<Row, String> {
        let mut values = [0.0; 6];
        for (index, value) in values.iter_mut().enumerate() {
            *value = self.number(index + 2)?;
        }
        let [a, b, c, d, e, f] = values;
        let shape = Shape::from(Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)));
        shape.check().map_err(|error| error.to_string())?;
        Ok(Row { frame: self.number(0)?, id: self.number(1)?, shape })
    }

    fn number<T: FromStr>(&self, column: usize) -> Result<T, String> {
        let field = self.get(column);
        let number = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| {
            let text = String::from_utf8_lossy(field);
            format!("{} is not a number in range: {text:?}", COLUMNS[column])
        })
    }
}

/// Turns lists of what there is into lists of what changes.
#[derive(Default)]
struct Frames {
    trace: Trace,
    number: Option<u64>,
    before: BTreeMap<u32, Shape>,
    now: BTreeMap<u32, Shape>,
    /// Of all frames that have ended.
    changes: u64,
}

impl Frames {
    fn add(&mut self, row: &Row) -> Result<(), String> {
        if let Some(number) = self.number.filter(|number| *number != row.frame) {
            if row.frame < number {
                return Err(format!("frame {} after frame {number}", row.frame));
            }
            self.finish();
        }
        self.number = Some(row.frame);
        match self.now.insert(row.id, row.shape) {
            None => Ok(()),
            Some(_) => Err(format!("object {} is twice in frame {}", row.id, row.frame)),
        }
    }

    /// Checks the limits.
    fn check(&self, place: Place) -> Result<(), TraceError> {
        let begun = u64::from(!self.now.is_empty());
        limits::check(place, "frames", self.trace.frames.len() as u64 + begun, FRAMES_MAX)?;
        limits::check(place, "objects alive", self.now.len() as u64, OBJECTS_MAX)?;
        limits::check(place, "changes", self.changes, CHANGES_MAX)
    }

    /// Ends the frame, if one has begun.
    fn finish(&mut self) {
        if self.number.is_none() {
            return;
        }
        let mut frame = Frame::default();
        frame.removed.extend(self.before.keys().filter(|id| !self.now.contains_key(id)));
        for (&id, &shape) in &self.now {
            match self.before.get(&id) {
                None => frame.spawned.push((id, Object::new(shape))),
                Some(last) if *last != shape => frame.moved.push((id, shape)),
                Some(_) => {}
            }
        }
        self.changes += frame.len() as u64;
        frame.shrink();
        self.trace.frames.push(frame);
        self.before = std::mem::take(&mut self.now);
    }
}

fn as_io(error: csv::Error) -> TraceError {
    TraceError::Io(error.into())
}

pub(super) fn write(trace: &Trace, output: impl Write) -> Result<(), TraceError> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(COLUMNS).map_err(as_io)?;
    let mut now: BTreeMap<u32, Shape> = BTreeMap::new();
    for (number, frame) in trace.frames.iter().enumerate() {
        now.retain(|id, _| !frame.removed.contains(id));
        now.extend(frame.spawned.iter().map(|(id, object)| (*id, object.shape)));
        now.extend(frame.moved.iter().copied());
        for (id, shape) in &now {
            let Aabb { min, max } = shape.aabb();
            let names = [number.to_string(), id.to_string()];
            let values = [min.x, min.y, min.z, max.x, max.y, max.z].map(|v| v.to_string());
            writer.write_record(names.iter().chain(&values)).map_err(as_io)?;
        }
    }
    writer.flush()?;
    Ok(())
}
