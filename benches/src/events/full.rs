//! What a caller would do without the tracker: list all pairs in every frame, and
//! then sort them and compare with the list before, or have no events.

use super::cases::EventFrame;
use super::octree::Handles;
use super::{EventSubject, IndexPair};
use broadleaf::{Object, Octree, Pair, Scratch};
use std::cmp::Ordering;
use std::collections::HashSet;

/// The tree, and the lists.
pub struct FullList {
    compares: bool,
    tree: Octree,
    scratch: Scratch,
    world: Handles,
    known: Vec<Pair>,
    found: Vec<Pair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
}

impl FullList {
    /// Sorts and compares the lists in each frame.
    #[must_use]
    pub fn compared() -> Self {
        Self { compares: true, ..Self::listed() }
    }

    /// Lists the pairs in each frame, and does nothing with them: what events cost besides is what a
    /// tracker takes more than this.
    #[must_use]
    pub fn listed() -> Self {
        Self {
            compares: false,
            tree: Octree::default(),
            scratch: Scratch::new(),
            world: Handles::default(),
            known: Vec::new(),
            found: Vec::new(),
            begun: Vec::new(),
            ended: Vec::new(),
        }
    }

    fn list(&mut self) {
        std::mem::swap(&mut self.known, &mut self.found);
        self.tree.view().pairs(&mut self.scratch).collect_into(&mut self.found);
        if self.compares {
            self.compare();
        }
    }

    /// The list before is sorted if it has been compared.
    fn compare(&mut self) {
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
    }

    /// What one list has and the other has not, to verify lists that are not compared.
    fn only(these: &[Pair], those: &[Pair]) -> Vec<Pair> {
        let those: HashSet<Pair> = those.iter().copied().collect();
        these.iter().copied().filter(|pair| !those.contains(pair)).collect()
    }
}

impl EventSubject for FullList {
    fn name(&self) -> &'static str {
        if self.compares { "broadleaf, full lists" } else { "broadleaf, all pairs" }
    }

    fn load(&mut self, objects: &[Object]) {
        self.tree = Octree::default();
        self.found.clear();
        self.world.load(&mut self.tree, objects);
        self.list();
    }

    fn frame(&mut self, frame: &EventFrame) -> usize {
        self.world.apply(&mut self.tree, frame);
        self.list();
        self.begun.len() + self.ended.len()
    }

    fn begun(&self) -> Vec<IndexPair> {
        if self.compares {
            return self.world.indices(&self.begun);
        }
        self.world.indices(&Self::only(&self.found, &self.known))
    }

    fn ended(&self) -> Vec<IndexPair> {
        if self.compares {
            return self.world.indices(&self.ended);
        }
        self.world.indices(&Self::only(&self.known, &self.found))
    }

    fn counts_events(&self) -> bool {
        self.compares
    }
}
