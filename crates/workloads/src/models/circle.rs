//! Points on a circle, the same on every platform: made without the
//! platform's trigonometry.

use broadleaf::glam::Vec2;
use std::f64::consts::PI;

/// The point of the unit circle that lies `part` of `whole` turns on; `part` is below `whole`.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
pub(super) fn turn(part: u32, whole: u32) -> Vec2 {
    const HALVINGS: u32 = 6;
    // At most a sixty-fourth of a half turn, where five terms of each series suffice.
    let angle = (f64::from(part) / f64::from(whole) * 2.0 - 1.0) * PI / f64::from(1 << HALVINGS);
    let sq = angle * angle;
    let mut sine = angle * (1.0 - sq / 6.0 * (1.0 - sq / 20.0 * (1.0 - sq / 42.0 * (1.0 - sq / 72.0))));
    let mut cosine = 1.0 - sq / 2.0 * (1.0 - sq / 12.0 * (1.0 - sq / 30.0 * (1.0 - sq / 56.0)));
    for _ in 0..HALVINGS {
        (cosine, sine) = (cosine * cosine - sine * sine, 2.0 * sine * cosine);
    }
    // The angle was taken from minus a half turn on.
    Vec2::new(-cosine as f32, -sine as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadleaf::glam::DVec2;

    #[test]
    fn turns_are_as_long_as_they_say() {
        for (part, whole) in [(0, 3), (1, 4), (2, 4), (5, 7), (999, 1000)] {
            let angle = f64::from(part) / f64::from(whole) * 2.0 * PI;
            let expected = DVec2::new(angle.cos(), angle.sin());
            assert!(turn(part, whole).as_dvec2().distance(expected) < 2e-7, "{part} of {whole}");
        }
    }
}
