//! Models from files: positions, and three indices a triangle.
//!
//! A file that is broken is an error that names the file and, where its format
//! has such a thing, the line, the byte, the face or the JSON path. So is one
//! that is larger than the limits (`crate::limits`); what a file promises is
//! compared with them before memory is taken for it.

mod gltf;
mod obj;
mod ply;
mod stl;

use crate::limits::{POSITIONS_MAX, TRIANGLES_MAX};
use anyhow::{Context as _, Result, bail, ensure};
use broadleaf::Mesh;
use broadleaf::glam::Vec3;
use std::path::Path;

/// Triangles as a file or a generator gives them.
#[derive(Debug, Default)]
pub struct Triangles {
    /// The corners.
    pub positions: Vec<Vec3>,
    /// Three positions a triangle.
    pub indices: Vec<u32>,
}

/// Reads the first bytes, so many or all if there are fewer, of a file that a model
/// names: a path within the folder of the model.
pub type Beside<'a> = dyn FnMut(&Path, u64) -> Result<Vec<u8>> + 'a;

impl Triangles {
    /// Adds a polygon as a fan around its first corner.
    fn polygon(&mut self, corners: &[u32]) -> Result<()> {
        self.expect_triangles(corners.len().saturating_sub(2))?;
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            self.indices.extend([corners[0], pair[0], pair[1]]);
        }
        Ok(())
    }

    /// Checks that there may be so many positions more.
    fn expect_positions(&self, count: usize) -> Result<()> {
        check_count("positions", self.positions.len().saturating_add(count), POSITIONS_MAX)
    }

    /// Checks that there may be so many triangles more.
    fn expect_triangles(&self, count: usize) -> Result<()> {
        check_count("triangles", (self.indices.len() / 3).saturating_add(count), TRIANGLES_MAX)
    }
}

/// Refuses more of something than its limit.
fn check_count(what: &str, found: usize, limit: usize) -> Result<()> {
    ensure!(found <= limit, "{found} {what}, the limit is {limit}");
    Ok(())
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Obj,
    Ply,
    Stl,
    Gltf,
}

impl Format {
    const ALL: [(&'static str, Self); 5] =
        [("obj", Self::Obj), ("ply", Self::Ply), ("stl", Self::Stl), ("gltf", Self::Gltf), ("glb", Self::Gltf)];

    /// By the name of the file, unless its first bytes say that the name is wrong.
    fn of(path: &Path, bytes: &[u8]) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let named = Self::ALL.iter().find(|(name, _)| extension.as_deref() == Some(*name));
        let Some((extension, format)) = named else {
            let known = Self::ALL.map(|(name, _)| name).join(", ");
            bail!("the extension must be one of {known}");
        };
        let begins = [(&b"ply\n"[..], Self::Ply), (b"ply\r", Self::Ply), (b"glTF", Self::Gltf)];
        match begins.iter().find(|(begin, begun)| bytes.starts_with(begin) && begun != format) {
            Some((_, begun)) => bail!("byte 0: begins as {begun:?} files do, but its extension is {extension}"),
            None => Ok(*format),
        }
    }
}

/// Whether the name of a file is one of a model.
#[must_use]
pub fn is_model(name: &str) -> bool {
    let extension = Path::new(name).extension().map(|extension| extension.to_string_lossy().to_lowercase());
    Format::ALL.iter().any(|(known, _)| extension.as_deref() == Some(*known))
}

/// The triangles in a file of that name; files that it names are read by `beside`.
///
/// # Errors
/// What is wrong, or beyond the [`limits`](crate::limits), and where.
pub fn model(name: &str, bytes: &[u8], beside: &mut Beside<'_>) -> Result<Triangles> {
    read(Path::new(name), bytes, beside).with_context(|| format!("{name} is not a model"))
}

fn read(path: &Path, bytes: &[u8], beside: &mut Beside<'_>) -> Result<Triangles> {
    let triangles = match Format::of(path, bytes)? {
        Format::Obj => obj::read(bytes)?,
        Format::Ply => ply::read(bytes)?,
        Format::Stl => stl::read(bytes)?,
        Format::Gltf => gltf::read(bytes, beside)?,
    };
    if triangles.indices.is_empty() {
        bail!("it has no triangles");
    }
    Ok(triangles)
}

/// Checks that a mesh takes a position, and names the coordinate that it does not.
fn check_position(position: Vec3) -> Result<()> {
    let limit = Mesh::COORDINATE_MAX;
    for (axis, value) in ['x', 'y', 'z'].into_iter().zip(position.to_array()) {
        // Written so that what is not a number fails.
        ensure!(value.abs() <= limit, "coordinate {axis} must be a number of at most {limit:e}, but is {value}");
    }
    Ok(())
}

/// A message on one line.
fn one_line(message: impl std::fmt::Display) -> String {
    message.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
