//! The sweep: every operation on scenes that nobody tuned for, warm and cold.

mod run;
mod summary;

pub use run::{Effort, FRAMES, run};
pub use summary::{losses, summary};

use workloads::sweep::{Named, draws, fixed};

/// Objects of the fixed scenes.
pub const COUNT: u32 = 20_000;
/// The most objects that are drawn.
const DRAWN_MAX: u32 = 50_000;
/// Small worlds: how many objects, in which of the fixed scenes.
const SMALL: [u32; 3] = [100, 300, 1000];
const SMALL_SCENES: [&str; 6] = ["even", "dense", "sizes-30", "planks", "islands", "plates"];
/// Large worlds.
const LARGE: [u32; 2] = [1_000_000, 4_000_000];
const LARGE_SCENES: [&str; 2] = ["even", "sizes-30"];
/// The peers of large worlds.
pub const LARGE_PEERS: [&str; 2] = ["parry3d Bvh", "obvhs Bvh2"];

/// What one operation is called in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Build from scratch.
    Build,
    /// Move all movers, list all pairs.
    Frame,
    /// Move all movers, report who began and who ceased to overlap.
    Events,
    /// List all pairs.
    Pairs,
    /// Boxes in a box.
    Box,
    /// The nearest box on a ray.
    Ray,
    /// Heap bytes after a build.
    Memory,
}

impl Measure {
    /// All, in the order of the tables.
    pub const ALL: [Self; 7] =
        [Self::Build, Self::Frame, Self::Events, Self::Pairs, Self::Box, Self::Ray, Self::Memory];

    /// The name in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Frame => "frame",
            Self::Events => "events",
            Self::Pairs => "pairs",
            Self::Box => "box",
            Self::Ray => "ray",
            Self::Memory => "memory",
        }
    }
}

/// The fixed scenes, and some of them with few objects.
#[must_use]
pub fn standard() -> Vec<Named> {
    let mut scenes = fixed(COUNT);
    scenes.extend(SMALL.into_iter().flat_map(|count| some(count, &SMALL_SCENES)));
    scenes
}

/// Scenes of millions of objects.
#[must_use]
pub fn large() -> Vec<Named> {
    LARGE.into_iter().flat_map(|count| some(count, &LARGE_SCENES)).collect()
}

/// Scenes that are drawn.
#[must_use]
pub fn drawn(number: u32, seed: u64) -> Vec<Named> {
    draws(number, seed, DRAWN_MAX)
}

fn some(count: u32, names: &[&str]) -> Vec<Named> {
    let mut scenes = fixed(count);
    scenes.retain(|named| names.contains(&named.name.as_str()));
    scenes
}
