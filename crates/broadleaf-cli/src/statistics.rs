//! Median, 99th percentile and worst of a row of numbers.

use serde::Serialize;
use std::time::Duration;

/// Three ranks of a row of numbers, each one of the numbers themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Ranks<T> {
    pub(crate) median: T,
    pub(crate) p99: T,
    pub(crate) worst: T,
}

impl<T: Copy + Ord + Default> Ranks<T> {
    /// The ranks of the numbers, zeros if there are none.
    pub(crate) fn of(numbers: impl Iterator<Item = T>) -> Self {
        let mut sorted: Vec<T> = numbers.collect();
        sorted.sort_unstable();
        let rank = |percent: usize| {
            // Nearest rank: the least number that so many percent do not exceed.
            let rank = (sorted.len() * percent).div_ceil(100).max(1);
            sorted.get(rank - 1).copied().unwrap_or_default()
        };
        Self { median: rank(50), p99: rank(99), worst: rank(100) }
    }
}

impl Ranks<Duration> {
    /// The same times in milliseconds.
    pub(crate) fn milliseconds(self) -> Ranks<f64> {
        // Rounded to the nanoseconds that were measured.
        let convert = |time: Duration| (time.as_secs_f64() * 1e9).round() / 1e6;
        Ranks { median: convert(self.median), p99: convert(self.p99), worst: convert(self.worst) }
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn ranks_are_members() {
        assert_eq!(Ranks::of(1..=200), Ranks { median: 100, p99: 198, worst: 200 });
        assert_eq!(Ranks::of([7].into_iter()), Ranks { median: 7, p99: 7, worst: 7 });
        assert_eq!(Ranks::<usize>::of([].into_iter()), Ranks { median: 0, p99: 0, worst: 0 });
    }
}
