//! Small files that ask for much memory or time: refused with the limit, the
//! value and its place, or worked on within the limits. Memory is held to a
//! number of bytes that the system enforces; the work is counted.

mod support {
    pub(crate) mod models;
    #[path = "mod.rs"]
    pub(crate) mod program;
}

use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use support::models;
use support::program::{Run, broadleaf, directory};

/// Address space of a run, in KiB: many times what a refusal takes, a fraction of what the files ask for.
const MEMORY_KIB: u32 = 1 << 20;

/// The program, which is ended by the system if it takes more memory.
fn bounded() -> Command {
    if cfg!(not(target_os = "linux")) {
        return broadleaf();
    }
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_broadleaf")]);
    command
}

fn mesh_of(directory: &Path, name: &str, contents: &[u8]) -> Run {
    let path = directory.join(name);
    fs::write(&path, contents).expect("written");
    let arguments = ["--json", "--rays", "64", "--size", "240x200", "--out"];
    Run::of(bounded().arg("mesh").arg(&path).args(arguments).arg(path.with_extension("png")))
}

#[track_caller]
fn assert_refused(run: &Run, words: &[&str]) {
    assert_eq!(run.status, 2, "{} {}", run.output, run.errors);
    assert!(!run.errors.contains("panicked"), "{}", run.errors);
    for word in words {
        assert!(run.errors.contains(word), "{word} in {}", run.errors);
    }
}

fn report(run: &Run) -> Value {
    assert!([0, 1].contains(&run.status), "{} {}", run.output, run.errors);
    serde_json::from_str(&run.output).expect("JSON")
}

/// A binary trace of so many frames around a payload.
fn trace(frames: u32, payload: &[u8]) -> Vec<u8> {
    let mut file = b"BLTRACE\0".to_vec();
    file.extend([1, 0, 127, 0]);
    file.extend(frames.to_le_bytes());
    let mut packed = flate2::write::ZlibEncoder::new(&mut file, flate2::Compression::best());
    std::io::Write::write_all(&mut packed, payload).expect("a list takes all");
    packed.finish().expect("a list takes all");
    file
}

#[test]
fn regression_small_traces_do_not_fill_the_memory() {
    let directory = directory();
    let path = directory.path().join("small.bltrace");
    let mut spawning = vec![0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20];
    spawning.resize(20_000_000, 2);
    let traces = [
        (trace(20_000_000, &vec![0; 60_000_000]), "byte 12: 20000000 frames, the limit is 1048576"),
        (trace(1, &spawning), "byte 1 of the unpacked data: 1099511627776 objects alive, the limit is 1048576"),
    ];
    for (contents, expected) in traces {
        assert!(contents.len() < 100_000, "{} bytes", contents.len());
        fs::write(&path, contents).expect("written");
        assert_refused(&Run::of(bounded().arg("replay").arg(&path)), &["small.bltrace", expected]);
    }
}

#[test]
fn regression_coincident_objects_are_refused_by_their_pairs() {
    let directory = directory();
    let path = directory.path().join("coincident.csv");
    let mut text = String::new();
    for id in 0..50_000 {
        writeln!(text, "0,{id},0,0,0,1,1,1").expect("a string takes all");
    }
    fs::write(&path, text).expect("written");
    for command in ["replay", "check", "draw"] {
        let run = Run::of(bounded().arg(command).arg(&path));
        let expected = "frame 0: more than 16777216 overlapping pairs, which is the limit, of 50000 objects";
        assert_refused(&run, &["coincident", expected]);
    }
}

#[cfg(unix)]
#[test]
fn regression_devices_are_not_read() {
    let directory = directory();
    for command in ["replay", "check", "draw"] {
        assert_refused(&Run::of(bounded().args([command, "/dev/zero"])), &["/dev/zero", "neither a file nor a pipe"]);
    }
    let link = directory.path().join("zero.obj");
    std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
    assert_refused(&Run::of(bounded().arg("mesh").arg(&link)), &["zero.obj", "neither a file nor a pipe"]);
    // A link beside the document, and its own pipe.
    let document = models::gltf_document(Some("zero.obj"));
    assert_refused(
        &mesh_of(directory.path(), "linked.gltf", document.as_bytes()),
        &["buffers[0]", "zero.obj: a link leads to /dev/zero, out of "],
    );
    // A pipe of the folder is one that nobody writes to.
    let pipe = directory.path().join("pipe.bin");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    let document = models::gltf_document(Some("pipe.bin"));
    assert_refused(
        &mesh_of(directory.path(), "piped.gltf", document.as_bytes()),
        &["buffers[0]", "pipe.bin: it is not a regular file"],
    );
}

#[cfg(unix)]
#[test]
fn regression_links_lead_no_buffer_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let directory = directory();
    let [inner, outer] = ["inner", "outer"].map(|name| directory.path().join(name));
    for folder in [&inner, &outer, &inner.join("deeper")] {
        fs::create_dir(folder).expect("a folder");
        fs::write(folder.join("cube.bin"), models::gltf_buffer()).expect("written");
    }
    symlink(&outer, inner.join("away")).expect("a link");
    symlink("../outer/cube.bin", inner.join("away.bin")).expect("a link");
    for uri in ["away/cube.bin", "away.bin"] {
        let run = mesh_of(&inner, "away.gltf", models::gltf_document(Some(uri)).as_bytes());
        assert_refused(&run, &["away.gltf", "buffers[0]", uri, "a link leads to ", "outer/cube.bin, out of "]);
    }
    symlink("deeper", inner.join("within")).expect("a link");
    symlink("within/cube.bin", inner.join("within.bin")).expect("a link");
    // The folder itself may be reached by a link.
    symlink(&inner, directory.path().join("linked")).expect("a link");
    for folder in [&inner, &directory.path().join("linked")] {
        for uri in ["within/cube.bin", "within.bin"] {
            let run = mesh_of(folder, "within.gltf", models::gltf_document(Some(uri)).as_bytes());
            assert_eq!(report(&run)["triangles"], 12, "{uri}");
        }
    }
    let mut here = bounded();
    here.current_dir(&inner).args(["mesh", "within.gltf", "--json", "--rays", "64", "--out", "here.png"]);
    assert_eq!(report(&Run::of(&mut here))["triangles"], 12, "a bare name");
}

#[test]
fn regression_files_larger_than_the_limit_are_not_read() {
    let directory = directory();
    // A file of holes takes no room on the disk.
    for name in ["large.stl", "large.bltrace"] {
        let path = directory.path().join(name);
        fs::File::create(&path).and_then(|file| file.set_len((1 << 30) + 1)).expect("a file of holes");
        let command = if name.ends_with("stl") { "mesh" } else { "replay" };
        let run = Run::of(bounded().arg(command).arg(&path));
        assert_refused(&run, &[name, "it has 1073741825 bytes or more, the limit is 1073741824"]);
    }
}

#[test]
fn regression_buffers_lie_beside_their_document() {
    let directory = directory();
    let inner = directory.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    fs::write(directory.path().join("outside.bin"), models::gltf_buffer()).expect("written");
    let absolute = directory.path().join("outside.bin").display().to_string();
    for uri in ["/dev/zero", "../outside.bin", "%2e%2e/outside.bin", "a/../../outside.bin", &absolute] {
        let run = mesh_of(&inner, "outside.gltf", models::gltf_document(Some(uri)).as_bytes());
        assert_refused(&run, &["outside.gltf", "buffers[0]", uri, "leads out of the folder of the document"]);
    }
    fs::create_dir(inner.join("deeper")).expect("a folder");
    fs::write(inner.join("deeper").join("inside.bin"), models::gltf_buffer()).expect("written");
    let run = mesh_of(&inner, "inside.gltf", models::gltf_document(Some("./deeper/inside.bin")).as_bytes());
    assert_eq!(report(&run)["triangles"], 12);
}

#[test]
fn regression_buffers_are_read_up_to_their_length_and_have_a_limit_together() {
    let directory = directory();
    // More than the memory of the run holds, of which only the first bytes are asked for.
    let large = directory.path().join("large.bin");
    fs::write(&large, models::gltf_buffer()).expect("written");
    let file = fs::OpenOptions::new().append(true).open(&large).expect("there");
    file.set_len(3 << 30).expect("a file of holes");
    let document = models::gltf_document(Some("large.bin"));
    assert_eq!(report(&mesh_of(directory.path(), "first.gltf", document.as_bytes()))["triangles"], 12);
    let more = r#""buffers": [{"uri": "large.bin", "byteLength": 1073741657}, "#;
    let document = document.replacen(r#""buffers": ["#, more, 1).replace(r#""buffer": 0"#, r#""buffer": 1"#);
    assert_refused(
        &mesh_of(directory.path(), "both.gltf", document.as_bytes()),
        &["both.gltf", "buffers[1]: 1073741825 bytes of buffers together, the limit is 1073741824"],
    );
}

/// A document with other nodes, meshes or buffers.
fn document(part: &str, contents: &str) -> Vec<u8> {
    let whole = String::from_utf8(models::gltf()).expect("UTF-8");
    assert!(whole.contains(part), "{part}");
    whole.replacen(part, contents, 1).into_bytes()
}

#[test]
fn regression_documents_that_multiply_are_refused() {
    let directory = directory();
    let empty = document(r#""nodes": [{"#, &format!(r#""nodes": [{}{{"#, "{},".repeat(1 << 20)));
    assert_refused(
        &mesh_of(directory.path(), "empty.gltf", &empty),
        &["empty.gltf", "JSON objects, the limit is 1048576"],
    );
    // Each of many nodes is met once, though a child is named a hundred thousand times.
    let children = format!(r#""children": [{}1]"#, "0,".repeat(100_000));
    let below = document(r#""children": [1]"#, &children);
    assert_refused(&mesh_of(directory.path(), "below.gltf", &below), &["below.gltf", "nodes[", "below two others"]);
    // Instances: 2,000 nodes, each with a mesh of 2,000 primitives, is 48 million triangles.
    let primitive = r#"{"attributes": {"POSITION": 0}, "indices": 1}"#;
    let many = vec![primitive; 2_000].join(",");
    let (nodes, list) = (vec![r#"{"mesh": 0}"#; 2_000].join(","), (0..2_000).map(|node| node.to_string()));
    let whole = String::from_utf8(document(primitive, &many)).expect("UTF-8");
    let start = whole.find(r#""nodes": [{"#).expect("there");
    let end = whole.find(r#""meshes""#).expect("there");
    let whole = format!("{}\"nodes\": [{nodes}],\n{}", &whole[..start], &whole[end..]);
    let scene = format!(r#""scenes": [{{"nodes": [{}]}}]"#, list.collect::<Vec<_>>().join(","));
    let whole = whole.replacen(r#""scenes": [{"nodes": [0]}]"#, &scene, 1);
    assert_refused(
        &mesh_of(directory.path(), "instances.gltf", whole.as_bytes()),
        &["instances.gltf", "primitives in its nodes, the limit is 1048576"],
    );
}

#[test]
fn regression_what_a_ply_header_promises_has_limits() {
    let directory = directory();
    let text = String::from_utf8(models::ply_text()).expect("UTF-8");
    for (element, what, limit) in [("vertex 8", "positions", 50_331_648), ("face 6", "faces", 16_777_216)] {
        let name = element.split(' ').next().expect("a word");
        let promises = text.replacen(element, &format!("{name} {}", limit + 1), 1);
        let path = directory.path().join("promises.ply");
        fs::write(&path, promises).expect("written");
        // Room for all that is promised: a hole.
        fs::OpenOptions::new().append(true).open(&path).and_then(|file| file.set_len(100 << 20)).expect("a hole");
        let run = Run::of(bounded().arg("mesh").arg(&path));
        assert_refused(&run, &["promises.ply", "the header", &format!("{} {what}, the limit is {limit}", limit + 1)]);
    }
}

/// An OBJ of one face with so many corners on a circle.
fn face(corners: u32) -> String {
    let mut text = String::new();
    for corner in 0..corners {
        let angle = f64::from(corner) / f64::from(corners) * std::f64::consts::TAU;
        writeln!(text, "v {:.7} {:.7} 0", angle.cos(), angle.sin()).expect("a string takes all");
    }
    text.push('f');
    for corner in 1..=corners {
        write!(text, " {corner}").expect("a string takes all");
    }
    text.push('\n');
    text
}

/// The most rays that a way measured of each kind, and how many there were.
fn measured(report: &Value) -> Vec<(u64, u64)> {
    let ways = report["rays_per_second"].as_array().expect("a list");
    let numbers =
        |value: &Value| value.as_array().expect("a list").iter().filter_map(Value::as_u64).collect::<Vec<_>>();
    ways.iter().flat_map(|way| numbers(&way["rays_measured"]).into_iter().zip(numbers(&way["rays"]))).collect()
}

#[test]
fn regression_models_in_which_rays_meet_everything_are_worked_on_in_part() {
    let directory = directory();
    let coincident = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", "f 1 2 3\n".repeat(50_000));
    for (name, contents, triangles) in [("coincident.obj", coincident, 50_000), ("face.obj", face(200_000), 199_998)] {
        let report = report(&mesh_of(directory.path(), name, contents.as_bytes()));
        assert_eq!(report["triangles"], triangles, "{name}");
        let measured = measured(&report);
        assert_eq!(measured.len(), 12, "{name}");
        // 64 rays may make 32,768 tests: few rays of those that test thousands each.
        assert!(measured.iter().any(|(measured, all)| measured * 8 < *all), "{name}: {measured:?}");
        assert!(report["picture_block"].as_u64().expect("a number") > 1, "{name}: {report}");
    }
    let whole = report(&mesh_of(directory.path(), "whole.obj", &models::obj()));
    assert!(measured(&whole).iter().all(|(measured, all)| measured == all), "{whole}");
    assert_eq!(whole["picture_block"], 1);
}
