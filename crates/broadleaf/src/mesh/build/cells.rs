//! The cells of a mesh: a binary tree, whose leaves are runs of triangles.
//!
//! Each run of more than a leaf is split in two by a [`SplitRule`]: by the keys of the Morton curve, or
//! by the surface area heuristic. Runs that the rule does not split are halved by number. The boxes
//! of cells come last, when those of the leaves are known.

use super::boxes::{Item, Span};
use super::tasks;
use crate::data::Threads;
use crate::geometry::lanes::WIDTH;
use crate::mesh::columns::ChildLink;
use alloc::vec::Vec;
use core::ops::Range;

/// Cells; of each, an item has the box, the link, and the number of leaves. A
/// small cell has no more leaves than a node has lanes; its link is that of
/// the first, and the others follow.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The two parts of each cell that is not small.
    parts: Vec<[Item; 2]>,
    /// Where each leaf's run starts in the order of the triangles.
    pub(super) starts: Vec<u32>,
    /// Runs longer than a leaf that are halved by number, such as those of equal keys.
    pub(super) halved: Vec<Range<usize>>,
    /// The box of each leaf, once fitted.
    spans: Vec<Span>,
}

/// A triangle, and how runs of such are split.
pub(super) trait SplitRule: Send + Sized {
    /// Splits a run of more triangles than a leaf holds, after so many splits above it, and tells where
    /// the second part starts; `None` if it is to be halved by number. It may change the order of the run.
    fn split(run: &mut [Self], depth: u32) -> Option<usize>;
}

/// A run of triangles: where it starts, and how many splits lie above it.
struct Run<'a, T> {
    triangles: &'a mut [T],
    start: usize,
    depth: u32,
}

impl<T: SplitRule> Run<'_, T> {
    /// The two parts; the run itself if it is to be halved.
    fn split(self) -> Result<[Self; 2], Self> {
        let Self { triangles, start, depth } = self;
        match T::split(triangles, depth) {
            None => Err(Self { triangles, start, depth }),
            Some(middle) => {
                let (first, second) = triangles.split_at_mut(middle);
                let part = |triangles, start| Self { triangles, start, depth: depth + 1 };
                Ok([part(first, start), part(second, start + middle)])
            }
        }
    }
}

/// Tasks that cells are made in, at about equal numbers of triangles.
const TASKS: usize = 16;
/// Triangles below which a cell is not worth a task.
const TASK_MIN: usize = 2048;

impl Cells {
    /// The cells of one triangle or more, and the cell of everything. Puts the triangles into their order.
    pub(super) fn new<T: SplitRule>(triangles: &mut [T], threads: Threads) -> (Self, Item) {
        let len = triangles.len();
        // Leaves hold six triangles and more, on average.
        let mut all = Self { starts: Vec::with_capacity(len / 5 + 1), ..Self::default() };
        let run = Run { triangles, start: 0, depth: 0 };
        if !tasks::run_at_once(threads) {
            let root = all.cell(run);
            return (all, root);
        }
        let (mut runs, mut splits) = (Vec::new(), Vec::new());
        divide(run, (len / TASKS).max(TASK_MIN), &mut runs, &mut splits);
        let made = tasks::map(threads, runs, |run| {
            let mut cells = Self::default();
            let root = cells.cell(run);
            (cells, root)
        });
        all.parts.reserve(made.iter().map(|(cells, _)| cells.parts.len() + 1).sum());
        all.starts.reserve(made.iter().map(|(cells, _)| cells.starts.len()).sum());
        let mut roots = Vec::with_capacity(made.len());
        for (cells, root) in made {
            let (nodes, leaves) = (all.parts.len(), all.starts.len());
            all.parts.extend(cells.parts.iter().map(|parts| parts.map(|part| moved(&part, nodes, leaves))));
            all.starts.extend_from_slice(&cells.starts);
            all.halved.extend(cells.halved);
            roots.push(moved(&root, nodes, leaves));
        }
        let root = all.above(&mut splits.into_iter(), &mut roots.into_iter());
        (all, root)
    }

    /// The two parts of a cell, none of a small one.
    #[inline]
    pub(super) fn parts(&self, cell: &Item) -> Option<&[Item; 2]> {
        if is_small(cell) { None } else { self.parts.get(ChildLink(cell.id()).index()) }
    }

    /// The leaves of a small cell.
    #[inline]
    pub(super) fn leaves(&self, cell: &Item) -> impl Iterator<Item = Item> {
        let first = ChildLink(cell.id()).index();
        let spans = self.spans[first..].iter().take(cell.count() as usize);
        spans.zip(first..).map(|(span, leaf)| Item::new(span, ChildLink::leaf(leaf).0, 1))
    }

    /// The cells above those made by tasks: of each in turn, whether it was split.
    fn above(&mut self, splits: &mut impl Iterator<Item = bool>, roots: &mut impl Iterator<Item = Item>) -> Item {
        if splits.next() == Some(true) {
            let first = self.above(splits, roots);
            let second = self.above(splits, roots);
            self.join(first, second)
        } else {
            roots.next().unwrap_or_else(|| self.leaf(0))
        }
    }

    /// The cell of a run. Recursion is as deep as splits go.
    fn cell<T: SplitRule>(&mut self, run: Run<'_, T>) -> Item {
        if run.triangles.len() <= WIDTH {
            return self.leaf(run.start);
        }
        match run.split() {
            Ok([first, second]) => {
                let first = self.cell(first);
                let second = self.cell(second);
                self.join(first, second)
            }
            Err(Run { triangles, start, .. }) => {
                let run = start..start + triangles.len();
                self.halved.push(run.clone());
                self.halves(run.start, run.end)
            }
        }
    }

    /// The cell of a run that is halved. Recursion is as deep as halving goes.
    fn halves(&mut self, start: usize, end: usize) -> Item {
        if end - start <= WIDTH {
            return self.leaf(start);
        }
        let middle = start.midpoint(end);
        let first = self.halves(start, middle);
        let second = self.halves(middle, end);
        self.join(first, second)
    }

    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^28 triangles")]
    fn leaf(&mut self, start: usize) -> Item {
        self.starts.push(start as u32);
        Item::new(&Span::EMPTY, ChildLink::leaf(self.starts.len() - 1).0, 1)
    }

    fn join(&mut self, first: Item, second: Item) -> Item {
        let count = first.count() + second.count();
        if count as usize <= WIDTH {
            return Item::new(&Span::EMPTY, first.id(), count);
        }
        self.parts.push([first, second]);
        Item::new(&Span::EMPTY, ChildLink::node(self.parts.len() - 1).0, count)
    }

    /// Gives every cell its box, from those of the leaves, and returns the cell of everything with its own.
    pub(super) fn fit(&mut self, spans: Vec<Span>, root: Item) -> Item {
        self.spans = spans;
        for at in 0..self.parts.len() {
            // Cells come after their parts.
            self.parts[at] = [self.fitted(&self.parts[at][0]), self.fitted(&self.parts[at][1])];
        }
        self.fitted(&root)
    }

    /// A cell whose parts have their boxes.
    #[inline]
    fn fitted(&self, cell: &Item) -> Item {
        let span = match self.parts(cell) {
            Some([first, second]) => first.span().union(second.span()),
            None => self.leaves(cell).fold(Span::EMPTY, |span, leaf| span.union(leaf.span())),
        };
        Item::new(&span, cell.id(), cell.count())
    }
}

/// Whether a cell has no more leaves than a node has lanes.
#[inline]
pub(super) fn is_small(cell: &Item) -> bool {
    cell.count() as usize <= WIDTH
}

/// The same cell where so many cells and leaves precede.
#[inline]
fn moved(cell: &Item, nodes: usize, leaves: usize) -> Item {
    Item::new(cell.span(), ChildLink(cell.id()).moved(nodes, leaves).0, cell.count())
}

/// The runs that tasks make cells of, in order, and of each run above them and of each of them
/// whether it is split.
fn divide<'a, T: SplitRule>(run: Run<'a, T>, grain: usize, runs: &mut Vec<Run<'a, T>>, splits: &mut Vec<bool>) {
    let parts = if run.triangles.len() > grain { run.split() } else { Err(run) };
    splits.push(parts.is_ok());
    match parts {
        Ok(parts) => parts.into_iter().for_each(|part| divide(part, grain, runs, splits)),
        Err(run) => runs.push(run),
    }
}
