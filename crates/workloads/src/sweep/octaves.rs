//! Numbers over many octaves without a logarithm, which differs between
//! platforms: straight lines between the powers of two.

/// The octaves from 1 up to a number of at least 1.
fn octaves(number: f32) -> f32 {
    let (mut rest, mut octaves) = (number, 0.0);
    while rest >= 2.0 {
        rest *= 0.5;
        octaves += 1.0;
    }
    octaves + (rest - 1.0)
}

/// The number that lies so many octaves above 1.
fn power(octaves: f32) -> f32 {
    let whole = octaves.floor();
    let mut power = 1.0 + (octaves - whole);
    let mut left = whole;
    while left >= 1.0 {
        power *= 2.0;
        left -= 1.0;
    }
    power
}

/// The number at a share of the way from `low` to `high` when each octave is as long as another.
pub(super) fn between(low: f32, high: f32, share: f32) -> f32 {
    low * power(share * octaves(high / low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_met_and_octaves_are_equal() {
        for (low, high) in [(1.0, 1.0), (1.0, 1e4), (0.01, 30.0), (3.0, 5.0)] {
            assert!((between(low, high, 0.0) - low).abs() <= 1e-5 * low);
            assert!((between(low, high, 1.0) - high).abs() <= 1e-5 * high);
        }
        assert_eq!(between(1.0, 16.0, 0.25), 2.0);
        assert_eq!(between(1.0, 16.0, 0.5), 4.0);
    }
}
