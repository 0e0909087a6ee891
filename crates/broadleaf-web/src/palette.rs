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
/// The same on a light background.
const DEPTHS_ON_LIGHT: [[u8; 3]; 8] = [
    [96, 104, 126],
    [86, 80, 190],
    [36, 92, 190],
    [10, 112, 148],
    [10, 118, 78],
    [66, 122, 20],
    [134, 106, 0],
    [158, 70, 10],
];
/// Buckets, empty and full, on a dark background and on a light one.
const BUCKETS: [[[u8; 3]; 2]; 2] = [[[88, 88, 88], [255, 255, 255]], [[150, 156, 168], [16, 20, 30]]];

/// A linear colour, as graphics cards reckon.
pub(crate) type Color = [f32; 3];

/// All colours, linear.
#[derive(Debug)]
pub(crate) struct Palette {
    pub(crate) fixed: Color,
    /// By class of partners: none, and those of `OVERLAPPING`.
    pub(crate) partners: [Color; 6],
    /// On a dark background, and on a light one.
    depths: [[Color; 8]; 2],
    buckets: [[Color; 2]; 2],
    pub(crate) tested: Color,
    pub(crate) hit: Color,
}

impl Default for Palette {
    fn default() -> Self {
        let [a, b, c, d, e] = OVERLAPPING;
        let (partners, depths) =
            ([FREE, a, b, c, d, e].map(linear), [DEPTHS, DEPTHS_ON_LIGHT].map(|all| all.map(linear)));
        let buckets = BUCKETS.map(|ends| ends.map(linear));
        Self { fixed: linear(STATIC), partners, depths, buckets, tested: linear(TESTED), hit: linear(HIT) }
    }
}

impl Palette {
    /// The legend: what each colour of an object means, as red, green and blue from 0 to 255.
    pub(crate) fn legend() -> Vec<(&'static str, [u8; 3])> {
        let [a, b, c, d, e] = OVERLAPPING;
        vec![("0", FREE), ("1", a), ("2–3", b), ("4–7", c), ("8–15", d), ("16+", e), ("static", STATIC)]
    }

    /// The colour of cells at a depth.
    pub(crate) fn depth(&self, depth: u32, on_light: bool) -> Color {
        let (index, depths) = (usize::try_from(depth).unwrap_or(usize::MAX), &self.depths[usize::from(on_light)]);
        depths[index.min(depths.len() - 1)]
    }

    /// The colour of a bucket that is full to this part: the fuller, the farther from the background.
    pub(crate) fn bucket(&self, fullness: f32, on_light: bool) -> Color {
        let [empty, full] = self.buckets[usize::from(on_light)];
        mixed(empty, full, fullness)
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

/// A colour between two others.
pub(crate) fn mixed(from: Color, to: Color, share: f32) -> Color {
    std::array::from_fn(|part| from[part] + (to[part] - from[part]) * share)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// *Source:* WCAG 2.2, contrast ratio, of a colour and a background of the page.
    fn contrast(color: Color, background: [u8; 3]) -> f32 {
        let light = |color: Color| 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2] + 0.05;
        let (a, b) = (light(color), light(linear(background)));
        a.max(b) / a.min(b)
    }

    #[test]
    fn cells_and_buckets_stand_out_from_either_background() {
        let palette = Palette::default();
        for (on_light, background) in [(false, [0x12, 0x16, 0x1f]), (true, [0xe9, 0xed, 0xf4])] {
            for depth in 0..12 {
                assert!(contrast(palette.depth(depth, on_light), background) > 3.0, "depth {depth}, light {on_light}");
            }
            let [empty, full] = [0.0, 1.0].map(|fullness| contrast(palette.bucket(fullness, on_light), background));
            assert!(empty > 2.0 && full > 12.0, "light {on_light}: {empty} {full}");
        }
    }
}
