//! Where the choices of a program come from: a seed or a fuzzer's bytes.

use crate::random::Random;

/// A stream of choices. A stream that is used up goes on with zeros.
pub(super) trait Source {
    /// 32 bits.
    fn bits(&mut self) -> u32;

    /// A whole number below `limit`, which is 1 to 256.
    fn below(&mut self, limit: u32) -> u32;

    /// A multiple of 2^-16 from 0 up to, not including, 1.
    fn unit(&mut self) -> f32;
}

impl Source for Random {
    fn bits(&mut self) -> u32 {
        Random::bits(self)
    }

    fn below(&mut self, limit: u32) -> u32 {
        Random::below(self, limit)
    }

    fn unit(&mut self) -> f32 {
        Random::unit(self)
    }
}

#[cfg(feature = "arbitrary")]
impl Source for arbitrary::Unstructured<'_> {
    fn bits(&mut self) -> u32 {
        self.arbitrary().unwrap_or(0)
    }

    fn below(&mut self, limit: u32) -> u32 {
        u32::from(self.arbitrary::<u8>().unwrap_or(0)) % limit
    }

    fn unit(&mut self) -> f32 {
        f32::from(self.arbitrary::<u16>().unwrap_or(0)) / 65_536.0
    }
}
