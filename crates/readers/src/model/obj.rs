//! Wavefront OBJ.
//!
//! Only positions and faces matter here: everything else, textures, normals,
//! colours and names of materials, is blanked before the file is parsed, so
//! that no fault of theirs is one of the model's. Lines keep their numbers.

use super::{Triangles, check_count};
use crate::limits::{FACES_MAX, POSITIONS_MAX, TRIANGLES_MAX};
use anyhow::{Context as _, Result, anyhow, bail};
use broadleaf::Mesh;
use broadleaf::glam::Vec3;
use std::io::{self, BufRead, Read};
use tobj::LoadError;

pub(super) fn read(bytes: &[u8]) -> Result<Triangles> {
    let text = positions_and_faces(bytes)?;
    let mut source = Counted { source: text.as_bytes(), lines: 0 };
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let no_materials = |_: &std::path::Path| Ok((Vec::new(), Default::default()));
    let (models, _) = tobj::load_obj_buf(&mut source, &options, no_materials).map_err(|error| {
        let line = if error == LoadError::FaceVertexOutOfBounds { outlying_face(&text) } else { Some(source.lines) };
        line.map_or_else(|| anyhow!("{error}"), |line| anyhow!("line {line}: {error}"))
    })?;
    let mut triangles = Triangles::default();
    for model in models {
        let first = u32::try_from(triangles.positions.len())?;
        triangles.positions.extend(model.mesh.positions.chunks_exact(3).map(Vec3::from_slice));
        triangles.indices.extend(model.mesh.indices.iter().map(|index| first + index));
    }
    // The parser numbers positions anew, so the line is told here.
    let legal = triangles.positions.iter().all(is_legal);
    match if legal { None } else { outlying_position(&text) } {
        Some(line) => {
            bail!("line {line}: a coordinate is not finite, or beyond {:e}", Mesh::COORDINATE_MAX)
        }
        None => Ok(triangles),
    }
}

fn is_legal(position: &Vec3) -> bool {
    position.abs().cmple(Vec3::splat(Mesh::COORDINATE_MAX)).all()
}

/// The line of the first position that no mesh takes.
fn outlying_position(text: &str) -> Option<usize> {
    let is_outlying = |line: &str| {
        let mut numbers = line.strip_prefix("v ").into_iter().flat_map(str::split_whitespace);
        numbers.any(|word| word.parse().is_ok_and(|number| !is_legal(&Vec3::splat(number))))
    };
    (1..).zip(text.lines()).find(|(_, line)| is_outlying(line)).map(|(number, _)| number)
}

/// The lines of positions and faces, faces reduced to their positions; all other lines empty.
///
/// Counts both, so that the parser, which takes more memory for each than the
/// line has bytes, gets no more of them than the limits.
fn positions_and_faces(bytes: &[u8]) -> Result<String> {
    let mut text = String::with_capacity(bytes.len());
    let mut counts = Counts::default();
    let mut lines = (1_usize..).zip(bytes.split(|byte| *byte == b'\n'));
    while let Some((number, line)) = lines.next() {
        let mut line = String::from_utf8_lossy(line);
        // A backslash at its end has the statement go on in the next line.
        let mut continued = 0;
        if line.starts_with(['v', 'f']) {
            while let Some(begun) = line.trim_end().strip_suffix('\\').map(str::len) {
                let next = lines.next().map_or(&[][..], |(_, next)| next);
                let whole = line.to_mut();
                whole.truncate(begun);
                whole.push(' ');
                whole.push_str(&String::from_utf8_lossy(next));
                continued += 1;
            }
        }
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                counts.positions += 1;
                text.extend(["v"].into_iter().chain(words.take(3)).flat_map(|word| [word, " "]));
            }
            Some("f") => {
                let corners = words.map(|corner| corner.split('/').next().unwrap_or_default());
                counts.faces += 1;
                // The first two corners make no triangle.
                counts.triangles += corners.clone().skip(2).count();
                text.extend(["f"].into_iter().chain(corners).flat_map(|word| [word, " "]));
            }
            _ => {}
        }
        counts.check().with_context(|| format!("line {number}"))?;
        text.extend(std::iter::repeat_n('\n', 1 + continued));
    }
    Ok(text)
}

/// What has been met so far.
#[derive(Default)]
struct Counts {
    positions: usize,
    faces: usize,
    triangles: usize,
}

impl Counts {
    fn check(&self) -> Result<()> {
        check_count("positions", self.positions, POSITIONS_MAX)?;
        check_count("faces", self.faces, FACES_MAX)?;
        check_count("triangles", self.triangles, TRIANGLES_MAX)
    }
}

/// The line of the first face with a corner that no position has.
fn outlying_face(text: &str) -> Option<usize> {
    let is = |line: &str, word: &str| line.split(' ').next() == Some(word);
    let positions = i64::try_from(text.lines().filter(|line| is(line, "v")).count()).ok()?;
    let mut before = 0;
    (1..).zip(text.lines()).find_map(|(number, line)| {
        before += i64::from(is(line, "v"));
        let mut corners = line.split_whitespace().skip(1).filter_map(|word| word.parse::<i64>().ok());
        // Negative numbers count back from the last position so far.
        let outlying = |corner: i64| corner == 0 || corner > positions || corner < -before;
        (is(line, "f") && corners.any(outlying)).then_some(number)
    })
}

/// Counts the lines that were read.
struct Counted<'a> {
    source: &'a [u8],
    lines: usize,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.source.len().min(buffer.len());
        buffer[..len].copy_from_slice(&self.source[..len]);
        self.consume(len);
        Ok(len)
    }
}

impl BufRead for Counted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.source)
    }

    fn consume(&mut self, amount: usize) {
        let (read, rest) = self.source.split_at(amount);
        self.lines += read.iter().filter(|byte| **byte == b'\n').count();
        self.source = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::positions_and_faces;
    use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
    use std::alloc::System;

    #[global_allocator]
    static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

    /// Bytes allocated by all threads while the statement is joined, at most: other tests
    /// allocate some of them. Joined anew with each line, it takes five times as many.
    const BYTES_MAX: usize = 256 << 20;

    #[test]
    fn regression_a_statement_of_many_lines_is_copied_once() {
        let text = format!("v 0 0 0\nf{}\n", " \\\n1".repeat(30_000));
        let region = Region::new(ALLOCATOR);
        let joined = positions_and_faces(text.as_bytes()).expect("within the limits");
        let bytes = region.change().bytes_allocated;
        assert_eq!(joined.matches("1 ").count(), 30_000);
        assert_eq!(joined.lines().count(), 30_003);
        assert!(bytes < BYTES_MAX, "{bytes} bytes allocated for {}", text.len());
    }
}
