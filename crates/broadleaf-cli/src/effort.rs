//! How many rays a number of tests allows: a sample of them tells what one costs.
//!
//! Most models cost a ray some dozen tests. Where triangles coincide, or share a
//! corner by the ten thousand, a ray tests them all, and the usual number of rays
//! would take minutes. Tests are counted, not timed, so that the same is done on
//! every machine.

/// Rays of a sample.
const SAMPLE: usize = 64;

/// So many of the items, evenly taken from all of them.
pub(crate) fn spread<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    let step = items.len().div_ceil(count.max(1)).max(1);
    items.iter().skip(step / 2).step_by(step)
}

/// How many tests an item costs, by a sample that ends when it has cost `tests_max` itself.
pub(crate) fn cost<T>(items: &[T], tests_max: u64, tests_of: impl Fn(&T) -> u64) -> Cost {
    let mut cost = Cost { items: 0, tests: 0 };
    for item in spread(items, SAMPLE) {
        cost.items += 1;
        cost.tests = cost.tests.saturating_add(tests_of(item));
        if cost.tests >= tests_max {
            break;
        }
    }
    cost
}

/// What a sample cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    items: u64,
    tests: u64,
}

impl Cost {
    /// Tests that so many items make.
    pub(crate) fn of(self, items: u64) -> u64 {
        let tests = u128::from(self.tests) * u128::from(items) / u128::from(self.items.max(1));
        u64::try_from(tests).unwrap_or(u64::MAX)
    }

    /// How many of `len` items make at most so many tests: all, some, or one.
    pub(crate) fn affordable(self, len: usize, tests_max: u64) -> usize {
        let items = u128::from(tests_max) * u128::from(self.items) / u128::from(self.tests.max(1));
        usize::try_from(items).unwrap_or(usize::MAX).clamp(1, len.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_tells_how_many_are_affordable() {
        let items: Vec<u64> = (0..10_000).map(|index| index % 3).collect();
        let cheap = cost(&items, 1_000_000, |item| *item);
        assert_eq!(cheap.affordable(items.len(), 1_000_000), items.len());
        let dear = cost(&items, 1_000_000, |_| 5_000);
        assert_eq!((dear.affordable(items.len(), 1_000_000), dear.of(10)), (200, 50_000));
        // One item is dearer than all may be: the sample ends there, and one is left.
        let dearest = cost(&items, 1_000, |_| 1 << 40);
        assert_eq!((dearest, dearest.affordable(items.len(), 1_000)), (Cost { items: 1, tests: 1 << 40 }, 1));
        assert_eq!(cost(&[], 9, |_: &u64| 1).affordable(0, 9), 1);
    }

    #[test]
    fn a_spread_is_even_and_no_larger_than_asked() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(spread(&items, 100).count(), 100);
        assert_eq!(spread(&items, 4).copied().collect::<Vec<_>>(), [12, 37, 62, 87]);
        assert!((1..200).all(|count| spread(&items, count).count() <= count));
    }
}
