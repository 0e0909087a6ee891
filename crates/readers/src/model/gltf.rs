//! glTF 2.0, as text with buffers beside it or within it, and as binary.
//!
//! The document is parsed and checked by the `gltf` crate. Its buffers are read
//! here, because what a document says of their contents need not be so.

use super::{Beside, Triangles, check_count, check_position};
use crate::limits::{DOCUMENT_OBJECTS_MAX, FILE_BYTES_MAX};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use base64::Engine as _;
use broadleaf::glam::{Mat4, Vec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::json::validation::Checked;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Primitive, Semantic};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::path::{Component, Path};

/// Bytes of a binary file's header.
const HEADER: usize = 12;

pub(super) fn read(bytes: &[u8], beside: &mut Beside<'_>) -> Result<Triangles> {
    check_binary(bytes)?;
    check_document(bytes)?;
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(|error| describe(&error))?;
    let root = document.into_json();
    check_positions(&root)?;
    let file = Document::from_json(root).map_err(|error| describe(&error))?;
    let buffers = buffers(&file, blob.as_deref(), beside)?;
    let scene = file.default_scene().or_else(|| file.scenes().next()).context("it has no scene")?;
    let mut triangles = Triangles::default();
    let mut stack: Vec<_> = scene.nodes().map(|node| (node, Mat4::IDENTITY)).collect();
    let mut met = vec![false; file.nodes().len()];
    let mut placed = 0;
    while let Some((node, parent)) = stack.pop() {
        // In a tree each node is met once. So each list of children is taken once.
        let met = met.get_mut(node.index()).context("nodes: there is no such node")?;
        ensure!(!std::mem::replace(met, true), "nodes[{}]: it is below itself, or below two others", node.index());
        placed += node.mesh().map_or(0, |mesh| mesh.primitives().len());
        check_count("primitives in its nodes", placed, DOCUMENT_OBJECTS_MAX)?;
        let transform = parent * Mat4::from_cols_array_2d(&node.transform().matrix());
        for (index, primitive) in node.mesh().iter().flat_map(gltf::Mesh::primitives).enumerate() {
            add(&mut triangles, &primitive, &buffers, &transform)
                .with_context(|| format!("nodes[{}], primitives[{index}]", node.index()))?;
        }
        stack.extend(node.children().map(|child| (child, transform)));
    }
    Ok(triangles)
}

/// Checks the length in the header of a binary file.
fn check_binary(bytes: &[u8]) -> Result<()> {
    if bytes.starts_with(b"glTF") {
        let length = bytes.get(8..HEADER).and_then(|length| <[u8; 4]>::try_from(length).ok());
        let length = length.with_context(|| format!("byte {}: ends within the header", bytes.len()))?;
        let length = usize::try_from(u32::from_le_bytes(length))?;
        ensure!(length >= HEADER, "byte 8: the length is {length}, less than that of the header");
        ensure!(length <= bytes.len(), "byte {}: ends before its length of {length} bytes", bytes.len());
    }
    Ok(())
}

/// Checks how many JSON objects the document has: once parsed, an object takes
/// some hundred bytes even if it is empty.
fn check_document(bytes: &[u8]) -> Result<()> {
    let document = if bytes.starts_with(b"glTF") {
        // The first chunk: its length, its kind, its contents.
        let length = bytes.get(HEADER..HEADER + 4).and_then(|length| <[u8; 4]>::try_from(length).ok());
        let end = length.and_then(|length| usize::try_from(u32::from_le_bytes(length)).ok());
        let start = HEADER + 8;
        let end = end.and_then(|length| length.checked_add(start)).map_or(bytes.len(), |end| end.min(bytes.len()));
        bytes.get(start..end).unwrap_or_default()
    } else {
        bytes
    };
    let objects = document.iter().filter(|byte| **byte == b'{').count();
    check_count("JSON objects", objects, DOCUMENT_OBJECTS_MAX)
}

/// Checks that positions name accessors that exist: the crate's own check takes that for granted.
fn check_positions(root: &gltf::json::Root) -> Result<()> {
    for (mesh, primitives) in root.meshes.iter().enumerate() {
        for (index, primitive) in primitives.primitives.iter().enumerate() {
            let accessor = primitive.attributes.get(&Checked::Valid(Semantic::Positions));
            let exists = accessor.is_none_or(|accessor| accessor.value() < root.accessors.len());
            ensure!(exists, "meshes[{mesh}].primitives[{index}].attributes: there is no such accessor");
        }
    }
    Ok(())
}

/// What is wrong; of a document that breaks a rule, the first place.
fn describe(error: &gltf::Error) -> anyhow::Error {
    match error {
        gltf::Error::Validation(faults) => {
            let first = faults.first().map(|(path, fault)| format!("{path}: {fault}"));
            anyhow!("breaks a rule of the format: {}", first.unwrap_or_default())
        }
        other => anyhow!("{other}"),
    }
}

/// The contents of all buffers. What is beyond a buffer's length is not read.
fn buffers<'a>(file: &Document, blob: Option<&'a [u8]>, beside: &mut Beside<'_>) -> Result<Vec<Cow<'a, [u8]>>> {
    let (mut total, limit) = (0_u64, FILE_BYTES_MAX);
    // All of them before the first is read.
    for buffer in file.buffers() {
        total = total.saturating_add(u64::try_from(buffer.length())?);
        let index = buffer.index();
        ensure!(total <= limit, "buffers[{index}]: {total} bytes of buffers together, the limit is {limit}");
    }
    let contents = file.buffers().map(|buffer| {
        let place = || format!("buffers[{}]", buffer.index());
        let promised = u64::try_from(buffer.length())?;
        let contents = match buffer.source() {
            Source::Bin => {
                let blob = blob.with_context(|| format!("{}: the file has no binary part", place()))?;
                Cow::Borrowed(&blob[..blob.len().min(buffer.length())])
            }
            Source::Uri(uri) => Cow::Owned(fetch(uri, promised, beside).with_context(place)?),
        };
        let (length, promised) = (contents.len(), buffer.length());
        ensure!(length >= promised, "{} has {length} bytes instead of {promised}", place());
        Ok(contents)
    });
    contents.collect()
}

/// The bytes within a data URI, or the first ones of a file beside the document.
fn fetch(uri: &str, bytes: u64, beside: &mut Beside<'_>) -> Result<Vec<u8>> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, encoded) = data.split_once(";base64,").context("a data URI that is not base64")?;
        let mut contents = base64::engine::general_purpose::STANDARD.decode(encoded).context("a data URI")?;
        contents.truncate(usize::try_from(bytes)?);
        return Ok(contents);
    }
    ensure!(!uri.contains("://"), "the URI {uri:?} is not that of a file beside this one");
    let name = percent_decode_str(uri).decode_utf8().with_context(|| format!("the URI {uri:?}"))?;
    let name = Path::new(name.as_ref());
    // A document may be of anyone's making: it names no files elsewhere.
    let is_beside = name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    ensure!(is_beside, "the URI {uri:?} leads out of the folder of the document");
    beside(name, bytes)
}

/// Adds the triangles of a primitive; points and lines have none.
fn add(
    triangles: &mut Triangles,
    primitive: &Primitive<'_>,
    buffers: &[Cow<'_, [u8]>],
    transform: &Mat4,
) -> Result<()> {
    if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(());
    }
    let accessor = primitive.get(&Semantic::Positions).context("it has no positions")?;
    let place = || format!("accessors[{}]", accessor.index());
    triangles.expect_positions(accessor.count()).with_context(place)?;
    let positions = positions(&accessor, buffers).with_context(place)?;
    let count = u32::try_from(positions.len())?;
    let indices = match primitive.indices() {
        Some(accessor) => indices(&accessor, buffers).with_context(|| format!("accessors[{}]", accessor.index()))?,
        None => (0..count).collect(),
    };
    if let Some(at) = indices.iter().position(|index| *index >= count) {
        bail!("index {at} is {}, but there are {count} positions", indices[at]);
    }
    let first = u32::try_from(triangles.positions.len())?;
    ensure!(first.checked_add(count).is_some(), "there are more than 2^32 positions");
    for (at, position) in positions.into_iter().enumerate() {
        let here = || format!("{}, position {at}", place());
        check_position(position).with_context(here)?;
        let moved = transform.transform_point3(position);
        check_position(moved).context("where its node puts it").with_context(here)?;
        triangles.positions.push(moved);
    }
    // A transform that mirrors turns triangles inside out.
    let mirrored = transform.determinant() < 0.0;
    let corners = assemble(primitive.mode(), &indices)?;
    triangles.expect_triangles(corners.len())?;
    for [a, b, c] in corners {
        let corners = if mirrored { [a, c, b] } else { [a, b, c] };
        triangles.indices.extend(corners.map(|corner| first + corner));
    }
    Ok(())
}

/// The corners of the triangles that a row of indices stands for.
fn assemble(mode: Mode, indices: &[u32]) -> Result<Vec<[u32; 3]>> {
    let strip = |(at, corners): (usize, &[u32])| {
        // Every other triangle of a strip winds the other way.
        if at % 2 == 0 { [corners[0], corners[1], corners[2]] } else { [corners[1], corners[0], corners[2]] }
    };
    Ok(match mode {
        Mode::TriangleStrip => indices.windows(3).enumerate().map(strip).collect(),
        Mode::TriangleFan => {
            indices.get(1..).unwrap_or_default().windows(2).map(|pair| [indices[0], pair[0], pair[1]]).collect()
        }
        _ => {
            ensure!(indices.len().is_multiple_of(3), "{} indices do not make whole triangles", indices.len());
            indices.chunks_exact(3).map(|corners| [corners[0], corners[1], corners[2]]).collect()
        }
    })
}

fn positions(accessor: &Accessor<'_>, buffers: &[Cow<'_, [u8]>]) -> Result<Vec<Vec3>> {
    let form = (accessor.data_type(), accessor.dimensions());
    ensure!(form == (DataType::F32, Dimensions::Vec3), "positions are {form:?}, not three 32-bit floats");
    let float = |bytes: &[u8], at: usize| {
        let mut four = [0; 4];
        four.copy_from_slice(&bytes[at..at + 4]);
        f32::from_le_bytes(four)
    };
    let items = items(accessor, buffers, 12)?;
    Ok(items.map(|bytes| Vec3::new(float(bytes, 0), float(bytes, 4), float(bytes, 8))).collect())
}

fn indices(accessor: &Accessor<'_>, buffers: &[Cow<'_, [u8]>]) -> Result<Vec<u32>> {
    let size = match (accessor.data_type(), accessor.dimensions()) {
        (DataType::U8, Dimensions::Scalar) => 1,
        (DataType::U16, Dimensions::Scalar) => 2,
        (DataType::U32, Dimensions::Scalar) => 4,
        form => bail!("indices are {form:?}, not unsigned numbers"),
    };
    let little_endian = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
    Ok(items(accessor, buffers, size)?.map(little_endian).collect())
}

/// The bytes of each item.
fn items<'a>(
    accessor: &Accessor<'_>,
    buffers: &'a [Cow<'_, [u8]>],
    size: usize,
) -> Result<impl Iterator<Item = &'a [u8]>> {
    ensure!(accessor.sparse().is_none(), "sparse accessors are not supported");
    let view = accessor.view().context("it has no buffer view")?;
    let (stride, count) = (view.stride().unwrap_or(size), accessor.count());
    ensure!(stride >= size, "bufferViews[{}]: a stride of {stride} bytes for items of {size}", view.index());
    let bytes = buffers.get(view.buffer().index()).context("there is no such buffer")?;
    let end = view.offset().checked_add(view.length());
    let bytes = end.and_then(|end| bytes.get(view.offset()..end));
    let bytes = bytes.with_context(|| format!("bufferViews[{}] reaches beyond its buffer", view.index()))?;
    let start = accessor.offset();
    let needed =
        count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size)?.checked_add(start));
    ensure!(needed.is_some_and(|needed| needed <= bytes.len()), "it reaches beyond bufferViews[{}]", view.index());
    Ok((0..count).map(move |item| &bytes[start + item * stride..][..size]))
}
