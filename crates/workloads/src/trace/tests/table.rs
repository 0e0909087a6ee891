use super::*;

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
