//! Hashes: the only place that names `xxhash-rust`.
//!
//! *Source:* Y. Collet, the XXH3 algorithm of 64 bits, xxHash specification, 2023.

use xxhash_rust::xxh3::Xxh3;

/// Words gathered before they are hashed.
const BATCH: usize = 256;

/// XXH3 of a sequence of 32-bit words, each as four bytes, lowest first: the
/// same on every machine.
pub(crate) struct WordHash {
    hash: Xxh3,
    bytes: [u8; 4 * BATCH],
    len: usize,
}

impl WordHash {
    pub(crate) fn new() -> Self {
        Self { hash: Xxh3::new(), bytes: [0; 4 * BATCH], len: 0 }
    }

    #[inline]
    pub(crate) fn add(&mut self, word: u32) {
        if self.len == BATCH {
            self.empty();
        }
        self.bytes[4 * self.len..4 * self.len + 4].copy_from_slice(&word.to_le_bytes());
        self.len += 1;
    }

    #[inline]
    pub(crate) fn add_all<const N: usize>(&mut self, words: [u32; N]) {
        const { assert!(N <= BATCH) };
        if self.len + N > BATCH {
            self.empty();
        }
        let at = 4 * self.len;
        for (place, word) in self.bytes[at..at + 4 * N].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        self.len += N;
    }

    /// Adds a number of 64 bits, the lower half first.
    #[expect(clippy::cast_possible_truncation, reason = "in halves")]
    pub(crate) fn add_wide(&mut self, number: u64) {
        self.add_all([number as u32, (number >> 32) as u32]);
    }

    fn empty(&mut self) {
        self.hash.update(&self.bytes[..4 * self.len]);
        self.len = 0;
    }

    pub(crate) fn finish(mut self) -> u64 {
        self.empty();
        self.hash.digest()
    }
}

/// XXH3 of bytes.
#[cfg(feature = "snapshot")]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}
