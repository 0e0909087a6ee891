//! A part of the plane on a part of a page.

use broadleaf::Aabb;
use broadleaf::glam::Vec2;
use svg::Document;
use svg::node::element::{Line, Rectangle, Text};

/// Colours, one meaning each.
pub(crate) const INK: &str = "#2b2d33";
pub(crate) const PALE: &str = "#b9bec9";
pub(crate) const CELL: &str = "#8d99ae";
pub(crate) const BOUNDS: &str = "#2a7f9e";
pub(crate) const HIT: &str = "#f28c28";
pub(crate) const VISITED: &str = "#d62839";
pub(crate) const LARGE: &str = "#5a4fcf";

/// How a shape is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) fill: &'static str,
    pub(crate) fill_opacity: f32,
    pub(crate) stroke: &'static str,
    pub(crate) stroke_width: f32,
}

impl Style {
    /// A surface without an outline.
    pub(crate) const fn filled(fill: &'static str, fill_opacity: f32) -> Self {
        Self { fill, fill_opacity, stroke: "none", stroke_width: 0.0 }
    }

    /// An outline alone.
    pub(crate) const fn outlined(stroke: &'static str, stroke_width: f32) -> Self {
        Self { fill: "none", fill_opacity: 1.0, stroke, stroke_width }
    }
}

/// An empty page with a white ground.
pub(crate) fn page(width: f32, height: f32) -> Document {
    let ground = Rectangle::new().set("width", width).set("height", height).set("fill", "#ffffff");
    Document::new()
        .set("viewBox", format!("0 0 {width} {height}"))
        .set("width", width)
        .set("height", height)
        .set("font-family", "sans-serif")
        .add(ground)
}

/// A rectangle of the world, drawn into a rectangle of the page; y is up.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    world: Aabb,
    corner: Vec2,
    scale: f32,
}

impl Frame {
    /// The world at a corner of the page, so wide.
    pub(crate) fn new(world: Aabb, corner: Vec2, width: f32) -> Self {
        Self { world, corner, scale: width / world.extents().x }
    }

    /// How high it is on the page.
    pub(crate) fn height(&self) -> f32 {
        self.world.extents().y * self.scale
    }

    /// A point of the world on the page.
    pub(crate) fn at(&self, point: Vec2) -> Vec2 {
        let (low, high) = (self.world.min.truncate(), self.world.max.truncate());
        self.corner + Vec2::new(point.x - low.x, high.y - point.y) * self.scale
    }

    /// A box of the world, clipped to what is shown; `None` if nothing of it is.
    pub(crate) fn rectangle(&self, aabb: &Aabb, style: Style) -> Option<Rectangle> {
        let low = aabb.min.truncate().max(self.world.min.truncate());
        let high = aabb.max.truncate().min(self.world.max.truncate());
        if low.cmpgt(high).any() {
            return None;
        }
        let (corner, size) = (self.at(Vec2::new(low.x, high.y)), (high - low) * self.scale);
        Some(rectangle(corner, size, style))
    }

    /// A line between two points of the world.
    pub(crate) fn line(&self, from: Vec2, to: Vec2, stroke: &str, width: f32) -> Line {
        line(self.at(from), self.at(to), stroke, width)
    }
}

/// A rectangle of the page.
pub(crate) fn rectangle(corner: Vec2, size: Vec2, style: Style) -> Rectangle {
    Rectangle::new()
        .set("x", tenths(corner.x))
        .set("y", tenths(corner.y))
        .set("width", tenths(size.x))
        .set("height", tenths(size.y))
        .set("fill", style.fill)
        .set("fill-opacity", style.fill_opacity)
        .set("stroke", style.stroke)
        .set("stroke-width", style.stroke_width)
}

/// A line of the page.
pub(crate) fn line(from: Vec2, to: Vec2, stroke: &str, width: f32) -> Line {
    Line::new()
        .set("x1", tenths(from.x))
        .set("y1", tenths(from.y))
        .set("x2", tenths(to.x))
        .set("y2", tenths(to.y))
        .set("stroke", stroke)
        .set("stroke-width", width)
        .set("stroke-linecap", "round")
}

/// A line of text that begins at a point of the page.
pub(crate) fn text(words: &str, at: Vec2, size: f32) -> Text {
    Text::new(words).set("x", tenths(at.x)).set("y", tenths(at.y)).set("font-size", size).set("fill", INK)
}

/// Rounded to a tenth of a pixel, so that files stay small.
fn tenths(value: f32) -> f32 {
    (value * 10.0).round() / 10.0
}
