//! `broadleaf view`: the viewer's page with a file inside.

mod support;

use base64::Engine as _;
use std::fs;
use std::path::Path;
use support::{Run, broadleaf, directory, write_csv};
use workloads::Trace;

const BARE: &str = "<html><script data-first data-file=\"old\">AAAA</script>\n<!-- FILES -->\n</html>";

fn view(directory: &Path, file: &str, more: &[&str]) -> Run {
    fs::write(directory.join("bare.html"), BARE).expect("written");
    Run::of(broadleaf().current_dir(directory).args(["view", file, "--page", "bare.html"]).args(more))
}

/// The bytes of the file of that name within a page.
fn embedded(page: &str, name: &str, kind: &str) -> Vec<u8> {
    let begin = format!("data-file=\"{name}\" {kind}>");
    let (_, rest) = page.split_once(&begin).expect("the file is in the page");
    let (bytes, _) = rest.split_once("</script>").expect("the element ends");
    base64::engine::general_purpose::STANDARD.decode(bytes).expect("base64")
}

#[test]
fn a_trace_is_in_the_page_as_it_was_read() {
    let directory = directory();
    let path = write_csv(directory.path(), "roll & \"fall\".csv", 5, 8);
    let run = view(directory.path(), "roll & \"fall\".csv", &["--out", "page.html"]);
    assert_eq!((run.status, run.errors.as_str()), (0, ""));
    assert!(run.output.contains("page.html"), "{}", run.output);
    let page = fs::read_to_string(directory.path().join("page.html")).expect("a page");
    let bytes = embedded(&page, "roll &amp; &quot;fall&quot;.bltrace", "data-first");
    let expected = Trace::read_csv(fs::File::open(path).expect("the CSV")).expect("a trace");
    assert_eq!(Trace::read(bytes.as_slice()).expect("a trace"), expected);
    // What was in the page still is, and another file may follow.
    assert!(page.contains("data-file=\"old\"") && page.contains("<!-- FILES -->\n</html>"));
}

#[test]
fn a_recording_goes_by_its_name() {
    let directory = directory();
    let run = view(directory.path(), "level", &[]);
    assert_eq!(run.status, 0, "{}", run.errors);
    let page = fs::read_to_string(directory.path().join("level.html")).expect("a page");
    let bytes = embedded(&page, "level.bltrace", "data-first");
    assert_eq!(bytes, workloads::recordings::file("level").expect("a recording"));
}

#[test]
fn a_model_brings_its_buffers() {
    let directory = directory();
    let corners: Vec<u8> =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    fs::write(directory.path().join("corners.bin"), &corners).expect("written");
    let document = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"corners.bin","byteLength":36}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]}"#;
    fs::write(directory.path().join("one.gltf"), document).expect("written");
    let run = view(directory.path(), "one.gltf", &[]);
    assert_eq!(run.status, 0, "{}", run.errors);
    let page = fs::read_to_string(directory.path().join("one.html")).expect("a page");
    assert_eq!(embedded(&page, "one.gltf", "data-first"), document.as_bytes());
    assert_eq!(embedded(&page, "corners.bin", "data-beside"), corners);
}

#[test]
fn a_broken_file_is_refused_as_by_the_other_commands() {
    let directory = directory();
    fs::write(directory.path().join("broken.csv"), "0,1,0,0,0,1,1,1\n0,2,0,zero,0,1,1,1\n").expect("written");
    fs::write(directory.path().join("broken.obj"), "v 0 0 0\nf 1 2 3\n").expect("written");
    for (command, file) in [("replay", "broken.csv"), ("mesh", "broken.obj")] {
        let refused = view(directory.path(), file, &[]);
        let expected = Run::of(broadleaf().current_dir(directory.path()).args([command, file]));
        assert_eq!((refused.status, &refused.errors), (2, &expected.errors));
        assert!(refused.errors.contains("line 2"), "{}", refused.errors);
    }
    assert!(!directory.path().join("broken.html").exists());
}

#[test]
fn without_a_page_it_says_how_to_make_one() {
    let directory = directory();
    let copy = directory.path().join("program");
    fs::copy(env!("CARGO_BIN_EXE_broadleaf"), &copy).expect("a copy");
    let run = Run::of(std::process::Command::new(copy).current_dir(directory.path()).args(["view", "level"]));
    assert_eq!(run.status, 2);
    assert!(run.errors.contains("cargo xtask web --page"), "{}", run.errors);
    fs::write(directory.path().join("other.html"), "<html></html>").expect("written");
    let run = Run::of(broadleaf().current_dir(directory.path()).args(["view", "level", "--page", "other.html"]));
    assert_eq!(run.status, 2);
    assert!(run.errors.contains("other.html is not the viewer's page"), "{}", run.errors);
}
