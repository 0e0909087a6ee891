//! Reads bytes and varints out of the compressed part of a file.

use super::error::{Place, TraceError};
use flate2::{Decompress, FlushDecompress, Status};
use std::io::BufRead;

const BUFFER: usize = 32 * 1024;

/// Unpacks a zlib stream, and knows the offsets on both sides of it.
#[derive(Debug)]
pub(super) struct Unpacker<R> {
    input: R,
    /// Where in the file the stream starts.
    start: u64,
    decoder: Decompress,
    buffer: Box<[u8]>,
    /// The part of the buffer that is not read yet.
    from: usize,
    to: usize,
    ended: bool,
}

impl<R: BufRead> Unpacker<R> {
    pub(super) fn new(input: R, start: u64) -> Self {
        let (decoder, buffer) = (Decompress::new(true), vec![0; BUFFER].into());
        Self { input, start, decoder, buffer, from: 0, to: 0, ended: false }
    }

    /// The offset of the next byte in the unpacked data.
    pub(super) fn offset(&self) -> u64 {
        self.decoder.total_out() - (self.to - self.from) as u64
    }

    /// The place of the next byte.
    pub(super) fn place(&self) -> Place {
        Place::UnpackedByte(self.offset())
    }

    fn in_file(&self) -> Place {
        Place::Byte(self.start + self.decoder.total_in())
    }

    /// Unpacks until there is a byte to read, or the stream ends.
    fn fill(&mut self) -> Result<(), TraceError> {
        while self.from == self.to && !self.ended {
            let input = self.input.fill_buf()?;
            if input.is_empty() {
                return Err(self.in_file().is_wrong("the file ends within the compressed data"));
            }
            let (read, written) = (self.decoder.total_in(), self.decoder.total_out());
            let status = self.decoder.decompress(input, &mut self.buffer, FlushDecompress::None);
            let read = usize::try_from(self.decoder.total_in() - read).expect("within a buffer");
            let written = usize::try_from(self.decoder.total_out() - written).expect("within a buffer");
            self.input.consume(read);
            (self.from, self.to) = (0, written);
            match status {
                Ok(Status::StreamEnd) => self.ended = true,
                Ok(_) if read > 0 || written > 0 => {}
                _ => return Err(self.in_file().is_wrong("the compressed data is damaged")),
            }
        }
        Ok(())
    }

    pub(super) fn byte(&mut self) -> Result<u8, TraceError> {
        self.fill()?;
        if self.from == self.to {
            return Err(self.place().is_wrong("the data ends within a frame"));
        }
        self.from += 1;
        Ok(self.buffer[self.from - 1])
    }

    pub(super) fn unsigned(&mut self) -> Result<u64, TraceError> {
        let place = self.place();
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(place.is_wrong("a number has more than 64 bits"))
    }

    pub(super) fn signed(&mut self) -> Result<i64, TraceError> {
        self.unsigned().map(unzigzag)
    }

    /// Checks that the stream and the file end here.
    pub(super) fn end(&mut self) -> Result<(), TraceError> {
        self.fill()?;
        if self.from != self.to {
            return Err(self.place().is_wrong("data after the last frame"));
        }
        if self.input.fill_buf()?.is_empty() {
            Ok(())
        } else {
            Err(self.in_file().is_wrong("bytes after the compressed data"))
        }
    }
}

pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}
