//! broadleaf's tracker, exact and with a margin.

use super::cases::EventFrame;
use super::{EventSubject, IndexPair, Kept, index_pair};
use broadleaf::{Aabb, Config, Handle, Margin, Object, Octree, Pair, PairTracker};

/// The margin of the row that has one: as rapier3d's.
const MARGIN: f32 = 0.04;

/// The tree, the tracker, and the handle of each index.
pub struct Events {
    config: Config,
    tree: Octree,
    tracker: PairTracker,
    world: Handles,
}

/// The handle of each index and back.
#[derive(Default)]
pub(super) struct Handles {
    by_index: Vec<Handle>,
    /// The index of each handle ever given, by slot; the last entry is the living one.
    by_slot: Vec<Vec<(Handle, u32)>>,
    new: Vec<Handle>,
    movers: Vec<Handle>,
}

impl Handles {
    /// Empties the tree and fills it.
    pub(super) fn load(&mut self, tree: &mut Octree, objects: &[Object]) {
        self.by_index.clear();
        self.by_slot.clear();
        self.spawn(tree, objects);
    }

    fn spawn(&mut self, tree: &mut Octree, objects: &[Object]) {
        tree.insert_many(objects, &mut self.new).expect("finite boxes");
        for &handle in &self.new {
            let (slot, index) = (handle.slot() as usize, u32::try_from(self.by_index.len()).expect("few objects"));
            if self.by_slot.len() <= slot {
                self.by_slot.resize(slot + 1, Vec::new());
            }
            self.by_slot[slot].push((handle, index));
            self.by_index.push(handle);
        }
    }

    /// Makes the changes of a frame.
    pub(super) fn apply(&mut self, tree: &mut Octree, frame: &EventFrame) {
        for &index in &frame.removed {
            tree.remove(self.by_index[index as usize]);
        }
        if !frame.spawned.is_empty() {
            self.spawn(tree, &frame.spawned);
        }
        self.movers.clear();
        self.movers.extend(frame.moved.iter().map(|&index| self.by_index[index as usize]));
        let boxes: &[Aabb] = &frame.boxes;
        tree.update_many(&self.movers, boxes).expect("a box for each mover");
    }

    /// Pairs of handles as pairs of indices.
    pub(super) fn indices(&self, pairs: &[Pair]) -> Vec<IndexPair> {
        let index = |handle: Handle| {
            let known = self.by_slot[handle.slot() as usize].iter();
            known.rev().find(|known| known.0 == handle).expect("a handle of this world").1
        };
        pairs.iter().map(|pair| index_pair(index(pair.a()), index(pair.b()))).collect()
    }
}

impl Events {
    fn with_config(config: Config) -> Self {
        let tree = Octree::new(config).expect("settings in range");
        Self { config, tree, tracker: PairTracker::new(), world: Handles::default() }
    }

    /// With rapier3d's margin.
    ///
    /// # Panics
    /// Never: the margin is in range.
    #[must_use]
    pub fn with_margin() -> Self {
        Self::with_config(Config { margin: Margin { absolute: MARGIN, relative: 0.0 }, ..Config::default() })
    }

    /// The pairs as of the last frame.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        self.tracker.pairs()
    }
}

impl Default for Events {
    fn default() -> Self {
        Self::with_config(Config::default())
    }
}

impl EventSubject for Events {
    fn name(&self) -> &'static str {
        if self.kept() == Kept::Exact { "broadleaf" } else { "broadleaf, margin" }
    }

    fn load(&mut self, objects: &[Object]) {
        self.tree = Octree::new(self.config).expect("settings in range");
        self.tracker.clear();
        self.world.load(&mut self.tree, objects);
        self.tracker.update(self.tree.changes());
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.world.apply(&mut self.tree, frame);
        self.tracker.update(self.tree.changes());
        self.tracker.begun().len() + self.tracker.ended().len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        self.world.indices(self.tracker.begun())
    }

    fn ended(&self) -> Vec<IndexPair> {
        self.world.indices(self.tracker.ended())
    }

    fn kept(&self) -> Kept {
        // A shape that shrinks keeps its bounds until they are two margins too large.
        if self.config.margin == Margin::NONE { Kept::Exact } else { Kept::Within(3.0 * MARGIN) }
    }
}
