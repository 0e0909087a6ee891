//! Records the traces in `recordings/`: runs a physics engine on a few scenes
//! and keeps the boxes of its colliders.
//!
//! `cargo run --release -p workloads --features record --bin record -- [DIRECTORY] [SCENE]...`

mod capture;
mod level;
mod stage;
mod toys;

use stage::Stage;
use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

/// A scene, the steps it runs before the recording starts, and the frames that are recorded.
type Recipe = (&'static str, fn() -> Stage, u32, u32);

const RECIPES: [Recipe; 4] = [
    ("pile", toys::pile, 60, 300),
    ("tower", toys::tower, 30, 300),
    ("drum", toys::drum, 120, 300),
    ("level", level::level, 45, 300),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(
        arguments.next().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/recordings").to_owned()),
    );
    let wanted: Vec<String> = arguments.collect();
    std::fs::create_dir_all(&directory)?;
    for (name, make, skipped, frames) in RECIPES {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let mut stage = make();
        (0..skipped).for_each(|_| stage.step());
        let trace = capture::record(&mut stage, frames);
        let path = directory.join(name).with_extension("bltrace");
        trace.write(File::create(&path)?)?;
        let moves: usize = trace.frames.iter().map(|frame| frame.moved.len()).sum();
        let bytes = path.metadata()?.len();
        let objects = stage.world.colliders.len();
        println!("{name}: {objects} objects, {frames} frames, {moves} moves, {bytes} bytes");
    }
    Ok(())
}
