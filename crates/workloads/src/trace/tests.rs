use super::*;
use crate::random::Random;
use crate::scenes::Scene;
use broadleaf::glam::Vec3;
use broadleaf::{Aabb, Mobility, Object, Sphere};

/// A scene's frames as a trace, with coordinates on a grid or as they come.
fn recorded(name: &str, count: u32, steps: usize, grid: Option<f32>) -> Trace {
    let mut scene = Scene::by_name(name, count, 1).unwrap();
    let snap = |shape: Shape| match (grid, shape) {
        (None, shape) => shape,
        (Some(grid), Shape::Aabb(b)) => Aabb::new((b.min / grid).floor() * grid, (b.max / grid).ceil() * grid).into(),
        (Some(grid), Shape::Sphere(s)) => {
            Sphere::new((s.center / grid).round() * grid, (s.radius / grid).ceil() * grid).into()
        }
    };
    let kept = |(id, object): (u32, Object)| (id, Object::new(snap(object.shape)).with_mobility(object.mobility));
    let spawned = (0..).zip(scene.objects().iter().copied()).map(kept).collect();
    let mut frames = vec![Frame { spawned, ..Frame::default() }];
    for _ in 0..steps {
        let mut frame = scene.step().clone();
        frame.spawned = frame.spawned.into_iter().map(kept).collect();
        frame.moved.iter_mut().for_each(|(_, shape)| *shape = snap(*shape));
        frames.push(frame);
    }
    Trace { frames }
}

use broadleaf::Shape;

fn packed(trace: &Trace) -> Vec<u8> {
    let mut file = Vec::new();
    trace.write(&mut file).unwrap();
    file
}

#[test]
fn scenes_survive_the_round_trip() {
    for name in Scene::NAMES {
        for grid in [None, Some(1.0 / 256.0)] {
            let trace = recorded(name, 50, 70, grid);
            assert_eq!(Trace::read(packed(&trace).as_slice()).unwrap(), trace, "{name}");
        }
    }
}

#[test]
fn odd_shapes_survive_the_round_trip() {
    let everywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let tiny = Sphere::new(Vec3::new(-0.0, 1e-40, 1e30), 1e-38);
    let fixed = Object::new(everywhere).with_mobility(Mobility::Static);
    let trace = Trace {
        frames: vec![
            Frame { spawned: vec![(u32::MAX, fixed), (0, tiny.into())], ..Frame::default() },
            Frame { moved: vec![(0, everywhere.into()), (u32::MAX, tiny.into())], ..Frame::default() },
            Frame { removed: vec![0], spawned: vec![(0, tiny.into())], ..Frame::default() },
            Frame::default(),
        ],
    };
    assert_eq!(Trace::read(packed(&trace).as_slice()).unwrap(), trace);
    assert_eq!(Trace::read(packed(&Trace::default()).as_slice()).unwrap(), Trace::default());
}

#[test]
fn smooth_motion_on_a_grid_packs_small() {
    let trace = recorded("uniform", 500, 50, Some(1.0 / 256.0));
    let bytes = packed(&trace).len();
    let moves: usize = trace.frames.iter().map(|frame| frame.moved.len()).sum();
    assert!(bytes < moves * 3, "{bytes} bytes for {moves} moves");
}

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
fn wrapped(frames: u32, payload: &[u8]) -> Vec<u8> {
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
        (1, &huge_count, "byte 10 of the unpacked data: the data ends within a frame"),
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

#[test]
fn csv_tells_what_appears_moves_and_vanishes() {
    let text = "frame,id,min_x,min_y,min_z,max_x,max_y,max_z\n\
        # two boxes\n\
        0, 1, 0,0,0, 1,1,1\n0,2,5,5,5,6,6,6\n\
        \n3,1,0,0,0,1,1,1\n3,2,5,5,5,7,7,7\n\
        4,2,5,5,5,7,7,7\n5,1,0,0,0,1,1,1\n";
    let unit = Object::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let other = |max| Aabb::new(Vec3::splat(5.0), Vec3::splat(max));
    let expected = [
        Frame { spawned: vec![(1, unit), (2, other(6.0).into())], ..Frame::default() },
        Frame { moved: vec![(2, other(7.0).into())], ..Frame::default() },
        Frame { removed: vec![1], ..Frame::default() },
        Frame { removed: vec![2], spawned: vec![(1, unit)], ..Frame::default() },
    ];
    let trace = Trace::read_csv(text.as_bytes()).unwrap();
    assert_eq!(trace.frames, expected);
    let mut copy = Vec::new();
    trace.write_csv(&mut copy).unwrap();
    assert_eq!(Trace::read_csv(copy.as_slice()).unwrap(), trace);
    assert_eq!(Trace::read_csv(&b""[..]).unwrap(), Trace::default());
}

#[test]
fn csv_errors_name_their_line() {
    for (text, expected) in [
        ("frame,id\n", "line 1: the header must be frame,id,min_x"),
        ("0,1,0,0,0,1,1,1\n0,2,0,0,0,1,1\n", "line 2: 7 columns where 8 are due"),
        ("0,1,0,0,zero,1,1,1\n", "line 1: min_z is not a number in range: \"zero\""),
        ("0,-1,0,0,0,1,1,1\n", "line 1: id is not a number in range: \"-1\""),
        ("0,1,0,0,0,1,-1,1\n", "line 1: inverted bounds on axis y: min 0 > max -1"),
        ("0,1,NaN,0,0,1,1,1\n", "line 1: min.x is not a number"),
        ("0,1,0,0,0,1,1,1\n# again\n0,1,0,0,0,1,1,1\n", "line 3: object 1 is twice in frame 0"),
        ("2,1,0,0,0,1,1,1\n1,1,0,0,0,1,1,1\n", "line 2: frame 1 after frame 2"),
        ("0,1,0,0,0,1,1,\u{7f}\n", "line 1: max_z is not a number in range: \"\u{7f}\""),
    ] {
        let error = Trace::read_csv(text.as_bytes()).unwrap_err().to_string();
        let plain = expected.replace('\u{7f}', "\\u{7f}");
        assert!(error.starts_with(expected) || error.starts_with(&plain), "{error}");
    }
    let bytes = [b"0,1,0,0,0,1,1,".as_slice(), &[0xff, 0xfe, b'\n']].concat();
    assert!(Trace::read_csv(bytes.as_slice()).unwrap_err().to_string().starts_with("line 1: max_z"));
}
