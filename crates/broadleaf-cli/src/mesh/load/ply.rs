//! Polygon File Format, as text or binary.

use super::{Triangles, one_line};
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
                triangles.positions.extend(vertices.into_iter().map(|vertex| vertex.0));
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
        let corners = face.0.with_context(|| format!("face {index} has no list of vertex indices"))?;
        let outlying = corners.iter().find(|corner| **corner as usize >= triangles.positions.len());
        if let Some(corner) = outlying {
            bail!("face {index} has vertex {corner}, but there are {} vertices", triangles.positions.len());
        }
        triangles.polygon(&corners);
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

/// The vertex indices of a polygon, if it has them and none is negative.
struct Face(Option<Vec<u32>>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(None)
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if !matches!(name, "vertex_index" | "vertex_indices") {
            return PropertyAccessResult::Ignored;
        }
        self.0 = property.to_u32_list();
        PropertyAccessResult::Set
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
