//! Generational keys given to callers.

use crate::data::ObjectWord;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::{NonZeroU32, NonZeroU64};

/// Names one object of one tree for as long as it lives; 8 bytes, also as `Option<Handle>`.
///
/// A handle is a slot and a generation. Removing an object retires its
/// handle: from then on every call answers `None` or
/// [`Error::StaleHandle`](crate::Error::StaleHandle), never with another
/// object. A slot serves at most 2^31 objects and is not reused after that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "(u32, u32)", into = "(u32, u32)")
)]
// One number, so that handles are compared and copied whole. Packed, so that `(Handle, f32)` takes 12 bytes, not 16.
#[repr(Rust, packed(4))]
pub struct Handle(NonZeroU64);

impl Handle {
    #[inline]
    pub(crate) fn new(slot: u32, generation: NonZeroU32) -> Self {
        Self(NonZeroU64::from(generation) | u64::from(slot) << 32)
    }

    /// Slot and generation in one number, in the order of handles.
    #[inline]
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// The handle of such a number; `None` for numbers that
    /// [`to_bits`](Handle::to_bits) gives of no handle. Whether the object
    /// lives, and in which tree, is for the tree to say.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "in halves")]
    pub fn from_bits(bits: u64) -> Option<Self> {
        Self::checked((bits >> 32) as u32, bits as u32).filter(|handle| handle.slot() < ObjectWord::ROW_LIMIT)
    }

    /// The handle of a slot and a generation, unless that is even: no object has such a generation.
    #[inline]
    fn checked(slot: u32, generation: u32) -> Option<Self> {
        let odd = NonZeroU32::new(generation).filter(|generation| generation.get() % 2 == 1);
        odd.map(|generation| Self::new(slot, generation))
    }

    /// Index of the object's slot: dense, and reused after removal. Fit for
    /// indexing arrays of one's own, together with [`Handle::generation`].
    #[inline]
    #[must_use]
    pub fn slot(self) -> u32 {
        (self.to_bits() >> 32) as u32
    }

    /// Tells apart the objects that use one slot in turn; odd.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    pub fn generation(self) -> u32 {
        self.to_bits() as u32
    }
}

/// The slot is in the lower half of what is hashed: a hasher that only multiplies, such as `fxhash` (`rustc-hash` before
/// version 2), makes its lower bits, which choose the place in a table, from the lower bits of its input.
impl Hash for Handle {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.to_bits().rotate_left(32));
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("slot", &self.slot()).field("generation", &self.generation()).finish()
    }
}

#[cfg(feature = "serde")]
impl From<Handle> for (u32, u32) {
    fn from(handle: Handle) -> Self {
        (handle.slot(), handle.generation())
    }
}

#[cfg(feature = "serde")]
impl TryFrom<(u32, u32)> for Handle {
    type Error = &'static str;

    fn try_from((slot, generation): (u32, u32)) -> Result<Self, Self::Error> {
        Self::checked(slot, generation).ok_or("the generation of a handle is odd")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use core::hash::BuildHasher;

    /// Multiplies, as `fxhash` does.
    #[derive(Default)]
    struct OneMultiplication(u64);

    impl Hasher for OneMultiplication {
        fn write(&mut self, _: &[u8]) {
            unreachable!("handles are written as numbers of 64 bits");
        }

        fn write_u64(&mut self, number: u64) {
            self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
        }

        fn finish(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn regression_hashes_of_handles_differ_in_their_lower_bits() {
        let build = core::hash::BuildHasherDefault::<OneMultiplication>::default();
        let hashes = (0..1000).map(|slot| build.hash_one(Handle::new(slot, NonZeroU32::MIN)) % 1024);
        assert!(hashes.collect::<BTreeSet<_>>().len() > 500);
    }
}
