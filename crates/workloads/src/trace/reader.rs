//! Reads a binary trace frame by frame.

use super::coordinate::Coding;
use super::error::{Place, TraceError};
use super::limits::{self, FRAMES_MAX, OBJECTS_MAX};
use super::motion::{Keys, Motion, columns, keys_of, shape};
use super::unpack::{Unpacker, unzigzag};
use super::{KIND_SPHERE, KIND_STATIC, MAGIC, VERSION};
use crate::frame::Frame;
use broadleaf::{Mobility, Object, Shape};
use std::collections::HashMap;
use std::io::{BufRead, ErrorKind};

/// Reads a binary trace without holding it all.
///
/// Counts in the file are never trusted with memory: lists grow as their
/// entries are read, and no count may be beyond its limit ([`limits`]). So the
/// memory of a reader is that of [`OBJECTS_MAX`] objects at most.
#[derive(Debug)]
pub struct TraceReader<R> {
    data: Unpacker<R>,
    coding: Coding,
    frames: u32,
    frame: u32,
    live: HashMap<u32, Motion>,
    listed: Vec<Listed>,
}

/// An object of a list whose columns are being read.
#[derive(Debug)]
struct Listed {
    id: u32,
    motion: Motion,
    mobility: Mobility,
    fresh: bool,
    entries: Keys,
}

impl<R: BufRead> TraceReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// A failing input, or a header that is not one of a trace.
    pub fn new(mut input: R) -> Result<Self, TraceError> {
        let mut header = [0; 16];
        let mut read = 0;
        while read < header.len() {
            match input.read(&mut header[read..]) {
                Ok(0) => {
                    return Err(Place::Byte(read as u64).is_wrong("the file ends within the header"));
                }
                Ok(bytes) => read += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let [m0, m1, m2, m3, m4, m5, m6, m7, v0, v1, grid, reserved, frames @ ..] = header;
        if [m0, m1, m2, m3, m4, m5, m6, m7] != MAGIC {
            return Err(Place::Byte(0).is_wrong("this is not a binary trace"));
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version != VERSION {
            return Err(TraceError::Version { found: version, expected: VERSION });
        }
        let coding =
            Coding::from_byte(grid).ok_or_else(|| Place::Byte(10).is_wrong(format!("no grid has number {grid}")))?;
        if reserved != 0 {
            return Err(Place::Byte(11).is_wrong("a reserved byte is not zero"));
        }
        let frames = u32::from_le_bytes(frames);
        limits::check(Place::Byte(12), "frames", frames.into(), FRAMES_MAX)?;
        let data = Unpacker::new(input, header.len() as u64);
        Ok(Self { data, coding, frames, frame: 0, live: HashMap::new(), listed: Vec::new() })
    }

    /// The place of what is read next.
    pub(super) fn place(&self) -> Place {
        self.data.place()
    }

    /// The number of frames that the header promises.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Replaces `frame` by the next one; false after the last.
    ///
    /// # Errors
    /// A failing input, or malformed data; do not read on after an error.
    pub fn next_frame(&mut self, frame: &mut Frame) -> Result<bool, TraceError> {
        frame.clear();
        if self.frame == self.frames {
            self.data.end()?;
            return Ok(false);
        }
        self.removed(frame)?;
        self.spawned(frame)?;
        self.moved(frame)?;
        self.frame += 1;
        Ok(true)
    }

    /// The number of entries of a list; with what is there before, within the limit.
    fn count(&mut self, what: &'static str, before: u64) -> Result<u64, TraceError> {
        let place = self.data.place();
        let count = self.data.unsigned()?;
        limits::check(place, what, before.saturating_add(count), OBJECTS_MAX)?;
        Ok(count)
    }

    fn removed(&mut self, frame: &mut Frame) -> Result<(), TraceError> {
        let mut id = 0;
        for _ in 0..self.count("objects removed in a frame", 0)? {
            let place = self.data.place();
            let step = self.data.signed()?;
            id = next_id(id, step, place)?;
            if self.live.remove(&id).is_none() {
                return Err(place.is_wrong(format!("object {id} is removed but does not live")));
            }
            frame.removed.push(id);
        }
        Ok(())
    }

    fn spawned(&mut self, frame: &mut Frame) -> Result<(), TraceError> {
        self.listed.clear();
        let mut id = 0;
        for _ in 0..self.count("objects alive", self.live.len() as u64)? {
            let place = self.data.place();
            let step = self.data.signed()?;
            id = next_id(id, step, place)?;
            let motion = Motion::new(false, self.frame);
            if self.live.insert(id, motion).is_some() {
                return Err(place.is_wrong(format!("object {id} is spawned but lives already")));
            }
            self.listed.push(Listed { id, motion, mobility: Mobility::Moving, fresh: true, entries: [0; 6] });
        }
        for listed in &mut self.listed {
            let place = self.data.place();
            let kind = self.data.byte()?;
            if kind & !(KIND_SPHERE | KIND_STATIC) != 0 {
                return Err(place.is_wrong(format!("no object has kind {kind}")));
            }
            listed.motion.sphere = kind & KIND_SPHERE != 0;
            if kind & KIND_STATIC != 0 {
                listed.mobility = Mobility::Static;
            }
        }
        self.columns(|id, shape, mobility| {
            frame.spawned.push((id, Object::new(shape).with_mobility(mobility)));
        })
    }

    fn moved(&mut self, frame: &mut Frame) -> Result<(), TraceError> {
        self.listed.clear();
        let mut id = 0;
        for _ in 0..self.count("objects moved in a frame", 0)? {
            let place = self.data.place();
            let step = self.data.unsigned()?;
            id = next_id(id, unzigzag(step >> 1), place)?;
            let Some(live) = self.live.get_mut(&id) else {
                return Err(place.is_wrong(format!("object {id} moves but does not live")));
            };
            let mut motion = *live;
            // An object that changed in this frame is marked with it.
            if live.frame == self.frame {
                return Err(place.is_wrong(format!("object {id} changes twice in a frame")));
            }
            live.frame = self.frame;
            let fresh = step & 1 == 1;
            if fresh {
                motion = Motion::new(!motion.sphere, self.frame);
            }
            let mobility = Mobility::Moving;
            self.listed.push(Listed { id, motion, mobility, fresh, entries: [0; 6] });
        }
        self.columns(|id, shape, _| frame.moved.push((id, shape)))
    }

    /// Reads the columns of the listed objects and hands out their shapes.
    fn columns(&mut self, mut give: impl FnMut(u32, Shape, Mobility)) -> Result<(), TraceError> {
        for column in 0..6 {
            for listed in &mut self.listed {
                if column < columns(listed.motion.sphere) {
                    listed.entries[column] = self.data.signed()?;
                }
            }
        }
        for listed in &mut self.listed {
            let Listed { id, motion, fresh, entries, .. } = listed;
            let prediction = motion.prediction(self.frame);
            let wrong = |what: String| self.data.place().is_wrong(what);
            let keys = keys_of(*entries, &prediction, motion.sphere);
            let known = keys.and_then(|keys| Some((keys, shape(&keys, motion.sphere, self.coding)?)));
            let Some((keys, shape)) = known else {
                return Err(wrong(format!("a coordinate of object {id} is out of range")));
            };
            shape.check().map_err(|error| wrong(format!("object {id}: {error}")))?;
            motion.go(keys, self.frame, *fresh);
            self.live.insert(*id, *motion);
            give(*id, shape, listed.mobility);
        }
        Ok(())
    }
}

fn next_id(last: u32, step: i64, place: Place) -> Result<u32, TraceError> {
    let id = i64::from(last).checked_add(step).and_then(|id| u32::try_from(id).ok());
    id.ok_or_else(|| place.is_wrong("an id is not in the range of a u32"))
}
