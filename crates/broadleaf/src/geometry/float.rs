//! Float functions that `core` lacks.

/// The square root, correctly rounded on every target.
#[inline]
pub(crate) fn sqrt(value: f32) -> f32 {
    #[cfg(feature = "std")]
    return value.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrtf(value);
}

/// The square root, correctly rounded on every target.
#[inline]
pub(crate) fn sqrt_f64(value: f64) -> f64 {
    #[cfg(feature = "std")]
    return value.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrt(value);
}

/// `value - offset`, rounded towards minus infinity: for the box around an
/// oriented one, and the twin of what `lanes::sphere_aabb` does.
///
/// *Source:* D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the error of a sum).
#[inline]
pub(crate) fn sub_down(value: f32, offset: f32) -> f32 {
    let difference = value - offset;
    let virtual_offset = value - difference;
    let error = (value - (difference + virtual_offset)) + (virtual_offset - offset);
    if error < 0.0 { difference.next_down() } else { difference }
}

/// `value + offset`, rounded towards plus infinity.
#[inline]
pub(crate) fn add_up(value: f32, offset: f32) -> f32 {
    -sub_down(-value, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directed_rounding_encloses_the_exact_result() {
        for (value, offset) in [(1.0, 0.1), (1e6, 1e-3), (0.3, 0.1), (-5.0, 0.7), (0.0, 1e-20), (1.0, 1.0)] {
            let exact = f64::from(value) - f64::from(offset);
            assert!(f64::from(sub_down(value, offset)) <= exact);
            assert!(f64::from(sub_down(value, offset).next_up()) > exact);
            let exact = f64::from(value) + f64::from(offset);
            assert!(f64::from(add_up(value, offset)) >= exact);
            assert!(f64::from(add_up(value, offset).next_down()) < exact);
        }
    }
}
