//! STL, as text or binary.

use super::{Triangles, check_position};
use anyhow::{Context as _, Result, bail};
use broadleaf::glam::Vec3;
use std::io::{Cursor, Read as _};

/// Bytes before the first triangle of a binary file, and of each triangle.
const HEADER: usize = 84;
const TRIANGLE: usize = 50;
/// What a text begins with; a binary file may do so too.
const SOLID: &[u8] = b"solid";

pub(super) fn read(bytes: &[u8]) -> Result<Triangles> {
    let is_binary = is_binary(bytes);
    if is_binary && bytes.len() < HEADER {
        bail!("byte {}: ends within the header", bytes.len());
    }
    // The reader goes by the first line: a binary header is blanked, and a
    // nameless solid gets a blank.
    let begin: &[u8] = if is_binary { &[0; SOLID.len()] } else { b"solid " };
    let mut source = Cursor::new(Vec::new());
    begin.chain(bytes.get(SOLID.len()..).unwrap_or_default()).read_to_end(source.get_mut())?;
    let reader = stl_io::create_stl_reader(&mut source).context("cannot tell the kind of STL")?;
    let mut triangles = Triangles::default();
    for (index, triangle) in reader.enumerate() {
        let place = || {
            let place = if is_binary {
                format!("byte {}", HEADER + TRIANGLE * index)
            } else {
                format!("line {}", line_of(bytes, index))
            };
            format!("triangle {index}, {place}")
        };
        let triangle = triangle.with_context(place)?;
        triangles.expect_triangles(1).with_context(place)?;
        for corner in triangle.vertices {
            let corner = Vec3::from_array(corner.into());
            check_position(corner).with_context(place)?;
            triangles.indices.push(u32::try_from(triangles.positions.len())?);
            triangles.positions.push(corner);
        }
    }
    Ok(triangles)
}

/// Whether a file is not a text, which begins with its word and has no zero in it.
fn is_binary(bytes: &[u8]) -> bool {
    let begins = bytes.strip_prefix(SOLID).and_then(|rest| rest.first()).is_some_and(u8::is_ascii_whitespace);
    !begins || bytes.contains(&0)
}

/// The line of a text on which a triangle begins; if it does not, the last.
fn line_of(bytes: &[u8], triangle: usize) -> usize {
    let lines = || bytes.split(|byte| *byte == b'\n');
    let begins = |line: &[u8]| line.trim_ascii_start().starts_with(b"facet");
    let line = (1..).zip(lines()).filter(|(_, line)| begins(line)).nth(triangle);
    line.map_or_else(|| lines().count(), |(number, _)| number)
}
