//! What the processor's caches hold when a timed block begins.

use std::cell::RefCell;
use std::hint::black_box;
use std::ops::Range;

/// Questions of a cold block: the first ones find the caches cold, and many would warm them.
const COLD_QUESTIONS: usize = 200;

/// Assumed where the system does not report a cache.
const ASSUMED: usize = 32 << 20;

/// What the caches hold when a timed block begins.
#[derive(Clone, Copy)]
pub enum Caches<'a> {
    /// What the same block left: questions have been asked once untimed, and short blocks are repeated.
    Warm,
    /// What the blocks of other subjects left.
    Shared,
    /// Other memory: it is written before every block, and no block is repeated.
    Cold(&'a Flush),
}

impl Caches<'_> {
    /// The name in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Shared => "shared",
            Self::Cold(_) => "cold",
        }
    }

    /// Writes other memory if the block is to be cold.
    pub fn prepare(self) {
        if let Self::Cold(flush) = self {
            flush.write();
        }
    }

    /// Which of so many questions a round asks: all, or in a cold round a few that the round before did not ask.
    #[must_use]
    pub fn questions(self, round: usize, count: usize) -> Range<usize> {
        if self.repeat() || count <= COLD_QUESTIONS {
            return 0..count;
        }
        // The last window overlaps the one before, so that all questions have a turn.
        let start = (round % count.div_ceil(COLD_QUESTIONS) * COLD_QUESTIONS).min(count - COLD_QUESTIONS);
        start..start + COLD_QUESTIONS
    }

    /// Whether blocks may be repeated.
    #[must_use]
    pub fn repeat(self) -> bool {
        !matches!(self, Self::Cold(_))
    }
}

/// Memory twice as large as the last-level cache.
pub struct Flush {
    words: RefCell<Vec<u64>>,
    reported: Option<usize>,
}

impl Default for Flush {
    fn default() -> Self {
        let reported = last_level_cache();
        let bytes = 2 * reported.unwrap_or(ASSUMED);
        Self { words: RefCell::new(vec![1; bytes / size_of::<u64>()]), reported }
    }
}

impl Flush {
    /// Reads and writes every word, by loads and stores that go through the caches.
    pub fn write(&self) {
        for word in self.words.borrow_mut().iter_mut() {
            *word = word.wrapping_mul(5).wrapping_add(1);
        }
        black_box(&self.words);
    }

    /// Bytes that are written each time.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.words.borrow().len() * size_of::<u64>()
    }

    /// A sentence about how much is written, and why.
    #[must_use]
    pub fn note(&self) -> String {
        let written = self.bytes() >> 20;
        match self.reported {
            Some(bytes) => {
                let cache = bytes >> 20;
                format!("before each cold block {written} MiB are written: twice the last-level cache of {cache} MiB")
            }
            None => format!("before each cold block {written} MiB are written; the machine reports no cache"),
        }
    }
}

/// Bytes of the largest cache of the highest level that the system reports.
fn last_level_cache() -> Option<usize> {
    let folder = std::fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let cache = |entry: std::fs::DirEntry| {
        let level: u32 = read(entry.path().join("level"))?.parse().ok()?;
        Some((level, bytes(&read(entry.path().join("size"))?)?))
    };
    folder.filter_map(|entry| cache(entry.ok()?)).max().map(|(_, bytes)| bytes)
}

/// A size like `32768K`.
fn bytes(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: usize = digits.parse().ok()?;
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    Some(number << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_rounds_ask_other_questions() {
        let flush = Flush::default();
        assert_eq!(Caches::Warm.questions(3, 1000), 0..1000);
        let cold = Caches::Cold(&flush);
        assert_eq!([0, 1, 4, 5].map(|round| cold.questions(round, 1000)), [0..200, 200..400, 800..1000, 0..200]);
        assert_eq!(cold.questions(7, 150), 0..150);
        assert_eq!([0, 1, 2].map(|round| cold.questions(round, 300)), [0..200, 100..300, 0..200]);
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("32768K"), Some(32 << 20));
        assert_eq!(bytes("2M"), Some(2 << 20));
        assert_eq!(bytes("64"), Some(64));
        assert_eq!(bytes("many"), None);
        assert_eq!(bytes("3T"), None);
    }
}
