//! The picture of a tree over its objects: cells and fitted bounds as
//! wireframes, coloured by depth; objects solid, and warmer the more they overlap.

mod asked;
mod canvas;
mod cells;
mod legend;
mod model;
mod objects;
mod palette;
mod projection;

use crate::snapshot::Snapshot;
use anyhow::{Context as _, Result};
use broadleaf::{Aabb, Mobility, glam::Vec3};
use canvas::Canvas;
pub(crate) use model::{ModelPicture, Viewpoint};
use projection::Projection;
use std::path::Path;

/// Width and height of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    /// The size of a picture if nothing else is asked for.
    pub(crate) const DEFAULT: Self = Self { width: 1600, height: 1000 };
    /// The smallest and the largest edge accepted.
    const EDGE: std::ops::RangeInclusive<u32> = 200..=8192;
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let edges = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match edges {
            Some((width, height)) if Self::EDGE.contains(&width) && Self::EDGE.contains(&height) => {
                Ok(Self { width, height })
            }
            _ => Err(format!("expected WIDTHxHEIGHT, each from {} to {}", Self::EDGE.start(), Self::EDGE.end())),
        }
    }
}

/// Draws the snapshot and writes it as a PNG file.
pub(crate) fn write(snapshot: &Snapshot, name: &str, size: Size, path: &Path) -> Result<()> {
    let mut canvas = Canvas::new(size)?;
    let projection = Projection::framing(&focus(snapshot), size);
    let asked = snapshot.asked.as_ref();
    objects::draw_backdrop(&mut canvas, &projection, snapshot);
    cells::draw(&mut canvas, &projection, &snapshot.cells, cells::Pass::BehindObjects, asked.is_some());
    if let Some(asked) = asked {
        asked::draw_visited(&mut canvas, &projection, asked, 0.9);
    }
    objects::draw(&mut canvas, &projection, snapshot);
    match asked {
        Some(asked) => {
            asked::draw_visited(&mut canvas, &projection, asked, 0.45);
            asked::draw_shape(&mut canvas, &projection, asked);
        }
        None => cells::draw(&mut canvas, &projection, &snapshot.cells, cells::Pass::OverObjects, false),
    }
    legend::draw(&mut canvas, legend::of_frame(snapshot, name));
    save(&canvas, path)
}

/// Writes a PNG file.
fn save(canvas: &Canvas, path: &Path) -> Result<()> {
    let png = canvas.encode().context("cannot encode the picture")?;
    std::fs::write(path, png).with_context(|| format!("cannot write {}", path.display()))
}

/// The box that the picture shows: around the moving objects (around all, if
/// none moves), except for the farthest one in twenty on each side, and a margin.
fn focus(snapshot: &Snapshot) -> Aabb {
    let boxes = |moving: bool| -> Vec<Aabb> {
        let chosen = snapshot.objects.iter().filter(|(_, object)| !moving || object.mobility == Mobility::Moving);
        chosen
            .map(|(_, object)| object.shape.aabb())
            .filter(|aabb| aabb.min.is_finite() && aabb.max.is_finite())
            .collect()
    };
    let mut chosen = boxes(true);
    if chosen.is_empty() {
        chosen = boxes(false);
    }
    if chosen.is_empty() {
        return Aabb::new(Vec3::splat(-1.0), Vec3::ONE);
    }
    let mut focus = Aabb::EMPTY;
    for axis in 0..3 {
        let mut low: Vec<f32> = chosen.iter().map(|aabb| aabb.min[axis]).collect();
        let mut high: Vec<f32> = chosen.iter().map(|aabb| aabb.max[axis]).collect();
        low.sort_by(f32::total_cmp);
        high.sort_by(f32::total_cmp);
        let cut = chosen.len() / 20;
        focus.min[axis] = low[cut];
        focus.max[axis] = high[chosen.len() - 1 - cut];
    }
    Aabb::from_center_half_extents(focus.center(), focus.half_extents() * 1.15)
}
