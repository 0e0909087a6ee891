//! What a question visits, tests and answers.

use crate::drawing::{CELL, Frame, HIT, INK, PALE, Style, VISITED, page};
use crate::hierarchy::hierarchy;
use crate::worlds::{add, clusters, tree};
use broadleaf::glam::{Vec2, Vec3};
use broadleaf::{Aabb, QueryStats, Ray, RayHit, View};
use std::error::Error;
use svg::Document;

const EXTENT: Vec2 = Vec2::new(96.0, 48.0);

/// The objects, the cells that a question visits (their bounds pass `reaches`), what it tests in them, and its answers.
fn draw(view: View<'_>, boxes: &[Aabb], reaches: impl Fn(&Aabb) -> bool, answers: &[u32]) -> (Document, Frame) {
    let frame = Frame::new(Aabb::new(Vec3::ZERO, EXTENT.extend(0.0)).expanded(1.0), Vec2::ZERO, 960.0);
    let mut picture = page(960.0, frame.height());
    let (mut visited, mut leaves) = (Vec::new(), Vec::new());
    for node in hierarchy(view) {
        let is_visited = reaches(&node.info.bounds);
        if node.info.leaf {
            picture = add(picture, frame.rectangle(&node.info.bounds, Style::outlined(CELL, 0.7)));
        }
        if is_visited {
            visited.push(node.info.bounds);
        }
        if is_visited && node.info.leaf {
            leaves.push(node.info.bounds);
        }
    }
    for bounds in &leaves {
        picture = add(picture, frame.rectangle(bounds, Style::filled(VISITED, 0.12)));
    }
    for bounds in &visited {
        picture = add(picture, frame.rectangle(bounds, Style::outlined(VISITED, 1.2)));
    }
    for (slot, aabb) in (0..).zip(boxes) {
        let is_tested = leaves.iter().any(|bounds| bounds.contains(aabb));
        let fill = match (answers.contains(&slot), is_tested) {
            (true, _) => HIT,
            (false, true) => INK,
            (false, false) => PALE,
        };
        picture = add(picture, frame.rectangle(aabb, Style::filled(fill, 0.85)));
    }
    (picture, frame)
}

/// A box as a region.
pub(crate) fn region() -> Result<Document, Box<dyn Error>> {
    let boxes = clusters(520, EXTENT, 0.55, 21);
    let mut tree = tree(&boxes, 8)?;
    let region = Aabb::new([28.0, 15.0, -1.0], [45.0, 27.0, 1.0]);
    let mut stats = QueryStats::default();
    let mut answers = Vec::new();
    let view = tree.view();
    view.overlap(&region)?.stats(&mut stats).for_each(|handle| answers.push(handle.slot()));
    let (picture, frame) = draw(view, &boxes, |bounds| bounds.overlaps(&region), &answers);
    Ok(add(picture, frame.rectangle(&region, Style::outlined("#000000", 2.5))))
}

/// The closest hit of a ray: cells behind it are not visited.
pub(crate) fn ray() -> Result<Document, Box<dyn Error>> {
    let boxes = clusters(520, EXTENT, 0.55, 21);
    let mut tree = tree(&boxes, 8)?;
    let view = tree.view();
    // Of some rays, the one that comes farthest before it hits something.
    let mut farthest = None;
    for step in 0..40_u8 {
        let (from, to) = (Vec3::new(1.0, 4.0 + f32::from(step), 0.0), Vec3::new(95.0, 44.0 - f32::from(step), 0.0));
        let ray = Ray::segment(from, to)?;
        let hit = view.cast(&ray).closest();
        let is_farther = |hit: &RayHit| farthest.is_none_or(|(_, far): (Ray, RayHit)| hit.distance > far.distance);
        farthest = hit.filter(is_farther).map(|hit| (ray, hit)).or(farthest);
    }
    let (ray, hit) = farthest.ok_or("no ray of the picture hits anything")?;
    let (from, to) = (ray.origin(), ray.end().ok_or("the rays are segments")?);
    let reaches = |bounds: &Aabb| ray.enter_aabb(bounds).is_some_and(|entry| entry <= hit.distance);
    let (picture, frame) = draw(view, &boxes, reaches, &[hit.handle.slot()]);
    let end = hit.position.truncate();
    Ok(picture.add(frame.line(end, to.truncate(), CELL, 1.0).set("stroke-dasharray", "5 5")).add(frame.line(
        from.truncate(),
        end,
        "#000000",
        2.5,
    )))
}
