//! The pixels, and the few strokes that the picture is made of.

use super::Size;
use super::palette::{self, Ink};
use anyhow::{Context as _, Result};
use broadleaf::glam::Vec2;
use embedded_graphics::Pixel;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Size as TextSize};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor as _};
use std::convert::Infallible;
use tiny_skia::{
    FillRule, GradientStop, LinearGradient, Paint, PathBuilder, Pixmap, Point, PremultipliedColorU8, Rect, Shader,
    SpreadMode, Stroke, Transform,
};

/// A picture that is being drawn.
pub(super) struct Canvas {
    pixels: Pixmap,
}

impl Canvas {
    /// An empty picture: the background alone.
    pub(super) fn new(size: Size) -> Result<Self> {
        let mut pixels = Pixmap::new(size.width, size.height).context("the picture is too large")?;
        let area = Rect::from_xywh(0.0, 0.0, edge(size.width), edge(size.height)).context("the picture is empty")?;
        let [top, bottom] = palette::BACKGROUND.map(|ink| ink.color());
        let gradient = LinearGradient::new(
            Point::from_xy(0.0, 0.0),
            Point::from_xy(0.0, edge(size.height)),
            vec![GradientStop::new(0.0, top), GradientStop::new(1.0, bottom)],
            SpreadMode::Pad,
            Transform::identity(),
        );
        let paint = Paint { shader: gradient.unwrap_or(Shader::SolidColor(top)), ..Paint::default() };
        pixels.fill_rect(area, &paint, Transform::identity(), None);
        Ok(Self { pixels })
    }

    /// The height of the picture in pixels.
    pub(super) fn height(&self) -> u32 {
        self.pixels.height()
    }

    /// The PNG file.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.pixels.encode_png()?)
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: Vec2, to: Vec2, width: f32, ink: Ink) {
        let mut path = PathBuilder::new();
        path.move_to(from.x, from.y);
        path.line_to(to.x, to.y);
        self.stroke(path, width, ink);
    }

    /// A filled polygon with an outline.
    pub(super) fn polygon(&mut self, points: &[Vec2], fill: Ink, outline: Ink, width: f32) {
        let build = || {
            let mut path = PathBuilder::new();
            for (index, point) in points.iter().enumerate() {
                if index == 0 { path.move_to(point.x, point.y) } else { path.line_to(point.x, point.y) }
            }
            path.close();
            path
        };
        self.fill(build(), fill);
        self.stroke(build(), width, outline);
    }

    /// A filled circle with an outline.
    pub(super) fn circle(&mut self, center: Vec2, radius: f32, fill: Ink, outline: Ink, width: f32) {
        let build = || {
            let mut path = PathBuilder::new();
            path.push_circle(center.x, center.y, radius);
            path
        };
        self.fill(build(), fill);
        self.stroke(build(), width, outline);
    }

    /// Covers one pixel; one beside the picture is left out.
    pub(super) fn dot(&mut self, x: u32, y: u32, ink: Ink) {
        let Ok(index) = usize::try_from(u64::from(y) * u64::from(self.pixels.width()) + u64::from(x)) else { return };
        if x < self.pixels.width()
            && let Some(pixel) = self.pixels.pixels_mut().get_mut(index)
        {
            let (over, under) = (ink.color().premultiply().to_color_u8(), *pixel);
            let let_through = u16::from(u8::MAX - over.alpha());
            // What is let through of 255 is at most 255.
            let blend = |over: u8, under: u8| {
                over.saturating_add(u8::try_from(u16::from(under) * let_through / 255).unwrap_or(u8::MAX))
            };
            let [red, green, blue] =
                [blend(over.red(), under.red()), blend(over.green(), under.green()), blend(over.blue(), under.blue())];
            *pixel = PremultipliedColorU8::from_rgba(red, green, blue, u8::MAX).unwrap_or(under);
        }
    }

    fn fill(&mut self, path: PathBuilder, ink: Ink) {
        if let Some(path) = path.finish() {
            self.pixels.fill_path(&path, &paint(ink), FillRule::Winding, Transform::identity(), None);
        }
    }

    fn stroke(&mut self, path: PathBuilder, width: f32, ink: Ink) {
        if let Some(path) = path.finish() {
            let stroke = Stroke { width, ..Stroke::default() };
            self.pixels.stroke_path(&path, &paint(ink), &stroke, Transform::identity(), None);
        }
    }
}

fn paint(ink: Ink) -> Paint<'static> {
    Paint { shader: Shader::SolidColor(ink.color()), anti_alias: true, ..Paint::default() }
}

#[expect(clippy::cast_precision_loss, reason = "picture edges are small")]
fn edge(pixels: u32) -> f32 {
    pixels as f32
}

impl OriginDimensions for Canvas {
    fn size(&self) -> TextSize {
        TextSize::new(self.pixels.width(), self.pixels.height())
    }
}

/// Opaque pixels, as the text of the legend needs them.
impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        let width = self.pixels.width();
        for Pixel(at, color) in pixels {
            let (Ok(x), Ok(y)) = (u32::try_from(at.x), u32::try_from(at.y)) else { continue };
            if x >= width || y >= self.pixels.height() {
                continue;
            }
            let Ok(index) = usize::try_from(u64::from(y) * u64::from(width) + u64::from(x)) else { continue };
            if let Some(opaque) = PremultipliedColorU8::from_rgba(color.r(), color.g(), color.b(), u8::MAX) {
                self.pixels.pixels_mut()[index] = opaque;
            }
        }
        Ok(())
    }
}
