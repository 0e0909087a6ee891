//! The program's arguments.

use crate::picture::{Size, Viewpoint};
use crate::question::Question;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// The numbers are those of `limits` and of `workloads::trace::limits`; a test compares them.
const LIMITS: &str = "\
Limits (what is beyond them is refused, with the value and its place):
  a file: 1 GiB; glTF: also all buffers together, which must be regular files in the folder of the document or below, links followed
  a trace: 1048576 frames, 1048576 objects that live at once, 33554432 changes in all, 16777216 pairs in a frame
  a model: 16777216 triangles, 50331648 positions, 16777216 faces; glTF: 1048576 JSON objects, 1048576 placed primitives
  Where rays test more than 512 triangles on average, `mesh` measures fewer rays, draws in blocks of pixels, and says so.";

/// Runs, checks and draws the broadleaf octree.
///
/// Without a command, replays a recorded pile of falling bodies, checks it
/// against brute force, prints a table and writes a picture.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_long_help = LIMITS)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Print one JSON object instead of a table, and no progress
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Threads of the pair pass; of a model, also of its build, its rays and its picture
    #[arg(long, global = true, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// Draw the busiest frame of a run or replay into this PNG file [without a command: broadleaf.png]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a synthetic scene and measure it
    Run(SceneArguments),
    /// Replay a trace and measure it
    Replay {
        /// A trace, binary or .csv, or the name of a recording
        file: PathBuf,
    },
    /// Compare every frame of a trace with brute force
    ///
    /// Compared in each frame: all pairs, the pairs known to the tracker, begun pairs and ended pairs; the camera
    /// frustum, as a list and as the visited frustum, each with what is wholly inside; the closest hits of 300 rays.
    /// Around 16 of the objects, by every form of answer: what is at a point, in a box, a sphere, an oriented box, a
    /// capsule and a convex region; rays; a sweep with all its times; the nearest objects with their distances; and
    /// the partners of an object, that is, its pairs. Each frame, the tree's invariants are checked, too.
    ///
    /// The exit status is 0 if all answers are equal, 1 if one differs, and 2 if the file cannot be read.
    Check {
        /// A trace, binary or .csv, or the name of a recording
        file: PathBuf,
    },
    /// Draw one frame of a trace or a scene
    Draw(DrawArguments),
    /// Measure this library and its peers in Rust on a trace of your own, side by side, answers verified
    ///
    /// Prints a table and draws a chart: bulk build, a frame that moves all movers and lists all pairs, all pairs alone,
    /// boxes, rays, neighbours, and pair events over the whole trace. The peers are compiled only where they are asked
    /// for: cargo run --release -p broadleaf-cli --features compare -- compare FILE
    Compare(CompareArguments),
    /// Build, measure, check and draw a model of triangles
    ///
    /// Prints the rays per second of four traversals, compares a sample of the rays with brute force, and draws the
    /// model by casting rays. The exit status is 0 if all answers are equal, 1 if one differs, and 2 if the file
    /// cannot be read.
    Mesh(MeshArguments),
    /// Write the viewer's page with a trace or a model inside, to open in a browser or to send to somebody
    View(ViewArguments),
    /// List the scenes, the recordings and the models
    Scenes,
}

/// Which model, and what to do with it.
#[derive(Debug, Args)]
pub(crate) struct MeshArguments {
    /// A model: .obj, .ply, .stl, .gltf or .glb
    #[arg(conflicts_with_all = ["model", "triangles", "seed"])]
    pub(crate) file: Option<PathBuf>,
    /// Name of a generated model instead of a file; see `broadleaf scenes`
    #[arg(long, default_value = "torus")]
    pub(crate) model: String,
    /// Triangles of the generated model
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) triangles: u32,
    /// Seed of the generated model
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Build it for fast rays, which takes 9 to 24 times as long
    #[arg(long)]
    pub(crate) high_quality: bool,
    /// Rays of each kind that are measured
    #[arg(long, default_value_t = 40_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) rays: u32,
    /// PNG file to write
    #[arg(long, short, value_name = "FILE", default_value = "mesh.png")]
    pub(crate) out: PathBuf,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x1000")]
    pub(crate) size: Size,
    /// Where the camera stands, and what it looks at [default: so that all is seen; the middle of the model]
    #[arg(long, value_name = "X,Y,Z[,TX,TY,TZ]", allow_hyphen_values = true)]
    pub(crate) camera: Option<Viewpoint>,
    /// Draw the octree's leaves over the model
    #[arg(long)]
    pub(crate) cells: bool,
}

/// Which trace, and how carefully.
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A trace, binary or .csv, or the name of a recording
    pub(crate) file: PathBuf,
    /// Rounds behind each median
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) rounds: u16,
    /// Questions of each kind
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) questions: u32,
    /// SVG file to write
    #[arg(long, short, value_name = "FILE", default_value = "compare.svg")]
    pub(crate) output: PathBuf,
}

/// What to put into the viewer's page.
#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// A trace, binary or .csv, the name of a recording, or a model: .obj, .ply, .stl, .gltf or .glb
    pub(crate) file: PathBuf,
    /// The bare page, as `cargo xtask web` makes it [default: broadleaf-viewer.html beside the program]
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// HTML file to write [default: the name of the file, with .html]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Which synthetic scene, and how much of it.
#[derive(Debug, Args)]
pub(crate) struct SceneArguments {
    /// Name of the scene; see `broadleaf scenes`
    #[arg(long, default_value = "uniform")]
    pub(crate) scene: String,
    /// Objects in the scene
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) objects: u32,
    /// Frames to run
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) frames: u32,
    /// Seed of the scene
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// What to draw.
#[derive(Debug, Args)]
pub(crate) struct DrawArguments {
    /// A trace, binary or .csv, or the name of a recording
    #[arg(required_unless_present = "scene", conflicts_with = "scene")]
    pub(crate) file: Option<PathBuf>,
    /// Name of a synthetic scene instead of a trace
    #[arg(long)]
    pub(crate) scene: Option<String>,
    /// Objects in the scene
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) objects: u32,
    /// Seed of the scene
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Frame to draw, counted from 0 [default: the one with the most pairs; of a scene, 0]
    #[arg(long)]
    pub(crate) frame: Option<u32>,
    /// PNG file to write
    #[arg(long, short, default_value = "broadleaf.png")]
    pub(crate) output: PathBuf,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x1000")]
    pub(crate) size: Size,
    /// Draw what a question visits (red), tests and hits: ray, box, sphere, nearest or frustum
    ///
    /// A place may follow: ray:X,Y,Z,TX,TY,TZ (from, and towards), box:MINX,MINY,MINZ,MAXX,MAXY,MAXZ, sphere:X,Y,Z,R,
    /// nearest:X,Y,Z. Without one, the question is asked in the middle of the world.
    #[arg(long, value_name = "QUESTION", allow_hyphen_values = true)]
    pub(crate) ask: Option<Question>,
}
