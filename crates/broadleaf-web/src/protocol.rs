//! What the page asks, and what it is told, as JSON.

use crate::palette::Palette;
use broadleaf::inspect::{Counters, MemoryUse};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A command of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Command {
    /// What there is: answers with a [`Catalog`].
    Catalog,
    /// Names the file whose bytes follow.
    File {
        /// The name.
        name: String,
        /// Whether it is kept only if the next source opens, and takes the place of a file of its
        /// name only then.
        #[serde(default)]
        on_trial: bool,
    },
    /// Opens a scene, a trace or a model, in place of what is open: answers with [`Opened`].
    Open {
        /// What to open.
        source: Source,
        /// How.
        settings: Settings,
    },
    /// Moves to a frame and answers the questions: answers with a [`Report`].
    Frame(FrameCommand),
    /// Which of the four layers are on, as bits.
    Layers {
        /// The bits.
        mask: u32,
    },
    /// Picks the object that a ray meets first; or none. Answers with a [`crate::protocol::Selection`].
    Pick {
        /// The ray.
        ray: RayInput,
    },
    /// Picks the object of a slot, or the next one after it that lives.
    PickSlot {
        /// The slot.
        slot: u32,
    },
    /// Tells of the picked object.
    Selected,
    /// The state hash of the tree: answers with a text.
    StateHash,
}

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Source {
    /// A synthetic scene.
    Scene {
        /// Its name.
        name: String,
        /// How many objects.
        objects: u32,
        /// Its seed.
        seed: u64,
    },
    /// A trace or a model in a file.
    File {
        /// The name of the file.
        name: String,
    },
}

impl Source {
    /// The name in messages about frames: of a file, without folder and extension.
    pub(crate) fn short_name(&self) -> String {
        match self {
            Self::Scene { name, .. } => name.clone(),
            Self::File { name } => {
                Path::new(name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned())
            }
        }
    }
}

/// Settings of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// [`broadleaf::Config::looseness`].
    pub looseness: f32,
    /// [`broadleaf::Margin::absolute`].
    pub margin: f32,
}

/// What to do in a frame.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FrameCommand {
    /// Steps of the source that become one update of the tree.
    #[serde(default)]
    pub steps: u32,
    /// The frame to go to instead.
    #[serde(default)]
    pub seek: Option<usize>,
    /// The question under the mouse.
    #[serde(default)]
    pub probe: Option<Probe>,
    /// The second camera: view and projection, column by column, clip depths from -1 to 1.
    #[serde(default)]
    pub culling: Option<[f32; 16]>,
    /// Pairs that a frame may serve.
    #[serde(default)]
    pub budget: Option<usize>,
    /// What to draw.
    #[serde(default)]
    pub show: Show,
    /// Whether the flashes of pairs are taken now.
    #[serde(default)]
    pub flashes: bool,
    /// How far the colours of objects go towards new ones, from 0 to 1; at once if it is missing.
    #[serde(default = "at_once")]
    pub ease: f32,
}

fn at_once() -> f32 {
    1.0
}

/// What to draw beside the objects.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, clippy::struct_excessive_bools, reason = "each is a buffer, or a pair of them")]
pub struct Show {
    pub cells: bool,
    pub bounds: bool,
    pub buckets: bool,
    pub changed: bool,
    pub pairs: bool,
    /// Whether the colours are those for a light background; no buffer.
    pub light: bool,
}

/// A ray.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RayInput {
    /// Where it starts.
    pub origin: [f32; 3],
    /// Where it goes; need not be a unit vector.
    pub direction: [f32; 3],
}

/// The question under the mouse: a ray, or a box where the ray meets something.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probe {
    /// The ray.
    pub ray: RayInput,
    /// Half the edge of the box; a ray if it is missing.
    #[serde(default)]
    pub half: Option<f32>,
    /// How far along the ray the box stands if the ray meets nothing.
    pub distance: f32,
}

/// What there is to open, and the colours.
#[derive(Debug, Serialize)]
pub struct Catalog {
    scenes: Vec<(&'static str, &'static str)>,
    legend: Vec<(&'static str, [u8; 3])>,
    buffers: Vec<&'static str>,
}

impl Catalog {
    pub(crate) fn new() -> Self {
        let describe = |name| Some((name, workloads::Scene::by_name(name, 1, 1)?.description()));
        let scenes = workloads::Scene::NAMES.into_iter().filter_map(describe).collect();
        let buffers = crate::buffers::Buffer::ALL.map(|(name, _)| name).to_vec();
        Self { scenes, legend: Palette::legend(), buffers }
    }
}

/// What has been opened.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// The number of frames; 0 of a model.
    pub frames: usize,
    /// The box that a camera should show: minimum and maximum.
    pub focus: [[f32; 3]; 2],
    /// Triangles of a model.
    pub triangles: usize,
}

/// A frame.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The frame, from 0.
    pub frame: usize,
    /// Whether there is no next frame.
    pub at_end: bool,
    /// Objects in the tree, and those of them that are too far out to be drawn.
    pub objects: usize,
    /// See `objects`.
    pub undrawn: usize,
    /// Overlapping pairs.
    pub pairs: usize,
    /// Pairs that began and ended in this frame.
    pub begun: usize,
    /// See `begun`.
    pub ended: usize,
    /// Times: of the last frame that moved, and of the questions and the buffers of this one.
    pub ms: Milliseconds,
    /// Bytes by kind: nodes, blocks, objects.
    pub memory: [usize; 3],
    /// Counters of the tree.
    pub counters: TreeCounters,
    /// The question under the mouse.
    pub probe: Option<ProbeReport>,
    /// Objects in the second camera's frustum, and the work to find them.
    pub culling: Option<Work>,
    /// What the budget did.
    pub budget: Option<BudgetReport>,
}

/// Milliseconds of each phase of a frame.
#[derive(Debug, Default, Clone, Copy, Serialize)]
pub struct Milliseconds {
    /// The scene's own motion: not the library's.
    pub motion: f64,
    /// Changes, and bringing the tree up to date.
    pub update: f64,
    /// All pairs, with those that began and ended.
    pub pairs: f64,
    /// Ray or box, frustum, budget.
    pub questions: f64,
    /// Filling the buffers.
    pub buffers: f64,
}

/// The work of a question.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "as in `QueryStats`")]
pub struct Work {
    pub visited: u64,
    pub tested: u64,
    pub hits: u64,
}

impl From<broadleaf::QueryStats> for Work {
    fn from(stats: broadleaf::QueryStats) -> Self {
        Self { visited: stats.nodes_visited, tested: stats.objects_tested, hits: stats.hits }
    }
}

/// What the question under the mouse found.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct ProbeReport {
    /// Work of the question that is drawn: all that the ray or the box meets.
    pub all: Work,
    /// Work of the closest hit alone, of a ray.
    pub closest: Option<Work>,
    /// The object, or the triangle, that the ray meets first, and its distance.
    pub first: Option<(String, f32)>,
}

/// What a budget did.
#[derive(Debug, Default, Clone, Copy, Serialize)]
#[expect(missing_docs, reason = "as in the library's `BudgetReport`")]
pub struct BudgetReport {
    pub served: usize,
    pub deferred: usize,
    pub dropped: usize,
    pub waited: u32,
}

/// Of the tree's counters, those that are shown.
#[derive(Debug, Default, Clone, Copy, Serialize)]
#[expect(missing_docs, reason = "as in the library's `Counters`")]
pub struct TreeCounters {
    pub nodes: usize,
    pub blocks: usize,
    pub outsized: usize,
    pub rebuilds: u64,
    pub relocations: u64,
    pub splits: u64,
    pub merges: u64,
    pub refits: u64,
    pub reruns: u64,
}

impl From<Counters> for TreeCounters {
    fn from(all: Counters) -> Self {
        let Counters { rebuilds, relocations, splits, merges, refits, reruns, outsized, .. } = all;
        let (nodes, blocks) = (all.nodes_live, all.blocks_live);
        Self { nodes, blocks, outsized, rebuilds, relocations, splits, merges, refits, reruns }
    }
}

/// Bytes by kind.
pub(crate) fn bytes(memory: MemoryUse) -> [usize; 3] {
    [memory.nodes, memory.blocks, memory.objects]
}

/// The picked object.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// Slot and generation.
    pub handle: String,
    /// The slot.
    pub slot: u32,
    /// The object in words.
    pub text: String,
    /// Where its middle is.
    pub center: [f32; 3],
    /// The handles of the objects that it overlaps, sorted.
    pub neighbours: Vec<String>,
    /// Their slots, in the same order.
    pub neighbour_slots: Vec<u32>,
}
