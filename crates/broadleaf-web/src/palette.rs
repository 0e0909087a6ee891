//! Colours: those of the program's pictures.

/// A moving object that overlaps nothing.
const FREE: [u8; 3] = [104, 168, 232];
/// A static object.
const STATIC: [u8; 3] = [112, 121, 138];
/// Objects that overlap 1, up to 3, up to 7, up to 15, and more others.
const OVERLAPPING: [[u8; 3]; 5] = [[250, 226, 134], [250, 184, 84], [240, 128, 66], [214, 68, 76], [170, 58, 136]];
/// Objects that the question under the pointer tested, and hit.
const TESTED: [u8; 3] = [247, 220, 74];
const HIT: [u8; 3] = [61, 240, 122];
/// Cells by depth below the root; the last serves everything deeper.
const DEPTHS: [[u8; 3]; 8] = [
    [120, 128, 150],
    [116, 112, 214],
    [78, 132, 222],
    [52, 168, 200],
    [60, 196, 150],
    [130, 214, 100],
    [206, 222, 84],
    [248, 236, 160],
];

/// A linear colour, as graphics cards reckon.
pub(crate) type Color = [f32; 3];

/// All colours, linear.
#[derive(Debug)]
pub(crate) struct Palette {
    pub(crate) fixed: Color,
    /// By class of partners: none, and those of `OVERLAPPING`.
    pub(crate) partners: [Color; 6],
    depths: [Color; 8],
    pub(crate) tested: Color,
    pub(crate) hit: Color,
}

impl Default for Palette {
    fn default() -> Self {
        let [a, b, c, d, e] = OVERLAPPING;
        let (partners, depths) = ([FREE, a, b, c, d, e].map(linear), DEPTHS.map(linear));
        Self { fixed: linear(STATIC), partners, depths, tested: linear(TESTED), hit: linear(HIT) }
    }
}

impl Palette {
    /// The legend: what each colour of an object means, as red, green and blue from 0 to 255.
    pub(crate) fn legend() -> Vec<(&'static str, [u8; 3])> {
        let [a, b, c, d, e] = OVERLAPPING;
        vec![("0", FREE), ("1", a), ("2–3", b), ("4–7", c), ("8–15", d), ("16+", e), ("static", STATIC)]
    }

    /// The colour of cells at a depth.
    pub(crate) fn depth(&self, depth: u32) -> Color {
        let index = usize::try_from(depth).unwrap_or(usize::MAX);
        self.depths[index.min(self.depths.len() - 1)]
    }

    /// The colour of an object that overlaps so many others.
    pub(crate) fn of_partners(&self, partners: u32) -> Color {
        self.partners[match partners {
            0 => 0,
            1 => 1,
            2..=3 => 2,
            4..=7 => 3,
            8..=15 => 4,
            _ => 5,
        }]
    }
}

/// A colour with its light multiplied.
pub(crate) fn shaded(color: Color, factor: f32) -> Color {
    color.map(|part| part * factor)
}

/// *Source:* IEC 61966-2-1, the sRGB transfer function.
fn linear(color: [u8; 3]) -> Color {
    color.map(|part| {
        let part = f32::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}
