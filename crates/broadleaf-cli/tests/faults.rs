//! Bad files and bad arguments: a message that names the place, exit status 2, no panic.

mod support;

use std::fs;
use support::{Run, broadleaf, directory, write_csv};

fn assert_refused(run: &Run, words: &[&str]) {
    assert_eq!(run.status, 2, "{} {}", run.output, run.errors);
    assert!(!run.errors.contains("panicked"), "{}", run.errors);
    assert_eq!(run.output, "");
    for word in words {
        assert!(run.errors.contains(word), "{word} in {}", run.errors);
    }
}

#[test]
fn a_missing_file_is_named() {
    for command in ["replay", "check", "draw"] {
        assert_refused(&Run::of(broadleaf().args([command, "no-such-file"])), &["no-such-file"]);
    }
}

#[test]
fn csv_faults_are_told_with_their_line() {
    let directory = directory();
    let header = "frame,id,min_x,min_y,min_z,max_x,max_y,max_z\n";
    let faults = [
        ("word", "0,1,0,0,0,1,1,1\n0,2,0,zero,0,1,1,1\n", "line 3"),
        ("short", "0,1,0,0,0,1,1,1\n0,2,0\n", "line 3"),
        ("nan", "0,1,NaN,0,0,1,1,1\n", "line 2"),
        ("inverted", "0,1,0,0,0,-1,1,1\n", "line 2"),
    ];
    for (name, rows, place) in faults {
        let path = directory.path().join(format!("{name}.csv"));
        fs::write(&path, format!("{header}{rows}")).expect("written");
        for command in ["replay", "check", "draw"] {
            assert_refused(&Run::of(broadleaf().arg(command).arg(&path)), &[&format!("{name}.csv"), place]);
        }
    }
}

#[test]
fn an_empty_trace_is_refused() {
    let directory = directory();
    for name in ["empty.csv", "empty.trace"] {
        let path = directory.path().join(name);
        fs::write(&path, "").expect("written");
        assert_refused(&Run::of(broadleaf().arg("check").arg(&path)), &[name]);
    }
}

#[test]
fn binary_garbage_is_told_with_its_byte() {
    let directory = directory();
    let path = directory.path().join("garbage.trace");
    let garbage: Vec<u8> = (0..4_000_u32).map(|i| i.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    fs::write(&path, garbage).expect("written");
    assert_refused(&Run::of(broadleaf().arg("check").arg(&path)), &["garbage.trace", "byte"]);
}

#[test]
fn truncated_and_damaged_recordings_are_told_with_their_byte() {
    let directory = directory();
    let path = directory.path().join("broken.bltrace");
    let whole = workloads::recordings::file("level").expect("a recording");
    for length in [1, 8, 12, 16, 17, 1_000, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("written");
        assert_refused(&Run::of(broadleaf().arg("check").arg(&path)), &["broken.bltrace", "byte"]);
    }
    for at in [0, 9, 11, 16, 500, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.to_vec();
        damaged[at] ^= 0x55;
        fs::write(&path, damaged).expect("written");
        assert_refused(&Run::of(broadleaf().arg("check").arg(&path)), &["broken.bltrace", "byte"]);
    }
}

#[test]
fn arguments_out_of_range_are_refused() {
    let refused: [&[&str]; 9] = [
        &["run", "--scene", "nowhere"],
        &["run", "--objects", "0"],
        &["run", "--frames", "many"],
        &["run", "--threads", "0"],
        &["draw"],
        &["draw", "--scene", "city", "--size", "10x10"],
        &["draw", "pile", "--frame", "1000000"],
        &["scenes", "--picture", "scenes.png"],
        &["dance"],
    ];
    for arguments in refused {
        assert_refused(&Run::of(broadleaf().args(arguments)), &[]);
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_named() {
    let directory = directory();
    let trace = write_csv(directory.path(), "fine.csv", 2, 3);
    let output = directory.path().join("missing").join("picture.png");
    let run = Run::of(broadleaf().arg("draw").arg(&trace).arg("--output").arg(output));
    assert_refused(&run, &["picture.png"]);
}
