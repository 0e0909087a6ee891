//! The build: a radix sort by the path through the cells, then one descent.
//!
//! A key has four bits for each of twelve levels: 8 + octant as long as the
//! cell is larger than the box, 0 below. So boxes of one cell are in a row, and
//! those that are too large for its children come first.

use crate::lanes::Boxes;
use crate::{BLOCK, Block, Node, PlainTree};
use broadleaf::Aabb;
use broadleaf::glam::Vec3;

/// Levels of cells below the root.
const LEVELS: u32 = 12;
/// Bits of a key.
const KEY_BITS: u32 = 4 * LEVELS;
/// Set in every digit of a key.
const DEEPER: u64 = 0x8888_8888_8888;
/// Bits that the sort takes at once.
const RADIX_BITS: u32 = 12;
/// Boxes of a block, and of a bucket.
const BLOCK_BOXES: usize = 8;
const BUCKET_BOXES: usize = 64;

type Key = (u64, u32);

/// Twelve bits, each moved to the lowest of a digit.
static SPREAD: [u64; 1 << LEVELS] = {
    let mut table = [0; 1 << LEVELS];
    let mut number = 0;
    while number < table.len() {
        let mut bit = 0;
        while bit < LEVELS {
            table[number] |= (((number >> bit) & 1) as u64) << (4 * bit);
            bit += 1;
        }
        number += 1;
    }
    table
};

/// The root's cell.
struct World {
    min: Vec3,
    edge: f32,
}

impl World {
    fn around(boxes: &[Aabb]) -> Self {
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
        Self { min: bounds.min, edge: bounds.extents().max_element().max(1e-6) * 1.0001 }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place within the world")]
    fn key(&self, aabb: &Aabb) -> u64 {
        let size = aabb.extents().max_element().max(1e-20);
        // How often the edge can be halved and still be as long as the box.
        let halvings = ((self.edge / size).to_bits() >> 23).saturating_sub(127).min(LEVELS);
        let cells = (1_u32 << LEVELS) as f32 / self.edge;
        let place = (((aabb.min + aabb.max) * 0.5 - self.min) * cells).to_array();
        let [x, y, z] = place.map(|cell| SPREAD[(cell as usize).min(SPREAD.len() - 1)]);
        let dropped = 4 * (LEVELS - halvings);
        if dropped >= KEY_BITS { 0 } else { (x | y << 1 | z << 2 | DEEPER) >> dropped << dropped }
    }
}

fn digit(key: u64, level: u32) -> u64 {
    if level < LEVELS { key >> (4 * (LEVELS - 1 - level)) & 15 } else { 0 }
}

impl PlainTree {
    pub(super) fn build_from(&mut self, boxes: &[Aabb]) {
        let world = World::around(boxes);
        self.keys.clear();
        self.keys.extend((0..).zip(boxes).map(|(index, aabb)| (world.key(aabb), index)));
        self.sorted.resize(self.keys.len(), (0, 0));
        self.locations.resize(boxes.len(), 0);
        for shift in (0..KEY_BITS).step_by(RADIX_BITS as usize) {
            if sort_pass(&self.keys, &mut self.sorted, shift) {
                std::mem::swap(&mut self.keys, &mut self.sorted);
            }
        }
        let keys = std::mem::take(&mut self.keys);
        self.root = self.subtree(boxes, &keys, 0).0;
        self.keys = keys;
    }

    fn add_block(&mut self, boxes: &[Aabb], keys: &[Key]) -> (u32, Aabb) {
        let id = u32::try_from(self.blocks.len()).expect("at most 2^31 blocks");
        let mut block = Block { boxes: Boxes::EMPTY, indices: [u32::MAX; 8] };
        for ((location, lane), &(_, index)) in (id * 8..).zip(0..).zip(keys) {
            block.boxes.set(lane, &boxes[index as usize]);
            block.indices[lane] = index;
            self.locations[index as usize] = location;
        }
        let bounds = block.boxes.union();
        self.blocks.push(block);
        (id, bounds)
    }

    /// The subtree over boxes of one cell, and its bounds.
    fn subtree(&mut self, boxes: &[Aabb], keys: &[Key], level: u32) -> (u32, Aabb) {
        if keys.len() <= BLOCK_BOXES {
            let (block, bounds) = self.add_block(boxes, keys);
            return (block | BLOCK, bounds);
        }
        let id = self.nodes.len();
        self.nodes.push(Node { bounds: Boxes::EMPTY, children: [0; 8], own: 0..0, bucket: 0 });
        let bounds = if keys.len() <= BUCKET_BOXES {
            self.fill_bucket(id, boxes, keys)
        } else {
            self.fill_node(id, boxes, keys, level)
        };
        (u32::try_from(id).expect("fewer nodes than blocks"), bounds)
    }

    fn fill_bucket(&mut self, id: usize, boxes: &[Aabb], keys: &[Key]) -> Aabb {
        let mut all = Aabb::EMPTY;
        let runs = keys.len().div_ceil(BLOCK_BOXES);
        for (lane, run) in keys.chunks(keys.len().div_ceil(runs)).enumerate() {
            let (block, bounds) = self.add_block(boxes, run);
            let node = &mut self.nodes[id];
            node.bounds.set(lane, &bounds);
            node.children[lane] = block | BLOCK;
            node.bucket += 1;
            all = all.union(&bounds);
        }
        all
    }

    fn fill_node(&mut self, id: usize, boxes: &[Aabb], keys: &[Key], level: u32) -> Aabb {
        let mut all = Aabb::EMPTY;
        let (own, mut rest) = keys.split_at(keys.partition_point(|key| digit(key.0, level) == 0));
        let blocks = |tree: &Self| u32::try_from(tree.blocks.len()).expect("at most 2^31 blocks");
        let first = blocks(self);
        for run in own.chunks(BLOCK_BOXES) {
            all = all.union(&self.add_block(boxes, run).1);
        }
        self.nodes[id].own = first..blocks(self);
        while let Some(&(key, _)) = rest.first() {
            let octant = digit(key, level);
            let (cell, others) = rest.split_at(rest.partition_point(|key| digit(key.0, level) == octant));
            let (child, bounds) = self.subtree(boxes, cell, level + 1);
            let (node, lane) = (&mut self.nodes[id], (octant & 7) as usize);
            node.bounds.set(lane, &bounds);
            node.children[lane] = child;
            all = all.union(&bounds);
            rest = others;
        }
        all
    }
}

/// Sorts by twelve bits of the keys, keeping the order of equals; `false`, and
/// nothing is done, if all are equal.
fn sort_pass(from: &[Key], to: &mut [Key], shift: u32) -> bool {
    let bucket = |key: &Key| (key.0 >> shift & ((1 << RADIX_BITS) - 1)) as usize;
    let mut starts = [0_u32; (1 << RADIX_BITS) + 1];
    for key in from {
        starts[bucket(key) + 1] += 1;
    }
    if starts.iter().any(|&count| count as usize == from.len()) {
        return false;
    }
    for number in 1..starts.len() {
        starts[number] += starts[number - 1];
    }
    for key in from {
        let place = &mut starts[bucket(key)];
        to[*place as usize] = *key;
        *place += 1;
    }
    true
}
