//! Coordinates as whole numbers, without loss: on a grid, or by the float's bits.

/// How a trace turns coordinates into keys and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Multiples of two to this power.
    Grid(i8),
    /// Any float.
    Bits,
}

const BITS: i8 = 127;
const GRID_MAX: i8 = 64;
/// Keys on a grid stay below this, so that predictions cannot overflow.
const KEY_LIMIT: i64 = 1 << 48;

impl Coding {
    /// The coarsest grid that has all the coordinates; else their bits.
    pub(super) fn of(coordinates: impl Iterator<Item = f32>) -> Self {
        let (mut least, mut most) = (i32::from(GRID_MAX), 0.0_f32);
        for value in coordinates {
            if !value.is_finite() || (value == 0.0 && value.is_sign_negative()) {
                return Self::Bits;
            }
            if value != 0.0 {
                least = least.min(lowest_bit(value));
                most = most.max(value.abs());
            }
        }
        let fits = f64::from(most) < 2_f64.powi(least) * 2_f64.powi(40);
        match i8::try_from(least) {
            Ok(grid) if fits && grid >= -GRID_MAX => Self::Grid(grid),
            _ => Self::Bits,
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        match byte.cast_signed() {
            BITS => Some(Self::Bits),
            grid if (-GRID_MAX..=GRID_MAX).contains(&grid) => Some(Self::Grid(grid)),
            _ => None,
        }
    }

    pub(super) fn to_byte(self) -> u8 {
        match self {
            Self::Grid(grid) => grid.cast_unsigned(),
            Self::Bits => BITS.cast_unsigned(),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the grid has the value, below 2^40")]
    pub(super) fn key(self, value: f32) -> i64 {
        match self {
            Self::Grid(grid) => (f64::from(value) / 2_f64.powi(grid.into())) as i64,
            Self::Bits => i64::from(mirrored(value.to_bits().cast_signed())),
        }
    }

    /// `None` if no key of this coding is that large.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "exact for what a writer writes; other keys are rounded"
    )]
    pub(super) fn value(self, key: i64) -> Option<f32> {
        match self {
            Self::Grid(grid) => {
                let value = || (key as f64 * 2_f64.powi(grid.into())) as f32;
                (key.abs() < KEY_LIMIT).then(value)
            }
            Self::Bits => {
                let bits = i32::try_from(key).ok()?;
                Some(f32::from_bits(mirrored(bits).cast_unsigned()))
            }
        }
    }
}

/// Swaps float bits and keys: orders negative numbers by inverting all but their sign.
fn mirrored(bits: i32) -> i32 {
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// The power of two that is the lowest set bit of a float.
fn lowest_bit(value: f32) -> i32 {
    let bits = value.to_bits();
    let fraction = bits & 0x007f_ffff;
    let exponent = ((bits >> 23) & 0xff).cast_signed();
    let (fraction, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | 0x0080_0000, exponent) };
    exponent - 150 + fraction.trailing_zeros().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lose_nothing() {
        let tame = [0.0, 1.0, -2.5, 1024.125, 0.007_812_5];
        assert_eq!(Coding::of(tame.into_iter()), Coding::Grid(-7));
        let wild = [1e-40, f32::MAX, f32::NEG_INFINITY, -0.0, 0.1, -3.0];
        assert_eq!(Coding::of(wild.into_iter()), Coding::Bits);
        for (values, coding) in [(&tame[..], Coding::Grid(-7)), (&wild[..], Coding::Bits)] {
            assert_eq!(Coding::from_byte(coding.to_byte()), Some(coding));
            for value in values {
                let back = coding.value(coding.key(*value)).unwrap();
                assert_eq!(back.to_bits(), value.to_bits());
            }
        }
        assert!(Coding::Bits.key(-1.0) < Coding::Bits.key(-0.5));
    }
}
