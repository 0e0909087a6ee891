//! What is wrong with a trace, and where.

use std::fmt;
use std::io;

/// Why a trace cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The input or the output failed.
    #[error("cannot read or write the trace: {0}")]
    Io(#[from] io::Error),
    /// The content breaks the format.
    #[error("{place}: {what}")]
    Malformed {
        /// Where.
        place: Place,
        /// What is wrong there.
        what: String,
    },
    /// The trace is larger than a reader takes; see [`limits`](super::limits).
    #[error("{place}: {found} {what}, the limit is {limit}")]
    Limit {
        /// Where.
        place: Place,
        /// What there is too much of.
        what: &'static str,
        /// How much there is; of what is not counted to its end, so much at least.
        found: u64,
        /// The most that is read.
        limit: u64,
    },
    /// The trace is written in another version of the format.
    #[error("{}: a trace of format version {found}, this reader takes version {expected}", Place::Byte(8))]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
}

/// A place in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Offset in the file.
    Byte(u64),
    /// Offset in the data that the file unpacks to.
    UnpackedByte(u64),
    /// Line of a text file, from 1.
    Line(u64),
    /// Frame of a trace that is being written, from 0.
    Frame(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::UnpackedByte(offset) => write!(f, "byte {offset} of the unpacked data"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Frame(frame) => write!(f, "frame {frame}"),
        }
    }
}

impl Place {
    pub(super) fn is_wrong(self, what: impl Into<String>) -> TraceError {
        TraceError::Malformed { place: self, what: what.into() }
    }
}
