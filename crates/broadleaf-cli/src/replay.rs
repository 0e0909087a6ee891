//! The frame loop: update, pairs that begin and end, all pairs, a frustum, rays; measured, and checked on the way.

use crate::allocations::{Cost, measure};
use crate::camera::Questions;
use crate::check;
use crate::question::Question;
use crate::snapshot::Snapshot;
use crate::source::Source;
use crate::world::World;
use anyhow::{Context as _, Result};
use broadleaf::{Containment, Handle, Octree, Pair, PairTracker, RayHit, Scratch, Threads, View, inspect::NodeInfo};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;
use readers::limits::check_pairs;
use std::ops::ControlFlow;

/// How to replay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Threads of the pair pass.
    pub(crate) threads: u16,
    /// Whether to show a progress bar.
    pub(crate) progress: bool,
    /// Whether to keep the busiest frame, to draw it.
    pub(crate) keep_busiest: bool,
}

/// What one frame cost, and how large the world was.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FrameRecord {
    pub(crate) objects: usize,
    pub(crate) pairs: usize,
    pub(crate) begun: usize,
    pub(crate) ended: usize,
    pub(crate) nodes: usize,
    pub(crate) bytes: usize,
    pub(crate) update: Cost,
    pub(crate) pairing: Cost,
    pub(crate) events: Cost,
    pub(crate) frustum: Cost,
    pub(crate) rays: Cost,
}

/// What came of a replay.
pub(crate) struct Outcome {
    /// One record a frame.
    pub(crate) records: Vec<FrameRecord>,
    /// Index of the frame with the most pairs; the first of equals.
    pub(crate) busiest_frame: usize,
    /// That frame, if it was to be kept or is compared.
    pub(crate) busiest: Option<Snapshot>,
    /// What the comparison with brute force found.
    pub(crate) verdict: check::Verdict,
}

/// Replays all frames.
pub(crate) fn replay(source: &mut Source, options: Options) -> Result<Outcome> {
    let mut stage = Stage::new(options.threads)?;
    let mut verdict = check::Verdict::new(source.frames());
    let mut records: Vec<FrameRecord> = Vec::with_capacity(source.frames());
    let (mut busiest_frame, mut busiest) = (0, None);
    let bar = progress_bar("frame", source.frames(), options.progress);
    for frame in 0..source.frames() {
        let record = stage.frame(source, frame)?;
        records.push(record);
        if check::is_sampled(frame, source.frames(), record.objects) {
            verdict.compare(&stage.snapshot(frame));
        }
        if frame == 0 || records[busiest_frame].pairs < record.pairs {
            busiest_frame = frame;
            let is_kept = options.keep_busiest || check::is_feasible(record.objects);
            busiest = is_kept.then(|| stage.snapshot(frame));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(busiest) = &busiest
        && check::is_feasible(busiest.objects.len())
        && !verdict.has_seen(busiest_frame)
    {
        verdict.compare(busiest);
    }
    Ok(Outcome { records, busiest_frame, busiest, verdict })
}

/// Replays up to a frame, or all frames, and returns that frame, or the busiest one,
/// with a question asked there.
pub(crate) fn frame(
    source: &mut Source,
    threads: u16,
    wanted: Option<usize>,
    question: Option<Question>,
) -> Result<Snapshot> {
    let mut stage = Stage::new(threads)?;
    stage.cells = Some(Vec::new());
    let mut best: Option<Snapshot> = None;
    for frame in 0..wanted.map_or(source.frames(), |wanted| wanted + 1) {
        let record = stage.frame(source, frame)?;
        let better = match wanted {
            Some(wanted) => frame == wanted,
            None => best.as_ref().is_none_or(|best| best.pairs.len() < record.pairs),
        };
        if better {
            let mut snapshot = stage.snapshot(frame);
            if let Some(question) = question {
                snapshot.asked = Some(question.ask(stage.world.view(), stage.questions.frustum.as_ref())?);
            }
            best = Some(snapshot);
        }
    }
    Ok(best.unwrap_or_default())
}

/// A pool of so many threads, if that is more than one.
pub(crate) fn pool(threads: u16) -> Result<Option<ThreadPool>> {
    (threads > 1).then(|| pool_of(threads)).transpose()
}

/// A pool of so many threads.
pub(crate) fn pool_of(threads: u16) -> Result<ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build().context("cannot start the threads")
}

/// The bar over frames, or what else there is to do, on the terminal's error stream if there is one.
pub(crate) fn progress_bar(what: &'static str, count: usize, shown: bool) -> ProgressBar {
    if !shown {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX)).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{bar:40.cyan/blue} {msg} {pos} of {len}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// The frames at the start of a replay in which memory may still grow: a quarter.
pub(crate) fn warm_up(frames: usize) -> usize {
    frames.div_ceil(4)
}

/// The world of a replay, its questions, and the buffers of the answers.
pub(crate) struct Stage {
    world: World,
    pool: Option<ThreadPool>,
    scratch: Scratch,
    tracker: PairTracker,
    /// For a picture: the nodes before the tracker takes what has changed.
    cells: Option<Vec<NodeInfo>>,
    questions: Questions,
    pairs: Vec<Pair>,
    visible: Vec<(Handle, Containment)>,
    hits: Vec<Option<RayHit>>,
}

impl Stage {
    /// An empty world, with a pool if there is more than one thread.
    pub(crate) fn new(threads: u16) -> Result<Self> {
        let pool = pool(threads)?;
        Ok(Self {
            world: World::new()?,
            pool,
            scratch: Scratch::new(),
            tracker: PairTracker::new(),
            cells: None,
            questions: Questions::default(),
            pairs: Vec::new(),
            visible: Vec::new(),
            hits: Vec::new(),
        })
    }

    /// The world.
    pub(crate) fn world(&mut self) -> &mut World {
        &mut self.world
    }

    /// Applies the next frame and asks all questions.
    pub(crate) fn frame(&mut self, source: &mut Source, frame: usize) -> Result<FrameRecord> {
        let update = self.world.apply(source.frame(frame)).with_context(|| format!("frame {frame}"))?;
        self.questions.prepare(frame, self.world.tree().iter()).with_context(|| format!("frame {frame}"))?;
        self.hits.clear();
        self.hits.reserve(self.questions.rays.len());
        if let Some(cells) = &mut self.cells {
            *cells = nodes(self.world.view());
        }
        if source.is_trace() {
            check_pairs(self.world.view(), &mut self.scratch).with_context(|| format!("frame {frame}"))?;
        }
        let events = find_events(self.world.tree_mut(), self.pool.as_ref(), &mut self.tracker);
        let view = self.world.view();
        let objects = view.len();
        let pairing = find_pairs(view, self.pool.as_ref(), &mut self.scratch, &mut self.pairs);
        let mut frustum = Cost::default();
        if let Some(camera) = &self.questions.frustum {
            let asked = view.overlap(camera).with_context(|| format!("frame {frame}"))?.with_containment();
            (_, frustum) = measure(|| asked.collect_into(&mut self.visible));
        }
        let ((), rays) = measure(|| {
            for ray in &self.questions.rays {
                self.hits.push(view.cast(ray).closest());
            }
        });
        let tree = self.world.tree();
        let (nodes, bytes) = (tree.counters().nodes_live, tree.memory().total());
        let pairs = self.pairs.len();
        let (begun, ended) = (self.tracker.begun().len(), self.tracker.ended().len());
        if frame < warm_up(source.frames()) {
            // Room for frames with twice as many pairs, as a game makes while it loads.
            self.tracker.reserve(objects, 2 * pairs);
        }
        Ok(FrameRecord { objects, pairs, begun, ended, nodes, bytes, update, pairing, events, frustum, rays })
    }

    /// A copy of the frame just replayed.
    pub(crate) fn snapshot(&mut self, frame: usize) -> Snapshot {
        let cells = self.cells.clone().unwrap_or_else(|| nodes(self.world.view()));
        Snapshot {
            frame,
            objects: self.world.tree().iter().collect(),
            cells,
            questions: self.questions.clone(),
            pairs: self.pairs.clone(),
            tracked: self.tracker.pairs().to_vec(),
            begun: self.tracker.begun().to_vec(),
            ended: self.tracker.ended().to_vec(),
            visible: self.visible.clone(),
            hits: self.hits.clone(),
            asked: None,
        }
    }
}

fn find_pairs(view: View<'_>, pool: Option<&ThreadPool>, scratch: &mut Scratch, found: &mut Vec<Pair>) -> Cost {
    let mut list = |threads| measure(|| view.pairs(scratch).threads(threads).collect_into(found)).1;
    match pool {
        // Measured inside the pool: entering it is the program's affair.
        Some(pool) => pool.install(|| list(Threads::Pool)),
        None => list(Threads::One),
    }
}

fn nodes(view: View<'_>) -> Vec<NodeInfo> {
    let mut nodes = Vec::new();
    view.visit_nodes(|node| {
        nodes.push(node);
        ControlFlow::Continue(())
    });
    nodes
}

fn find_events(tree: &mut Octree, pool: Option<&ThreadPool>, tracker: &mut PairTracker) -> Cost {
    tracker.set_threads(if pool.is_some() { Threads::Pool } else { Threads::One });
    let mut update = || measure(|| tracker.update(tree.changes())).1;
    match pool {
        Some(pool) => pool.install(update),
        None => update(),
    }
}
