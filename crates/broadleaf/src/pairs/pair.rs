//! Two objects that overlap.

use crate::Handle;

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
