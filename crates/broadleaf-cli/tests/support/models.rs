//! One small model written in every format: a box with corners at the origin
//! and at (1, 2, 3).
#![allow(dead_code, reason = "each test program uses its own part")]

use base64::Engine as _;
use std::fmt::Write as _;

/// The eight corners; bit 0 of the index is x, bit 1 y, bit 2 z.
pub(crate) fn corners() -> Vec<[f32; 3]> {
    let pick = |index: usize, axis: usize, edge: f32| if index >> axis & 1 == 1 { edge } else { 0.0 };
    (0..8).map(|index| [pick(index, 0, 1.0), pick(index, 1, 2.0), pick(index, 2, 3.0)]).collect()
}

/// The six faces, counter-clockwise seen from outside.
pub(crate) const FACES: [[u32; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// The twelve triangles.
pub(crate) fn triangles() -> Vec<[u32; 3]> {
    FACES.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect()
}

/// With texture coordinates, normals, materials and groups that do not matter, and faces counted from both ends.
pub(crate) fn obj() -> Vec<u8> {
    let mut text = String::from("# a box\nmtllib missing.mtl\no box\nusemtl paint\n");
    for [x, y, z] in corners() {
        writeln!(text, "v {x} {y} {z}").expect("a string takes all");
    }
    text.push_str("vt 0 0\nvn 0 0 1\ng sides\n");
    for (index, face) in FACES.iter().enumerate() {
        let corner =
            |at: &u32| if index % 2 == 0 { format!("{}/1/1", at + 1) } else { (i64::from(*at) - 8).to_string() };
        writeln!(text, "f {}", face.iter().map(corner).collect::<Vec<_>>().join(" ")).expect("a string takes all");
    }
    text.into_bytes()
}

/// A PLY header of that format; positions are doubles, and each has a colour.
fn ply_header(format: &str) -> String {
    let vertex = "property double x\nproperty double y\nproperty double z\nproperty uchar red\n";
    let face = "property list uchar int vertex_indices\n";
    format!("ply\nformat {format} 1.0\ncomment a box\nelement vertex 8\n{vertex}element face 6\n{face}end_header\n")
}

pub(crate) fn ply_text() -> Vec<u8> {
    let mut text = ply_header("ascii");
    for [x, y, z] in corners() {
        writeln!(text, "{x} {y} {z} 255").expect("a string takes all");
    }
    for [a, b, c, d] in FACES {
        writeln!(text, "4 {a} {b} {c} {d}").expect("a string takes all");
    }
    text.into_bytes()
}

pub(crate) fn ply_binary(big_endian: bool) -> Vec<u8> {
    let mut bytes = ply_header(if big_endian { "binary_big_endian" } else { "binary_little_endian" }).into_bytes();
    for corner in corners() {
        for value in corner.map(f64::from) {
            bytes.extend(if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
        }
        bytes.push(255);
    }
    for face in FACES {
        bytes.push(4);
        for index in face {
            bytes.extend(if big_endian { index.to_be_bytes() } else { index.to_le_bytes() });
        }
    }
    bytes
}

pub(crate) fn stl_text() -> Vec<u8> {
    let (corners, mut text) = (corners(), String::from("solid box\n"));
    for triangle in triangles() {
        text.push_str("facet normal 0 0 0\n outer loop\n");
        for index in triangle {
            let [x, y, z] = corners[index as usize];
            writeln!(text, "  vertex {x} {y} {z}").expect("a string takes all");
        }
        text.push_str(" endloop\nendfacet\n");
    }
    text.push_str("endsolid box\n");
    text.into_bytes()
}

/// The header begins as a text would.
pub(crate) fn stl_binary() -> Vec<u8> {
    let (corners, mut bytes) = (corners(), b"solid but binary".to_vec());
    bytes.resize(80, b' ');
    bytes.extend(12_u32.to_le_bytes());
    for triangle in triangles() {
        bytes.extend([0; 12]);
        for value in triangle.iter().flat_map(|index| corners[*index as usize]) {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// The buffer of a glTF document: positions, then 16-bit indices.
pub(crate) fn gltf_buffer() -> Vec<u8> {
    let mut bytes: Vec<u8> = corners().into_iter().flatten().flat_map(f32::to_le_bytes).collect();
    for index in triangles().into_iter().flatten() {
        bytes.extend(u16::try_from(index).expect("below 8").to_le_bytes());
    }
    bytes
}

/// A glTF document whose buffer is at `uri`, or in the binary part; the box
/// hangs below a node that moves, in one that turns by a quarter about z and doubles.
pub(crate) fn gltf_document(uri: Option<&str>) -> String {
    let uri = uri.map_or(String::new(), |uri| format!(r#""uri": "{uri}", "#));
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
"nodes": [{{"translation": [10, 0, 0], "children": [1]}},
 {{"rotation": [0, 0, 0.70710677, 0.70710677], "scale": [2, 2, 2], "mesh": 0}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 3]}},
 {{"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": 96}}, {{"buffer": 0, "byteOffset": 96, "byteLength": 72}}],
"buffers": [{{{uri}"byteLength": 168}}]}}"#
    )
}

pub(crate) fn gltf() -> Vec<u8> {
    let data = base64::engine::general_purpose::STANDARD.encode(gltf_buffer());
    gltf_document(Some(&format!("data:application/octet-stream;base64,{data}"))).into_bytes()
}

pub(crate) fn glb() -> Vec<u8> {
    let (mut document, buffer) = (gltf_document(None), gltf_buffer());
    while !document.len().is_multiple_of(4) {
        document.push(' ');
    }
    let number = |length: usize| u32::try_from(length).expect("small").to_le_bytes();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(number(12 + 8 + document.len() + 8 + buffer.len()));
    bytes.extend(number(document.len()));
    bytes.extend(b"JSON");
    bytes.extend(document.into_bytes());
    bytes.extend(number(buffer.len()));
    bytes.extend(b"BIN\0");
    bytes.extend(buffer);
    bytes
}
