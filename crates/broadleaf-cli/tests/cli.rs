//! The program as people and scripts meet it: output, files, exit statuses.

mod support;

use serde_json::Value;
use support::{Run, broadleaf, directory, write_csv};

#[test]
fn without_arguments_the_pile_is_replayed_checked_and_drawn() {
    let directory = directory();
    let run = Run::of(broadleaf().current_dir(directory.path()));
    assert_eq!(run.status, 0, "{}", run.errors);
    for word in [
        "pile:",
        "overlapping pairs",
        "pairs begun",
        "pairs ended",
        "find begun and ended",
        "median",
        "worst",
        "heap allocations",
        "against brute force: all equal",
    ] {
        assert!(run.output.contains(word), "{word} in {}", run.output);
    }
    support::assert_picture(&directory.path().join("broadleaf.png"), (1600, 1000));
    assert_eq!(run.errors, "", "no progress bar without a terminal");
}

#[test]
fn run_measures_a_scene_as_json() {
    for threads in ["1", "2"] {
        let run = Run::of(broadleaf().args(["run", "--scene", "churn", "--objects", "500", "--frames", "40"]).args([
            "--json",
            "--threads",
            threads,
        ]));
        assert_eq!(run.status, 0, "{}", run.errors);
        let report: Value = serde_json::from_str(&run.output).expect("JSON");
        assert_eq!(report["name"], "churn");
        assert_eq!(report["frames"], 40);
        assert_eq!(report["objects"]["median"], 500);
        assert_eq!(report["check"]["differences"], 0);
        for part in ["pairs", "events"] {
            assert!(report["milliseconds"][part]["median"].as_f64().expect("a time") > 0.0);
        }
        // What vanishes ends its pairs, what appears begins some; all begin with the first frame.
        let ranks = |what: &str, rank: &str| report[what][rank].as_u64().expect("a number");
        assert!(ranks("begun", "median") > 0 && ranks("ended", "median") > 0, "{report}");
        assert!(ranks("begun", "worst") >= ranks("pairs", "median") / 2, "{report}");
        let checked = report["check"]["frames_checked"].as_array().expect("a list");
        for frame in [0, 16, 32, 39] {
            assert!(checked.contains(&frame.into()), "{checked:?}");
        }
    }
}

#[test]
fn run_draws_if_asked_to() {
    let directory = directory();
    let picture = directory.path().join("spheres.png");
    let arguments = ["run", "--scene", "spheres", "--objects", "300", "--frames", "3", "--picture"];
    let run = Run::of(broadleaf().args(arguments).arg(&picture));
    assert_eq!(run.status, 0, "{}", run.errors);
    assert!(run.output.contains("spheres.png"), "{}", run.output);
    support::assert_picture(&picture, (1600, 1000));
}

#[test]
fn large_scenes_say_that_they_are_not_checked() {
    let run = Run::of(broadleaf().args(["run", "--objects", "60000", "--frames", "1"]));
    assert_eq!(run.status, 0, "{}", run.errors);
    assert!(run.output.contains("not checked: brute force is too slow"), "{}", run.output);
}

#[test]
fn csv_traces_are_replayed_checked_and_drawn() {
    let directory = directory();
    let trace = write_csv(directory.path(), "rolling.csv", 6, 20);
    let run = Run::of(broadleaf().arg("replay").arg(&trace));
    assert_eq!(run.status, 0, "{}", run.errors);
    assert!(run.output.contains("rolling: 6 frames, 1 thread"), "{}", run.output);
    let run = Run::of(broadleaf().arg("check").arg(&trace).args(["--threads", "3"]));
    assert_eq!(run.status, 0, "{}", run.errors);
    assert_eq!(run.output, "checked 6 of 6 frames against brute force: all equal\n");
    let picture = directory.path().join("small.png");
    let run = Run::of(
        broadleaf().arg("draw").arg(&trace).args(["--frame", "2", "--size", "400x300"]).arg("-o").arg(&picture),
    );
    assert_eq!(run.status, 0, "{}", run.errors);
    assert!(run.output.contains("frame 2"), "{}", run.output);
    support::assert_picture(&picture, (400, 300));
}

#[test]
fn a_recording_goes_by_its_name() {
    let run = Run::of(broadleaf().args(["replay", "pile", "--json"]));
    assert_eq!(run.status, 0, "{}", run.errors);
    let report: Value = serde_json::from_str(&run.output).expect("JSON");
    assert_eq!(report["picture"], Value::Null);
}

#[test]
fn draw_shows_a_frame_of_a_scene() {
    let directory = directory();
    let picture = directory.path().join("city.png");
    let arguments = ["draw", "--scene", "city", "--objects", "200", "--frame", "3", "--json", "--output"];
    let run = Run::of(broadleaf().args(arguments).arg(&picture));
    assert_eq!(run.status, 0, "{}", run.errors);
    let drawn: Value = serde_json::from_str(&run.output).expect("JSON");
    assert_eq!((&drawn["frame"], &drawn["objects"]), (&3.into(), &200.into()));
    assert!(drawn["cells"].as_u64().expect("a number") > 0);
    support::assert_picture(&picture, (1600, 1000));
}

#[test]
fn scenes_are_listed_with_a_sentence_each() {
    let run = Run::of(broadleaf().arg("scenes"));
    assert_eq!(run.status, 0);
    assert!(run.output.contains("uniform") && run.output.contains("pile"), "{}", run.output);
    let run = Run::of(broadleaf().args(["scenes", "--json"]));
    let list: Value = serde_json::from_str(&run.output).expect("JSON");
    for kind in ["scenes", "recordings"] {
        let entries = list[kind].as_array().expect("a list");
        assert!(!entries.is_empty());
        assert!(entries.iter().all(|entry| entry["description"].as_str().is_some_and(|text| !text.is_empty())));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = broadleaf().arg("scenes").stdout(std::process::Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}
