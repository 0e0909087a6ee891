//! A picture of colored pixels, drawn on the processor and saved as PNG.

use std::fs::File;
use std::io::BufWriter;

/// Red, green, blue.
pub(crate) type Color = [u8; 3];

/// A picture; lengths are pixels, from the top left.
pub(crate) struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Color>,
}

#[allow(dead_code, reason = "each example draws with some of them")]
impl Picture {
    /// A picture of one color.
    pub(crate) fn new(width: usize, height: usize, color: Color) -> Self {
        Self { width, height, pixels: vec![color; width * height] }
    }

    /// Colors a pixel; nothing outside.
    pub(crate) fn set(&mut self, x: f32, y: f32, color: Color) {
        if (0.0..self.width as f32).contains(&x) && (0.0..self.height as f32).contains(&y) {
            self.pixels[y as usize * self.width + x as usize] = color;
        }
    }

    /// Fills a square.
    pub(crate) fn square(&mut self, x: f32, y: f32, size: f32, color: Color) {
        let steps = size.max(1.0) as usize;
        for step in 0..steps * steps {
            let (dx, dy) = ((step % steps) as f32, (step / steps) as f32);
            self.set(x - size / 2.0 + dx, y - size / 2.0 + dy, color);
        }
    }

    /// Draws a line.
    pub(crate) fn line(&mut self, from: [f32; 2], to: [f32; 2], color: Color) {
        let length = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()).max(1.0);
        for step in 0..=length as usize {
            let share = step as f32 / length;
            self.set(from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share, color);
        }
    }

    /// Draws a circle.
    pub(crate) fn circle(&mut self, x: f32, y: f32, radius: f32, color: Color) {
        let steps = (radius * 8.0).max(8.0) as usize;
        for step in 0..steps {
            let angle = step as f32 / steps as f32 * std::f32::consts::TAU;
            self.set(x + angle.cos() * radius, y + angle.sin() * radius, color);
        }
    }

    /// Writes the picture.
    pub(crate) fn save(&self, path: &str) -> std::io::Result<()> {
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        let bytes: Vec<u8> = self.pixels.iter().flatten().copied().collect();
        encoder.write_header()?.write_image_data(&bytes)?;
        println!("{path}");
        Ok(())
    }
}
