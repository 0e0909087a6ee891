//! Eight 32-bit words, such as the memberships of a block.

use super::LaneMask;
use wide::u32x8;

/// The lanes whose word has a bit in common with `bits`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
pub(crate) fn any_bit(words: &[u32; 8], bits: u32) -> LaneMask {
    let common = u32x8::new(*words) & u32x8::splat(bits);
    !(common.simd_eq(u32x8::splat(0)).to_bitmask() as LaneMask)
}
