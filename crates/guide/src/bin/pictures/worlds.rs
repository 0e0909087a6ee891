//! Flat worlds: what is drawn, and two pictures of them.

use crate::drawing::{BOUNDS, CELL, Frame, HIT, INK, PALE, Style, VISITED, page};
use crate::hierarchy::hierarchy;
use broadleaf::glam::{Vec2, Vec3};
use broadleaf::{Aabb, Config, Octree, Scratch};
use std::error::Error;
use svg::Document;
use workloads::Random;

/// A flat box.
pub(crate) fn flat(center: Vec2, half: Vec2) -> Aabb {
    Aabb::from_center_half_extents(center.extend(0.0), half.extend(0.0))
}

/// A tree over flat boxes with small leaves, so that a picture shows several levels.
pub(crate) fn tree(boxes: &[Aabb], leaf_capacity: u32) -> Result<Octree, Box<dyn Error>> {
    let mut tree = Octree::new(Config { leaf_capacity, ..Config::default() })?;
    tree.insert_many(boxes, &mut Vec::new())?;
    Ok(tree)
}

/// Boxes around some centres, and some anywhere, of sizes from `size_min` to three times that.
pub(crate) fn clusters(count: u32, extent: Vec2, size_min: f32, seed: u64) -> Vec<Aabb> {
    let mut random = Random::new(seed);
    let centers: Vec<Vec2> = (0..5).map(|_| point(&mut random, extent)).collect();
    (0..count as usize)
        .map(|index| {
            let anywhere = point(&mut random, extent);
            let spread = (point(&mut random, Vec2::ONE) + point(&mut random, Vec2::ONE) - 1.0) * extent.y * 0.35;
            let center = if index % 3 == 0 { anywhere } else { centers[index % centers.len()] + spread };
            let half = (Vec2::splat(0.5) + point(&mut random, Vec2::ONE)) * size_min;
            flat(center.clamp(half, extent - half), half)
        })
        .collect()
}

/// A point between zero and a corner.
pub(crate) fn point(random: &mut Random, corner: Vec2) -> Vec2 {
    Vec2::new(random.between(0.0, corner.x), random.between(0.0, corner.y))
}

/// Objects, cells, and the pairs that overlap.
pub(crate) fn world() -> Result<Document, Box<dyn Error>> {
    let extent = Vec2::new(96.0, 44.0);
    let boxes = clusters(260, extent, 0.8, 4);
    let mut tree = tree(&boxes, 8)?;
    let (view, mut scratch, mut pairs) = (tree.view(), Scratch::new(), Vec::new());
    view.pairs(&mut scratch).collect_into(&mut pairs);
    let frame = Frame::new(Aabb::new(Vec3::ZERO, extent.extend(0.0)).expanded(1.0), Vec2::ZERO, 960.0);
    let mut picture = page(960.0, frame.height());
    for node in hierarchy(view) {
        picture = add(picture, frame.rectangle(&node.info.cell, Style::outlined(CELL, 0.6)));
    }
    let overlaps = |index: usize| {
        let index = u32::try_from(index).ok();
        pairs.iter().any(|pair| Some(pair.a().slot()) == index || Some(pair.b().slot()) == index)
    };
    for (index, aabb) in boxes.iter().enumerate() {
        let fill = if overlaps(index) { HIT } else { PALE };
        let style = Style { fill, fill_opacity: 0.75, stroke: INK, stroke_width: 0.7 };
        picture = add(picture, frame.rectangle(aabb, style));
    }
    let center = |slot: u32| boxes[slot as usize].center().truncate();
    for pair in &pairs {
        picture = picture.add(frame.line(center(pair.a().slot()), center(pair.b().slot()), VISITED, 1.6));
    }
    Ok(picture)
}

/// The cells of a world in a plane.
pub(crate) fn flat_cells() -> Result<Document, Box<dyn Error>> {
    let extent = Vec2::new(120.0, 56.0);
    let boxes = clusters(1200, extent, 0.45, 9);
    let mut tree = tree(&boxes, 64)?;
    let frame = Frame::new(Aabb::new(Vec3::ZERO, extent.extend(0.0)).expanded(1.5), Vec2::ZERO, 960.0);
    let mut picture = page(960.0, frame.height());
    for aabb in &boxes {
        picture = add(picture, frame.rectangle(aabb, Style::filled(PALE, 1.0)));
    }
    for node in hierarchy(tree.view()) {
        let width = if node.info.leaf { 0.8 } else { 2.0 };
        let stroke = if node.info.leaf { BOUNDS } else { INK };
        picture = add(picture, frame.rectangle(&node.info.cell, Style::outlined(stroke, width)));
    }
    Ok(picture)
}

/// The picture with one more thing on it, if there is one.
pub(crate) fn add(picture: Document, thing: Option<impl Into<Box<dyn svg::Node>>>) -> Document {
    match thing {
        Some(thing) => picture.add(thing),
        None => picture,
    }
}
