//! The layout of broadleaf in its plainest form: loose cells, fitted bounds,
//! buckets of eight blocks of eight boxes, all tested eight at a time.
//!
//! No handles, layers, spheres, statics or checks, and no relocation: boxes are
//! known by their index, and a box that moves stays where the build put it. So
//! it is fit for steps that are small beside the boxes. It is a baseline: where
//! the library is slower than this, something in it costs more than it gives.
//!
//! ```
//! use broadleaf::Aabb;
//! use plain_tree::PlainTree;
//!
//! let boxes = [Aabb::new([0.0; 3], [1.0; 3]), Aabb::new([0.5; 3], [2.0; 3])];
//! let mut tree = PlainTree::default();
//! tree.build(&boxes);
//! let mut pairs = Vec::new();
//! tree.pairs(&mut pairs);
//! assert_eq!(pairs.len(), 1);
//! ```

mod build;
mod lanes;
mod pairs;
mod query;
#[cfg(test)]
mod tests;

use broadleaf::Aabb;
pub use lanes::Lanes;
use lanes::{Boxes, bits};
use std::ops::Range;

/// Marks a child that is a block, not a node.
const BLOCK: u32 = 1 << 31;

/// Eight boxes and their indices; unused lanes have `u32::MAX` and come last.
struct Block {
    boxes: Boxes,
    indices: [u32; 8],
}

/// An inner node, or a bucket: a node whose children are blocks in a row.
struct Node {
    /// The fitted bounds of the children; empty where there is none.
    bounds: Boxes,
    children: [u32; 8],
    /// Blocks of boxes that are too large for a child's cell.
    own: Range<u32>,
    /// The number of blocks of a bucket; 0 for an inner node.
    bucket: u32,
}

/// A tree of boxes that are known by their index.
#[derive(Default)]
pub struct PlainTree {
    nodes: Vec<Node>,
    blocks: Vec<Block>,
    /// Eight times the block of each box, and its lane.
    locations: Vec<u32>,
    root: u32,
    /// Keys and indices of the build, kept for the next.
    keys: Vec<(u64, u32)>,
    sorted: Vec<(u64, u32)>,
}

impl PlainTree {
    /// Builds from scratch.
    ///
    /// *Cost:* a sort by keys of 48 bits, then each box once.
    ///
    /// # Panics
    /// If there are more than 2^31 boxes.
    pub fn build(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.blocks.clear();
        self.locations.clear();
        if !boxes.is_empty() {
            self.build_from(boxes);
        }
    }

    /// Gives each box of `moved` its new bounds, in that order, and refits every node.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn update(&mut self, moved: &[u32], boxes: &[Aabb]) {
        for (&index, aabb) in moved.iter().zip(boxes) {
            let location = self.locations[index as usize];
            self.blocks[location as usize / 8].boxes.set(location as usize % 8, aabb);
        }
        if !self.blocks.is_empty() {
            self.refit(self.root);
        }
    }

    fn refit(&mut self, child: u32) -> Aabb {
        if child & BLOCK != 0 {
            return self.block(child).boxes.union();
        }
        let node = &self.nodes[child as usize];
        let (own, children, bounds) = (node.own.clone(), node.children, node.bounds);
        let mut all = Aabb::EMPTY;
        for block in own {
            all = all.union(&self.blocks[block as usize].boxes.union());
        }
        for lane in bits(bounds.used()) {
            let fitted = self.refit(children[lane]);
            self.nodes[child as usize].bounds.set(lane, &fitted);
            all = all.union(&fitted);
        }
        all
    }

    fn block(&self, child: u32) -> &Block {
        &self.blocks[(child & !BLOCK) as usize]
    }

    fn blocks(&self, range: &Range<u32>) -> &[Block] {
        &self.blocks[range.start as usize..range.end as usize]
    }

    /// The blocks of a bucket, which lie in a row.
    fn bucket(&self, node: &Node) -> &[Block] {
        let first = (node.children[0] & !BLOCK) as usize;
        &self.blocks[first..first + node.bucket as usize]
    }
}
