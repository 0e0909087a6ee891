//! Writes a binary trace.

use super::coordinate::Coding;
use super::error::{Place, TraceError};
use super::limits::{self, CHANGES_MAX, FRAMES_MAX, OBJECTS_MAX};
use super::motion::{Keys, Motion, columns, coordinates, entries};
use super::{KIND_SPHERE, KIND_STATIC, MAGIC, Trace, VERSION};
use crate::frame::Frame;
use broadleaf::{Mobility, Shape};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::collections::HashMap;
use std::io::Write;

pub(super) fn write(trace: &Trace, mut output: impl Write) -> Result<(), TraceError> {
    let shapes = trace.frames.iter().flat_map(|frame| {
        let spawned = frame.spawned.iter().map(|(_, object)| &object.shape);
        spawned.chain(frame.moved.iter().map(|(_, shape)| shape))
    });
    let coding = Coding::of(shapes.flat_map(coordinates));
    let frames =
        u32::try_from(trace.frames.len()).map_err(|_| Place::Frame(trace.frames.len()).is_wrong("too many frames"))?;
    let changes = trace.frames.iter().map(|frame| frame.len() as u64).sum();
    limits::check(Place::Frame(0), "frames", frames.into(), FRAMES_MAX)?;
    limits::check(Place::Frame(0), "changes", changes, CHANGES_MAX)?;
    output.write_all(&MAGIC)?;
    output.write_all(&VERSION.to_le_bytes())?;
    output.write_all(&[coding.to_byte(), 0])?;
    output.write_all(&frames.to_le_bytes())?;
    let mut packed = ZlibEncoder::new(output, Compression::best());
    let mut writer = Writer { coding, number: 0, live: HashMap::new(), data: Vec::new() };
    for frame in &trace.frames {
        writer.frame(frame).map_err(|what| Place::Frame(writer.number as usize).is_wrong(what))?;
        limits::check(Place::Frame(writer.number as usize), "objects alive", writer.live.len() as u64, OBJECTS_MAX)?;
        packed.write_all(&writer.data)?;
        writer.data.clear();
        writer.number += 1;
    }
    packed.finish()?.flush()?;
    Ok(())
}

struct Writer {
    coding: Coding,
    number: u32,
    live: HashMap<u32, Motion>,
    /// The bytes of the frame.
    data: Vec<u8>,
}

impl Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), String> {
        self.unsigned(frame.removed.len() as u64);
        let mut last = 0;
        for id in &frame.removed {
            self.live.remove(id).ok_or_else(|| format!("object {id} is removed but does not live"))?;
            self.unsigned(id_step(&mut last, *id));
        }
        self.spawned(frame)?;
        self.moved(frame)
    }

    fn spawned(&mut self, frame: &Frame) -> Result<(), String> {
        self.unsigned(frame.spawned.len() as u64);
        let (mut last, mut rows) = (0, Vec::new());
        for (id, object) in &frame.spawned {
            self.unsigned(id_step(&mut last, *id));
            let motion = Motion::new(matches!(object.shape, Shape::Sphere(_)), self.number);
            if self.live.insert(*id, motion).is_some() {
                return Err(format!("object {id} is spawned but lives already"));
            }
            rows.push(self.row(*id, motion, &object.shape, true)?);
        }
        for (_, object) in &frame.spawned {
            let sphere = if matches!(object.shape, Shape::Sphere(_)) { KIND_SPHERE } else { 0 };
            let fixed = if object.mobility == Mobility::Static { KIND_STATIC } else { 0 };
            self.data.push(sphere | fixed);
        }
        self.columns(&rows);
        Ok(())
    }

    fn moved(&mut self, frame: &Frame) -> Result<(), String> {
        self.unsigned(frame.moved.len() as u64);
        let (mut last, mut rows) = (0, Vec::new());
        for (id, shape) in &frame.moved {
            let mut motion = *self.live.get(id).ok_or_else(|| format!("object {id} moves but does not live"))?;
            if motion.frame == self.number {
                return Err(format!("object {id} changes twice in a frame"));
            }
            let sphere = matches!(shape, Shape::Sphere(_));
            let fresh = sphere != motion.sphere;
            if fresh {
                motion = Motion::new(sphere, self.number);
            }
            let step = id_step(&mut last, *id);
            self.unsigned(step << 1 | u64::from(fresh));
            rows.push(self.row(*id, motion, shape, fresh)?);
        }
        self.columns(&rows);
        Ok(())
    }

    /// The entries of an object, which is remembered with its new shape.
    fn row(&mut self, id: u32, mut motion: Motion, shape: &Shape, fresh: bool) -> Result<(Keys, bool), String> {
        shape.check().map_err(|error| format!("object {id}: {error}"))?;
        let keys = coordinates(shape).map(|value| self.coding.key(value));
        let entries = entries(&keys, &motion.prediction(self.number), motion.sphere);
        motion.go(keys, self.number, fresh);
        self.live.insert(id, motion);
        Ok((entries, motion.sphere))
    }

    fn columns(&mut self, rows: &[(Keys, bool)]) {
        for column in 0..6 {
            for (entries, sphere) in rows {
                if column < columns(*sphere) {
                    self.unsigned(zigzag(entries[column]));
                }
            }
        }
    }

    fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.data.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.data.push(value.to_le_bytes()[0]);
    }
}

fn id_step(last: &mut u32, id: u32) -> u64 {
    let step = i64::from(id) - i64::from(*last);
    *last = id;
    zigzag(step)
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
