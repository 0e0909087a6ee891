//! The picture's colours.

use tiny_skia::Color;

/// A colour with transparency.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    red: f32,
    green: f32,
    blue: f32,
    alpha: f32,
}

/// Top and bottom of the background.
pub(super) const BACKGROUND: [Ink; 2] = [Ink::rgb(18, 22, 33), Ink::rgb(33, 40, 56)];
/// Behind the legend.
pub(super) const PANEL: Ink = Ink::rgb(12, 15, 23);
/// A moving object that overlaps nothing.
pub(super) const FREE: Ink = Ink::rgb(104, 168, 232);
/// The fitted bounds of a leaf in which something changed.
pub(super) const CHANGED: Ink = Ink::rgb(255, 255, 255);
/// A static object.
pub(super) const STATIC: Ink = Ink::rgb(112, 121, 138);

/// A node that a question visited.
pub(super) const VISITED: Ink = Ink::rgb(255, 64, 64);
/// An object that a question tested, and one that it hit.
pub(super) const TESTED: Ink = Ink::rgb(240, 150, 70);
/// See [`TESTED`].
pub(super) const HIT: Ink = Ink::rgb(120, 236, 120);
/// What a question was about.
pub(super) const ASKED: Ink = Ink::rgb(255, 236, 120);

/// The front and the back of a model's triangles.
pub(super) const FRONT: Ink = Ink::rgb(214, 206, 190);
/// See [`FRONT`].
pub(super) const BACK: Ink = Ink::rgb(178, 120, 104);

/// Objects that overlap 1, up to 3, up to 7, up to 15, and more others.
pub(super) const OVERLAPPING: [Ink; 5] = [
    Ink::rgb(250, 226, 134),
    Ink::rgb(250, 184, 84),
    Ink::rgb(240, 128, 66),
    Ink::rgb(214, 68, 76),
    Ink::rgb(170, 58, 136),
];

/// Cells by depth below the root; the last serves everything deeper.
const DEPTHS: [Ink; 8] = [
    Ink::rgb(120, 128, 150),
    Ink::rgb(116, 112, 214),
    Ink::rgb(78, 132, 222),
    Ink::rgb(52, 168, 200),
    Ink::rgb(60, 196, 150),
    Ink::rgb(130, 214, 100),
    Ink::rgb(206, 222, 84),
    Ink::rgb(248, 236, 160),
];

/// The colour of cells at a depth.
pub(super) fn depth(depth: u32) -> Ink {
    let index = usize::try_from(depth).unwrap_or(usize::MAX);
    DEPTHS[index.min(DEPTHS.len() - 1)]
}

/// The class of [`OVERLAPPING`] for a number of overlapped objects, at least one.
pub(super) fn overlap_class(partners: u32) -> usize {
    match partners {
        0 | 1 => 0,
        2..=3 => 1,
        4..=7 => 2,
        8..=15 => 3,
        _ => 4,
    }
}

impl Ink {
    const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Self { red: red as f32 / 255.0, green: green as f32 / 255.0, blue: blue as f32 / 255.0, alpha: 1.0 }
    }

    /// The same colour, let through by `1 - alpha`.
    pub(super) fn with_alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// The colour of samples some of which are empty: the mean of the others, let through for each empty one.
    pub(super) fn mean(samples: &[Option<Self>]) -> Self {
        let mut sum = Self { red: 0.0, green: 0.0, blue: 0.0, alpha: 0.0 };
        let (mut weight, mut all) = (0.0_f32, 0.0_f32);
        for sample in samples {
            all += 1.0;
            if let Some(Self { red, green, blue, alpha }) = *sample {
                weight += alpha;
                sum.red += red * alpha;
                sum.green += green * alpha;
                sum.blue += blue * alpha;
            }
        }
        let part = 1.0 / weight.max(f32::MIN_POSITIVE);
        Self { red: sum.red * part, green: sum.green * part, blue: sum.blue * part, alpha: weight / all.max(1.0) }
    }

    /// This colour over another, `part` of it.
    pub(super) fn mixed(self, under: Self, part: f32) -> Self {
        let mix = |over: f32, under: f32| over * part + under * (1.0 - part);
        Self {
            red: mix(self.red, under.red),
            green: mix(self.green, under.green),
            blue: mix(self.blue, under.blue),
            alpha: mix(self.alpha, under.alpha),
        }
    }

    /// The same colour with its opacity multiplied.
    pub(super) fn faded(self, factor: f32) -> Self {
        Self { alpha: self.alpha * factor, ..self }
    }

    /// The colour made darker (below 1) or lighter (above 1).
    pub(super) fn shaded(self, factor: f32) -> Self {
        Self { red: self.red * factor, green: self.green * factor, blue: self.blue * factor, ..self }
    }

    /// The colour as the rasteriser takes it.
    pub(super) fn color(self) -> Color {
        let [red, green, blue, alpha] = [self.red, self.green, self.blue, self.alpha].map(|c| c.clamp(0.0, 1.0));
        Color::from_rgba(red, green, blue, alpha).unwrap_or(Color::BLACK)
    }
}
