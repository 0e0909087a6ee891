//! Eight 32-bit words, such as the memberships of a block.

use super::LaneMask;
use wide::u32x8;

/// The lanes whose word is not `word`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn unequal(words: &[u32; 8], word: u32) -> LaneMask {
    !(u32x8::new(*words).simd_eq(u32x8::splat(word)).to_bitmask() as LaneMask)
}

/// The lanes whose word is at most `limit`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn at_most(words: &[u32; 8], limit: u32) -> LaneMask {
    let words = u32x8::new(*words);
    words.simd_eq(words.min(u32x8::splat(limit))).to_bitmask() as LaneMask
}

/// The lanes whose word has a bit in common with `bits`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn any_bit(words: &[u32; 8], bits: u32) -> LaneMask {
    let common = u32x8::new(*words) & u32x8::splat(bits);
    !(common.simd_eq(u32x8::splat(0)).to_bitmask() as LaneMask)
}
