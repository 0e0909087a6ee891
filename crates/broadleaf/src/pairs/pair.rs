//! A pair: the handles of two objects that overlap.

use crate::Handle;
use core::hint::select_unpredictable;

/// An unordered pair: however it was found, the lower handle comes first, so
/// that records of one pair compare equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "(Handle, Handle)", into = "(Handle, Handle)")
)]
pub struct Pair {
    a: Handle,
    b: Handle,
}

impl Pair {
    /// The pair of two objects, given in either order.
    #[inline]
    #[must_use]
    pub fn new(a: Handle, b: Handle) -> Self {
        if a.to_bits() <= b.to_bits() { Self { a, b } } else { Self { a: b, b: a } }
    }

    /// The pair of two objects that are both in the tree: their slots differ, so the handles are never equal.
    #[inline(always)]
    pub(crate) fn of_living(a: Handle, b: Handle) -> Self {
        // Which is lower follows no order.
        let is_ordered = a.to_bits() < b.to_bits();
        Self { a: select_unpredictable(is_ordered, a, b), b: select_unpredictable(is_ordered, b, a) }
    }

    /// The object with the lower handle.
    #[inline]
    #[must_use]
    pub fn a(self) -> Handle {
        self.a
    }

    /// The object with the higher handle.
    #[inline]
    #[must_use]
    pub fn b(self) -> Handle {
        self.b
    }

    /// What the pair adds to the name of a set of pairs: sets are named by the
    /// sum, so that neither order nor history matters.
    #[inline]
    pub(crate) fn name(self) -> u64 {
        const MIX: [u64; 4] =
            [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];
        let sides = self.a.to_bits().wrapping_mul(MIX[0]) ^ self.b.to_bits().wrapping_mul(MIX[1]).rotate_left(32);
        let mixed = (sides ^ sides >> 30).wrapping_mul(MIX[2]);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(MIX[3]);
        mixed ^ mixed >> 31
    }

    /// The name of a set of pairs. Of none, it is zero.
    pub(crate) fn name_of_all(pairs: &[Self]) -> u64 {
        pairs.iter().fold(0, |name, pair| name.wrapping_add(pair.name()))
    }
}

#[cfg(feature = "serde")]
impl From<Pair> for (Handle, Handle) {
    fn from(pair: Pair) -> Self {
        (pair.a, pair.b)
    }
}

#[cfg(feature = "serde")]
impl From<(Handle, Handle)> for Pair {
    fn from((a, b): (Handle, Handle)) -> Self {
        Self::new(a, b)
    }
}
