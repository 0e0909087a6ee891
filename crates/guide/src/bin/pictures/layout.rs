//! How the tree lies in memory: cells, a bucket, a block.

use crate::drawing::{BOUNDS, CELL, Frame, HIT, INK, LARGE, PALE, Style, VISITED, line, page, rectangle, text};
use crate::hierarchy::hierarchy;
use crate::worlds::{add, clusters, flat, point, tree};
use broadleaf::Aabb;
use broadleaf::glam::{Vec2, Vec3};
use std::error::Error;
use svg::Document;
use workloads::Random;

/// Cells on the left, the fitted bounds of the same nodes on the right.
pub(crate) fn cells() -> Result<Document, Box<dyn Error>> {
    let extent = Vec2::splat(48.0);
    let boxes = clusters(150, extent, 0.7, 13);
    let mut tree = tree(&boxes, 8)?;
    let world = Aabb::new(Vec3::ZERO, extent.extend(0.0)).expanded(1.5);
    let frames = [Vec2::new(0.0, 30.0), Vec2::new(490.0, 30.0)].map(|corner| Frame::new(world, corner, 470.0));
    let mut picture = page(960.0, frames[0].height() + 30.0)
        .add(text("Cells decide where an object is stored.", Vec2::new(12.0, 22.0), 17.0))
        .add(text("Fitted bounds are what questions test.", Vec2::new(502.0, 22.0), 17.0));
    let nodes = hierarchy(tree.view());
    for frame in frames {
        for aabb in &boxes {
            picture = add(picture, frame.rectangle(aabb, Style::filled(PALE, 0.9)));
        }
    }
    for node in &nodes {
        let width = if node.info.leaf { 1.0 } else { 2.2 };
        picture = add(picture, frames[0].rectangle(&node.info.cell, Style::outlined(CELL, width)));
        picture = add(picture, frames[1].rectangle(&node.info.bounds, Style::outlined(BOUNDS, width)));
    }
    Ok(picture)
}

/// One bucket: 64 objects in eight blocks, each of eight neighbours on the Morton curve.
pub(crate) fn bucket() -> Result<Document, Box<dyn Error>> {
    let mut random = Random::new(3);
    let boxes: Vec<Aabb> = (0..64_u8)
        .map(|index| {
            let grid = Vec2::new(f32::from(index % 8), f32::from(index / 8)) * 3.0;
            flat(grid + Vec2::splat(0.5) + point(&mut random, Vec2::splat(2.0)), Vec2::new(0.7, 0.55))
        })
        .collect();
    let mut tree = tree(&boxes, 64)?;
    let view = tree.view();
    let nodes = hierarchy(view);
    if nodes.len() != 1 || nodes[0].info.blocks != 8 {
        return Err("the picture of a bucket needs one bucket with eight full blocks".into());
    }
    // A question that everything answers lists objects in the order of their blocks.
    let mut order = Vec::new();
    view.overlap(&nodes[0].info.bounds)?.for_each(|handle| order.push(boxes[handle.slot() as usize]));
    let frame = Frame::new(nodes[0].info.bounds.expanded(1.0), Vec2::new(0.0, 0.0), 560.0);
    let mut picture = page(900.0, frame.height());
    let colours = [BOUNDS, HIT, LARGE, "#2e933c", VISITED, "#b5179e", "#6b705c", "#0077b6"];
    for (block, colour) in order.chunks(8).zip(colours) {
        let around = block.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
        picture = add(
            picture,
            frame.rectangle(&around, Style { fill: colour, fill_opacity: 0.1, stroke: colour, stroke_width: 1.5 }),
        );
        for aabb in block {
            picture = add(picture, frame.rectangle(aabb, Style::filled(colour, 0.8)));
        }
    }
    for two in order.windows(2) {
        picture = picture.add(frame.line(two[0].center().truncate(), two[1].center().truncate(), INK, 1.2));
    }
    let lines = [
        "One bucket: a leaf of the tree.",
        "Each colour is a block of eight objects.",
        "The line is the Morton curve: objects",
        "that are neighbours on it share a block.",
        "",
        "A question tests the eight boxes around",
        "the blocks with one instruction for each",
        "face, then the eight objects of a block",
        "in the same way.",
    ];
    for (index, words) in (0_u8..).zip(lines) {
        picture = picture.add(text(words, Vec2::new(575.0, 40.0 + 24.0 * f32::from(index)), 15.0));
    }
    Ok(picture)
}

/// The 256 bytes of a block.
pub(crate) fn block() -> Document {
    const COLUMNS: [(&str, &str); 8] = [
        ("min x", BOUNDS),
        ("min y", BOUNDS),
        ("min z", BOUNDS),
        ("max x", HIT),
        ("max y", HIT),
        ("max z", HIT),
        ("object", PALE),
        ("generation", PALE),
    ];
    let (left, top, size) = (150.0, 56.0, Vec2::new(80.0, 30.0));
    let mut picture = page(960.0, 336.0).add(text(
        "A block: eight objects in columns, 256 bytes, four cache lines",
        Vec2::new(12.0, 24.0),
        17.0,
    ));
    for (row, (name, colour)) in (0_u8..).zip(COLUMNS) {
        let y = top + f32::from(row) * (size.y + 3.0);
        picture = picture.add(text(name, Vec2::new(12.0, y + 20.0), 15.0));
        for lane in 0_u8..8 {
            let corner = Vec2::new(left + f32::from(lane) * (size.x + 3.0), y);
            let style = Style { fill: colour, fill_opacity: 0.3, stroke: INK, stroke_width: 0.6 };
            picture = picture.add(rectangle(corner, size, style));
            if row == 0 {
                let words = format!("lane {lane}");
                picture = picture.add(text(&words, Vec2::new(corner.x + 18.0, top - 8.0), 13.0));
            }
        }
        picture = picture.add(text("32 bytes", Vec2::new(left + 8.0 * 83.0 + 10.0, y + 20.0), 14.0));
        if row % 2 == 1 && row < 7 {
            let below = y + size.y + 1.5;
            picture = picture.add(line(Vec2::new(left, below), Vec2::new(left + 8.0 * 83.0, below), INK, 2.0));
        }
    }
    picture
}
