//! Traces that ask for more than a reader takes, and traces of other versions.

use super::damage::wrapped;
use super::*;
use limits::{FRAMES_MAX, OBJECTS_MAX};

fn refused(file: &[u8]) -> String {
    Trace::read(file).unwrap_err().to_string()
}

/// A varint.
fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    bytes
}

#[test]
fn regression_counts_beyond_the_limits_are_refused_where_they_stand() {
    let limit = u32::try_from(FRAMES_MAX).unwrap();
    assert_eq!(refused(&wrapped(limit + 1, &[])), "byte 12: 1048577 frames, the limit is 1048576");
    assert_eq!(refused(&wrapped(u32::MAX, &[0; 99])), "byte 12: 4294967295 frames, the limit is 1048576");
    let huge = number(1 << 40);
    for (before, what) in
        [(&[][..], "objects removed in a frame"), (&[0], "objects alive"), (&[0, 0], "objects moved in a frame")]
    {
        let payload = [before, &huge, &[2; 99]].concat();
        let expected =
            format!("byte {} of the unpacked data: 1099511627776 {what}, the limit is 1048576", before.len());
        assert_eq!(refused(&wrapped(1, &payload)), expected);
    }
    // What lives already counts too: an object, then as many as the limit.
    let first = [&[0, 1, 2, 0][..], &[0; 6], &[0]].concat();
    let payload = [&first[..], &[0], &number(OBJECTS_MAX)].concat();
    let expected = "byte 12 of the unpacked data: 1048577 objects alive, the limit is 1048576";
    assert_eq!(refused(&wrapped(2, &payload)), expected);
}

#[test]
fn regression_changes_of_all_frames_have_a_limit() {
    let trace = recorded("uniform", 50, 6, None);
    let changes: u64 = trace.frames.iter().map(|frame| frame.len() as u64).sum();
    let file = packed(&trace);
    assert_eq!(Trace::read_within(file.as_slice(), changes).unwrap(), trace);
    let error = Trace::read_within(file.as_slice(), changes - 1).unwrap_err();
    assert!(error.to_string().ends_with(&format!("{changes} changes, the limit is {}", changes - 1)), "{error}");
    assert!(matches!(error, TraceError::Limit { place: Place::UnpackedByte(_), .. }), "{error}");
}

#[test]
fn a_trace_of_as_many_frames_as_the_limit_is_read_and_one_more_is_not_written() {
    let limit = usize::try_from(FRAMES_MAX).unwrap();
    let payload = vec![0; 3 * limit];
    assert_eq!(Trace::read(wrapped(u32::try_from(limit).unwrap(), &payload).as_slice()).unwrap().frames.len(), limit);
    let trace = Trace { frames: vec![Frame::default(); limit + 1] };
    let error = trace.write(Vec::new()).unwrap_err().to_string();
    assert_eq!(error, "frame 0: 1048577 frames, the limit is 1048576");
}

#[test]
fn regression_csv_has_the_same_limit_of_frames() {
    use std::fmt::Write as _;
    let mut text = String::new();
    for frame in 0..=FRAMES_MAX {
        writeln!(text, "{frame},1,0,0,0,1,1,1").unwrap();
    }
    let error = Trace::read_csv(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "line 1048577: 1048577 frames, the limit is 1048576");
}

#[test]
fn regression_another_version_is_refused_with_both_versions_named() {
    let trace = recorded("uniform", 5, 2, None);
    let file = packed(&trace);
    for version in [0_u16, 2, 256, u16::MAX] {
        let mut other = file.clone();
        other[8..10].copy_from_slice(&version.to_le_bytes());
        // Nothing after the version is looked at: it may mean anything.
        other[10..].fill(0xff);
        let error = Trace::read(other.as_slice()).unwrap_err();
        assert!(matches!(error, TraceError::Version { found, expected: VERSION } if found == version), "{error}");
        let expected = format!("byte 8: a trace of format version {version}, this reader takes version 1");
        assert_eq!(error.to_string(), expected);
    }
}
