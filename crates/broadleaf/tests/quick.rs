#[path = "it/support.rs"]
mod support;
mod pinned {
    pub(crate) struct Hash(pub(crate) u64);
    impl Hash {
        pub(crate) fn new() -> Self {
            Self(0xcbf2_9ce4_8422_2325)
        }
        pub(crate) fn add(&mut self, number: u64) {
            for byte in number.to_le_bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        pub(crate) fn add_all(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
            self.add(numbers.len() as u64);
            numbers.for_each(|number| self.add(number));
        }
    }
}
#[path = "it/pinned_long.rs"]
mod pinned_long;
#[path = "it/programs.rs"]
mod programs;
