//! The octree's cells: a tree above runs of the Morton curve, one run a leaf.
//!
//! A cell is a box of the octree's grid; between two levels of the octree lie
//! two more, for each axis is halved in turn. Only cells that part triangles
//! are kept, each with the fitted bounds of its triangles.

use super::boxes::{Item, Span};
use super::columns::Link;
use super::curve::Keyed;
use super::tasks;
use crate::geometry::lanes::WIDTH;
use alloc::vec::Vec;

/// Cells; of each, an item has the box, the link, and the number of leaves.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The two parts of each cell that is no leaf.
    parts: Vec<[Item; 2]>,
    /// Where each leaf's run starts in the order of the curve.
    pub(super) starts: Vec<u32>,
}

/// What cells are made from.
pub(super) struct Sorted<'a> {
    pub(super) items: &'a [Item],
    pub(super) order: &'a [Keyed],
}

/// Tasks that cells are made in, at about equal numbers of triangles.
const TASKS: usize = 16;
/// Triangles below which a cell is not worth a task.
const TASK_MIN: usize = 2048;

impl Cells {
    /// The cells of one triangle or more, and the cell of everything.
    pub(super) fn new(sorted: &Sorted<'_>) -> (Self, Item) {
        let len = sorted.order.len();
        let grain = (len / TASKS).max(TASK_MIN);
        let mut all = Self::default();
        if !tasks::run_at_once() {
            let root = all.cell(sorted, 0, len);
            return (all, root);
        }
        let mut ranges = Vec::new();
        sorted.ranges(0, len, grain, &mut ranges);
        let made = tasks::map(ranges, |(start, end)| {
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
            roots.push(moved(&root, nodes, leaves));
        }
        let root = all.above(sorted, 0, len, grain, &mut roots.into_iter());
        (all, root)
    }

    /// The two parts of a cell, none of a leaf.
    #[inline]
    pub(super) fn parts(&self, cell: &Item) -> Option<&[Item; 2]> {
        let link = Link(cell.id());
        if link.is_leaf() { None } else { self.parts.get(link.index()) }
    }

    /// The cells above those made by tasks.
    fn above(
        &mut self,
        sorted: &Sorted<'_>,
        start: usize,
        end: usize,
        grain: usize,
        roots: &mut impl Iterator<Item = Item>,
    ) -> Item {
        if end - start <= grain
            && let Some(root) = roots.next()
        {
            return root;
        }
        let middle = sorted.middle(start, end);
        let first = self.above(sorted, start, middle, grain, roots);
        let second = self.above(sorted, middle, end, grain, roots);
        self.join(first, second)
    }

    /// The cell of a run. Recursion is as deep as a key has bits, and then as
    /// halving goes.
    fn cell(&mut self, sorted: &Sorted<'_>, start: usize, end: usize) -> Item {
        let count = end - start;
        if count <= WIDTH {
            let span = sorted.span(start, end);
            return self.leaf(&span, start);
        }
        if count <= 2 * WIDTH {
            let (middle, first, second) = sorted.cheapest(start, end);
            let first = self.leaf(&first, start);
            let second = self.leaf(&second, middle);
            return self.join(first, second);
        }
        let middle = sorted.middle(start, end);
        let first = self.cell(sorted, start, middle);
        let second = self.cell(sorted, middle, end);
        self.join(first, second)
    }

    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^28 triangles")]
    fn leaf(&mut self, span: &Span, start: usize) -> Item {
        self.starts.push(start as u32);
        Item::new(span, Link::leaf(self.starts.len() - 1).0, 1)
    }

    fn join(&mut self, first: Item, second: Item) -> Item {
        let span = first.span().union(second.span());
        self.parts.push([first, second]);
        Item::new(&span, Link::node(self.parts.len() - 1).0, first.count() + second.count())
    }
}

/// The same cell where so many cells and leaves precede.
#[inline]
fn moved(cell: &Item, nodes: usize, leaves: usize) -> Item {
    Item::new(cell.span(), Link(cell.id()).moved(nodes, leaves).0, cell.count())
}

impl Sorted<'_> {
    /// The cells that tasks make, in order.
    fn ranges(&self, start: usize, end: usize, grain: usize, found: &mut Vec<(usize, usize)>) {
        if end - start <= grain {
            found.push((start, end));
        } else {
            let middle = self.middle(start, end);
            self.ranges(start, middle, grain, found);
            self.ranges(middle, end, grain, found);
        }
    }

    /// Where a run crosses the border of the two halves of its cell. A run of
    /// equal keys is halved by number.
    fn middle(&self, start: usize, end: usize) -> usize {
        let run = &self.order[start..end];
        let differing = run[0].key() ^ run[run.len() - 1].key();
        if differing == 0 {
            return start.midpoint(end);
        }
        let bit = 31 - differing.leading_zeros();
        start + run.partition_point(|keyed| keyed.key() >> bit & 1 == 0)
    }

    #[inline]
    fn span_at(&self, place: usize) -> &Span {
        self.items[self.order[place].index()].span()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        (start..end).fold(Span::EMPTY, |span, place| span.union(self.span_at(place)))
    }

    /// Where to cut a run of more triangles than fill a leaf, but not more
    /// than fill two: the two parts have the least surface.
    fn cheapest(&self, start: usize, end: usize) -> (usize, Span, Span) {
        let mut spans = [Span::EMPTY; 2 * WIDTH];
        for (span, place) in spans.iter_mut().zip(start..end) {
            *span = *self.span_at(place);
        }
        let united = |spans: &[Span]| spans.iter().fold(Span::EMPTY, |union, span| union.union(span));
        let (first, last) = (end - WIDTH, start + WIDTH);
        let mut above = [Span::EMPTY; WIDTH];
        let mut span = united(&spans[WIDTH..end - start]);
        for place in (first..=last).rev() {
            above[place - first] = span;
            if place > first {
                span = span.union(&spans[place - 1 - start]);
            }
        }
        let mut below = united(&spans[..first - start]);
        let mut best = (first, below, above[0]);
        let mut least = below.area() + above[0].area();
        for place in first + 1..=last {
            below = below.union(&spans[place - 1 - start]);
            let cost = below.area() + above[place - first].area();
            if cost < least {
                (least, best) = (cost, (place, below, above[place - first]));
            }
        }
        best
    }
}
