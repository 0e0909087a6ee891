use super::*;
use crate::random::Random;

#[test]
fn truncation_anywhere_is_an_error_with_its_place() {
    let file = packed(&recorded("churn", 40, 6, None));
    for length in 0..file.len() {
        match Trace::read(&file[..length]) {
            Err(TraceError::Malformed { place: Place::Byte(at), .. }) => {
                assert!(at <= length as u64, "{at} of {length}");
            }
            other => panic!("cut to {length} bytes: {other:?}"),
        }
    }
}

#[test]
fn flipped_bits_never_panic_and_rarely_pass() {
    let trace = recorded("bullets", 40, 6, Some(1.0 / 64.0));
    let file = packed(&trace);
    for bit in 0..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        // The grid is a setting like any other, and the bits that fill up the
        // last byte before the checksum mean nothing.
        if let Ok(read) = Trace::read(damaged.as_slice()) {
            assert!(bit / 8 == 10 || read == trace, "bit {bit}");
        }
    }
}

/// A file around a payload that no writer would make.
pub(super) fn wrapped(frames: u32, payload: &[u8]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend([1, 0, 127, 0]);
    file.extend(frames.to_le_bytes());
    let mut packed = flate2::write::ZlibEncoder::new(&mut file, flate2::Compression::best());
    packed.write_all(payload).unwrap();
    packed.finish().unwrap();
    file
}

#[test]
fn damaged_payloads_never_panic() {
    let mut random = Random::new(3);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let length = random.below(40);
        let payload: Vec<u8> = (0..length)
            .map(|_| if random.one_in(3) { random.bits().to_le_bytes()[0] } else { random.bits().to_le_bytes()[0] & 3 })
            .collect();
        accepted += usize::from(Trace::read(wrapped(2, &payload).as_slice()).is_ok());
    }
    assert!(accepted < 20_000);
}

#[test]
fn malformed_payloads_are_named() {
    let huge_count = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    for (frames, payload, expected) in [
        (1, &[][..], "byte 0 of the unpacked data: the data ends within a frame"),
        (1, &[1, 2], "byte 1 of the unpacked data: object 1 is removed but does not live"),
        (1, &[0, 0, 1, 4], "byte 3 of the unpacked data: object 1 moves but does not live"),
        (1, &[0, 2, 0, 0], "byte 3 of the unpacked data: object 0 is spawned but lives already"),
        (1, &[0, 1, 0, 9], "byte 3 of the unpacked data: no object has kind 9"),
        (1, &[0, 1, 1], "byte 2 of the unpacked data: an id is not in the range of a u32"),
        (1, &[0, 0, 0, 0], "byte 3 of the unpacked data: data after the last frame"),
        (0, &[0], "byte 0 of the unpacked data: data after the last frame"),
        (
            1,
            &huge_count,
            "byte 0 of the unpacked data: 18446744073709551615 objects removed in a frame, the limit is 1048576",
        ),
        (1, &[0x80; 11], "byte 0 of the unpacked data: a number has more than 64 bits"),
    ] {
        let error = Trace::read(wrapped(frames, payload).as_slice()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let mut file = packed(&Trace::default());
    file.push(0);
    assert!(Trace::read(file.as_slice()).unwrap_err().to_string().contains("bytes after"));
}

#[test]
fn a_writer_refuses_what_breaks_the_rules() {
    let unit = Object::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let inverted = Object::new(Aabb::new(Vec3::ONE, Vec3::ZERO));
    for (frame, expected) in [
        (Frame { removed: vec![3], ..Frame::default() }, "frame 0: object 3 is removed"),
        (Frame { spawned: vec![(1, unit), (1, unit)], ..Frame::default() }, "frame 0: object 1 is spawned"),
        (Frame { spawned: vec![(1, inverted)], ..Frame::default() }, "frame 0: object 1: inverted"),
        (Frame { moved: vec![(1, unit.shape)], ..Frame::default() }, "frame 0: object 1 moves"),
    ] {
        let error = Trace { frames: vec![frame] }.write(Vec::new()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
