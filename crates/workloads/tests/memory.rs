//! Small compressed traces that stand for large ones take no more memory than
//! the limits say. Allocated bytes are counted, so this is a program of one test.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::io::Write as _;
use workloads::Trace;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What a refused trace may allocate: a frame's lists, and the reader's buffers.
const BYTES_MAX: usize = 1 << 20;

/// A file of so many frames around a payload.
fn file(frames: u32, payload: &[u8]) -> Vec<u8> {
    let mut file = b"BLTRACE\0".to_vec();
    file.extend([1, 0, 127, 0]);
    file.extend(frames.to_le_bytes());
    let mut packed = ZlibEncoder::new(&mut file, Compression::best());
    packed.write_all(payload).expect("a list takes all");
    packed.finish().expect("a list takes all");
    file
}

#[test]
fn regression_small_files_do_not_fill_the_memory() {
    let empty_frames = file(20_000_000, &vec![0; 60_000_000]);
    // Of the first frame: nothing removed, 2^40 spawned, each id one more than the last.
    let mut spawning = vec![0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20];
    spawning.resize(4_000_000, 2);
    let spawning = file(1, &spawning);
    for (file, expected) in [
        (empty_frames, "byte 12: 20000000 frames, the limit is 1048576"),
        (spawning, "byte 1 of the unpacked data: 1099511627776 objects alive, the limit is 1048576"),
    ] {
        assert!(file.len() < 100_000, "a small file, but it has {} bytes", file.len());
        let region = Region::new(ALLOCATOR);
        let outcome = Trace::read(file.as_slice());
        let stats = region.change();
        // Lists that grow are counted by what is added.
        let bytes = stats.bytes_allocated.saturating_add_signed(stats.bytes_reallocated);
        assert_eq!(outcome.map(|trace| trace.frames.len()).map_err(|error| error.to_string()), Err(expected.into()));
        assert!(bytes < BYTES_MAX, "{bytes} bytes for a file of {}", file.len());
    }
}
