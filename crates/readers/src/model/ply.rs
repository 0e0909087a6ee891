//! Polygon File Format, as text or binary.

use super::{Triangles, check_count, check_position, one_line};
use crate::limits::FACES_MAX;
use anyhow::{Context as _, Result, anyhow, bail};
use broadleaf::glam::Vec3;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult};

pub(super) fn read(bytes: &[u8]) -> Result<Triangles> {
    let mut reader = Reader::new(bytes);
    let header = Parser::<Other>::new().read_header(&mut reader).map_err(|error| anyhow!(one_line(error)))?;
    let mut triangles = Triangles::default();
    let mut faces = Vec::new();
    for element in header.elements.values() {
        // What the header promises must have room in the file, or a small file fills the memory.
        if element.count > bytes.len() || (element.count > 0 && element.properties.is_empty()) {
            bail!("the header promises {} of {:?}, more than the file has room for", element.count, element.name);
        }
        match element.name.as_str() {
            "vertex" => triangles.expect_positions(element.count).context("the header")?,
            "face" => check_count("faces", element.count, FACES_MAX).context("the header")?,
            _ => {}
        }
        let left = |reader: &Reader<&[u8]>| bytes.len() - reader.get_ref().len();
        let place = |error: ParseError, reader: &Reader<&[u8]>| match header.encoding {
            Encoding::Ascii => anyhow!(one_line(error)),
            _ => anyhow!("byte {}: {}", left(reader), one_line(error)),
        };
        match element.name.as_str() {
            "vertex" => {
                check_axes(element)?;
                let vertices = Parser::<Vertex>::new().read_payload_for_element(&mut reader, element, &header);
                let vertices = vertices.map_err(|error| place(error, &reader))?;
                for (index, Vertex(position)) in vertices.into_iter().enumerate() {
                    check_position(position).with_context(|| format!("vertex {index}"))?;
                    triangles.positions.push(position);
                }
            }
            "face" => {
                let read = Parser::<Face>::new().read_payload_for_element(&mut reader, element, &header);
                faces = read.map_err(|error| place(error, &reader))?;
            }
            _ => {
                let read = Parser::<Other>::new().read_payload_for_element(&mut reader, element, &header);
                read.map_err(|error| place(error, &reader))?;
            }
        }
    }
    for (index, face) in faces.into_iter().enumerate() {
        let corners = match face {
            Face::Corners(corners) => corners,
            Face::Negative(corner) => bail!("face {index} has vertex {corner}: there are none below zero"),
            Face::Absent => bail!("face {index} has no list of vertex indices"),
        };
        let outlying = corners.iter().find(|corner| **corner as usize >= triangles.positions.len());
        if let Some(corner) = outlying {
            bail!("face {index} has vertex {corner}, but there are {} vertices", triangles.positions.len());
        }
        triangles.polygon(&corners).with_context(|| format!("face {index}"))?;
    }
    Ok(triangles)
}

fn check_axes(element: &ElementDef) -> Result<()> {
    for axis in ["x", "y", "z"] {
        if element.properties.get(axis).is_none() {
            bail!("vertices have no property {axis:?}");
        }
    }
    Ok(())
}

/// A position; other properties are passed over.
struct Vertex(Vec3);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self(Vec3::ZERO)
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(axis) = ["x", "y", "z"].iter().position(|axis| *axis == name) else {
            return PropertyAccessResult::Ignored;
        };
        let Some(value) = property.to_f32_lossy() else { return PropertyAccessResult::UnsupportedType };
        self.0[axis] = value;
        PropertyAccessResult::Set
    }
}

/// The vertex indices of a polygon.
enum Face {
    /// It has no list of them.
    Absent,
    Corners(Vec<u32>),
    /// One of them is below zero.
    Negative(i32),
}

impl PropertyAccess for Face {
    fn new() -> Self {
        Self::Absent
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if !matches!(name, "vertex_index" | "vertex_indices") {
            return PropertyAccessResult::Ignored;
        }
        *self = match property.to_u32_list() {
            Some(corners) => Self::Corners(corners),
            None => negative(&property).map_or(Self::Absent, Self::Negative),
        };
        PropertyAccessResult::Set
    }
}

/// The first number below zero in a list.
fn negative(property: &Property) -> Option<i32> {
    let first = |mut values: &mut dyn Iterator<Item = i32>| (&mut values).find(|value| *value < 0);
    match property {
        Property::ListChar(values) => first(&mut values.iter().map(|value| i32::from(*value))),
        Property::ListShort(values) => first(&mut values.iter().map(|value| i32::from(*value))),
        Property::ListInt(values) => first(&mut values.iter().copied()),
        _ => None,
    }
}

/// An element that is of no interest.
struct Other;

impl PropertyAccess for Other {
    fn new() -> Self {
        Self
    }

    fn set_property(&mut self, _: &str, _: Property) -> PropertyAccessResult {
        PropertyAccessResult::Ignored
    }
}
