//! The pair pass step by step, over the nodes of a real tree.

use crate::drawing::{BOUNDS, Frame, HIT, INK, LARGE, PALE, Style, VISITED, page, text};
use crate::hierarchy::{Node, hierarchy};
use crate::worlds::{add, clusters, flat, tree};
use broadleaf::glam::{Vec2, Vec3};
use broadleaf::{Aabb, Scratch, View};
use std::error::Error;
use svg::Document;

const EXTENT: Vec2 = Vec2::splat(48.0);
const PANEL: f32 = 300.0;

/// Two nodes that may hold a pair between them; a node with itself for the pairs inside it.
type Meeting = (usize, usize);

/// Six panels: the objects, three levels of the descent, the large object, the pairs.
pub(crate) fn pair_pass() -> Result<Document, Box<dyn Error>> {
    let mut boxes = clusters(130, EXTENT, 0.9, 33);
    boxes.push(flat(Vec2::new(24.0, 21.0), Vec2::new(15.0, 2.0)));
    let large = boxes.len() - 1;
    let mut tree = tree(&boxes, 8)?;
    let view = tree.view();
    let nodes = hierarchy(view);
    let titles = [
        "1. The objects. One is large.",
        "2. The root's children; where two overlap.",
        "3. One level down: only these can meet.",
        "4. At the leaves, only these can meet.",
        "5. The large object goes along.",
        "6. The pairs.",
    ];
    let world = Aabb::new(Vec3::ZERO, EXTENT.extend(0.0)).expanded(1.0);
    let mut picture = page(960.0, 2.0 * (PANEL + 40.0));
    let mut frames = Vec::new();
    for (index, title) in (0_u8..).zip(titles) {
        let corner = Vec2::new(f32::from(index % 3) * 325.0 + 5.0, f32::from(index / 3) * (PANEL + 40.0));
        picture = picture.add(text(title, corner + Vec2::new(0.0, 22.0), 14.5));
        let frame = Frame::new(world, corner + Vec2::new(0.0, 32.0), PANEL);
        for (place, aabb) in boxes.iter().enumerate() {
            let style = if place == large { Style::filled(LARGE, 0.55) } else { Style::filled(PALE, 0.9) };
            picture = add(picture, frame.rectangle(aabb, style));
        }
        frames.push(frame);
    }
    let first = meetings(&nodes, &[(0, 0)]);
    let second = meetings(&nodes, &first);
    let mut last = second.clone();
    while last.iter().any(|&(a, b)| !nodes[a].children.is_empty() || !nodes[b].children.is_empty()) {
        last = meetings(&nodes, &last);
    }
    for (frame, level) in frames[1..4].iter().zip([&first, &second, &last]) {
        picture = draw_meetings(picture, *frame, &nodes, level);
    }
    picture = carried(picture, frames[4], &nodes, &boxes[large]);
    Ok(pairs(picture, frames[5], view, &boxes))
}

/// The meetings one level below some: of the children of one node among themselves, and of two nodes' children.
fn meetings(nodes: &[Node], above: &[Meeting]) -> Vec<Meeting> {
    let below = |node: usize| if nodes[node].children.is_empty() { vec![node] } else { nodes[node].children.clone() };
    let mut found = Vec::new();
    for &(a, b) in above {
        for first in below(a) {
            for second in below(b) {
                let is_once = a != b || first <= second;
                if is_once && nodes[first].info.bounds.overlaps(&nodes[second].info.bounds) {
                    found.push((first, second));
                }
            }
        }
    }
    found
}

/// The bounds of the nodes, and, in red, where two different ones overlap.
fn draw_meetings(mut picture: Document, frame: Frame, nodes: &[Node], meetings: &[Meeting]) -> Document {
    for &(a, b) in meetings {
        let (first, second) = (nodes[a].info.bounds, nodes[b].info.bounds);
        if a == b {
            picture = add(picture, frame.rectangle(&first, Style::outlined(BOUNDS, 1.3)));
        } else {
            let common = Aabb::new(first.min.max(second.min), first.max.min(second.max));
            picture = add(picture, frame.rectangle(&common, Style::filled(VISITED, 0.35)));
        }
    }
    picture
}

/// The nodes to which an object is carried down: those whose bounds it overlaps.
fn carried(mut picture: Document, frame: Frame, nodes: &[Node], large: &Aabb) -> Document {
    for node in nodes.iter().filter(|node| node.info.leaf) {
        let is_reached = node.info.bounds.overlaps(large);
        let style = if is_reached {
            Style { fill: LARGE, fill_opacity: 0.12, stroke: LARGE, stroke_width: 1.6 }
        } else {
            Style::outlined(PALE, 0.8)
        };
        picture = add(picture, frame.rectangle(&node.info.bounds, style));
    }
    picture
}

/// The objects that overlap, and a line for each pair.
fn pairs(mut picture: Document, frame: Frame, view: View<'_>, boxes: &[Aabb]) -> Document {
    let (mut scratch, mut lines) = (Scratch::new(), Vec::new());
    view.pairs(&mut scratch).for_each(|pair| {
        lines.push([pair.a(), pair.b()].map(|handle| boxes[handle.slot() as usize]));
    });
    for aabb in lines.iter().flatten() {
        let style = Style { fill: HIT, fill_opacity: 0.5, stroke: INK, stroke_width: 0.4 };
        picture = add(picture, frame.rectangle(aabb, style));
    }
    for [a, b] in lines {
        picture = picture.add(frame.line(a.center().truncate(), b.center().truncate(), VISITED, 1.2));
    }
    picture
}
