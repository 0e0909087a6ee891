//! Whether the answers of all subjects agree.

use crate::subjects::Tally;

/// The number of answers, if all subjects gave the same.
///
/// # Panics
/// If one differs.
pub(crate) fn agreed(scene: &str, operation: &str, names: &[&str], tallies: &[Tally]) -> u64 {
    for (name, tally) in names.iter().zip(tallies) {
        assert_eq!(*tally, tallies[0], "{scene}: {operation} by {name} differs from {}", names[0]);
    }
    tallies.first().map_or(0, |tally| tally.count)
}

/// Whether two distances are the same up to rounding. Infinite, no hit, is the same as itself alone.
pub(crate) fn are_same_distance(a: f32, b: f32) -> bool {
    a == b || a.is_finite() && b.is_finite() && (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_missed_hit_is_no_equal_distance() {
        assert!(are_same_distance(3.0, 3.0001) && are_same_distance(f32::INFINITY, f32::INFINITY));
        assert!(!are_same_distance(3.0, f32::INFINITY) && !are_same_distance(f32::INFINITY, 3.0));
        assert!(!are_same_distance(3.0, 3.1));
    }
}
