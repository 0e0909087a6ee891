//! The second half of a bulk build on several threads: items are sorted, the
//! top of the tree is cut into subtrees, their nodes and blocks are counted,
//! and then each is written in its place. The outcome is that of a serial build,
//! whatever the number of threads.

use super::count::{BuildSize, BuildTotals, Count, Grain, Subtree};
use super::cut::{Builder, Rules};
use super::share::BuildScratch;
use super::sort::{Item, NO_COUNTS, sort_shared};
use super::source::Source;
use super::store::KeyInfo;
use super::stretch_store::StretchStore;
use super::tails::Tails;
use super::tasks::{self, OffsetSlice, Pool};
use crate::data::stretch::{BlockStretch, NodeStretch};
use crate::data::{BlockId, Cell, Data, NodeId, Objects, Threads};
use crate::tree::Octree;

/// Objects below which a build is not worth sharing out.
const SHARED_MIN: usize = 16_384;
/// Subtrees that a tree is cut into, at about equal numbers of objects.
const PARTS: usize = 48;
/// Objects below which a subtree is not worth a task.
const PART_MIN: usize = 256;

impl Octree {
    /// Whether a bulk build of so many objects is shared out.
    #[inline]
    pub(super) fn is_shared(&self, objects: usize) -> bool {
        self.threads == Threads::Pool && objects >= SHARED_MIN && tasks::threads() > 1
    }

    /// Makes a bulk build on the threads of the pool.
    pub(super) fn with_build_scratch<R: Send>(
        &mut self,
        build: impl FnOnce(&mut Self, &mut BuildScratch) -> R + Send,
    ) -> R {
        let mut scratch = core::mem::take(&mut self.build_scratch);
        let result = tasks::in_pool(|| build(self, &mut scratch));
        // As of the workspace of a serial build.
        if self.counters.rebuilds > 1 {
            self.build_scratch = scratch;
        }
        result
    }
}

impl BuildScratch {
    /// Sorts the items of all shares.
    pub(super) fn sort(&mut self) {
        let mut counts = NO_COUNTS;
        for share in &self.shares {
            counts.iter_mut().zip(&share.counts).for_each(|(sum, count)| *sum += count);
        }
        sort_shared(&mut self.items, &mut self.spare, &counts);
    }

    /// Makes all nodes and blocks of a tree, from sorted items.
    pub(super) fn build<S: Source + Sync>(&mut self, data: &mut Data, cell: Cell, tails: Tails, source: &S) {
        let rules = Rules::new(data, cell, self.items.len(), tails);
        let grain = Grain((self.items.len() / PARTS).max(PART_MIN));
        let edge_max = self.shares.iter().map(|share| share.edge_max).max().unwrap_or(0);
        let keys = KeyInfo::of_root(cell, edge_max, tails);
        let (total, subtrees) = self.count(source, rules, (cell, keys), grain);
        let any_spheres = self.shares.iter().any(|share| share.any_spheres);
        let any_memberships = self.shares.iter().any(|share| share.any_memberships);
        data.nodes.renew::<Pool>(total.nodes as usize);
        data.blocks.renew::<Pool>(total.blocks as usize, any_spheres, any_memberships);

        let Data { nodes, blocks, objects, .. } = data;
        let objects = &*objects;
        let subtrees = &mut self.subtrees[..subtrees];
        let columns = ((0, self.items.as_mut_slice()), nodes.stretch(), blocks.stretch());
        tasks::divide(subtrees, columns, &cut_columns, &|subtree, columns| {
            subtree.fill(source, rules, columns, objects);
        });

        let top = StretchStore::new(nodes.stretch(), blocks.stretch(), objects);
        let mut root = NodeId::NONE;
        let mut top = top.above(subtrees, grain);
        if !self.items.is_empty() {
            let mut builder = Builder { store: &mut top, source, rules, spare: &mut self.count.sorting };
            let len = self.items.len();
            (root, _) = builder.build(cell, keys, &mut self.items, len);
        }
        let totals = subtrees.iter().fold(top.totals, |totals, subtree| totals.with(&subtree.totals));
        data.root = root;
        data.nodes.add_levels(&totals.at_level);
        data.blocks.trim_columns(totals.spheres_len, totals.any_memberships);
    }

    /// Counts nodes and blocks, and lists the subtrees that are left to tasks; how many those are.
    fn count<S: Source + Sync>(
        &mut self,
        source: &S,
        rules: Rules,
        (cell, keys): (Cell, KeyInfo),
        grain: Grain,
    ) -> (BuildSize, usize) {
        let mut sorting = core::mem::take(&mut self.count.sorting);
        let mut top = Count::top(&mut self.count, &mut self.subtrees, grain);
        if !self.items.is_empty() {
            let mut builder = Builder { store: &mut top, source, rules, spare: &mut sorting };
            let len = self.items.len();
            builder.build(cell, keys, &mut self.items, len);
        }
        let (mut total, len) = top.end();
        self.count.sorting = sorting;
        let subtrees = &mut self.subtrees[..len];
        let cut = |items, subtree: &Subtree| tasks::cut(items, subtree.items.start);
        tasks::divide(subtrees, (0, self.items.as_mut_slice()), &cut, &|subtree, columns| {
            subtree.count(source, rules, columns);
        });
        let mut before = BuildSize::default();
        for subtree in subtrees {
            let (node, block) = &mut subtree.first;
            node.0 += before.nodes;
            block.0 += before.blocks;
            before.nodes += subtree.len.nodes;
            before.blocks += subtree.len.blocks;
        }
        total.nodes += before.nodes;
        total.blocks += before.blocks;
        (total, len)
    }
}

/// Items and what is made of them.
type Columns<'a> = (OffsetSlice<'a, Item>, NodeStretch<'a>, BlockStretch<'a>);

fn cut_columns<'a>((items, nodes, blocks): Columns<'a>, subtree: &Subtree) -> (Columns<'a>, Columns<'a>) {
    let items = tasks::cut(items, subtree.items.start);
    let (nodes, blocks) = (nodes.split_at(subtree.first.0), blocks.split_at(subtree.first.1));
    ((items.0, nodes.0, blocks.0), (items.1, nodes.1, blocks.1))
}

impl Subtree {
    fn own_items<'a>(&self, (first, items): OffsetSlice<'a, Item>) -> &'a mut [Item] {
        &mut items[self.items.start - first..][..self.items.len()]
    }

    fn count<S: Source>(&mut self, source: &S, rules: Rules, items: OffsetSlice<'_, Item>) {
        let items = self.own_items(items);
        let mut sorting = core::mem::take(&mut self.scratch.sorting);
        let mut store = Count::all(&mut self.scratch);
        let mut builder = Builder { store: &mut store, source, rules, spare: &mut sorting };
        builder.build(self.cell, self.keys, items, items.len());
        (self.len, _) = store.end();
        self.scratch.sorting = sorting;
    }

    fn fill<S: Source>(&mut self, source: &S, rules: Rules, (items, nodes, blocks): Columns<'_>, objects: &Objects) {
        let items = self.own_items(items);
        let (node, block) = self.first;
        let (_, nodes) = nodes.split_at(node);
        let (nodes, _) = nodes.split_at(NodeId(node.0 + self.len.nodes));
        let (_, blocks) = blocks.split_at(block);
        let (blocks, _) = blocks.split_at(BlockId(block.0 + self.len.blocks));
        let mut store = StretchStore::new(nodes, blocks, objects);
        store.spare = core::mem::take(&mut self.scratch.spare);
        let mut builder = Builder { store: &mut store, source, rules, spare: &mut self.scratch.sorting };
        let (root, summary) = builder.build(self.cell, self.keys, items, items.len());
        debug_assert_eq!(root, node);
        debug_assert!(store.is_full());
        (self.summary, self.totals) = (summary, store.totals);
        self.scratch.spare = store.spare;
    }
}

impl BuildTotals {
    fn with(mut self, other: &Self) -> Self {
        self.at_level.iter_mut().zip(&other.at_level).for_each(|(sum, nodes)| *sum += nodes);
        self.spheres_len = self.spheres_len.max(other.spheres_len);
        self.any_memberships |= other.any_memberships;
        self
    }
}
