//! The octree's cells: a tree above runs of the Morton curve, one run a leaf.
//!
//! A cell is a box of the octree's grid; between two levels of the octree lie
//! two more, for each axis is halved in turn. Only cells that part triangles
//! are kept; runs of equal keys are halved by number. Their boxes come last, when those of the leaves are known.

use super::boxes::{Item, Span};
use super::curve::KeyedTriangle;
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
    /// Where each leaf's run starts in the order of the curve.
    pub(super) starts: Vec<u32>,
    /// Runs of equal keys that are longer than a leaf: halved by number.
    pub(super) equal: Vec<Range<usize>>,
    /// The box of each leaf, once fitted.
    spans: Vec<Span>,
}

/// What cells are made from.
pub(super) struct SortedTriangles<'a> {
    pub(super) order: &'a [KeyedTriangle],
}

/// Tasks that cells are made in, at about equal numbers of triangles.
const TASKS: usize = 16;
/// Triangles below which a cell is not worth a task.
const TASK_MIN: usize = 2048;

impl Cells {
    /// The cells of one triangle or more, and the cell of everything.
    pub(super) fn new(sorted: &SortedTriangles<'_>, threads: Threads) -> (Self, Item) {
        let len = sorted.order.len();
        let grain = (len / TASKS).max(TASK_MIN);
        // Leaves hold six triangles and more, on average.
        let mut all = Self { starts: Vec::with_capacity(len / 5 + 1), ..Self::default() };
        if !tasks::run_at_once(threads) {
            let root = all.cell(sorted, 0, len);
            return (all, root);
        }
        let mut ranges = Vec::new();
        sorted.ranges(0, len, grain, &mut ranges);
        let made = tasks::map(threads, ranges, |(start, end)| {
            let mut cells = Self::default();
            let root = cells.cell(sorted, start, end);
            (cells, root)
        });
        all.parts.reserve(made.iter().map(|(cells, _)| cells.parts.len() + 1).sum());
        all.starts.reserve(made.iter().map(|(cells, _)| cells.starts.len()).sum());
        let mut roots = Vec::with_capacity(made.len());
        for (cells, root) in made {
            let (nodes, leaves) = (all.parts.len(), all.starts.len());
            all.parts.extend(cells.parts.iter().map(|parts| parts.map(|part| moved(&part, nodes, leaves))));
            all.starts.extend_from_slice(&cells.starts);
            all.equal.extend(cells.equal);
            roots.push(moved(&root, nodes, leaves));
        }
        let root = all.above(sorted, 0, len, grain, &mut roots.into_iter());
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

    /// The cells above those made by tasks.
    fn above(
        &mut self,
        sorted: &SortedTriangles<'_>,
        start: usize,
        end: usize,
        grain: usize,
        roots: &mut impl Iterator<Item = Item>,
    ) -> Item {
        let Some(middle) = sorted.middle(start, end).filter(|_| end - start > grain) else {
            return roots.next().unwrap_or_else(|| self.cell(sorted, start, end));
        };
        let first = self.above(sorted, start, middle, grain, roots);
        let second = self.above(sorted, middle, end, grain, roots);
        self.join(first, second)
    }

    /// The cell of a run. Recursion is as deep as a key has bits.
    fn cell(&mut self, sorted: &SortedTriangles<'_>, start: usize, end: usize) -> Item {
        let count = end - start;
        if count <= WIDTH {
            return self.leaf(start);
        }
        let Some(mut middle) = sorted.middle(start, end) else {
            self.equal.push(start..end);
            return self.halves(start, end);
        };
        if count <= 2 * WIDTH {
            // As near to the border as two leaves allow.
            middle = middle.clamp(end - WIDTH, start + WIDTH);
        }
        let first = self.cell(sorted, start, middle);
        let second = self.cell(sorted, middle, end);
        self.join(first, second)
    }

    /// The cell of a run of equal keys. Recursion is as deep as halving goes.
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

impl SortedTriangles<'_> {
    /// The cells that tasks make, in order.
    fn ranges(&self, start: usize, end: usize, grain: usize, found: &mut Vec<(usize, usize)>) {
        if let Some(middle) = self.middle(start, end).filter(|_| end - start > grain) {
            self.ranges(start, middle, grain, found);
            self.ranges(middle, end, grain, found);
        } else {
            found.push((start, end));
        }
    }

    /// Where a run crosses the border of the two halves of its cell; `None` if
    /// its keys are equal.
    fn middle(&self, start: usize, end: usize) -> Option<usize> {
        let run = &self.order[start..end];
        let differing = run[0].key() ^ run[run.len() - 1].key();
        if differing == 0 {
            return None;
        }
        let bit = 31 - differing.leading_zeros();
        Some(start + run.partition_point(|keyed| keyed.key() >> bit & 1 == 0))
    }
}
