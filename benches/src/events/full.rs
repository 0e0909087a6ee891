//! What a caller would do without the tracker: list all pairs in every frame; and where events are wanted,
//! sort them, and compare with the list before.

use super::cases::EventFrame;
use super::octree::Handles;
use super::{EventSubject, IndexPair};
use broadleaf::{Object, Octree, Pair, Scratch};
use std::cmp::Ordering;

/// The tree, and the sorted lists.
#[derive(Default)]
pub struct FullList {
    tree: Octree,
    scratch: Scratch,
    world: Handles,
    known: Vec<Pair>,
    found: Vec<Pair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
}

impl FullList {
    fn compare(&mut self) {
        self.tree.view().pairs(&mut self.scratch).collect_into(&mut self.found);
        self.found.sort_unstable();
        self.begun.clear();
        self.ended.clear();
        let (mut old, mut new) = (self.known.iter().peekable(), self.found.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.cmp(new),
            };
            match order {
                Ordering::Less => self.ended.extend(old.next()),
                Ordering::Greater => self.begun.extend(new.next()),
                Ordering::Equal => _ = (old.next(), new.next()),
            }
        }
        std::mem::swap(&mut self.known, &mut self.found);
    }
}

impl EventSubject for FullList {
    fn name(&self) -> &'static str {
        "broadleaf, full lists"
    }

    fn load(&mut self, objects: &[Object]) {
        self.tree = Octree::default();
        self.known.clear();
        self.world.load(&mut self.tree, objects);
        self.compare();
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.world.apply(&mut self.tree, frame);
        self.compare();
        self.begun.len() + self.ended.len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        self.world.indices(&self.begun)
    }

    fn ended(&self) -> Vec<IndexPair> {
        self.world.indices(&self.ended)
    }
}

/// The name of the row that lists all pairs.
pub const ALL_PAIRS: &str = "broadleaf, all pairs";

/// Lists all pairs in every frame, and finds no events: the baseline of the cost of events.
#[derive(Default)]
pub struct AllPairs {
    tree: Octree,
    scratch: Scratch,
    world: Handles,
    pairs: Vec<Pair>,
}

impl AllPairs {
    fn list(&mut self) {
        self.tree.view().pairs(&mut self.scratch).collect_into(&mut self.pairs);
    }
}

impl EventSubject for AllPairs {
    fn name(&self) -> &'static str {
        ALL_PAIRS
    }

    fn load(&mut self, objects: &[Object]) {
        self.tree = Octree::default();
        self.world.load(&mut self.tree, objects);
        self.list();
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.world.apply(&mut self.tree, frame);
        self.list();
        self.pairs.len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        self.world.indices(&self.pairs)
    }

    fn ended(&self) -> Vec<IndexPair> {
        Vec::new()
    }

    fn lists_pairs(&self) -> bool {
        true
    }
}
