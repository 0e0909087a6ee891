//! `broadleaf mesh`: every format and every model is built, checked and drawn;
//! broken files get a message that names file and place, exit status 2, no panic.

mod support {
    pub(crate) mod models;
    #[path = "mod.rs"]
    pub(crate) mod program;
}

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::models;
use support::program::{Run, assert_picture, broadleaf, directory};
use workloads::Model;

/// Every form of the box: a name for the file, and its contents.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("text.obj", models::obj()),
        ("text.ply", models::ply_text()),
        ("little.ply", models::ply_binary(false)),
        ("big.ply", models::ply_binary(true)),
        ("text.stl", models::stl_text()),
        ("binary.STL", models::stl_binary()),
        ("text.gltf", models::gltf()),
        ("binary.glb", models::glb()),
    ]
}

fn is_binary(name: &str) -> bool {
    ["little.ply", "big.ply", "binary.STL", "binary.glb"].contains(&name)
}

/// Runs `broadleaf mesh` on a file with a picture and few rays.
fn mesh(path: &Path) -> Run {
    let picture = path.with_extension("png");
    Run::of(
        broadleaf().arg("mesh").arg(path).args(["--json", "--rays", "50", "--size", "200x200", "--out"]).arg(picture),
    )
}

/// Runs it on contents under a name.
fn mesh_of(directory: &Path, name: &str, contents: &[u8]) -> Run {
    let path = directory.join(name);
    fs::write(&path, contents).expect("written");
    mesh(&path)
}

fn assert_refused(run: &Run, words: &[&str]) {
    assert_eq!(run.status, 2, "{} {}", run.output, run.errors);
    assert!(!run.errors.contains("panicked"), "{}", run.errors);
    assert_eq!(run.output, "");
    for word in words {
        assert!(run.errors.contains(word), "{word} in {}", run.errors);
    }
}

fn report(run: &Run) -> Value {
    assert_eq!(run.status, 0, "{} {}", run.output, run.errors);
    serde_json::from_str(&run.output).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Checks the corners of the model's box.
fn assert_bounds(report: &Value, expected: [[f64; 3]; 2]) {
    for (corner, expected) in report["bounds"].as_array().expect("a list").iter().zip(expected) {
        for (value, expected) in numbers(corner).into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-5, "{} instead of {expected:?}", report["bounds"]);
        }
    }
}

#[test]
fn every_format_is_read_checked_and_drawn() {
    let directory = directory();
    for (name, contents) in files() {
        let run = mesh_of(directory.path(), name, &contents);
        let report = report(&run);
        assert_eq!(report["triangles"], 12, "{name}");
        assert_eq!(report["degenerate"], 0, "{name}");
        assert_eq!(report["check"]["equal"], true, "{name}");
        assert_eq!(report["rays_per_second"].as_array().expect("a list").len(), 4, "{name}");
        // A quarter turn about z takes (1, 2) to (-2, 1).
        let turned = name.ends_with(".gltf") || name.ends_with(".glb");
        assert_bounds(&report, if turned { [[6.0, 0.0, 0.0], [10.0, 2.0, 6.0]] } else { [[0.0; 3], [1.0, 2.0, 3.0]] });
    }
    let picture = tiny_skia::Pixmap::load_png(directory.path().join("binary.png")).expect("a PNG file");
    assert_eq!((picture.width(), picture.height()), (200, 200));
}

#[test]
fn a_buffer_beside_the_document_is_found_by_its_encoded_name() {
    let directory = directory();
    fs::write(directory.path().join("two words.bin"), models::gltf_buffer()).expect("written");
    let document = models::gltf_document(Some("two%20words.bin"));
    assert_eq!(report(&mesh_of(directory.path(), "beside.gltf", document.as_bytes()))["triangles"], 12);
    let document = models::gltf_document(Some("gone.bin"));
    assert_refused(&mesh_of(directory.path(), "beside.gltf", document.as_bytes()), &["beside.gltf", "gone.bin"]);
}

#[test]
fn strips_and_fans_are_taken_apart() {
    let directory = directory();
    for (mode, triangles) in [(5, 34), (6, 34)] {
        let document =
            models::gltf_document(None).replace(r#""indices": 1"#, &format!(r#""indices": 1, "mode": {mode}"#));
        let run = mesh_of(directory.path(), "mode.gltf", with_data(&document).as_bytes());
        assert_eq!(report(&run)["triangles"], triangles, "mode {mode}");
    }
}

#[test]
fn a_mirrored_node_keeps_its_front() {
    let directory = directory();
    let mirrored = models::gltf_document(None).replace(r#""scale": [2, 2, 2]"#, r#""scale": [-2, 2, 2]"#);
    let report = report(&mesh_of(directory.path(), "mirrored.gltf", with_data(&mirrored).as_bytes()));
    assert_bounds(&report, [[6.0, -2.0, 0.0], [10.0, 0.0, 6.0]]);
    assert!(!shows_backs(&directory.path().join("mirrored.png")));
    // A model that is inside out shows what is looked for.
    let obj = String::from_utf8(models::obj()).expect("UTF-8").replace("v 1 ", "v -1 ");
    assert_eq!(mesh_of(directory.path(), "inverted.obj", obj.as_bytes()).status, 0);
    assert!(shows_backs(&directory.path().join("inverted.png")));
}

/// Whether a picture has something in the colour of backs.
fn shows_backs(path: &Path) -> bool {
    let picture = tiny_skia::Pixmap::load_png(path).expect("a PNG file");
    picture.pixels().iter().any(|pixel| pixel.red() > 60 && f32::from(pixel.red()) > 1.3 * f32::from(pixel.green()))
}

/// A document without an URI gets its buffer as data.
fn with_data(document: &str) -> String {
    let whole = String::from_utf8(models::gltf()).expect("UTF-8");
    let uri = whole.split_once(r#""uri": "#).and_then(|(_, rest)| rest.split_once(", ")).expect("an URI").0;
    document.replace(r#"{"byteLength": 168}"#, &format!(r#"{{"uri": {uri}, "byteLength": 168}}"#))
}

#[test]
fn every_generated_model_is_built_checked_and_drawn() {
    let directory = directory();
    let picture = directory.path().join("model.png");
    for name in Model::NAMES {
        let arguments = ["mesh", "--model", name, "--triangles", "600", "--rays", "400", "--size", "300x200", "--out"];
        let quality: &[&str] = if name == "boxes" { &["--high-quality"] } else { &[] };
        let run = Run::of(broadleaf().args(arguments).arg(&picture).args(["--cells", "--threads", "2"]).args(quality));
        assert_eq!(run.status, 0, "{} {}", run.output, run.errors);
        assert!(run.output.contains(&format!("{name}: 600 triangles")), "{}", run.output);
        assert!(run.output.contains("against brute force: all equal"), "{}", run.output);
        for traversal in ["eight at a time", "splitting planes", "parametric", "naive boxes"] {
            assert!(run.output.contains(traversal), "{}", run.output);
        }
        assert_picture(&picture, (300, 200));
    }
}

#[test]
fn the_camera_goes_where_it_is_told() {
    let directory = directory();
    let picture = |camera: &str| {
        let path = directory.path().join(format!("{camera}.png"));
        let arguments = ["mesh", "--model", "sphere", "--triangles", "300", "--rays", "9", "--size", "200x200"];
        let run = Run::of(broadleaf().args(arguments).args(["--camera", camera, "--out"]).arg(&path));
        assert_eq!(run.status, 0, "{} {}", run.output, run.errors);
        tiny_skia::Pixmap::load_png(path).expect("a PNG file").data().to_vec()
    };
    let [side, above, inside] = ["-40,0,0", "0,40,0", "0,0,0,1,0,0"].map(picture);
    assert!(side != above && above != inside && side != inside);
    let away = picture("-40,0,0,-80,0,0");
    // Looking away, only the background is left beside the legend.
    let column = |data: &[u8]| data[(120 * 200 + 150) * 4..][..200].to_vec();
    assert_ne!(column(&away), column(&side));
}

#[test]
fn truncated_files_are_refused_with_their_place() {
    let directory = directory();
    for (name, contents) in files() {
        for part in 1..8 {
            let run = mesh_of(directory.path(), name, &contents[..contents.len() * part / 8]);
            if is_binary(name) {
                // Of a cut text header the line is told, of anything else the byte.
                assert_refused(&run, &[name]);
                assert!(run.errors.contains("byte") || run.errors.contains("Line"), "{}", run.errors);
            } else if name != "text.obj" {
                assert_refused(&run, &[name]);
            }
        }
        let run = mesh_of(directory.path(), name, &[]);
        assert_refused(&run, &[name]);
    }
    // A text of lines may end at any of them; here it ends within a word.
    let obj = models::obj();
    let cut = obj.windows(7).position(|bytes| bytes == b"v 1 0 3").expect("there") + 5;
    let run = mesh_of(directory.path(), "cut.obj", &obj[..cut]);
    assert_refused(&run, &["cut.obj", "line 10"]);
}

#[test]
fn a_model_without_triangles_is_refused() {
    let directory = directory();
    for (name, contents) in [("empty.obj", "v 0 0 0\n"), ("empty.stl", "solid\nendsolid\n")] {
        assert_refused(&mesh_of(directory.path(), name, contents.as_bytes()), &[name, "no triangles"]);
    }
}

#[test]
fn coordinates_that_are_not_numbers_are_refused_with_their_place() {
    let directory = directory();
    for name in ["text.obj", "text.ply", "text.stl"] {
        let contents = files().into_iter().find(|(other, _)| *other == name).expect("there").1;
        let text = String::from_utf8(contents).expect("UTF-8");
        let place = match name {
            "text.obj" => "line 9",
            "text.ply" => "ine 16",
            _ => "triangle 0, line 2",
        };
        let run = mesh_of(
            directory.path(),
            name,
            text.replacen("0 2 3", "0 NaN 3", 1).replacen("0 0 3", "0 NaN 3", 1).as_bytes(),
        );
        assert_refused(&run, &[name, place]);
        let run = mesh_of(directory.path(), name, text.replacen("0 0 3", "0 zero 3", 1).as_bytes());
        let place = if name == "text.stl" { "triangle 0, line 2" } else { "ine " };
        assert_refused(&run, &[name, place]);
    }
    let nan = f32::NAN.to_le_bytes();
    let mut stl = models::stl_binary();
    stl[84 + 12..84 + 16].copy_from_slice(&nan);
    assert_refused(&mesh_of(directory.path(), "nan.stl", &stl), &["nan.stl", "triangle 0, byte 84", "coordinate x"]);
    let mut ply = models::ply_binary(false);
    let start = ply.len() - 6 * 17 - 8 * 25;
    ply[start + 25..start + 33].copy_from_slice(&f64::INFINITY.to_le_bytes());
    assert_refused(&mesh_of(directory.path(), "infinite.ply", &ply), &["infinite.ply", "vertex 1", "coordinate x"]);
    let mut glb = models::glb();
    let start = glb.len() - models::gltf_buffer().len();
    glb[start + 12..start + 16].copy_from_slice(&nan);
    assert_refused(
        &mesh_of(directory.path(), "nan.glb", &glb),
        &["nan.glb", "nodes[1], primitives[0]", "accessors[0], position 1", "coordinate x"],
    );
}

#[test]
fn indices_out_of_range_are_refused_with_their_place() {
    let directory = directory();
    let obj = String::from_utf8(models::obj()).expect("UTF-8");
    for (good, bad) in [("f 1/1/1", "f 9/1/1"), ("f 1/1/1", "f 0/1/1"), ("f -7 ", "f -9 ")] {
        let line = obj.lines().position(|line| line.starts_with(good)).expect("there") + 1;
        let run = mesh_of(directory.path(), "out.obj", obj.replacen(good, bad, 1).as_bytes());
        assert_refused(&run, &["out.obj", &format!("line {line}:")]);
    }
    let ply = String::from_utf8(models::ply_text()).expect("UTF-8");
    for (bad, place) in [("4 1 3 7 8", "face 1"), ("4 1 3 7 -2", "face 1 has vertex -2")] {
        let run = mesh_of(directory.path(), "out.ply", ply.replacen("4 1 3 7 5", bad, 1).as_bytes());
        assert_refused(&run, &["out.ply", place]);
    }
    let mut glb = models::glb();
    let end = glb.len();
    glb[end - 2..].copy_from_slice(&8_u16.to_le_bytes());
    assert_refused(&mesh_of(directory.path(), "out.glb", &glb), &["out.glb", "nodes[1]", "index 35 is 8"]);
}

#[test]
fn regression_statements_of_an_obj_go_on_after_a_backslash() {
    let directory = directory();
    let obj = String::from_utf8(models::obj()).expect("UTF-8");
    let first = obj.lines().find(|line| line.starts_with("f ")).expect("there");
    let broken = first.replacen(' ', " \\\n  ", 2);
    let continued = obj.replacen(first, &broken, 1).replacen("v 1 0 0", "v 1 \\\r\n0 0", 1);
    assert_ne!(continued, obj);
    let whole = mesh_of(directory.path(), "whole.obj", obj.as_bytes());
    let run = mesh_of(directory.path(), "continued.obj", continued.as_bytes());
    assert_eq!((whole.status, run.status), (0, 0), "{}", run.errors);
    // Lines keep their numbers, and a comment's backslash is part of the comment.
    let outlying = format!("# here \\\n{continued}f 1 2 99\n");
    let run = mesh_of(directory.path(), "continued.obj", outlying.as_bytes());
    assert_refused(&run, &["continued.obj", &format!("line {}:", outlying.lines().count())]);
}

#[test]
fn hostile_documents_are_refused() {
    let directory = directory();
    let document = String::from_utf8(models::gltf()).expect("UTF-8");
    let faults = [
        (r#""count": 8"#, r#""count": 9"#, "accessors[0]"),
        (r#""count": 36"#, r#""count": 4000000000"#, "accessors[1]"),
        (r#""byteLength": 168"#, r#""byteLength": 169"#, "buffers[0]"),
        (r#""byteOffset": 96, "byteLength": 72"#, r#""byteOffset": 96, "byteLength": 9999"#, "bufferViews[1]"),
        (r#""mesh": 0"#, r#""mesh": 7"#, "nodes[1].mesh"),
        (r#""mesh": 0"#, r#""mesh": 0, "children": [0]"#, "nodes"),
        (r#""type": "VEC3""#, r#""type": "VEC2""#, "accessors[0]"),
        (r#""componentType": 5123"#, r#""componentType": 5126"#, "accessors[1]"),
        (r#""count": 36"#, r#""count": 35"#, "35 indices"),
        (";base64,", ";base32,", "buffers[0]"),
        ("\"scene\": 0,", "\"scene\": 0", "line"),
    ];
    for (good, bad, place) in faults {
        assert!(document.contains(good), "{good}");
        let run = mesh_of(directory.path(), "hostile.gltf", document.replacen(good, bad, 1).as_bytes());
        assert_refused(&run, &["hostile.gltf", place]);
    }
    let ply = String::from_utf8(models::ply_text()).expect("UTF-8");
    let promises = ply.replacen("element vertex 8", "element vertex 4000000000000", 1);
    assert_refused(&mesh_of(directory.path(), "hostile.ply", promises.as_bytes()), &["hostile.ply", "promises"]);
    let mut stl = models::stl_binary();
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    stl[..5].fill(0);
    assert_refused(&mesh_of(directory.path(), "hostile.stl", &stl), &["hostile.stl", "triangle 12, byte 684"]);
    let mut glb = models::glb();
    glb[8..12].copy_from_slice(&3_u32.to_le_bytes());
    assert_refused(&mesh_of(directory.path(), "hostile.glb", &glb), &["hostile.glb", "byte 8"]);
}

#[test]
fn a_wrong_extension_is_named() {
    let directory = directory();
    let refused = [
        ("box.txt", models::obj(), "extension"),
        ("box.obj", models::ply_text(), "Ply"),
        ("box.ply", models::glb(), "Gltf"),
    ];
    for (name, contents, word) in refused {
        assert_refused(&mesh_of(directory.path(), name, &contents), &[name, word]);
    }
    assert_refused(&mesh_of(directory.path(), "box.stl", &models::obj()), &["box.stl"]);
    assert_refused(&mesh(&directory.path().join("gone.stl")), &["gone.stl"]);
}

#[test]
fn damaged_bytes_never_end_in_a_panic() {
    let directory = directory();
    for (name, contents) in files() {
        for step in 0..16 {
            let mut damaged = contents.clone();
            let at = contents.len() * step / 16;
            damaged[at] ^= [0x80, 0x01, 0x55, 0xff][step % 4];
            let run = mesh_of(directory.path(), name, &damaged);
            assert!([0, 2].contains(&run.status), "{name}, byte {at}: {} {}", run.output, run.errors);
            assert!(!run.errors.contains("panicked"), "{name}, byte {at}: {}", run.errors);
        }
    }
}

#[test]
fn arguments_out_of_range_are_refused() {
    let refused: [&[&str]; 8] = [
        &["--model", "teapot"],
        &["--triangles", "0"],
        &["--size", "10x10"],
        &["--camera", "1,2"],
        &["--camera", "1,2,NaN"],
        &["--camera", "1,2,3,1,2,3"],
        &["box.obj", "--model", "torus"],
        &["--picture", "there.png"],
    ];
    for arguments in refused {
        assert_refused(&Run::of(broadleaf().arg("mesh").args(arguments)), &[]);
    }
    let gone = directory().path().join("gone").join("mesh.png");
    let few = ["mesh", "--triangles", "20", "--rays", "4", "--size", "200x200", "--out"];
    assert_refused(&Run::of(broadleaf().args(few).arg(gone)), &["mesh.png"]);
}
