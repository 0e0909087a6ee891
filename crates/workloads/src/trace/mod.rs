//! Recorded traces: what appeared, moved and vanished, frame by frame.
//!
//! # The binary format, version 1
//!
//! All numbers are little endian. A file is a header of 16 bytes and one zlib
//! stream (RFC 1950) to the end of the file.
//!
//! | bytes | header field |
//! |---|---|
//! | 0..8 | magic, `BLTRACE` and a zero byte |
//! | 8..10 | `u16` version, 1 |
//! | 10 | `i8` grid: coordinates are whole multiples of 2^grid, -64 to 64; 127: they are any floats |
//! | 11 | reserved, zero |
//! | 12..16 | `u32` number of frames |
//!
//! The unpacked stream holds the frames, nothing else. Its numbers are
//! varints: seven bits a byte, the lowest first, the top bit set on all but the
//! last byte. *Signed* numbers are zigzag coded: 0, -1, 1, -2 are 0, 1, 2, 3. A
//! list of ids is a list of signed differences, each to the id before it in
//! the list, the first to 0. A frame is:
//!
//! 1. *removed*: the count, then the ids.
//! 2. *spawned*: the count, then the ids, then one byte of kind each (bit 0: a
//!    sphere; bit 1: static; the others zero), then the columns.
//! 3. *moved*: the count, then the ids, but each difference is doubled after
//!    the zigzag, plus one if the object turns from box to sphere or from sphere to
//!    box; then the columns.
//!
//! *Columns* give the new shape of each listed object: six columns for boxes
//! (min x, y, z, max x, y, z), of which spheres have the first four (centre x,
//! y, z, radius); a column is written whole before the next. An entry is the
//! signed difference of a coordinate's key from its prediction; for the
//! maxima of a box, less the same difference of the minimum on that axis.
//!
//! The *key* of a coordinate is the coordinate over 2^grid; or, if grid is 127,
//! the `f32` bits as `i32`, of which negative numbers have all but the top bit
//! inverted, so that keys are ordered like floats. The *prediction* is twice the key
//! of the last frame less that of the frame before, if the object moved in the
//! last frame; else the last key; 0 for what is spawned or changes its kind.
//!
//! An id is spawned once while it lives, is moved and removed only while it lives,
//! and occurs at most once in each list. Layers and user data are not recorded.
//!
//! # Limits
//!
//! A reader refuses a trace of more than 2^20 frames, or of more than 2^20
//! objects that live at once; one that reads the whole trace ([`Trace::read`]),
//! also a trace of more than 2^25 changes in all. See [`limits`].
//!
//! # Versions
//!
//! The version is raised with every change of the binary format. A reader takes
//! the version that it writes and refuses every other with
//! [`TraceError::Version`], which names both, before anything else is read.
//! There was no other version than 1 so far. The text format has no version.
//!
//! # The text format
//!
//! CSV with the columns `frame,id,min_x,min_y,min_z,max_x,max_y,max_z`, in
//! this order, with or without that header; `#` starts a comment line. A
//! line is an object with its box in a frame. An id that a frame does not
//! list has vanished in that frame; one that is listed again, appears again.
//! Lines are sorted by frame. Frame numbers only tell frames apart: a gap in
//! the numbers is no frame. Everything is a moving box.

mod coordinate;
mod error;
pub mod limits;
mod motion;
mod reader;
mod table;
#[cfg(test)]
mod tests;
mod unpack;
mod writer;

pub use error::{Place, TraceError};
pub use reader::TraceReader;

use crate::frame::Frame;
use limits::CHANGES_MAX;
use std::io::{BufReader, Read, Write};

const MAGIC: [u8; 8] = *b"BLTRACE\0";
const VERSION: u16 = 1;
const KIND_SPHERE: u8 = 1;
const KIND_STATIC: u8 = 2;

/// A whole recording.
///
/// ```
/// use workloads::{Frame, Trace};
/// use broadleaf::{Object, Sphere, glam::Vec3};
///
/// let ball = Object::new(Sphere::new(Vec3::ZERO, 1.0));
/// let trace = Trace { frames: vec![Frame { spawned: vec![(7, ball)], ..Frame::default() }] };
/// let mut file = Vec::new();
/// trace.write(&mut file)?;
/// assert_eq!(Trace::read(file.as_slice())?, trace);
/// # Ok::<(), workloads::TraceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// The frames in their order; what is there at first is spawned by the first.
    pub frames: Vec<Frame>,
}

impl Trace {
    /// Reads a binary trace to its end.
    ///
    /// # Errors
    /// What is wrong, or beyond the [`limits`], and at which byte; see [`TraceReader`] for reading frame by frame.
    pub fn read(input: impl Read) -> Result<Self, TraceError> {
        Self::read_within(input, CHANGES_MAX)
    }

    fn read_within(input: impl Read, changes_max: u64) -> Result<Self, TraceError> {
        let mut reader = TraceReader::new(BufReader::new(input))?;
        let (mut frames, mut changes) = (Vec::new(), 0);
        let mut frame = Frame::default();
        while reader.next_frame(&mut frame)? {
            changes += frame.len() as u64;
            limits::check(reader.place(), "changes", changes, changes_max)?;
            frame.shrink();
            frames.push(std::mem::take(&mut frame));
        }
        Ok(Self { frames })
    }

    /// Writes a binary trace: lossless, but for layers and user data.
    ///
    /// # Errors
    /// A failing output, or a trace that breaks the rules of the format or is beyond the [`limits`].
    pub fn write(&self, output: impl Write) -> Result<(), TraceError> {
        writer::write(self, output)
    }

    /// Reads a trace from CSV.
    ///
    /// # Errors
    /// What is wrong, or beyond the [`limits`], and in which line.
    pub fn read_csv(input: impl Read) -> Result<Self, TraceError> {
        table::read(input)
    }

    /// Writes a trace as CSV with a header; spheres become their boxes.
    ///
    /// # Errors
    /// A failing output.
    pub fn write_csv(&self, output: impl Write) -> Result<(), TraceError> {
        table::write(self, output)
    }
}
