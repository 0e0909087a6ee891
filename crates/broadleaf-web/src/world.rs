//! The frame loop: changes, the tree brought up to date, pairs with those that began and ended.

use crate::clock::timed;
use crate::feed::Feed;
use crate::protocol::{Milliseconds, Settings};
use anyhow::{Context as _, Result};
use broadleaf::glam::Vec3;
use broadleaf::{
    Config, Handle, Layers, Margin, Mobility, Octree, Pair, PairTracker, Scratch, View, inspect::NodeInfo,
    pairs::PairBudget,
};
use readers::limits::check_pairs;
use std::ops::ControlFlow;
use workloads::Player;

/// Frames between two states that are kept for going back.
const KEPT_EVERY: usize = 30;
/// Objects above which no state is kept: a page has little memory.
const KEPT_OBJECTS_MAX: usize = 50_000;
/// Bytes of all kept states together, at most.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// Bytes that a state has for each object beside the tree, roughly: scene, handles, tracker.
const BESIDE_BYTES: usize = 160;
/// How much the box that a camera shows may grow on one side by few objects, as a part of its edge.
const FAR_ROOM: f32 = 0.35;
/// Layers that objects are shared out to, by their slots.
pub(crate) const LAYERS: u32 = 4;
/// All of them.
const ALL_LAYERS: u32 = (1 << LAYERS) - 1;

/// All that decides what comes next.
#[derive(Clone)]
struct State {
    feed: Feed,
    tree: Octree,
    tracker: PairTracker,
    player: Player,
    /// Frames played.
    played: usize,
    /// Whether a step of the source has been left without an update of its own: then the
    /// state is not that of the frame alone.
    merged: bool,
}

/// An earlier state, and the layers that were on.
struct KeptState {
    layers: u32,
    bytes: usize,
    state: State,
}

/// A tree, and the frames that change it.
pub(crate) struct World {
    state: State,
    /// Earlier states, ascending by frame; the first is empty.
    kept: Vec<KeptState>,
    /// Bytes of all of them together, at most.
    kept_bytes_max: usize,
    is_trace: bool,
    /// Bits of the layers that are on.
    layers: u32,
    pub(crate) budget: PairBudget,
    scratch: Scratch,
    /// The nodes before the tracker took what has changed.
    pub(crate) nodes: Vec<NodeInfo>,
    /// Of each slot, the last middle of its object.
    pub(crate) centers: Vec<Vec3>,
    /// Pairs that began and ended since flashes were taken.
    pub(crate) begun: Vec<Pair>,
    pub(crate) ended: Vec<Pair>,
    /// Times of the last frame that was played.
    ms: Milliseconds,
    /// How many times the tree was brought up to date.
    updates: u64,
}

/// Pairs that flash at once, at most.
const FLASHES_MAX: usize = 20_000;

impl World {
    /// The world before its first frame.
    ///
    /// # Errors
    /// A setting is out of range.
    pub(crate) fn new(feed: Feed, settings: Settings) -> Result<Self> {
        let margin = Margin { absolute: settings.margin, relative: 0.0 };
        let tree = Octree::new(Config { looseness: settings.looseness, margin, ..Config::default() })?;
        let is_trace = matches!(feed, Feed::Trace { .. });
        let (tracker, player) = (PairTracker::new(), Player::new());
        let state = State { feed, tree, tracker, player, played: 0, merged: false };
        Ok(Self {
            kept: vec![KeptState { layers: ALL_LAYERS, bytes: 0, state: state.clone() }],
            kept_bytes_max: KEPT_BYTES_MAX,
            state,
            is_trace,
            layers: ALL_LAYERS,
            budget: PairBudget::new(0),
            scratch: Scratch::new(),
            nodes: Vec::new(),
            centers: Vec::new(),
            begun: Vec::new(),
            ended: Vec::new(),
            ms: Milliseconds::default(),
            updates: 0,
        })
    }

    /// Times of the last frame that was played.
    pub(crate) fn times(&self) -> Milliseconds {
        self.ms
    }

    /// How many times the tree was brought up to date: the pairs are those of before while it stays.
    pub(crate) fn updates(&self) -> u64 {
        self.updates
    }

    pub(crate) fn tree(&self) -> &Octree {
        &self.state.tree
    }

    pub(crate) fn tree_mut(&mut self) -> &mut Octree {
        &mut self.state.tree
    }

    pub(crate) fn tracker(&self) -> &PairTracker {
        &self.state.tracker
    }

    /// All pairs.
    pub(crate) fn pairs(&self) -> &[Pair] {
        self.state.tracker.pairs()
    }

    /// A view, and all pairs.
    pub(crate) fn view_and_pairs(&mut self) -> (View<'_>, &[Pair]) {
        (self.state.tree.view(), self.state.tracker.pairs())
    }

    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.state.feed.frames()
    }

    /// The frame that is shown, from 0.
    pub(crate) fn frame(&self) -> usize {
        self.state.played.saturating_sub(1)
    }

    pub(crate) fn at_end(&self) -> bool {
        !self.state.feed.has_next()
    }

    /// The layers to ask about; `None` where all are on.
    pub(crate) fn layers(&self) -> Option<u32> {
        (self.layers != ALL_LAYERS).then_some(self.layers)
    }

    /// Whether the layer of a slot is on.
    pub(crate) fn is_on(&self, slot: u32) -> bool {
        self.layers >> (slot % LAYERS) & 1 == 1
    }

    /// Goes to a frame, each step by itself, from the last kept state before it if it lies behind.
    /// At least one frame is played then, so that its events and changes are known.
    ///
    /// # Errors
    /// A frame that the tree refuses, or with too many pairs.
    pub(crate) fn seek(&mut self, frame: usize) -> Result<()> {
        let target = (frame + 1).min(self.frames());
        if self.state.merged || target < self.state.played {
            let has_layers = |kept: &KeptState| kept.layers == self.layers || kept.state.played == 0;
            let kept = self.kept.iter().rfind(|kept| kept.state.played < target && has_layers(kept));
            self.state.clone_from(&kept.context("the first state is always kept")?.state);
            self.budget.clear();
        }
        while self.state.played < target {
            self.advance(1)?;
        }
        // Pairs that began and ended on the way do not flash.
        self.begun.clear();
        self.ended.clear();
        Ok(())
    }

    /// Plays so many steps of the source as one frame of the tree. Nothing happens at the end.
    ///
    /// # Errors
    /// A frame that the tree refuses, or with too many pairs.
    pub(crate) fn advance(&mut self, steps: u32) -> Result<()> {
        let outcome = self.advance_source(steps);
        // The source is past a frame that the tree has applied in part, or not at all.
        self.state.merged |= outcome.is_err();
        outcome
    }

    fn advance_source(&mut self, steps: u32) -> Result<()> {
        let (mut ms, before) = (Milliseconds::default(), self.state.played);
        for step in 0..steps {
            if self.at_end() {
                break;
            }
            self.state.merged |= step > 0;
            self.step(&mut ms)?;
        }
        if self.state.played > before {
            self.finish(&mut ms).with_context(|| format!("frame {}", self.frame()))?;
            self.ms = ms;
        }
        Ok(())
    }

    /// Applies one step of the source.
    fn step(&mut self, ms: &mut Milliseconds) -> Result<()> {
        let State { feed, tree, player, played, .. } = &mut self.state;
        let (mut update, layers) = (0.0, self.layers);
        let outcome = timed(&mut ms.motion, || {
            feed.next(|frame| {
                player.prepare(frame);
                timed(&mut update, || player.apply(tree))?;
                player.finish(frame);
                if layers != ALL_LAYERS {
                    for handle in frame.spawned.iter().filter_map(|(id, _)| player.handle(*id)) {
                        tree.set_layers(handle, layers_of(handle, layers))?;
                    }
                }
                anyhow::Ok(())
            })
        });
        ms.motion -= update;
        ms.update += update;
        outcome.transpose().with_context(|| format!("frame {played}"))?;
        *played += 1;
        Ok(())
    }

    /// Brings the tree up to date, and tracks the pairs.
    fn finish(&mut self, ms: &mut Milliseconds) -> Result<()> {
        self.updates += 1;
        let tree = &mut self.state.tree;
        timed(&mut ms.update, || tree.view().len());
        if self.is_trace {
            check_pairs(tree.view(), &mut self.scratch)?;
        }
        let nodes = &mut self.nodes;
        timed(&mut ms.buffers, || collect_nodes(tree, nodes));
        let tracker = &mut self.state.tracker;
        timed(&mut ms.pairs, || tracker.update(tree.changes()));
        let room = |list: &Vec<Pair>| FLASHES_MAX.saturating_sub(list.len());
        let tracker = &self.state.tracker;
        self.begun.extend(tracker.begun().iter().take(room(&self.begun)));
        self.ended.extend(tracker.ended().iter().take(room(&self.ended)));
        let State { played, merged, tree, .. } = &self.state;
        let is_due =
            played.is_multiple_of(KEPT_EVERY) && self.kept.last().is_some_and(|last| last.state.played < *played);
        if is_due && !merged && tree.len() <= KEPT_OBJECTS_MAX {
            let pairs = std::mem::size_of_val(self.pairs());
            let bytes = self.tree().memory().total() + self.tree().len() * BESIDE_BYTES + pairs;
            if bytes + self.kept.iter().map(|kept| kept.bytes).sum::<usize>() <= self.kept_bytes_max {
                self.kept.push(KeptState { layers: self.layers, bytes, state: self.state.clone() });
            }
        }
        Ok(())
    }

    /// Switches layers. What interacts no more ends as a pair. Where all are on again, the frame is
    /// played anew, so that the state is the one that no switch has touched.
    ///
    /// # Errors
    /// As of [`World::seek`].
    pub(crate) fn set_layers(&mut self, layers: u32) -> Result<()> {
        let layers = layers & ALL_LAYERS;
        if layers == self.layers {
            return Ok(());
        }
        self.layers = layers;
        // The state is that of the frame and of the switch.
        self.state.merged = true;
        self.kept.retain(|kept| kept.layers == ALL_LAYERS);
        if layers == ALL_LAYERS {
            return self.seek(self.frame());
        }
        let handles: Vec<Handle> = self.state.tree.iter().map(|(handle, _)| handle).collect();
        for handle in handles {
            self.state.tree.set_layers(handle, layers_of(handle, self.layers))?;
        }
        self.finish(&mut Milliseconds::default())
    }

    /// The box around the moving objects (around all, if none moves), now and at the end of a
    /// trace: what a camera should show. The farthest one in twenty on each side counts only if
    /// the box does not grow much by it.
    pub(crate) fn focus(&self) -> [[f32; 3]; 2] {
        let boxes = |moving: bool| -> Vec<broadleaf::Aabb> {
            let chosen = self.tree().iter().filter(|(_, object)| !moving || object.mobility == Mobility::Moving);
            chosen.map(|(_, object)| object.shape.aabb()).filter(crate::edges::is_drawable).collect()
        };
        let mut chosen = boxes(true);
        if chosen.is_empty() {
            chosen = boxes(false);
        }
        chosen.extend(self.state.feed.last_boxes().into_iter().filter(crate::edges::is_drawable));
        if chosen.is_empty() {
            return [[-1.0; 3], [1.0; 3]];
        }
        let (mut min, mut max) = ([0.0; 3], [0.0; 3]);
        let (usual, far) = (chosen.len() / 20, chosen.len() / 500);
        for axis in 0..3 {
            let ends = |end: fn(&broadleaf::Aabb) -> Vec3| {
                let mut ends: Vec<f32> = chosen.iter().map(|aabb| end(aabb)[axis]).collect();
                ends.sort_by(f32::total_cmp);
                ends
            };
            let (mins, maxs, last) = (ends(|aabb| aabb.min), ends(|aabb| aabb.max), chosen.len() - 1);
            let room = (maxs[last - usual] - mins[usual]) * FAR_ROOM;
            let choose = |usual: f32, far: f32| if (far - usual).abs() <= room { far } else { usual };
            (min[axis], max[axis]) = (choose(mins[usual], mins[far]), choose(maxs[last - usual], maxs[last - far]));
        }
        [min, max]
    }
}

/// The layers of an object, of which some are on: an object of a layer that is off interacts with none.
/// Where all are on, objects have the layers that a program gives them by default.
fn layers_of(handle: Handle, on: u32) -> Layers {
    if on == ALL_LAYERS {
        return Layers::default();
    }
    let membership = 1 << (handle.slot() % LAYERS);
    Layers { memberships: membership, filters: if membership & on == 0 { 0 } else { on } }
}

fn collect_nodes(tree: &mut Octree, nodes: &mut Vec<NodeInfo>) {
    nodes.clear();
    tree.view().visit_nodes(|node| {
        nodes.push(node);
        ControlFlow::Continue(())
    });
}

#[cfg(test)]
mod tests;
