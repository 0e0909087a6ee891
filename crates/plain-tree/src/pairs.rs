//! All pairs: each subtree with itself, then with every sibling whose bounds
//! overlap; where two buckets meet, an object is tested against all blocks
//! before the only branch.

use crate::lanes::bits;
use crate::{BLOCK, Block, Node, PlainTree};
use broadleaf::Aabb;

/// Two indices, in no particular order.
type Pairs = Vec<(u32, u32)>;

/// The lanes after this one.
fn after(lane: usize) -> u32 {
    0xfe << lane & 0xff
}

/// The set bits of a mask over the blocks of a bucket, as block and lane.
#[inline]
fn places(mut mask: u64) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let place = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some((place / 8, place % 8))
    })
}

/// The pairs within a block.
fn within(block: &Block, out: &mut Pairs) {
    for lane in bits(block.boxes.used()) {
        let others = block.boxes.overlapping(&block.boxes.get(lane)) & after(lane);
        out.extend(bits(others).map(|other| (block.indices[lane], block.indices[other])));
    }
}

/// The pairs between two blocks, of which the second lies within `bounds`.
#[inline(always)]
fn between(first: &Block, second: &Block, bounds: &Aabb, out: &mut Pairs) {
    for lane in bits(first.boxes.overlapping(bounds)) {
        let others = second.boxes.overlapping(&first.boxes.get(lane));
        out.extend(bits(others).map(|other| (first.indices[lane], second.indices[other])));
    }
}

impl PlainTree {
    /// Appends all pairs of overlapping boxes, each once.
    pub fn pairs(&self, out: &mut Vec<(u32, u32)>) {
        if !self.blocks.is_empty() {
            self.self_pairs(self.root, out);
        }
    }

    fn self_pairs(&self, child: u32, out: &mut Pairs) {
        if child & BLOCK != 0 {
            return within(self.block(child), out);
        }
        let node = &self.nodes[child as usize];
        if node.bucket != 0 {
            return self.bucket_self(node, out);
        }
        let own = self.blocks(&node.own);
        for (number, block) in own.iter().enumerate() {
            within(block, out);
            let bounds = block.boxes.union();
            for other in &own[number + 1..] {
                between(other, block, &bounds, out);
            }
            for lane in bits(node.bounds.overlapping(&bounds)) {
                self.block_pairs(block, &bounds, node.children[lane], &node.bounds.get(lane), out);
            }
        }
        for lane in bits(node.bounds.used()) {
            let bounds = node.bounds.get(lane);
            self.self_pairs(node.children[lane], out);
            for other in bits(node.bounds.overlapping(&bounds) & after(lane)) {
                self.cross_pairs(node.children[lane], &bounds, node.children[other], &node.bounds.get(other), out);
            }
        }
    }

    /// The pairs of a bucket: every object against every block from its own on.
    fn bucket_self(&self, node: &Node, out: &mut Pairs) {
        let blocks = self.bucket(node);
        for (number, block) in blocks.iter().enumerate() {
            for lane in bits(block.boxes.used()) {
                let aabb = block.boxes.get(lane);
                let mut mask = u64::from(block.boxes.overlapping(&aabb) & after(lane));
                for (other, shift) in blocks[number + 1..].iter().zip((8..).step_by(8)) {
                    mask |= u64::from(other.boxes.overlapping(&aabb)) << shift;
                }
                let index = |(other, lane): (usize, usize)| blocks[number + other].indices[lane];
                out.extend(places(mask).map(|place| (block.indices[lane], index(place))));
            }
        }
    }

    /// The pairs between two buckets, of which the second lies within `bounds`.
    fn bucket_cross(&self, first: &Node, second: &Node, bounds: &Aabb, out: &mut Pairs) {
        let others = self.bucket(second);
        for child in bits(first.bounds.overlapping(bounds)) {
            let block = self.block(first.children[child]);
            for lane in bits(block.boxes.overlapping(bounds)) {
                let aabb = block.boxes.get(lane);
                let mut mask = 0;
                for (other, shift) in others.iter().zip((0..).step_by(8)) {
                    mask |= u64::from(other.boxes.overlapping(&aabb)) << shift;
                }
                out.extend(places(mask).map(|(other, at)| (block.indices[lane], others[other].indices[at])));
            }
        }
    }

    /// The pairs between a block and a subtree, given the bounds of both.
    fn block_pairs(&self, block: &Block, bounds: &Aabb, child: u32, child_bounds: &Aabb, out: &mut Pairs) {
        if child & BLOCK != 0 {
            return between(block, self.block(child), child_bounds, out);
        }
        let node = &self.nodes[child as usize];
        for own in self.blocks(&node.own) {
            between(own, block, bounds, out);
        }
        for lane in bits(node.bounds.overlapping(bounds)) {
            self.block_pairs(block, bounds, node.children[lane], &node.bounds.get(lane), out);
        }
    }

    /// The pairs between two subtrees, given the bounds of both.
    fn cross_pairs(&self, a: u32, a_bounds: &Aabb, b: u32, b_bounds: &Aabb, out: &mut Pairs) {
        if a & BLOCK != 0 {
            return self.block_pairs(self.block(a), a_bounds, b, b_bounds, out);
        }
        if b & BLOCK != 0 {
            return self.block_pairs(self.block(b), b_bounds, a, a_bounds, out);
        }
        let (first, second) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        if first.bucket != 0 && second.bucket != 0 {
            return self.bucket_cross(first, second, b_bounds, out);
        }
        for block in self.blocks(&first.own) {
            let bounds = block.boxes.union();
            if bounds.overlaps(b_bounds) {
                self.block_pairs(block, &bounds, b, b_bounds, out);
            }
        }
        // The blocks of the second node itself have met those of the first.
        for block in self.blocks(&second.own) {
            let bounds = block.boxes.union();
            for lane in bits(first.bounds.overlapping(&bounds)) {
                self.block_pairs(block, &bounds, first.children[lane], &first.bounds.get(lane), out);
            }
        }
        for lane in bits(first.bounds.overlapping(b_bounds)) {
            let bounds = first.bounds.get(lane);
            for other in bits(second.bounds.overlapping(&bounds)) {
                self.cross_pairs(first.children[lane], &bounds, second.children[other], &second.bounds.get(other), out);
            }
        }
    }
}
